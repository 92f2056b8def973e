"""Functions of the claim language about behaviour: increasing, decreasing, independent, degree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judging.case import Evidence
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.domain import Domain
from roofproof.claims.judging.formulas import domain_of_given, formula_of
from roofproof.claims.judging.logarithms import exponents_apart
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Call, Name
from roofproof.derive.optima import monotone
from roofproof.errors import RoofproofError, Undecided
from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, substitute
from roofproof.proofs.known import PROVED, ByCounterexample, BySamples, Known, Open, stated, warranted
from roofproof.proofs.provers.monotone_proofs import prove_degree, prove_independent, prove_monotone
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions

Relation = Callable[[sympy.Expr, sympy.Expr], Boolean]
STEP = "step!"
PAIRS = ((1, 2), (1, 3), (2, 3), (1, 100), (10**6, 10**7))


def _name(node: object) -> str:
    if not isinstance(node, Name):
        raise RoofproofError("a name is due")
    return node.name


def _monotone(env: Environment, call: Call, evidence: Evidence) -> Boolean:
    """Return true, false, or the condition on the parameters under which a value rises (falls)."""
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(_name(call.arguments[1]))
    order = sympy.Gt if call.function == "increasing" else sympy.Lt

    def relation(near: sympy.Expr, far: sympy.Expr) -> Boolean:
        return order(far, near, evaluate=False)

    if _through_a_rising_function(env, expr, x, relation, evidence):
        return sympy.true
    cases = _by_cases(env, call.function, expr, x, evidence)
    if cases is None:
        return _by_steps(env, x, relation, expr, evidence, call.function)
    found, denied = cases
    if (
        found != sympy.true
        and expr.free_symbols != {x}
        and (found != sympy.false or not _nowhere(env, x, relation, expr, domain_of_given(env), evidence))
    ):
        parameters = {s.name for s in expr.free_symbols - {x}}
        evidence.partial_falsity.extend(_sampled(known, parameters) for known in denied)
    return found


def _sampled(denied: Known, parameters: set[str]) -> Known:
    """Return that it fails for all values of the parameters between two values of x: seen at a point, not proved."""
    point = denied.warrant.point if isinstance(denied.warrant, ByCounterexample) else {}
    between = {n: ("q", v.numerator, v.denominator) for n, v in point.items() if n not in parameters}
    goal, *given = (substitute(f, between) for f in (denied.statement.goal, *denied.statement.assumptions))
    statement = Statement(f"{denied.statement.says}, whatever {' and '.join(sorted(parameters))}", tuple(given), goal)
    seen = BySamples(({n: v for n, v in point.items() if n in parameters},))
    return warranted(statement, seen) or Known(statement, Open("it was seen at no point"))


def _through_a_rising_function(
    env: Environment, expr: sympy.Expr, x: sympy.Symbol, relation: Relation, evidence: Evidence
) -> bool:
    """Tell whether it holds in y where x occurs as y = log2(x), or as y = b^x for some b > 1, alone."""
    apart = exponents_apart(expr)
    powers = {p for p in apart.atoms(sympy.Pow) if p.exp == x and p.base.is_Rational}
    inner = log2(x) if expr.has(log2(x)) else next((p for p in powers if p.base > 1), None)
    if inner is None or any(x in env.to_boolean(c).free_symbols for c in env.given.conditions):
        return False
    if (rises := _rises(inner, x)) is None:
        return False
    sign = "real" if isinstance(inner, log2) else "positive"
    y = sympy.Symbol("y!", **{sign: True})
    changed = apart.xreplace({inner: y})
    if x in changed.free_symbols:
        return False
    domain = domain_of_given(env)
    domain = replace(domain, signs={**domain.signs, **({y.name: sign} if sign == "real" else {})})
    found = decide_condition(relation(changed, changed.xreplace({y: y + sympy.Symbol(STEP, positive=True)})), domain)
    if found.status == "proved":
        evidence.add([*found.known, rises])
        evidence.notes.append(f"{inner} rises with {x}")
    return found.status == "proved"


def _rises(inner: sympy.Expr, x: sympy.Symbol) -> Known | None:
    """Return the kernel's proof that log2(x), or b^x, rises wherever x may be."""
    here, further = ("v", x.name), ("v", STEP)
    strict = kernel.assume((">", further, here))
    if isinstance(inner, log2):
        found, given = kernel.rising(strict), [(">", here, ZERO)] if x.is_positive else []
    else:
        base = with_functions(inner.base)
        found, given = kernel.rising(strict, base), [kernel.arith((">", base, ("q", 1, 1))).conclusion]
    return stated(found) if found.hypotheses <= {*strict.hypotheses, *given} else None


def _by_cases(
    env: Environment, sense: str, expr: sympy.Expr, x: sympy.Symbol, evidence: Evidence
) -> tuple[Boolean, tuple[Known, ...]] | None:
    """Return the condition by the sign of the slope, and where it fails; None where steps must tell.

    Steps must tell for integers, signs and rounding.
    """
    given = [env.to_boolean(c) for c in env.given.conditions]
    if not all(s.is_positive for c in (expr, *given) for s in c.free_symbols):
        return None
    own, others = ([c for c in given if (x in c.free_symbols) == about] for about in (True, False))
    try:
        found = (monotone.increasing if sense == "increasing" else monotone.decreasing)(expr, x, own, others)
        proved = prove_monotone(found)
    except RoofproofError:
        return None
    if found.holds is not True and any(s.is_integer for c in (expr, *given) for s in c.free_symbols):
        return None
    if proved.trust not in PROVED:
        return None
    evidence.add(proved.derivation)
    if found.holds is not True:
        evidence.add(proved.denied)
        _say(evidence, f"not {sense}", x, proved.counterexamples[0], "h")
    return sympy.Or(*(when for when, holds in found.cases if holds)), proved.denied


def _by_steps(
    env: Environment, x: sympy.Symbol, relation: Relation, expr: sympy.Expr, evidence: Evidence, what: str
) -> Boolean:
    """Return whether f(x) and f(x + h) are so related for every h > 0, which holds for steps as for slopes."""
    step = sympy.Symbol(STEP, positive=True, **({"integer": True} if x.is_integer else {}))
    domain = domain_of_given(env)
    further = [env.to_boolean(c).xreplace({x: x + step}) for c in env.given.conditions]
    there = replace(
        domain,
        integers=domain.integers | ({STEP} if x.is_integer else set()),
        assumptions=(*domain.assumptions, *(formula_of(c)[0] for c in further)),
    )
    found = decide_condition(relation(expr, expr.subs(x, x + step)), there)
    if found.status == "open":
        raise Undecided(f"{what} in {x}: {found.reason}")
    if found.status == "proved":
        evidence.add(found.known)
        return sympy.true
    _say(evidence, f"not {what}", x, found.counterexample or {}, STEP)
    evidence.add(found.known)
    if expr.free_symbols != {x} and not _nowhere(env, x, relation, expr, domain, evidence):
        everywhere = replace(found.known[0].statement, about=f"nowhere {what} in {x}", somewhere=False)
        for_others = Open("it fails for some values of the other names, and may hold for others")
        evidence.partial_falsity.append(Known(everywhere, for_others))
    return sympy.false


def _nowhere(
    env: Environment, x: sympy.Symbol, relation: Relation, expr: sympy.Expr, domain: Domain, evidence: Evidence
) -> bool:
    """Tell whether it fails between the same two values of x for all values of the parameters."""
    if any(x.name in {s.name for s in env.to_boolean(c).free_symbols} for c in env.given.conditions):
        return False
    for near, far in PAIRS:
        denied = sympy.Not(relation(expr.subs(x, near), expr.subs(x, far)), evaluate=False)
        found = decide_condition(denied, domain, steps=500_000)
        if found.status == "proved":
            evidence.add(found.known)
            return True
    return False


def _say(evidence: Evidence, what: str, x: sympy.Symbol, point: Mapping[str, Fraction], step: str) -> None:
    """Note between which two values of x it fails, and at which values of the others."""
    here = {k: v for k, v in sorted(point.items()) if k != step}
    near = here.setdefault(x.name, Fraction(1))
    others = ", ".join(f"{k} = {v}" for k, v in here.items() if k != x.name)
    evidence.point = here
    evidence.notes.append(
        f"{what} from {x} = {near} to {x} = {near + point.get(step, 1)}{f' at {others}' if others else ''}"
    )


def _independent(env: Environment, call: Call, evidence: Evidence) -> Boolean:
    """f(x) = f(y) for all x and y."""
    expr = env.to_sympy(call.arguments[0])
    out: Boolean = sympy.true
    for argument in call.arguments[1:]:
        x = env.symbol(_name(argument))
        if x not in expr.free_symbols:
            continue
        try:
            if all(s.is_positive for s in expr.free_symbols) and monotone.independent(expr, x):
                evidence.add([prove_independent(expr, x)])
                continue
        except RoofproofError:
            pass
        same = _by_steps(env, x, lambda a, b: sympy.Eq(a, b, evaluate=False), expr, evidence, "independent")
        out = sympy.And(out, same)
    return out


def _degree(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    """Return p where f grows like x^p."""
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(_name(call.arguments[1]))
    if not all(s.is_positive for s in expr.free_symbols):
        raise Undecided(f"the growth in {x} where a name may be zero or negative is not told")
    try:
        degree, proof = prove_degree(expr, x)
    except RoofproofError as problem:
        raise Undecided(str(problem)) from None
    evidence.add([proof])
    return degree


BEHAVIOUR: dict[str, Callable[..., Any]] = {
    "increasing": _monotone,
    "decreasing": _monotone,
    "independent": _independent,
    "degree": _degree,
}
