"""What the words of the claim language mean: what has to hold of a value, in terms of the call, for it to be the one.

solve(e, x) = v         e <=> x = v for every x, and v > 0
threshold(op, C, x) = v op is compute-bound on C <=> x > v, or x < v, x >= v, x <= v, and v > 0
smallest(n, P) = k      P at n = k, and at no whole n from 1 to k - 1; `largest` likewise
minimum(f, x) = m       f >= m for every x, and f = m at some x that is allowed; `maximum` likewise
argmin(f, x) = p        f(p) <= f, and f(p) < f at every other x; `argmax` likewise
limit(f, x) = v         f -> v as x -> oo, stage by stage; at a place from each side on which x may lie
sum(f, i, a, b) = s     s = S(b) for some S with S(n) - S(n - 1) = f(n) and S(a - 1) = 0
degree(f, x) = d        f/x^d -> c as x -> oo, for some c > 0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.functions.asked import (
    added,
    equation,
    exceeded,
    function_and_name,
    functions_in_limit,
    integers_asked,
)
from roofproof.claims.judging.domain import domain_of_given, formula_of
from roofproof.claims.judging.far_out import comes_close
from roofproof.claims.judging.value import Due, Meaning, Value, holding
from roofproof.derive.inequalities.cases import Above, Below, Between, Case, Cases, Threshold
from roofproof.derive.limits.limits import Limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.limits.theorems import in_roots, limit_goals
from roofproof.derive.optima.integer_optima import Discrete
from roofproof.derive.optima.monotone import Monotone
from roofproof.derive.roofline.allowed_sizes import divided_by
from roofproof.errors import RoofproofError
from roofproof.formula.tree import is_op
from roofproof.proofs.kernel.terms import Formula, Term, substitute
from roofproof.proofs.provers.monotone_proofs import monotone_statements
from roofproof.proofs.provers.thresholds import statements_of
from roofproof.proofs.search.divisor_exclusion import divides
from roofproof.proofs.translate import defined, to_formula, wanted, with_functions

FEW = 20  # fractions that are added up
FALSE = Due((Formula("false"),))  # the hint is about something else


def _where_it_is(condition: Boolean, x: sympy.Symbol, when: Boolean, thresholds: Sequence[Threshold]) -> Due:
    """Require that a condition holds just where one of a few thresholds is met."""
    asked = wanted(condition)
    told = [statements_of(asked, Cases(x, (Case(when, t),)))[0] for t in thresholds]
    return Due(tuple(s.goal for s in told), told[0].assumptions)


def _positive(value: sympy.Expr, given: Sequence[Formula] = ()) -> Iterator[Due]:
    if not value.is_positive:
        yield holding(sympy.Gt(value, 0, evaluate=False), given)


def _threshold(value: Value) -> Iterator[Due]:
    condition, x = exceeded(value.env, value.call)
    at = [kind(value.expr, strict) for strict in (True, False) for kind in (Above, Below)]
    for when in value.hint:
        yield _where_it_is(condition, x, when, at)
    yield from _positive(value.expr)


def _solve(value: Value) -> Iterator[Due]:
    condition, x, power, own = equation(value.env, value.call)
    root, whens = value.hint
    for when in whens:
        yield _where_it_is(condition, x, when, [Between(root, root, strict=False)])
    if power != 1:
        yield holding(sympy.Eq(value.expr, root**power, evaluate=False))
        for each in own:
            yield holding(each.xreplace({x: value.expr}))
    else:
        yield holding(sympy.Eq(value.expr, root, evaluate=False))
    yield from _positive(root)


def _integer(value: Value) -> Iterator[Due]:
    least, x, condition, whole = integers_asked(value.env, value.call)
    n, k = Term("v", x.name), int(value.expr)
    sizes = divided_by(x, whole)
    others = [to_formula(c.replace(sympy.Mod, lambda a, b: a - b * sympy.floor(a / b))) for c in whole
              if not divided_by(x, [c])]  # fmt: skip
    more = (*others, *(divides(n, size) for size in sizes))
    forms = [wanted(condition), defined(to_formula(condition, with_functions))]
    each = [Formula("and", f, *more) if more else f for f in forms]
    here: Formula = substitute(each[0], {x.name: Term("q", k, 1)})
    for part in here[1:] if here[0] == "and" else (here,):
        yield Due((part,))
    first, last = (1, k - 1) if least else (k + 1, None)
    none: tuple[Formula, ...] = tuple(Formula("not", f) for f in each)
    for low, high in _ranges(first, last, value.hint):
        beyond: tuple[Formula, ...] = (
            Formula("int", n),
            Formula(">=", n, Term("q", low, 1)),
            Formula(">", n, Term("q", low - 1, 1)),
        )
        if high is not None:
            beyond = (*beyond, Formula(">=", Term("q", high, 1), n), Formula(">", Term("q", high + 1, 1), n))
        yield Due(none, beyond, integers=frozenset([x.name]))


def _ranges(low: int, high: int | None, ends: Iterable[int]) -> Iterator[tuple[int, int | None]]:
    """Yield ranges of whole numbers that together are all of one: parted where it was gone through part by part.

    >>> list(_ranges(1, 9, [3, 12])), list(_ranges(1, 0, []))
    ([(1, 3), (4, 9)], [])
    """
    for end in sorted({*ends}):
        if low <= end and (high is None or end < high):
            yield low, end
            low = end + 1
    if high is None or low <= high:
        yield low, high


def _extremum(value: Value) -> Iterator[Due]:
    f, x, own, where = function_and_name(value.env, value.call)
    at, best, whens = value.hint
    if (value.expr is not at) if where else (value.expr is not best):
        yield holding(sympy.Eq(value.expr, at if where else best, evaluate=False))
    if is_op(value.call.arguments[-1], "set"):
        yield from _among(value, f, x, at, best, where, own)
        return
    f, best = (f, best) if value.call.function in ("argmin", "minimum") else (-f, -best)
    place, least = with_functions(at), with_functions(best)
    here = tuple(to_formula(c, with_functions) for c in own)
    more = Formula(">", with_functions(f), least)
    by_slope = Formula(">", with_functions(f), substitute(with_functions(f), {x.name: place}))
    orders = {p.exp.q for p in f.atoms(sympy.Pow) if p.base == x and p.exp.is_Rational}  # said of a root of x
    there = [tuple(with_functions(e ** sympy.Rational(1, n)) for e in (x, at)) for n in sorted({1, *orders})]
    elsewhere: tuple[Formula, ...] = tuple(
        Formula("or", Formula("=", *sides), m) for sides in there for m in (more, by_slope)
    )
    for when in whens:
        given = (*here, *_given(when))
        bound: tuple[Formula, ...] = (Formula(">=", *more[1:]), *elsewhere)
        yield Due(elsewhere, given) if where else Due(bound, given, sympy.Ge(f, best, evaluate=False))
        taken = Formula("=", substitute(with_functions(f), {x.name: place}), least)
        yield Due((taken,), _given(when), sympy.Eq(f.xreplace({x: at}), best, evaluate=False))
        for each in own:
            yield holding(each.xreplace({x: at}), _given(when))
        yield from _positive(at, _given(when))


def _given(when: Boolean) -> tuple[Formula, ...]:
    return () if when == sympy.true else (to_formula(when, with_functions),)


def _among(
    value: Value, f: sympy.Expr, x: sympy.Symbol, at: sympy.Expr, best: sympy.Expr, where: bool, own: Sequence[Boolean]
) -> Iterator[Due]:
    least = value.call.function in ("argmin", "minimum")
    chosen = value.call.arguments[-1]
    assert is_op(chosen, "set")
    items = [value.env.to_sympy(item) for item in chosen.args]
    yield Due(tuple(Formula("=", with_functions(item), with_functions(at)) for item in items))
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


def _whole(value: Value) -> Iterator[Due]:
    """Yield what is due of the best whole number: f there, f at what lies near, and bounds between these and beyond."""
    f, x, own, where = function_and_name(value.env, value.call)
    found, sign = value.hint, 1 if value.call.function in ("argmin", "minimum") else -1
    f = sign * f
    n, points = Term("v", x.name), sorted({*found.at, *found.looked_at})
    at = found.at[0]
    yield holding(sympy.Eq(value.expr, at if where else sign * found.value, evaluate=False))
    least, here = with_functions(found.value), tuple(to_formula(c, with_functions) for c in own)
    yield Due((Formula("=", substitute(with_functions(f), {x.name: Term("q", at, 1)}), least),))
    for each in own:
        yield holding(each.xreplace({x: sympy.Integer(at)}))
    for k in points:
        if k not in found.at or (where and k != at):
            relation = ">" if where else ">="
            yield Due((Formula(relation, substitute(with_functions(f), {x.name: Term("q", k, 1)}), least),))
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
            yield Due((goal,), (*here, *given), integers=frozenset([x.name]))


def _limit(value: Value) -> Iterator[Due]:
    sides = functions_in_limit(value.env, value.call)
    if [asked for asked, _, _ in value.hint] != [f for _, f in sides]:
        yield FALSE
    for asked, found, close in value.hint:
        if not (close and comes_close(asked, found.value, domain_of_given(value.env), found.regime)):
            yield from _tends(asked, found)
        if found.value is not value.expr:
            yield holding(sympy.Eq(found.value, value.expr, evaluate=False))


def _tends(asked: sympy.Expr, found: Limit) -> Iterator[Due]:
    """Yield that a function tends to its limit, stage by stage: f to what is left of it, and that to the value."""
    settled, stages = found.settled, found.approach.settling
    if found.expr != asked or not (settled.smaller or settled.roots or settled.expr == found.regime.tied(asked)):
        yield FALSE
    given = tuple(to_formula(a, with_functions) for a in found.assume)
    left = settled.expr
    for stage in stages:
        if stage.before != left:
            yield FALSE
        yield Due(tuple(limit_goals(stage.before, stage.value, stage.groups)), given)
        left = stage.value if stage is stages[-1] else stage.after
    if not stages:
        yield holding(sympy.Eq(left, found.value, evaluate=False))
    elif settled.back(left) != found.value:
        yield FALSE


def _sum(value: Value) -> Iterator[Due]:
    term, i, first, last = added(value.env, value.call)
    if value.hint is None:  # term by term
        each = [term.subs(i, k) for k in range(int(first), int(last) + 1)]
        if len(each) > FEW and not value.expr.is_number:  # a sum of many fractions has no normal form to speak of
            each = list(sympy.Add.make_args(sympy.Add(*each)))
        terms: tuple[Term, ...] = tuple(map(with_functions, each))
        total = terms[0] if len(terms) == 1 else Term("+", *terms) if terms else Term("q", 0, 1)
        yield Due((Formula("=", total, with_functions(value.expr)),))
        return
    closed, n = value.hint
    steps = sympy.Eq(closed - closed.subs(n, n - 1), term.subs(i, n), evaluate=False)
    yield holding(steps)
    yield holding(sympy.Eq(closed.subs(n, first - 1), 0, evaluate=False))
    yield holding(sympy.Eq(closed.subs(n, last), value.expr, evaluate=False))


def _degree(value: Value) -> Iterator[Due]:
    f, x, _, _ = function_and_name(value.env, value.call)
    tending = in_roots(f / x**value.expr, value.hint, Regime.of((x.name,)).stages[0])
    yield Due(tuple(limit_goals(*tending)))
    yield from _positive(value.hint)


def _best(value: Value) -> Iterator[Due]:
    if isinstance(value.hint, Discrete):
        yield from _whole(value)
        return
    _, x, _, _ = function_and_name(value.env, value.call)
    if x.is_integer:
        yield holding(sympy.Eq(value.hint[0], sympy.floor(value.hint[0]), evaluate=False))
    yield from _extremum(value)


def _behaves(value: Value) -> Iterator[Due]:
    """Yield that a function rises (falls, stays) from x to x + h wherever it is said to, and that it does not else."""
    said: list[Boolean] = []
    for question in value.hint:
        if isinstance(question, Monotone):
            said.append(sympy.Or(*(when for when, holds in question.cases if holds)))
            for holds, statement, _ in monotone_statements(question):
                goal: Formula = statement.goal if holds else Formula("not", statement.goal)
                yield Due((goal,), statement.assumptions, somewhere=not holds)
        else:
            holds, step, given = question
            said.append(sympy.true if holds else sympy.false)
            told = step if holds else sympy.Not(step, evaluate=False)
            goals = [formula_of(told)]
            with suppress(RoofproofError):
                goals.append(to_formula(told, with_functions))
            yield Due(tuple(goals), given, told, somewhere=not holds)
    if value.expr != sympy.And(*said):
        yield FALSE


MEANINGS: dict[str, Meaning] = {
    "threshold": _threshold,
    "solve": _solve,
    **dict.fromkeys(("smallest", "largest"), _integer),
    **dict.fromkeys(("argmin", "argmax", "minimum", "maximum"), _best),
    "limit": _limit,
    "sum": _sum,
    "degree": _degree,
    **dict.fromkeys(("increasing", "decreasing", "independent"), _behaves),
}
