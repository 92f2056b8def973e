"""What is in a figure, whoever draws it: axes, curves, regions, marks and labels, all in the units of the data."""

from dataclasses import dataclass
from math import log10

from roofproof.export.plots.texts import Text

WIDTH, HEIGHT = 8.2, 4.95
"""The axes, in centimetres; with the margins below, a figure fits a 16:9 slide under its title."""
LEFT, RIGHT, BOTTOM, TOP = 1.2, 4.5, 1.1, 1.2

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its title, where it begins and ends, whether it is logarithmic, and its ticks with their texts."""

    title: Text
    low: float
    high: float
    log: bool
    ticks: tuple[tuple[float, Text], ...]

    def share(self, at: float) -> float:
        """Return the position of a value along the axis, from 0 to 1."""
        if self.log:
            return log10(at / self.low) / log10(self.high / self.low)
        return (at - self.low) / (self.high - self.low)

    def at(self, share: float) -> float:
        """Return the value at a share of the axis."""
        if self.log:
            return float(self.low * (self.high / self.low) ** share)
        return self.low + share * (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Curve:
    """A line through points; `stroke` picks its colour and dashes, None makes it a thin guide."""

    points: tuple[Point, ...]
    stroke: int | None = 0


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon; `shade` picks its fill."""

    points: tuple[Point, ...]
    shade: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A dot on a curve, in the colour of its stroke; a hollow one is a ring."""

    at: Point
    stroke: int | None = 0
    hollow: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """Lines of text at a point, and the line that leads from them to what they name."""

    lines: tuple[Text, ...]
    at: Point
    anchor: str = "center"  # which part of the text lies at the point: "west" is the middle of its left edge
    leader: tuple[Point, ...] = ()
    stroke: int | None = None
    backed: bool = False  # a pale ground behind the text, where it covers a line

    @property
    def align(self) -> str:
        """Where the lines begin or end alike: at the side of the anchor."""
        return "left" if "west" in self.anchor else "right" if "east" in self.anchor else "center"
