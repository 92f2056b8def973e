"""A plane in columns: at each size across, what holds from where to where; filled and named region by region."""

from collections.abc import Callable, Mapping, Sequence

from roofproof.export.plots.inputs import wrapped
from roofproof.export.plots.placement import Canvas
from roofproof.export.plots.scene import HEIGHT, WIDTH, Axis, Point, Polygon
from roofproof.export.plots.texts import Text, box

Parts = tuple[tuple[str, float, float], ...]
"""What holds in a column, from below to above: its name, from where, to where."""

Column = tuple[float, Parts]


def runs(parts: Callable[[float], Parts], along: Axis, count: int) -> list[list[Column]]:
    """Return neighbouring columns that show the same names in the same order, up to where that changes.

    >>> from roofproof.export.plots.scales import doublings
    >>> found = runs(lambda at: (("left" if at < 3 else "right", 1.0, 2.0),), doublings(("x",), 1.0, 16.0), 4)
    >>> [(run[0][1][0][0], round(run[0][0], 6), round(run[-1][0], 6)) for run in found]
    [('left', 1.0, 3.0), ('right', 3.0, 16.0)]
    """

    def column(at: float) -> Column:
        return at, parts(at)

    out = [[column(along.low)]]
    for i in range(1, count + 1):
        last, here = out[-1][-1], column(along.at(i / count))
        while names(last) != names(here):
            left, right = last, here
            for _ in range(40):
                middle = column((left[0] * right[0]) ** 0.5)
                left, right = (middle, right) if names(middle) == names(last) else (left, middle)
            out[-1].append(left)
            out.append([right])
            last = right
        out[-1].append(here)
    return [run for run in out if len(run) > 1]


def names(column: Column) -> tuple[str, ...]:
    """Return the names that hold in a column, from bottom to top."""
    return tuple(name for name, _, _ in column[1])


def outline(run: Sequence[Column], up: Axis) -> list[list[Point]]:
    """Return the lower and the upper end of what neighbouring columns show, unless these are the ends of the axis.

    >>> from roofproof.export.plots.scales import doublings
    >>> outline([(at, (("there", at, 16.0),)) for at in (2.0, 4.0)], doublings(("x",), 1.0, 16.0))
    [[(2.0, 2.0), (4.0, 4.0)]]
    """
    below = [(at, parts[0][1]) for at, parts in run if parts]
    above = [(at, parts[-1][2]) for at, parts in run if parts]
    return [line for line, end in ((below, up.low), (above, up.high)) if any(abs(v / end - 1) > 1e-6 for _, v in line)]


def edged(page: Canvas, found: Sequence[Sequence[Column]], up: Axis) -> None:
    """Draw where one name ends above another, and where what is shown ends within the axis."""
    for run in found:
        for k in range(1, len(run[0][1])):
            page.curve([(at, held[k][1]) for at, held in run], 4)
        for line in outline(run, up):
            page.curve(line)


def shaded(page: Canvas, found: Sequence[Sequence[Column]], shades: Mapping[str, int], said: Mapping[str, str]) -> None:
    """Fill the regions of the names that have a shade, and label those of which something is said."""
    for run in found:
        for k, name in enumerate(names(run[0])):
            if name in shades:
                below = [(at, parts[k][1]) for at, parts in run]
                above = [(at, parts[k][2]) for at, parts in reversed(run)]
                page.regions.append(Polygon((*below, *above), shades[name]))
    for name, text in said.items():
        _label(name, wrapped((text,), 3.4), [column for run in found for column in run], page)


def _label(name: str, lines: tuple[Text, ...], columns: Sequence[Column], page: Canvas) -> None:
    """Name a region: within it where there is room, else beside the axes or near it; not if it is nowhere."""
    width, height = box(lines)
    for room in (1.9, 1.4, 1.0):  # first with much room around the text, then with less
        best = _widest(name, columns, page, width / WIDTH / 2 * room)
        if best is not None and best[0] > height:
            return page.upon(best[1], lines)
    for part, low, high in columns[-1][1]:
        if part == name:  # no room within, but it reaches the right edge
            page.ends.append((page.y.at((page.y.share(low) + page.y.share(high)) / 2), lines, None))
            return None
    best = _widest(name, columns, page, 0.0)
    if best:
        page.near([best[1]], lines, away=0.7)


def _widest(name: str, columns: Sequence[Column], page: Canvas, half: float) -> tuple[float, Point] | None:
    """Return the height and the middle of the best place for a text, `half` as wide, in a region."""
    along, up = page.x, page.y
    best: tuple[float, float, Point] | None = None
    for at, parts in columns:
        for part in parts:
            if part[0] == name:
                low, high = _clear(part, along.share(at), half, columns, along)
                if low < high:
                    height = (up.share(high) - up.share(low)) * HEIGHT
                    rank = min(height, 2.0) - abs(along.share(at) - 0.5)
                    if best is None or rank > best[0]:
                        best = rank, height, (at, up.at((up.share(low) + up.share(high)) / 2))
    return best[1:] if best else None


def _clear(
    part: tuple[str, float, float], at: float, half: float, columns: Sequence[Column], along: Axis
) -> tuple[float, float]:
    """Return from where to where a name holds in every column that a text covers."""
    name, low, high = part
    if half and not half <= at <= 1 - half:
        return 1.0, 0.0
    for other, parts in columns:
        if abs(along.share(other) - at) <= half:
            inside = [(max(low, b), min(high, e)) for n, b, e in parts if n == name and b < high and e > low]
            if not inside:
                return 1.0, 0.0
            low, high = inside[0]
    return low, high
