"""Numbers as terms, and facts about names: which are positive, and which denote a number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables

if TYPE_CHECKING:
    import sympy

ONE, TWO, MINUS = (Term("q", n, 1) for n in (1, 2, -1))
LN2 = Term("v", "log(2)")
PI = Term("v", "π")  # no name in a claim is spelled like this
NUMBERS = frozenset((LN2[1], PI[1]))  # not variables: each denotes one number
ROOT = "root"  # followed by digits, the name of a root of a polynomial


def positive(symbols: Iterable[sympy.Symbol | str]) -> list[Formula]:
    """Return the conditions that the symbols are positive.

    >>> positive(["x"])
    [('>', ('v', 'x'), ('q', 0, 1))]
    """
    return [Formula(">", Term("v", s if isinstance(s, str) else s.name), ZERO) for s in symbols]


def rooted(formula: Formula) -> bool:
    """Return whether a formula mentions the name of a root of a polynomial, as the definition of such a name does.

    >>> rooted(Formula(">=", Term("v", "root1"), Term("q", 1, 1)))
    True
    """
    return any(name.startswith(ROOT) and name.removeprefix(ROOT).isdecimal() for name in variables(formula))
