"""The dimension that a slide solves for by default."""

import sympy

from roofproof.derive.roofline.compute_bound import ceilings
from roofproof.errors import RoofproofError
from roofproof.ops import Operation
from roofproof.ops.roles import role_of

FIRST = ("batch", "tokens", "sequence", "block", "heads a group")  # roles in order of preference


def chosen_dimension(op: Operation) -> str | None:
    """Return the dimension to solve for: of those on which an intensity depends, the one with the preferred role.

    >>> from roofproof.ops import parse_operation
    >>> [chosen_dimension(parse_operation(n)) for n in ("matmul", "flash-attention", "split-matmul", "add")]
    ['B', 'L', 'D', 'N']
    """
    try:
        needed = {s.name for c in ceilings(op) for s in c.intensity.free_symbols}
    except RoofproofError:
        return None
    names = [s.name for s in op.dims]
    asked = [n for role in FIRST for n in names if n in needed and role_of(op, n).name == role]
    candidates = asked or [n for n in names if n in needed] or names
    return candidates[0] if candidates else None


def names_of(symbols: frozenset[sympy.Symbol] | set[sympy.Symbol], op: Operation) -> list[str]:
    """Return the names of an operation's dimensions that are among some symbols, in the order of the operation."""
    names = {s.name for s in symbols}
    return [s.name for s in op.dims if s.name in names]
