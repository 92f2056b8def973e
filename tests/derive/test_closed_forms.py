"""Closed forms with max, min and abs, also in denominators, agree with the inequality at every point."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofproof.claims.judge.corrections import certified
from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import Claim, book_from_text
from roofproof.derive.inequalities.cases import Case
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.symbols import quantity

x, a = quantity("x"), quantity("a")
Max, Min, Abs, half = sympy.Max, sympy.Min, sympy.Abs, sympy.Rational(1, 2)

FORMS = [
    (1 / Max(x - 3, 1) > half, "x < 5"),
    (1 / Max(x - 3, 1) < half, "x > 5"),
    (1 / (Max(x - 3, 0) + 1) > half, "x < 4"),  # exposed communication
    (1 / (Max(x - 3, 0) + 1) <= half, "x >= 4"),
    (1 / Abs(x - 1) > 1, "x < 1 or 1 < x < 2"),
    (1 / Abs(x - 1) < 1, "x > 2"),
    (1 / Abs(x - 3) > 2, "5/2 < x < 3 or 3 < x < 7/2"),
    (1 / (Abs(x - 2) + 1) > sympy.Rational(1, 3), "x < 4"),
    (1 / (Abs(x - 2) + 1) > half, "1 < x < 3"),
    (1 / Min(x, 3) > half, "x < 2"),
    (1 / Min(x, 3) > sympy.Rational(1, 4), "always"),
    (1 / Min(x - 3, 1) > half, "x > 3"),
    (1 / Min(x - 3, 1) < half, "x < 3"),
    (x / Max(x - 3, 1) > 2, "2 < x < 6"),
    (x / Max(x - 3, 1) > 1, "x > 1"),
    (Max(x, 1 / (x - 2)) > 3, "2 < x < 7/3 or x > 3"),
    (Max(1 / (x - 1), 2) > 3, "1 < x < 4/3"),
    (Min(1 / (x - 1), 2) > 3, "never"),
    (Max(x - 5, 0) / Min(x, 4) > 1, "x > 9"),
    (1 / (5 - Max(x, 2)) > 1, "4 < x < 5"),
    (1 / Max(3 - x, 1) >= 1, "x >= 2"),
    (1 / Max(x - 3, a) > 1, "x < 4 when a < 1; never otherwise"),
    (Abs(x - 4) / x < 1, "x > 2"),
    (2 / Max(x, 1 / x) > 1, "1/2 < x < 2"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("condition", "answer"), FORMS)
def test_the_closed_form_and_its_proof(condition: sympy.Basic, answer: str) -> None:
    assert certified(condition, x) == answer


# wrong claims, such as answers that were once printed, with the condition that makes each one true,
# or an empty string if it is refuted
NOT_SO = [
    ("1/max(x - 3, 1) > 1/2 <=> x > 3 and x < 5", "x > 3"),
    ("1/max(x - 3, 1) > 1/2 <=> x < 6", ""),
    ("1/(max(x - 3, 0) + 1) > 1/2 <=> x > 2 and x < 4", "x > 2"),
    ("1/(max(x - 3, 0) + 1) > 1/2 <=> x < 5", ""),
    ("x != 1 => (1/abs(x - 1) > 1 <=> x < 1)", ""),
    ("1/(abs(x - 2) + 1) > 1/3 <=> x > 2 and x < 4", "x > 2"),
    ("1/(abs(x - 2) + 1) > 1/2 <=> x > 2 and x < 3", ""),  # also holds below 1, so x > 2 does not make it true
    ("1/min(x, 3) > 1/2 <=> x > 2", ""),
    ("x/max(x - 3, 1) > 2 <=> x > 2", ""),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "condition"), NOT_SO)
def test_what_it_is_not_is_never_verified(says: str, condition: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'").claims
    assert isinstance(claim, Claim)
    found = judge(claim)
    assert (found.kind, found.condition or "") == ("conditional" if condition else "refuted", condition)


EXTREMA: list[Callable[..., sympy.Expr]] = [Max, Min, lambda s, t: Abs(s - t) + 1]
small = st.integers(-4, 6)


@given(st.sampled_from(EXTREMA), small, small, st.integers(1, 5), st.integers(0, 3), st.integers(-2, 5))
def test_it_says_what_the_inequality_says(
    kind: Callable[..., sympy.Expr], shift: int, other: int, top: int, slope: int, bound: int
) -> None:
    below = kind(x + shift, sympy.Integer(other))
    condition = sympy.Gt((top + slope * x) / below, sympy.Rational(bound, 2), evaluate=False)
    if below.is_zero:
        return
    try:
        cases = solve(condition, x)
    except RoofproofError:  # if the divisor is zero on a whole half-line
        assume(below.subs(x, sympy.Rational(1, 100)) != 0 and below.subs(x, 100) != 0)
        raise
    for point in (Fraction(k, 4) for k in range(1, 49)):
        at = sympy.Rational(point)
        divisor = below.subs(x, at)
        said = cases.at({}).holds(x).subs(x, at)
        assert bool(said) == bool(divisor != 0 and (top + slope * at) / divisor > sympy.Rational(bound, 2)), (
            condition,
            at,
        )


# --- conditions with max, min and abs anywhere, also in denominators: solutions compared with exact values


size = quantity("size")
POINTS = sorted({Fraction(n, d) for n in range(1, 40) for d in (1, 2, 3, 5)})

whole = st.integers(-4, 4).map(sympy.Integer)
line = st.builds(lambda a, b: a * size + b, whole, whole)
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
    """Return the truth value at a point, from the values of both sides, or False if a side is undefined."""
    value = sympy.Rational(point.numerator, point.denominator)
    sides = [side.subs(size, value) for side in condition.args]
    if any(s in (sympy.zoo, sympy.nan) for s in sides):
        return False
    return bool(condition.func(*sides) == sympy.true)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (1 / sympy.Max(size - 3, 1) > sympy.Rational(1, 2), "size < 5"),
        (1 / (sympy.Max(size - 3, 0) + 1) > sympy.Rational(1, 2), "size < 4"),
        (1 / sympy.Abs(size - 1) > 1, "size < 1 or 1 < size < 2"),
        (1 / sympy.Min(size, 4) > sympy.Rational(1, 3), "size < 3"),
        (size / (sympy.Max(size - 3, 1) - 2) > 1, "size > 5"),
        (sympy.Max(size - 3, 1) > 2, "size > 5"),
    ],
)
def test_a_maximum_below_a_fraction(condition: sympy.Basic, said: str) -> None:
    assert str(solve(condition, size)) == said


@settings(max_examples=25)
@given(conditions())
def test_solutions_are_those_of_exact_values(condition: sympy.Basic) -> None:
    try:
        cases = solve(condition, size)
    except RoofproofError:
        return
    [case] = cases
    assert isinstance(case, Case) and case.when == sympy.true
    for point in POINTS:
        value = sympy.Rational(point.numerator, point.denominator)
        assert bool(case.threshold.holds(size).subs(size, value)) == truth(condition, point), (condition, point)
