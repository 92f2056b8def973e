"""The functions argmin, argmax, minimum and maximum of the claim language, over all positive values or over a set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice, pairwise

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.case import proved_limit
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.domain import domain_of_given
from roofproof.claims.judge.preconditions import BREAKS, check_size, sizes_in
from roofproof.claims.judge.words import (
    either,
    function_and_name,
    holding,
    outside,
    over_everything,
    positive,
    refuse_zero,
)
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import Found, NoValue, Requirement, Word
from roofproof.derive.algebra.exact_comparison import sign_of_number
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.regime import Regime
from roofproof.derive.optima.extremum import Approached, Attained, Extremum, Outcome, Unbounded
from roofproof.derive.optima.integer_optima import Discrete, argmin_integer
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.derive.optima.stationary import stationary_places
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.tree import Call, is_op
from roofproof.proofs.kernel.terms import Formula, Term, substitute, variables
from roofproof.proofs.known import Known
from roofproof.proofs.provers.discrete_proofs import prove_discrete
from roofproof.proofs.provers.optimum_proofs import prove_extremum
from roofproof.proofs.provers.slope_proofs import least_at
from roofproof.proofs.translate import to_expr, to_formula, with_functions
from roofproof.sentences import Sentence, joined

PLACES = 4  # at which a slope may be zero


def find(env: Environment, call: Call) -> Found:
    find = minimum if call.function in ("argmin", "minimum") else maximum
    expr, x, own, where = function_and_name(env, call)
    over = outside(env.where(call.arguments[0]), x)
    if len(call.arguments) > 2:
        value, hint = _among(env, call, expr, x, own, where)
        return Found(value, over, hint=hint)

    def no_better(best: sympy.Expr) -> None:
        worse = (sympy.Gt if where else sympy.Ge) if find is minimum else (sympy.Lt if where else sympy.Le)
        refuse_zero(env, call, x, worse(expr, best, evaluate=False))

    open_: str = ""
    if x.is_integer:
        try:
            at_whole, found_whole, rests_whole = _whole(env, call, expr, x, own)
            no_better(found_whole.value if find is minimum else -found_whole.value)
            return Found(at_whole, over, proofs=rests_whole, hint=found_whole)
        except Undecided:
            raise
        except RoofproofError as problem:  # other names have no value, or there is no optimum
            open_ = problem.said
    _, others = env.given_about(x)
    try:
        found = find(expr, x, own, [*others, *over])
        known = prove_extremum(found).derivation
    except RoofproofError as problem:  # it was not found
        if (by_slope := _by_slope(env, expr, x, find is minimum)) is None:
            if approached := _approached(env, expr, x, find is minimum):
                raise NoValue(*approached) from None
            raise Undecided(problem.said) from None
        at, rests = by_slope
        best = expr.xreplace({x: at})
        no_better(best)
        return Found(at if where else best, over, proofs=(rests,), hint=(at, best, (sympy.true,)))
    if open_ and not all(_of_whole(outcome, x) for _, outcome in found):
        raise Undecided(open_)
    taken = {when: o for when, o in found if isinstance(o, Attained) and (o.unique or not where)}
    if len(taken) < len([*found]):  # there is no optimum, or not everywhere
        refuse_zero(env, call, x, sympy.Ne(expr, expr, evaluate=False))
    if not taken:
        if x.name in sizes_in(env, call.arguments[0]) and not all(_of_whole(outcome, x) for _, outcome in found):
            said = "the <sense> over all numbers is <what>, but <name> takes whole numbers only"
            raise Undecided(said, sense=found.sense, what="; ".join(str(found).splitlines()), name=x)
        raise NoValue(_none(found, x, where), known)
    outcomes = [*taken.values()]
    at, best = next(v for s, v in outcomes[0].at if s.name == x.name), outcomes[0].value
    if any((o.at, o.value) != (outcomes[0].at, best) for o in outcomes[1:]):
        raise Undecided(
            "the <sense> is not the same everywhere: <what>", sense=found.sense, what="; ".join(str(found).splitlines())
        )
    no_better(best)
    proofs = tuple(k for k in known if not k.reason)
    return Found(at if where else best, (*either([*taken]), *over), proofs=proofs, hint=(at, best, (*taken,)))


def _of_whole(outcome: Outcome, x: sympy.Symbol) -> bool:
    """Return whether an optimum over all numbers is plainly the optimum over integers, too."""
    if isinstance(outcome, Attained):
        return all(at.is_Integer for s, at in outcome.at if s.name == x.name)
    return isinstance(outcome, Approached | Unbounded) and (x.name, sympy.oo) in {
        (s.name, at) for s, at in outcome.towards
    }


def _none(found: Extremum, x: sympy.Symbol, where: bool) -> str:
    """Return in words why there is no optimum."""
    try:
        return str(found.at(x) if where else found.value)
    except RoofproofError as problem:
        return problem.said


def _by_slope(env: Environment, expr: sympy.Expr, x: sympy.Symbol, least: bool) -> tuple[sympy.Expr, Known] | None:
    """Return the minimizer or maximizer of a function with roots of sums or logarithms, and its proof."""
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
    """Prove that there is no minimum or maximum, because a limit is approached and never attained."""
    domain = domain_of_given(env)
    if domain.signs or domain.integers or any(x.name in variables(f) for f in domain.assumptions):
        return None
    for end in (sympy.oo, sympy.Integer(0)):
        with suppress(RoofproofError):
            limit, known = proved_limit(expr, Regime(f"{x} -> {end}"), env)
            beyond = (sympy.Gt if least else sympy.Lt)(expr, limit.value, evaluate=False)
            found = decide_condition(Formula.of(beyond), domain) if limit.value.is_finite else None
            if found is not None and found.status == "proved":
                sense, outcome = "minimum" if least else "maximum", str(Approached(limit.value, ((x, end),)))
                return Sentence("there is no <sense>: <outcome>", sense=sense, outcome=outcome), [*known, *found.known]
    return None


def _whole(
    env: Environment, call: Call, expr: sympy.Expr, x: sympy.Symbol, own: Sequence[Boolean]
) -> tuple[sympy.Expr, Discrete, tuple[Known, ...]]:
    """Return the best integer, by exact comparison next to the real optimum. A maximum of f is a minimum of -f."""
    where, sign = call.function.startswith("arg"), 1 if call.function in ("argmin", "minimum") else -1
    found = argmin_integer(sign * expr, x, own)
    for at in found.at:
        check_size(env, call.arguments[0], x, at, BREAKS)
    if where and len(found.at) > 1:
        raise Undecided("the best is taken at <what>", what=joined("<first> and <second>", map(str, found.at)))
    best = sympy.Integer(found.at[0]) if where else sign * found.value
    return best, found, tuple(prove_discrete(found).derivation)


def _among(
    env: Environment, call: Call, expr: sympy.Expr, x: sympy.Symbol, own: Sequence[Boolean], where: bool
) -> tuple[sympy.Expr, tuple[sympy.Expr, sympy.Expr, tuple[Boolean, ...]]]:
    """Return the best value of a set by exact comparison."""
    asked, _, choices = call.arguments
    least = call.function in ("argmin", "minimum")
    if not is_op(choices, "set"):
        raise RoofproofError("expected a set such as {1, 2, 4}")
    over_everything(env, asked, x)
    items = [env.to_sympy(item) for item in choices.args]
    for value in items:
        check_size(env, asked, x, value, BREAKS)
        if (broken := next((c for c in own if c.subs(x, value) == sympy.false), None)) is not None:
            said = "<value> is not a value of <name>, for which <condition>"
            raise Undecided(said, value=value, name=x, condition=plain(broken))
    tried = [(expr.subs(x, value), value) for value in items]
    if not all(result.is_number for result, _ in tried):
        raise Undecided("the best of a set needs a value for every other name")
    best, _ = tried[0]
    for result, _ in tried[1:]:
        best = result if sign_of_number(result - best if least else best - result) < 0 else best
    at = [value for result, value in tried if sign_of_number(result - best) == 0]
    if where and len(at) > 1:
        raise Undecided("the best is taken at <what>", what=joined("<first> and <second>", map(str, at)))
    return at[0] if where else best, (at[0], best, (sympy.true,))


def due(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    if isinstance(found.hint, Discrete):
        yield from _due_of_whole(env, call, found)
        return
    _, x, _, _ = function_and_name(env, call)
    if x.is_integer:
        yield holding(sympy.Eq(found.hint[0], sympy.floor(found.hint[0]), evaluate=False))
    yield from _due_of_real(env, call, found)


def _due_of_real(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    f, x, own, where = function_and_name(env, call)
    at, best, whens = found.hint
    if (found.value is not at) if where else (found.value is not best):
        yield holding(sympy.Eq(found.value, at if where else best, evaluate=False))
    if is_op(call.arguments[-1], "set"):
        yield from _due_among(env, call, f, x, at, best, where, own)
        return
    f, best = (f, best) if call.function in ("argmin", "minimum") else (-f, -best)
    place, least = with_functions(at), with_functions(best)
    here = tuple(to_formula(c, with_functions) for c in own)
    more = Formula(">", with_functions(f), least)
    by_slope = Formula(">", with_functions(f), substitute(with_functions(f), {x.name: place}))
    orders = {p.exp.q for p in f.atoms(sympy.Pow) if p.base == x and p.exp.is_Rational}  # also stated for roots of x
    there = [tuple(with_functions(e ** sympy.Rational(1, n)) for e in (x, at)) for n in sorted({1, *orders})]
    elsewhere: tuple[Formula, ...] = tuple(
        Formula("or", Formula("=", *sides), m) for sides in there for m in (more, by_slope)
    )
    for when in whens:
        given = (*here, *_as_assumptions(when))
        bound: tuple[Formula, ...] = (Formula(">=", *more[1:]), *elsewhere)
        yield Requirement(elsewhere, given) if where else Requirement(bound, given, sympy.Ge(f, best, evaluate=False))
        taken = Formula("=", substitute(with_functions(f), {x.name: place}), least)
        yield Requirement((taken,), _as_assumptions(when), sympy.Eq(f.xreplace({x: at}), best, evaluate=False))
        for each in own:
            yield holding(each.xreplace({x: at}), _as_assumptions(when))
        yield from positive(at, _as_assumptions(when))


def _as_assumptions(when: Boolean) -> tuple[Formula, ...]:
    return () if when == sympy.true else (to_formula(when, with_functions),)


def _due_among(
    env: Environment,
    call: Call,
    f: sympy.Expr,
    x: sympy.Symbol,
    at: sympy.Expr,
    best: sympy.Expr,
    where: bool,
    own: Sequence[Boolean],
) -> Iterator[Requirement]:
    least = call.function in ("argmin", "minimum")
    chosen = call.arguments[-1]
    assert is_op(chosen, "set")
    items = [env.to_sympy(item) for item in chosen.args]
    yield Requirement(tuple(Formula("=", with_functions(item), with_functions(at)) for item in items))
    yield holding(sympy.Eq(f.subs(x, at), best, evaluate=False))
    worse = (sympy.Gt if least else sympy.Lt) if where else (sympy.Ge if least else sympy.Le)
    for item in items:
        for each in own:
            yield holding(each.xreplace({x: item}))
        yield holding((sympy.Gt if x.is_positive else sympy.Ge)(item, 0, evaluate=False))
        if x.is_integer:
            yield holding(sympy.Eq(item, sympy.floor(item), evaluate=False))
        if not where or item is not at:
            yield holding(worse(f.subs(x, item), best, evaluate=False))


def _due_of_whole(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    """Yield the requirements on the best integer: f there and at nearby integers, and bounds between and beyond."""
    f, x, own, where = function_and_name(env, call)
    best, sign = found.hint, 1 if call.function in ("argmin", "minimum") else -1
    f = sign * f
    n, points = Term("v", x.name), sorted({*best.at, *best.looked_at})
    at = best.at[0]
    yield holding(sympy.Eq(found.value, at if where else sign * best.value, evaluate=False))
    least, here = with_functions(best.value), tuple(to_formula(c, with_functions) for c in own)
    yield Requirement((Formula("=", substitute(with_functions(f), {x.name: Term("q", at, 1)}), least),))
    for each in own:
        yield holding(each.xreplace({x: sympy.Integer(at)}))
    for k in points:
        if k not in best.at or (where and k != at):
            relation = ">" if where else ">="
            yield Requirement((Formula(relation, substitute(with_functions(f), {x.name: Term("q", k, 1)}), least),))
    ends: list[tuple[int, int | None]] = [(0, points[0]), *pairwise(points), (points[-1], None)]
    for low, high in ends:
        if high is None or high > low + 1:
            given: tuple[Formula, ...] = (
                Formula(">=", n, Term("q", low, 1)),
                Formula(">", n, Term("q", low, 1)),
                Formula("int", n),
            )
            given += () if high is None else (Formula(">=", Term("q", high, 1), n), Formula(">", Term("q", high, 1), n))
            goal = Formula(">=", with_functions(f), least)
            yield Requirement((goal,), (*here, *given), integers=frozenset([x.name]))


WORDS = dict.fromkeys(("argmin", "argmax", "minimum", "maximum"), Word(find, due))
