"""From SymPy expressions and conditions to the kernel's terms and formulas, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import Iff
from roofproof.errors import Undecided
from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.kernel.terms import MAX_EXPONENT, ZERO, Formula, Term, substitute
from roofproof.symbols import quantity


def to_term(expr: sympy.Expr) -> Term:
    """Return the kernel's term for an expression; a symbol is known by its name alone.

    >>> x = sympy.Symbol("x")
    >>> to_term(2*x + 1)
    ('+', ('q', 1, 1), ('*', ('q', 2, 1), ('v', 'x')))

    Raises RoofproofError for anything but rational functions, sqrt, Max, Min, floor and ceiling.
    """
    if expr.is_Symbol:
        return ("v", expr.name)
    if expr.is_Rational:
        return ("q", int(expr.p), int(expr.q))
    if expr.is_Add:
        return ("+", *map(to_term, expr.args))
    if expr.is_Mul:
        num, den = [], []
        for arg in expr.args:
            if arg.is_Pow and arg.exp.is_Rational and arg.exp < 0:
                den.append(to_term(arg.base**-arg.exp))
            else:
                num.append(to_term(arg))
        top = _product(num)
        return ("/", top, _product(den)) if den else top
    if expr.is_Pow and expr.exp.is_Integer:
        power = int(expr.exp)
        if abs(power) <= MAX_EXPONENT:
            base: Term = to_term(expr.base)
            raised: Term = base if abs(power) == 1 else ("^", base, abs(power))
            return raised if power >= 0 else ("/", ("q", 1, 1), raised)
    if expr.is_Pow and expr.exp.is_Rational and expr.exp.q == 2 and abs(expr.exp.p) <= MAX_EXPONENT:
        root: Term = ("sqrt", to_term(expr.base))
        power = abs(int(expr.exp.p))
        raised = root if power == 1 else ("^", root, power)
        return raised if expr.exp > 0 else ("/", ("q", 1, 1), raised)
    if isinstance(expr, sympy.Abs):
        inside = to_term(expr.args[0])
        return ("max", inside, ("*", ("q", -1, 1), inside))
    for kind, head in HEADS:
        if isinstance(expr, kind):
            return (head, *map(to_term, sorted(expr.args, key=sympy.default_sort_key)))
    raise Undecided(f"outside what can be proved: {expr}")


def with_functions(expr: sympy.Expr) -> Term:
    """Return the kernel's term for an expression in which log2 and powers with any exponent may occur.

    >>> n = sympy.Symbol("n", positive=True)
    >>> with_functions(log2(n) + 3**n)
    ('+', ('power', ('q', 3, 1), ('v', 'n')), ('log2', ('v', 'n')))
    """
    raised = sorted(expr.atoms(log2, sympy.Pow), key=sympy.default_sort_key)
    found = [f for f in raised if isinstance(f, log2) or not (2 * f.exp).is_Integer]
    names = {f: sympy.Symbol(f"{f}!", positive=True) for f in found}
    meaning: dict[str, Term] = {}
    for f, name in names.items():
        if f == expr:
            head = "log2" if isinstance(f, log2) else "power"
            return (head, *map(with_functions, f.args))
        meaning[name.name] = with_functions(f)
    term: Term = substitute(to_term(expr.xreplace(names)), meaning)
    return term


HEADS = ((sympy.Max, "max"), (sympy.Min, "min"), (sympy.floor, "floor"), (sympy.ceiling, "ceil"))


def _product(parts: list[Term]) -> Term:
    return parts[0] if len(parts) == 1 else ("*", *parts) if parts else ("q", 1, 1)


def to_formula(condition: Boolean, term: Callable[[sympy.Expr], Term] = to_term) -> Formula:
    """Return the kernel's formula for a condition, its sides as `term` writes them.

    >>> x = sympy.Symbol("x")
    >>> to_formula(sympy.Lt(x, 2))
    ('>', ('q', 2, 1), ('v', 'x'))
    >>> to_formula(sympy.Lt(log2(x), 2), with_functions)
    ('>', ('q', 2, 1), ('log2', ('v', 'x')))
    """
    if condition in (True, sympy.true):
        return ("true",)
    if condition in (False, sympy.false):
        return ("false",)
    if isinstance(condition, sympy.core.relational.Relational):
        a, b = term(condition.lhs), term(condition.rhs)
        made: dict[str, Formula] = {
            ">": (">", a, b), ">=": (">=", a, b), "<": (">", b, a), "<=": (">=", b, a),
            "==": ("=", a, b), "!=": ("not", ("=", a, b)),
        }  # fmt: skip
        return made[condition.rel_op]
    for kind, head in ((sympy.And, "and"), (sympy.Or, "or"), (sympy.Not, "not")):
        if isinstance(condition, kind):
            return (head, *(to_formula(a, term) for a in sorted(condition.args, key=sympy.default_sort_key)))
    if isinstance(condition, sympy.Implies):
        return ("=>", *(to_formula(a, term) for a in condition.args))
    if isinstance(condition, Iff | sympy.Equivalent):
        first, *rest = (to_formula(a, term) for a in sorted(condition.args, key=sympy.default_sort_key))
        links: list[Formula] = [("<=>", first, other) for other in rest]
        return links[0] if len(links) == 1 else ("and", *links)
    raise Undecided(f"outside what can be proved: {condition}")


def positive(symbols: Iterable[sympy.Symbol | str]) -> list[Formula]:
    """Return `x > 0` for every symbol."""
    return [(">", ("v", s if isinstance(s, str) else s.name), ZERO) for s in symbols]


def to_expr(term: Term) -> sympy.Expr:
    """Return the SymPy expression of a kernel's term, every variable a positive quantity.

    >>> to_expr(("/", ("q", 1, 2), ("v", "x")))
    1/(2*x)
    """
    head, *parts = term
    if head == "v":
        return quantity(parts[0])
    if head == "q":
        return sympy.Rational(*parts)
    if head == "^":
        return to_expr(parts[0]) ** parts[1]
    args = [to_expr(p) for p in parts]
    if head == "/":
        return args[0] / args[1]
    made = {"+": sympy.Add, "*": sympy.Mul, "sqrt": sympy.sqrt} | {h: k for k, h in HEADS}
    return made[head](*args)
