"""The roofline: attainable FLOP/s against intensity, for several chips, operations and bandwidths.

Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
"""

from collections.abc import Sequence
from fractions import Fraction

import sympy

from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.keeping import share_of
from roofproof.derive.roofline.unpriced_demands import with_figures
from roofproof.errors import RoofproofError, quoted
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import Sizes, chip_name, each_known, few, left_out, resized, resolved, wrapped
from roofproof.export.plots.labels import LABELS
from roofproof.export.plots.numeric import value
from roofproof.export.plots.placement import ROOM_BESIDE
from roofproof.export.plots.roofs import Dot, Roof, under_roofs
from roofproof.export.plots.texts import Text, in_brackets, named, sizes_text
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.say import Words

_NAME = 2.4
"""How wide the name beside a dot may get, in centimetres, before it is set in two lines."""


def roofline(
    ops: Sequence[Operation],
    chips: Sequence[Chip],
    at: Sequence[Sizes] = (),
    lang: str = "en",
    share: Fraction | None = None,
    corner: str | None = None,
    measured: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Return the roofline of chips with operations on it, both axes logarithmic.

    >>> from roofproof import chip, op
    >>> figure = roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}])
    >>> [(round(x, 1), y) for x, y in figure.curves[1].points]     # 1.97e14 / 8.19e11 = 240.5 FLOP/B
    [(5.0, 4095000000000.0), (240.5, 197000000000000.0), (5000.0, 197000000000000.0)]

    `at` holds sizes, a set for each dot of an operation. A roof stands for each chip, format and channel that an
    operation uses; with a `share` of the peak so does a curve, the estimate once started, which says from which
    intensity it is kept. Where all share one peak, the sides of the ridge point are shaded; where they differ in
    bandwidth, three regions are: bandwidth-bound under all of them, under some, under none. `measured` are intensities
    and FLOP/s of measured times, drawn as hollow marks. Raises RoofproofError for an operation without a threshold on a
    chip, a dimension without a size, and more than can be told apart.
    """
    words = Words(lang, LABELS)
    few(len(ops), "operation")
    few(len(chips), "chip")
    each_known(ops, at)
    at = [resolved(sizes) for sizes in at]
    roofs, dots = _read(ops, chips, at or ({},), share, corner)
    few(len(roofs), "roof")
    return under_roofs(roofs, dots, _title(ops, at, words), words, left_out(ops, chips, words), measured)


def _read(
    ops: Sequence[Operation], chips: Sequence[Chip], at: Sequence[Sizes], share: Fraction | None, corner: str | None
) -> tuple[list[Roof], list[Dot]]:
    roofs: list[Roof] = []
    dots: list[Dot] = []
    for op in ops:
        for sizes in at:
            sized = resized(op, sizes, shared=True, on=chips)
            under: dict[tuple[str, str], tuple[sympy.Expr, list[int]]] = {}
            for chip in chips:
                for c in ceilings(with_figures(sized, chip)[0], chip):
                    if c.moved == 0:
                        continue
                    peak, bandwidth = (float(r.value) for r in c.rests_on)
                    kept = None if share is None else share_of(with_figures(sized, chip)[0], chip, share, corner)
                    roof = Roof(chip_name(chip), c.compute, c.channel, peak, bandwidth, kept)
                    if roof not in roofs:
                        roofs.append(roof)
                    under.setdefault((c.compute, c.channel), (c.intensity, []))[1].append(roofs.index(roof))
            if not under:
                raise RoofproofError("<op> moves no bytes; it has no intensity to draw", op=quoted(op.name))
            several = [len(each) > 1 for each in map(set, zip(*under, strict=True))]
            for which, (intensity, numbers) in under.items():
                told = ", ".join(name for name, more in zip(which, several, strict=True) if more)
                name = named(op.name, 22) + (f" ({told})" if told else "")
                own = {k: v for k, v in sizes.items() if k in {s.name for s in op.dims}}
                below = wrapped(sizes_text(own), ROOM_BESIDE) if len(at) > 1 else ()
                lines = wrapped((name.replace(" = ", "\u00a0=\u00a0"),), _NAME)  # a size stays with its value
                dots.append(Dot((*lines, *below), value(intensity), tuple(numbers)))
    return roofs, dots


def _title(ops: Sequence[Operation], at: Sequence[Sizes], words: Words) -> Text:
    shown = ", ".join(dict.fromkeys(named(op.name, 24) for op in ops))
    return (words.say("Roofline: <subject>", subject=shown), *(in_brackets(at[0]) if len(at) == 1 else ()))
