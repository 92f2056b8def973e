"""Helpers that render answers as text and as LaTeX, for the tests of several packages."""

from collections.abc import Iterable, Iterator, Mapping

from roofproof.derive.on_chips import Comparison
from roofproof.export.explain.comparison import explain_comparison
from roofproof.export.explain.steps import explain_steps
from roofproof.export.explain.threshold import explain
from roofproof.export.outline import Outline, outline
from roofproof.export.to_latex import to_latex
from roofproof.export.to_markdown import to_markdown
from roofproof.export.to_text import flat_text, lines_text, to_text
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.steps.step import NoSteps, Steps


def rendered(found: Outline, lang: str = "en") -> str:
    return to_text(explain(found), lang)


def derivation(
    op: Operation, chip: Chip | None, proved: ProvedThreshold | None, point: Mapping[str, int] | None = None, *,
    lang: str = "en", steps: bool = False, frames: bool = False,
) -> str:  # fmt: skip
    return to_latex(explain(outline(op, chip, proved, point or {}, steps)), lang, frames=frames)


def steps_lines(told: Iterable[Steps | NoSteps], lang: str) -> Iterator[str]:
    return lines_text(explain_steps(told), lang)


def comparison_text(found: Comparison, *, markdown: bool = False, lang: str = "en") -> str:
    return (to_markdown if markdown else flat_text)(explain_comparison(found), lang)


def comparison_table(found: Comparison, *, lang: str = "en") -> str:
    return to_latex(explain_comparison(found), lang)
