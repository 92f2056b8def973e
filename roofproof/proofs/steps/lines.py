"""The content of a proof line: one or several relations, a bound on the unknown, or a limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Above, Below, Threshold, bounds, plain_threshold
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.translate import to_formula, with_functions

TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "="}


@dataclass(frozen=True, slots=True)
class Relation:
    """Two sides and a sign: `>`, `>=`, `<`, `<=` or `=`. It is shown as written, without evaluation or reordering.

    `stated` is its formula if the roots in it have names.

    >>> from roofproof.symbols import quantity
    >>> line = Relation(2 * quantity("B"), ">", quantity("R"))
    >>> str(line), line.formula
    ('2*B > R', ('>', ('*', ('q', 2, 1), ('v', 'B')), ('v', 'R')))
    """

    left: sympy.Expr
    sign: str
    right: sympy.Expr
    stated: Formula | None = None

    @property
    def formula(self) -> Formula:
        """The line as a kernel formula."""
        if self.stated is not None:
            return self.stated
        a, b = with_functions(self.left), with_functions(self.right)
        return Formula(TURNED[self.sign], b, a) if self.sign in ("<", "<=") else Formula(self.sign, a, b)

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The displayed expressions."""
        return self.left, self.right

    def __str__(self) -> str:
        return f"{plain(self.left)} {self.sign} {plain(self.right)}"


class _Several:
    """Several lines shown as one."""

    __slots__ = ()
    parts: tuple[Relation | Bound | Either, ...]

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The displayed expressions."""
        return tuple(e for part in self.parts for e in part.shows)


@dataclass(frozen=True, slots=True)
class Both(_Several):
    """Lines joined by `and`.

    >>> from roofproof.symbols import quantity
    >>> B, R = quantity("B"), quantity("R")
    >>> print(Both((Relation(B, ">", R), Relation(B, ">", 2 * R))))
    B > R and B > 2*R
    """

    parts: tuple[Relation | Bound | Either, ...]

    @property
    def formula(self) -> Formula:
        """The line as a kernel formula."""
        return Formula("and", *(part.formula for part in self.parts))

    def __str__(self) -> str:
        return " and ".join(f"({part})" if isinstance(part, Either) else str(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Either(_Several):
    """Lines joined by `or`.

    >>> from roofproof.symbols import quantity
    >>> B, R = quantity("B"), quantity("R")
    >>> print(Both((Either((Relation(B, ">", R), Relation(B, ">", 2 * R))), Relation(R, ">", B))))
    (B > R or B > 2*R) and R > B
    """

    parts: tuple[Relation | Bound, ...]

    @property
    def formula(self) -> Formula:
        """The line as a kernel formula."""
        return Formula("or", *(part.formula for part in self.parts))

    def __str__(self) -> str:
        return " or ".join(map(str, self.parts))


@dataclass(frozen=True, slots=True)
class Bound:
    """The bound on the unknown, as the answer prints it. `stated` is its formula if a root in it has a name.

    >>> from roofproof.derive.inequalities.cases import Above, Never
    >>> from roofproof.symbols import quantity
    >>> B = quantity("B")
    >>> print(Bound(B, Above(sympy.Integer(240)))), Bound(B, Never()).formula
    B > 240
    (None, ('false',))
    """

    unknown: sympy.Symbol
    threshold: Threshold
    stated: Formula | None = None

    @property
    def formula(self) -> Formula:
        """The line as a kernel formula."""
        if self.stated is not None:
            return self.stated
        return to_formula(self.threshold.holds(self.unknown), with_functions)

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The displayed expressions."""
        return (self.unknown, *bounds(self.threshold))

    def __str__(self) -> str:
        return plain_threshold(self.unknown, self.threshold)


@dataclass(frozen=True, slots=True)
class Tends:
    """The limit of an expression in a regime, with the formula of the theorem behind it.

    >>> from roofproof.symbols import quantity
    >>> print(Tends(1 / quantity("D"), sympy.Integer(0), "D -> oo", Formula("true")))
    1/D -> 0
    """

    expr: sympy.Expr
    value: sympy.Expr
    regime: str
    formula: Formula

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The displayed expressions."""
        return self.expr, self.value

    def __str__(self) -> str:
        return f"{plain(self.expr)} -> {plain(self.value)}"


@dataclass(frozen=True, slots=True)
class Best:
    """The smallest or largest integer that satisfies the conditions. `answer` is None if there is none.

    >>> print(Best(sympy.Symbol("X"), 8, True, Formula("true")))
    largest X = 8
    """

    unknown: sympy.Symbol
    answer: int | None
    largest: bool
    formula: Formula

    @property
    def shows(self) -> tuple[sympy.Expr, ...]:
        """The displayed expressions."""
        return (self.unknown, *([] if self.answer is None else [sympy.Integer(self.answer)]))

    def __str__(self) -> str:
        which = "largest" if self.largest else "smallest"
        return f"no {self.unknown}" if self.answer is None else f"{which} {self.unknown} = {self.answer}"


Line = Relation | Both | Either | Bound | Tends | Best


def leaves(line: Line) -> Iterator[Line]:
    """Yield the lines that a line joins by `and` and `or`.

    >>> B, R = sympy.Symbol("B"), sympy.Symbol("R")
    >>> [str(each) for each in leaves(Both((Relation(B, ">", R), Either((Relation(R, ">", B), Relation(B, ">", B))))))]
    ['B > R', 'R > B', 'B > B']
    """
    if isinstance(line, Both | Either):
        for part in line.parts:
            yield from leaves(part)
    else:
        yield line


def line_of(condition: Boolean) -> Relation | Both | Either:
    """Return a condition as a line, unchanged.

    >>> B, R = sympy.symbols("B R")
    >>> print(line_of(sympy.Or(B > 2, B < 1)))
    B > 2 or B < 1

    Raises RoofproofError for anything that is not made of comparisons.
    """
    match condition:
        case Relational() if (sign := {"==": "="}.get(condition.rel_op, condition.rel_op)) in TURNED:
            return Relation(condition.lhs, sign, condition.rhs)
        case sympy.And():
            return Both(tuple(map(line_of, condition.args)))  # type: ignore[arg-type]
        case sympy.Or():
            return Either(tuple(map(line_of, condition.args)))  # type: ignore[arg-type]
    raise RoofproofError("<what> is not a comparison", what=plain(condition))


def with_numbers(line: Relation | Both | Either, values: Mapping[sympy.Symbol, sympy.Expr]) -> Line:
    """Return a line with numbers substituted for names and no other change.

    >>> B, R = sympy.Symbol("B"), sympy.Symbol("R")
    >>> print(with_numbers(Either((Relation(B, ">", R), Relation(sympy.Integer(1), ">", R))), {R: sympy.Integer(2)}))
    B > 2 or 1 > 2
    """
    if isinstance(line, Relation):
        return Relation(line.left.xreplace(values), line.sign, line.right.xreplace(values))
    parts = tuple(with_numbers(part, values) for part in line.parts)  # type: ignore[arg-type]
    return type(line)(parts)  # type: ignore[arg-type]


def as_relation(line: Line) -> Line:
    """Return a one-sided bound as a relation, and any other line unchanged.

    >>> print(as_relation(Bound(sympy.Symbol("B"), Below(sympy.Integer(240), strict=False))))
    B <= 240
    """
    if isinstance(line, Bound) and isinstance(at := line.threshold, Above | Below):
        return Relation(line.unknown, (">" if at.kind == "above" else "<") + ("" if at.strict else "="), at.at)
    return line
