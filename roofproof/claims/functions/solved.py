"""Functions of the claim language that solve a condition: threshold, solve, and by integers.py smallest, largest."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.functions.asked import equation, exceeded, outside, refuse_zero
from roofproof.claims.functions.integers import smallest_or_largest
from roofproof.claims.functions.meanings import MEANINGS
from roofproof.claims.judging.case import Evidence
from roofproof.claims.judging.corrections import one_line
from roofproof.claims.judging.value import Value, either
from roofproof.claims.language.environment import Environment
from roofproof.derive.algebra.exact_comparison import MAX_BITS
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Between, Never, bounds
from roofproof.derive.solve import solve
from roofproof.errors import Undecided
from roofproof.errors import unknown as unknown_name
from roofproof.formula.logarithm import exp2
from roofproof.formula.tree import Call
from roofproof.proofs.provers.thresholds import certify, without_impossible
from roofproof.sentences import Sentence


def _threshold(env: Environment, call: Call, evidence: Evidence) -> Value:
    condition, unknown = exceeded(env, call)
    sizes = {s.name for s in env.operation(call.arguments[0]).dims}
    if unknown.name not in sizes and unknown not in condition.free_symbols:
        raise unknown_name("dimension", unknown.name, sizes)
    cases = without_impossible(solve(condition, unknown))
    own, _ = env.given_about(unknown)
    ends = [[b for b in bounds(c.threshold) if not _outside(own, unknown, b)] for c in cases]
    found = {b for case in ends for b in case}
    others = [c for c, case in zip(cases, ends, strict=True) if len(case) != 1 and not isinstance(c.threshold, Never)]
    if len(found) != 1 or others:
        raise Undecided("there is no single threshold: <cases>", cases=one_line(cases))
    if len(cases) > 1:
        evidence.notes.append(
            Sentence("a threshold exists only when <when>; else never", when=plain(cases.cases[0].when))
        )
    at = found.pop().replace(exp2, lambda e: sympy.Integer(2) ** e if e.is_Integer and e <= MAX_BITS else exp2(e))
    whens = tuple(c.when for c, case in zip(cases, ends, strict=True) if case)
    proofs = partial(certify, condition, cases)
    return Value(at, either(whens), env, call, MEANINGS["threshold"], evidence.now_or_later(proofs), whens)


def _outside(given: Iterable[Boolean], x: sympy.Symbol, at: sympy.Expr) -> bool:
    """Tell whether a condition on a name is seen not to hold at a value; what is not defined there does not."""
    try:
        return any(c.subs(x, at) == sympy.false for c in given)
    except TypeError:
        return True


def _left_out(given: Iterable[Boolean], x: sympy.Symbol, at: sympy.Expr) -> bool:
    """Tell whether a solution is none, by what is given, or of a whole name as it is not seen to be whole."""
    return _outside(given, x, at) or bool(x.is_integer and not at.is_integer)


def _solve(env: Environment, call: Call, evidence: Evidence) -> Value:
    condition, x, power, own = equation(env, call)
    _, assume = env.given_about(x)
    asked = env.to_relation(call.arguments[0])
    refuse_zero(env, call, x, sympy.Ne(asked.lhs, asked.rhs, evaluate=False))
    cases = without_impossible(solve(condition, x, assume), assume)
    points = {c.threshold for c in cases if not isinstance(c.threshold, Never)}
    known = certify(condition, cases, assume)
    point = points.pop() if len(points) == 1 else Never()
    if not isinstance(point, Between) or point.low != point.high:
        said = Sentence("not one solution in <name>: <cases>", name=x, cases=one_line(cases))
        left = {b for b in bounds(point) if not _left_out(own, x, b**power)}
        raise Undecided(said) if len(cases) > 1 or len(left) == 1 else evidence.no_value(said, known)
    if _left_out(own, x, point.low**power):
        raise Undecided("not one solution in <name>: <cases>", name=x, cases=one_line(cases))
    if len(cases) > 1:
        evidence.notes.append(Sentence("a solution exists only when <when>", when=plain(cases.cases[0].when)))
    whens = tuple(c.when for c in cases if not isinstance(c.threshold, Never))
    where = (*either(whens), *outside(env.where(call.arguments[0]), x))
    at = sympy.powdenest(point.low**power, force=True)
    return Value(at, where, env, call, MEANINGS["solve"], tuple(known), (point.low, whens))


SOLVED: dict[str, Callable[[Environment, Call, Evidence], Value]] = {
    "threshold": _threshold,
    "solve": _solve,
    "smallest": smallest_or_largest,
    "largest": smallest_or_largest,
}
