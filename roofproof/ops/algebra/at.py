"""An operation at given sizes: dimensions replaced by numbers, other dimensions, or expressions."""

from sympy import Eq, Expr, Mod
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.algebra._common import Size, axis, positive
from roofproof.ops.notation.at_sizes import at_sizes
from roofproof.ops.operation import Operation
from roofproof.ops.roles import Role


def at(operation: Operation, **sizes: Size) -> Operation:
    """Return the operation with dimensions replaced everywhere, all at once.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> at(matmul(), D=4096, F="D").flops                      # 2 B 4096 D
    8192*B*D

    Raises RoofproofError for a dimension that is not there, a size that is no positive integer, or sizes that
    a condition of the operation forbids, such as a shard that does not divide them.
    """
    new = {axis(operation, name): positive(value, f"at {name}") for name, value in sizes.items()}
    for condition in operation.conditions:
        if at_sizes(condition, new) == False:  # noqa: E712
            given = ", ".join(f"{s}={value}" for s, value in new.items() if s in condition.free_symbols)
            raise RoofproofError(f"at {given}: {quoted(operation.name)} needs {_said(condition)}, which is false")
    return _replaced(operation, new)


def _said(condition: Boolean) -> str:
    """A condition in words where it is one of divisibility."""
    if isinstance(condition, Eq) and isinstance(condition.lhs, Mod) and condition.rhs == 0:
        whole, part = condition.lhs.args
        return f"{whole} divisible by {part}"
    return str(condition)


def _replaced(operation: Operation, new: dict[Expr, Expr]) -> Operation:
    def substituted(amount: Expr) -> Expr:
        return at_sizes(amount, new)

    conditions = map(substituted, operation.conditions)
    touched = {s for pair in new.items() for e in pair for s in e.free_symbols}
    return operation.mapped(
        substituted,
        lambda tensor: tensor.mapped(substituted),
        footprint={place: substituted(held) for place, held in operation.footprint.items()},
        parts=tuple(_replaced(part, new) for part in operation.parts),
        grid=None if operation.grid is None else substituted(operation.grid),
        hops={link: substituted(steps) for link, steps in operation.hops.items()},
        conditions=tuple(c for c in conditions if c != True),  # noqa: E712
        roles=_roles(operation, new),
        loops=tuple(s for s in operation.loops if s not in touched),
    )


def _roles(operation: Operation, new: dict[Expr, Expr]) -> dict[str, Role]:
    """Return the roles of the sizes that are left; a size with another name brings its role along."""
    names = {str(s): str(value) for s, value in new.items()}
    kept = {name: role for name, role in operation.roles.items() if name not in names}
    return {names[name]: role for name, role in operation.roles.items() if names.get(name, "").isidentifier()} | kept
