"""The functions of the claim language that need the solver: each gives a value and says how it is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.functions.analysis import ANALYSIS
from roofproof.claims.functions.behaviour import BEHAVIOUR
from roofproof.claims.functions.integer_search import NoInteger, first_integer, last_integer
from roofproof.claims.functions.machine import MACHINE
from roofproof.claims.judging.case import Evidence
from roofproof.claims.judging.corrections import one_line
from roofproof.claims.judging.definitions import named_ceilings
from roofproof.claims.judging.existing_sizes import divisions, hold_size
from roofproof.claims.judging.logarithms import logarithms_compared
from roofproof.claims.language.environment import DIRECT, Environment
from roofproof.claims.language.functions import FUNCTIONS
from roofproof.claims.language.nodes import Call, Node, name_of
from roofproof.claims.language.printing import to_text
from roofproof.derive.algebra.exact_comparison import MAX_BITS
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Between, Never, bounds
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.roofline.allowed_sizes import Allowed
from roofproof.derive.roofline.compute_bound import Ceiling, together
from roofproof.errors import RoofproofError, Undecided
from roofproof.errors import unknown as unknown_name
from roofproof.ops.notation.logarithm import exp2, log2
from roofproof.proofs.provers.integers import prove_integer
from roofproof.proofs.provers.thresholds import certify, without_impossible
from roofproof.sentences import Sentence


def table(evidence: Evidence) -> dict[str, Callable[[Environment, Call], Any]]:
    """Return every function of the language; those that prove something report it to `evidence`."""
    bound = {name: _with(evidence, function) for name, function in _proving().items()}
    return {**DIRECT, **bound}


@cache
def _proving() -> dict[str, Callable[..., Any]]:
    filed = {f.name: import_module(f"roofproof.claims.functions.{f.file}").value for f in FUNCTIONS.values() if f.file}
    return {
        **filed, **ANALYSIS, **BEHAVIOUR, **MACHINE, "compute_bound": _compute_bound,
        "threshold": _threshold, "solve": _solve,
        "smallest": _integer, "largest": _integer,
    }  # fmt: skip


def _with(evidence: Evidence, function: Callable[..., Any]) -> Callable[[Environment, Call], Any]:
    def called(env: Environment, call: Call) -> Any:
        try:
            return function(env, call, evidence)
        except Undecided as reason:  # the caller adds the column, and the kind of error would be lost
            evidence.open = reason.said
            raise

    return called


def _ceilings(env: Environment, operation: Node, chip: Node | None, *resources: Node) -> Boolean:
    """Return what must hold for an operation to be compute-bound, over the channels and engines named alone."""
    found = named_ceilings(env, operation, chip, *resources)
    return together(found, lambda c: _exceeded(env, c), evaluate=False)


def _exceeded(env: Environment, ceiling: Ceiling) -> Boolean:
    """Return that intensity exceeds the ridge point; where nothing may be moved there is none, and times tell."""
    if ceiling.moved.is_positive:
        ridge = ceiling.symbol if ceiling.ridge is None else ceiling.ridge
        return sympy.Gt(env.bound(ceiling.intensity), ridge, evaluate=False)
    times = ceiling.exceeded
    return sympy.Gt(*map(env.bound, times.args), evaluate=False) if times.args else times


def _compute_bound(env: Environment, call: Call, evidence: Evidence) -> Boolean:
    return _ceilings(env, *call.arguments)


def _threshold(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    operation, *chip, name = call.arguments[:3]
    unknown = env.symbol(name_of(name))
    condition = _ceilings(env, operation, chip[0] if chip else None, *call.arguments[3:])
    sizes = {s.name for s in env.operation(operation).dims}
    if unknown.name not in sizes and unknown not in condition.free_symbols:
        raise unknown_name("dimension", unknown.name, sizes)
    cases = without_impossible(solve(condition, unknown))
    evidence.prove(partial(certify, condition, cases))
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
    return found.pop().replace(exp2, lambda e: sympy.Integer(2) ** e if e.is_Integer and e <= MAX_BITS else exp2(e))


def _outside(given: Iterable[Boolean], x: sympy.Symbol, at: sympy.Expr) -> bool:
    """Tell whether what is given of a name is seen not to hold at a value."""
    return any(c.subs(x, at) == sympy.false for c in given)


def _solve(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    name = name_of(call.arguments[1])
    x = env.symbol(name)
    equation = logarithms_compared(env.to_relation(call.arguments[0]))
    root, power = _without_radicals(equation.lhs - equation.rhs, x)
    own, assume = env.given_about(x)
    condition: Boolean = sympy.Eq(root, 0, evaluate=False)
    if own and power == 1:
        condition = sympy.And(condition, *own, evaluate=False)
    cases = without_impossible(solve(condition, x, assume), assume)
    points = {c.threshold for c in cases if not isinstance(c.threshold, Never)}
    known = certify(condition, cases, assume)
    if len(points) != 1 or not isinstance(point := points.pop(), Between) or point.low != point.high:
        said = Sentence("not one solution in <name>: <cases>", name=name, cases=one_line(cases))
        raise evidence.no_value(said, known) if len(cases) == 1 else Undecided(said)
    if _outside(own, x, point.low**power):
        raise Undecided("not one solution in <name>: <cases>", name=name, cases=one_line(cases))
    evidence.add(known)
    if len(cases) > 1:
        evidence.notes.append(Sentence("a solution exists only when <when>", when=plain(cases.cases[0].when)))
    return sympy.powdenest(point.low**power, force=True)


def _without_radicals(expr: sympy.Expr, x: sympy.Symbol) -> tuple[sympy.Expr, int]:
    """Return the expression in y with x = y^n, where x occurs under an n-th root, and n."""
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


def _in_closed_form(condition: Boolean, x: sympy.Symbol) -> bool:
    """Tell whether a condition on one name is solved, with nothing in it that is rounded."""
    functions = {type(f) for f in condition.atoms(sympy.Function)} - {sympy.Max, sympy.Min}
    if functions == {log2}:
        with suppress(RoofproofError):
            return bool(solve(condition, x))
    powers = condition.atoms(sympy.Pow)
    return not functions and not any(p.exp.has(x) or (p.base.has(x) and not p.exp.is_Integer) for p in powers)


def _integer(env: Environment, call: Call, evidence: Evidence) -> sympy.Expr:
    """Return the smallest (largest) integer that fits."""
    which, least = call.function, call.function == "smallest"
    x = env.symbol(name_of(call.arguments[0]))
    own, given = env.given_about(x)
    condition = sympy.And(env.to_boolean(call.arguments[1]), *own) if own else env.to_boolean(call.arguments[1])
    condition = logarithms_compared(condition)
    others = condition.free_symbols - {x}
    if not others and not _in_closed_form(condition, x):
        try:
            scanned, known = (first_integer if least else last_integer)(condition, x)
        except NoInteger as problem:
            raise evidence.no_value(problem.said, problem.known) from None
        hold_size(env, call.arguments[1], x, scanned)
        evidence.add(known)
        return sympy.Integer(scanned)
    assume = given if others else []
    cases = without_impossible(solve(condition, x, assume), assume)
    if len(cases) > 1 or any(b.free_symbols for b in bounds(cases.cases[0].threshold)):
        names = ", ".join(sorted(s.name for s in others))
        raise Undecided("the <which> <x> depends on <names>; give them values", which=which, x=x, names=names)
    solved = certify(condition, cases, assume)
    whole, threshold = divisions(env, call.arguments[1], x), cases.cases[0].threshold
    found = Allowed(x, whole=whole).integer(threshold, largest=not least)
    if found is None:
        none = [prove_integer(next(iter(solved)), x, threshold, None, whole=whole, largest=False)] if least else []
        said = Sentence("there is no <which> <x> with <what>", which=which, x=x, what=to_text(call.arguments[1]))
        raise evidence.no_value(said, [*solved, *none])
    hold_size(env, call.arguments[1], x, found)
    evidence.add(solved)
    if not others:  # else the step from the threshold is read off it
        evidence.add([prove_integer(next(iter(solved)), x, threshold, found, whole=whole, largest=not least)])
    return sympy.Integer(found)
