"""Two operations as one kernel: what passes between them stays on chip."""

from dataclasses import replace

from sympy import Max, Symbol

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.algebra._common import added, check_one_kernel
from roofproof.ops.algebra.then import then
from roofproof.ops.operation import Operation
from roofproof.ops.tensor import Tensor


def fuse(first: Operation, second: Operation, *between: str, name: str | None = None) -> Operation:
    """Return one operation in which the tensors named move no bytes; the FLOPs stay, and what both read is read once.

    >>> from roofproof.ops import einsum
    >>> up = einsum("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]", "up")
    >>> down = einsum("h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]", "down")
    >>> (then(up, down).bytes() - fuse(up, down, "h").bytes())  # h: written once, read once, 2 bytes each
    4*B*F
    >>> scores = einsum("q:bf16[h,c], latent:bf16[S,c] -> s:bf16[h,S]")
    >>> fuse(scores, einsum("s:bf16[h,S], latent:bf16[S,c] -> o:bf16[h,c]")).bytes()   # q, o, and the cache once
    2*S*c + 4*c*h

    Without names, every tensor that `first` writes and `second` reads is kept on chip. Raises RoofproofError
    where there is none, or where the two sides disagree on shape or format.
    """
    written = {tensor.name: tensor for tensor in first.writes}
    read = {tensor.name: tensor for tensor in second.reads}
    writes, reads = (", ".join(map(str, side.values())) or "no tensor" for side in (written, read))
    sides = f"{first.name} writes {writes}, {second.name} reads {reads}"
    chosen = between or tuple(n for n in written if n in read)
    if not chosen:
        raise RoofproofError(f"nothing to fuse: {sides}; give them one name")
    for tensor in chosen:
        if tensor not in written or tensor not in read:
            side = f"{first.name} does not write" if tensor not in written else f"{second.name} does not read"
            raise RoofproofError(f"cannot fuse {quoted(tensor)}: {side} it; {sides}")
        one, other = written[tensor], read[tensor]
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            apart = f"{first.name} writes {one}, {second.name} reads {other}"
            raise RoofproofError(f"cannot fuse {quoted(tensor)}: {apart}")
        if one.times != 1 and tensor in {t.name for t in first.reads}:
            sums = f"{first.name} writes partial sums of it and reads them back"
            raise RoofproofError(f"cannot fuse {quoted(tensor)}: {sums}; tile it so that each is complete")
    check_one_kernel((first, second))
    first = replace(first, writes=tuple(t for t in first.writes if t.name not in chosen))
    second = replace(second, reads=tuple(t for t in second.reads if t.name not in chosen))
    both = {t.name: t for t in first.reads}
    twice = {t.name: Max(t.times, both[t.name].times) for t in second.reads if _same(both.get(t.name), t)}
    again = added((first.compute, first.recompute, second.recompute))  # what made the tensors that nobody kept
    fused = then(first, second, name=name or f"{first.name} fused with {second.name}")
    once = tuple(replace(t, times=twice.get(t.name, t.times)) for t in fused.reads)
    return replace(
        fused, reads=once, parts=(), recompute=again, loops=_loops(first, second, [written[name] for name in chosen])
    )


def _same(one: Tensor | None, other: Tensor) -> bool:
    return one is not None and (one.shape, one.dtype) == (other.shape, other.dtype)


def _loops(first: Operation, second: Operation, between: list[Tensor]) -> tuple[Symbol, ...]:
    """Return the loops of both that one kernel leaves: what `first` sums over, a sum of parts has to pass through."""
    kept = set.intersection(*({s for size in tensor.shape for s in size.free_symbols} for tensor in between))
    linear = set(second.dims) <= set(second.loops)
    known = (s for s in (*first.loops, *second.loops) if all(s in o.loops or s not in o.dims for o in (first, second)))
    return tuple(
        s for s in dict.fromkeys(known) if s in kept or s not in first.dims or (linear and s not in second.dims)
    )
