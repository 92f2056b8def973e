"""Functions of the claim language about limits, sums and optima: over all positive values, or among a few."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import sympy

from roofproof.claims.judging.case import Evidence, proved_limit
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.domain import Domain, domain_of_given, formula_of
from roofproof.claims.judging.existing_sizes import BREAKS, hold_range, hold_regime, hold_size
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import Call, Choices, name_of
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import ends
from roofproof.derive.limits.regime import Regime
from roofproof.derive.optima.extremum import Approached, Attained
from roofproof.derive.optima.integer_optima import argmin_integer
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.derive.optima.stationary import stationary_places
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.kernel.terms import variables
from roofproof.proofs.known import Known
from roofproof.proofs.provers.discrete_proofs import prove_discrete
from roofproof.proofs.provers.optimum_proofs import prove_extremum
from roofproof.proofs.provers.slope_proofs import least_at
from roofproof.proofs.translate import to_expr, to_term, with_functions
from roofproof.sentences import Sentence, joined
from roofproof.symbols import quantity

MAX_TERMS = 20_000
MAX_OTHER_TERMS = 5_000  # where a term is no polynomial
PLACES = 4  # at which a slope may be zero


def _limit(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    expr = env.to_sympy(call.arguments[0])
    if len(call.arguments) == 1:
        if evidence.regime is None:
            raise Undecided("a limit needs a regime, or the name that grows as its second argument")
        hold_regime(env, call.arguments[0], evidence.regime)
        return _in_regime(env, expr, evidence.regime, evidence)
    name = name_of(call.arguments[1])
    target = env.to_sympy(call.arguments[2]) if len(call.arguments) == 3 else sympy.oo
    if target in (sympy.oo, 0):
        regime = Regime(f"{name} -> {target}")
        hold_regime(env, call.arguments[0], regime)
        return _in_regime(env, expr, regime, evidence)
    return _at(env, expr, env.symbol(name), target, evidence)


def _in_regime(env: Environment, expr: sympy.Expr, regime: Regime, evidence: Evidence) -> sympy.Expr:
    found, known = proved_limit(expr, regime, env, evidence)
    evidence.add(known)
    return found.value


def _at(env: Environment, expr: sympy.Expr, x: sympy.Symbol, target: sympy.Expr, evidence: Evidence) -> sympy.Expr:
    """Return the limit at a finite place, from both sides or from the one on which the domain lies."""
    domain, place = domain_of_given(env), quantity("t")
    if x.is_integer or place in expr.free_symbols or not target.is_positive:
        raise Undecided("a limit is taken at 0, at infinity, or at a positive <x> that is no whole size", x=x)
    sides = {
        "above": (sympy.Gt(x, target, evaluate=False), target + 1 / place),
        "below": (sympy.Lt(x, target, evaluate=False), target - 1 / place),
    }
    regime, (own, _) = Regime("t -> oo"), env.given_about(x)
    found = {
        side: _in_regime(env, expr.subs(x, near), regime, evidence)
        for side, (where, near) in sides.items()
        if domain.can_hold(formula_of(where)[0]) and not any(ends(c.subs(x, near), regime) for c in own)
    }
    if not found:
        raise Undecided("<x> does not come near <target> in what is given", x=x, target=plain(target))
    if len(set(found.values())) > 1:
        above, below = map(plain, found.values())
        form = "there is no limit at <x> = <target>: <above> from above, <below> from below"
        said = Sentence(form, x=x, target=plain(target), above=above, below=below)
        raise evidence.no_value(said, evidence.known)
    return found.popitem()[1]


def _sum(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    """Return the closed form of a sum, checked by the difference of neighbours and by the empty sum."""
    i = env.symbol(name_of(call.arguments[1]))
    term, first, last = (env.to_sympy(call.arguments[k]) for k in (0, 2, 3))
    _hold_terms(env, call, i, first, last, evidence)
    if first.is_Integer and last.is_Integer:
        return _added(term, i, range(int(first), int(last) + 1))
    domain, bounds = _over_whole_bounds(env, i, first, last)
    evidence.whole.extend(f for f in domain.assumptions if f[0] == "int" and f not in evidence.whole)
    _refuse_backwards(domain, i, first, last)
    n = sympy.Symbol("n!", positive=True, integer=True)
    try:
        closed = sympy.summation(sympy.expand(term), (i, first, n))
    except (ArithmeticError, NotImplementedError, TypeError, ValueError) as fault:  # SymPy meets a pole of its own
        raise Undecided("no closed form of the sum over <i> was found: <fault>", i=i, fault=fault) from None
    closed = sympy.piecewise_fold(closed)
    if isinstance(closed, sympy.Piecewise) and closed.args[-1].cond == sympy.true:  # r^i, but for r = 1
        evidence.notes.append(
            Sentence("but for <what>", what=joined("<first> or <second>", (plain(c) for _, c in closed.args[:-1])))
        )
        closed = sympy.factor(closed.args[-1].expr)
    if closed.has(sympy.Sum) or closed.atoms(sympy.Function) - term.atoms(sympy.Function):
        raise Undecided("no closed form of the sum over <i> was found", i=i)
    closed = sympy.expand(closed)
    step = closed - closed.subs(n, n - 1)
    checks = (sympy.Eq(step, term.subs(i, n), evaluate=False), sympy.Eq(closed.subs(n, first - 1), 0, evaluate=False))
    found = [decide_condition(check, Domain()) for check in checks]
    evidence.add(known for f in found for known in f.known)
    if any(f.status != "proved" for f in found):
        raise Undecided("no closed form of the sum over <i> that can be checked", i=i)
    if bounds:
        said = Sentence("the sum over <i> by its closed form, for <bounds> whole", i=i, bounds=bounds)
    else:
        said = Sentence("the sum over <i> by its closed form", i=i)
    evidence.notes.append(said)
    return closed.subs(n, last)


def _hold_terms(
    env: Environment, call: Call, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr, evidence: Evidence
) -> None:
    """Refuse a sum some of whose terms are about sizes that an operation does not have."""
    between = (sympy.Ge(i, first, evaluate=False), sympy.Le(i, last, evaluate=False))
    given = domain_of_given(env)
    others = [f for f in given.assumptions if i.name not in variables(f)]
    within = replace(given, integers=given.integers | {i.name}, assumptions=tuple(others))
    evidence.add(hold_range(env, call.arguments[0], i, within.where(*(formula_of(b)[0] for b in between))))


def _added(term: sympy.Expr, i: sympy.Symbol, numbers: range) -> sympy.Expr:
    """Return a sum term by term; of a polynomial, by the sums of the powers."""
    powers = term.is_polynomial(i)
    if numbers.stop - numbers.start > (most := MAX_TERMS if powers else MAX_OTHER_TERMS):
        raise Undecided("a sum of more than <most> terms", most=most)
    if not powers:
        return sympy.Add(*(term.subs(i, k) for k in numbers))
    rows = sympy.Poly(term, i).terms()
    return sympy.Add(*(c * sum(k ** int(e) for k in numbers) for (e,), c in rows))


def _over_whole_bounds(
    env: Environment, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr
) -> tuple[Domain, str]:  # fmt: skip
    """Return the domain in which the bounds of a sum are whole numbers, and what that asks to be whole."""
    given = domain_of_given(env)
    open_ = [bound for bound in dict.fromkeys((first, last)) if not bound.is_integer]
    if not open_:
        return given, ""
    whole = given.where(*(("int", to_term(bound)) for bound in open_))
    said = joined("<first> and <second>", map(plain, open_))
    if any(bound.is_integer is False for bound in open_) or not whole.can_hold():
        raise Undecided("the sum over <i> has a bound that is no whole number: <said>", i=i, said=said)
    return whole, said


def _refuse_backwards(domain: Domain, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr) -> None:
    """A closed form counts terms off where a sum ends before it begins; then nothing should be added."""
    backwards = sympy.Ge(last, first - 1, evaluate=False)
    if decide_condition(backwards, domain).status != "proved":
        raise Undecided(
            "the sum over <i> may end before it begins; state in given that <last> >= <what>",
            i=i,
            last=last,
            what=first - 1,
        )


def _extremum(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    where = call.function.startswith("arg")
    find = minimum if call.function in ("argmin", "minimum") else maximum
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(name_of(call.arguments[1]))
    expr = expr.replace(sympy.Abs, lambda inside: sympy.Max(inside, -inside))
    if len(call.arguments) > 2:
        return _among(env, call, expr, x, evidence)
    if find is minimum and x.is_integer:
        return _whole(env, call, expr, x, evidence)
    try:
        found = find(expr, x, *env.given_about(x))
        known = prove_extremum(found).derivation
    except RoofproofError as problem:  # it is not found
        if (by_slope := _by_slope(env, expr, x, find is minimum)) is None:
            if approached := _approached(env, expr, x, find is minimum):
                raise evidence.no_value(*approached) from None
            raise Undecided(problem.said) from None
        at, rests = by_slope
        evidence.add([rests])
        return at if where else expr.xreplace({x: at})
    try:
        value = found.at(x) if where else found.value
    except RoofproofError as problem:  # there is none, at least not always
        nowhere = not any(isinstance(outcome, Attained) and (outcome.unique or not where) for _, outcome in found)
        raise evidence.no_value(problem.said, known) if nowhere else Undecided(problem.said) from None
    evidence.add(known)
    if value.has(sympy.Piecewise):
        raise Undecided(
            "the <sense> is not the same everywhere: <what>", sense=found.sense, what="; ".join(str(found).splitlines())
        )
    return value


def _by_slope(env: Environment, expr: sympy.Expr, x: sympy.Symbol, least: bool) -> tuple[sympy.Expr, Known] | None:
    """Return where a function with roots of sums or logarithms is least, or largest, and what that rests on."""
    f, domain = expr if least else -expr, domain_of_given(env)
    if domain.signs or domain.integers:
        return None
    ends = (to_expr(f[2]) for f in domain.assumptions if f[0] == ">=" and f[1] == ("v", x.name) and f[2][0] == "q")
    for at in islice(chain(ends, stationary_places(f, x)), PLACES):
        with suppress(RoofproofError):
            known = least_at(with_functions(f), x.name, with_functions(at), domain.assumptions)
            if known is not None:
                return at, known
    return None


def _approached(
    env: Environment, expr: sympy.Expr, x: sympy.Symbol, least: bool
) -> tuple[Sentence, list[Known]] | None:
    """Return that there is no least value, or largest, as one is approached and never taken; and what that rests on."""
    domain = domain_of_given(env)
    if domain.signs or domain.integers or any(x.name in variables(f) for f in domain.assumptions):
        return None
    for end in (sympy.oo, sympy.Integer(0)):
        with suppress(RoofproofError):
            limit, known = proved_limit(expr, Regime(f"{x} -> {end}"), env, Evidence())
            beyond = (sympy.Gt if least else sympy.Lt)(expr, limit.value, evaluate=False)
            found = decide_condition(beyond, domain) if limit.value.is_finite else None
            if found is not None and found.status == "proved":
                sense, outcome = "minimum" if least else "maximum", str(Approached(limit.value, ((x, end),)))
                return Sentence("there is no <sense>: <outcome>", sense=sense, outcome=outcome), [*known, *found.known]
    return None


def _whole(env: Environment, call: Call, expr: sympy.Expr, x: sympy.Symbol, evidence: Evidence) -> sympy.Expr:
    """Return the best integer, by exact comparison of the neighbours of the real optimum."""
    where = call.function.startswith("arg")
    found = argmin_integer(expr, x, env.given_about(x)[0])
    for at in found.at:
        hold_size(env, call.arguments[0], x, at, BREAKS)
    evidence.add(prove_discrete(found).derivation)
    if where and len(found.at) > 1:
        raise Undecided("the best is taken at <what>", what=joined("<first> and <second>", map(str, found.at)))
    return sympy.Integer(found.at[0]) if where else found.value


def _among(env: Environment, call: Call, expr: sympy.Expr, x: sympy.Symbol, evidence: Evidence) -> sympy.Expr:
    """Return the best of a few values by exact comparison."""
    asked, _, choices = call.arguments
    least, where = call.function in ("argmin", "minimum"), call.function.startswith("arg")
    if not isinstance(choices, Choices):
        raise RoofproofError("a set such as {1, 2, 4} is due")
    for value in map(env.to_sympy, choices.items):
        hold_size(env, asked, x, value, BREAKS)
    tried = [(expr.subs(x, value), value) for value in map(env.to_sympy, choices.items)]
    if not all(result.is_number for result, _ in tried):
        raise Undecided("the best of a set is told where every other name has a value")
    pick = min if least else max
    best = pick((result for result, _ in tried), key=lambda r: sympy.Rational(r) if r.is_Rational else r)
    at = [value for result, value in tried if result == best]
    if where and len(at) > 1:
        raise Undecided("the best is taken at <what>", what=joined("<first> and <second>", map(str, at)))
    order = sympy.Ge if least else sympy.Le
    for result in dict.fromkeys(result for result, _ in tried):
        found = decide_condition(order(result, best, evaluate=False), Domain())
        evidence.add(found.known)
    return at[0] if where else best


ANALYSIS: dict[str, Callable[..., Any]] = {
    "limit": _limit,
    "sum": _sum,
    **dict.fromkeys(("argmin", "argmax", "minimum", "maximum"), _extremum),
}
