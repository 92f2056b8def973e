"""A traced program of either framework: buffers, arrays that view them, and equations.

A buffer is a block of memory. An array is a buffer seen through views (reshaped, transposed, sliced, broadcast), which
cost nothing by themselves. Values that depend only on sizes (a mask, a counter) have no buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sympy import Add, Expr, Integer, Mul, Rational

from roofproof.formats import bytes_per_element
from roofproof.trace.ordering import at_most
from roofproof.trace.regions import Digit, Region, UnlocatedElements, elements_of, row_major
from roofproof.trace.sizes import KnownSizes

if TYPE_CHECKING:
    from roofproof.trace.parts import Along, Box

ONE, ZERO = Integer(1), Integer(0)


@dataclass(eq=False)
class Buffer:
    """A block of memory: its shape and format. `name` is that of an argument or a result, and else empty.

    `given` means that it comes from outside. `origin` is the buffer that it is a slice of, and `updated` the one that
    it is with some elements changed in place. If only a part is made, `cut` holds the full shape and the places of that
    part. `values` is the range of its possible values, if known.

    >>> from roofproof.symbols import dimension
    >>> Buffer((dimension("B"), Integer(4)), "bf16").bytes     # 2 bytes per element
    8*B
    """

    shape: tuple[Expr, ...]
    format: str
    name: str = ""
    given: bool = False
    origin: Buffer | None = None
    updated: Buffer | None = None
    values: range | None = None
    cut: tuple[tuple[Expr, ...], tuple[Digit, ...]] | None = None

    @property
    def elements(self) -> Expr:
        return Mul(*self.shape)

    @property
    def width(self) -> Expr:
        """The bytes of an element."""
        return Rational(bytes_per_element(self.format))

    @property
    def bytes(self) -> Expr:
        return self.elements * self.width


@dataclass(frozen=True, eq=False)
class Array:
    """An operand of an equation: a shape and a format, and the buffer behind it, if there is one.

    `region` is the part of the buffer that is read, or None for all of it. `offset` and `strides` locate the elements
    in the buffer, as far as known. `same` means that it is the buffer in its own order, in any shape. `known` is the
    value of a scalar that depends only on sizes. `form` describes how an array of such values is made, so equal forms
    mean equal arrays. `fixed` means that no input affects the values. `varies_in` are the loops in which each iteration
    has its own array.
    """

    shape: tuple[Expr, ...]
    format: str
    buffer: Buffer | None = None
    region: Region | UnlocatedElements | None = None
    offset: Expr = ZERO
    strides: tuple[Expr, ...] | None = None
    same: bool = True
    known: Expr | None = None
    fixed: bool = False
    varies_in: frozenset[object] = frozenset()
    form: object = None

    @property
    def elements(self) -> Expr:
        return Mul(*self.shape)

    @property
    def part(self) -> Expr | None:
        """The number of elements of the buffer that are read, or None for all."""
        return None if self.region is None else self.region.elements

    @property
    def known_strides(self) -> tuple[Expr, ...] | None:
        """The strides, which are row-major if it is the buffer in its own order, or None if they are unknown."""
        return row_major(self.shape) if self.strides is None and self.same else self.strides

    def sliced(
        self, shape: tuple[Expr, ...], starts: Sequence[Expr], steps: Sequence[Expr], sizes: KnownSizes
    ) -> Array | None:
        """Return a slice of it, or None if the location in its buffer is unknown."""
        buffer, strides = self.buffer, self.known_strides
        if buffer is None or isinstance(self.region, UnlocatedElements) or strides is None:
            return None
        if Buffer((), self.format).width != buffer.width:
            return None
        offset = self.offset + Add(*(a * s for a, s in zip(starts, strides, strict=True)))
        strides = tuple(s * t for s, t in zip(strides, steps, strict=True))
        there = Region.of(offset, shape, strides, sizes)
        region = None if at_most(there.elements, buffer.elements) == buffer.elements else there
        return replace(self, shape=shape, region=region, offset=offset, strides=strides, same=False, known=None)

    def some(self, shape: tuple[Expr, ...], key: object) -> Array:
        """Return as many of its elements as a shape has, at unknown places. `key` distinguishes them."""
        if self.buffer is None:
            return replace(self, shape=shape, known=None, form=None)
        all_of_it = self.part if self.part is not None else self.buffer.elements
        many = at_most(Mul(*shape) * Buffer((), self.format).width / self.buffer.width, all_of_it)
        if many == all_of_it:
            return replace(self, shape=shape, same=False, strides=None)
        return replace(self, shape=shape, region=UnlocatedElements(many, key), strides=None, same=False)


@dataclass(frozen=True)
class Place:
    """A place in the user's code.

    >>> str(Place("block.py", 21, "attend"))
    'block.py:21'
    """

    file: str = ""
    line: int = 0
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else "?"


@dataclass(frozen=True)
class Iterations:
    """A number of iterations along an axis, from its first element or, if `backwards`, from its last."""

    count: Expr
    backwards: bool = False


@dataclass(eq=False, kw_only=True)
class Behaviour:
    """The work of a step by compute unit, and how it reads and writes.

    `kind` tells a traffic model how to group steps. Connected `cheap` steps are one kernel, and an `alone` step is a
    kernel of its own. An `apart` step is that in every model, with the traffic in `Equation.moves`. `gathered` is the
    number of elements read of an operand, by its position. `address` lists the operands that only locate elements.
    `update` is the number of elements of the first operand that the result has changed, and `repeats` of them may be
    the same one. `reads_updated` means that these are read as well, and `region` locates them, if known.

    `along` maps the places along each axis of each operand to those of the result, as in `roofproof.trace.parts`.
    `shift` is the number of places on each axis before the first operand begins. `axis` is that of a concatenation. A
    `whole` step is one kernel that makes all of its result even if only part is needed. It computes at most `most` for
    one element, or the same for each row of its first operand if `by_rows`.

    `least` is the least number of elements that it reads of an operand, or changes of the first, whatever the values
    are. If known, `certain_boxes` are boxes of the first operand that it reads for certain. `least_compute` is the
    least computation. `mask_residue` names the values that a mask may leave in the result, whatever the operands hold:
    `zeros` or `low`. `form` stands for the other parameters: steps of equal form do the same, and None equals no other.
    """

    compute: Mapping[str, Expr] = field(default_factory=dict)
    kind: str = "cheap"
    gathered: Mapping[int, Expr] = field(default_factory=dict)
    address: frozenset[int] = frozenset()
    update: Expr | None = None
    repeats: Expr = ONE
    reads_updated: bool = False
    region: Region | None = None
    along: Along | None = None
    shift: tuple[Expr, ...] = ()
    axis: int | None = None
    whole: bool = False
    most: Mapping[str, Expr] = field(default_factory=dict)
    by_rows: bool = False
    least: Mapping[int, Expr] = field(default_factory=dict)
    certain_boxes: tuple[Box, ...] = ()
    least_compute: Mapping[str, Expr] | None = None
    mask_residue: frozenset[str] = frozenset()
    form: object = None


@dataclass(eq=False)
class Equation(Behaviour):
    """One step of a program: a primitive, its inputs and its outputs.

    `covers` is the number of elements of its first operand that it may change. `links` are bytes over links. `moves` is
    the traffic of an `apart` step: a buffer, a number of elements, and whether they are written. Each of the
    `iterations` makes one element of the first axis of the first output. If several `boxes` of its result are needed,
    it makes their hull and reads the operands' parts for each box.
    """

    primitive: str
    inputs: tuple[Array, ...]
    outputs: tuple[Buffer, ...]
    place: Place = field(default_factory=Place)
    scope: str = ""
    covers: Expr | None = None
    links: Mapping[str, Expr] = field(default_factory=dict)
    moves: tuple[tuple[Buffer, Expr, bool], ...] = ()
    footprint: Mapping[str, Expr] = field(default_factory=dict)
    iterations: Iterations | None = None
    boxes: int = 1

    @property
    def needed(self) -> Iterator[Buffer]:
        """The buffers that it reads or changes."""
        return (a.buffer for a in self.inputs if a.buffer is not None)

    @property
    def anywhere(self) -> bool:
        """Whether the elements that it changes are taken to lie where they cost the least."""
        return self.covers is not None

    def changed(self, output: Buffer, sizes: KnownSizes) -> Expr:
        """Return the number of elements that it changes in an output that is updated in place."""
        assert self.update is not None
        return self.update


@dataclass(eq=False)
class Loop(Equation):
    """A body that runs `trips` times. Its inputs are the initial carry and the arrays that iterations slice.

    `carried` and `slices` pair a buffer of the body with the input that it comes from. `results` has the output for
    each output of the body, or None if that is not needed.
    """

    body: Program = field(default_factory=lambda: Program())
    trips: Expr = ONE
    carried: tuple[tuple[Buffer, Array], ...] = ()
    slices: tuple[tuple[Buffer, Array], ...] = ()
    results: tuple[Buffer | None, ...] = ()
    token: object = None  # its name in `Array.varies_in`
    backwards: bool = False  # whether the first iteration takes the last slices, and makes the last results

    @property
    def needed(self) -> Iterator[Buffer]:
        yield from (a.buffer for _, a in (*self.carried, *self.slices) if a.buffer is not None)
        yield from self.captured

    @property
    def captured(self) -> Iterator[Buffer]:
        """The buffers outside the loop that its body reads."""
        inside = {b for b, _ in (*self.carried, *self.slices)}
        inside |= {b for e in self.body.equations for b in e.outputs}
        used = [b for e in self.body.equations for b in e.needed]
        used += [a.buffer for a in self.body.outputs if a.buffer is not None]
        yield from (b for b in used if b not in inside)

    def changed(self, output: Buffer, sizes: KnownSizes) -> Expr:
        end = self.body.outputs[self.results.index(output)].buffer
        assert end is not None
        turns = ONE if self.anywhere else self.trips
        return turns * changes(end, self.body.equations, sizes)[1]

    @property
    def anywhere(self) -> bool:
        return any(e.anywhere for e in self.body.equations)

    @property
    def has_apart_step(self) -> bool:
        """Whether its body contains an `apart` step."""
        return any(e.has_apart_step if isinstance(e, Loop) else e.kind == "apart" for e in self.body.equations)


@dataclass(eq=False)
class Program:
    """Equations in order, and outputs."""

    equations: list[Equation] = field(default_factory=list)
    outputs: list[Array] = field(default_factory=list)

    def all_equations(self, times: Expr = ONE) -> Iterator[tuple[Equation, Expr]]:
        """Yield each equation, including those in loops, and the number of times that it runs."""
        for equation in self.equations:
            if isinstance(equation, Loop):
                yield from equation.body.all_equations(times * equation.trips)
            else:
                yield equation, times


def add_demand(total: dict[str, Expr], demand: Mapping[str, Expr], times: Expr = ONE) -> None:
    """Add demands, multiplied by `times`, to a total by name.

    >>> total = {"bf16": Integer(2)}
    >>> add_demand(total, {"bf16": Integer(3), "exp": ONE}, Integer(4))
    >>> total
    {'bf16': 14, 'exp': 4}
    """
    for name, amount in demand.items():
        total[name] = total.get(name, Integer(0)) + amount * times


def changes(buffer: Buffer, equations: list[Equation], sizes: KnownSizes) -> tuple[Buffer, Expr]:
    """Return the buffer that equations change in place to make another, and the number of elements they change.

    Elements of overlapping regions count once.
    """
    if buffer.updated is None:
        return buffer, ZERO
    maker = {b: e for e in equations for b in e.outputs}
    amount, few = Integer(0), Integer(0)
    regions: list[Region] = []
    while buffer in maker and buffer.updated is not None:
        equation = maker[buffer]
        if equation.region is None and equation.anywhere:  # and all may change the same elements
            few = sizes.greatest(few, equation.changed(buffer, sizes))
        elif equation.region is None:
            amount += equation.changed(buffer, sizes)
        else:
            regions.append(equation.region)
        buffer = buffer.updated
    return buffer, sizes.greatest(amount + elements_of(regions, buffer.name, sizes), few)
