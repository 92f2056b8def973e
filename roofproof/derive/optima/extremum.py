"""Results of a search for a minimum or maximum: exhaustive cases, each attained, approached, unbounded or empty."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import case_at, case_lines, substitute
from roofproof.errors import RoofproofError
from roofproof.sentences import Sentence

Conditions = Iterable[Boolean]
Point = tuple[tuple[sympy.Symbol, sympy.Expr], ...]


@dataclass(frozen=True, slots=True)
class Attained:
    """An extreme value that is attained at a point, and at no other if it is `unique`.

    >>> from roofproof.symbols import quantity
    >>> print(Attained(sympy.Integer(2), ((quantity("x"), sympy.Integer(1)),)))     # x + 1/x
    2 at x = 1
    """

    value: sympy.Expr
    at: Point
    unique: bool = True
    kind: ClassVar[str] = "attained"

    def __str__(self) -> str:
        where = ", ".join(f"{s} = {plain(v)}" for s, v in self.at)
        form = "<value> at <where>" if self.unique else "<value> at <where> and elsewhere"
        return Sentence(form, value=plain(self.value), where=where)


@dataclass(frozen=True, slots=True)
class Approached:
    """An infimum (or supremum) that no point attains, but that values approach as the unknowns tend to `towards`.

    >>> from roofproof.symbols import quantity
    >>> print(Approached(sympy.Integer(0), ((quantity("x"), sympy.oo),)))            # 1/x
    0, approached as x -> oo, not attained
    """

    value: sympy.Expr
    towards: Point
    kind: ClassVar[str] = "approached"

    def __str__(self) -> str:
        if not self.towards:
            return Sentence("<value>, approached, not attained", value=plain(self.value))
        return Sentence(
            "<value>, approached as <towards>, not attained", value=plain(self.value), towards=_to(self.towards)
        )


@dataclass(frozen=True, slots=True)
class Unbounded:
    """An unbounded function: its values pass every number as the unknowns tend to `towards`.

    >>> from roofproof.symbols import quantity
    >>> print(Unbounded(-sympy.oo, ((quantity("x"), sympy.oo),)))                    # 1 - x
    unbounded: -> -oo as x -> oo
    """

    value: sympy.Expr  # oo or -oo
    towards: Point
    kind: ClassVar[str] = "unbounded"

    def __str__(self) -> str:
        if not self.towards:
            return Sentence("unbounded: -> <value>", value=plain(self.value))
        return Sentence("unbounded: -> <value> as <towards>", value=plain(self.value), towards=_to(self.towards))


@dataclass(frozen=True, slots=True)
class Empty:
    """An empty domain: no point meets the constraints.

    >>> print(Empty())
    no point meets the constraints
    """

    value: ClassVar[sympy.Expr] = sympy.nan
    kind: ClassVar[str] = "empty"

    def __str__(self) -> str:
        return "no point meets the constraints"


Outcome = Attained | Approached | Unbounded | Empty


@dataclass(frozen=True, slots=True)
class Extremum:
    """The minimum or maximum of an expression over positive unknowns, by exhaustive, disjoint cases.

    >>> from roofproof.derive.optima.optima import minimum
    >>> from roofproof.symbols import quantity
    >>> a, b, x = map(quantity, "abx")
    >>> print(minimum(a*x + b/x, x, subject_to=[x >= 1]))                  # a - b/x^2 changes sign at sqrt(b/a)
    2*sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a)    when a < b
    a + b at x = 1                              otherwise
    """

    sense: str  # "minimum" or "maximum"
    expr: sympy.Expr
    over: tuple[sympy.Symbol, ...]
    subject_to: tuple[Boolean, ...]
    assume: tuple[Boolean, ...]
    cases: tuple[tuple[Boolean, Outcome], ...]

    def __iter__(self) -> Iterator[tuple[Boolean, Outcome]]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    def outcome(self, values: Mapping[str, object] | None = None) -> Outcome:
        """Return the outcome at given values of the parameters, by name.

        >>> from roofproof.derive.optima.optima import minimum
        >>> from roofproof.symbols import quantity
        >>> a, b, x = map(quantity, "abx")
        >>> print(minimum(a*x + b/x, x).outcome({"a": 3, "b": 12}))            # 3*2 + 12/2
        12 at x = 2

        Raises RoofproofError if the values do not decide the case.
        """
        values = values or {}
        return with_exprs(case_at(self.cases, values), lambda e: sympy.Basic.simplify(substitute(e, values)))

    @property
    def value(self) -> sympy.Expr:
        """The extreme value as one expression, by cases if there are several.

        Raises RoofproofError if it is not attained.
        """
        return self._by_case(lambda o: o.value)

    def at(self, unknown: sympy.Symbol | None = None) -> sympy.Expr:
        """Return the point where the extreme value is attained, as one expression, by cases if there are several.

        >>> from roofproof.derive.optima.optima import minimum
        >>> from roofproof.symbols import quantity
        >>> a, b, x = map(quantity, "abx")
        >>> minimum(a/x + b*x, x).at()
        sqrt(a)/sqrt(b)

        Raises RoofproofError if it is not attained, or attained at more than one point.
        """
        name = (unknown or self.over[0]).name
        for _, outcome in self.cases:
            if isinstance(outcome, Attained) and not outcome.unique:
                raise RoofproofError(
                    "the <sense> is taken at more than one <name>: <outcome>",
                    sense=self.sense,
                    name=name,
                    outcome=str(outcome),
                )
        return self._by_case(lambda o: next(v for s, v in o.at if s.name == name))

    def _by_case(self, read: Callable[[Attained], sympy.Expr]) -> sympy.Expr:
        parts = []
        for when, outcome in self.cases:
            if isinstance(outcome, Empty):
                continue
            if not isinstance(outcome, Attained):
                if when == sympy.true:
                    raise RoofproofError("there is no <sense>: <outcome>", sense=self.sense, outcome=str(outcome))
                raise RoofproofError(
                    "there is no <sense> when <condition>: <outcome>",
                    sense=self.sense,
                    condition=plain(when),
                    outcome=str(outcome),
                )
            parts.append((read(outcome), when))
        if not parts:
            raise RoofproofError("there is no <sense>: <outcome>", sense=self.sense, outcome=str(Empty()))
        if len({e for e, _ in parts}) == 1:
            return parts[0][0]
        return sympy.Piecewise(*parts[:-1], (parts[-1][0], True), evaluate=False)

    def __str__(self) -> str:
        return "\n".join(case_lines([(when, str(outcome)) for when, outcome in self.cases]))


def with_exprs(
    outcome: Outcome, change: Callable[[sympy.Expr], sympy.Expr], names: Mapping[sympy.Symbol, sympy.Symbol] = {}
) -> Outcome:
    """Return an outcome with every expression changed, and its unknowns under other names."""
    match outcome:
        case Attained(value, at):
            return replace(outcome, value=change(value), at=tuple((names.get(s, s), change(v)) for s, v in at))
        case Approached(value, at) | Unbounded(value, at):
            return type(outcome)(change(value), tuple((names.get(s, s), change(v)) for s, v in at))
    return outcome


def _to(towards: Point) -> str:
    return ", ".join(f"{s} -> {plain(v)}" for s, v in towards)
