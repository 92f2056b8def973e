"""What the page of an operation says: its thresholds and proofs in every number format, and every chip."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import sympy
from markupsafe import Markup

from roofproof.atlas.rows import AtlasRow, atlas, forms
from roofproof.clock import within
from roofproof.errors import RoofproofError, Stopped
from roofproof.export.latex.derivation_lines import Style
from roofproof.export.outline import outline
from roofproof.export.site.pictures import picture
from roofproof.export.site.sentences import formula
from roofproof.export.site.solution import solution_html, threshold_html
from roofproof.export.slides.sizes import chosen_dimension, usual_sizes
from roofproof.export.text.formatting import digits
from roofproof.export.words.catalogue import LANGUAGES
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Operation, entries
from roofproof.proofs import threshold

SECONDS = 20  # for one threshold, proved and told line by line
PARTS = ("threshold", "steps-threshold", "proved")  # of the proof in a format beside the usual one
By = Mapping[str, Markup]  # language: HTML


@dataclass(frozen=True, slots=True)
class Answer:
    """A threshold in some number formats, which share it: in short, with its proof, and how that is known.

    Where there is none, `problem` says why.
    """

    unknown: str
    brief: By = field(default_factory=dict)
    proof: By = field(default_factory=dict)
    trust: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """An operation in the number formats that share its thresholds; `texts` is how it is written in each."""

    texts: tuple[str, ...]
    formats: tuple[str, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A chip and a format: ridge points, exact and rounded, and for each dimension the answer and its trust."""

    chip: str
    compute: str
    text: str
    ridges: tuple[tuple[str, str, str], ...]
    answers: dict[str, tuple[str, int | None, str]]


@dataclass(frozen=True, slots=True)
class Study:
    """All that the page of an operation says.

    >>> found = study("matmul", ["tpu-v2"])
    >>> found.lines[0].ridges, found.lines[0].answers["B"]           # 46e12/716e9; B > 64.25/(1 - 2*64.25/4096)
    ((('R', '11500/179', '≈ 64.246'),), ('above', 67, 'kernel'))
    >>> [variant.formats for variant in found.variants]
    [('bf16',)]
    """

    name: str
    family: str
    source: str
    op: str
    dims: tuple[str, ...]
    sizes: Mapping[str, int]
    first: str
    flops: Markup
    moved: Markup
    picture: By
    variants: tuple[Variant, ...]
    lines: tuple[Line, ...]


def study(name: str, chips: Sequence[str], seconds: int | None = SECONDS) -> Study:
    """Work out an operation of the library on chips; each threshold has a limit of `seconds`.

    Raises RoofproofError for an unknown operation or chip.
    """
    able = [any_chip(text) for text in chips]
    written = forms(able, name)
    op, entry = written[name], entries()[name]
    sizes = usual_sizes(op)
    lines: dict[tuple[str, str], Line] = {}
    shared: dict[tuple[object, ...], list[tuple[str, Operation]]] = {}
    for text, each in written.items():
        shared.setdefault(tuple(dict.fromkeys(_rows(text, each, able, sizes, lines, seconds))), []).append((text, each))
    variants: list[Variant] = []
    for some in shared.values():
        texts, ops = zip(*some, strict=True)
        formats = tuple(dict.fromkeys(engine for each in ops for engine in each.compute))
        answers = tuple(answer(ops[0], x.name, seconds, PARTS if variants else None) for x in ops[0].dims)
        variants.append(Variant(texts, formats, answers))
    style = Style(op, "en")
    return Study(
        name, entry.family, entry.source, op.name, tuple(s.name for s in op.dims), sizes, chosen_dimension(op) or "",
        formula(style.latex(op.flops)), formula(style.latex(sympy.Add(*(op.bytes(c) for c in _channels(op))))),
        {lang: picture(op, able, sizes, lang) for lang in LANGUAGES}, tuple(variants), tuple(lines.values()),
    )  # fmt: skip


def _channels(op: Operation) -> list[str]:
    return [name for name in op.demands if name not in op.compute]


def answer(op: Operation, x: str, seconds: int | None = SECONDS, sections: tuple[str, ...] | None = None) -> Answer:
    """Return the threshold of an operation for one dimension, for every chip, with its proof, or some sections of it.

    >>> from roofproof import op
    >>> answer(op("matmul"), "B").trust, answer(op("all-gather"), "V").problem[:42]
    ('kernel', "operation 'all-gather of V bytes over n ch")
    """
    try:
        with within(seconds):
            proved = threshold(op, None, x)
            told = outline(op, None, proved, {}, steps=True)
            if sections is not None:
                told = replace(told, sections=tuple(s for s in told.sections if s.key in sections))
            brief = {lang: threshold_html(told, lang) for lang in LANGUAGES}
            return Answer(x, brief, {lang: solution_html(told, lang) for lang in LANGUAGES}, proved.trust)
    except (RoofproofError, Stopped) as problem:
        return Answer(x, problem=str(problem))


def _rows(
    text: str, op: Operation, chips: Sequence[Chip], sizes: Mapping[str, int],
    lines: dict[tuple[str, str], Line], seconds: int | None,
) -> Iterator[object]:  # fmt: skip
    """Yield what the thresholds of an operation are, and put the answers on each chip into `lines`."""
    for x in (s.name for s in op.dims):
        with suppress(RoofproofError, Stopped), within(seconds):
            for row in atlas([op], chips, [x]):
                yield x, row.cases
                key = (row.chip, text)
                if key not in lines:
                    ridges = tuple(
                        (n, str(r), digits(sympy.Rational(r.numerator, r.denominator))) for n, r in row.ridges.items()
                    )
                    lines[key] = Line(row.chip, row.compute, text, ridges, {})
                lines[key].answers[x] = _at(row, {n: s for n, s in sizes.items() if n != x})


def _at(row: AtlasRow, sizes: Mapping[str, int]) -> tuple[str, int | None, str]:
    """Return what a threshold comes to at the sizes: its kind, the integer answer, and how it is known."""
    return row.at(sizes).kind, row.integer(sizes), row.derivation.trust
