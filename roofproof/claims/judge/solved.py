"""The functions threshold and solve of the claim language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.corrections import one_line
from roofproof.claims.judge.words import ceilings, either, holding, outside, positive, refuse_zero
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import Found, NoValue, Requirement, Word
from roofproof.derive.algebra.exact_comparison import MAX_BITS
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Above, Below, Between, Case, Cases, Never, Threshold, bounds
from roofproof.derive.solve import solve
from roofproof.errors import Undecided
from roofproof.errors import unknown as unknown_name
from roofproof.formula.logarithm import exp2
from roofproof.formula.tree import Call, name_of
from roofproof.proofs.provers.thresholds import certify, drop_infeasible, statements_of
from roofproof.proofs.search.logarithms import logarithms_compared
from roofproof.proofs.translate import formula_if_defined
from roofproof.sentences import Sentence


def find_threshold(env: Environment, call: Call) -> Found:
    condition, unknown = _exceeded(env, call)
    sizes = {s.name for s in env.operation(call.arguments[0]).dims}
    if unknown.name not in sizes and unknown not in condition.free_symbols:
        raise unknown_name("dimension", unknown.name, sizes)
    cases = drop_infeasible(solve(condition, unknown))
    own, _ = env.given_about(unknown)
    ends = [[b for b in bounds(c.threshold) if not _outside(own, unknown, b)] for c in cases]
    found = {b for case in ends for b in case}
    others = [c for c, case in zip(cases, ends, strict=True) if len(case) != 1 and not isinstance(c.threshold, Never)]
    if len(found) != 1 or others:
        raise Undecided("there is no single threshold: <cases>", cases=one_line(cases))
    notes = _only_when("a threshold exists only when <when>; else never", cases)
    at = found.pop().replace(exp2, lambda e: sympy.Integer(2) ** e if e.is_Integer and e <= MAX_BITS else exp2(e))
    whens = tuple(c.when for c, case in zip(cases, ends, strict=True) if case)
    return Found(at, either(whens), partial(certify, condition, cases), whens, notes)


def _outside(given: Iterable[Boolean], x: sympy.Symbol, at: sympy.Expr) -> bool:
    """Return whether a condition on a name plainly fails or is undefined at a value."""
    try:
        return any(c.subs(x, at) == sympy.false for c in given)
    except TypeError:
        return True


def _left_out(given: Iterable[Boolean], x: sympy.Symbol, at: sympy.Expr) -> bool:
    """Return whether a solution is excluded by the assumptions, or may not be an integer although its name is one."""
    return _outside(given, x, at) or bool(x.is_integer and not at.is_integer)


def _only_when(form: str, cases: Cases) -> tuple[str, ...]:
    return (Sentence(form, when=plain(cases.cases[0].when)),) if len(cases) > 1 else ()


def find_solution(env: Environment, call: Call) -> Found:
    condition, x, power, own = _equation(env, call)
    _, assume = env.given_about(x)
    asked = env.to_relation(call.arguments[0])
    refuse_zero(env, call, x, sympy.Ne(asked.lhs, asked.rhs, evaluate=False))
    cases = drop_infeasible(solve(condition, x, assume), assume)
    points = {c.threshold for c in cases if not isinstance(c.threshold, Never)}
    known = certify(condition, cases, assume)
    point = points.pop() if len(points) == 1 else Never()
    if not isinstance(point, Between) or point.low != point.high:
        said = Sentence("no unique solution for <name>: <cases>", name=x, cases=one_line(cases))
        left = {b for b in bounds(point) if not _left_out(own, x, b**power)}
        raise Undecided(said) if len(cases) > 1 or len(left) == 1 else NoValue(said, known)
    if _left_out(own, x, point.low**power):
        raise Undecided("no unique solution for <name>: <cases>", name=x, cases=one_line(cases))
    notes = _only_when("a solution exists only when <when>", cases)
    whens = tuple(c.when for c in cases if not isinstance(c.threshold, Never))
    where = (*either(whens), *outside(env.where(call.arguments[0]), x))
    at = sympy.powdenest(point.low**power, force=True)
    return Found(at, where, tuple(known), (point.low, whens), notes)


def _exceeded(env: Environment, call: Call) -> tuple[Boolean, sympy.Symbol]:
    """Return the condition that the operation of a threshold is compute-bound, and the size to solve for."""
    operation, *chip, name = call.arguments[:3]
    return ceilings(env, operation, chip[0] if chip else None, *call.arguments[3:]), env.symbol(name_of(name))


def _equation(env: Environment, call: Call) -> tuple[Boolean, sympy.Symbol, int, list[Boolean]]:
    """Return the equation of `solve` in y with x = y^n, the name x, the power n, and the conditions on x.

    >>> from roofproof.formula.reader import read_value
    >>> _equation(Environment(), read_value("solve(sqrt(x) == 3, x)"))            # y - 3 = 0 for x = y^2
    (Eq(x - 3, 0), x, 2, [])
    """
    x = env.symbol(name_of(call.arguments[1]))
    asked = logarithms_compared(env.to_relation(call.arguments[0]))
    root, power = _without_radicals(asked.lhs - asked.rhs, x)
    own, _ = env.given_about(x)
    own += [w for w in env.where(call.arguments[0]) if x in w.free_symbols]
    condition: Boolean = sympy.Eq(root, 0, evaluate=False)
    if own and power == 1:
        condition = sympy.And(condition, *own, evaluate=False)
    return condition, x, power, own


def _without_radicals(expr: sympy.Expr, x: sympy.Symbol) -> tuple[sympy.Expr, int]:
    """Return the expression in y with x = y^n, and n, if x occurs under an n-th root. y is again named x."""
    powers = {p.exp.q for p in expr.atoms(sympy.Pow) if p.base == x and p.exp.is_Rational}
    n = int(sympy.ilcm(1, 1, *powers))
    if n == 1:
        return expr, 1
    changed = expr.replace(
        lambda p: isinstance(p, sympy.Pow) and p.base == x and p.exp.is_Rational, lambda p: x ** (p.exp * n)
    )
    plain = [t for t in sympy.Add.make_args(expr) if t.has(x) and not any(
        p.base == x and p.exp.is_Rational for p in t.atoms(sympy.Pow))]  # fmt: skip
    for term in plain:
        changed = changed - term + term.xreplace({x: x**n})
    return changed, n


def due_of_threshold(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    condition, x = _exceeded(env, call)
    at = [kind(found.value, strict) for strict in (True, False) for kind in (Above, Below)]
    for when in found.hint:
        yield _where_it_is(condition, x, when, at)
    yield from positive(found.value)


def due_of_solution(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    condition, x, power, own = _equation(env, call)
    root, whens = found.hint
    for when in whens:
        yield _where_it_is(condition, x, when, [Between(root, root, strict=False)])
    if power != 1:
        yield holding(sympy.Eq(found.value, root**power, evaluate=False))
        for each in own:
            yield holding(each.xreplace({x: found.value}))
    else:
        yield holding(sympy.Eq(found.value, root, evaluate=False))
    yield from positive(root)


def _where_it_is(condition: Boolean, x: sympy.Symbol, when: Boolean, thresholds: Sequence[Threshold]) -> Requirement:
    """Return the requirement that a condition holds exactly where one of a few thresholds is met."""
    asked = formula_if_defined(condition)
    told = [statements_of(asked, Cases(x, (Case(when, t),)))[0] for t in thresholds]
    return Requirement(tuple(s.goal for s in told), told[0].assumptions)


WORDS = {"threshold": Word(find_threshold, due_of_threshold), "solve": Word(find_solution, due_of_solution)}
