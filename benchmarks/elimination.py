"""Quantifier elimination by QEPCAD and z3: the parameters for which some positive value of the unknown is a solution.

Neither gives the solution itself.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from math import lcm
from pathlib import Path
from typing import Any

import sympy
from sympy.core.relational import Relational

from benchmarks.corpus import Problem, read_condition
from benchmarks.exact import Real, value
from benchmarks.running import NoAnswer, process
from roofproof.derive.extrema import eliminate_extrema

# --- QEPCAD --------------------------------------------------------------------------------------------------------


def qepcad_root() -> Path | None:
    """Return the folder above bin/qepcad, from the wheel passagemath-qepcad or a system package, or None."""
    for entry in sys.path:
        if (Path(entry) / "sage_wheels/bin/qepcad").exists():
            return Path(entry) / "sage_wheels"
    found = shutil.which("qepcad")
    return Path(found).parents[1] if found else None


def polynomial_atoms(
    condition: Any, unknown: sympy.Symbol, write: Callable[[Any], str]
) -> tuple[str, list[str], dict[Any, Any]]:
    """Return the condition as text over polynomial atoms `p REL 0`, its names, and the values of new names.

    A square root of a symbol becomes a new symbol. A fraction in a comparison becomes numerator times denominator.
    """
    plain = eliminate_extrema(sympy.to_nnf(condition, simplify=False), unknown)
    squares = {s: sympy.Symbol(f"{s.base}r", positive=True) for s in plain.atoms(sympy.Pow) if s.exp == sympy.S.Half}
    plain = plain.xreplace(squares).xreplace({s.base: r**2 for s, r in squares.items()})
    names: set[str] = set()

    def atom(r: Relational) -> str:
        num, den = sympy.fraction(sympy.together(r.lhs - r.rhs))
        num, den = sympy.expand(num), sympy.expand(den)
        sides = [_integral(num), _integral(den)]
        poly = sides[0] if not sides[1].free_symbols else sympy.expand(sides[0] * sides[1])
        if not sides[1].free_symbols and sides[1] < 0:
            poly = -poly
        names.update(s.name for s in poly.free_symbols)
        return f"{write(poly)} {r.rel_op} 0"

    def text(b: Any) -> str:
        if isinstance(b, Relational):
            return atom(b)
        if b in (sympy.true, sympy.false):
            return "0 = 0" if b == sympy.true else "0 = 1"
        sign = " /\\ " if isinstance(b, sympy.And) else " \\/ "
        return "[ " + sign.join(text(a) for a in b.args) + " ]"

    return text(plain), sorted(names), {r: s for s, r in squares.items()}


def _integral(poly: Any) -> Any:
    if not poly.free_symbols:
        return sympy.sign(poly)
    return poly * lcm(*(int(c.q) for c in sympy.Poly(poly, *sorted(poly.free_symbols, key=str)).coeffs()))


def _products(poly: Any) -> str:
    return str(sympy.expand(poly)).replace("**", "^").replace("*", " ")


def qepcad(problem: Problem, seconds: int) -> Any:
    """Return the condition on the parameters under which some x > 0 is a solution."""
    root = qepcad_root()
    x = problem.unknown
    conditions = [problem.condition, *problem.assume]
    body, names, roots = polynomial_atoms(sympy.And(*conditions), x, _products)
    body = body.replace("==", "=").replace("!=", "/=")
    free = [n for n in names if n != x.name]
    positive = " /\\ ".join(f"{n} > 0" for n in free)
    script = "\n".join(
        [
            "[ benchmark ]",
            f"({','.join([*free, x.name])})",
            str(len(free)),
            f"(E {x.name})[ {x.name} > 0 /\\ {body} ].",
            *([f"assume [ {positive} ]"] if free else []),
            "finish",
            "",
        ]
    )
    out = process([str(root / "bin/qepcad"), "+N20000000"], script, seconds, {"qe": str(root)})
    found = out.partition("An equivalent quantifier-free formula:")[2].partition("=====")[0].strip()
    if not found:
        raise NoAnswer(" ".join(out.split())[-60:])
    text = " ".join(found.split()).replace("/\\", " and ").replace("\\/", " or ").replace("TRUE", "true")
    return read_condition(text.replace("FALSE", "false")).xreplace(roots)


# --- z3 ------------------------------------------------------------------------------------------------------------


def z3_elimination(problem: Problem, seconds: int) -> Any:
    """Return the condition under which some x > 0 is a solution, with z3's tactics for quantifier elimination."""
    import z3

    x = problem.unknown
    conditions = [problem.condition, *problem.assume]
    body, names, roots = polynomial_atoms(sympy.And(*conditions), x, str)
    reals = {n: z3.Real(n) for n in {*names, x.name}}
    formula = _z3_formula(body, reals)
    for tactic in ("qe", "qe2"):
        goal = z3.Goal()
        goal.add(*(r > 0 for n, r in reals.items() if n != x.name))
        goal.add(z3.Exists([reals[x.name]], z3.And(reals[x.name] > 0, formula)))
        try:
            result = z3.TryFor(z3.Tactic(tactic), 1000 * seconds // 2)(goal).as_expr()
        except z3.Z3Exception as canceled:
            reason = str(canceled)
            continue
        if not _quantified(z3, result):
            return result, reals, roots
        reason = "left the quantifier"
    raise NoAnswer(reason)


def _z3_formula(text: str, reals: dict[str, Any]) -> Any:
    import z3

    table = {"/\\": z3.And, "\\/": z3.Or}

    def build(text: str) -> Any:
        text = text.strip()
        if text.startswith("[") and text.endswith("]"):
            depth, start, parts, join = 0, 1, [], z3.And
            for i, sign in enumerate(text):
                depth += (sign == "[") - (sign == "]")
                if depth == 1 and text[i : i + 2] in table:
                    join = table[text[i : i + 2]]
                    parts.append(text[start:i])
                    start = i + 2
            return join(*(build(p) for p in [*parts, text[start:-1]]))
        relation = read_condition(text)
        if relation in (sympy.true, sympy.false):
            return z3.BoolVal(relation == sympy.true)
        left, right = (_z3_term(side, reals) for side in (relation.lhs, relation.rhs))
        return {
            ">": left > right, ">=": left >= right, "<": left < right, "<=": left <= right,
            "==": left == right, "!=": left != right,
        }[relation.rel_op]  # fmt: skip

    return build(text)


def _z3_term(expr: Any, reals: dict[str, Any]) -> Any:
    import z3

    if expr.is_Symbol:
        return reals[expr.name]
    if expr.is_Rational:
        return z3.RealVal(str(expr))
    if expr.is_Pow:
        return z3.Product(*[_z3_term(expr.base, reals)] * int(expr.exp))
    parts = [_z3_term(a, reals) for a in expr.args]
    return z3.Sum(*parts) if expr.is_Add else z3.Product(*parts)


def _quantified(z3: Any, expr: Any) -> bool:
    todo = [expr]
    while todo:
        e = todo.pop()
        if z3.is_quantifier(e):
            return True
        todo.extend(e.children())
    return False


def z3_at(answer: Any, point: dict[str, Any]) -> bool:
    """Return the truth of z3's answer at a point of the parameters."""
    import z3

    result, reals, roots = answer
    known = {**point, **{r.name: value(s, point) for r, s in roots.items()}}
    if any(isinstance(v, Real) for v in known.values()):
        return True  # not a rational point, so the others decide
    values = [(r, z3.RealVal(str(known[n]))) for n, r in reals.items() if n in known]
    return z3.is_true(z3.simplify(z3.substitute(result, *values)))
