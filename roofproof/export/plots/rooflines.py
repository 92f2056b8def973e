"""The roofline: attainable FLOP/s against intensity, for several chips, operations and bandwidths.

Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
"""

from collections.abc import Sequence
from fractions import Fraction

import sympy

from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.keeping import share_of
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError, quoted
from roofproof.export.plots.captions import in_brackets, named, sizes_text
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import (
    Sizes,
    check_curve_count,
    check_known_sizes,
    chip_name,
    left_out_units,
    resized,
    resolved,
)
from roofproof.export.plots.model import Text
from roofproof.export.plots.numeric import value
from roofproof.export.plots.roofs import Dot, Roof, roofline_figure
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.roles import usual_sizes
from roofproof.say import Words
from roofproof.sentences import Resource

_NAME = 30  # characters of the name next to a dot


def roofline(
    ops: Sequence[Operation],
    chips: Sequence[Chip],
    at: Sequence[Sizes] = (),
    lang: str = "en",
    share: Fraction | None = None,
    corner: str | None = None,
    measured: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Return the rooflines of chips with operations on them, both axes logarithmic.

    >>> from roofproof import chip, op
    >>> figure = roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}])
    >>> [(round(x, 1), y) for x, y in figure.curves[1].points]     # 1.97e14 / 8.19e11 = 240.5 FLOP/B
    [(5.0, 4095000000000.0), (240.5, 197000000000000.0), (5000.0, 197000000000000.0)]

    `at` holds one set of sizes for each dot of an operation. A missing size takes the usual value of its role, and the
    title lists it. There is a roof for each chip, format and memory or link that an operation uses. With a `share` of
    the peak, a curve shows the estimate once started, with the intensity from which it keeps that share. If all roofs
    share one peak, the sides of the ridge point are shaded. Several bandwidths give a third region between them.
    `measured` are intensities and FLOP/s of measured times, drawn as hollow marks. Raises RoofproofError for an
    operation without a threshold on a chip, and for more roofs than readers can distinguish.
    """
    words = Words(lang)
    check_curve_count(len(ops), "operation")
    check_curve_count(len(chips), "chip")
    check_known_sizes(ops, at)
    every = [_completed(ops, sizes) for sizes in at or ({},)]
    roofs, dots = _read(ops, chips, every, share, corner, bool(measured), words)
    check_curve_count(len(roofs), "roof")
    title = _title(ops, {} if measured else _common(every), words)
    key = (*left_out_units(ops, chips, words), *_longest(ops, chips, every, words))
    return roofline_figure(roofs, dots, title, words, key, measured)


def _completed(ops: Sequence[Operation], sizes: Sizes) -> dict[str, int | str]:
    """Return sizes, completed with the usual size of every dimension that has none."""
    completed: dict[str, int | str] = {}
    for op in ops:
        completed |= {name: size for name, size in usual_sizes(op).items() if name not in completed}
    return resolved(completed | dict(sizes))


def _common(every: Sequence[Sizes]) -> dict[str, int | str]:
    """Return the sizes that are the same for every dot."""
    return {name: size for name, size in every[0].items() if all(sizes[name] == size for sizes in every)}


def _read(
    ops: Sequence[Operation], chips: Sequence[Chip], at: Sequence[Sizes],
    share: Fraction | None, corner: str | None, measured: bool, words: Words,
) -> tuple[list[Roof], list[Dot]]:  # fmt: skip
    roofs: list[Roof] = []
    dots: list[Dot] = []
    common = {} if measured else _common(at)
    for op in ops:
        for sizes in at:
            sized = resized(op, sizes, shared=True, on=chips)
            under: dict[tuple[str, str], tuple[sympy.Expr, list[int]]] = {}
            for chip in chips:
                known = without_missing_rates(sized, chip)[0]
                for c in ceilings(known, chip):
                    if c.moved == 0:
                        continue
                    peak, bandwidth = (float(r.value) for r in c.rests_on)
                    kept = None if share is None else share_of(known, chip, share, corner)
                    roof = Roof(chip_name(chip), c.compute, c.channel, peak, bandwidth, kept)
                    if roof not in roofs:
                        roofs.append(roof)
                    under.setdefault((c.compute, c.channel), (c.intensity, []))[1].append(roofs.index(roof))
            if not under:
                raise RoofproofError("<op> moves no bytes; it has no intensity to draw", op=quoted(op.name))
            several = [len(each) > 1 for each in map(set, zip(*under, strict=True))]
            for which, (intensity, numbers) in under.items():
                told = ", ".join(
                    words.translate(Resource(name)) for name, more in zip(which, several, strict=True) if more
                )
                name = (
                    [named(op.name, _NAME)] if len(ops) > 1 or not (told or len(at) > 1 or len(op.name) > _NAME) else []
                )
                if told:
                    name = [f"{name[0]} ({told})"] if name else [told]
                own = {k: v for k, v in sizes.items() if k in {s.name for s in op.dims} - set(common)}
                dots.append(Dot(tuple(name), sizes_text(own), value(intensity), tuple(numbers)))
    return roofs, dots


def _longest(ops: Sequence[Operation], chips: Sequence[Chip], every: Sequence[Sizes], words: Words) -> Text:
    """Return which resource takes longest, for one operation with several units, one set of sizes and one chip."""
    if len(ops) > 1 or len(chips) > 1 or len(every) > 1 or len(ops[0].compute) < 2:
        return ()
    sized = resized(ops[0], every[0], shared=True, on=chips)
    spent = time(without_missing_rates(sized, chips[0])[0], chips[0])
    name = max(spent, key=lambda name: spent[name])
    return (words["; "], words.say("<resource> takes longest", resource=Resource(name)))


def _title(ops: Sequence[Operation], sizes: Sizes, words: Words) -> Text:
    own = {name: size for name, size in sizes.items() if any(name == s.name for op in ops for s in op.dims)}
    shown = ", ".join(dict.fromkeys(named(op.name) for op in ops))
    return (words.say("Roofline: <subject>", subject=shown), *in_brackets(own))
