"""Loops and branches. A scan is its body times its length, which may be symbolic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sympy import Expr, Integer, ceiling

from roofproof.errors import RoofproofError
from roofproof.trace.dead import alive
from roofproof.trace.jaxpr.walk import Walk, kernel_of, opened
from roofproof.trace.program import Array, Buffer, Loop, Place
from roofproof.trace.registry import added
from roofproof.trace.updates import update_in_place


def scan(walk: Walk, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
    """Add a scan, and return the carry and the results of all iterations."""
    params = eqn.params
    n, carry = params["num_consts"], params["num_carry"]
    trips = walk.sizes.of_jax(params["length"])
    if trips == 0:
        stacked = [Array(s, f, fixed=True) for s, f in zip(*walk.results(eqn), strict=True)]
        return [*inputs[n : n + carry], *stacked[carry:]]
    return loop(walk, params["jaxpr"], inputs[:n], inputs[n : n + carry], inputs[n + carry :], trips, place, scope,
                params["reverse"])  # fmt: skip


def while_(walk: Walk, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
    """Add a loop that counts to a bound made of sizes, or whose number of iterations a rule gives."""
    params, rule = eqn.params, added("while", place)
    k, n = params["cond_nconsts"], params["body_nconsts"]
    cond_consts, consts, carry = inputs[:k], inputs[k : k + n], inputs[k + n :]
    trips = rule.trips if rule is not None else None
    if trips is None and (counts := _turns(params, cond_consts, carry, n)) is not None:
        distance, step = counts
        if distance.is_nonpositive:
            return carry
        walk.sizes.not_negative(distance - 1)  # otherwise the operands of a loop that never runs would count
        trips = distance if step == 1 else ceiling(distance / step)
    if trips is None:
        raise RoofproofError(
            "<place>: the number of iterations depends on a value; use lax.scan, or "
            "roofproof.trace.rule('while', trips='...', where='<place>')",
            place=place,
        )
    return loop(walk, params["body_jaxpr"], consts, carry, [], trips, place, scope)


def _turns(
    params: Any, cond_consts: Sequence[Array], carry: Sequence[Array], body_consts: int
) -> tuple[Expr, Expr] | None:
    """Return the distance that a loop counts up to its bound, and its fixed step, or None for any other loop."""
    test, body = opened(params["cond_jaxpr"])[0], opened(params["body_jaxpr"])[0]
    if len(test.eqns) != 1 or test.eqns[0].primitive.name not in ("lt", "le"):
        return None
    counter, bound = test.eqns[0].invars
    if "int" not in str(counter.aval.dtype):
        return None
    variables = [*test.invars]
    if hasattr(counter, "val") or counter not in variables or test.outvars[0] is not test.eqns[0].outvars[0]:
        return None
    first = variables.index(counter) - len(cond_consts)
    if first < 0 or carry[first].known is None:
        return None
    last: Expr | None
    if hasattr(bound, "val"):
        last = Integer(int(bound.val))
    else:
        k = variables.index(bound)
        last = cond_consts[k].known if k < len(cond_consts) else carry[k - len(cond_consts)].known
        here = body_consts + k - len(cond_consts)
        if k >= len(cond_consts) and body.outvars[k - len(cond_consts)] is not body.invars[here]:
            return None
    step = None
    for eqn in body.eqns:
        if body.outvars[first] in eqn.outvars and eqn.primitive.name == "add":
            numbers = [Integer(int(v.val)) for v in eqn.invars if hasattr(v, "val")]
            if body.invars[body_consts + first] in [v for v in eqn.invars if not hasattr(v, "val")] and numbers:
                step = numbers[0]
    if last is None or step is None or step <= 0:
        return None
    return last - carry[first].known + int(test.eqns[0].primitive.name == "le"), step


def cond(walk: Walk, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
    """Add one branch: the one that a rule names or that sizes decide."""
    branches, rule = eqn.params["branches"], added("cond", place)
    known = inputs[0].known
    chosen = rule.branch if rule is not None and rule.branch is not None else None
    if chosen is None and known is not None and known.is_Integer:
        chosen = min(max(int(known), 0), len(branches) - 1)
    if chosen is None:
        raise RoofproofError(
            "<place>: which of <count> branches is taken depends on a value; say which by "
            "roofproof.trace.rule('cond', branch=1, where='<place>'), from 0 to <last>",
            place=place, count=len(branches), last=len(branches) - 1,
        )  # fmt: skip
    if not 0 <= chosen < len(branches):
        raise RoofproofError(f"{place}: branch {chosen} of {len(branches)}; they count from 0")
    return walk.inside(branches[chosen], inputs[1:], place, scope)


def loop(
    walk: Walk, closed: Any, consts: list[Array], carry: list[Array], over: list[Array], trips: Expr, place: Place,
    scope: str, backwards: bool = False,
) -> list[Array]:  # fmt: skip
    """Add a loop that passes `carry` on and takes a slice of each array in `over` in each iteration."""
    jaxpr, captured = opened(closed)
    token = object()
    counters = [a.fixed and a.buffer is None for a in carry]  # unless the body replaces them
    while True:
        body = walk.level()
        starts = [_start(a, c, token) for a, c in zip(carry, counters, strict=True)]
        slices = [_slice(a, token) for a in over]
        ends = body.run(jaxpr, [walk.constant(c) for c in captured], [*consts, *starts, *slices], place, "")
        wrong = [k for k, c in enumerate(counters) if c and not (ends[k].fixed and ends[k].buffer is None)]
        if not wrong:
            break
        counters = [c and k not in wrong for k, c in enumerate(counters)]
    results: list[Buffer | None] = []
    outside: list[Array] = []
    made = {b for e in body.program.equations for b in e.outputs}
    for k, end in enumerate(ends):
        of_carry = k < len(carry)
        shape = tuple(map(walk.sizes.of_jax, jaxpr.outvars[k].aval.shape))
        stacked = shape if of_carry else (trips, *shape)
        if (of_carry and counters[k]) or (not of_carry and end.fixed and end.buffer is None):
            outside.append(Array(stacked, end.format, fixed=True))
            continue
        if of_carry and end.buffer is starts[k].buffer and end.same:
            outside.append(carry[k])  # goes through unchanged
            results.append(None)
            body.program.outputs.append(end)
            continue
        if end.buffer not in made:  # an output that the body does not make is copied in it
            end = body.materialized(replace(end, shape=shape, same=False), place)
        end = body.materialized(end, place)
        result = Buffer(stacked, end.format)
        results.append(result)
        outside.append(Array(stacked, end.format, result))
        body.program.outputs.append(end)
    if not walk.effects:
        alive(body.program)
    carried = tuple((b.buffer, a) for b, a in zip(starts, carry, strict=True) if b.buffer is not None)
    update_in_place(body.program, {b for b, _ in carried})
    taken = tuple((b.buffer, a) for b, a in zip(slices, over, strict=True) if b.buffer is not None)
    walk.program.equations.append(
        Loop(
            "loop", (*carry, *over), tuple(r for r in results if r is not None), place=place, scope=kernel_of(scope),
            body=body.program, trips=trips, carried=carried, slices=taken, results=tuple(results), token=token,
            backwards=backwards,
        )
    )  # fmt: skip
    return outside


def _start(array: Array, counter: bool, token: object) -> Array:
    if counter:
        return Array(array.shape, array.format, fixed=True, varies_in=array.varies_in | {token})
    buffer = Buffer(array.shape, array.format, given=True)
    return Array(array.shape, array.format, buffer)


def _slice(array: Array, token: object) -> Array:
    """Return the slice of an array that an iteration takes: one element of its first axis."""
    shape = array.shape[1:]
    if array.buffer is None:
        return Array(shape, array.format, fixed=True, varies_in=array.varies_in | {token})
    buffer = Buffer(shape, array.format, given=True, origin=array.buffer)
    return Array(shape, array.format, buffer)
