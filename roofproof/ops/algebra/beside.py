"""Operations side by side as one kernel: what they share is read once, and results of one name are added up on chip."""

from dataclasses import replace

from sympy import Add, Expr, Max

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.algebra._common import added, check_one_kernel
from roofproof.ops.algebra.then import then
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor


def beside(*operations: Operation, name: str | None = None) -> Operation:
    """Return siblings in one kernel: each tensor that several of them read, or write, moves once.

    >>> from roofproof.ops import einsum
    >>> base = einsum("x:bf16[B,D], w:bf16[D,F] -> y:bf16[B,F]", "base")
    >>> gate = einsum("x:bf16[B,D], v:bf16[D,F] -> g:bf16[B,F]", "gate")
    >>> both = beside(base, gate)                              # x once: 2 BD for 4 BD
    >>> (base.bytes() + gate.bytes() - both.bytes(), both.flops)
    (2*B*D, 4*B*D*F)

    Results of one name are one sum: the later is added to the earlier as it is made (multiply-adds go on where they
    stopped). Raises RoofproofError where nothing is shared.
    """
    first, *others = operations
    shared = {t.name for t in first.tensors}
    for other in others:
        if not shared & {t.name for t in other.tensors}:
            apart = f"{first.name} and {other.name} have no tensor in common"
            raise RoofproofError(f"nothing to fuse: {apart}; give what they share one name")
        shared |= {t.name for t in other.tensors}
    check_one_kernel(operations)
    kinds: dict[str, Tensor] = {}
    times: dict[str, list[Expr]] = {}
    for t in (t for op in operations for t in op.tensors):
        kept = kinds.setdefault(t.name, t)
        if (kept.shape, kept.dtype) != (t.shape, t.dtype):
            raise RoofproofError(f"cannot fuse {quoted(t.name)}: {kept} and {t}; give them one shape and format")
        times.setdefault(t.name, []).append(t.times)
    joined = then(*operations, name=name or " beside ".join(op.name for op in operations))
    exact = joined.exact_compute
    if exact is not None:  # a sum that goes on where another stopped takes one addition more for each element
        known = {t.name for t in first.writes}
        more = []
        for op in others:
            both = [t.elements for t in op.writes if t.name in known]
            more += [{next(iter(op.compute)): Add(*both)}] if both and op.compute else []
            known |= {t.name for t in op.writes}
        exact = added([exact, *more])

    def once(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(replace(t, times=Max(*times[t.name])) for t in tensors)

    loops = tuple(s for s in first.loops if all(s in op.loops for op in others))
    return replace(
        joined, parts=(), exact_compute=exact, reads=once(joined.reads), writes=once(joined.writes), loops=loops
    )
