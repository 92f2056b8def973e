"""The compared programs: each takes a problem of the corpus and returns an answer that can be checked.

SymPy and z3 run in this process. QEPCAD and Maxima run in a new process for each problem, and its start counts, as it
does for a user. The benchmark rewrites each maximum, square root or fraction that a program cannot read.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.core.relational import Relational

from benchmarks.corpus import KINDS, Problem, read_condition
from benchmarks.elimination import qepcad, qepcad_root, z3_elimination
from benchmarks.running import NoAnswer, limit_of, process
from roofproof.derive.limits.regime import Regime


@dataclass(frozen=True)
class Tool:
    """A program. `asks` is the kind of its answer: a "solution" for the unknown, or the "existence" of one."""

    name: str
    run: Callable[[Problem, int], Any]  # (problem, seconds) -> answer, or raises NoAnswer
    available: Callable[[], bool]
    asks: str = "solution"
    process: bool = False
    kinds: tuple[str, ...] = KINDS


# --- roofproof -----------------------------------------------------------------------------------------------------


def roofproof(problem: Problem, seconds: int) -> Any:
    from roofproof.derive.limits.limits import limit
    from roofproof.derive.optima import optima
    from roofproof.derive.solve import solve

    with limit_of(seconds):
        if problem.kind == "limit":
            return limit(problem.expr, problem.target).value
        if problem.kind in ("minimum", "maximum"):
            return [
                (when, outcome.value, outcome.at[0][1])
                for when, outcome in getattr(optima, problem.kind)(problem.expr, problem.unknown, assume=problem.assume)
                if outcome.kind == "attained"
            ]
        return solve(problem.condition, problem.unknown, problem.assume)


def roofproof_proved(problem: Problem, seconds: int) -> Any:
    from roofproof.derive.limits.limits import limit
    from roofproof.proofs.provers.thresholds import certify

    with limit_of(seconds):
        if problem.kind == "limit":
            found = limit(problem.expr, problem.target)
            trust, answer = found.derivation.trust, found.value
        else:
            answer = roofproof(problem, seconds)
            trust = certify(problem.condition, answer, problem.assume).trust
    if trust not in ("kernel", "smt"):
        raise NoAnswer(trust)
    return answer, trust


def as_condition(cases: Any) -> Any:
    """Return cases as one Boolean over the unknown and the parameters."""
    return sympy.Or(*(sympy.And(c.when, c.threshold.holds(cases.unknown)) for c in cases))


# --- SymPy ---------------------------------------------------------------------------------------------------------


def sympy_(problem: Problem, seconds: int) -> Any:
    """Answer with `reduce_inequalities` or else `solve`, and limits with `limit`."""
    with limit_of(seconds):
        if problem.kind == "limit":
            value = problem.expr
            for name in Regime(problem.target).growing:
                value = sympy.limit(value, problem.symbol(name), sympy.oo)
            return value
        if problem.kind in ("minimum", "maximum"):
            if problem.expr.has(sympy.Max, sympy.Min):
                raise NoAnswer("no derivative of a maximum")
            x = problem.unknown
            found = sympy.solve(sympy.diff(problem.expr, x), x)
            return [(sympy.true, problem.expr.subs(x, at), at) for at in found]
        disjuncts = [list(sympy.And.make_args(d)) for d in sympy.Or.make_args(problem.condition)]
        reasons = []
        for attempt in (
            lambda: sympy.Or(*(sympy.reduce_inequalities(d, problem.unknown) for d in disjuncts)),
            lambda: sympy.Or(*(sympy.solve(d, problem.unknown) for d in disjuncts)),
        ):
            try:
                found = attempt()
            except (NotImplementedError, TypeError, ValueError, AttributeError, RecursionError) as problem_met:
                reasons.append(type(problem_met).__name__)
                continue
            if found in (sympy.true, sympy.false) or isinstance(found, sympy.logic.boolalg.Boolean):
                return found
            reasons.append(f"answered {str(found)[:40]}")
        raise NoAnswer(", ".join(reasons))


# --- Maxima --------------------------------------------------------------------------------------------------------


def maxima(problem: Problem, seconds: int) -> Any:
    """Answer conditions with `fourier_elim`, limits with `limit`, and optima with `solve`."""
    positive = ", ".join(f"{n} > 0" for n in sorted({*problem.parameters, problem.target} - {problem.target}))
    lines = ["display2d:false$", "linel:100000$", "load(fourier_elim)$"]
    if problem.kind == "limit":
        text = _maxima_text(problem.expr)
        regime = Regime(problem.target)
        for name in regime.growing:
            text = f"limit({text}, {name}, inf)"
        lines += [f"assume({positive})$", f"print({text})$"]
    elif problem.kind in ("minimum", "maximum"):
        x, text = problem.target, _maxima_text(problem.expr)
        lines += [f"assume({positive}, {x} > 0)$", f"print(solve(diff({text}, {x}) = 0, {x}))$"]
    else:
        x = problem.target
        lines += [f"assume({positive}, {x} > 0)$"] if positive else []
        lines += [f"print(fourier_elim([{_maxima_condition(problem.condition)}, {x} > 0], [{x}]))$"]
    out = process(["maxima", "--very-quiet"], "\n".join([*lines, ""]), seconds, {}).strip()
    if problem.kind == "limit":
        if not out or "limit" in out or "?" in out:
            raise NoAnswer(out[:60])
        from roofproof.formula.to_sympy import parse_expression

        return sympy.oo if out == "inf" else parse_expression(out, problem.symbol)
    if problem.kind in ("minimum", "maximum"):
        return _stationary(problem, out)
    if "fourier_elim" in out or "error" in out or not out:
        raise NoAnswer(out[:60])
    text = out.replace("\n", " ").replace("emptyset", "false").replace("universalset", "true")
    # a list is a conjunction, and `or` joins lists
    parts = [p.strip().removeprefix("[").removesuffix("]") for p in text.split(" or ")]
    try:
        return sympy.Or(*(sympy.And(*(read_condition(c, problem.symbol) for c in _commas(p))) for p in parts))
    except ValueError as unread:
        raise NoAnswer(str(unread)[:60]) from None


def _stationary(problem: Problem, out: str) -> list[tuple[Any, Any, Any]]:
    from roofproof.formula.to_sympy import parse_expression

    found = []
    for part in _commas(out.strip().removeprefix("[").removesuffix("]")):
        name, equals, text = part.partition("=")
        if not equals or name.strip() != problem.target or problem.target in text.split():
            raise NoAnswer(out[:60])
        at = parse_expression(text, problem.symbol)
        found.append((sympy.true, problem.expr.subs(problem.unknown, at), at))
    return found


def _commas(text: str) -> list[str]:
    depth, start, parts = 0, 0, []
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [*parts, text[start:]]


def _maxima_text(expr: Any) -> str:
    return str(expr).replace("**", "^").replace("Max", "max").replace("Min", "min")


def _maxima_condition(condition: Any) -> str:
    if isinstance(condition, Relational):
        sign = {"==": "=", "!=": "#"}.get(condition.rel_op, condition.rel_op)
        return f"{_maxima_text(condition.lhs)} {sign} {_maxima_text(condition.rhs)}"
    word = " and " if isinstance(condition, sympy.And) else " or "
    return "(" + word.join(_maxima_condition(a) for a in condition.args) + ")"


TOOLS = (
    Tool("roofproof", roofproof, lambda: True),
    Tool("roofproof, proved", roofproof_proved, lambda: True, kinds=KINDS[:4]),
    Tool("SymPy", sympy_, lambda: True),
    Tool("Maxima", maxima, lambda: shutil.which("maxima") is not None, process=True),
    Tool("QEPCAD", qepcad, lambda: qepcad_root() is not None, "existence", True, KINDS[:3]),
    Tool(
        "z3 elimination",
        z3_elimination,
        lambda: importlib.util.find_spec("z3") is not None,
        "existence",
        False,
        KINDS[:3],
    ),
)
