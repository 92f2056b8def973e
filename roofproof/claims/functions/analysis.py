"""Functions of the claim language about limits, sums and optima: over all positive values, or among a few."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, islice

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.functions.asked import (
    added,
    function_and_name,
    near,
    outside,
    over_everything,
    refuse_zero,
    regime_of,
)
from roofproof.claims.functions.meanings import MEANINGS
from roofproof.claims.judging.bridge import same_value
from roofproof.claims.judging.case import Evidence, proved_limit
from roofproof.claims.judging.decide_condition import decide_condition
from roofproof.claims.judging.decide_formula import Finding
from roofproof.claims.judging.domain import Domain, domain_of_given, formula_of
from roofproof.claims.judging.far_out import decide_far_out
from roofproof.claims.judging.obligations import MAX_TERMS
from roofproof.claims.judging.preconditions import BREAKS, hold_given_in, hold_range, hold_regime, hold_size, sizes_in
from roofproof.claims.judging.value import Value, either
from roofproof.claims.language.environment import Environment
from roofproof.derive.algebra.radicals import sign_of_number
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import Limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.optima.extremum import Approached, Attained, Extremum, Outcome, Unbounded
from roofproof.derive.optima.integer_optima import Discrete, argmin_integer
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.derive.optima.stationary import stationary_places
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.tree import Call, is_op, name_of
from roofproof.proofs.kernel.terms import Formula, Term, substitute, variables
from roofproof.proofs.known import Known
from roofproof.proofs.provers.discrete_proofs import prove_discrete
from roofproof.proofs.provers.optimum_proofs import prove_extremum
from roofproof.proofs.provers.slope_proofs import least_at
from roofproof.proofs.translate import to_expr, to_term, with_functions
from roofproof.sentences import Sentence, joined

FEW = 20  # added one by one, where it is one
PLACES = 4  # at which a slope may be zero


def _limit(env: Environment, call: Call, evidence: Evidence) -> Value:
    asked = call.arguments[0]
    if (regime := regime_of(call, env, evidence.regime)) is not None:
        hold_regime(env, asked, regime)
        hold_given_in(env, regime)
        expr, where = env.to_sympy(asked), list[Boolean]()
        for condition in env.where(asked):
            if not {s.name for s in condition.free_symbols} & {*regime.growing, *regime.shrinking}:
                where.append(condition)
            elif decide_far_out(condition, domain_of_given(env), regime).status != "proved":
                said = "it has a value only where <condition>, which is not seen far out"
                raise Undecided(said, condition=plain(condition))
        found, known = proved_limit(expr, regime, env, evidence)
        return Value(found.value, tuple(where), env, call, MEANINGS["limit"], known, (_hint(expr, found, known),))
    return _at(env, call, evidence)


def _hint(expr: sympy.Expr, found: Limit, known: Sequence[Known]) -> tuple[sympy.Expr, Limit, bool]:
    """Return a limit with its function, and whether it is known by bounds and not by a statement that it tends."""
    return expr, found, not any(k.statement.goal[0] in ("tends", "=") for k in known)


def _at(env: Environment, call: Call, evidence: Evidence) -> Value:
    """Return the limit at a finite place, from both sides or from the one on which the domain lies."""
    x, target = env.symbol(name_of(call.arguments[1])), env.to_sympy(call.arguments[2])
    where, domain = over_everything(env, call.arguments[0], x), domain_of_given(env)
    hint: list[tuple[sympy.Expr, Limit, bool]] = []
    known: list[Known] = []
    for at, there in near(env, call):
        found, rests = proved_limit(there, Regime("t -> oo"), env, evidence)
        hint.append(_hint(there, found, rests))
        known += [*rests, *_put_in(env, call, x, at, there)]
    if not hint:
        raise Undecided("<x> does not come near <target> in what is given", x=x, target=plain(target))
    values = [found.value for _, found, _ in hint]
    for other in values[1:]:
        if values[0].is_infinite or other.is_infinite:
            same = Finding("proved" if values[0] is other else "refuted")
        else:
            same = decide_condition(Formula("=", Term.of(values[0]), Term.of(other)), domain)
        known += same.known
        if same.status == "refuted":
            above, below = map(plain, values)
            form = "there is no limit at <x> = <target>: <above> from above, <below> from below"
            said = Sentence(form, x=x, target=plain(target), above=above, below=below)
            raise evidence.no_value(said, known)
        if same.status == "open":
            raise Undecided("whether <left> is <right>: <reason>", left=values[0], right=other, reason=same.reason)
    return Value(values[0], where, env, call, MEANINGS["limit"], tuple(known), tuple(hint))


def _put_in(env: Environment, call: Call, x: sympy.Symbol, at: sympy.Expr, there: sympy.Expr) -> tuple[Known, ...]:
    """Prove that what SymPy makes of a function near a place is that function, with the place put in."""
    with suppress(RoofproofError, TypeError):
        f = substitute(with_functions(env.to_sympy(call.arguments[0])), {x.name: with_functions(at)})
        if f != (form := with_functions(there)):
            given = domain_of_given(env)
            apart = tuple(a for a in given.assumptions if x.name not in variables(a))
            return (same_value(f, form, replace(given, assumptions=apart)),)
    return ()


def _sum(env: Environment, call: Call, evidence: Evidence) -> Value:
    """Return the closed form of a sum, checked by the difference of neighbours and by the empty sum."""
    term, i, first, last = added(env, call)
    where = outside(tuple(w for part in call.arguments for w in env.where(part)), i)
    evidence.add(_hold_terms(env, call, i, first, last))
    believed = partial(Value, where=where, env=env, call=call, means=MEANINGS["sum"])
    if first.is_Integer and last.is_Integer and (last - first < FEW or not term.is_polynomial(i)):
        return believed(_added(term, i, range(int(first), int(last) + 1)))
    domain, bounds = _over_whole_bounds(env, i, first, last)
    evidence.whole.extend(f for f in domain.assumptions if f[0] == "int" and f not in evidence.whole)
    _refuse_backwards(domain, i, first, last)
    n = sympy.Symbol("n!", positive=True, integer=True)
    try:
        closed = _closed(sympy.expand(term), i, first, n)
    except (ArithmeticError, NotImplementedError, TypeError, ValueError) as fault:  # SymPy meets a pole of its own
        raise Undecided("no closed form of the sum over <i> was found: <fault>", i=i, fault=fault) from None
    closed = sympy.piecewise_fold(closed)
    if isinstance(closed, sympy.Piecewise) and closed.args[-1].cond == sympy.true:  # r^i, but for r = 1
        but = [c for _, c in closed.args[:-1]]
        evidence.notes.append(Sentence("but for <what>", what=joined("<first> or <second>", map(plain, but))))
        believed = partial(believed, where=(*where, *(sympy.Not(c) for c in but)))
        closed = sympy.factor(closed.args[-1].expr)
    if closed.has(sympy.Sum) or closed.atoms(sympy.Function) - term.atoms(sympy.Function):
        raise Undecided("no closed form of the sum over <i> was found", i=i)
    closed = sympy.expand(closed)
    if bounds:
        form = "the sum over <i> by its closed form, for <bounds> whole"
        evidence.notes.append(Sentence(form, i=i, bounds=bounds))
    elif not last.is_Integer:
        evidence.notes.append(Sentence("the sum over <i> by its closed form", i=i))
    return believed(closed.subs(n, last), hint=(closed, n))


def _closed(term: sympy.Expr, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr) -> sympy.Expr:
    """Return what SymPy makes of a sum; of a polynomial it is asked about the powers, which are few.

    >>> u, v, i, n = sympy.symbols("u v i n")
    >>> sympy.expand(_closed(6*u*i + v, i, sympy.Integer(1), n))                   # 6 u n (n + 1)/2 + v n
    3*n**2*u + 3*n*u + n*v
    """
    if not term.is_polynomial(*term.free_symbols) or sympy.degree(term, i) > FEW:
        return sympy.summation(term, (i, first, last))
    terms = sympy.Poly(term, i).terms()
    return sympy.Add(*(c * _of_powers(i, int(k), first, last) for (k,), c in terms))


@lru_cache(maxsize=256)
def _of_powers(i: sympy.Symbol, k: int, first: sympy.Expr, last: sympy.Expr) -> sympy.Expr:
    return sympy.summation(i**k, (i, first, last))


def _hold_terms(
    env: Environment, call: Call, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr
) -> tuple[Known, ...]:
    """Refuse a sum some of whose terms are about sizes that an operation does not have."""
    between = (sympy.Ge(i, first, evaluate=False), sympy.Le(i, last, evaluate=False))
    given = domain_of_given(env)
    others = [f for f in given.assumptions if i.name not in variables(f)]
    within = replace(given, integers=given.integers | {i.name}, assumptions=tuple(others))
    within = within.where(*(formula_of(b) for b in between))
    known = list(hold_range(env, call.arguments[0], i, within))
    for condition in env.where(call.arguments[0]):
        if i in condition.free_symbols:
            found = decide_condition(Formula.of(condition), within)
            if found.status != "proved":
                said = "it has a value only where <condition>, which is open for some <i> of the sum"
                raise Undecided(said, condition=plain(condition), i=i)
            known += found.known
    return tuple(known)


def _added(term: sympy.Expr, i: sympy.Symbol, numbers: range) -> sympy.Expr:
    """Return a sum term by term."""
    if len(numbers) > MAX_TERMS:
        raise Undecided("a sum of more than <most> terms", most=MAX_TERMS)
    terms = [term.subs(i, k) for k in numbers]
    if (
        none := next((k for k, each in zip(numbers, terms, strict=True) if each.has(sympy.zoo, sympy.nan)), None)
    ) is not None:
        raise Undecided("the term of the sum has no value at <i> = <k>", i=i, k=none)
    return sympy.Add(*terms)


def _over_whole_bounds(
    env: Environment, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr
) -> tuple[Domain, str]:  # fmt: skip
    """Return the domain in which the bounds of a sum are whole numbers, and what that asks to be whole."""
    given = domain_of_given(env)
    open_ = [bound for bound in dict.fromkeys((first, last)) if not bound.is_integer]
    if not open_:
        return given, ""
    whole = given.where(*(Formula("int", to_term(bound)) for bound in open_))
    said = joined("<first> and <second>", map(plain, open_))
    if any(bound.is_integer is False for bound in open_) or not whole.can_hold():
        raise Undecided("the sum over <i> has a bound that is no whole number: <said>", i=i, said=said)
    return whole, said


def _refuse_backwards(domain: Domain, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr) -> None:
    """A closed form counts terms off where a sum ends before it begins; then nothing should be added."""
    backwards = sympy.Ge(last, first - 1, evaluate=False)
    if decide_condition(Formula.of(backwards), domain).status != "proved":
        raise Undecided(
            "the sum over <i> may end before it begins; state in given that <last> >= <what>",
            i=i,
            last=last,
            what=first - 1,
        )


def _extremum(env: Environment, call: Call, evidence: Evidence) -> Value:
    find = minimum if call.function in ("argmin", "minimum") else maximum
    expr, x, own, where = function_and_name(env, call)
    over = outside(env.where(call.arguments[0]), x)
    believed = partial(Value, env=env, call=call, means=MEANINGS[call.function])
    if len(call.arguments) > 2:
        value, hint = _among(env, call, expr, x, own, where)
        return believed(value, over, hint=hint)

    def no_better(best: sympy.Expr) -> None:
        worse = (sympy.Gt if where else sympy.Ge) if find is minimum else (sympy.Lt if where else sympy.Le)
        refuse_zero(env, call, x, worse(expr, best, evaluate=False))

    open_: str = ""
    if x.is_integer:
        try:
            at_whole, found_whole, rests_whole = _whole(env, call, expr, x, own)
            no_better(found_whole.value if find is minimum else -found_whole.value)
            return believed(at_whole, over, proofs=rests_whole, hint=found_whole)
        except Undecided:
            raise
        except RoofproofError as problem:  # other names have no value, or there is none
            open_ = problem.said
    _, others = env.given_about(x)
    try:
        found = find(expr, x, own, [*others, *over])
        known = prove_extremum(found).derivation
    except RoofproofError as problem:  # it is not found
        if (by_slope := _by_slope(env, expr, x, find is minimum)) is None:
            if approached := _approached(env, expr, x, find is minimum):
                raise evidence.no_value(*approached) from None
            raise Undecided(problem.said) from None
        at, rests = by_slope
        best = expr.xreplace({x: at})
        no_better(best)
        return believed(at if where else best, over, proofs=(rests,), hint=(at, best, (sympy.true,)))
    if open_ and not all(_of_whole(outcome, x) for _, outcome in found):
        raise Undecided(open_)
    taken = {when: o for when, o in found if isinstance(o, Attained) and (o.unique or not where)}
    if len(taken) < len([*found]):  # there is none, or not everywhere
        refuse_zero(env, call, x, sympy.Ne(expr, expr, evaluate=False))
    if not taken:
        if x.name in sizes_in(env, call.arguments[0]) and not all(_of_whole(outcome, x) for _, outcome in found):
            said = "the <sense> over all numbers is <what>, and of <name> only whole ones are sizes"
            raise Undecided(said, sense=found.sense, what="; ".join(str(found).splitlines()), name=x)
        raise evidence.no_value(_none(found, x, where), known)
    outcomes = [*taken.values()]
    at, best = next(v for s, v in outcomes[0].at if s.name == x.name), outcomes[0].value
    if any((o.at, o.value) != (outcomes[0].at, best) for o in outcomes[1:]):
        raise Undecided(
            "the <sense> is not the same everywhere: <what>", sense=found.sense, what="; ".join(str(found).splitlines())
        )
    no_better(best)
    proofs = tuple(k for k in known if not k.reason)
    return believed(at if where else best, (*either([*taken]), *over), proofs=proofs, hint=(at, best, (*taken,)))


def _of_whole(outcome: Outcome, x: sympy.Symbol) -> bool:
    """Tell whether what is the best of all numbers is seen to be the best of whole ones."""
    if isinstance(outcome, Attained):
        return all(at.is_Integer for s, at in outcome.at if s.name == x.name)
    return isinstance(outcome, Approached | Unbounded) and (x.name, sympy.oo) in {
        (s.name, at) for s, at in outcome.towards
    }


def _none(found: Extremum, x: sympy.Symbol, where: bool) -> str:
    """Return in words why nothing is the best."""
    try:
        return str(found.at(x) if where else found.value)
    except RoofproofError as problem:
        return problem.said


def _by_slope(env: Environment, expr: sympy.Expr, x: sympy.Symbol, least: bool) -> tuple[sympy.Expr, Known] | None:
    """Return the minimizer, or maximizer, of a function with roots of sums or logarithms, and what it rests on."""
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
    """Prove that there is no least value, or largest, as one is approached and never taken; and what that rests on."""
    domain = domain_of_given(env)
    if domain.signs or domain.integers or any(x.name in variables(f) for f in domain.assumptions):
        return None
    for end in (sympy.oo, sympy.Integer(0)):
        with suppress(RoofproofError):
            limit, known = proved_limit(expr, Regime(f"{x} -> {end}"), env, Evidence())
            beyond = (sympy.Gt if least else sympy.Lt)(expr, limit.value, evaluate=False)
            found = decide_condition(Formula.of(beyond), domain) if limit.value.is_finite else None
            if found is not None and found.status == "proved":
                sense, outcome = "minimum" if least else "maximum", str(Approached(limit.value, ((x, end),)))
                return Sentence("there is no <sense>: <outcome>", sense=sense, outcome=outcome), [*known, *found.known]
    return None


def _whole(
    env: Environment, call: Call, expr: sympy.Expr, x: sympy.Symbol, own: Sequence[Boolean]
) -> tuple[sympy.Expr, Discrete, tuple[Known, ...]]:
    """Return the best integer, by exact comparison of the neighbours of the real optimum; a maximum is of -f."""
    where, sign = call.function.startswith("arg"), 1 if call.function in ("argmin", "minimum") else -1
    found = argmin_integer(sign * expr, x, own)
    for at in found.at:
        hold_size(env, call.arguments[0], x, at, BREAKS)
    if where and len(found.at) > 1:
        raise Undecided("the best is taken at <what>", what=joined("<first> and <second>", map(str, found.at)))
    best = sympy.Integer(found.at[0]) if where else sign * found.value
    return best, found, tuple(prove_discrete(found).derivation)


def _among(
    env: Environment, call: Call, expr: sympy.Expr, x: sympy.Symbol, own: Sequence[Boolean], where: bool
) -> tuple[sympy.Expr, tuple[sympy.Expr, sympy.Expr, tuple[Boolean, ...]]]:
    """Return the best of a few values by exact comparison."""
    asked, _, choices = call.arguments
    least = call.function in ("argmin", "minimum")
    if not is_op(choices, "set"):
        raise RoofproofError("expected a set such as {1, 2, 4}")
    over_everything(env, asked, x)
    items = [env.to_sympy(item) for item in choices.args]
    for value in items:
        hold_size(env, asked, x, value, BREAKS)
        if (broken := next((c for c in own if c.subs(x, value) == sympy.false), None)) is not None:
            said = "<value> is no value of <name>, of which <condition>"
            raise Undecided(said, value=value, name=x, condition=plain(broken))
    tried = [(expr.subs(x, value), value) for value in items]
    if not all(result.is_number for result, _ in tried):
        raise Undecided("the best of a set is told where every other name has a value")
    best, _ = tried[0]
    for result, _ in tried[1:]:
        best = result if sign_of_number(result - best if least else best - result) < 0 else best
    at = [value for result, value in tried if sign_of_number(result - best) == 0]
    if where and len(at) > 1:
        raise Undecided("the best is taken at <what>", what=joined("<first> and <second>", map(str, at)))
    return at[0] if where else best, (at[0], best, (sympy.true,))


ANALYSIS: dict[str, Callable[[Environment, Call, Evidence], Value]] = {
    "limit": _limit,
    "sum": _sum,
    **dict.fromkeys(("argmin", "argmax", "minimum", "maximum"), _extremum),
}
