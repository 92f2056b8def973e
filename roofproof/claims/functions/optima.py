"""Functions of the claim language about optima: over all positive values, or among a few."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from roofproof.claims.judging.case import Evidence
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.domain import Domain
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Call, Choices, name_of
from roofproof.derive.optima.integer_optima import argmin_integer
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.provers.discrete_proofs import prove_discrete
from roofproof.proofs.provers.optimum_proofs import prove_extremum


def _extremum(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    where = call.function.startswith("arg")
    find = minimum if call.function in ("argmin", "minimum") else maximum
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(name_of(call.arguments[1]))
    expr = expr.replace(sympy.Abs, lambda inside: sympy.Max(inside, -inside))
    if len(call.arguments) > 2:
        return _among(env, expr, x, call.arguments[2], find is minimum, where, evidence)
    if find is minimum and x.is_integer:
        return _whole(env, expr, x, where, evidence)
    assume = [env.to_boolean(c) for c in env.given.conditions]
    own = [c for c in assume if x in c.free_symbols]
    try:
        found = find(expr, x, own, [c for c in assume if x not in c.free_symbols])
        value = found.at(x) if where else found.value
    except RoofproofError as problem:  # there is none, or it is not found
        raise Undecided(str(problem)) from None
    evidence.add(prove_extremum(found).derivation)
    if value.has(sympy.Piecewise):
        raise Undecided(f"the {found.sense} is not the same everywhere: {'; '.join(str(found).splitlines())}")
    return value


def _whole(env: Environment, expr: sympy.Expr, x: sympy.Symbol, where: bool, evidence: Evidence) -> sympy.Expr:
    """Return the best integer, by exact comparison of the neighbours of the real optimum."""
    found = argmin_integer(expr, x, [c for c in map(env.to_boolean, env.given.conditions) if x in c.free_symbols])
    evidence.add(prove_discrete(found).derivation)
    if where and len(found.at) > 1:
        raise Undecided(f"the best is taken at {' and '.join(map(str, found.at))}")
    return sympy.Integer(found.at[0]) if where else found.value


def _among(
    env: Environment, expr: sympy.Expr, x: sympy.Symbol, choices: object, least: bool, where: bool, evidence: Evidence
) -> sympy.Expr:
    """Return the best of a few values by exact comparison."""
    if not isinstance(choices, Choices):
        raise RoofproofError("a set such as {1, 2, 4} is due")
    tried = [(expr.subs(x, value), value) for value in map(env.to_sympy, choices.items)]
    if not all(result.is_number for result, _ in tried):
        raise Undecided("the best of a set is told where every other name has a value")
    pick = min if least else max
    best = pick((result for result, _ in tried), key=lambda r: sympy.Rational(r) if r.is_Rational else r)
    at = [value for result, value in tried if result == best]
    if where and len(at) > 1:
        raise Undecided(f"the best is taken at {' and '.join(map(str, at))}")
    order = sympy.Ge if least else sympy.Le
    for result in dict.fromkeys(result for result, _ in tried):
        found = decide_condition(order(result, best, evaluate=False), Domain())
        evidence.add(found.known)
    return at[0] if where else best


OPTIMA: dict[str, Callable[..., Any]] = dict.fromkeys(("argmin", "argmax", "minimum", "maximum"), _extremum)
