"""A traced program, whatever framework it is from: buffers, the arrays that equations see of them, equations.

A buffer is what lies in memory. An array is a buffer seen through views (reshaped, transposed, sliced, broadcast),
which cost nothing by themselves; what sizes alone determine (a mask, a counter) has no buffer at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sympy import Add, Expr, Integer, Mul, Rational

from roofproof.formats import bytes_per_element
from roofproof.trace.ordering import at_most
from roofproof.trace.regions import Digit, Region, Some, elements_of, row_major
from roofproof.trace.sizes import KnownSizes

if TYPE_CHECKING:
    from roofproof.trace.parts import Along, Box

ONE, ZERO = Integer(1), Integer(0)


@dataclass(eq=False)
class Buffer:
    """What is stored: sizes and format; `name` is that of an argument or a result, empty for what passes between.

    `given` says that it comes from outside; `origin` is the buffer that it is a slice of, `updated` the one that it is
    with some elements changed in place. Of what is `cut` only a part is made: of that shape these places.
    `values` are those that it may hold, where that is known.

    >>> from roofproof.symbols import dimension
    >>> Buffer((dimension("B"), Integer(4)), "bf16").bytes     # 2 bytes an element
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
    """What an equation sees: a shape and a format, and the buffer behind it, if it has one.

    `region` is what of the buffer is read for it, None for all; `offset` and `strides` say where in the buffer each
    element lies, as far as that is known. `same` says that it is the buffer as it lies there, whatever shape it is
    given. `known` is the value of a scalar that sizes determine, and `form` how an array of such values is made (two
    that are made alike are one); `fixed` says that no input matters. `turns` are the loops in which each turn has
    another one.
    """

    shape: tuple[Expr, ...]
    format: str
    buffer: Buffer | None = None
    region: Region | Some | None = None
    offset: Expr = ZERO
    strides: tuple[Expr, ...] | None = None
    same: bool = True
    known: Expr | None = None
    fixed: bool = False
    turns: frozenset[object] = frozenset()
    form: object = None

    @property
    def elements(self) -> Expr:
        return Mul(*self.shape)

    @property
    def part(self) -> Expr | None:
        """How many elements of the buffer are read for it, None for all."""
        return None if self.region is None else self.region.elements

    @property
    def laid(self) -> tuple[Expr, ...] | None:
        """The strides, those of rows where it is the buffer as it lies there; None where they are not known."""
        return row_major(self.shape) if self.strides is None and self.same else self.strides

    def sliced(
        self, shape: tuple[Expr, ...], starts: Sequence[Expr], steps: Sequence[Expr], sizes: KnownSizes
    ) -> Array | None:
        """Return a slice of it, None where it is not known how that lies in its buffer."""
        buffer, strides = self.buffer, self.laid
        if buffer is None or isinstance(self.region, Some) or strides is None:
            return None
        if Buffer((), self.format).width != buffer.width:
            return None
        offset = self.offset + Add(*(a * s for a, s in zip(starts, strides, strict=True)))
        strides = tuple(s * t for s, t in zip(strides, steps, strict=True))
        there = Region.of(offset, shape, strides, sizes)
        region = None if at_most(there.elements, buffer.elements) == buffer.elements else there
        return replace(self, shape=shape, region=region, offset=offset, strides=strides, same=False, known=None)

    def some(self, shape: tuple[Expr, ...], key: object) -> Array:
        """Return so many elements of it, never more than it has; `key` tells them from others."""
        if self.buffer is None:
            return replace(self, shape=shape, known=None, form=None)
        all_of_it = self.part if self.part is not None else self.buffer.elements
        many = at_most(Mul(*shape) * Buffer((), self.format).width / self.buffer.width, all_of_it)
        if many == all_of_it:
            return replace(self, shape=shape, same=False, strides=None)
        return replace(self, shape=shape, region=Some(many, key), strides=None, same=False)


@dataclass(frozen=True)
class Place:
    """Where in the user's code something is done.

    >>> str(Place("block.py", 21, "attend"))
    'block.py:21'
    """

    file: str = ""
    line: int = 0
    function: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.file else "?"


@dataclass(frozen=True)
class Turns:
    """How often something is done, from the first element of an axis on or from the last."""

    count: Expr
    backwards: bool = False


@dataclass(eq=False, kw_only=True)
class Behaviour:
    """What a step computes by engine, and how it reads and writes.

    `kind` is what it is to a traffic model: `cheap` steps that hang together are one kernel, one `alone` is a kernel of
    its own, and one `apart` is so in every model and moves what `Equation.moves` says. `gathered` says how many
    elements of an operand are read, by its position, and `address` which operands say only where elements lie. `update`
    is how many elements of its first operand the result has changed, of which `repeats` may be one and the same, and
    `again` says that these are read as well; `region` tells which they are, where that is known.

    `along` says of each axis of each operand which places go into which of the result, as in `roofproof.trace.parts`,
    `shift` how many places on each axis of the first operand begins there, and `axis` is that along which it lays its
    operands side by side, where it does nothing else. A `whole` step is one kernel that makes all of its result, also
    where part is needed; it computes at `most` so much for an element of it, or as much for each row of its first
    operand (`by_rows`).

    `least` says how many elements of an operand it reads, or of the first changes, at the least, whatever values are
    (of the first those of the boxes in `sure`, where that is known), and `spared` what it computes then; `empties` what
    a mask may leave of what it makes, whatever its operands hold: `zeros`, or what is `low`. `form` is what else it is
    told: two of one form do the same, None is like no other.
    """

    compute: Mapping[str, Expr] = field(default_factory=dict)
    kind: str = "cheap"
    gathered: Mapping[int, Expr] = field(default_factory=dict)
    address: frozenset[int] = frozenset()
    update: Expr | None = None
    repeats: Expr = ONE
    again: bool = False
    region: Region | None = None
    along: Along | None = None
    shift: tuple[Expr, ...] = ()
    axis: int | None = None
    whole: bool = False
    most: Mapping[str, Expr] = field(default_factory=dict)
    by_rows: bool = False
    least: Mapping[int, Expr] = field(default_factory=dict)
    sure: tuple[Box, ...] = ()
    spared: Mapping[str, Expr] | None = None
    empties: frozenset[str] = frozenset()
    form: object = None


@dataclass(eq=False)
class Equation(Behaviour):
    """One step of a program: a primitive, what it reads and what it writes.

    `covers` is how many elements of its first operand it may change. `links` are bytes over links; `moves` are what a
    step that stands apart moves: a buffer, elements, written or read. `turns` make an element of the first axis of its
    first output each. Of `boxes` of its result it makes all that lies between, and takes parts of operands for each.
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
    turns: Turns | None = None
    boxes: int = 1

    @property
    def needed(self) -> Iterator[Buffer]:
        """The buffers that it reads or changes."""
        return (a.buffer for a in self.inputs if a.buffer is not None)

    @property
    def anywhere(self) -> bool:
        """Whether what it changes lies where that makes the least of it."""
        return self.covers is not None

    def changed(self, output: Buffer, sizes: KnownSizes) -> Expr:
        """Return the number of elements of a buffer that it changes, where that is updated in place."""
        assert self.update is not None
        return self.update


@dataclass(eq=False)
class Loop(Equation):
    """A body done `trips` times; its inputs are what it begins with, and what each turn takes a slice of.

    `carried` and `slices` pair a buffer of the body with the input that it is from; `outputs` are those of the body
    that are needed, by `results`, which has a buffer or None for each.
    """

    body: Program = field(default_factory=lambda: Program())
    trips: Expr = ONE
    carried: tuple[tuple[Buffer, Array], ...] = ()
    slices: tuple[tuple[Buffer, Array], ...] = ()
    results: tuple[Buffer | None, ...] = ()
    token: object = None  # what `Array.turns` calls it
    backwards: bool = False  # whether the first turn takes the last slices, and makes the last results

    @property
    def needed(self) -> Iterator[Buffer]:
        yield from (a.buffer for _, a in (*self.carried, *self.slices) if a.buffer is not None)
        yield from self.captured

    @property
    def captured(self) -> Iterator[Buffer]:
        """The buffers outside of it that its body reads."""
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
    def apart(self) -> bool:
        """Whether something in it stands apart."""
        return any(e.apart if isinstance(e, Loop) else e.kind == "apart" for e in self.body.equations)


@dataclass(eq=False)
class Program:
    """Equations in order, and what comes out."""

    equations: list[Equation] = field(default_factory=list)
    outputs: list[Array] = field(default_factory=list)

    def every(self, times: Expr = ONE) -> Iterator[tuple[Equation, Expr]]:
        """Yield each equation, those of loops included, and how often it is done."""
        for equation in self.equations:
            if isinstance(equation, Loop):
                yield from equation.body.every(times * equation.trips)
            else:
                yield equation, times


def add_demand(total: dict[str, Expr], demand: Mapping[str, Expr], times: Expr = ONE) -> None:
    """Add demands, so many times, to a total by name.

    >>> total = {"bf16": Integer(2)}
    >>> add_demand(total, {"bf16": Integer(3), "exp": ONE}, Integer(4))
    >>> total
    {'bf16': 14, 'exp': 4}
    """
    for name, amount in demand.items():
        total[name] = total.get(name, Integer(0)) + amount * times


def changes(buffer: Buffer, equations: list[Equation], sizes: KnownSizes) -> tuple[Buffer, Expr]:
    """Return the buffer that these equations change in place to make another, and how many elements they change.

    What is changed again and again counts once.
    """
    if buffer.updated is None:
        return buffer, ZERO
    maker = {b: e for e in equations for b in e.outputs}
    amount, few = Integer(0), Integer(0)
    regions: list[Region] = []
    while buffer in maker and buffer.updated is not None:
        equation = maker[buffer]
        if equation.region is None and equation.anywhere:  # and each may be where another one is
            few = sizes.greatest(few, equation.changed(buffer, sizes))
        elif equation.region is None:
            amount += equation.changed(buffer, sizes)
        else:
            regions.append(equation.region)
        buffer = buffer.updated
    return buffer, sizes.greatest(amount + elements_of(regions, buffer.name, sizes), few)
