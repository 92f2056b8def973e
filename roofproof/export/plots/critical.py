"""The threshold against another size, with its asymptote and the sizes for which it is never compute-bound."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

import sympy

from roofproof.derive.inequalities.cases import Above, Below, Between, Cases, bounds
from roofproof.derive.limits.limits import limit
from roofproof.derive.roofline.keeping import share_of
from roofproof.derive.roofline.memory_fit import compared, grows_alone
from roofproof.derive.roofline.share import percent
from roofproof.errors import RoofproofError
from roofproof.export.plots.captions import in_brackets, named
from roofproof.export.plots.columns import Parts, labelled_areas, outline, runs
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import (
    Sizes,
    check_curve_count,
    chip_name,
    dimension_of,
    left_out_units,
    resized,
    resolved,
    tied_title,
)
from roofproof.export.plots.intervals import allowed_cases, edges, intervals_at, within
from roofproof.export.plots.model import Area, Axis, Curve, Label, Math, Point, Text, around, guides
from roofproof.export.plots.numeric import value, values
from roofproof.export.plots.palette import COMPUTE, MEMORY, NEVER
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs import threshold
from roofproof.proofs.known import PROVED, Known, weakest
from roofproof.say import Words

_POINTS = 240


def threshold_curve(
    ops: Operation | Sequence[Operation],
    chips: Sequence[Chip],
    unknown: str,
    across: str,
    at: Sizes | None = None,
    lang: str = "en",
    share: Fraction | None = None,
    corner: str | None = None,
) -> Figure:
    """Return a plot of the threshold in `unknown` against the size `across`, both logarithmic.

    With a `share` of the peak, the curve shows where the estimate of each chip keeps that share, once started.

    >>> from roofproof import chip, op
    >>> figure = threshold_curve(op("matmul"), [chip("tpu-v5e")], "B", "D", at={"F": "D"})
    >>> "".join(figure.labels[-1].lines[-1])                       # B -> R = 240.54 as D grows
    'D → ∞: B > 240.5'

    `at` holds the other sizes, each a number or the name of an equal dimension. For one operation on one chip, the
    compute-bound region and the sizes that are never compute-bound are shaded. Raises RoofproofError if there is no
    curve to draw, and Undecided if it is not proved.
    """
    words = Words(lang)
    ops = [ops] if isinstance(ops, Operation) else ops
    check_curve_count(len(ops) * len(chips), "chip")
    at = resolved(at)
    own = [{k: v for k, v in at.items() if k in {s.name for s in op.dims}} for op in ops]
    every = [resized(op, sizes, [unknown, across]) for op, sizes in zip(ops, own, strict=True)]
    pairs = [(sized, chip) for sized in every for chip in chips]
    x, y = (dimension_of(every[0], name) for name in (across, unknown))
    kept = [None if share is None else share_of(sized, chip, share, corner) for sized, chip in pairs]
    proved = [threshold(sized, chip, unknown, share=each) for (sized, chip), each in zip(pairs, kept, strict=True)]
    found = [each.found.cases for each in proved]
    there = [allowed_cases(sized, [chip], y) for sized, chip in pairs]
    turns = [
        tuple(e for case in cases for e in edges(case.when, x) if intervals_at(exists, x, e))
        for cases, exists in zip(found, there, strict=True)
    ]
    assumed = dict.fromkeys(c for sized, chip in pairs for c in compared(sized, [chip]))
    along = around(tied_title(across, at, assumed), [e for each in turns for e in each], 2, 5)
    limits = [
        [a for a in _asymptotes(cases, x, along.high) if within(a.at, intervals_at(exists, x, along.high))]
        if grows_alone(sized, chip, x)
        else []
        for cases, exists, (sized, chip) in zip(found, there, pairs, strict=True)
    ]
    up = _up(found, limits, x, along, (Math(y.name), *left_out_units(every, chips, words)))
    drawn = [
        [line for bound in _bounds(cases) for line in _line(bound, exists, x, along, up)]
        for cases, exists in zip(found, there, strict=True)
    ]
    if not any(drawn):
        said = "; ".join(dict.fromkeys(str(cases).splitlines()[0] for cases in found))
        raise RoofproofError(
            "<op> has no critical <unknown> of 1 or more to draw against <across>: <cases>",
            op=", ".join(op.name for op in ops), unknown=unknown, across=across, cases=said,
        )  # fmt: skip
    curves = [Curve(line, n) for n, lines in enumerate(drawn) for line in lines]
    inner = [e for each in turns for e in each if along.low < e < along.high]
    curves += guides([(e, up.low), (e, up.high)] for e in inner)
    curves += guides(
        [(along.low, a.at), (along.high, a.at)] for each in limits for a in each if up.low < a.at < up.high
    )
    areas: list[Area] = []
    labels = []
    if len(found) == 1:
        areas, more = _regions(found[0], there[0], x, along, up, words, share)
        curves += more
        for e in dict.fromkeys(inner):
            foot = tuple((e, up.at(share)) for share in (0.08, 0.2, 0.32))
            labels.append(Label(((Math(x.name), f" = {e:.4g}"),), foot, below=True))
    for n, ((sized, chip), lines, each) in enumerate(zip(pairs, drawn, limits, strict=True)):
        text: list[Text] = [(named(sized.name),)] if len(every) > 1 else []
        text += [(chip_name(chip),)] if len(every) == 1 or len(chips) > 1 else []
        for a in each:
            text.append((Math(x.name), f" → ∞{words[': ']}", Math(y.name), f" {a.sign} {a.at:.4g}"))
        first = min((e for e in turns[n] if e > along.low), default=None)
        if len(pairs) > 1 and first and _kind(found[n], x, along.low) == "never":
            text.append((Math(x.name), f" < {first:.4g}{words[': ']}{words['never']}"))
        last = max((line[-1] for line in lines), default=None)
        if not last and {_kind(found[n], x, along.at(share / 8)) for share in range(9)} == {"never"}:
            text.append((words["never||never"],))
        labels.append(Label(tuple(text), (last or (along.high, up.high),), n, beside=True))
    subject = ", ".join(named(op.name) for op in ops)
    if len(every) > 1 and len(chips) == 1:
        subject += f", {chip_name(chips[0])}"
    title = words.say("Where it is compute-bound: <subject>", subject=subject)
    if share is not None:
        form = "Estimate: where <subject> keeps <share> once started"
        if corner is not None:
            form = "Estimate: where <subject> keeps <share> of the peak"
        title = words.say(form, subject=subject, share=percent(share))
    known = (*(k for each in proved for k in each.solved), *(k for each in limits for a in each for k in a.known))
    return Figure((title, *in_brackets(at)), along, up, tuple(areas), tuple(curves), labels=tuple(labels), known=known)


def _kind(cases: Cases, x: sympy.Symbol, at: float) -> str:
    """Return the kind of threshold that applies at a size."""
    return next((c.threshold.kind for c in cases if values(c.when, x, [at])[0]), "")


def _bounds(cases: Cases) -> list[tuple[sympy.Expr, sympy.Basic]]:
    return [(bound, case.when) for case in cases for bound in bounds(case.threshold)]


class _Asymptote(NamedTuple):
    """The limit of a bound as the size across grows, with its proof."""

    sign: str
    at: float
    known: tuple[Known, ...]


def _asymptotes(cases: Cases, x: sympy.Symbol, far: float) -> list[_Asymptote]:
    """Return the limits of the bounds as the size across grows, if they are proved numbers."""
    out = []
    last = next((case.threshold for case in cases if values(case.when, x, [far])[0]), None)
    signs = {Above: [">"], Below: ["<"], Between: [">", "<"]}.get(type(last), [])
    for sign, bound in zip(signs, bounds(last) if last else (), strict=False):
        try:
            tends = limit(bound, f"{x} -> oo")
        except RoofproofError:
            continue
        if tends.value.is_finite and tends.value.is_positive and weakest(known := tends.value_proofs()) in PROVED:
            out.append(_Asymptote(sign, value(tends.value), known))
    return out


def _up(
    found: Sequence[Cases], limits: Sequence[Sequence[_Asymptote]], x: sympy.Symbol, along: Axis, title: Text
) -> Axis:
    """Return a vertical axis that shows the asymptotes near its lower end, and enough of the curves above them."""
    some = [a.at for each in limits for a in each]
    if not some:
        at = [along.at(share / 8) for share in range(9)]
        some = [
            float(v)
            for cases in found
            for bound, when in _bounds(cases)
            for v, holds in zip(values(bound, x, at), values(when, x, at), strict=True)
            if holds and v > 0 and isfinite(v)
        ]
    return around(title, some, 2, 4)


def _line(
    bound: tuple[sympy.Expr, sympy.Basic], there: Cases, x: sympy.Symbol, along: Axis, up: Axis
) -> list[tuple[Point, ...]]:
    """Return a bound as lines, limited to its case, to sizes that the operation allows, and to the axes."""
    expr, when = bound
    inner = [e for e in edges(when, x) if along.low < e < along.high]
    near = [e * f for e in inner for f in (1 - 1e-7, 1 + 1e-7, 1 - 1e-4, 1 + 1e-4, 1 - 0.004, 1 + 0.004)]
    at = sorted({along.at(i / _POINTS) for i in range(_POINTS + 1)} | set(near))
    points: list[Point | None] = []
    for i, v, holds in zip(at, values(expr, x, at), values(when, x, at), strict=True):
        drawn = holds and isfinite(v) and v > 0 and within(float(v), intervals_at(there, x, i))
        points.append((i, float(v)) if drawn else None)
    return _clipped(points, along, up)


def _clipped(points: Sequence[Point | None], along: Axis, up: Axis) -> list[tuple[Point, ...]]:
    """Return the parts of a line between the ends of the vertical axis, broken at each None."""
    out: list[list[Point]] = [[]]
    for a, b in pairwise(points):
        if a is None or b is None:
            out.append([])
            continue
        (ax, ay), (bx, by) = ((along.share(p[0]), up.share(p[1])) for p in (a, b))
        levels = sorted((level - ay) / (by - ay) for level in (0.0, 1.0)) if by != ay else [0.0, float(0 <= ay <= 1)]
        begin, end = max(levels[0], 0.0), min(levels[1], 1.0)
        if begin >= end:
            out.append([])
            continue
        cut = [(along.at(ax + t * (bx - ax)), up.at(ay + t * (by - ay))) for t in (begin, end)]
        if begin > 0 or not out[-1]:
            out.append([cut[0] if begin > 0 else a])
        out[-1].append(cut[1] if end < 1 else b)
    return [tuple(line) for line in out if len(line) > 1]


def _regions(
    cases: Cases, there: Cases, x: sympy.Symbol, along: Axis, up: Axis, words: Words, share: Fraction | None
) -> tuple[list[Area], list[Curve]]:
    """Return the compute-bound, memory-bound and never compute-bound areas, and their outlines."""

    def parts(at: float) -> Parts:
        there_is = [(max(low, up.low), min(high, up.high)) for low, high in intervals_at(there, x, at)]
        return tuple(part for low, high in there_is if low < high for part in between(at, low, high))

    def between(at: float, low: float, high: float) -> Parts:
        if _kind(cases, x, at) == "never":
            return (("never", low, high),)
        out, reached = [], low
        for begin, end in intervals_at(cases, x, at):
            begin, end = max(begin, low), min(end, high)
            if end > begin:
                out += [("memory-bound", reached, begin)] * (begin > reached) + [("compute-bound", begin, end)]
                reached = end
        return (*out, *([("memory-bound", reached, high)] if reached < high else []))

    said = {"never": words["never||never"]}
    said |= {name: words[name] for name in ("compute-bound", "memory-bound")}
    if share is not None:
        told = {"share": percent(share)}
        said |= {"never": words["never"]}
        said |= {
            "compute-bound": words.say("keeps <share>", **told),
            "memory-bound": words.say("below <share>", **told),
        }
    plane = runs(parts, along, _POINTS)
    outlines = guides(line for run in plane for line in outline(run, up))
    return labelled_areas(plane, {"never": NEVER, "compute-bound": COMPUTE, "memory-bound": MEMORY}, said), outlines
