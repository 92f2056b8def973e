"""What a function of a file computes and moves, as text: an exercise about it is then without code."""

from __future__ import annotations

from collections.abc import Callable
from operator import methodcaller
from typing import Any

import sympy

from roofproof.errors import RoofproofError, quoted
from roofproof.ops import Operation, parse_operation
from roofproof.trace.elsewhere import IsolatedCode
from roofproof.trace.shapes import read


def written(code: str, shapes: str, model: str) -> str:
    """Return the operation that `FILE.py:FUNCTION` is with these shapes, in a traffic model, as its expressions.

    >>> written("examples/gated.py:gated", "x:bf16[B,D], w_gate:bf16[D,D], w_up:bf16[D,D], w_down:bf16[D,D]", "")
    'flops bf16 = 6*B*D**2; flops exp = B*D; flops fp32-vector = 2*B*D; bytes memory = 4*B*D + 6*D**2'

    The file is run. Raises RoofproofError in one line where it cannot be traced, and where the
    counts do not hold for all sizes.
    """
    with IsolatedCode(code) as loaded:
        found = loaded.traced(shapes, traffic=model or "fused")
        if not _everywhere(found, lambda at_one: loaded.traced(at_one, traffic=model or "fused"), shapes):
            asked = "; ".join(map(str, found.conditions))
            raise RoofproofError("what is counted holds where <conditions>; give numbers for sizes", conditions=asked)
    amounts = [f"{'flops' if name in found.compute else 'bytes'} {name} = {n}" for name, n in found.demands.items()]
    text = "; ".join(amounts)
    back = parse_operation(text).demands
    if back.keys() != found.demands.keys() or any(
        sympy.expand(found.demands[name] - n) != 0 for name, n in back.items()
    ):
        raise RoofproofError("what is counted is read in another way as text: <text>", text=quoted(text))
    return text


def _everywhere(found: Operation, traced: Callable[[str], Operation], shapes: str) -> bool:
    """Tell whether counts hold for all sizes: at 1 as well, which PyTorch takes apart, they are those of a trace."""
    sizes = {s for c in found.conditions for s in c.free_symbols}
    if any(c not in [sympy.Ge(s, 2, evaluate=False) for s in sizes] for c in found.conditions):
        return False
    for one in sorted(sizes, key=str):
        at_one: dict[Any, int] = {one: 1}
        put = (given.mapped(methodcaller("subs", at_one)) for given in read(shapes)[0])
        there = traced(", ".join(map(str, put))).demands
        if any(sympy.expand(n.subs(at_one) - there.get(name, 0)) != 0 for name, n in found.demands.items()):
            return False
    return True
