"""Where labels go: near what they name, inside the axes, off the curves, and never upon one another."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from math import dist, inf

from roofproof.errors import RoofproofError
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.polylines import Box, distance, inside
from roofproof.export.plots.scene import HEIGHT, RIGHT, WIDTH, Axis, Curve, Label, Mark, Point, Polygon
from roofproof.export.plots.texts import Text, box
from roofproof.proofs.known import Known

ROOM_BESIDE = RIGHT - 0.6
"""How wide a label beside the axes may get, in centimetres."""

_MARGIN = 0.06  # kept free around every text, in centimetres
_AWAY = (0.2, 0.36, 0.6, 1.0, 1.5, 2.1, 2.8)  # distances that are tried, in centimetres
_SIDES = {
    "west": (1.0, 0.0), "south": (0.0, 1.0), "north": (0.0, -1.0), "east": (-1.0, 0.0),
    "south west": (0.5, 0.9), "north west": (0.5, -0.9), "south east": (-0.5, 0.9), "north east": (-0.5, -0.9),
}  # fmt: skip
_CROSSING = 3.0  # what a centimetre of curve under a text costs, in centimetres of distance; the first bit most
_LEAD_FROM = 0.3  # a text this far from its target gets a line that leads there
_NEARER = 0.12  # by so many centimetres a text is nearer to the curve that it names than to any other

End = tuple[float, tuple[Text, ...], int | None]
"""Where a curve ends at the right of the axes, what is said of it there, and its stroke."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a text might go: its cost, which of its sides lies where, its box, and what it is to be near, in cm."""

    cost: float
    side: str
    at: Point
    box: Box
    to: Point


@dataclass(slots=True)
class Canvas:
    """A figure while it is drawn: what is on it so far, and the free place that is left for labels.

    >>> from roofproof.export.plots.scales import steps
    >>> page = Canvas(steps(("x",), 10.0), steps(("y",), 10.0))
    >>> page.near([(5.0, 5.0)], (("first",),)) and page.near([(5.0, 5.0)], (("second",),))
    True
    >>> [label.anchor for label in page.labels]                # the right of the point is tried first
    ['west', 'east']
    """

    x: Axis
    y: Axis
    regions: list[Polygon] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    ends: list[End] = field(default_factory=list)
    lines: list[list[Point]] = field(default_factory=list)  # curves in centimetres, which texts are kept off
    dots: list[Box] = field(default_factory=list)  # around the marks
    taken: list[Box] = field(default_factory=list)
    leaders: list[tuple[Point, Point]] = field(default_factory=list)

    def cm(self, at: Point) -> Point:
        """Return a point of the data in centimetres from the corner of the axes."""
        return self.x.share(at[0]) * WIDTH, self.y.share(at[1]) * HEIGHT

    def data(self, at: Point) -> Point:
        """Return a point in centimetres in the units of the data."""
        return self.x.at(at[0] / WIDTH), self.y.at(at[1] / HEIGHT)

    def curve(self, points: Iterable[Point], stroke: int | None = None) -> None:
        """Draw a line, a thin guide where it has no stroke; texts keep off it as far as there is room."""
        self.curves.append(Curve(tuple(points), stroke))
        self.lines.append([self.cm(p) for p in self.curves[-1].points])

    def mark(self, at: Point, stroke: int | None = 0, hollow: bool = False) -> None:
        """Draw a dot, or a ring; texts keep off it."""
        self.marks.append(Mark(at, stroke, hollow))
        x, y = self.cm(at)
        self.dots.append((x - 0.09, y - 0.09, x + 0.09, y + 0.09))

    def near(
        self,
        targets: Sequence[Point],
        lines: tuple[Text, ...],
        sides: Sequence[str] = (),
        stroke: int | None = None,
        away: float = 0.0,
        dearest: float = inf,
        along: bool = False,
    ) -> bool:
        """Place a label near one of several points of the data that it may name, at least so far `away`; tell whether.

        Of the points and of the sides the first are preferred. A label that the figure can spare has a `dearest`: it
        is left out where it would lie far off or across curves. One that names the curve through its point goes `along`
        it, nearer than to any other curve. Raises RoofproofError where no place is left at all: the figure has too many
        labels to be read.
        """
        size = box(lines)
        tried = dict.fromkeys((side, far) for far in _AWAY if far >= away for side in (*sides, *_SIDES))
        found: _Place | None = None
        for later, to in enumerate(map(self.cm, targets)):
            for order, (side, far) in enumerate(tried):
                at = to[0] + _SIDES[side][0] * far, to[1] + _SIDES[side][1] * far
                place = _Place(0.02 * order + 0.05 * later, side, at, _box(side, at, size), to)
                found = self._better(found, place, along)
        if found is None:
            to = self.cm(targets[0])
            for i, j in product(range(1, 40), range(1, 30)):
                at = WIDTH * i / 40, HEIGHT * j / 30
                found = self._better(found, _Place(1.0, "center", at, _box("center", at, size), to), along)
        if found is None and dearest == inf:
            raise RoofproofError("the figure has more labels than room: draw fewer operations, chips or sizes")
        if found is None or found.cost > dearest:
            return False
        leader: tuple[Point, ...] = ()
        if _gap(found.box, found.to) > _LEAD_FROM:
            self.leaders.append((_edge(found.box, found.to), found.to))
            leader = tuple(map(self.data, self.leaders[-1]))
        self.taken.append(found.box)
        crossed = self._crossed(found.box) > 0
        self.labels.append(Label(lines, self.data(found.at), found.side, leader, stroke, crossed))
        return True

    def upon(self, target: Point, lines: tuple[Text, ...]) -> None:
        """Place a label centred upon a point, such as the name of a region; elsewhere if that place is taken."""
        place = _box("center", self.cm(target), box(lines))
        if self._fits(place) and not self._crossed(place):
            self.labels.append(Label(lines, target))
            self.taken.append(place)
        else:
            self.near([target], lines)

    def figure(self, title: Text, known: tuple[Known, ...] = ()) -> Figure:
        """Return the figure as it is now, guides below the other curves, with the labels beside the axes.

        Raises RoofproofError for more labels than fit there.
        """
        curves = sorted(self.curves, key=lambda curve: curve.stroke is not None)
        labels = (*self.labels, *_beside(self.x, self.y, self.ends))
        return Figure(title, self.x, self.y, tuple(self.regions), tuple(curves), tuple(self.marks), labels, known)

    def _better(self, found: _Place | None, other: _Place, along: bool) -> _Place | None:
        """Return the place that costs less, the first being the best so far."""
        if not self._fits(other.box) or (along and not self._beside_its_own(other.box, other.to)):
            return found
        gap = _gap(other.box, other.to)
        cost = other.cost + gap + _CROSSING * self._crossed(other.box)
        if gap > _LEAD_FROM:
            begin = _edge(other.box, other.to)
            others = [dot for dot in self.dots if _gap(dot, other.to) > 0]
            cost += 0.3 + 5.0 * any(_length_inside(begin, other.to, place) for place in (*self.taken, *others))
            cost += sum(_meet(begin, other.to, a, b) for line in self.lines for a, b in pairwise(line))
            cost += sum(_meet(begin, other.to, a, b) for a, b in self.leaders)
        return replace(other, cost=cost) if found is None or cost < found.cost else found

    def _beside_its_own(self, place: Box, to: Point) -> bool:
        """Tell whether a text lies so much nearer to the curves through a point that nobody takes it for another's."""
        own, others = inf, inf
        drawn = [line for curve, line in zip(self.curves, self.lines, strict=False) if curve.stroke is not None]
        for line in drawn:
            gap = min(distance(a, b, place) for a, b in pairwise(line))
            through = min(distance(a, b, (*to, *to)) for a, b in pairwise(line)) < 1e-6
            own, others = (min(own, gap), others) if through else (own, min(others, gap))
        return own + _NEARER <= others

    def _fits(self, place: Box) -> bool:
        left, bottom, right, top = place
        if left < _MARGIN or bottom < _MARGIN or right > WIDTH - _MARGIN or top > HEIGHT - _MARGIN:
            return False
        if any(_overlap(place, other) for other in (*self.taken, *self.dots)):
            return False
        return not any(_length_inside(a, b, place) for a, b in self.leaders)

    def _crossed(self, place: Box) -> float:
        """Return the centimetres of curve under a text."""
        inside = (sum(_length_inside(a, b, place) for a, b in pairwise(points)) for points in self.lines)
        return sum(length + 0.2 for length in inside if length)


def _beside(x: Axis, y: Axis, ends: Sequence[End]) -> list[Label]:
    """Return labels to the right of the axes, one for each curve that ends there, moved apart where they are close."""
    ends = sorted(ends, key=lambda end: end[0])
    heights = [box(lines)[1] + 2 * _MARGIN for _, lines, _ in ends]
    if sum(heights) > HEIGHT + 0.6:
        if (most := max(len(lines) for _, lines, _ in ends)) > 1:
            return _beside(x, y, [(end, lines[: most - 1], stroke) for end, lines, stroke in ends])
        raise RoofproofError(
            "<count> curves have more labels than room; draw fewer operations, chips or sizes", count=len(ends)
        )
    wished = [y.share(end) * HEIGHT for end, _, _ in ends]
    out = []
    for (_, lines, stroke), wish, at in zip(ends, wished, _spread(wished, heights, -0.3, HEIGHT + 0.3), strict=True):
        bends = ((0.0, wish), (0.16, wish), (0.36, at), (0.5, at), (0.58, at))
        *leader, place = [(x.at(1 + dx / WIDTH), y.at(dy / HEIGHT)) for dx, dy in bends]
        out.append(Label(lines, place, "west", tuple(leader), stroke))
    return out


def _spread(wished: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Return middles in the order given, each as near to its wish as the heights allow, all between the bounds."""
    groups: list[list[int]] = []  # labels that touch

    def total(group: list[int]) -> float:
        return sum(heights[i] for i in group)

    def begin(group: list[int]) -> float:
        wish = sum(wished[i] for i in group) / len(group) - total(group) / 2
        return min(max(wish, low), high - total(group))

    for i in range(len(wished)):
        groups.append([i])
        while len(groups) > 1 and begin(groups[-2]) + total(groups[-2]) > begin(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    return [begin(group) + total(group[:k]) + heights[i] / 2 for group in groups for k, i in enumerate(group)]


def _box(anchor: str, at: Point, size: tuple[float, float]) -> Box:
    width, height = size
    left = at[0] - (0 if "west" in anchor else width if "east" in anchor else width / 2)
    bottom = at[1] - (0 if "south" in anchor else height if "north" in anchor else height / 2)
    return left, bottom, left + width, bottom + height


def _overlap(a: Box, b: Box) -> bool:
    return a[0] - _MARGIN < b[2] and b[0] - _MARGIN < a[2] and a[1] - _MARGIN < b[3] and b[1] - _MARGIN < a[3]


def _edge(place: Box, to: Point) -> Point:
    """Return the point of a box that is nearest to another."""
    return min(max(to[0], place[0]), place[2]), min(max(to[1], place[1]), place[3])


def _gap(place: Box, to: Point) -> float:
    return dist(_edge(place, to), to)


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Tell whether a leader from a to b cuts through a stretch of curve from c to d."""
    return _left(a, b, c) * _left(a, b, d) < 0 and _left(c, d, a) * _left(c, d, b) < -1e-9


def _left(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _length_inside(a: Point, b: Point, place: Box) -> float:
    """Return the length of the segment from a to b inside a box."""
    found = inside(a, b, place)
    return (found[1] - found[0]) * dist(a, b) if found else 0.0
