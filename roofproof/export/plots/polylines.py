"""Lines cut to the axes."""

from collections.abc import Sequence
from itertools import pairwise

from roofproof.export.plots.scene import Axis, Point


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
        begin, end = 0.0, 1.0
        if (ay < 0 and by < 0) or (ay > 1 and by > 1):
            out.append([])
            continue
        for edge in (0.0, 1.0):
            if (ay - edge) * (by - edge) < 0:
                cut = (edge - ay) / (by - ay)
                begin, end = (max(begin, cut), end) if (ay < edge) == (edge == 0.0) else (begin, min(end, cut))
        ends = [(x.at(ax + t * (bx - ax)), y.at(ay + t * (by - ay))) for t in (begin, end)]
        if not out[-1]:
            out[-1].append(a if begin == 0 else ends[0])
        out[-1].append(b if end == 1 else ends[1])
        if end < 1:
            out.append([])
    return [tuple(line) for line in out if len(line) > 1]
