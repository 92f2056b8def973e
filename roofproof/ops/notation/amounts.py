"""Amounts of work and bytes as text: expressions in which a size may be an exponent, as in `E (1 - (1 - k/E)^B)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from sympy import Add, Dummy, Expr, Le, Poly, Pow, Symbol, fraction, together
from sympy.core.relational import GreaterThan, LessThan, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import Boolean

from roofproof.errors import quoted
from roofproof.formula.tokens import check_text, error_at
from roofproof.ops.notation.expression import Builder, parsed
from roofproof.ops.notation.glued import refuse_glued
from roofproof.ops.tensor import is_positive
from roofproof.symbols import dimension

UNIT: Final = re.compile(r"[kKMGTP]i?B(ytes?)?|[kKMGTP]?(bytes?|bits?)|[mun]s|[kKMGTP]?FLOPS?|[kKMGTP]?Hz")


class AmountBuilder(Builder):
    """The meaning of each rule of the grammar of expressions, for amounts, which are positive under `conditions`.

    >>> AmountBuilder("2^n", dimension).symbolic_exponents
    True
    """

    symbolic_exponents = True

    def __init__(self, text: str, names: Callable[[str], Expr]) -> None:
        Builder.__init__(self, text, names)
        self.conditions: list[Boolean] = []


def amount_from(text: str, given: Iterable[Boolean] = (), sizes: Iterable[str] = ()) -> Expr:
    """Return the amount that a text stands for, where its sizes meet what is given; `sizes` are those named elsewhere.

    >>> amount_from("2 B D F"), amount_from("E (1 - (1 - k/E)^B)")
    (2*B*D*F, E*(1 - (1 - k/E)**B))

    Raises RoofproofError for text that is none, and for an amount that is not known to be positive, or zero.
    """
    check_text(text, "an amount")
    builder = AmountBuilder(text, dimension)
    amount: Expr = parsed("expression", text, builder)
    at_least_zero(amount, 0, "amount", given)
    refuse_glued(text, builder.seen, {*builder.seen, *sizes})
    return amount


def at_least_zero(amount: Expr, position: int, what: str, given: Iterable[Boolean] = ()) -> tuple[Boolean, ...]:
    """Return under which conditions an amount is known to be positive, or zero: what is raised to a size is no less.

    >>> from sympy import Rational
    >>> B, E, k = map(dimension, "BEk")
    >>> at_least_zero(E * (1 - (1 - k/E)**B), 0, "experts")     # E where the power is 0, and 0 where it is 1
    (k <= E,)
    >>> at_least_zero(1 - Rational(1, 2)**B, 0, "share"), at_least_zero(B**2 - B, 0, "pairs")
    ((), ())
    >>> L, W = map(dimension, "LW")
    >>> at_least_zero(L*W - W*(W - 1)/2, 0, "pairs", [W <= L])          # W^2/2 + W/2 + d W, where L = W + d
    ()

    Raises RoofproofError, with the position, where none is known.
    """
    units = () if amount.is_Symbol else amount.free_symbols  # one by itself is a size, as a column of a table is named
    for name in sorted(s.name for s in units if UNIT.fullmatch(s.name)):
        said = "<what>: <name> is a unit; an amount is a number of FLOPs or bytes, such as 16e6, or has sizes"
        raise error_at(position, said, what=what, name=quoted(name))
    if _seen(amount) or _seen(_put(amount, given)):
        return ()
    powers = {p: p.base if p.exp.is_positive else 1 / p.base for p in amount.atoms(Pow)
              if p.exp.is_integer and (p.exp.is_positive or p.exp.is_negative) and p.exp.free_symbols}  # fmt: skip
    shares = {p: Dummy(nonnegative=True) for p, base in powers.items() if (1 - base).is_nonnegative}
    put = amount.xreplace(shares)
    ends = [put.xreplace(dict.fromkeys(shares.values(), Add(end))) for end in (0, 1)]
    linear = len(shares) == 1 and all(put.is_polynomial(d) and Poly(put, d).degree() == 1 for d in shares.values())
    if not linear or not all(end.is_nonnegative for end in ends):
        raise error_at(position, "<what> = <amount> is not known to be positive", what=what, amount=amount)
    bases = [powers[p] for p in shares]
    return tuple(_no_less(fraction(together(base))[0]) for base in bases if not base.is_nonnegative)


@lru_cache(maxsize=1_000)  # of a power it takes half a second
def _seen(amount: Expr) -> bool:
    return bool(amount.is_nonnegative or is_positive(amount + Dummy(positive=True)))


def _put(amount: Expr, given: Iterable[Boolean]) -> Expr:
    """Return an amount with each size that is given to be no less than another as that one and the rest."""
    for condition in given:
        if isinstance(condition, GreaterThan | LessThan | StrictGreaterThan | StrictLessThan):
            size, low = condition.gts, condition.lts
            if isinstance(size, Symbol) and size not in low.free_symbols:
                amount = amount.subs(size, low + Dummy(nonnegative=True, integer=True))
    return amount


def _no_less(low: Expr) -> Boolean:
    """Return the condition that a sum is at least zero: what is taken away is no more than the rest."""
    away = [-term for term in Add.make_args(low) if term.could_extract_minus_sign()]
    return Le(Add(*away), low + Add(*away))
