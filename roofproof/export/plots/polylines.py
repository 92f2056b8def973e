"""Lines cut to a box, such as the axes."""

from collections.abc import Sequence
from itertools import pairwise
from math import dist, inf

from roofproof.export.plots.scene import Axis, Point

Box = tuple[float, float, float, float]
"""Left, bottom, right, top."""


def inside(a: Point, b: Point, box: Box) -> tuple[float, float] | None:
    """Return from which to which share the way from a to b lies in a box (Liang and Barsky, 1984), None for none.

    >>> inside((0.0, 1.0), (4.0, 1.0), (1.0, 0.0, 2.0, 2.0))
    (0.25, 0.5)
    """
    begin, end = 0.0, 1.0
    for i in (0, 1):
        low, high, step = box[i] - a[i], box[i + 2] - a[i], b[i] - a[i]
        if step:
            begin, end = max(begin, min(low / step, high / step)), min(end, max(low / step, high / step))
        elif low > 0 or high < 0:
            return None
    return (begin, end) if begin < end else None


def distance(a: Point, b: Point, box: Box) -> float:
    """Return the distance of the segment from a to b from a box.

    >>> distance((0.0, 0.0), (4.0, 0.0), (1.0, 3.0, 2.0, 5.0)), distance((0.0, 0.0), (4.0, 4.0), (1.0, 0.0, 3.0, 5.0))
    (3.0, 0.0)
    """
    if inside(a, b, box):
        return 0.0
    corners = [(x, y) for x in box[::2] for y in box[1::2]]
    along = (b[0] - a[0], b[1] - a[1])
    length = along[0] ** 2 + along[1] ** 2
    shares = [((x - a[0]) * along[0] + (y - a[1]) * along[1]) / length if length else 0.0 for x, y in corners]
    feet = [(a[0] + t * along[0], a[1] + t * along[1]) for t in (min(max(t, 0.0), 1.0) for t in shares)]
    ends = [dist(end, (min(max(end[0], box[0]), box[2]), min(max(end[1], box[1]), box[3]))) for end in (a, b)]
    return min(*map(dist, corners, feet), *ends)


def clipped(points: Sequence[Point | None], x: Axis, y: Axis) -> list[tuple[Point, ...]]:
    """Return the parts of a line that lie between the ends of the upright axis; None breaks the line.

    >>> from roofproof.export.plots.scales import steps
    >>> clipped([(0.0, 0.0), (4.0, 8.0), None, (5.0, 1.0), (6.0, 1.0)], steps(("x",), 10.0), steps(("y",), 4.0))
    [((0.0, 0.0), (2.0, 4.0)), ((5.0, 1.0), (6.0, 1.0))]
    """
    out: list[list[Point]] = [[]]
    for a, b in pairwise(points):
        if a is None or b is None:
            out.append([])
            continue
        (ax, ay), (bx, by) = ((x.share(p[0]), y.share(p[1])) for p in (a, b))
        found = inside((ax, ay), (bx, by), (-inf, 0.0, inf, 1.0))
        if found is None:
            out.append([])
            continue
        begin, end = ((x.at(ax + t * (bx - ax)), y.at(ay + t * (by - ay))) for t in found)
        if not out[-1]:
            out[-1].append(begin if found[0] else a)
        out[-1].append(end if found[1] < 1 else b)
        if found[1] < 1:
            out.append([])
    return [tuple(line) for line in out if len(line) > 1]
