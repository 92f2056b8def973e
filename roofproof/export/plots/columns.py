"""A plane in columns: the named intervals at each size across, and the regions that they form."""

from collections.abc import Callable, Mapping, Sequence

from roofproof.export.plots.model import Area, Axis, Curve, Point, guides

Parts = tuple[tuple[str, float, float], ...]
"""The intervals of a column from bottom to top: the name, the lower end and the upper end of each."""

Column = tuple[float, Parts]


def runs(parts: Callable[[float], Parts], along: Axis, count: int) -> list[list[Column]]:
    """Return runs of neighbouring columns with the same names in the same order, up to where the names change.

    >>> found = runs(lambda at: (("left" if at < 3 else "right", 1.0, 2.0),), Axis(("x",), 1.0, 16.0, 2), 4)
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
    """Return the names in a column, from bottom to top."""
    return tuple(name for name, _, _ in column[1])


def outline(run: Sequence[Column], up: Axis) -> list[list[Point]]:
    """Return the lower and the upper boundary of a run of columns, unless they are the ends of the axis.

    >>> outline([(at, (("there", at, 16.0),)) for at in (2.0, 4.0)], Axis(("x",), 1.0, 16.0, 2))
    [[(2.0, 2.0), (4.0, 4.0)]]
    """
    below = [(at, parts[0][1]) for at, parts in run if parts]
    above = [(at, parts[-1][2]) for at, parts in run if parts]
    return [line for line, end in ((below, up.low), (above, up.high)) if any(abs(v / end - 1) > 1e-6 for _, v in line)]


def edges_of(found: Sequence[Sequence[Column]], up: Axis) -> list[Curve]:
    """Return lines between neighbouring regions, and guides along the outer boundaries within the axis."""
    out = []
    for run in found:
        out += [Curve(tuple((at, held[k][1]) for at, held in run), 4) for k in range(1, len(run[0][1]))]
        out += guides(outline(run, up))
    return out


def labelled_areas(found: Sequence[Sequence[Column]], shades: Mapping[str, int], said: Mapping[str, str]) -> list[Area]:
    """Return the areas of the names that have a shade, each labelled by its text in `said`."""
    out = []
    for run in found:
        for k, name in enumerate(names(run[0])):
            if name in shades:
                below = [(at, parts[k][1]) for at, parts in run]
                above = [(at, parts[k][2]) for at, parts in reversed(run)]
                out.append(Area((*below, *above), shades[name], (said[name],)))
    return out
