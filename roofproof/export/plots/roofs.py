"""The roofline: attainable FLOP/s against intensity, for several chips, operations and bandwidths.

Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, log10

import sympy

from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.derive.roofline.left_out import with_figures
from roofproof.errors import RoofproofError, quoted
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import Sizes, chip_name, each_known, few, put, resolved, wrapped
from roofproof.export.plots.numeric import value
from roofproof.export.plots.placement import ROOM_BESIDE, Page
from roofproof.export.plots.scales import amount, decades
from roofproof.export.plots.scene import WIDTH, Axis, Region
from roofproof.export.plots.texts import Text, in_brackets, named, sizes_text
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware import Chip
from roofproof.ops import Operation

_LABELLED = 4  # so many bandwidths or ridge points get labels of their own
_DEAREST = 2.5  # what their labels may cost: the figure can spare them


@dataclass(frozen=True, slots=True)
class _Roof:
    """A peak and a bandwidth of a chip."""

    chip: str
    compute: str
    channel: str
    peak: float
    bandwidth: float

    @property
    def ridge(self) -> float:
        return self.peak / self.bandwidth

    def at(self, intensity: float) -> float:
        return min(self.peak, intensity * self.bandwidth)


@dataclass(frozen=True, slots=True)
class _Dot:
    """An operation at sizes: its intensity against one channel, and the roofs (by number) it lies under."""

    lines: tuple[Text, ...]
    intensity: float
    roofs: tuple[int, ...]


def roofline(ops: Sequence[Operation], chips: Sequence[Chip], at: Sequence[Sizes] = (), lang: str = "en") -> Figure:
    """Return the roofline of chips with operations on it, both axes logarithmic.

    >>> from roofproof import chip, op
    >>> figure = roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}])
    >>> [(round(x, 1), y) for x, y in figure.curves[1].points]     # 1.97e14 / 8.19e11 = 240.5 FLOP/B
    [(5.0, 4095000000000.0), (240.5, 197000000000000.0), (5000.0, 197000000000000.0)]

    `at` holds sizes, a set for each dot of an operation. A roof stands for each chip, format and channel that an
    operation uses. Where all share one peak, the sides of the ridge point are shaded; where they differ in bandwidth,
    three regions are: bandwidth-bound under all of them, under some, under none. Raises
    RoofproofError for an operation without a threshold on a chip, a dimension without a size, and more than can be told
    apart.
    """
    words = Catalogue(lang, "plots")
    few(len(ops), "operation")
    few(len(chips), "chip")
    each_known(ops, at)
    at = [resolved(sizes) for sizes in at]
    roofs, dots = _read(ops, chips, at or ({},))
    few(len(roofs), "roof")
    bandwidths = sorted({roof.bandwidth for roof in roofs})
    shaded = len({roof.peak for roof in roofs}) == 1
    x, y = _axes(roofs, dots, shaded, len(bandwidths) > 1, words)
    page = Page(x, y)
    for r in roofs:
        page.curve([(r.ridge, y.low), (r.ridge, r.peak)])
    for n, r in enumerate(roofs):
        page.curve([(i, r.at(i)) for i in (x.low, r.ridge, x.high)], n)
    for d in dots:
        for n in d.roofs:
            page.mark((d.intensity, roofs[n].at(d.intensity)), n)
    if shaded:
        _shade(roofs[0].peak, bandwidths, page, words)
    for d in dots:
        highest = max(roofs[n].at(d.intensity) for n in d.roofs)
        page.near([(d.intensity, highest)], d.lines, ("south east", "north west", "west", "east"))
    _label_ridges(roofs, page, words)
    _label_bandwidths(roofs, page)
    page.ends += _names(roofs)
    return page.figure(_title(ops, at, words))


def _read(ops: Sequence[Operation], chips: Sequence[Chip], at: Sequence[Sizes]) -> tuple[list[_Roof], list[_Dot]]:
    roofs: list[_Roof] = []
    dots: list[_Dot] = []
    for op in ops:
        for sizes in at:
            sized = put(op, sizes, shared=True)
            under: dict[tuple[str, str], tuple[sympy.Expr, list[int]]] = {}
            for chip in chips:
                for c in ceilings(with_figures(sized, chip)[0], chip):
                    if c.moved == 0:
                        continue
                    peak, bandwidth = (float(r.value) for r in c.rests_on)
                    roof = _Roof(chip_name(chip), c.compute, c.channel, peak, bandwidth)
                    if roof not in roofs:
                        roofs.append(roof)
                    under.setdefault((c.compute, c.channel), (c.intensity, []))[1].append(roofs.index(roof))
            if not under:
                raise RoofproofError(f"{quoted(op.name)} moves no bytes; it has no intensity to draw")
            for (_, channel), (intensity, numbers) in under.items():
                name = named(op.name, 22) + (f" ({channel})" if len(under) > 1 else "")
                own = {k: v for k, v in sizes.items() if k in {s.name for s in op.dims}}
                below = wrapped(sizes_text(own), ROOM_BESIDE) if len(at) > 1 else ()
                dots.append(_Dot(((name,), *below), value(intensity), tuple(numbers)))
    return roofs, dots


def _axes(
    roofs: Sequence[_Roof], dots: Sequence[_Dot], shaded: bool, several: bool, words: Catalogue
) -> tuple[Axis, Axis]:
    """Return axes that hold every ridge and every dot with room around them."""
    least = min([r.ridge / 40 for r in roofs] + [d.intensity / 2 for d in dots])
    last = max(r.ridge for r in roofs)
    room = (last / least) ** 0.5 if shaded and several else 25  # for the name of the last region, or of the last ridge
    most = max([last * max(room, 25)] + [d.intensity * 20 for d in dots])
    x = decades((words["intensity"],), _round(least), _round(most))
    low = min(r.at(x.low) for r in roofs)
    high = max(r.peak for r in roofs)
    above = (high / low) ** (0.2 if not shaded else 0.75 if several else 0.4)
    return x, decades((words["attainable"],), low, high * above, upright=True)


def _round(at: float) -> float:
    """Return a number cut to its first digit, so that an axis begins and ends at a round one."""
    power = 10.0 ** floor(log10(at))
    return max(m for m in (1, 2, 3, 5) if m * power <= at * 1.000001) * power


def _shade(peak: float, bandwidths: Sequence[float], page: Page, words: Catalogue) -> None:
    """Fill and name the regions left of every ridge, between them, and right of all."""
    x, y = page.x, page.y
    edges = sorted({x.low, peak / bandwidths[-1], peak / bandwidths[0], x.high})
    names = {1: ("bandwidth-bound",), 2: ("both", "one")}.get(len(bandwidths), ("all", "some"))
    shades = (0, 1, 2) if len(bandwidths) > 1 else (0, 2)
    said = (*(words[name] for name in names), words["compute-bound"])
    for left, right, name, shade in zip(edges[:-1], edges[1:], said, shades, strict=True):
        page.regions.append(Region(((left, y.low), (right, y.low), (right, y.high), (left, y.high)), shade))
        middle = x.at((x.share(left) + x.share(right)) / 2)
        room = (x.share(right) - x.share(left)) * WIDTH - 0.1
        page.upon((middle, y.at(0.9)), wrapped((name,), room))


def _label_ridges(roofs: Sequence[_Roof], page: Page, words: Catalogue) -> None:
    """Tell the ridge points at the foot of their guides, the leftmost to the left."""
    ridges = sorted({roof.ridge for roof in roofs})
    for ridge in ridges if len(ridges) <= _LABELLED else ():
        sides = ("east", "west") if ridge < ridges[-1] else ("west", "east")
        foot = [(ridge, page.y.at(share)) for share in (0.07, 0.18, 0.29)]
        text = f"{words['ridge']} {ridge:.{'4g' if ridge < 1e4 else '0f'}}"
        page.near(foot, ((text,),), sides, dearest=_DEAREST)


def _label_bandwidths(roofs: Sequence[_Roof], page: Page) -> None:
    """Tell the bandwidths along the slopes: the highest on its upper side, the others below theirs."""
    seen = {roof.bandwidth: (n, roof) for n, roof in reversed(list(enumerate(roofs)))}
    several = len({roof.channel for roof in roofs}) > 1
    for bandwidth in sorted(seen, reverse=True) if len(seen) <= _LABELLED else ():
        n, roof = seen[bandwidth]
        low = page.x.low
        along = [low * (roof.ridge / low) ** share for share in (0.4, 0.5, 0.6, 0.3, 0.7)]
        text = (f"{roof.channel} " if several else "") + amount(bandwidth, "B/s")
        sides = ("south east", "north west") if bandwidth == max(seen) else ("north west", "south east")
        page.near([(i, roof.at(i)) for i in along], ((text,),), sides, n, dearest=_DEAREST)


def _names(roofs: Sequence[_Roof]) -> list[tuple[float, tuple[Text, ...], int]]:
    """Return what stands beside each flat part: the chip, the format where there are several, the peak."""
    formats = len({roof.compute for roof in roofs}) > 1
    out: dict[tuple[str, str, float], tuple[float, tuple[Text, ...], int]] = {}
    for n, roof in enumerate(roofs):
        peak = amount(roof.peak, "FLOP/s")
        name = " ".join([roof.compute] * formats + [roof.chip] * (roof.chip != "custom"))
        lines = (*wrapped((name,), ROOM_BESIDE), (peak,)) if name else ((peak,),)
        out.setdefault((roof.chip, roof.compute, roof.peak), (roof.peak, lines, n))
    return list(out.values())


def _title(ops: Sequence[Operation], at: Sequence[Sizes], words: Catalogue) -> Text:
    shown = ", ".join(dict.fromkeys(named(op.name, 24) for op in ops))
    return (words.say("roofline-of", subject=shown), *(in_brackets(at[0]) if len(at) == 1 else ()))
