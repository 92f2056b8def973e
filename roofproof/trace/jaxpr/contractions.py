"""The order of einsums of three or more operands. JAX chooses it by sizes, which symbols do not have.

roofproof finds the order at many sizes. If it is the same at all of them, that order is used, and the answer names it.
Otherwise the einsum is refused, as its count would be that of another program at some sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

from roofproof.errors import RoofproofError, quoted
from roofproof.trace.jaxpr.sizes import JaxSizes

TRIED = (2, 64, 4096)  # sizes of each symbol
MOST = 729  # combinations of them


@contextmanager
def orders_noted(sizes: JaxSizes, notes: list[str]) -> Iterator[None]:
    """Choose the order of einsums over symbolic sizes, and note it, while a function is traced."""
    from jax._src.export.shape_poly import _DimExpr
    from jax._src.numpy import einsum

    handlers = einsum._poly_einsum_handlers
    before = handlers.get(_DimExpr)

    def contract_path(*operands: Any, **how: Any) -> Any:
        return _path(operands, how, sizes, notes)

    handlers[_DimExpr] = contract_path
    try:
        yield
    finally:
        handlers[_DimExpr] = before


def _path(operands: tuple[Any, ...], how: dict[str, Any], sizes: JaxSizes, notes: list[str]) -> Any:
    """Return the operands in contraction order and the contractions, as opt_einsum does for numbers."""
    import jax
    import opt_einsum

    arrays = [o for o in operands if hasattr(o, "dtype")]
    shapes = [[sizes.of_jax(d) for d in o.shape] for o in arrays]
    symbols = sorted({s for shape in shapes for d in shape for s in d.free_symbols}, key=str)
    found: dict[Any, Any] = {}
    few = len(arrays) < 3
    for k, chosen in enumerate(product(TRIED, repeat=len(symbols))):
        if k >= (1 if few else MOST):
            break
        at = dict(zip(symbols, chosen, strict=True))
        made = iter(
            jax.ShapeDtypeStruct(tuple(max(int(d.subs(at)), 1) for d in shape), o.dtype)
            for shape, o in zip(shapes, arrays, strict=True)
        )
        numbers = [next(made) if hasattr(o, "dtype") else o for o in operands]
        ordered, contractions = opt_einsum.contract_path(*numbers, **how)
        place = [next(i for i, n in enumerate(numbers) if n is o) for o in ordered]
        path = tuple(tuple(sorted(c[0])) for c in contractions)
        found.setdefault((path, tuple(c[2] for c in contractions)), ([operands[i] for i in place], contractions))
    spec = operands[0] if isinstance(operands[0], str) else "einsum"
    if len(found) > 1:
        steps = ", ".join(map(str, next(iter(found))[0]))
        raise RoofproofError(
            f"the order in which {quoted(spec)} is done depends on the sizes; write it as products of two, or give the "
            f"order, as in optimize=[{steps}]"
        )
    ((path, _), result) = next(iter(found.items()))
    if not few:
        notes.append(f"{spec} in the order {', '.join(str(step).replace(' ', '') for step in path)}")
    return result
