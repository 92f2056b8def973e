"""The operation of a traced program, with rows: the work and traffic of each line of the code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Any, Self

import sympy
from sympy import Add, Expr, Integer, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.ops.combine import over_level
from roofproof.ops.operation import Kernel, Operation, one_kernel
from roofproof.ops.resources import MEMORY
from roofproof.ops.tensor import Tensor, is_positive
from roofproof.trace.ordering import margins
from roofproof.trace.program import ONE, Buffer, Equation, Place, Program, add_demand
from roofproof.trace.sizes import KnownSizes
from roofproof.trace.traffic import Moved, traffic


@dataclass(frozen=True, slots=True)
class Row:
    """The demands of a line of the code: FLOPs by compute unit, bytes by memory level or link, and its primitives.

    >>> row = Row(Place("block.py", 21), ("dot_general",), {"bf16": Integer(8)}, {"memory": Integer(4)})
    >>> str(row.place), row.flops, row.bytes
    ('block.py:21', 8, 4)
    """

    place: Place
    primitives: tuple[str, ...]
    compute: Mapping[str, Expr]
    moved: Mapping[str, Expr]

    @property
    def flops(self) -> Expr:
        return Add(*self.compute.values())

    @property
    def bytes(self) -> Expr:
        """The bytes of main-memory traffic."""
        return self.moved.get(MEMORY, Integer(0))

    @property
    def operation(self) -> Operation:
        """The row as an operation of its own."""
        return one_kernel(str(self.place), self.compute, links=self.moved)


@dataclass(frozen=True, slots=True, repr=False)
class Traced(Operation):
    """A traced operation. Its `rows`, one per line of the code, add up to it, and `model` is its traffic model.

    >>> from roofproof.symbols import dimension
    >>> B = dimension("B")
    >>> row = Row(Place("block.py", 2), ("add",), {"fp32-vector": B}, {"memory": 6 * B})
    >>> Traced("add", row.operation.kernels, rows=(row,), model="fused").rows[0].bytes
    6*B

    A changed copy loses its rows if they no longer add up to it.
    """

    rows: tuple[Row, ...] = ()
    model: str = ""

    def __post_init__(self) -> None:
        Operation.__post_init__(self)
        if self.rows and not adds_up(self, self.rows):
            object.__setattr__(self, "rows", ())

    def mapped(
        self,
        amount: Callable[[Expr], Expr],
        tensor: Callable[[Tensor], Tensor],
        changed: AbstractSet[Symbol] = frozenset(),
        **others: Any,
    ) -> Self:
        """Return the operation with every demand and every tensor changed, in its rows as well."""

        def each(demand: Mapping[str, Expr]) -> dict[str, Expr]:
            return {name: amount(value) for name, value in demand.items()}

        rows = tuple(replace(row, compute=each(row.compute), moved=each(row.moved)) for row in self.rows)
        return Operation.mapped(self, amount, tensor, changed, **{"rows": rows} | others)

    def provenance(self) -> dict[str, Any]:
        """Return the provenance of a trace: FLOPs by compute unit, the traffic model, rows by lines of the code.

        The first compute unit, the matrix unit if there is one, is that of a threshold.

        >>> row = Row(Place("block.py", 2), ("add",), {"fp32-vector": Integer(4)}, {"memory": Integer(24)})
        >>> made = Traced("add", row.operation.kernels, rows=(row,), model="fused").provenance()
        >>> made["traffic"], made["rows"][0]["where"], made["rows"][0]["bytes"]
        ('fused', 'block.py:2', '24')
        """
        return {
            "flops": str(next(iter(self.compute.values()), 0)),
            "engines": {name: str(amount) for name, amount in self.compute.items()},
            "traffic": self.model,
            "traced_by": self.source,
            "rows": [
                {"where": str(row.place), "function": row.place.function, "primitive": ", ".join(row.primitives),
                 "flops": str(row.flops), "engines": {name: str(n) for name, n in row.compute.items()},
                 "bytes": str(row.bytes)}
                | ({"links": links} if (links := {k: str(n) for k, n in row.moved.items() if k != MEMORY}) else {})
                for row in self.rows
            ],
        }  # fmt: skip


def adds_up(op: Operation, rows: Iterable[Row]) -> bool:
    """Return whether rows add up to the demands of an operation.

    >>> adds_up(Operation("nothing"), ())
    True
    """
    left = dict(op.demands)
    for row in rows:
        for name, amount in (*row.compute.items(), *row.moved.items()):
            left[name] = left.get(name, Integer(0)) - amount
    return all(sympy.expand(gap) == 0 or sympy.simplify(gap) == 0 for gap in left.values())


def rows_over(op: Operation, level: str) -> Operation:
    """Return an operation with only the bytes of one memory level, as `over_level` does, also in its rows.

    >>> row = Row(Place("block.py", 2), ("add",), {"fp32-vector": Integer(4)}, {"memory": Integer(24)})
    >>> rows_over(Traced("add", row.operation.kernels, rows=(row,), model="fused"), "l2").rows[0].moved
    {'l2': 24}
    """
    found = over_level(op, level)
    if not isinstance(op, Traced) or not isinstance(found, Traced):
        return found
    counted = level if level in op.traffic else MEMORY
    moved = (({level: row.moved[counted]} if counted in row.moved else {}) for row in op.rows)
    return replace(found, rows=tuple(replace(row, moved=to) for row, to in zip(op.rows, moved, strict=True)))


def operation_of(
    program: Program, model: str, name: str, conditions: tuple[Boolean, ...], convention: str, source: str
) -> Traced:
    """Return the operation of a program under a traffic model."""
    moved = [
        replace(m, elements=_settled(m.elements, conditions)) for m in traffic(program, model, KnownSizes(conditions))
    ]
    rows = _rows(program, moved)
    reads: dict[Buffer, Expr] = {}
    writes: dict[Buffer, Expr] = {}
    between: Expr = Integer(0)
    for m in moved:
        buffer = _root(m.buffer)
        if buffer.name and all(map(is_positive, buffer.shape)):
            side = writes if m.write else reads
            side[buffer] = side.get(buffer, Integer(0)) + m.elements
        else:
            between += m.bytes
    compute: dict[str, Expr] = {}
    links: dict[str, Expr] = {}
    held: dict[str, Expr] = {}
    for equation, times in program.all_equations():
        add_demand(compute, equation.compute, times)
        add_demand(links, equation.links, times)
        for place, n in equation.footprint.items():
            held[place] = sympy.Max(held[place], n) if place in held else n
    first = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "int4")
    engines = sorted(compute, key=lambda e: (e not in first, e.endswith("-vector"), e == "exp", e))
    between = tidy(between)
    kernel = Kernel(
        name,
        {e: tidy(compute[e]) for e in engines},
        reads=tuple(_tensor(b, n) for b, n in reads.items()),
        writes=tuple(_tensor(b, n) for b, n in writes.items()),
        links=({MEMORY: between} if between != 0 else {}) | {link: tidy(n) for link, n in links.items()},
        on_chip={place: tidy(n) for place, n in held.items()},
    )
    return Traced(name, (kernel,), conditions=conditions, convention=convention, source=source, rows=rows, model=model)


def _settled(amount: Expr, conditions: Iterable[Boolean]) -> Expr:
    """Return an amount with the minima and maxima that a condition decides replaced by their values."""
    known = margins(conditions)
    for extremum in amount.atoms(sympy.Min, sympy.Max) if known else ():
        if len(extremum.args) == 2:
            a, b = extremum.args if isinstance(extremum, sympy.Min) else reversed(extremum.args)
            for smaller, gap in ((a, b - a), (b, a - b)):
                if any(is_positive(sympy.cancel(gap / one)) for one in known):
                    amount = amount.xreplace({extremum: smaller})
                    break
    return amount


def _root(buffer: Buffer) -> Buffer:
    """Return the buffer that this one is a slice of, or the argument that it is with changes in place."""
    while buffer.origin is not None or (buffer.updated is not None and not buffer.name):
        buffer = buffer.origin or buffer.updated  # type: ignore[assignment]
    return buffer


def _tensor(buffer: Buffer, elements: Expr) -> Tensor:
    return Tensor(buffer.name, buffer.shape, buffer.format, sympy.cancel(elements / buffer.elements))


def tidy(amount: Expr) -> Expr:
    """Return an amount as a sum of products, or unexpanded if that is shorter.

    >>> from roofproof.symbols import dimension
    >>> B, D = dimension("B"), dimension("D")
    >>> tidy(2 * B * (D + B) - 2 * B**2), tidy(B * (D + 1) * (D + 2))
    (2*B*D, B*(D + 1)*(D + 2))
    """
    expanded = sympy.expand(amount)
    return amount if sympy.count_ops(amount) < sympy.count_ops(expanded) else expanded


def _rows(program: Program, moved: Iterable[Moved]) -> tuple[Row, ...]:
    """Return the work and traffic by line of the code, in the order in which the lines first run."""
    parts: dict[Place, tuple[dict[str, None], dict[str, Expr], dict[str, Expr]]] = {}

    def add(equation: Equation, demand: Mapping[str, Expr], side: int, times: Expr = ONE) -> None:
        names, *sides = parts.setdefault(equation.place, ({}, {}, {}))
        names[equation.primitive] = None
        add_demand(sides[side], demand, times)

    for equation, times in program.all_equations():
        add(equation, equation.compute, 0, times)
        add(equation, equation.links, 1, times)
    for m in moved:
        add(m.equation, {MEMORY: m.bytes}, 1)
    return tuple(
        Row(place, tuple(names), {k: tidy(v) for k, v in work.items()}, {k: tidy(v) for k, v in to.items() if v != 0})
        for place, (names, work, to) in parts.items()
        if work or any(v != 0 for v in to.values())
    )
