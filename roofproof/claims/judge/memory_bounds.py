"""The traffic of a product with M bytes of memory: a lower bound for every schedule, and the traffic of the best tile.

Both require that the memory has room for one element of each tensor.

lower_bound(op, M) = v    v + M/(sigma - 1) is the root of the theorem's equation, or if no bound depends on M, v is
                          the bytes that move in any memory
best_tile(op, M) = v      v is the traffic of the tile at the scale at which it takes M bytes
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import sympy

from roofproof.claims.judge.words import holding
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import Found, Requirement, Word
from roofproof.errors import RoofproofError
from roofproof.formula.tree import Call

if TYPE_CHECKING:
    from roofproof.bounds import Regions

M = sympy.Dummy("M", positive=True)


def find(env: Environment, call: Call) -> Found:
    """Return the bytes of the lower bound or of the best tile."""
    regions, memory = _regions_and_memory(env, call)
    if call.function == "best_tile":
        tile = regions.tile
        if tile is None or tile.scale_of_memory is None:
            raise RoofproofError("<op> has no best tile in closed form", op=regions.nest.name)
        moved = tile.moved(tile.scale_of_memory)
        known = () if tile.known is None else (tile.known,)
    elif regions.bound is None:
        moved, known = regions.nest.compulsory, ()
    else:
        moved, known = regions.bound.value, (regions.bound.known,)
    room = sympy.Rational(sum(a.width for a in regions.nest.arrays))
    where = sympy.Ge(memory, room)  # one element of each tensor
    return Found(env.bound(moved.subs(M, memory)), () if where == sympy.true else (where,), known)


def due(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    """Yield the requirements on the bytes, in terms of the product and its memory."""
    regions, memory = _regions_and_memory(env, call)
    nest, bound, tile = regions.nest, regions.bound, regions.tile
    points = env.bound(nest.points)
    if call.function == "best_tile":
        assert tile is not None
        once = env.bound(tile.moved(sympy.Integer(1))) - points * tile.stream(sympy.Integer(1)) / tile.block(1)
        assert tile.scale_of_memory is not None
        scale = tile.scale_of_memory.subs(M, memory)
        yield holding(sympy.Eq(tile.footprint(scale), memory, evaluate=False) if tile.loops else sympy.true)
        each = sympy.Eq((found.value - once) * tile.block(scale), points * tile.stream(scale), evaluate=False)
        yield holding(each)
    elif bound is None:
        yield holding(sympy.Eq(found.value, env.bound(nest.compulsory), evaluate=False))
    else:
        k, a = bound.weights.denominator, int(bound.weights.total * bound.weights.denominator)
        phase = memory / sympy.Rational(bound.power)
        power = sympy.Mul(sympy.Pow(found.value + phase, k), memory ** (a - k))
        yield holding(sympy.Eq(power, bound.factor**k * points**k, evaluate=False))
        yield holding(sympy.Gt(found.value + phase, 0, evaluate=False))


def _regions_and_memory(env: Environment, call: Call) -> tuple[Regions, sympy.Expr]:
    from roofproof.bounds import nest_of, regions_of

    operation, memory = call.arguments
    return regions_of(nest_of(env.operation(operation)), M), env.to_sympy(memory)


WORD = Word(find, due)
