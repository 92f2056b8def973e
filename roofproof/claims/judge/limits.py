"""The functions limit, sum and degree of the claim language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.as_written import same_value
from roofproof.claims.judge.case import proved_limit
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import Finding
from roofproof.claims.judge.domain import Domain, domain_of_given, formula_of
from roofproof.claims.judge.far_out import decide_far_out, prove_limit
from roofproof.claims.judge.obligations import MAX_TERMS
from roofproof.claims.judge.preconditions import check_assumptions_in, check_range, check_regime
from roofproof.claims.judge.words import FALSE, function_and_name, holding, outside, over_everything, positive
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import Found, NoValue, Requirement, Word
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import Limit, false_in_limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.limits.theorems import in_roots, limit_goals
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.tree import Call, name_of
from roofproof.proofs.kernel.terms import Formula, Term, substitute, variables
from roofproof.proofs.known import Known
from roofproof.proofs.provers.monotone_proofs import prove_degree
from roofproof.proofs.translate import to_formula, to_term, with_functions
from roofproof.sentences import Sentence, joined
from roofproof.symbols import quantity

FEW = 20  # terms added one by one


def find_limit(env: Environment, call: Call) -> Found:
    asked = call.arguments[0]
    if (regime := _regime_of(env, call)) is not None:
        check_regime(env, asked, regime)
        check_assumptions_in(env, regime)
        expr, where = env.to_sympy(asked), list[Boolean]()
        for condition in env.where(asked):
            if not {s.name for s in condition.free_symbols} & {*regime.growing, *regime.shrinking}:
                where.append(condition)
            elif decide_far_out(condition, domain_of_given(env), regime).status != "proved":
                said = "it has a value only where <condition>, which is open in the limit"
                raise Undecided(said, condition=plain(condition))
        found, known = proved_limit(expr, regime, env)
        return Found(found.value, tuple(where), known, (_hint(expr, found, known),))
    return _at(env, call)


def _hint(expr: sympy.Expr, found: Limit, known: Sequence[Known]) -> tuple[sympy.Expr, Limit, bool]:
    """Return a function, its limit, and whether the limit is known by bounds and not by a `tends` statement."""
    return expr, found, not any(k.statement.goal[0] in ("tends", "=") for k in known)


def _at(env: Environment, call: Call) -> Found:
    """Return the limit at a finite point, from both sides or from the only side in the domain."""
    x, target = env.symbol(name_of(call.arguments[1])), env.to_sympy(call.arguments[2])
    where, domain = over_everything(env, call.arguments[0], x), domain_of_given(env)
    hint: list[tuple[sympy.Expr, Limit, bool]] = []
    known: list[Known] = []
    for at, there in _near(env, call):
        found, rests = proved_limit(there, Regime("t -> oo"), env)
        hint.append(_hint(there, found, rests))
        known += [*rests, *_prove_substitution(env, call, x, at, there)]
    if not hint:
        raise Undecided("<x> does not approach <target> under what is given", x=x, target=plain(target))
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
            raise NoValue(said, known)
        if same.status == "open":
            raise Undecided("whether <left> is <right>: <reason>", left=values[0], right=other, reason=same.reason)
    return Found(values[0], where, tuple(known), tuple(hint))


def _near(env: Environment, call: Call) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    """Yield, for each side of the point of a limit that is in the domain, a value near it, and the function there.

    The value approaches the point as t -> oo.
    """
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(name_of(call.arguments[1]))
    target, place, domain = env.to_sympy(call.arguments[2]), quantity("t"), domain_of_given(env)
    if x.is_integer or place in expr.free_symbols or not target.is_nonnegative:
        raise Undecided("a limit is taken at 0, at infinity, or at a positive <x> that is not a whole size", x=x)
    own, _ = env.given_about(x)
    for relation, at in ((sympy.Gt, target + 1 / place), (sympy.Lt, target - 1 / place)):
        side = formula_of(relation(x, target, evaluate=False))
        if domain.can_hold(side) and not any(false_in_limit(c.subs(x, at), Regime("t -> oo")) for c in own):
            yield at, expr.subs(x, at)


def _prove_substitution(
    env: Environment, call: Call, x: sympy.Symbol, at: sympy.Expr, there: sympy.Expr
) -> tuple[Known, ...]:
    """Prove that SymPy's form of a function near a point equals the function with the value substituted."""
    with suppress(RoofproofError, TypeError):
        f = substitute(with_functions(env.to_sympy(call.arguments[0])), {x.name: with_functions(at)})
        if f != (form := with_functions(there)):
            given = domain_of_given(env)
            apart = tuple(a for a in given.assumptions if x.name not in variables(a))
            return (same_value(f, form, replace(given, assumptions=apart)),)
    return ()


def _regime_of(env: Environment, call: Call) -> Regime | None:
    """Return the regime of a limit, by default that of the claim, or None for a limit at a point."""
    if len(call.arguments) == 1:
        if env.regime is None:
            raise Undecided("a limit needs a regime, or the name that grows as its second argument")
        return env.regime
    if _at_a_place(env, call):
        return None
    return Regime(f"{name_of(call.arguments[1])} -> {env.to_sympy(call.arguments[2]) if call.arguments[2:] else 'oo'}")


def _at_a_place(env: Environment, call: Call) -> bool:
    """Return whether a limit is taken at a point, and not at infinity or at 0 from above."""
    if len(call.arguments) < 3 or (target := env.to_sympy(call.arguments[2])) == sympy.oo:
        return False
    x = env.symbol(name_of(call.arguments[1]))
    return bool(target != 0 or x.is_integer or not x.is_nonnegative)


def due_of_limit(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    sides = _near(env, call) if _at_a_place(env, call) else [(None, env.to_sympy(call.arguments[0]))]
    if [asked for asked, _, _ in found.hint] != [f for _, f in sides]:
        yield FALSE
    for asked, limit, close in found.hint:
        if not (close and prove_limit(asked, limit.value, domain_of_given(env), limit.regime)):
            yield from _tends(asked, limit)
        if limit.value is not found.value:
            yield holding(sympy.Eq(limit.value, found.value, evaluate=False))


def _tends(asked: sympy.Expr, found: Limit) -> Iterator[Requirement]:
    """Yield the requirements that a function tends to its limit, stage by stage."""
    settled, stages = found.settled, found.approach.settling
    if found.expr != asked or not (settled.smaller or settled.roots or settled.expr == found.regime.tied(asked)):
        yield FALSE
    given = tuple(to_formula(a, with_functions) for a in found.assume)
    left = settled.expr
    for stage in stages:
        if stage.before != left:
            yield FALSE
        yield Requirement(tuple(limit_goals(stage.before, stage.value, stage.groups)), given)
        left = stage.value if stage is stages[-1] else stage.after
    if not stages:
        yield holding(sympy.Eq(left, found.value, evaluate=False))
    elif settled.back(left) != found.value:
        yield FALSE


def find_sum(env: Environment, call: Call) -> Found:
    """Return the closed form of a sum. `due_of_sum` requires the right differences and the right empty sum."""
    term, i, first, last = _parts(env, call)
    where = outside(tuple(w for part in call.arguments for w in env.where(part)), i)
    known = _hold_terms(env, call, i, first, last)
    if first.is_Integer and last.is_Integer and (last - first < FEW or not term.is_polynomial(i)):
        return Found(_added(term, i, range(int(first), int(last) + 1)), where, known)
    domain, bounds = _over_whole_bounds(env, i, first, last)
    _refuse_backwards(domain, i, first, last)
    n = sympy.Symbol("n!", positive=True, integer=True)
    try:
        closed = _closed(sympy.expand(term), i, first, n)
    except (ArithmeticError, NotImplementedError, TypeError, ValueError) as fault:  # SymPy runs into a pole
        raise Undecided("no closed form of the sum over <i> was found: <fault>", i=i, fault=fault) from None
    closed, notes = sympy.piecewise_fold(closed), list[str]()
    if isinstance(closed, sympy.Piecewise) and closed.args[-1].cond == sympy.true:  # r^i, except for r = 1
        but = [c for _, c in closed.args[:-1]]
        notes.append(Sentence("except <what>", what=joined("<first> or <second>", map(plain, but))))
        where = (*where, *(sympy.Not(c) for c in but))
        closed = sympy.factor(closed.args[-1].expr)
    if closed.has(sympy.Sum) or closed.atoms(sympy.Function) - term.atoms(sympy.Function):
        raise Undecided("no closed form of the sum over <i> was found", i=i)
    closed = sympy.expand(closed)
    if bounds:
        notes.append(Sentence("the sum over <i> by its closed form, for <bounds> whole", i=i, bounds=bounds))
    elif not last.is_Integer:
        notes.append(Sentence("the sum over <i> by its closed form", i=i))
    whole = tuple(f for f in domain.assumptions if f[0] == "int")
    return Found(closed.subs(n, last), where, known, (closed, n), tuple(notes), whole)


def _parts(env: Environment, call: Call) -> tuple[sympy.Expr, sympy.Symbol, sympy.Expr, sympy.Expr]:
    """Return the term of a sum, its index, and its bounds.

    >>> from roofproof.formula.reader import read_value
    >>> _parts(Environment(), read_value("sum(i^2, i, 1, n)"))
    (i**2, i, 1, n)
    """
    term, _, first, last = call.arguments
    return env.to_sympy(term), env.symbol(name_of(call.arguments[1])), env.to_sympy(first), env.to_sympy(last)


def _closed(term: sympy.Expr, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr) -> sympy.Expr:
    """Return SymPy's closed form of a sum. A polynomial is summed power by power, as the powers are few.

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
    """Prove that the terms of a sum have values and their operations exist, or raise Undecided."""
    between = (sympy.Ge(i, first, evaluate=False), sympy.Le(i, last, evaluate=False))
    given = domain_of_given(env)
    others = [f for f in given.assumptions if i.name not in variables(f)]
    within = replace(given, integers=given.integers | {i.name}, assumptions=tuple(others))
    within = within.where(*(formula_of(b) for b in between))
    known = list(check_range(env, call.arguments[0], i, within))
    for condition in env.where(call.arguments[0]):
        if i in condition.free_symbols:
            found = decide_condition(Formula.of(condition), within)
            if found.status != "proved":
                said = "it has a value only where <condition>, which is open for some <i> of the sum"
                raise Undecided(said, condition=plain(condition), i=i)
            known += found.known
    return tuple(known)


def _added(term: sympy.Expr, i: sympy.Symbol, numbers: range) -> sympy.Expr:
    """Return the value of a sum, added term by term."""
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
    """Return the domain in which the bounds of a sum are integers, and the bounds that this restricts, in words."""
    given = domain_of_given(env)
    open_ = [bound for bound in dict.fromkeys((first, last)) if not bound.is_integer]
    if not open_:
        return given, ""
    whole = given.where(*(Formula("int", to_term(bound)) for bound in open_))
    said = joined("<first> and <second>", map(plain, open_))
    if any(bound.is_integer is False for bound in open_) or not whole.can_hold():
        raise Undecided("the sum over <i> has a bound that is not an integer: <said>", i=i, said=said)
    return whole, said


def _refuse_backwards(domain: Domain, i: sympy.Symbol, first: sympy.Expr, last: sympy.Expr) -> None:
    """Raise Undecided if a sum may end before it begins: it is then empty, but its closed form subtracts terms."""
    backwards = sympy.Ge(last, first - 1, evaluate=False)
    if decide_condition(Formula.of(backwards), domain).status != "proved":
        raise Undecided(
            "the sum over <i> may end before it begins; state in given that <last> >= <what>",
            i=i,
            last=last,
            what=first - 1,
        )


def due_of_sum(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    term, i, first, last = _parts(env, call)
    if found.hint is None:  # term by term
        each = [term.subs(i, k) for k in range(int(first), int(last) + 1)]
        if len(each) > FEW and not found.value.is_number:  # the normal form of a sum of many fractions is too large
            each = list(sympy.Add.make_args(sympy.Add(*each)))
        terms: tuple[Term, ...] = tuple(map(with_functions, each))
        total = terms[0] if len(terms) == 1 else Term("+", *terms) if terms else Term("q", 0, 1)
        yield Requirement((Formula("=", total, with_functions(found.value)),))
        return
    closed, n = found.hint
    steps = sympy.Eq(closed - closed.subs(n, n - 1), term.subs(i, n), evaluate=False)
    yield holding(steps)
    yield holding(sympy.Eq(closed.subs(n, first - 1), 0, evaluate=False))
    yield holding(sympy.Eq(closed.subs(n, last), found.value, evaluate=False))


def find_degree(env: Environment, call: Call) -> Found:
    """Return the exponent p such that f grows like x^p."""
    expr, x, _, _ = function_and_name(env, call)
    if not all(s.is_positive for s in expr.free_symbols):
        raise Undecided("the growth in <x> is unknown if a name may be zero or negative", x=x)
    regime = Regime(f"{x} -> oo")
    check_regime(env, call.arguments[0], regime)
    check_assumptions_in(env, regime)
    where = over_everything(env, call.arguments[0], x)
    try:
        degree, coefficient, proof = prove_degree(expr, x)
    except RoofproofError as problem:
        raise Undecided(problem.said) from None
    return Found(degree, where, (proof,), coefficient)


def due_of_degree(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    f, x, _, _ = function_and_name(env, call)
    tending = in_roots(f / x**found.value, found.hint, Regime.of((x.name,)).stages[0])
    yield Requirement(tuple(limit_goals(*tending)))
    yield from positive(found.hint)


WORDS = {
    "limit": Word(find_limit, due_of_limit),
    "sum": Word(find_sum, due_of_sum),
    "degree": Word(find_degree, due_of_degree),
}
