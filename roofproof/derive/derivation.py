"""A derivation: statements in order, each with the reason it follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.display import Displayed


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a derivation: what holds, why, and by which rule.

    >>> Step(sympy.Eq(sympy.Symbol("R"), 240), "peak / bandwidth", "ridge")
    R = 240    (peak / bandwidth)
    """

    statement: sympy.Basic
    because: str
    rule: str

    def __repr__(self) -> str:
        return f"{plain(self.statement)}    ({self.because})"


@dataclass(frozen=True, slots=True)
class Derivation(Displayed):
    """Steps from what is given to what was asked.

    >>> x = sympy.Symbol("x")
    >>> d = Derivation((Step(sympy.Eq(x, 2), "given", "given"), Step(sympy.Eq(x**2, 4), "squared", "square")))
    >>> print(d)
    x = 2    (given)
    x**2 = 4    (squared)
    """

    steps: tuple[Step, ...] = field(default=())

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __add__(self, other: Derivation) -> Derivation:
        return Derivation(self.steps + other.steps)

    def __str__(self) -> str:
        return "\n".join(map(repr, self.steps))
