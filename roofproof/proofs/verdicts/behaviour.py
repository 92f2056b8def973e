"""Functions of the claim language about behaviour: increasing, decreasing, independent, degree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.polynomial import Ring
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.language.environment import Environment
from roofproof.proofs.language.nodes import Call, Name
from roofproof.proofs.translate import to_formula
from roofproof.proofs.verdicts.deciding import decide_condition
from roofproof.proofs.verdicts.domain import Domain
from roofproof.proofs.verdicts.evidence import Evidence

STEP = sympy.Symbol("step!", positive=True)


def _name(node: object) -> str:
    if not isinstance(node, Name):
        raise RoofproofError("a name is due")
    return node.name


def _monotone(env: Environment, call: Call, evidence: Evidence) -> Boolean:
    """f(x + h) > f(x) for every positive h: no derivative, so it holds for steps as well as for slopes."""
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(_name(call.arguments[1]))
    further = expr.subs(x, x + STEP)
    order = sympy.Gt if call.function == "increasing" else sympy.Lt
    return _decided(env, order(further, expr, evaluate=False), evidence, f"{call.function} in {x}")


def _independent(env: Environment, call: Call, evidence: Evidence) -> Boolean:
    """f(x) = f(y) for all x and y."""
    expr = env.to_sympy(call.arguments[0])
    out: Boolean = sympy.true
    for argument in call.arguments[1:]:
        x = env.symbol(_name(argument))
        other = expr.subs(x, x + STEP)
        if other != expr:
            out = out & _decided(env, sympy.Eq(expr, other, evaluate=False), evidence, f"independent of {x}")
    return out


def _decided(env: Environment, condition: Boolean, evidence: Evidence, what: str) -> Boolean:
    given = env.given
    signs = {n: d.sign for n, d in given.domains.items() if d.sign != "positive"}
    assumptions = tuple(to_formula(env.to_boolean(c)) for c in given.conditions)
    domain = Domain(signs, frozenset(n for n, d in given.domains.items() if d.integer), assumptions)
    found = decide_condition(condition, domain)
    if found.status == "open":
        raise Undecided(f"{what}: {found.reason}")
    if found.status == "refuted" and found.counterexample is not None:
        point = {k.replace("step!", "a step of"): v for k, v in found.counterexample.items()}
        evidence.notes.append(f"not {what}: see {', '.join(f'{k} = {v}' for k, v in point.items())}")
    else:
        evidence.add(found.trust)
    return sympy.true if found.status == "proved" else sympy.false


def _degree(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    """Return p where f grows like x^p."""
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(_name(call.arguments[1]))
    roots = {p.exp.q for p in expr.atoms(sympy.Pow) if p.base == x and p.exp.is_Rational}
    n = int(sympy.ilcm(1, 1, *roots))
    y = sympy.Symbol("y!", positive=True)
    changed = sympy.powsimp(expr.subs(x, y**n), force=True)
    if any(y in p.free_symbols and not p.exp.is_Integer for p in changed.atoms(sympy.Pow)):
        raise Undecided(f"the growth in {x} of a root of a sum is not told")
    ring = Ring.of(changed, y)
    num, den = ring.fraction(changed)
    return sympy.Rational(len(ring.coefficients(num, y)) - len(ring.coefficients(den, y)), n)


BEHAVIOUR: dict[str, Callable[..., Any]] = {
    "increasing": _monotone,
    "decreasing": _monotone,
    "independent": _independent,
    "degree": _degree,
}
