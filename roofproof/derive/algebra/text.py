"""Expressions and conditions as plain text in the order a person writes them."""

from functools import lru_cache

import sympy
from sympy.printing.str import StrPrinter

from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.algebra.logic import Iff
from roofproof.sentences import Sentence, joined

LEAST_SHOWN = 10_000  # five digits
MAX_PLACES = 60


class _Printer(StrPrinter):  # type: ignore[misc]
    def _print_Add(self, expr: sympy.Add, order: str | None = None) -> str:
        text = ""
        for term in _ranked(expr):
            minus = term.could_extract_minus_sign()
            shown = self.parenthesize(-term if minus else term, sympy.printing.precedence.PRECEDENCE["Add"])
            text += (f" {'-' if minus else '+'} " if text else "-" if minus else "") + shown
        return text

    def _print_LatticeOp(self, expr: sympy.Expr) -> str:
        return str(super()._print_LatticeOp(expr)).replace(type(expr).__name__, type(expr).__name__.lower(), 1)

    def _print_ceiling(self, expr: sympy.Expr) -> str:
        return f"ceil({self._print(expr.args[0])})"

    def _print_Abs(self, expr: sympy.Expr) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _print_Pow(self, expr: sympy.Pow, rational: bool = False) -> str:
        return str(super()._print_Pow(expr, rational)).replace("**", "^")

    def _print_ComplexRootOf(self, expr: sympy.Expr) -> str:
        return f"{decimals(expr)}…"

    def _print_Mul(self, expr: sympy.Mul) -> str:
        return self._print_ComplexRootOf(expr) if is_isolated(expr) else str(super()._print_Mul(expr))


def is_isolated(number: sympy.Expr) -> bool:
    """Tell whether a number is a root without a closed form, or a multiple of one, as SymPy may write it.

    >>> root = sympy.CRootOf(sympy.Symbol("x")**3 - sympy.Symbol("x") - 1, 0)
    >>> is_isolated(root), is_isolated(10*root), is_isolated(root + 1)
    (True, True, False)
    """
    return isinstance(number.as_coeff_Mul()[1], sympy.CRootOf)


@lru_cache(1_000)
def decimals(root: sympy.Expr) -> str:
    """Return the first digits of a root: at least five, one after the point, enough to distinguish it from the others.

    They are cut off, not rounded, so that with an ellipsis they are correct for lower and for upper bounds.

    >>> x = sympy.Symbol("x")
    >>> decimals(sympy.CRootOf(x**3 - x - 1, 0)), plain(sympy.CRootOf(x**3 - 10**21 - 1, 0))            # 1.3247179...
    ('1.3247', '10000000.0…')
    >>> [decimals(sympy.CRootOf(10**14*x*(3*x - 1)**2 - 1, k)) for k in (1, 2)]
    ['0.3333332', '0.3333333']
    """
    factor, alone = root.as_coeff_Mul()
    others = [factor * r for k, r in enumerate(alone.poly.real_roots()) if k != alone.index]  # real ones come first
    for places in range(1, MAX_PLACES):
        scaled = 10**places
        shown, *beside = (floor_of(scaled * abs(r)) for r in (root, *others))
        if shown >= LEAST_SHOWN and shown not in beside:
            break
    whole, part = divmod(shown, scaled)
    return f"{'-' if root.is_negative else ''}{whole}.{part:0{places}}"


@lru_cache(1_000)  # an answer shows the same sum in several places, and SymPy orders terms slowly
def _ranked(expr: sympy.Add) -> list[sympy.Expr]:
    terms = _Printer()._as_ordered_terms(expr, order="old")
    return sorted(terms, key=lambda t: (t.could_extract_minus_sign(), t.is_number))


def plain(statement: sympy.Basic) -> str:
    """Return an expression or condition as text: `1/D + 1/F < 1/R`, and `x = 2`, not `Eq(x, 2)`.

    >>> from roofproof.symbols import quantity
    >>> D, F, R = map(quantity, "DFR")
    >>> plain(1/F + 1/D < 1/R), plain(3*R - 3*D), plain(sympy.Eq(D, 2))
    ('1/D + 1/F < 1/R', '3*R - 3*D', 'D = 2')
    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> plain(sympy.Eq(sympy.Mod(D, n), 0))
    'n divides D'
    """
    printer = _Printer({"order": "old"})
    if isinstance(statement, sympy.Equality) and isinstance(statement.lhs, sympy.Mod) and statement.rhs == 0:
        whole, part = statement.lhs.args
        return Sentence("<part> divides <whole>", part=plain(part), whole=plain(whole))
    if isinstance(statement, sympy.Equality) and isinstance(statement.lhs, sympy.Mod) and statement.lhs.args[1] == 2:
        return Sentence("<whole> is odd", whole=plain(statement.lhs.args[0]))
    if isinstance(statement, sympy.Equality):
        return f"{plain(statement.lhs)} = {plain(statement.rhs)}"
    if isinstance(statement, sympy.core.relational.Relational):
        return f"{plain(statement.lhs)} {statement.rel_op} {plain(statement.rhs)}"
    if isinstance(statement, sympy.And):
        return joined("<first> and <second>", sorted(plain(a) for a in statement.args))
    if isinstance(statement, sympy.Or):
        parts = (Sentence("(<what>)", what=plain(a)) if isinstance(a, sympy.And) else plain(a) for a in statement.args)
        return joined("<first> or <second>", sorted(parts))
    if isinstance(statement, Iff):
        return " <=> ".join(sorted(f"({plain(a)})" if a.args[1:] and isinstance(a, sympy.And | sympy.Or) else plain(a)
                                   for a in statement.args))  # fmt: skip
    if isinstance(statement, sympy.Not):
        return Sentence("not (<what>)", what=plain(statement.args[0]))
    if statement in (sympy.true, sympy.false):
        return "true" if statement == sympy.true else "false"
    if isinstance(statement, sympy.Implies):
        return Sentence("<what> when <condition>", what=plain(statement.args[1]), condition=plain(statement.args[0]))
    return str(printer.doprint(statement))
