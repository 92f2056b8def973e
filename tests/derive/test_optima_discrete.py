"""The best integer compared with brute force, and proofs of monotonicity, independence and degree."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.derive.optima.integer_optima import argmin_integer
from roofproof.derive.optima.monotone import decreasing, degree, growth, increasing, independent
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.provers.discrete_proofs import prove_discrete
from roofproof.proofs.provers.monotone_proofs import prove_degree, prove_independent, prove_monotone
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.search.certificates import prove_between
from roofproof.proofs.translate import to_formula
from roofproof.symbols import quantity

a, b, c, d, x, N = map(quantity, "abcdxN")
Rational, sqrt, Max, Min = sympy.Rational, sympy.sqrt, sympy.Max, sympy.Min
fractions = st.builds(Rational, st.integers(1, 90), st.integers(1, 7))


def shapes(k: sympy.Rational, m: sympy.Rational) -> list[sympy.Expr]:
    return [k * x + m / x, k * x**2 + m / x, Max(k * x, m / x), k * x + Max(m / x, x / k), (x - k) ** 2 * (x - m) ** 2]


def best(f: sympy.Expr, among: list[int]) -> tuple[int, ...]:
    values = {n: f.subs(x, n) for n in among}
    least = min(values.values())
    return tuple(n for n, v in values.items() if v == least)


@settings(max_examples=10)
@given(fractions, fractions, st.integers(0, 4))
def test_integers_against_brute_force(k: sympy.Rational, m: sympy.Rational, shape: int) -> None:
    f = shapes(k / 20, m)[shape]
    found = argmin_integer(f, x)
    assert found.at == best(f, list(range(1, 121)))
    assert found.value == f.subs(x, found.at[0])
    bounded = argmin_integer(f, x, [x >= 3, x < 12])
    assert bounded.at == best(f, list(range(3, 12)))


@settings(max_examples=12)
@given(fractions, fractions, st.integers(0, 4))
def test_the_best_integer_is_proved_by_the_kernel(k: sympy.Rational, m: sympy.Rational, shape: int) -> None:
    found = argmin_integer(shapes(k / 20, m)[shape], x)
    proved = prove_discrete(found)
    assert proved.trust == "kernel"
    worse = next(n for n in range(1, 50) if n not in found.at)
    value = found.expr.subs(x, worse)
    with pytest.raises(Refuted):
        prove_discrete(replace(found, at=(worse,), value=value))
    with pytest.raises(Refuted):
        prove_discrete(replace(found, value=found.value + 1))


def test_what_was_not_looked_at_is_proved_too() -> None:
    right = argmin_integer(3 * x + 100 / x, x)
    for at in (3, 9):  # only the value at this integer
        wrong = replace(right, at=(at,), value=right.expr.subs(x, at), looked_at=(at,))
        with pytest.raises(Refuted):
            prove_discrete(replace(wrong, looked_at=(1, at, 20)))
    with pytest.raises(Refuted):
        prove_discrete(replace(right, at=(3,), value=right.expr.subs(x, 3), looked_at=(3,)))
    says = [p.statement.says for p in prove_discrete(right).derivation.known]
    assert says == [
        "3*x + 100/x = 104/3 at x = 6",
        "3*x + 100/x >= 104/3 for 1 <= x <= 5",
        "3*x + 100/x >= 104/3 for x >= 6",
    ]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: argmin_integer(a * x + 1 / x, x), "the best integer needs values for a"),
        (lambda: argmin_integer(1 / x, x), "no integer is best: the larger x, the smaller 1/x"),
        (lambda: argmin_integer(-x, x), "no integer is best: the larger x, the smaller -x"),
        (lambda: argmin_integer(x, x, [x > 2, x < 3]), "no integer meets the constraints"),
        (lambda: degree(a * x - b * x, x),
         "the leading term x*(a - b) may be zero or change its sign; the limit is not settled"),
        (lambda: degree(x - x**2, x), "x - x^2 grows as -x^2: the degree is not settled"),
        (lambda: degree(x * log2(x), x), "x*log2(x) grows as x*log2(x): the degree is not settled"),
        (lambda: increasing(1 / (x - 1), x),
         "the function has a pole at x = 1; add a constraint that keeps away from it"),
    ],
    ids=range(8),
)  # fmt: skip
def test_what_is_refused(call: object, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == message


# --- rising and falling -----------------------------------------------------------------------------

RISING = [
    x,
    a * x + b,
    x / (x + a),
    (2 * d + x) / (6 * d + x),
    sqrt(x) * a,
    x**3 - 3 * x**2 + 3 * x,
    Max(x, a * x**2),
    Min(x, a * x**2),
    x + Max(a, x),
    -a / x,
]
NOT_RISING = [a / x, x + 1 / x, Max(a, x), Min(a, x), x * (a - x), x**3 - 3 * x**2 + 2 * x]


@pytest.mark.parametrize("f", RISING, ids=str)
def test_rising_is_proved(f: sympy.Expr) -> None:
    found = increasing(f, x)
    assert found.holds is True and decreasing(f, x).holds is False and decreasing(-f, x).holds is True
    assert prove_monotone(found).trust == "kernel"
    assert prove_monotone(decreasing(-f, x)).trust == "kernel"


@pytest.mark.parametrize("f", NOT_RISING, ids=str)
def test_not_rising_comes_with_two_points(f: sympy.Expr) -> None:
    found = increasing(f, x)
    assert found.holds is False
    [point] = prove_monotone(found).counterexamples
    at = {s: Rational(point[s.name].numerator, point[s.name].denominator) for s in f.free_symbols}
    h = Rational(point["h"].numerator, point["h"].denominator)
    assert h > 0 and f.subs({**at, x: at[x] + h}) <= f.subs(at)
    with pytest.raises(Refuted):
        prove_monotone(replace(found, cases=((sympy.true, True),)))


def test_cases_and_bounds() -> None:
    f = (a + x) / (b + x)
    found = increasing(f, x)
    assert str(found).splitlines() == ["increasing        when a < b", "not increasing    otherwise"]
    assert prove_monotone(found).trust == "kernel"
    assert [found.at({"a": p, "b": q}) for p, q in ((1, 2), (2, 2), (3, 2))] == [True, False, False]
    assert increasing(a * x + b / x, x, [x >= c], assume=[a * c**2 >= b]).holds is True
    assert prove_monotone(increasing(a * x + b / x, x, [x >= c])).trust == "kernel"
    assert increasing(Max(a, x), x, strict=False).holds is True
    assert prove_monotone(increasing(Max(a, x), x, strict=False)).trust == "kernel"


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(-6, 6), st.integers(-2, 3)), min_size=1, max_size=4))
def test_rising_agrees_with_a_grid(made: list[tuple[int, int]]) -> None:
    f = sympy.Add(*(k * x**p for k, p in made))
    if x not in f.free_symbols:
        return
    grid = [Rational(k, 8) for k in (*range(1, 40), 80, 160, 4000)]
    values = [f.subs(x, p) for p in grid]
    steps = list(pairwise(values))
    if increasing(f, x).holds:
        assert all(p < q for p, q in steps)
    if decreasing(f, x).holds:
        assert all(p > q for p, q in steps)
    if any(p >= q for p, q in steps):
        assert increasing(f, x).holds is False


# --- independence and degree ------------------------------------------------------------------------


@pytest.mark.parametrize("f", [a, a * x / (x * b), (x**2 + a * x) / (x * (x + a)), sqrt(a * x) / sqrt(x)], ids=str)
def test_independent_is_an_identity(f: sympy.Expr) -> None:
    assert independent(f, x)
    assert prove_independent(f, x).trust == "kernel"


@pytest.mark.parametrize("f", [x, a * x / (x + b), sqrt(x), Max(a, x), x - x**2], ids=str)
def test_dependent_has_two_values(f: sympy.Expr) -> None:
    assert not independent(f, x)
    with pytest.raises(Refuted) as caught:
        prove_independent(f, x)
    assert caught.value.counterexample


DEGREES = {
    sqrt(x * a) / N: Rational(1, 2), x: 1, a: 0, a / x**2: -2, (2 * x**2 + a) / (x + N): 1,
    x ** Rational(2, 3) + sqrt(x): Rational(2, 3), (x + a) / (x + b): 0, a * x**3 - x: 3,
}  # fmt: skip


@pytest.mark.parametrize("f", DEGREES, ids=str)
def test_degrees_are_proved(f: sympy.Expr) -> None:
    found, factor, proof = prove_degree(f, x)
    assert (found, factor) == growth(f, x) and found == degree(f, x) == DEGREES[f]
    assert proof.trust == "kernel"


@pytest.mark.parametrize(
    ("f", "right"), [(sqrt(x + 1), Rational(1, 2)), (x**2 + x * log2(x), 2), (Max(a, x), 1)], ids=str
)
def test_a_degree_beyond_rational_functions_is_known_by_its_leading_term(f: sympy.Expr, right: sympy.Expr) -> None:
    found, _, proof = prove_degree(f, x)
    assert (found, proof.trust) == (right, "algebra")
    goal = proof.statement.goal
    with pytest.raises(Unwarranted):
        replace(
            proof, statement=replace(proof.statement, goal=Formula("tends", *goal[1:3], Term("+", goal[3], goal[3])))
        )


def test_degree_of_a_maximum() -> None:
    assert degree(Max(a * x, b * x**2, c), x) == 2
    assert degree(Min(a * x, b * x**2), x) == 1
    assert growth(Max(a * x, b * x), x) == (1, Max(a, b))


# --- intervals --------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(st.lists(st.integers(-5, 5), min_size=1, max_size=5), st.integers(0, 4), st.integers(1, 4))
def test_intervals_are_proved_only_where_true(rows: list[int], low: int, width: int) -> None:
    p = sympy.Add(*(k * x**i for i, k in enumerate(rows)))
    goal = to_formula(sympy.Ge(p, 0, evaluate=False))
    grid = [low + Rational(width * k, 40) for k in range(41)]
    theorem = prove_between(goal, "x", Fraction(low), Fraction(low + width))
    if theorem is not None:
        assert all(p.subs(x, q) >= 0 for q in grid)
    elif all(p.subs(x, q) > Rational(1, 2) for q in grid):
        raise AssertionError("a polynomial well above zero was not proved")
