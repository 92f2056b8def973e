"""Minima and maxima are bounds at every exact point, are attained as stated, and have exhaustive cases."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.derive.algebra.text import plain
from roofproof.derive.optima.extremum import Approached, Attained, Empty, Extremum, Unbounded
from roofproof.derive.optima.optima import argmax, argmin, maximum, minimum
from roofproof.errors import RoofproofError
from roofproof.symbols import dimension, quantity

a, b, c, d, x, y, z, N = map(quantity, "abcdxyzN")
sqrt, Max, Min, Eq, Rational = sympy.sqrt, sympy.Max, sympy.Min, sympy.Eq, sympy.Rational

small = st.integers(1, 9)
fractions = st.builds(Rational, st.integers(1, 30), st.integers(1, 12))


def sign(e: sympy.Expr) -> int:
    """Return the exact sign of a real number, even if it contains radicals and roots."""
    if e.is_Rational:
        return int(sympy.sign(e))
    return 0 if e.equals(0) else (1 if e.is_positive else -1)


def points(at: sympy.Expr) -> list[sympy.Rational]:
    """Return exact points near an optimum and far from it."""
    near = sympy.floor(at * 1000) / 1000
    tried = [near, near + Rational(1, 1000), near * Rational(9, 10), near * Rational(11, 10)]
    return [p for p in (*tried, *map(Rational, (Fraction(1, 50), Fraction(1, 2), 1, 3, 40))) if p > 0]


# --- closed forms -----------------------------------------------------------------------------------

CLOSED: list[tuple[sympy.Expr, Sequence[sympy.Basic], str]] = [
    (a * x + b / x, [], "2*sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a)"),
    (a * x + b / x + c, [], "c + 2*sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a)"),
    (a * x + (b + c) / x, [], "2*sqrt(a)*sqrt(b + c) at x = sqrt(b + c)/sqrt(a)"),
    (a * x**2 + b / x, [], "3*2^(1/3)*a^(1/3)*b^(2/3)/2 at x = 2^(2/3)*b^(1/3)/(2*a^(1/3))"),
    (a * x**2 - b * x + c, [], "(4*a*c - b^2)/(4*a) at x = b/(2*a)"),
    ((x**2 + a) / (x + b), [], "2*sqrt(a + b^2) - 2*b at x = sqrt(a + b^2) - b"),
    (Max(a / x, b * x), [], "sqrt(a)*sqrt(b) at x = sqrt(a)/sqrt(b)"),
    (c + 2 * Max(a / x, b * x), [], "c + 2*sqrt(a)*sqrt(b) at x = sqrt(a)/sqrt(b)"),
    (a / x, [x <= N], "a/N at x = N"),
    (a / x, [sympy.Ge(N, x)], "a/N at x = N"),
    (Max(a / x, b * x, -x), [], "sqrt(a)*sqrt(b) at x = sqrt(a)/sqrt(b)"),
    (a * x + b, [x >= c], "b + a*c at x = c"),
    (x + 1 / (x - 1), [x > 1], "3 at x = 2"),
    (a / x, [], "0, approached as x -> oo, not attained"),
    (a * x + b, [], "b, approached as x -> 0, not attained"),
    (a - b * x, [x < 3], "a - 3*b, approached as x -> 3, not attained"),
    (1 - x, [], "unbounded: -> -oo as x -> oo"),
    (-1 / x, [], "unbounded: -> -oo as x -> 0"),
    (x, [x > 2, x < 2], "no point meets the constraints"),
    (x, [x >= 2, x <= 2], "2 at x = 2"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "constraints", "said"), CLOSED, ids=lambda v: str(v)[:30])
def test_closed_forms(f: sympy.Expr, constraints: Sequence[sympy.Basic], said: str) -> None:
    assert str(minimum(f, x, constraints)) == said


def test_an_inner_optimum_gives_way_to_the_boundary() -> None:
    found = minimum(a * x + b / x, x, [x >= 1, x <= N])
    assert str(found).splitlines() == [
        "2*sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a)    when N > 1 and a < b and b < a*N^2",
        "(b + a*N^2)/N at x = N                      when N > 1 and a < b and b >= a*N^2",
        "a + b at x = 1                              when (N > 1 and a >= b) or N = 1",
        "no point meets the constraints              otherwise",
    ]
    for values in ({"a": 1, "b": 4, "N": 9}, {"a": 1, "b": 400, "N": 9}, {"a": 4, "b": 1, "N": 9}):
        lowest = sympy.Max(1, sympy.Min(values["N"], sqrt(Rational(values["b"], values["a"]))))
        outcome = found.outcome(values)
        assert isinstance(outcome, Attained) and outcome.at == ((x, lowest),)
    assert found.outcome({"a": 1, "b": 1, "N": Rational(1, 2)}) == Empty()


def test_conditions_are_written_without_roots() -> None:
    assert str(minimum(a * x**2 + b / x, x, [x >= c])).splitlines() == [
        "3*2^(1/3)*a^(1/3)*b^(2/3)/2 at x = 2^(2/3)*b^(1/3)/(2*a^(1/3))    when b > 2*a*c^3",
        "(b + a*c^3)/c at x = c                                            otherwise",
    ]


def test_the_largest_minimum_and_the_negative_of_a_maximum() -> None:
    assert str(maximum(Min(a * x, b / x), x)) == "sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a)"
    assert str(maximum(c - Max(a / x, b * x), x)) == "c - sqrt(a)*sqrt(b) at x = sqrt(a)/sqrt(b)"


def test_the_level_part_of_a_maximum_is_not_one_point() -> None:
    found = minimum(Max(a / x, b * x, c), x)
    assert str(found).splitlines() == [
        "c at x = a/c and elsewhere                when a*b < c^2",
        "sqrt(a)*sqrt(b) at x = sqrt(a)/sqrt(b)    otherwise",
    ]
    with pytest.raises(RoofproofError) as caught:
        found.at(x)
    assert str(caught.value) == "the minimum is taken at more than one x: c at x = a/c and elsewhere"


def test_argmin_is_the_point_alone() -> None:
    assert argmin(a * x + c / x, x) == sqrt(c / a)
    assert argmax(x / (x + a) ** 2, x) == a
    B, D = dimension("B"), dimension("D")
    assert argmin(D / B + B, B) == sqrt(D)  # with the symbols of the input
    shown = argmin(a * x + b / x, x, [x >= 1])
    assert shown == sympy.Piecewise((sqrt(b / a), a < b), (1, True), evaluate=False)


@pytest.mark.parametrize(
    ("f", "said"),
    [
        (a / x + b / y + c * x * y,
         "3*a^(1/3)*b^(1/3)*c^(1/3) at x = a^(2/3)/(b^(1/3)*c^(1/3)), y = b^(2/3)/(a^(1/3)*c^(1/3))"),
        (2 * x * y + 3 / x + 5 / y, "3*30^(1/3) at x = 30^(2/3)/10, y = 30^(2/3)/6"),
        (a * x + b / x + c * y + d / y,
         "2*sqrt(a)*sqrt(b) + 2*sqrt(c)*sqrt(d) at x = sqrt(b)/sqrt(a), y = sqrt(d)/sqrt(c)"),
        (a / x + b / y, "0, approached as x -> oo, y -> oo, not attained"),
        (a * x + b / x + 1 / y, "2*sqrt(a)*sqrt(b), approached as x -> sqrt(b)/sqrt(a), y -> oo, not attained"),
        (a * x / y + b * y / x, "2*sqrt(a)*sqrt(b) at x = sqrt(b)/sqrt(a), y = 1 and elsewhere"),
        ((x + a) * (b + 1 / y) * y / x, "1, approached as x -> oo, y -> 0, not attained"),
    ],
    ids=str,
)  # fmt: skip
def test_two_unknowns(f: sympy.Expr, said: str) -> None:
    assert str(minimum(f, (x, y))) == said


def test_an_equation_gives_one_unknown_by_the_other() -> None:
    assert str(minimum(a * x + b * y, (x, y), [Eq(x * y, N)])) == (
        "2*sqrt(N)*sqrt(a)*sqrt(b) at x = sqrt(N)*sqrt(b)/sqrt(a), y = sqrt(N)*sqrt(a)/sqrt(b)"
    )
    assert str(maximum(x * y, (x, y), [Eq(x + y, N)])) == "N^2/4 at x = N/2, y = N/2"
    assert str(minimum(x + y, (x, y), [Eq(x * y, N), x >= 1], assume=[N < 1])) == "N + 1 at x = 1, y = N"
    assert str(minimum(x**2 + y**2, (x, y), [Eq(x + y, N)])) == "N^2/2 at x = N/2, y = N/2"


def test_three_unknowns() -> None:
    found = minimum(a / x + b / y + c / z + d * x * y * z, (x, y, z))
    assert found.value == 4 * (a * b * c * d) ** Rational(1, 4)


# --- laws -------------------------------------------------------------------------------------------


@st.composite
def terms(draw: st.DrawFn) -> list[tuple[sympy.Rational, sympy.Rational]]:
    """Return a posynomial in x with a rising and a falling term, as (coefficient, exponent) pairs."""
    powers = st.builds(Rational, st.integers(1, 3), st.sampled_from([1, 1, 1, 2]))
    rising = draw(st.lists(st.tuples(fractions, powers), min_size=1, max_size=2))
    falling = draw(st.lists(st.tuples(fractions, powers), min_size=1, max_size=2))
    return [*rising, *((k, -p) for k, p in falling)]


@settings(max_examples=12)
@given(terms())
def test_no_point_is_below_the_minimum_of_a_posynomial(made: list[tuple[sympy.Rational, sympy.Rational]]) -> None:
    f = sympy.Add(*(k * x**p for k, p in made))
    found = minimum(f, x)
    [(when, outcome)] = found.cases
    assert when == sympy.true and isinstance(outcome, Attained) and outcome.unique
    [(_, at)] = outcome.at
    assert abs((f.subs(x, at) - outcome.value).evalf(30)) < 1e-20
    for p in points(at):
        assert (f.subs(x, p) - outcome.value).evalf(40) >= 0


@settings(max_examples=10)
@given(st.lists(fractions, min_size=2, max_size=3), st.lists(fractions, min_size=2, max_size=3), fractions, fractions)
def test_symbols_agree_with_numbers(up: list, down: list, low: sympy.Rational, length: sympy.Rational) -> None:  # type: ignore[type-arg]
    """The cases found with symbols give, at numbers, the result found with the numbers substituted first."""
    values = {"a": up[0], "b": down[0], "c": low, "d": low + length}
    for f, constraints in (
        (a * x + b / x, [x >= c, x <= d]),
        (Max(a * x, b / x), [x >= c]),
        (a * x**2 + b / x, [x <= c]),
        (c * x + Max(a / x, b * x), []),
        ((x**2 + a) / (x + b), [x >= c]),
    ):
        with_symbols = minimum(f, x, constraints).outcome(values)
        table = {quantity(k): v for k, v in values.items()}
        [(_, with_numbers)] = minimum(f.subs(table), x, [r.subs(table) for r in constraints]).cases
        assert isinstance(with_symbols, Attained) and isinstance(with_numbers, Attained)
        assert sign(with_symbols.value - with_numbers.value) == 0
        assert sign(with_symbols.at[0][1] - with_numbers.at[0][1]) == 0


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 3)), min_size=1, max_size=4), small, small)
def test_polynomials_between_bounds(made: list[tuple[int, int]], low: int, length: int) -> None:
    """The minimum of a polynomial over a closed interval is attained, and no point of a grid is below it."""
    f = sympy.Add(*(k * x**p for k, p in made)) + x**2
    if x not in f.free_symbols:
        return
    [(_, outcome)] = minimum(f, x, [x >= low, x <= low + length]).cases
    assert isinstance(outcome, Attained)
    grid = [low + Rational(length * k, 24) for k in range(25)]
    assert all((f.subs(x, p) - outcome.value).evalf(40) >= -1e-30 for p in grid)
    assert low <= outcome.at[0][1] <= low + length
    assert abs((f.subs(x, outcome.at[0][1]) - outcome.value).evalf(30)) < 1e-20


@settings(max_examples=15)
@given(st.tuples(*[fractions] * 3), st.tuples(*[st.integers(1, 2)] * 4))
def test_posynomials_in_two_unknowns(ks: tuple[sympy.Rational, ...], ps: tuple[int, ...]) -> None:
    f = ks[0] * x ** -ps[0] + ks[1] * y ** -ps[1] + ks[2] * x ** ps[2] * y ** ps[3]
    [(_, outcome)] = minimum(f, (x, y)).cases
    assert isinstance(outcome, Attained) and outcome.unique
    at = dict(outcome.at)
    assert abs((f.subs(at) - outcome.value).evalf(30)) < 1e-20
    for p in points(at[x])[:6]:
        for q in points(at[y])[:6]:
            assert (f.subs({x: p, y: q}) - outcome.value).evalf(40) >= 0


@settings(max_examples=30)
@given(terms())
def test_a_maximum_is_the_negated_minimum(made: list[tuple[sympy.Rational, sympy.Rational]]) -> None:
    f = sympy.Add(*(k * x**p for k, p in made))
    low, high = minimum(f, x).cases[0][1], maximum(-f, x).cases[0][1]
    assert isinstance(low, Attained) and isinstance(high, Attained)
    assert (low.value, low.at, low.unique) == (-high.value, high.at, high.unique)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "f", [(x + a) / (x + b), (a - b) * x + 1 / x, Max(a / x, b / x**2, c), a * x - b / x, (a - b) / x + x]
)
def test_exactly_one_case_holds_at_every_point(f: sympy.Expr) -> None:
    found = minimum(f, x, [x <= 5]) if f.has(Max) else minimum(f, x)
    for p in (1, 2, 3):
        for q in (1, 2, 3):
            for r in (1, 2):
                table = {a: p, b: q, c: r}
                assert [when.subs(table) for when, _ in found.cases].count(sympy.true) == 1
                numbers = f.subs(table)
                if x not in numbers.free_symbols:
                    continue
                exact = minimum(numbers, x, [x <= 5] if f.has(Max) else []).cases[0][1]
                mine = found.outcome({"a": p, "b": q, "c": r})
                assert type(mine) is type(exact)
                if isinstance(mine, Attained | Approached):
                    assert mine.value == exact.value


# --- refusals, word for word ------------------------------------------------------------------------

REFUSED = {
    "root of a sum": (x + sqrt(x + 1), x, [],
                      "'sqrt(x + 1)' is not a rational function of x: the optimum is not found"),
    "pole": (x + 1 / (x - 1), x, [],
             "the function has a pole at x = 1; add a constraint that keeps away from it"),
    "degree": (a * x**3 + b * x**2 + c / x, x, [],
               "degree 4 in x with symbols has no closed form; give values to a, b, c (a chip gives ridge points)"),
    "absent": (a + b, x, [], "the unknown x does not occur in 'a + b'"),
    "twice": (a * x, (x, x), [], "expected different unknowns, got 'x, x'"),
    "mixed": (Max(a, Min(x, b / x)), x, [],
              "a maximum and a minimum mixed in 'max(a, min(x, b/x))'; the optimum is found for one kind at a time"),
    "not about it": (a * x, x, [a > 1], "the constraint a > 1 contains no unknown; it belongs in assume"),
    "unequal": (a * x, x, [sympy.Ne(x, 1)], "expected a constraint such as x >= 1 or Eq(x*y, N), got 'x != 1'"),
    "equation": (a * x, x, [Eq(x, 1)],
                 "the equation x = 1 gives none of the unknowns x by the others; "
                 "expected one such as Eq(x*y, N) in two unknowns"),
    "two bounds": (a / x + b / y + c * x * y, (x, y), [x >= 1],
                   "the bound x >= 1 with 2 free unknowns (x, y): bounds are read for one unknown"),
    "two signs": (a / x - b / y, (x, y), [], "the coefficient '-b' is not known to be positive"),
    "not products": (1 / (x + y) + x, (x, y), [],
                     "'1/(x + y)' is not a product of powers of x, y; in several unknowns the optimum is found for "
                     "sums of such products"),
    "no expression": (sympy.true, x, [], "expected an expression such as a*x + b/x, got 'True'"),
    "too many": (Max(*(quantity(f"u{k}") / x for k in range(4)), *(quantity(f"v{k}") * x for k in range(3))), x, [],
                 "more than 120 sign patterns to look at; give values or assumptions for some parameters"),
    "pieces": (Max(*(quantity(f"u{k}") / x for k in range(13))), x, [],
               "more than 12 pieces once maxima are expanded in "
               "'max(u0/x, u1/x, u10/x, u11/x, u12/x, u2/x, u3/x, u4/x, u5/x,...'"),
    "root": (x ** Rational(1, 29) + 1 / x, x, [], "a root of x of index 29; the limit is 24"),
}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    f, over, constraints, message = REFUSED[name]
    with pytest.raises(RoofproofError) as caught:
        minimum(f, over, constraints)
    assert str(caught.value) == message


def test_assumptions_are_read_and_checked() -> None:
    assert len(minimum(a * x + b / x, x, [x <= N], assume=[a * N**2 > b])) == 1
    for given_, message in (
        ([a < 0], "an assumption is false for all positive symbols"),
        ([sympy.Lt(a, 0, evaluate=False)], "the assumption a < 0 cannot hold for positive symbols"),
        ([a > b, a < b], "the assumptions contradict each other: a < b"),
    ):
        with pytest.raises(RoofproofError) as caught:
            minimum(a * x + b / x, x, assume=given_)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("found", "message"),
    [
        (minimum(a / x, x), "there is no minimum: 0, approached as x -> oo, not attained"),
        (maximum(a * x, x), "there is no maximum: unbounded: -> oo as x -> oo"),
        (minimum((a - b) * x + 1 / x, x), "there is no minimum when a = b: 0, approached as x -> oo, not attained"),
        (minimum(x, x, [x > 2, x < 1]), "there is no minimum: no point meets the constraints"),
    ],
    ids=str,
)
def test_a_value_that_is_not_taken_is_not_given(found: Extremum, message: str) -> None:
    for ask in (lambda: found.value, found.at):
        with pytest.raises(RoofproofError) as caught:
            ask()
        assert str(caught.value) == message


def test_outcomes_print_plainly() -> None:
    assert plain(sympy.Gt(a, b)) == "a > b"
    assert str(Unbounded(-sympy.oo, ((x, sympy.oo),))) == "unbounded: -> -oo as x -> oo"
