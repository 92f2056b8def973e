"""An operation cut along one dimension over n chips, per chip."""

from sympy import Eq, Expr, Integer, Mod, Symbol, degree
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.algebra._common import Size, added, axis, positive
from roofproof.ops.operation import Operation


def shard(operation: Operation, link: str = "ici", **axes: Size) -> Operation:
    """Return the work of each of n chips when a dimension is cut in n: `shard(op, D=n)`.

    >>> from roofproof.ops.library.linear_algebra import matmul
    >>> half = shard(matmul(), D=2)
    >>> half.flops, half.bytes("ici")                          # 2BDF/2; 2(n-1)/n = 1 times 2BF bytes of z
    (B*D*F, 2*B*F)
    >>> half.conditions
    (Eq(Mod(D, 2), 0),)

    A dimension that an output lacks was summed over, so the chips hold partial sums of it: a ring all-reduce
    sends 2 (n - 1)/n times the output over `link`, in bytes per direction and chip. The n - 1 additions of
    the all-reduce are not counted. That n divides the dimension is a condition of the answer. Raises
    RoofproofError for a dimension that is not there, one that a tensor has twice, and one that is not known to be a
    loop of a product: along the tokens of attention every chip needs the keys of all, and the rows of a softmax cut
    across exchange their sums.
    """
    for name, count in axes.items():
        operation = _cut(operation, axis(operation, name), positive(count, f"shard {name}"), link)
    return operation


def _cut(operation: Operation, cut: Symbol, n: Expr, link: str) -> Operation:
    if not operation.tensors:
        lacks = f"{quoted(operation.name)} has no tensors, so what its shards exchange is not known"
        raise RoofproofError(f"{lacks}; give the sharded operation by its own expressions")
    for tensor in operation.tensors:
        holding = [s for s in tensor.shape if cut in s.free_symbols]
        if len(holding) > 1 or any(cut in (s / cut).free_symbols for s in holding):
            raise RoofproofError(f"cannot shard {cut}: tensor {tensor} has it more than once")

    if not operation.parts:
        _check_loop(operation, cut)

    def less(amount: Expr) -> Expr:
        return amount.subs(cut, cut / n)

    parts = tuple(_cut(p, cut, n, link) if cut in p.dims else p for p in operation.parts)
    sums = added(_partial_sums(p, cut, n, link) for p in operation.parts or (operation,) if cut in p.dims)
    conditions = [*(_of_a_part(c, cut, n) for c in operation.conditions), Eq(Mod(cut, n), 0)]
    return operation.mapped(
        less,
        lambda tensor: tensor.mapped(less),
        name=f"{operation.name}, {cut} over {n} chips",
        traffic=added([{name: less(moved) for name, moved in operation.traffic.items()}, sums]),
        convention=f"{operation.convention}; per chip; ring all-reduce, bytes per direction".lstrip("; "),
        parts=parts,
        footprint={place: less(held) for place, held in operation.footprint.items()},
        grid=None if operation.grid is None else less(operation.grid),
        conditions=tuple(dict.fromkeys(c for c in conditions if c != True)),  # noqa: E712
    )


def _check_loop(operation: Operation, cut: Symbol) -> None:
    """Refuse a dimension along which the parts of an operation are not known to be parts of its work."""
    holding = [any(cut in s.free_symbols for s in tensor.shape) for tensor in operation.writes]
    again = {tensor.name for tensor in operation.reads} & {tensor.name for tensor in operation.writes}
    linear = all(amount.is_polynomial(cut) and degree(amount, cut) <= 1 for amount in operation.demands.values())
    if cut in operation.loops and linear and (all(holding) or (len(holding) == 1 and not again)):
        return
    raise RoofproofError(
        f"cannot shard {cut}: what the shards of {quoted(operation.name)} exchange is not known; "
        "give the sharded operation by its own expressions"
    )


def _of_a_part(condition: Boolean, cut: Symbol, n: Expr) -> Boolean:
    """Return a condition for the part that one chip has: where t divides D/n, n t divides D."""
    if isinstance(condition, Eq) and isinstance(condition.lhs, Mod) and condition.rhs == 0:
        whole, part = condition.lhs.args
        if cut not in part.free_symbols and cut not in (whole / cut).free_symbols:
            return Eq(Mod(whole, part * n), 0)
    return condition.subs(cut, cut / n)


def _partial_sums(operation: Operation, cut: Symbol, n: Expr, link: str) -> dict[str, Expr]:
    if not any(cut in s.free_symbols for tensor in operation.reads for s in tensor.shape):
        return {}
    partial = [t for t in operation.writes if not any(cut in s.free_symbols for s in t.shape)]
    amount = sum((2 * (n - 1) / n * tensor.traffic for tensor in partial), Integer(0))
    return {link: amount} if amount != 0 else {}
