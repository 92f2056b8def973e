"""What a line of a proof says: one relation or several, where the unknown lies, what something tends to."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Above, Below, Threshold, bounds, plain_threshold
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.translate import to_formula, with_functions

TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "="}


@dataclass(frozen=True, slots=True)
class Relation:
    """Two sides and a sign: `>`, `>=`, `<`, `<=` or `=`; written as it stands, nothing decided or reordered.

    >>> from roofproof.symbols import quantity
    >>> line = Relation(2 * quantity("B"), ">", quantity("R"))
    >>> str(line), line.formula
    ('2*B > R', ('>', ('*', ('q', 2, 1), ('v', 'B')), ('v', 'R')))
    """

    left: sympy.Expr
    sign: str
    right: sympy.Expr

    @property
    def formula(self) -> Formula:
        """The kernel's formula."""
        a, b = with_functions(self.left), with_functions(self.right)
        return (TURNED[self.sign], b, a) if self.sign in ("<", "<=") else (self.sign, a, b)

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The expressions that are shown."""
        return self.left, self.right

    def __str__(self) -> str:
        return f"{plain(self.left)} {self.sign} {plain(self.right)}"


@dataclass(frozen=True, slots=True)
class Both:
    """Relations that hold together.

    >>> from roofproof.symbols import quantity
    >>> B, R = quantity("B"), quantity("R")
    >>> print(Both((Relation(B, ">", R), Relation(B, ">", 2 * R))))
    B > R and B > 2*R
    """

    parts: tuple[Relation, ...]

    @property
    def formula(self) -> Formula:
        """The kernel's formula."""
        return ("and", *(part.formula for part in self.parts))

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The expressions that are shown."""
        return tuple(e for part in self.parts for e in part.shows)

    def __str__(self) -> str:
        return " and ".join(map(str, self.parts))


@dataclass(frozen=True, slots=True)
class Bound:
    """Where the unknown lies, as the answer prints it.

    >>> from roofproof.derive.inequalities.cases import Above, Never
    >>> from roofproof.symbols import quantity
    >>> B = quantity("B")
    >>> print(Bound(B, Above(sympy.Integer(240)))), Bound(B, Never()).formula
    B > 240
    (None, ('false',))
    """

    unknown: sympy.Symbol
    threshold: Threshold

    @property
    def formula(self) -> Formula:
        """The kernel's formula."""
        return to_formula(self.threshold.holds(self.unknown))

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The expressions that are shown."""
        return (self.unknown, *bounds(self.threshold))

    def __str__(self) -> str:
        return plain_threshold(self.unknown, self.threshold)


@dataclass(frozen=True, slots=True)
class Tends:
    """What an expression tends to in a regime, with the formula of the theorem that says so.

    >>> from roofproof.symbols import quantity
    >>> print(Tends(1 / quantity("D"), sympy.Integer(0), "D -> oo", ("true",)))
    1/D -> 0
    """

    expr: sympy.Expr
    value: sympy.Expr
    regime: str
    formula: Formula

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The expressions that are shown."""
        return self.expr, self.value

    def __str__(self) -> str:
        return f"{plain(self.expr)} -> {plain(self.value)}"


Line = Relation | Both | Bound | Tends


def bare(line: Line) -> Line:
    """Return a bound on one side as the relation that it is, anything else as it is.

    >>> print(bare(Bound(sympy.Symbol("B"), Below(sympy.Integer(240), strict=False))))
    B <= 240
    """
    if isinstance(line, Bound) and isinstance(at := line.threshold, Above | Below):
        return Relation(line.unknown, (">" if at.kind == "above" else "<") + ("" if at.strict else "="), at.at)
    return line
