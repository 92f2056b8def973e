"""A plot of roofs with dots below them: logarithmic axes, ridge points, the regions between them, and labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import floor, log10

import sympy

from roofproof.derive.roofline.share import Share, percent
from roofproof.export.plots.captions import amount
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import bound_by, shade_by
from roofproof.export.plots.layout import HEIGHT
from roofproof.export.plots.model import TIGHT, Area, Axis, Curve, Label, Mark, Text, guides
from roofproof.export.plots.palette import COMPUTE, MEMORY, PARTLY
from roofproof.say import Words
from roofproof.sentences import Resource

_CURVE = 60  # points of an estimate
_APART = 0.9  # slopes at least this far apart, in centimetres, are labelled with their bandwidths
_SAME = 1.1  # dots whose intensities have a smaller ratio share a label


@dataclass(frozen=True, slots=True)
class Roof:
    """A peak and a bandwidth of a chip.

    >>> roof = Roof("custom", "bf16", "memory", 200.0, 10.0)
    >>> roof.ridge, roof.at(5.0), roof.at(50.0)
    (20.0, 50.0, 200.0)
    """

    chip: str
    compute: str
    channel: str
    peak: float
    bandwidth: float
    kept: Share | None = None  # a share of the peak, whose estimate is also drawn

    @property
    def plateau_start(self) -> float:
        """The intensity from which the estimate keeps the share, once started."""
        assert self.kept is not None
        return float(self.kept.factor * sympy.Rational(self.kept.compute / self.kept.memory)) * self.ridge

    def estimated(self, intensity: float) -> float:
        """Return the FLOP/s of the estimate, once started."""
        assert self.kept is not None
        compute, memory = self.peak * float(self.kept.compute), intensity * self.bandwidth * float(self.kept.memory)
        power = {"max": 0, "sum": 1, "root": 2}[self.kept.corner]
        return min(compute, memory) if not power else (compute**-power + memory**-power) ** (-1 / power)

    @property
    def ridge(self) -> float:
        return self.peak / self.bandwidth

    def at(self, intensity: float) -> float:
        return min(self.peak, intensity * self.bandwidth)


@dataclass(frozen=True, slots=True)
class Dot:
    """An operation at sizes: their labels, its intensity for one memory or link, and the indices of its roofs."""

    name: Text
    sizes: Text
    intensity: float
    roofs: tuple[int, ...]


def roofline_figure(
    roofs: Sequence[Roof],
    dots: Sequence[Dot],
    title: Text,
    words: Words,
    key: Text = (),
    measured: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Return the figure of roofs with dots below them, and `key` above the axes.

    `measured` are intensities and FLOP/s of measured times, drawn as hollow marks.

    >>> roof = Roof("custom", "bf16", "memory", 2e14, 1e12)
    >>> figure = roofline_figure([roof], [Dot(("dot",), (), 50.0, (0,))], ("two",), Words("en"))
    >>> figure.marks[0].at                                     # 50 FLOP/B x 1e12 B/s
    (50.0, 50000000000000.0)

    If all roofs share one peak, the sides of the ridge point are shaded.
    """
    bandwidths = sorted({roof.bandwidth for roof in roofs})
    shaded = len({roof.peak for roof in roofs}) == 1
    x, y = _axes(roofs, dots, shaded, len(bandwidths) > 1, (words["attainable FLOP/s"], *key), words, measured)
    curves = guides([(r.ridge, y.low), (r.ridge, r.peak)] for r in roofs)
    curves += [Curve(tuple((i, r.at(i)) for i in (x.low, r.ridge, x.high)), n) for n, r in enumerate(roofs)]
    marks = [Mark((d.intensity, roofs[n].at(d.intensity)), n) for d in dots for n in d.roofs]
    marks += [Mark(at, None, hollow=True) for at in measured]
    labels = _dots(roofs, dots)
    for n, r in enumerate(roofs):
        if r.kept is not None:
            first, stroke = r.plateau_start, len(roofs) + n
            along = [(i, reached) for i in _along(x, first) if (reached := r.estimated(i)) >= y.low]
            curves.append(Curve(tuple(along), stroke))
            text = words.say(
                "estimate: keeps <share> from <intensity>", share=percent(r.kept.value), intensity=f"{first:.4g}"
            )
            labels.append(
                Label(((text,),), ((min(first, x.high), r.estimated(min(first, x.high))),), stroke, below=True)
            )
    if measured:
        labels.append(Label(((words["measured"],),), tuple(measured), below=True))
    slopes = _slopes(roofs, x, y, words)
    labels += [*_names(roofs, words, bool(slopes)), *slopes]
    if len({roof.ridge for roof in roofs}) == 1:
        foot = tuple((roofs[0].ridge, y.at(share)) for share in (0.07, 0.18, 0.29))
        labels.append(Label(((_ridge(roofs[0], words),),), foot, below=True, spare=True))
    areas = _regions(roofs, x, y, words) if shaded else ()
    return Figure(title, x, y, tuple(areas), tuple(curves), tuple(marks), tuple(labels))


def _along(x: Axis, kept: float) -> list[float]:
    """Return intensities along an axis, including the one from which a share is kept."""
    return sorted({x.at(k / _CURVE) for k in range(_CURVE + 1)} | ({kept} if x.low < kept < x.high else set()))


def _axes(
    roofs: Sequence[Roof], dots: Sequence[Dot], shaded: bool, several: bool, above: Text, words: Words,
    measured: Sequence[tuple[float, float]],
) -> tuple[Axis, Axis]:  # fmt: skip
    """Return axes that contain every ridge point, dot and measured point, with room around them."""
    least = min([r.ridge / 40 for r in roofs] + [d.intensity / 2 for d in dots] + [i / 2 for i, _ in measured])
    last = max(r.ridge for r in roofs)
    room = (last / least) ** (0.5 if shaded and several else 0.45)  # for the name of the last region, or ridge
    most = max([last * max(room, 25)] + [d.intensity * 20 for d in dots] + [2 * i for i, _ in measured])
    x = Axis((words["arithmetic intensity (FLOP/B)"],), _round(least), _round(most))
    low = min([r.at(x.low) for r in roofs] + [reached / 2 for _, reached in measured])
    high = max(r.peak for r in roofs)
    room_above = (high / low) ** (0.2 if not shaded else 0.75 if several else 0.4)
    return x, Axis(above, low, high * room_above)


def _round(at: float) -> float:
    """Return a number rounded down to 1, 2, 3 or 5 times a power of ten, for the ends of an axis."""
    power = 10.0 ** floor(log10(at))
    return max(m for m in (1, 2, 3, 5) if m * power <= at * 1.000001) * power


def _dots(roofs: Sequence[Roof], dots: Sequence[Dot]) -> list[Label]:
    """Return the labels of dots, with one label for dots that coincide."""
    groups: list[list[Dot]] = []
    for dot in sorted((dot for dot in dots if dot.name or dot.sizes), key=lambda dot: dot.intensity):
        last = groups[-1][-1] if groups else None
        if last and last.roofs == dot.roofs and dot.intensity < last.intensity * _SAME:
            groups[-1].append(dot)
        else:
            groups.append([dot])
    out = []
    for group in groups:
        at = tuple((group[0].intensity, roofs[n].at(group[0].intensity)) for n in group[0].roofs)
        out.append(Label(_together(group), (max(at), min(at)), below=True))
    return out


def _together(group: Sequence[Dot]) -> tuple[Text, ...]:
    """Return the label of dots that coincide, with shared names and sizes printed only once."""
    names, sizes = (tuple(dict.fromkeys(each)) for each in zip(*((dot.name, dot.sizes) for dot in group), strict=True))
    if len(names) > 1 and len(sizes) > 1:
        return tuple((*dot.name, ", ", *dot.sizes) for dot in group)
    if len(sizes) > 1 and all(len(text) == 3 and text[:2] == sizes[0][:2] for text in sizes):
        sizes = ((*sizes[0][:2], ", ".join(text[2] for text in sizes)),)  # B = 1, 16, 64
    return tuple(text for text in (*names, *sizes) if text)


def _regions(roofs: Sequence[Roof], x: Axis, y: Axis, words: Words) -> list[Area]:
    """Return the areas left of all ridge points, between them and right of them, each with its name."""
    ridges = sorted({roof.ridge for roof in roofs})
    edges = sorted({x.low, ridges[0], ridges[-1], x.high})
    channels = {roof.channel for roof in roofs}
    if len(ridges) == 1:
        channel = next(iter(channels))
        names, shades = [bound_by(channel, (), words)], [shade_by(channel, ())]
    else:
        said = {
            (True, 2): ("memory-bound at both bandwidths", "memory-bound at one"),
            (True, 3): ("memory-bound at all bandwidths", "memory-bound at some"),
            (False, 2): ("below both ridge points", "below one"),
            (False, 3): ("below all ridge points", "below some"),
        }
        names, shades = [words[form] for form in said[channels == {"memory"}, min(len(ridges), 3)]], [MEMORY, PARTLY]
    found = zip(pairwise(edges), [*names, words["compute-bound"]], [*shades, COMPUTE], strict=True)
    return [
        Area(((left, y.low), (right, y.low), (right, y.high), (left, y.high)), shade, (name,))
        for (left, right), name, shade in found
    ]


def _slopes(roofs: Sequence[Roof], x: Axis, y: Axis, words: Words) -> list[Label]:
    """Return the bandwidths along the slopes, or nothing if slopes are too close or belong to several resources."""
    seen = {roof.bandwidth: (n, roof) for n, roof in reversed(list(enumerate(roofs)))}
    scale = HEIGHT / log10(y.high / y.low)
    if len({roof.channel for roof in roofs}) > 1 or any(
        log10(b / a) * scale < _APART for a, b in pairwise(sorted(seen))
    ):
        return []
    out = []
    for bandwidth in sorted(seen, reverse=True):
        n, roof = seen[bandwidth]
        along = [x.low * (roof.ridge / x.low) ** share for share in (0.4, 0.5, 0.6, 0.3, 0.7)]
        out.append(Label(((_bandwidth(roof, roofs, words),),), tuple((i, roof.at(i)) for i in along), n))
    return out


def _bandwidth(roof: Roof, roofs: Sequence[Roof], words: Words) -> str:
    several = len({roof.channel for roof in roofs}) > 1
    return (f"{words.translate(Resource(roof.channel))} " if several else "") + amount(roof.bandwidth, "B/s")


def _ridge(roof: Roof, words: Words) -> str:
    return f"{words['ridge||plot']}{TIGHT}{roof.ridge:.{'4g' if roof.ridge < 1e4 else '0f'}}"


def _names(roofs: Sequence[Roof], words: Words, slopes: bool) -> list[Label]:
    """Return the label of each flat part: the chip, the format if there are several, the peak, several ridge points.

    If the slopes are not labelled, the labels include their bandwidths.
    """
    formats = len({roof.compute for roof in roofs}) > 1
    ridges = len({roof.ridge for roof in roofs}) > 1
    ends: dict[tuple[str, str, float], list[int]] = {}
    for n, roof in enumerate(roofs):
        ends.setdefault((roof.chip, roof.compute, roof.peak), []).append(n)
    out = []
    for (chip, compute, peak), numbers in ends.items():
        name = " ".join([compute] * formats + [chip] * (chip != "custom"))
        rates = [amount(peak, "FLOP/s")]
        if len(numbers) == 1:
            rates += [] if slopes else [_bandwidth(roofs[numbers[0]], roofs, words)]
            told = [_ridge(roofs[numbers[0]], words)] if ridges else []
        else:
            told = [f"{_bandwidth(roofs[n], roofs, words)}, {_ridge(roofs[n], words)}" for n in numbers]
        lines = [*([name] if name else []), ", ".join(rate.replace(" ", TIGHT) for rate in rates), *told]
        out.append(Label(tuple((line,) for line in lines), ((roofs[numbers[0]].ridge, peak),), numbers[0], beside=True))
    return out
