"""Conditions with max, min and abs anywhere, under a fraction too: the solution against exact values at points."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.derive.inequalities.cases import Case
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.symbols import quantity

x = quantity("x")
POINTS = sorted({Fraction(n, d) for n in range(1, 40) for d in (1, 2, 3, 5)})

whole = st.integers(-4, 4).map(sympy.Integer)
line = st.builds(lambda a, b: a * x + b, whole, whole)
extremum = st.one_of(
    st.builds(sympy.Max, line, line), st.builds(sympy.Min, line, line), st.builds(lambda a: sympy.Abs(a), line)
)
term = st.one_of(line, extremum, st.builds(lambda m, c: m + c, extremum, whole))


@st.composite
def conditions(draw: st.DrawFn) -> sympy.Basic:
    above, below, bound = draw(term), draw(term), draw(whole)
    left = above / below if below != 0 and draw(st.booleans()) else above + below
    return draw(st.sampled_from([sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le]))(left, bound, evaluate=False)


def truth(condition: sympy.Basic, point: Fraction) -> bool:
    """The truth at a point, worked out on both sides; false where a side is not defined."""
    value = sympy.Rational(point.numerator, point.denominator)
    sides = [side.subs(x, value) for side in condition.args]
    if any(s in (sympy.zoo, sympy.nan) for s in sides):
        return False
    return bool(condition.func(*sides) == sympy.true)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (1 / sympy.Max(x - 3, 1) > sympy.Rational(1, 2), "x < 5"),
        (1 / (sympy.Max(x - 3, 0) + 1) > sympy.Rational(1, 2), "x < 4"),
        (1 / sympy.Abs(x - 1) > 1, "x < 1 or 1 < x < 2"),
        (1 / sympy.Min(x, 4) > sympy.Rational(1, 3), "x < 3"),
        (x / (sympy.Max(x - 3, 1) - 2) > 1, "x > 5"),
        (sympy.Max(x - 3, 1) > 2, "x > 5"),
    ],
)
def test_a_maximum_below_a_fraction(condition: sympy.Basic, said: str) -> None:
    assert str(solve(condition, x)) == said


@settings(max_examples=25)
@given(conditions())
def test_solutions_are_those_of_exact_values(condition: sympy.Basic) -> None:
    try:
        cases = solve(condition, x)
    except RoofproofError:
        return
    [case] = cases
    assert isinstance(case, Case) and case.when == sympy.true
    for point in POINTS:
        value = sympy.Rational(point.numerator, point.denominator)
        assert bool(case.threshold.holds(x).subs(x, value)) == truth(condition, point), (condition, point)
