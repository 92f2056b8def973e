"""Dependence of an expression on one positive symbol: increasing, decreasing or independent, and its exponent."""

from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Ring, surely_positive, whole_powers
from roofproof.derive.algebra.text import plain
from roofproof.derive.extrema import pieces
from roofproof.derive.inequalities.cases import case_at, case_lines
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.optima.constraints import domain_of
from roofproof.derive.optima.extremum import Conditions
from roofproof.derive.optima.optima import as_quantities
from roofproof.derive.optima.optimum_search import Search, with_powers
from roofproof.derive.signs import Signs
from roofproof.derive.tree import branches, by_condition
from roofproof.errors import RoofproofError
from roofproof.symbols import quantity


@dataclass(frozen=True, slots=True)
class Monotone:
    """Whether an expression increases (or decreases) in a symbol, by exhaustive cases on the parameters.

    >>> from roofproof.symbols import quantity
    >>> a, b, x = map(quantity, "abx")
    >>> print(increasing((a + x)/(b + x), x))              # slope (b - a)/(b + x)^2
    increasing        when a < b
    not increasing    otherwise
    """

    sense: str  # "increasing" or "decreasing"
    expr: sympy.Expr
    unknown: sympy.Symbol
    strict: bool
    subject_to: tuple[Boolean, ...]
    assume: tuple[Boolean, ...]
    cases: tuple[tuple[Boolean, bool], ...]

    @property
    def holds(self) -> bool | None:
        """True or False if all cases agree, None if it depends on the parameters."""
        said = {holds for _, holds in self.cases}
        return said.pop() if len(said) == 1 else None

    def at(self, values: dict[str, object]) -> bool:
        """Tell whether it holds at given values of the parameters, by name.

        >>> from roofproof.symbols import quantity
        >>> a, x = quantity("a"), quantity("x")
        >>> increasing((a + x)/(3 + x), x).at({"a": 2})
        True

        Raises RoofproofError if the values do not decide the case.
        """
        return bool(case_at(self.cases, values))

    def __str__(self) -> str:
        return "\n".join(case_lines([(w, self.sense if holds else f"not {self.sense}") for w, holds in self.cases]))


def increasing(
    expr: sympy.Expr, unknown: sympy.Symbol, subject_to: Conditions = (), assume: Conditions = (), strict: bool = True
) -> Monotone:
    """Return the cases in which an expression increases in a positive symbol, with the other symbols fixed.

    >>> from roofproof.symbols import quantity
    >>> d, L = quantity("d"), quantity("L")
    >>> increasing((2*d + L)/(6*d + L), L).holds           # slope 4 d/(6 d + L)^2
    True

    `subject_to` bounds the symbol, and `strict=False` tests for "not decreasing". Raises RoofproofError outside the
    fragment of `minimum`.
    """
    return _monotone("increasing", expr, unknown, subject_to, assume, strict)


def decreasing(
    expr: sympy.Expr, unknown: sympy.Symbol, subject_to: Conditions = (), assume: Conditions = (), strict: bool = True
) -> Monotone:
    """Return the cases in which an expression decreases in a positive symbol, with the other symbols fixed.

    >>> from roofproof.symbols import quantity
    >>> a, x = quantity("a"), quantity("x")
    >>> decreasing(sympy.Max(a/x, 1), x).holds, decreasing(sympy.Max(a/x, 1), x, strict=False).holds
    (False, True)

    Raises RoofproofError as `increasing` does.
    """
    return _monotone("decreasing", expr, unknown, subject_to, assume, strict)


def _monotone(
    sense: str, expr: sympy.Expr, unknown: sympy.Symbol, subject_to: Conditions, assume: Conditions, strict: bool
) -> Monotone:
    subject_to, assume = tuple(subject_to), tuple(assume)
    names, (f, *rest) = as_quantities(expr, *subject_to, *assume)
    x, turn = quantity(unknown.name), 1 if sense == "increasing" else -1
    if independent(f, x):
        return Monotone(sense, expr, unknown, strict, subject_to, assume, ((sympy.true, not strict),))
    search = Search(f, domain_of((x,), rest[: len(subject_to)]), rest[len(subject_to) :])

    def holds(signs: Signs) -> bool:
        ends = search.domain.ends(search.ring, signs)
        stretches = search.chart.stretches(signs, *ends) if ends is not None else []
        return all(s.slope * turn > 0 or (s.slope == 0 and not strict) for s in stretches)

    cases = by_condition(search.ring, branches(holds, search.given), search.given)
    named = [(with_powers(when, search.back).xreplace(names), h) for when, h in cases]
    named.sort(key=lambda case: not case[1])
    return Monotone(sense, expr, unknown, strict, subject_to, assume, tuple(named))


def independent(expr: sympy.Expr, unknown: sympy.Symbol) -> bool:
    """Tell whether an expression does not depend on a symbol at all, once it is in lowest terms.

    >>> from roofproof.symbols import quantity
    >>> B, R = quantity("B"), quantity("R")
    >>> independent(2*B*R/(B + B/R), B), independent(B/(B + 1), B)      # 2 R^2/(R + 1)
    (True, False)

    Raises RoofproofError outside rational functions, fractional powers, max and min.
    """
    _, (f,) = as_quantities(expr)
    x, y = quantity(unknown.name), quantity(f"{unknown.name}!")
    if x not in f.free_symbols:
        return True
    table = whole_powers([f])
    f = f.xreplace(table)
    t = table[x].base if x in table else x
    if f.has(sympy.Max, sympy.Min):
        _, parts = pieces(f, frozenset([t.name]))
        return all(independent(g, t) for g in parts)
    difference = f - f.xreplace({t: y})
    return bool(Ring.of(difference, t, y).fraction(difference)[0].is_zero())


def degree(expr: sympy.Expr, unknown: sympy.Symbol) -> sympy.Rational:
    """Return the exponent d with which an expression grows in a symbol: f/x^d tends to a positive constant.

    >>> from roofproof.symbols import quantity
    >>> B, F, N = map(quantity, "BFN")
    >>> degree(sympy.sqrt(B*F)/N, B), degree((2*B**2 + F)/(B + N), B)
    (1/2, 1)

    Raises RoofproofError if the leading coefficient is not known to be positive, or a logarithm or exponential leads.
    """
    return growth(expr, unknown)[0]


def growth(expr: sympy.Expr, unknown: sympy.Symbol) -> tuple[sympy.Rational, sympy.Expr]:
    """Return (d, c) with f ~ c x^d as x grows, by the leading term of each argument of a maximum or minimum.

    >>> from roofproof.symbols import quantity
    >>> B, F = quantity("B"), quantity("F")
    >>> growth((2*B**2 + F)/(3*B + 1), B)
    (1, 2/3)

    Raises RoofproofError as `degree` does.
    """
    head, parts = pieces(expr, frozenset([unknown.name]))
    found = []
    for part in parts:
        lead = limit(part, Regime.of((unknown.name,))).leading_value
        c, power = lead.as_independent(unknown, as_Add=False)
        base, d = power.as_base_exp() if power != 1 else (unknown, sympy.Integer(0))
        if base != unknown or not surely_positive(c):
            raise RoofproofError(
                "<expr> grows as <lead>: the degree is not settled", expr=plain(expr), lead=plain(lead)
            )
        found.append((d, c))
    top = (min if head == "min" else max)(d for d, _ in found)
    leading = [c for d, c in found if d == top]
    return top, leading[0] if len(leading) == 1 else (sympy.Min if head == "min" else sympy.Max)(*leading)
