"""Comparisons, and conditions joined by `and`, `or`, `not`, implication and equivalence, kept as they were written.

SymPy's `Equivalent` drops members that look alike, and its normal forms reject a negated comparison kept unevaluated.
"""

from collections.abc import Sequence

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean, BooleanFunction

from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import exp2

_RELATIONS = {">": sympy.Gt, ">=": sympy.Ge, "<": sympy.Lt, "<=": sympy.Le, "==": sympy.Eq, "!=": sympy.Ne}

_SIGNS = {">": (1,), ">=": (0, 1), "<": (-1,), "<=": (-1, 0), "==": (0,), "!=": (-1, 1)}


def related(sign: str, a: sympy.Expr, b: sympy.Expr) -> Boolean:
    """Return a comparison that is evaluated only for numbers: `B >= 1` stays although B is a positive integer.

    >>> from roofproof.symbols import dimension
    >>> related(">=", dimension("B"), sympy.Integer(1)), related(">", sympy.Integer(2), sympy.Integer(1))
    (B >= 1, True)
    >>> related(">", 2**1001 + sympy.Integer(1), exp2(sympy.Integer(1001)))
    True

    Thresholds are proved for real sizes, so integrality must not hide a condition.
    """
    if a.is_number and b.is_number and (a.has(exp2) or b.has(exp2)):  # SymPy compares a hundred digits of them
        from roofproof.derive.algebra.exact_comparison import numbers_compared

        order = numbers_compared(a, b)
        return sympy.true if order in _SIGNS[sign] else sympy.false
    return _RELATIONS[sign](a, b, evaluate=bool(a.is_number and b.is_number))


def parts_of(expr: sympy.Basic, *kinds: type) -> list[sympy.Basic]:
    """Return the parts of some kinds in an expression or a condition, each once, several times faster than `atoms`.

    >>> x, y = sympy.symbols("x y")
    >>> parts_of((sympy.Max(x, y) > 1) & (sympy.Max(x, y) > x**2), sympy.Max, sympy.Pow)
    [Max(x, y), x**2]
    """
    found: dict[sympy.Basic, None] = {}
    todo = [expr]
    for part in todo:  # the loop appends the arguments of each part
        if isinstance(part, kinds):
            found[part] = None
        todo += part.args
    return list(found)


def joined(join: type[Boolean], parts: Sequence[Boolean]) -> Boolean:
    """Join conditions by `and` or `or`, without SymPy's slow search for duplicates if there is only one.

    >>> x, y = sympy.symbols("x y")
    >>> joined(sympy.And, [x > 1]), joined(sympy.And, [x > 1, y > 2])
    (x > 1, (x > 1) & (y > 2))
    """
    return parts[0] if len(parts) == 1 else join(*parts)


def divided(condition: sympy.Basic) -> tuple[sympy.Expr, sympy.Expr] | None:
    """Return (size, divisor) for a condition that one divides the other, or None for any other condition.

    >>> from roofproof.symbols import dimension
    >>> B, b = dimension("B"), dimension("b")
    >>> divided(sympy.Eq(sympy.Mod(B, b), 0)), divided(sympy.Eq(sympy.Mod(2 * B, 4), 0)), divided(b <= B)
    ((B, b), (B, 2), None)
    """
    if not isinstance(condition, sympy.Equality) or condition.rhs != 0:
        return None
    _, rest = condition.lhs.as_coeff_Mul()  # 2 B mod 4 is 2 (B mod 2)
    return tuple(rest.args) if isinstance(rest, sympy.Mod) else None


class Iff(BooleanFunction):  # type: ignore[misc]
    """An equivalence: all members hold or none does, and the members stay as they are, in order.

    >>> x, y = sympy.symbols("x y")
    >>> Iff(x > 1, 1 < x, y > 2).args                      # Equivalent would simplify it to y > 2
    (x > 1, x > 1, y > 2)
    >>> Iff(x > 1, sympy.true), Iff(sympy.true, sympy.false)
    (x > 1, False)
    """

    @classmethod
    def eval(cls, *members: Boolean) -> Boolean | None:
        """Return the simplified condition if a member is decided, else None."""
        open_members = [m for m in members if m not in (sympy.true, sympy.false)]
        said = {m for m in members if m in (sympy.true, sympy.false)}
        if len(said) == 2:
            return sympy.false
        if not open_members or len(members) < 2:
            return sympy.true
        if not said:
            return None
        return sympy.And(*(open_members if sympy.true in said else map(sympy.Not, open_members)))


def negation_normal(condition: Boolean, holds: bool = True) -> Boolean:
    """Return a condition (or, with `holds=False`, its negation) built only of comparisons, `and` and `or`.

    >>> x, y = sympy.symbols("x y")
    >>> negation_normal(sympy.Not(sympy.Or(2*x <= y, y > 3), evaluate=False))
    (y <= 3) & (2*x > y)

    Raises RoofproofError for anything other than a condition.
    """
    if condition in (sympy.true, sympy.false):
        return condition if holds else sympy.Not(condition)
    if isinstance(condition, Relational):
        return condition if holds else condition.negated
    if isinstance(condition, sympy.Not):
        return negation_normal(condition.args[0], not holds)
    if isinstance(condition, sympy.And | sympy.Or):
        join = sympy.And if isinstance(condition, sympy.And) == holds else sympy.Or
        return join(*(negation_normal(a, holds) for a in condition.args))
    if isinstance(condition, sympy.Implies):
        premise, conclusion = condition.args
        join = sympy.Or if holds else sympy.And
        return join(negation_normal(premise, not holds), negation_normal(conclusion, holds))
    if isinstance(condition, Iff | sympy.Equivalent):
        every, none = (sympy.And(*(negation_normal(a, h) for a in condition.args)) for h in (True, False))
        if holds:
            return sympy.Or(every, none)
        return sympy.And(*(sympy.Or(*(negation_normal(a, h) for a in condition.args)) for h in (True, False)))
    raise RoofproofError(f"expected a condition, got {condition}")
