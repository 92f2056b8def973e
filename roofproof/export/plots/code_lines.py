"""The lines of traced code under the roofs of a chip: which of them are bandwidth-bound, which compute-bound."""

from collections.abc import Mapping, Sequence

import sympy

from roofproof.derive.roofline.compute_bound import Ceiling, ceilings
from roofproof.derive.roofline.engines import has_peak
from roofproof.derive.roofline.unpriced_demands import with_figures
from roofproof.errors import RoofproofError, quoted
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import chip_name, few, resized, wrapped
from roofproof.export.plots.numeric import value
from roofproof.export.plots.roofs import Dot, Roof, under_roofs
from roofproof.export.plots.texts import Math, Text, in_brackets, named
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.trace.operation import Row, Traced

_ALIKE = 1.3  # lines whose intensities are nearer than this share a label: their dots touch
_ROOM = 3.6  # centimetres for a label
_RING, _DISC = Math(r"\circ", "○", 0.8), Math(r"\bullet", "●", 0.8)


def lines_of_code(op: Operation, chip: Chip, at: Mapping[str, int], lang: str = "en") -> Figure:
    """Return the roofline of a chip with a dot for each line of traced code, a ring where it is bandwidth-bound.

    >>> from roofproof import chip
    >>> from roofproof.symbols import dimension
    >>> from roofproof.trace.program import Place
    >>> B = dimension("B")
    >>> row = Row(Place("block.py", 2), ("dot_general",), {"bf16": 8192 * B**2}, {"memory": 2 * B**2 + 16384 * B})
    >>> op = Traced("scores", row.operation.kernels, rows=(row,), model="fused")
    >>> [mark] = lines_of_code(op, chip("h100-sxm"), {"B": 1024}).marks
    >>> round(mark.at[0], 1), mark.hollow                      # 8192 B / (2 B + 16384) FLOP/B, ridge at 295.2
    (455.1, False)

    A line lies under the roof of the engine and the channel that take it longest. `at` holds every size. Raises
    RoofproofError for a size that is missing, and where no line both computes and moves.
    """
    words = Catalogue(lang, "plots")
    sized = _sized(op, at)
    found = [(row, c) for row in sized.rows if (c := _longest(row, chip)) is not None]
    found.sort(key=lambda pair: -_time(pair[1]))  # the labels of the longest find room first
    if not found:
        raise RoofproofError(
            "no line of <op> both computes and moves; there is no intensity to draw", op=quoted(op.name)
        )
    roofs: list[Roof] = []
    places: list[tuple[int, float]] = []  # of each line: its roof, and its intensity
    for _, c in found:
        peak, bandwidth = (float(r.value) for r in c.rests_on)
        roof = Roof(chip_name(chip), c.compute, c.channel, peak, bandwidth)
        if roof not in roofs:
            roofs.append(roof)
        places.append((roofs.index(roof), value(c.intensity)))
    few(len(roofs), "roof")
    several = len({roof.channel for roof in roofs}) > 1
    shared: dict[int, list[Row]] = {}  # the lines that a label names, by the first of them
    for k, place in enumerate(places):
        near = next((i for i in shared if _alike(places[i], place, roofs)), k)
        shared.setdefault(near, []).append(found[k][0])
    dots = []
    for k, (n, intensity) in enumerate(places):
        label = _label(shared[k], roofs[n].channel if several else "") if k in shared else ()
        dots.append(Dot(label, intensity, (n,), hollow=intensity <= roofs[n].ridge, spare=True))
    key = ("   ", _RING, f" {words['bandwidth-bound']}   ", _DISC, f" {words['compute-bound']}")
    which = "lines-of" if len(found) == len(sized.rows) else "lines-some-of"
    counts = {"shown": str(len(found)), "every": str(len(sized.rows))}
    subject = f"{named(op.name, 24)}, {sized.model}"
    return under_roofs(roofs, dots, (words.say(which, subject=subject, **counts), *in_brackets(at)), words, key)


def lines_left_out(op: Operation, chip: Chip, at: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return the lines that have no intensity, by what they lack: `flops`, `bytes`, or a `figure` of the chip.

    >>> from roofproof import chip
    >>> from roofproof.trace.program import Place
    >>> row = Row(Place("block.py", 2), ("copy",), {}, {"memory": sympy.Integer(8)})
    >>> op = Traced("copy", row.operation.kernels, rows=(row,), model="fused")
    >>> lines_left_out(op, chip("h100-sxm"), {})
    {'flops': ('block.py:2',)}
    """
    out: dict[str, tuple[str, ...]] = {}
    for row in _sized(op, at).rows:
        if lack := _lack(row, chip):
            out[lack] = (*out.get(lack, ()), str(row.place))
    return out


def _sized(op: Operation, at: Mapping[str, int]) -> Traced:
    sized = resized(op, at)
    if not isinstance(sized, Traced) or not sized.rows:
        raise RoofproofError("<op> has no lines of code to draw", op=quoted(op.name))
    return sized


def _lack(row: Row, chip: Chip) -> str:
    """Return the figure that a line lacks for an intensity on a chip, nothing where it has one."""
    used = with_figures(row.operation, chip)[0].compute
    if all(n == 0 for n in used.values()):
        return "flops"
    if all(n == 0 for n in row.moved.values()):
        return "bytes"
    return "" if all(has_peak(chip, name) for name in used) else "figure"


def _longest(row: Row, chip: Chip) -> Ceiling | None:
    """Return the engine and the channel of a line that take longest."""
    if _lack(row, chip):
        return None
    found = [c for c in ceilings(with_figures(row.operation, chip)[0], chip) if c.moved != 0]
    return max(found, key=lambda c: (_computing(c), _moving(c)))


def _computing(c: Ceiling) -> sympy.Expr:
    return c.flops / sympy.Rational(c.rests_on[0].value)


def _moving(c: Ceiling) -> sympy.Expr:
    return c.moved / sympy.Rational(c.rests_on[1].value)


def _time(c: Ceiling) -> sympy.Expr:
    return sympy.Max(_computing(c), _moving(c))


def _alike(one: tuple[int, float], other: tuple[int, float], roofs: Sequence[Roof]) -> bool:
    """Tell whether two dots touch, under one roof and on one side of its ridge."""
    (n, a), (m, b) = one, other
    return n == m and max(a / b, b / a) < _ALIKE and (a > roofs[n].ridge) == (b > roofs[n].ridge)


def _label(rows: Sequence[Row], channel: str) -> tuple[Text, ...]:
    """Return `block.py:5, 7`: the lines of a label, and the channel where there are several."""
    files: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: (row.place.file, row.place.line)):
        files.setdefault(row.place.file, []).append(str(row.place.line))
    said = ", ".join(f"{named(file, 24)}:{', '.join(dict.fromkeys(lines))}" for file, lines in files.items())
    return wrapped((said + (f" ({channel})" if channel else ""),), _ROOM)
