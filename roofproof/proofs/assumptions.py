"""Numbers as terms, and what is known of names: that they are positive, and which of them are numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables

if TYPE_CHECKING:
    import sympy

ONE, TWO, MINUS = (Term("q", n, 1) for n in (1, 2, -1))
LN2 = Term("v", "log(2)")
PI = Term("v", "π")  # spelled as no name of a claim is
NUMBERS = frozenset((LN2[1], PI[1]))  # names that are none: each stands for the one number
ROOT = "root"  # and a number: the name of a root of a polynomial


def positive(symbols: Iterable[sympy.Symbol | str]) -> list[Formula]:
    """Return the condition that each symbol is positive.

    >>> positive(["x"])
    [('>', ('v', 'x'), ('q', 0, 1))]
    """
    return [Formula(">", Term("v", s if isinstance(s, str) else s.name), ZERO) for s in symbols]


def rooted(formula: Formula) -> bool:
    """Tell whether a formula is about the root of a polynomial, as what defines the name of one is.

    >>> rooted(Formula(">=", Term("v", "root1"), Term("q", 1, 1)))
    True
    """
    return any(name.startswith(ROOT) and name.removeprefix(ROOT).isdecimal() for name in variables(formula))
