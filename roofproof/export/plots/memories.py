"""Lower bounds against the memory: a plot of the bytes moved (the ski slope), and a map of one size and the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, inf, log2, log10, prod

import sympy

from roofproof.bounds import Bound, Nest
from roofproof.errors import RoofproofError
from roofproof.export.plots.captions import in_brackets, named
from roofproof.export.plots.columns import Parts, edges_of, labelled_areas, runs
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import NO_SIZE, chip_name
from roofproof.export.plots.model import Area, Axis, Curve, Label, Math, Text, guides
from roofproof.export.plots.palette import COMPUTE, MEMORY, NEVER, PARTLY
from roofproof.say import Words

_POINTS, _COLUMNS, _ROWS = 128, 48, 64
_LAST = 2.0**20  # the largest size shown
SHOWN = ("smem", "vmem", "l1", "l2", "l3", "cmem", "sram")
NO_SCHEDULE, TILE, OPEN = "no-schedule", "tile", "open"


def slope(found: Bound, lang: str = "en") -> Figure:
    """Return a plot of the bytes moved against the memory, at sizes: the lower bound, and the best tile's bytes.

    >>> from roofproof.bounds import bound
    >>> from roofproof.ops import parse_operation
    >>> figure = slope(bound(parse_operation("matmul"), at={"B": 4096, "D": 4096, "F": 4096}))
    >>> figure.curves[0].points[-1][1]                         # all three matrices once: 3 * 2 * 4096^2 bytes
    100663296.0

    Raises RoofproofError for a dimension without a size.
    """
    words = Words(lang)
    nest, sizes = found.nest, _sized(found, ())
    numbers = Numbers(found)
    lengths = numbers.lengths(sizes)
    along = _memories(words, _room(nest), sum(float(a.width) * prod(lengths[i] for i in a.loops) for a in nest.arrays))
    memories = [along.at(i / _POINTS) for i in range(_POINTS + 1)]
    below = [numbers.least(lengths, m) for m in memories]
    reached = [(m, t) for m in memories if (t := numbers.reached(lengths, numbers.sides(m))) < inf]
    shown = [*below, *(t for _, t in reached)]
    flops = nest.per_point * prod(lengths)
    balance = None if found.ridge is None or not flops else flops / float(found.ridge)
    up = _decades_around([*shown, *([balance] if balance else [])], (words["bytes that move"],))
    curves = [Curve(tuple(zip(memories, below, strict=True)), 0)]
    labels = [Label(((words["no schedule below"],),), (curves[0].points[-1],), 0, beside=True)]
    if len(reached) > 1:
        curves.append(Curve(tuple(reached), 1))
        labels.append(Label(((words["best tile"],),), tuple(reached[len(reached) // 8 :: 6]), 1))
    if balance is not None:
        curves += guides([((along.low, balance), (along.high, balance))])
        labels.append(Label(((words["compute-bound below this"],),), ((along.high, balance),), beside=True))
    levels = _levels(found, along, up)
    under = Area(((along.low, up.low), *zip(memories, below, strict=True), (along.high, up.low)), NEVER)
    where = f", {chip_name(found.chip)}" if found.chip is not None else ""
    title = words.say("Bytes that move: <subject>", subject=f"{named(nest.name)}{where}")
    return Figure(
        (title, *in_brackets(dict(found.at or {}))), along, up, (under,), (*curves, *(curve for curve, _ in levels)),
        labels=(*labels, *(label for _, label in levels)), known=found.derivation.known,
    )  # fmt: skip


def size_map(found: Bound, across: str, lang: str = "en") -> Figure:
    """Return the plane of a size and the memory, divided into no schedule compute-bound, tile compute-bound, and open.

    >>> from roofproof.bounds import bound
    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> given = bound(parse_operation("matmul"), chip=chip("h100-sxm"), at={"D": 8192, "F": 8192})
    >>> sorted("".join(name) for name in size_map(given, "B").names)
    ['no schedule is compute-bound', 'open', 'the tile is compute-bound']

    The tile fills the memory. Its sides are at most the sizes, and divide them. `across` is on the vertical axis.
    Raises RoofproofError if no chip was given, for a dimension without a size, and for a product without FLOPs.
    """
    words = Words(lang)
    nest, ridge = found.nest, found.ridge
    if ridge is None:
        raise RoofproofError("a map of size and memory needs a chip, as in --chip h100-sxm")
    if not nest.per_point:
        raise RoofproofError("<op> has no FLOPs; there is no map of it", op=nest.name)
    sizes = _sized(found, (across,))
    least = _room(nest)
    never = found.regions.never_below
    edge = float(never.subs(found.regions.ridge, sympy.Rational(ridge))) if never is not None else least
    along = _memories(words, max(least, edge / 2**10), max(edge * 16, least * 2**12))
    up = Axis((Math(across),), 1.0, _LAST, 2)
    numbers = Numbers(found)
    ordered = [up.at(i / _ROWS) for i in range(_ROWS + 1)]

    def parts(memory: float) -> Parts:
        sides = numbers.sides(memory)

        def there(size: float) -> str:
            lengths = numbers.lengths({**sizes, across: size})
            work = nest.per_point * prod(lengths)
            if float(ridge) * numbers.least(lengths, memory) >= work:
                return NO_SCHEDULE
            return TILE if float(ridge) * numbers.reached(lengths, sides) < work else OPEN

        return tuple(_stretched(there, ordered))

    plane = runs(parts, along, _COLUMNS)
    said = {
        NO_SCHEDULE: words["no schedule is compute-bound"],
        TILE: words["the tile is compute-bound"],
        OPEN: words["open"],
    }
    areas = labelled_areas(plane, {NO_SCHEDULE: MEMORY, OPEN: PARTLY, TILE: COMPUTE}, said)
    levels = _levels(found, along, up)
    assert found.chip is not None
    title = words.say("Any schedule: <subject>", subject=f"{named(nest.name)}, {chip_name(found.chip)}")
    others = {name: size for name, size in (found.at or {}).items() if name != across}
    return Figure(
        (title, *in_brackets(others)), along, up, tuple(areas), (*edges_of(plane, up), *(curve for curve, _ in levels)),
        labels=tuple(label for _, label in levels), known=found.derivation.known,
    )  # fmt: skip


class Numbers:
    """The bounds and the tile as floats, for plots."""

    def __init__(self, found: Bound) -> None:
        self.found, self.nest = found, found.nest
        self.factors = [float(b.factor) for b in found.lower]
        self.loops = [(float(n.as_coeff_Mul()[0]), [s.name for s in n.free_symbols]) for n in found.nest.lengths]
        tile = found.tile
        form = None if tile is None or not tile.loops else sympy.Poly(tile.footprint(tile.g), tile.g)
        self.footprint = [] if form is None else [float(c) for c in form.all_coeffs()]

    def lengths(self, sizes: Mapping[str, float]) -> list[float]:
        """Return the lengths of the loops."""
        return [number * prod(sizes[name] for name in names) for number, names in self.loops]

    def least(self, lengths: Sequence[float], memory: float) -> float:
        """Return the lower bound on the bytes that any schedule moves."""
        below = [sum(float(a.width) * prod(lengths[i] for i in a.loops) for a in self.nest.arrays)]
        for factor, b in zip(self.factors, self.found.lower, strict=True):
            power = float(b.power)
            leading = factor * memory**-power
            for length, t in zip(lengths, b.weights.loops, strict=True):
                leading *= length ** float(1 - t)
            below.append(leading - memory / power)
        return max(below)

    def sides(self, memory: float) -> dict[int, float]:
        """Return the sides of the tile that fills a memory, or none if there is no tile."""
        tile = self.found.tile
        if tile is None or not tile.loops:
            return {}
        low, high = 0.0, memory + 1
        for _ in range(60):
            middle = (low + high) / 2
            taken = 0.0
            for c in self.footprint:
                taken = taken * middle + c
            low, high = (middle, high) if taken <= memory else (low, middle)
        return {i: float(tile.side(i, sympy.Float(low))) for i in tile.loops}

    def reached(self, lengths: Sequence[float], sides: Mapping[int, float]) -> float:
        """Return the bytes that the tile moves with sides cut to the loops, or infinity if a side is below 1."""
        tile = self.found.tile
        cut = {i: min(side, lengths[i]) for i, side in sides.items()}
        if tile is None or any(side < 1 for side in cut.values()):
            return inf
        total = 0.0
        for a in self.nest.arrays:
            passes = prod(lengths[i] / cut[i] for i in tile.along(a))
            again = a in tile.moving and tile.charge(a) != a.width
            size = float(a.width) * prod(lengths[i] for i in a.loops)
            total += size * float(2 * passes - 1 if again else passes)
        return total


def _stretched(name_of: Callable[[float], str], points: list[float]) -> list[tuple[str, float, float]]:
    """Return the intervals in which each answer holds, with their ends found by bisection."""
    out: list[tuple[str, float, float]] = []
    begin, name = points[0], name_of(points[0])
    for a, b in pairwise(points):
        if (other := name_of(b)) != name:
            low, high = a, b
            for _ in range(24):
                middle = (low * high) ** 0.5
                low, high = (middle, high) if name_of(middle) == name else (low, middle)
            out.append((name, begin, high))
            begin, name = high, other
    return [*out, (name, begin, points[-1])]


def _room(nest: Nest) -> float:
    """Return the bytes of one element of each tensor."""
    return float(sum(a.width for a in nest.arrays))


def _sized(found: Bound, free: tuple[str, ...]) -> dict[str, float]:
    """Return the sizes by name, which may leave only the free ones open."""
    names = sorted(s.name for s in found.nest.points.free_symbols)
    given = dict(found.at or {})
    if unknown := [name for name in free if name not in names]:
        raise RoofproofError(
            "<size> is not a dimension of <op>; it has <names>",
            size=unknown[0], op=found.nest.name, names=", ".join(names),
        )  # fmt: skip
    if missing := [name for name in names if name not in given and name not in free]:
        example = ",".join(f"{name}=4096" for name in missing)
        raise RoofproofError(NO_SIZE, op=found.nest.name, names=", ".join(missing), example=example)
    return {name: float(size) for name, size in given.items() if name in names and name not in free}


def _memories(words: Words, least: float, most: float) -> Axis:
    """Return an axis of memory sizes, in bytes, that covers a range."""
    low, high = 2.0 ** ceil(log2(least)), 2.0 ** ceil(log2(most) + 1)
    return Axis((words["memory"],), low, high, 1024)


def _decades_around(shown: list[float], title: Text) -> Axis:
    low, high = 10.0 ** floor(log10(min(shown)) - 0.1), 10.0 ** ceil(log10(max(shown)) + 0.05)
    return Axis(title, low, high)


def _levels(found: Bound, along: Axis, up: Axis) -> list[tuple[Curve, Label]]:
    """Return the size of each memory of the chip as a guide with its name."""
    out = []
    for held in found.chip.capacities if found.chip is not None else ():
        size = float(held.value)
        if held.resource in SHOWN and along.low < size < along.high:
            ends = tuple((size, up.at(share)) for share in (0.94, 0.08))
            guide = Curve(((size, up.low), (size, up.high)))
            out.append((guide, Label(((held.resource,),), ends, below=True, spare=True)))
    return out
