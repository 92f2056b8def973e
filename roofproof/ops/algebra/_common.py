"""What the algebra shares: reading sizes, adding demands, joining tensors, the loops of an einsum."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from sympy import Add, Expr, Symbol, SympifyError, sympify

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.ops.notation.typed_einsum import Einsum
from roofproof.ops.operation import Demand, Operation
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

Size: TypeAlias = int | str | Expr


def positive(value: Size, what: str) -> Expr:
    """Return a positive integer size: a number, an expression, or the name of a new dimension."""
    if isinstance(value, str):
        if not value.isidentifier() or not value.isascii():
            raise RoofproofError(f"{what}: expected a name, a whole number or an expression, got {quoted(value)}")
        return dimension(value)
    try:
        exact = sympify(value, strict=True) if not isinstance(value, float) else None
    except SympifyError:  # a list, a topology: nothing that is a number
        exact = None
    if exact is None or not exact.is_positive or exact.is_integer is False:
        raise RoofproofError(f"{what}: expected a positive integer, got {quoted(value)}")
    return exact


def axis(operation: Operation, name: str | Symbol) -> Symbol:
    """Return the dimension of that name, or refuse with those that the operation has."""
    for symbol in operation.dims:
        if str(symbol) == str(name):
            return symbol
    raise unknown(f"dimension of {operation.name}", str(name), map(str, operation.dims))


def added(demands: Iterable[Demand]) -> dict[str, Expr]:
    """Return the sum of several demands, resource by resource."""
    amounts: dict[str, list[Expr]] = {}
    for demand in demands:
        for name, amount in demand.items():
            amounts.setdefault(name, []).append(amount)
    return {name: Add(*every) for name, every in amounts.items()}  # one sum: adding one by one goes over all each time


def merged_tensors(groups: Iterable[tuple[str, tuple[Tensor, ...]]], taken: dict[str, Tensor]) -> tuple[Tensor, ...]:
    """Return the tensors of several operations: one of the same name, shape and format moves more often.

    A tensor that shares only the name gets the name of its operation in front. `taken` remembers every name,
    so that reads and writes agree.
    """
    found: dict[str, Tensor] = {}
    times: dict[str, list[Expr]] = {}
    for owner, tensors in groups:
        for tensor in tensors:
            name, n = tensor.name, 1
            while name in taken and (taken[name].shape, taken[name].dtype) != (tensor.shape, tensor.dtype):
                name, n = f"{owner}.{tensor.name}" if n == 1 else f"{owner}.{tensor.name}{n}", n + 1
            taken[name] = tensor
            found[name] = tensor
            times.setdefault(name, []).append(tensor.times)
    return tuple(
        tensor if tensor.name == name and len(times[name]) == 1 else replace(tensor, name=name, times=Add(*times[name]))
        for name, tensor in found.items()
    )


def check_one_kernel(operations: Iterable[Operation]) -> None:
    """Refuse operations whose blocks would lie on chip side by side: what one kernel holds of both at once is open."""
    places: dict[str, Operation] = {}
    for operation in operations:
        for place in operation.footprint:
            if (other := places.setdefault(place, operation)) is not operation:
                both = f"{quoted(other.name)} and {quoted(operation.name)} keep blocks in {place}"
                raise RoofproofError(f"cannot fuse: {both}, and what one kernel holds of both at once is not known")


def as_product(operation: Operation, what: str) -> Einsum:
    """Return the einsum that an operation is, of however many tensors, or refuse: `what` says what needed it."""
    if len(operation.reads) < 3 or operation.parts or len(operation.writes) != 1:
        return as_einsum(operation, what)
    engines = [name for name in operation.compute if not name.endswith("-vector")] or list(operation.compute)
    for compute in engines:
        found = Einsum(operation.reads, operation.writes[0], compute, operation.accumulate)
        made = found.operation()
        if (made.compute, made.recompute) == (operation.compute, operation.recompute) and not operation.traffic:
            return found
    raise RoofproofError(
        f"{what} needs a product written without parentheses, every tensor moved once; {quoted(operation.name)} is none"
    )


def as_einsum(operation: Operation, what: str) -> Einsum:
    """Return the einsum that an operation is, or refuse: `what` says what needed it."""
    if len(operation.reads) > 2:
        several = f"is one of {len(operation.reads)} tensors"
        raise RoofproofError(f"{what} needs a product of two tensors, and {quoted(operation.name)} {several}")
    plain = not operation.parts and not operation.traffic and len(operation.writes) == 1
    if plain and operation.reads and len(operation.compute) == 1 and all(t.times == 1 for t in operation.tensors):
        (compute,) = operation.compute
        found = Einsum(operation.reads, operation.writes[0], compute, operation.accumulate)
        if operation.flops in (found.flops, found.exact_flops):
            return found
    raise RoofproofError(f"{what} needs a single einsum, and {quoted(operation.name)} is none")


def is_einsum(operation: Operation) -> bool:
    """Return whether an operation is a single einsum, no more and no less."""
    try:
        as_einsum(operation, "")
    except RoofproofError:
        return False
    return True
