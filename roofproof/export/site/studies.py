"""The content of an operation's page: thresholds and proofs in every number format, and the answers on every chip."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

import sympy
from markupsafe import Markup

from roofproof.clock import within
from roofproof.derive.on_chips import OnChip, thresholds
from roofproof.derive.roofline.compute_bound import ceilings, compute_bound
from roofproof.derive.roofline.memory_fit import assumptions
from roofproof.derive.roofline.own_format import forms
from roofproof.errors import RoofproofError, Stopped
from roofproof.export.doc import between
from roofproof.export.explain.threshold import explain, explain_cases, notation
from roofproof.export.latex.leaves import Style
from roofproof.export.numbers import digits
from roofproof.export.outline import outline, sections_of
from roofproof.export.plots.rooflines import roofline
from roofproof.export.plots.svg import svg
from roofproof.export.slides.sizes import chosen_dimension
from roofproof.export.to_html import OnSite, body_html, html, to_html
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Entry, Operation, entries, parse_operation
from roofproof.ops.roles import usual_sizes
from roofproof.proofs import threshold
from roofproof.proofs.steps.answer import threshold_steps_or_reason
from roofproof.rooms import is_installed
from roofproof.say import LANGUAGES, translated

PICTURED = ("h100-sxm", "tpu-v5e", "mi300x", "apple-m2-gpu")  # chips that are drawn first
MOST_PICTURED = 3
SECONDS = 60  # the work limit for one threshold and its proof line by line
By = Mapping[str, Markup]  # language: HTML


@dataclass(frozen=True, slots=True)
class ThresholdAnswer:
    """A threshold that some number formats share: in brief, with its proof, and how it was proved.

    Without a threshold, `problem` gives the reason in every language. `late` means that it took too long.
    """

    unknown: str
    brief: By = field(default_factory=dict)
    proof: By = field(default_factory=dict)
    trust: str = ""
    problem: Mapping[str, str] = field(default_factory=dict)
    late: bool = False


@dataclass(frozen=True, slots=True)
class FormatVariant:
    """An operation in the number formats that share its thresholds, with its text in each of them."""

    texts: tuple[str, ...]
    formats: tuple[str, ...]
    answers: tuple[ThresholdAnswer, ...]


@dataclass(frozen=True, slots=True)
class ChipRow:
    """A chip and a format: ridge points, exact and rounded, and the answer and its trust for each dimension.

    `left_out` are the compute units for which the chip has no spec.
    """

    chip: str
    compute: str
    text: str
    ridges: tuple[tuple[str, str, str], ...]
    answers: dict[str, tuple[str, int | None, str]]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OperationStudy:
    """The content of an operation's page.

    >>> found = study("matmul", ["tpu-v2"])
    >>> found.lines[0].ridges, found.lines[0].answers["B"]           # 46e12/716e9; B > 64.25/(1 - 2*64.25/4096)
    ((('R', '11500/179', '≈ 64.246'),), ('above', 67, 'kernel'))
    >>> [variant.formats for variant in found.variants]
    [('bf16',)]
    """

    name: str
    source: str
    op: str
    dims: tuple[str, ...]
    sizes: Mapping[str, int]
    first: str
    flops: Markup
    moved: Markup
    assuming: By
    picture: By
    memory: By
    variants: tuple[FormatVariant, ...]
    lines: tuple[ChipRow, ...]
    entry: Entry


def study(name: str, chips: Sequence[str], seconds: int | None = SECONDS) -> OperationStudy:
    """Derive the thresholds of an operation, built-in or from a file, on chips, each within `seconds`.

    Raises RoofproofError for an unknown operation or chip.
    """
    able = [_chip(text) for text in chips]
    written = forms(able, name)
    op = written[name]
    entry = entries().get(name) or Entry(op.name, parse_operation, op.convention, op.source, "your_own")
    sizes = usual_sizes(op)
    lines: dict[tuple[str, str], ChipRow] = {}
    shared: dict[object, dict[str, Operation]] = {}
    for text, each in written.items():
        shared.setdefault(_condition(each), {})[text] = each
    variants: list[FormatVariant] = []
    late: set[str] = set()  # dimensions that took too long in one format are skipped in the others
    for some in shared.values():
        first, *_ = some.values()
        formats = tuple(dict.fromkeys(engine for each in some.values() for engine in each.compute))
        asked = [s.name for s in op.dims if s.name not in late]
        answers = tuple(answer(first, x, seconds, whole=not variants) for x in asked)
        late |= {each.unknown for each in answers if each.late}
        variants.append(FormatVariant(tuple(some), formats, answers))
        for text, each in some.items():
            for x in asked:
                if x not in late:
                    _rows(text, each, x, able, sizes, lines, seconds)
    style = Style(order=notation(op)[0])
    moved = sympy.Add(*(op.bytes(c) for c in op.demands if c not in op.compute))
    return OperationStudy(
        entry.name, entry.source, op.name, tuple(s.name for s in op.dims), sizes,
        chosen_dimension(op) or "",
        _flops(op, style), OnSite.formula(style.latex(moved)),
        {lang: _assuming(op, lang) for lang in LANGUAGES},
        {lang: _picture(op, able, sizes, lang) for lang in LANGUAGES},
        {lang: _of_memory(op, able, sizes, chosen_dimension(op) or "", lang) for lang in LANGUAGES},
        tuple(variants), tuple(lines.values()), entry,
    )  # fmt: skip


def _pictured(chips: Sequence[Chip]) -> list[Chip]:
    """Return chips in the order in which they are drawn, with the best known ones first."""
    named = {one.name: one for one in chips}
    return list(dict.fromkeys([*(named[n] for n in PICTURED if n in named), *chips]))


def _picture(op: Operation, chips: Sequence[Chip], sizes: Mapping[str, int], lang: str) -> Markup:
    """Return the roofline of an operation on a few of the chips, or nothing if it cannot be drawn."""
    drawn: list[Chip] = []
    for one in _pictured(chips):
        with suppress(RoofproofError):  # it lacks a spec
            roofline([op], [*drawn, one], [sizes], lang)
            drawn.append(one)
        if len(drawn) == MOST_PICTURED:
            break
    return svg(roofline([op], drawn, [sizes], lang)) if drawn else Markup("")


def _of_memory(op: Operation, chips: Sequence[Chip], sizes: Mapping[str, int], unknown: str, lang: str) -> Markup:
    """Return the plot of bytes against the memory and the map of a size and the memory, on the first suitable chip."""
    if not is_installed("roofproof.bounds"):
        return Markup("")
    from roofproof.bounds import bound
    from roofproof.export.plots.memories import size_map, slope

    for one in _pictured(chips):
        with suppress(RoofproofError):  # not a product, no on-chip memory, or no spec
            found = bound(op, chip=one, at=sizes)
            return svg(slope(found, lang)) + svg(size_map(found, unknown, lang))
    return Markup("")


def _flops(op: Operation, style: Style) -> Markup:
    """Return the FLOPs of an operation, each with its compute unit if there are several."""
    if len(op.units) < 2:
        return OnSite.formula(style.latex(op.flops))
    return Markup(", ").join(OnSite.formula(style.latex(op.compute[unit])) + f" {unit}" for unit in op.units)


def _assuming(op: Operation, lang: str) -> Markup:
    return html(between(assumptions(op), ", "), Style(lang, notation(op)[0]))


def _condition(op: Operation) -> object:
    """Return the condition for being compute-bound, which formats with equal bytes share together with its proofs."""
    try:
        return compute_bound(ceilings(op), symbolic=True)
    except RoofproofError:
        return None


def answer(op: Operation, x: str, seconds: int | None = SECONDS, *, whole: bool = True) -> ThresholdAnswer:
    """Return the threshold of an operation for one dimension, on any chip, with its proof.

    Unless it is the `whole` answer, the counts and limits that precede the threshold are left out.

    >>> from roofproof import op
    >>> answer(op("matmul"), "B").trust, answer(op("all-gather"), "V").problem["en"][:42]
    ('kernel', "operation 'all-gather of V bytes over n ch")
    """
    try:
        with within(seconds, busy=True):
            proved = threshold(op, None, x)
            found = outline(op, None, proved, {}, steps=whole)
            if not whole:
                bound, known = (tuple(s for s in found.sections if s.key == key) for key in ("threshold", "proved"))
                found = replace(found, sections=(*bound, *sections_of(threshold_steps_or_reason(proved)), *known))
            short = explain_cases(op, proved.found.symbolic, proved.found.supposed)
            brief = {lang: body_html(short, lang) for lang in LANGUAGES}
            proof = {lang: to_html(explain(found), lang) for lang in LANGUAGES}
            return ThresholdAnswer(x, brief, proof, proved.trust)
    except (RoofproofError, Stopped) as problem:
        why = {lang: translated(problem.said, lang) for lang in LANGUAGES}
        return ThresholdAnswer(x, problem=why, late=isinstance(problem, Stopped))


def _rows(
    text: str, op: Operation, x: str, chips: Sequence[Chip], sizes: Mapping[str, int],
    lines: dict[tuple[str, str], ChipRow], seconds: int | None,
) -> None:  # fmt: skip
    """Add the answers of an operation for one dimension, on each chip, to `lines`."""
    with suppress(RoofproofError, Stopped), within(seconds, busy=True):
        for found in thresholds(op, x, chips, {n: s for n, s in sizes.items() if n != x}):
            for row in (row for row in found.rows if found.one_formula and not row.missing):
                key = (row.chip.name, text)
                if key not in lines:
                    ridges = tuple((n, str(r), digits(r)) for n, r in row.ridges.items())
                    unit = "+".join(found.units)
                    lines[key] = ChipRow(row.chip.name, unit, text, ridges, {}, found.left_out)
                lines[key].answers[x] = (_kind(row), row.integer, found.trust_on(row))


def _kind(row: OnChip) -> str:
    """Return the kind of a threshold at the sizes, or `above` (without an integer) if blocks do not fit."""
    return "above" if row.unfit else row.at_sizes.kind if row.at_sizes else ""


_chip = lru_cache(maxsize=200)(any_chip)
