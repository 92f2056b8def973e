"""The model of a figure, independent of the output format: axes, areas, curves, marks and labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from math import ceil, floor, log2, log10

from roofproof.errors import Undecided
from roofproof.proofs.known import GIVEN, PROVED, Known

TIGHT = "\u00a0"
"""A space at which lines are not broken."""

Point = tuple[float, float]


class Math(str):
    """A piece of mathematics in plain characters: a name, a power or an index, such as `B`, `10^12` and `d_k`."""

    __slots__ = ()


Text = tuple[str, ...]
"""Words and pieces of mathematics in order."""


def plain(text: Text) -> str:
    """Return a text in plain characters.

    >>> plain((Math("B"), " > 240"))
    'B > 240'
    """
    return "".join(text).replace(TIGHT, " ")


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its title, its ends and its base (10, 2, 1024 for bytes in powers of two, 0 for a linear axis).

    >>> plain(Axis(("memory",), 1.0, 2.0**20, 1024).ticks(4)[-1][1]), Axis(("B",), 0.0, 700.0, 0).ticks(4)[1]
    ('256 KiB', (200.0, ('200',)))
    """

    title: Text
    low: float
    high: float
    base: int = 10
    unit: float = 1.0  # the unit of the numbers on a linear axis

    def share(self, at: float) -> float:
        """Return the position of a value along the axis, from 0 to 1."""
        if self.base:
            return log10(at / self.low) / log10(self.high / self.low)
        return (at - self.low) / (self.high - self.low)

    def at(self, share: float) -> float:
        """Return the value at a share of the axis."""
        if self.base:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)

    def ticks(self, most: int, digits: int = 5) -> list[tuple[float, Text]]:
        """Return at most `most` round numbers along the axis with their texts (powers if they exceed `digits`)."""
        if not self.base:
            rough = self.high / self.unit / most
            power = 10.0 ** floor(log10(rough))
            step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
            count = floor(self.high / self.unit / step + 1e-9)
            return [(i * step * self.unit, (f"{i * step:.12g}",)) for i in range(count + 1)]
        base, log = (10.0, log10) if self.base == 10 else (2.0, log2)
        first, last = ceil(log(self.low) - 1e-9), floor(log(self.high) + 1e-9)
        written = len(str(2 ** max(last, 0))) <= digits
        every = max(1, ceil((last - first + 1) / most))
        return [(base**e, self._power(e, written)) for e in range(first, last + 1, every)]

    def _power(self, exponent: int, written: bool) -> Text:
        if self.base == 1024:
            return (f"{2 ** (exponent % 10)} {('B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB')[min(exponent // 10, 5)]}",)
        if self.base == 2 and written:
            return (f"{2**exponent}" if exponent >= 0 else f"1/{2**-exponent}",)
        return (Math(f"{self.base}^{exponent}"),)


def around(title: Text, sizes: Collection[float], below: int, above: int) -> Axis:
    """Return an axis `below` and `above` doublings wider than some sizes, 8 at least, or from 1 to 2^16 without sizes.

    >>> axis = around(("B",), [240.5, 300.0], 2, 5)
    >>> axis.low, axis.high                                    # 2^7 / 2^2, 2^9 * 2^5
    (32.0, 16384.0)
    """
    if not sizes:
        return Axis(title, 1.0, 2.0**16, 2)
    high = 2.0 ** (ceil(log2(max(sizes))) + above)
    low = max(1.0, high / 2.0**40, 2.0 ** (floor(log2(min(sizes))) - below))
    return Axis(title, low, max(high, low * 2.0**8), 2)


@dataclass(frozen=True, slots=True)
class Area:
    """A filled polygon: `shade` selects its fill, and areas with the same name share a label."""

    points: tuple[Point, ...]
    shade: int
    name: Text = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points: `stroke` selects its colour and dashes, and None makes it a thin guide."""

    points: tuple[Point, ...]
    stroke: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot on a curve in the colour of its stroke, or a ring if `hollow`."""

    at: Point
    stroke: int | None = 0
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text near the first point that has room, or beside the axes at the height of the point.

    `stroke` is the stroke of the labelled curve or mark. A `spare` label is left out unless there is room right next to
    its point. A label with `below` prefers a place below its point.
    """

    lines: tuple[Text, ...]
    at: tuple[Point, ...]
    stroke: int | None = None
    beside: bool = False
    spare: bool = False
    below: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class Picture:
    """A drawing with a title, for a slide, a page or a notebook.

    Raises Undecided if a statement behind the drawing is not proved.
    """

    title: Text
    x: Axis
    y: Axis
    areas: tuple[Area, ...] = ()
    curves: tuple[Curve, ...] = ()
    marks: tuple[Mark, ...] = ()
    labels: tuple[Label, ...] = ()
    known: tuple[Known, ...] = ()  # the statements behind the drawing

    def __post_init__(self) -> None:
        for known in self.known:
            if known.trust not in (*PROVED, *GIVEN):
                raise Undecided("<says> is not proved, so it is not drawn", says=known.statement.says)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({plain(self.title)})"

    @property
    def names(self) -> dict[Text, list[Area]]:
        """The named areas, by name."""
        out: dict[Text, list[Area]] = {}
        for area in self.areas:
            if area.name:
                out.setdefault(area.name, []).append(area)
        return out

    def texts(self) -> Iterator[Text]:
        """Yield the titles, the names of areas and the lines of labels."""
        return chain((self.title, self.x.title, self.y.title), self.names, *(label.lines for label in self.labels))


def guides(lines: Iterable[Iterable[Point]]) -> list[Curve]:
    """Return thin lines through points."""
    return [Curve(tuple(line)) for line in lines]
