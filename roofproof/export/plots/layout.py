"""The layout of a figure on its page, in centimetres, by one simple rule that serves every writer.

A label takes the first free place near its point: off other labels and marks, and off curves if there is room.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import ceil, dist

from roofproof.errors import RoofproofError
from roofproof.export.plots.captions import LINE, size, wrapped
from roofproof.export.plots.model import Area, Label, Picture, Point, Text

WIDTH, HEIGHT = 13.9, 4.95
"""The width of the page and the minimum height of its axes, in centimetres."""
LEFT, BOTTOM = 1.2, 1.1
BESIDE, NEAR = 4.8, 3.4
"""The maximum width of a label beside the axes, and of a label within them."""

_GAP = 0.06  # kept free around every text
_STEP = 0.1  # between the samples of a line
_FAR = (0.22, 0.45, 0.8, 1.2, 1.7, 2.3, 3.0)
_NEXT = 0.5  # a label farther away goes above or below its point, because its leader would run along a curve
_LEAD = 0.3  # a label farther from its point has a leader line
_ABOVE = ((-1, 1), (1, -1), (1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))
_BELOW = ((1, -1), (0, -1), (1, 0), (-1, 1), (0, 1), (-1, 0), (-1, -1), (1, 1))

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Lines of text in place: `at` is the middle of the side on which they align, and `backed` ones cover a curve."""

    lines: tuple[Text, ...]
    at: Point
    align: str = "center"
    leader: tuple[Point, ...] = ()
    stroke: int | None = None
    backed: bool = False

    @property
    def far(self) -> float:
        """The length of its leader."""
        return dist(*self.leader) if len(self.leader) == 2 else 0.0

    @property
    def middle(self) -> Point:
        """The middle of the lines."""
        left, bottom, right, top = self.box
        return (left + right) / 2, (bottom + top) / 2

    @property
    def box(self) -> Box:
        """The rectangle that the lines fill."""
        (x, y), (width, height) = self.at, size(self.lines)
        left = x - width * {"left": 0.0, "center": 0.5, "right": 1.0}[self.align]
        return left, y - height / 2, left + width, y + height / 2


@dataclass(slots=True)
class Page:
    """A figure laid out: the size of its axes, whose lower left corner is the origin, and its texts."""

    figure: Picture
    across: float
    up: float
    title: tuple[Text, ...]
    above: tuple[Text, ...]
    labels: list[Placed] = field(default_factory=list)
    width: float = WIDTH

    @property
    def top(self) -> float:
        """The room above the axes, for the titles."""
        return 0.28 + LINE * len(self.above) + (0.1 + 0.47 * len(self.title) if self.title else 0.0)

    def point(self, at: Point) -> Point:
        """Return the position of a data point."""
        return self.figure.x.share(at[0]) * self.across, self.figure.y.share(at[1]) * self.up

    def data(self, at: Point) -> Point:
        """Return the data point at a position."""
        return self.figure.x.at(at[0] / self.across), self.figure.y.at(at[1] / self.up)

    def ticks(self) -> tuple[list[tuple[float, Text]], list[tuple[float, Text]]]:
        """Return the ticks of both axes, in data units, as many as there is room for."""
        x = self.figure.x
        for most in range(int(self.across), 1, -1):
            found = x.ticks(most)
            wide = [(x.share(at) * self.across, size([text])[0] / 2 + 0.1) for at, text in found]
            if all(b[0] - a[0] > a[1] + b[1] for a, b in pairwise(wide)):
                break
        return found, self.figure.y.ticks(int(self.up / 0.5), digits=4)


def layout(figure: Picture, title: bool = True, width: float = WIDTH) -> Page:
    """Return a figure laid out on a page of a width in centimetres, with or without its title.

    >>> from roofproof.export.plots.model import Axis
    >>> at = ((5.0, 5.0),)
    >>> page = layout(Picture((), Axis((), 0, 10, 0), Axis((), 0, 10, 0), labels=(Label((("a",),), at),) * 2))
    >>> [label.align for label in page.labels]                 # the second goes to another side
    ['right', 'left']

    Raises RoofproofError if the labels do not fit.
    """
    for more in (0.0, 1.5, 3.5, 6.0):  # a crowded figure is higher
        with suppress(RoofproofError):
            return _laid(figure, title, width, HEIGHT + more)
    raise RoofproofError("too many labels to fit; plot fewer operations, chips or sizes")


def _laid(figure: Picture, title: bool, width: float, least: float) -> Page:
    """Return a figure laid out on axes of at least this height."""
    beside = [label for label in figure.labels if label.beside]
    while True:
        written = [(label, tuple(line for each in label.lines for line in wrapped(each, BESIDE))) for label in beside]
        right = max((size(lines)[0] + 0.75 for _, lines in written), default=0.6)
        up = max(least, sum(size(lines)[1] + 2 * _GAP for _, lines in written) - 0.6)
        head = wrapped(figure.title, width - 0.3) if title else ()
        page = Page(figure, width - LEFT - right, up, head, wrapped(figure.y.title, width - 0.3), width=width)
        search = _Search(page)
        outside = search.areas(figure.names, [label.lines[0] for label in beside])
        if not outside:
            break
        beside += outside
    for label in figure.labels:
        if not label.beside:
            search.near(label)
    page.labels += _labels_beside_axes(page, written)
    return page


class _Search:
    """The search for free places while labels are put on a page."""

    def __init__(self, page: Page) -> None:
        self.page, figure = page, page.figure
        self.marks = [page.point(mark.at) for mark in figure.marks]
        self.shapes = [[page.point(at) for at in area.points] for area in figure.areas]
        self.dots = [(x - 0.1, y - 0.1, x + 0.1, y + 0.1) for x, y in self.marks]
        self.taken: list[Box] = []
        self.drawn = list(_samples(page, (c.points for c in figure.curves if c.stroke is not None)))
        thin = [c.points for c in figure.curves if c.stroke is None] + [(*a.points, a.points[0]) for a in figure.areas]
        self.thin = list(_samples(page, thin))

    def areas(self, names: dict[Text, list[Area]], outside: Sequence[Text]) -> list[Label]:
        """Place the names of areas within them, and return labels beside the axes for names that do not fit."""
        found = []
        for name, areas in names.items():
            shapes = sorted(([self.page.point(at) for at in area.points] for area in areas), key=_room, reverse=True)
            within = (placed for shape in shapes for placed in self._within(name, shape))
            if name in outside or self._first(within, self.drawn + self.thin):
                continue
            end = _bounds(shapes[0])[2]
            if end > self.page.across - 0.01:
                edge = [up for across, up in shapes[0] if across == end]
                found.append(Label((name,), (self.page.data((end, (min(edge) + max(edge)) / 2)),), beside=True))
            else:
                middle = next(self._within((), shapes[0]), Placed((), shapes[0][0])).at
                self._near(Label((name,), ()), [middle], least=0.5)
        return found

    def _within(self, name: Text, shape: Sequence[Point]) -> Iterator[Placed]:
        """Yield places for a name within a polygon: near its middle, or near the top if it is as high as the axes."""
        left, bottom, right, top = _bounds(shape)
        lines = wrapped(name, min(NEAR, right - left - 0.15))
        width, height = size(lines)
        if width + 0.1 > right - left or len(lines) > 2:
            return
        wish = (left + right) / 2, top - height / 2 - 0.2 if top - bottom > 0.95 * self.page.up else (bottom + top) / 2
        across = [left + width / 2 + 0.05 + (right - left - width - 0.1) * k / 16 for k in range(17)]
        grid = [(x, bottom + (top - bottom) * k / 20) for x in across for k in range(1, 20)]
        for at in sorted(grid, key=lambda at: abs(at[0] - wish[0]) / 2 + abs(at[1] - wish[1])):
            placed = Placed(lines, at)
            edge = [(x, y) for x in (placed.box[0], at[0], placed.box[2]) for y in placed.box[1::2]]
            if all(_is_inside(corner, shape) for corner in edge):
                yield placed

    def near(self, label: Label) -> None:
        """Place a label near its point, or raise RoofproofError if it is not spare and no room is left."""
        points = [self.page.point(at) for at in label.at]
        if not self._near(label, points) and not label.spare:
            raise RoofproofError("too many labels to fit; plot fewer operations, chips or sizes")

    def _near(self, label: Label, points: Sequence[Point], least: float = 0.0) -> bool:
        """Place a label near points, at least `least` away, and preferably in the same area as its mark.

        A spare label has no leader and covers no curve.
        """
        lines = tuple(line for text in label.lines for line in wrapped(text, NEAR))
        places = self._places(lines, points, label.below)
        tried = [placed for placed in places if placed.far >= least and not (label.spare and placed.leader)]
        every, home = self.drawn + self.thin, self._home(points[0]) if points[0] in self.marks else None
        at_home = (placed for placed in tried if home is not None and self._home(placed.middle) == home)
        if self._first(at_home, every, label.stroke):
            return True
        passes = [every, self.drawn, *([] if label.spare else [[]])]
        return any(self._first(tried, kept_off, label.stroke) for kept_off in passes)

    def _first(self, tried: Iterable[Placed], kept_off: Sequence[Point], stroke: int | None = None) -> bool:
        """Place a label at the first free place that covers none of the points in `kept_off`."""
        for placed in tried:
            if self._fits(placed, strict=bool(kept_off)) and not _covers(placed.box, kept_off):
                backed = _covers(placed.box, self.drawn + self.thin)
                self.page.labels.append(replace(placed, backed=backed, stroke=stroke))
                self.taken.append(placed.box)
                self.drawn += _line(placed.leader)
                return True
        return False

    def _places(self, lines: tuple[Text, ...], points: Sequence[Point], below: bool) -> Iterator[Placed]:
        """Yield places for a label around some points, the best first, and then all over the axes.

        A label without a leader is nearer to its own point than to any other mark.
        """
        for far in _FAR:
            for to in points:
                for right, up in _BELOW if below else _ABOVE:
                    if not up and far > _NEXT:
                        continue
                    placed = _at(lines, to, far, right, up)
                    others = [at for at in self.marks if at[0] != to[0]]
                    if placed.leader or all(_gap(placed.box, at) > _gap(placed.box, to) + _GAP for at in others):
                        yield placed
        grid = [(self.page.across * i / 40, self.page.up * k / 24) for i in range(1, 40) for k in range(1, 24)]
        yield from (_leading(Placed(lines, at), points[0]) for at in sorted(grid, key=lambda at: dist(at, points[0])))

    def _home(self, at: Point) -> int | None:
        """Return the index of the area that contains a point, or None."""
        return next((n for n, shape in enumerate(self.shapes) if _is_inside(at, shape)), None)

    def _fits(self, placed: Placed, strict: bool) -> bool:
        """Return whether a label avoids other labels and marks, and its leader other labels and, if `strict`, marks."""
        left, bottom, right, top = (edge + out * _GAP for edge, out in zip(placed.box, (-1, -1, 1, 1), strict=True))
        if left < 0 or bottom < 0 or right > self.page.across or top > self.page.up:
            return False
        if any(left < b[2] and b[0] < right and bottom < b[3] and b[1] < top for b in self.taken + self.dots):
            return False
        between = [at for at in _line(placed.leader) if dist(at, placed.leader[-1]) > 0.2]
        return not any(_covers(box, between) for box in (self.taken + self.dots if strict else self.taken))


def _covers(box: Box, points: Iterable[Point]) -> bool:
    left, bottom, right, top = box
    return any(left - 0.02 < x < right + 0.02 and bottom - 0.02 < y < top + 0.02 for x, y in points)


def _at(lines: tuple[Text, ...], to: Point, far: float, right: int, up: int) -> Placed:
    """Return lines on one side of a point, at distance `far`."""
    across, height = far if not up else 0.75 * far, far if not right else 0.75 * far
    at = (to[0] + right * across, to[1] + up * (size(lines)[1] / 2 + height))
    placed = Placed(lines, at, ("right", "center", "left")[right + 1])
    return _leading(placed, to) if far > _LEAD else placed


def _leading(placed: Placed, to: Point) -> Placed:
    """Return a label with a leader line to its point."""
    return replace(placed, leader=(_edge(placed.box, to), to))


def _edge(box: Box, to: Point) -> Point:
    return min(max(to[0], box[0]), box[2]), min(max(to[1], box[1]), box[3])


def _gap(box: Box, to: Point) -> float:
    return dist(_edge(box, to), to)


def _labels_beside_axes(page: Page, written: Sequence[tuple[Label, tuple[Text, ...]]]) -> list[Placed]:
    """Return the labels beside the axes, each near the height of its point, moved apart if they are too close."""
    ordered = sorted(written, key=lambda each: page.point(each[0].at[0])[1])
    wished = [page.point(label.at[0])[1] for label, _ in ordered]
    heights = [size(lines)[1] + 2 * _GAP for _, lines in ordered]
    out = []
    for (label, lines), wish, at in zip(ordered, wished, _spread(wished, heights, -0.3, page.up + 0.3), strict=True):
        bends = ((0.0, wish), (0.16, wish), (0.36, at), (0.5, at))
        leader = tuple((page.across + right, up) for right, up in bends)
        out.append(Placed(lines, (page.across + 0.58, at), "left", leader, label.stroke))
    return out


def _spread(wished: Sequence[float], heights: Sequence[float], low: float, high: float) -> list[float]:
    """Return middles in the given order, each as near to its wish as the heights allow, all between the bounds."""
    groups: list[list[int]] = []  # labels that touch

    def begin(group: list[int]) -> float:
        total = sum(heights[i] for i in group)
        return min(max(sum(wished[i] for i in group) / len(group) - total / 2, low), high - total)

    for i in range(len(wished)):
        groups.append([i])
        while len(groups) > 1 and begin(groups[-2]) + sum(heights[k] for k in groups[-2]) > begin(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    return [begin(group) + sum(heights[k] for k in group if k < i) + heights[i] / 2 for group in groups for i in group]


def _samples(page: Page, lines: Iterable[Iterable[Point]]) -> Iterator[Point]:
    for line in lines:
        yield from _line([page.point(at) for at in line])


def _line(points: Sequence[Point]) -> Iterator[Point]:
    """Yield points along a line, close to each other."""
    for a, b in pairwise(points):
        count = ceil(dist(a, b) / _STEP) or 1
        yield from ((a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count) for k in range(count + 1))


def _bounds(shape: Sequence[Point]) -> Box:
    across, up = zip(*shape, strict=True)
    return min(across), min(up), max(across), max(up)


def _room(shape: Sequence[Point]) -> float:
    """Return the area of a polygon (by the shoelace formula)."""
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in pairwise((*shape, shape[0])))) / 2


def _is_inside(at: Point, shape: Sequence[Point]) -> bool:
    """Return whether a point lies in a polygon, by the crossings of a ray."""
    crossed = 0
    for (ax, ay), (bx, by) in pairwise((*shape, shape[0])):
        crossed += (ay > at[1]) != (by > at[1]) and at[0] < ax + (at[1] - ay) / (by - ay) * (bx - ax)
    return crossed % 2 == 1
