"""Roofs and what lies under them, drawn: both axes logarithmic, the ridges, the regions between, the labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import sympy

from roofproof.derive.roofline.share import Share, percent
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import wrapped
from roofproof.export.plots.labels import LABELS
from roofproof.export.plots.placement import ROOM_BESIDE, Canvas
from roofproof.export.plots.scales import amount, decades
from roofproof.export.plots.scene import WIDTH, Axis, Polygon
from roofproof.export.plots.texts import Text
from roofproof.say import Words

_CURVE = 60  # points of an estimate
_LABELLED = 4  # so many bandwidths or ridge points get labels of their own
_DEAREST = 2.5  # what their labels may cost: the figure can spare them
_ON_SLOPE = 1.2  # what the label of a bandwidth may cost: upon another slope it would be read as that one's
_BESIDE = ("south east", "north west", "west", "east")


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
    kept: Share | None = None  # a share of the peak, whose estimate is drawn as well

    @property
    def kept_from(self) -> float:
        """The intensity from which the share is kept, once started."""
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
    """What lies under roofs (by number): its label, if it has one, and its intensity against one channel."""

    lines: tuple[Text, ...]
    intensity: float
    roofs: tuple[int, ...]


def under_roofs(
    roofs: Sequence[Roof],
    dots: Sequence[Dot],
    title: Text,
    words: Words,
    key: Text = (),
    measured: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Return the figure of roofs with dots under them; `key` stands above the axes.

    `measured` are intensities and FLOP/s of measured times, drawn as hollow marks.

    >>> roof = Roof("custom", "bf16", "memory", 2e14, 1e12)
    >>> figure = under_roofs([roof], [Dot((("dot",),), 50.0, (0,))], ("two",), Words("en", LABELS))
    >>> figure.marks[0].at                                     # 50 FLOP/B x 1e12 B/s
    (50.0, 50000000000000.0)

    Where all share one peak, the sides of the ridge point are shaded. Raises RoofproofError for more labels than room.
    """
    bandwidths = sorted({roof.bandwidth for roof in roofs})
    shaded = len({roof.peak for roof in roofs}) == 1
    x, y = _axes(roofs, dots, shaded, len(bandwidths) > 1, (words["attainable FLOP/s"], *key), words, measured)
    page = Canvas(x, y)
    for r in roofs:
        page.curve([(r.ridge, y.low), (r.ridge, r.peak)])
    for n, r in enumerate(roofs):
        page.curve([(i, r.at(i)) for i in (x.low, r.ridge, x.high)], n)
    for n, r in enumerate(roofs):
        if r.kept is not None:
            first, last = r.kept_from, x.high
            page.curve([(i, reached) for i in _along(x, first) if (reached := r.estimated(i)) >= y.low], len(roofs) + n)
            text = words.say(
                "estimate: keeps <share> from <intensity>", share=percent(r.kept.value), intensity=f"{first:.4g}"
            )
            page.near(
                [(first, r.estimated(first)) if first < last else (last, r.estimated(last))],
                ((text,),),
                _BESIDE,
                len(roofs) + n,
            )
    for d in dots:
        for n in d.roofs:
            page.mark((d.intensity, roofs[n].at(d.intensity)), n)
    for at in measured:
        page.mark(at, None, hollow=True)
    if shaded:
        _shade(roofs[0].peak, bandwidths, page, words)
    for d in (d for d in dots if d.lines):
        highest = max(roofs[n].at(d.intensity) for n in d.roofs)
        page.near([(d.intensity, highest)], d.lines, _BESIDE)
    _label_ridges(roofs, page, words)
    page.ends += _names(roofs, bandwidths=not _label_bandwidths(roofs, page))
    return page.figure(title)


def _along(x: Axis, kept: float) -> list[float]:
    """Return intensities along an axis, with that from which a share is kept."""
    return sorted({x.at(k / _CURVE) for k in range(_CURVE + 1)} | ({kept} if x.low < kept < x.high else set()))


def _axes(
    roofs: Sequence[Roof], dots: Sequence[Dot], shaded: bool, several: bool, above: Text, words: Words,
    measured: Sequence[tuple[float, float]],
) -> tuple[Axis, Axis]:  # fmt: skip
    """Return axes that hold every ridge, every dot and every measured point with room around them."""
    least = min([r.ridge / 40 for r in roofs] + [d.intensity / 2 for d in dots] + [i / 2 for i, _ in measured])
    last = max(r.ridge for r in roofs)
    room = (last / least) ** (0.5 if shaded and several else 0.45)  # for the name of the last region, or ridge
    most = max([last * max(room, 25)] + [d.intensity * 20 for d in dots] + [2 * i for i, _ in measured])
    x = decades((words["arithmetic intensity (FLOP/B)"],), _round(least), _round(most))
    low = min([r.at(x.low) for r in roofs] + [reached / 2 for _, reached in measured])
    high = max(r.peak for r in roofs)
    room_above = (high / low) ** (0.2 if not shaded else 0.75 if several else 0.4)
    return x, decades(above, low, high * room_above, upright=True)


def _round(at: float) -> float:
    """Return a number cut to its first digit, so that an axis begins and ends at a round one."""
    power = 10.0 ** floor(log10(at))
    return max(m for m in (1, 2, 3, 5) if m * power <= at * 1.000001) * power


def _shade(peak: float, bandwidths: Sequence[float], page: Canvas, words: Words) -> None:
    """Fill and name the regions left of every ridge, between them, and right of all."""
    x, y = page.x, page.y
    edges = sorted({x.low, peak / bandwidths[-1], peak / bandwidths[0], x.high})
    names = {1: ("bandwidth-bound",), 2: ("both", "one")}.get(len(bandwidths), ("all", "some"))
    shades = (0, 1, 2) if len(bandwidths) > 1 else (0, 2)
    said = (*(words[LABELS.get(name, name)] for name in names), words["compute-bound"])
    for left, right, name, shade in zip(edges[:-1], edges[1:], said, shades, strict=True):
        page.regions.append(Polygon(((left, y.low), (right, y.low), (right, y.high), (left, y.high)), shade))
        middle = x.at((x.share(left) + x.share(right)) / 2)
        room = (x.share(right) - x.share(left)) * WIDTH - 0.1
        page.upon((middle, y.at(0.9)), wrapped((name,), room))
    for edge in edges[1:-1]:  # no label lies in two regions; below the peak the guide of the ridge keeps it off
        page.lines.append([page.cm((edge, peak)), page.cm((edge, y.high))])


def _label_ridges(roofs: Sequence[Roof], page: Canvas, words: Words) -> None:
    """Tell the ridge points at the foot of their guides, the leftmost to the left."""
    ridges = sorted({roof.ridge for roof in roofs})
    for ridge in ridges if len(ridges) <= _LABELLED else ():
        sides = ("east", "west") if ridge < ridges[-1] else ("west", "east")
        foot = [(ridge, page.y.at(share)) for share in (0.07, 0.18, 0.29)]
        text = f"{words['ridge||plot']} {ridge:.{'4g' if ridge < 1e4 else '0f'}}"
        page.near(foot, ((text,),), sides, dearest=_DEAREST)


def _label_bandwidths(roofs: Sequence[Roof], page: Canvas) -> bool:
    """Tell the bandwidths along the slopes: the highest on its upper side, the others below theirs; all or none."""
    seen = {roof.bandwidth: (n, roof) for n, roof in reversed(list(enumerate(roofs)))}
    if len(seen) > _LABELLED:
        return False
    before = len(page.labels), len(page.taken), len(page.leaders)
    for bandwidth in sorted(seen, reverse=True):
        n, roof = seen[bandwidth]
        low = page.x.low
        along = [low * (roof.ridge / low) ** share for share in (0.4, 0.5, 0.6, 0.3, 0.7)]
        text = _bandwidth(roof, roofs)
        sides = ("south east", "north west") if bandwidth == max(seen) else ("north west", "south east")
        if not page.near([(i, roof.at(i)) for i in along], ((text,),), sides, n, dearest=_ON_SLOPE, along=True):
            del page.labels[before[0] :], page.taken[before[1] :], page.leaders[before[2] :]
            return False
    return True


def _bandwidth(roof: Roof, roofs: Sequence[Roof]) -> str:
    several = len({roof.channel for roof in roofs}) > 1
    return (f"{roof.channel} " if several else "") + amount(roof.bandwidth, "B/s")


def _names(roofs: Sequence[Roof], bandwidths: bool) -> list[tuple[float, tuple[Text, ...], int]]:
    """Return the label of each flat part: the chip, the format where there are several, the peak.

    Where the slopes are too close to be labelled, their `bandwidths` stand there, too.
    """
    formats = len({roof.compute for roof in roofs}) > 1
    ends: dict[tuple[str, str, float], list[int]] = {}
    for n, roof in enumerate(roofs):
        ends.setdefault((roof.chip, roof.compute, roof.peak), []).append(n)
    out: list[tuple[float, tuple[Text, ...], int]] = []
    for (chip, compute, peak), numbers in ends.items():
        name = " ".join([compute] * formats + [chip] * (chip != "custom"))
        told = [_bandwidth(roofs[n], roofs) for n in numbers] if bandwidths else []
        lines: list[Text] = [(figure,) for figure in (amount(peak, "FLOP/s"), *told)]
        out.append((peak, (*(wrapped((name,), ROOM_BESIDE) if name else ()), *lines), numbers[0]))
    return out
