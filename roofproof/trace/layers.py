"""Any number of unrolled layers: n times one layer plus the rest, found by difference.

roofproof traces a program with n layers at n = 1 and n = 2, and the difference is one layer. At a third n, each line of
the code and each demand must also be n layers plus the rest, or the program is refused. The answer states the
assumption that further layers are like these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import sympy
from sympy import Expr, Integer, Symbol

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.operation import Kernel
from roofproof.ops.resources import MEMORY
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension
from roofproof.trace.operation import Row, Traced
from roofproof.trace.program import Place
from roofproof.trace.result import Trace
from roofproof.trace.shapes import Read

THIRD = 4
MOST = 1_000
_TEXT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\s*=\s*([0-9]{1,6}))?")
_NUMBER = re.compile(r"([0-9]+)")


def of_layers(traced: Callable[[Read], Trace], read: Read, text: str, model: str) -> Traced:
    """Return the operation of N layers from traces with fixed numbers of them. `text` is `N` or `N=32`.

    `read` holds the shapes, of which one has the size N, and the conditions. The number in the text is the third n, at
    which a trace checks the law, by default 4. Raises RoofproofError if the law fails there.

    >>> from roofproof.trace.jaxpr.entry import traced
    >>> from roofproof.trace.shapes import read
    >>> def tower(x, w, depth):
    ...     for _ in range(depth):
    ...         x = x @ w
    ...     return x
    >>> op = of_layers(lambda at: traced(tower, at), read("x:bf16[B,D], w:bf16[D,D], depth=N"), "N", "fused")
    >>> op.compute["bf16"], op.bytes()                         # 2 B D^2 a layer; weights are read once
    (2*B*D**2*N, 4*B*D + 2*D**2)
    """
    symbol, third = _parse_unrolled(text, read)
    ops = [traced(_with_layers(read, symbol, n)).operation(model) for n in (1, 2, third)]

    def law(first: Expr, second: Expr, last: Expr, what: str) -> Expr:
        layer = sympy.expand(second - first)
        if sympy.expand(first + (third - 1) * layer - last) != 0:
            said = f"{first} with one, {second} with 2, {last} with {third}"
            raise RoofproofError(f"{what}: {said}: these are not {symbol} layers alike; give {symbol} a number")
        return sympy.expand(first - layer + symbol * layer)

    def demands(of: Callable[[Traced], Mapping[str, Expr]], what: str) -> dict[str, Expr]:
        one, two, many = (dict(of(op)) for op in ops)
        zero = Integer(0)
        return {
            k: law(one.get(k, zero), two.get(k, zero), many.get(k, zero), f"{what} on {k}") for k in one | two | many
        }

    def row(op: Traced, place: Place) -> Row:
        return next((r for r in op.rows if r.place == place), Row(place, (), {}, {}))

    rows = []
    for each in ops[2].rows:
        compute = demands(partial(lambda place, op: row(op, place).compute, each.place), str(each.place))
        moved = demands(partial(lambda place, op: row(op, place).moved, each.place), str(each.place))
        rows.append(Row(each.place, each.primitives, compute, moved))
    one = ops[0]
    reads = _tensors([op.reads for op in ops], symbol, third)
    writes = _tensors([op.writes for op in ops], symbol, third)
    traffic = demands(lambda op: {to: op.bytes(to) for to in (MEMORY, *op.traffic)}, one.name)
    traffic[MEMORY] = sympy.expand(traffic[MEMORY] - sum(t.traffic for t in (*reads, *writes)))
    note = f"{symbol} layers alike, counted as at {symbol} = 1 and 2, held to a trace at {symbol} = {third}"
    conditions = dict.fromkeys(c for op in ops for c in op.conditions)
    kernel = Kernel(
        one.name,
        demands(lambda op: op.compute, one.name),
        reads=reads,
        writes=writes,
        links={to: n for to, n in traffic.items() if n != 0},
        on_chip=demands(lambda op: op.footprint, one.name),
    )
    return Traced(
        one.name,
        (kernel,),
        conditions=tuple(conditions),
        convention=f"{one.convention}; {note}",
        source=one.source,
        rows=tuple(rows),
        model=model,
    )


def _parse_unrolled(text: str, read: Read) -> tuple[Symbol, int]:
    found = _TEXT.fullmatch(text.strip())
    if found is None:
        raise RoofproofError(f"--unrolled {quoted(text)}: expected the size that says how many, such as N, or N=32")
    symbol, third = dimension(found[1]), int(found[2] or THIRD)
    known = sorted({str(s) for one in read[0] for size in one.sizes for s in size.free_symbols})
    if symbol.name not in known:
        raise RoofproofError(f"--unrolled: no shape has the size {symbol.name!r}; sizes: {', '.join(known) or 'none'}")
    if not 3 <= third <= MOST:
        raise RoofproofError(
            f"--unrolled {quoted(text)}: expected 3 to {MOST} layers for the check of the law, such as N=32"
        )
    if any(symbol in c.free_symbols for c in read[1]):
        raise RoofproofError(f"--where: {symbol} is counted at 1 and 2; leave conditions on it out")
    return symbol, third


def _with_layers(read: Read, symbol: Symbol, n: int) -> Read:
    given, conditions = read
    return tuple(g.mapped(lambda size: size.subs(symbol, n)) for g in given), conditions


def _tensors(sides: Iterable[Iterable[Tensor]], symbol: Symbol, third: int) -> tuple[Tensor, ...]:
    """Return the tensors outside the layers, and each numbered tensor of the layers once, with an axis N."""
    one, two, many = ({t.name: t for t in side} for side in sides)
    found = []
    for name, tensor in one.items():
        parts = _NUMBER.split(name)
        for k in range(1, len(parts), 2):
            names = ["".join((*parts[:k], str(int(parts[k]) + n), *parts[k + 1 :])) for n in range(third)]
            if names[1] in two and names[1] not in one and all(_alike(many.get(n), tensor) for n in names):
                every = "".join((*parts[:k], "*", *parts[k + 1 :]))
                found.append(Tensor(every, (symbol, *tensor.shape), tensor.dtype, tensor.times))
                break
        else:
            if _alike(two.get(name), tensor) and _alike(many.get(name), tensor):
                found.append(tensor)
    return tuple(found)


def _alike(one: Tensor | None, other: Tensor) -> bool:
    return one is not None and (one.shape, one.dtype, one.times) == (other.shape, other.dtype, other.times)
