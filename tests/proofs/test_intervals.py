"""Intervals enclose irrational values, as SymPy's digits confirm, and decide whether values differ or are equal."""

from fractions import Fraction
from itertools import islice
from math import ceil, floor, isqrt

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import holds as known_to_hold
from roofproof.proofs.oracles.intervals import _logarithm, _power, enclosed
from roofproof.proofs.oracles.points import Surd, compared, truth_at
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.root_bound import bits_to_zero
from roofproof.proofs.search.points import irrational_points
from roofproof.proofs.translate import to_expr, with_functions

x, y = sympy.symbols("x y", positive=True)
ROOT = Term("sqrt", Term("q", 2, 1))
NOTHING = Term("+", ROOT, Term("*", Term("q", -1, 1), ROOT))
leaves = st.sampled_from([x, y, sympy.Integer(3), sympy.Rational(7, 5)])
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] - 2 * p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        leaves.map(sympy.sqrt),
        leaves.map(lambda e: e ** sympy.Rational(2, 3)),
        leaves.map(log2),
        inner.map(lambda e: e**2),
    ),
    max_leaves=6,
)
numbers = st.fractions(Fraction(1, 50), 1000, max_denominator=60)


def digits(expr: sympy.Expr, p: Fraction, q: Fraction) -> sympy.Expr:
    plain = expr.replace(log2, lambda e: sympy.log(e) / sympy.log(2))
    point = {x: sympy.Rational(p.numerator, p.denominator), y: sympy.Rational(q.numerator, q.denominator)}
    return sympy.N(plain.subs(point), 60)


@given(values, numbers, numbers)
def test_the_value_lies_inside(expr: sympy.Expr, p: Fraction, q: Fraction) -> None:
    low, high = enclosed(with_functions(expr), {"x": p, "y": q}, 128)
    value, slack = digits(expr, p, q), sympy.Rational(1, 10**50)
    assert sympy.Rational(low.numerator, low.denominator) <= value + slack
    assert value - slack <= sympy.Rational(high.numerator, high.denominator)
    assert high - low < Fraction(1, 10**15)


@pytest.mark.parametrize("n", [2, 4, 6])
def test_an_even_power_of_an_interval_around_zero_begins_at_zero(n: int) -> None:
    assert _power((Fraction(-1), Fraction(2)), Fraction(n), 16) == (0, 2**n)


@pytest.mark.parametrize("bits", [2, 3, 4, 8])
def test_a_logarithm_of_few_digits(bits: int) -> None:
    """Enclosures with few bits are correct: low <= log2(x) if 2^(256 low) <= x^256."""
    for x in (Fraction(k, 7) for k in range(1, 400)):
        low, high = _logarithm(x, bits)
        assert Fraction(2) ** floor(low * 2**8) <= x ** (2**8) <= Fraction(2) ** ceil(high * 2**8), x


@given(values, values, numbers, numbers)
def test_what_lies_apart_is_told(left: sympy.Expr, right: sympy.Expr, p: Fraction, q: Fraction) -> None:
    difference = digits(left - right, p, q)
    goal = Formula(">", with_functions(left), with_functions(right))
    if abs(difference) > sympy.Rational(1, 10**12):
        assert known_to_hold(goal, {"x": p, "y": q}) == (difference > 0)
        assert known_to_hold(Formula("not", goal), {"x": p, "y": q}) == (difference < 0)


@pytest.mark.parametrize(
    "formula",
    [
        Formula(
            "=", Term("log2", Term("q", 6, 1)), Term("+", Term("log2", Term("q", 2, 1)), Term("log2", Term("q", 3, 1)))
        ),  # equal: never decided
        Formula(
            ">", Term("/", Term("q", 1, 1), Term("+", Term("sqrt", Term("q", 4, 1)), Term("q", -2, 1))), Term("q", 0, 1)
        ),  # 1/0
        Formula(">", Term("log2", Term("q", 0, 1)), Term("q", 0, 1)),
        Formula(">", Term("sqrt", Term("q", -2, 1)), Term("q", 0, 1)),
        Formula(">", Term("power", Term("q", 2, 1), Term("q", 10**9, 1)), Term("q", 0, 1)),  # too large to compute
        Formula("=", Term("power", Term("q", 2, 1), Term("log2", Term("q", 3, 1))), Term("q", 3, 1)),
        Formula(">", Term("/", Term("q", 1, 1), NOTHING), Term("q", -(10**200), 1)),  # 1/0
        Formula("tends", Term("v", "x"), ("x",), Term("q", 1, 1)),
    ],
)
def test_what_has_no_value_is_not_told(formula: tuple[object, ...]) -> None:
    with pytest.raises(Inexact):
        truth_at(formula, {})
    assert not known_to_hold(formula, {}) and not known_to_hold(Formula("not", formula), {})


@pytest.mark.parametrize(
    ("base", "exponent", "near"),
    [
        (2, Term("sqrt", Term("q", 2, 1)), "2.6651441426"),
        (3, Term("log2", Term("q", 3, 1)), "5.7045224947"),
        (Fraction(1, 3), Term("sqrt", Term("q", 2, 1)), "0.2114699442"),
        (2, Term("*", Term("q", -1, 1), Term("sqrt", Term("q", 2, 1))), "0.3752142272"),
        (2, Term("q", 1001, 10**6), "1.0006940811"),
    ],
)
def test_a_power_with_an_irrational_exponent_is_enclosed(
    base: Fraction | int, exponent: tuple[object, ...], near: str
) -> None:
    base = Fraction(base)
    low, high = enclosed(Term("power", Term("q", base.numerator, base.denominator), exponent), {}, 64)
    assert low < high < low + Fraction(1, 2**40)
    assert Fraction(near) - Fraction(1, 10**10) <= low and high <= Fraction(near) + Fraction(1, 10**10)


numbered = st.integers(-9, 9).filter(bool).map(lambda k: Term("q", k, 1)) | st.integers(2, 9).map(
    lambda k: Term("q", 1, k)
)
rooted = st.integers(2, 12).flatmap(
    lambda n: st.sampled_from(
        [Term("sqrt", Term("q", n, 1)), Term("power", Term("q", n, 1), Term("q", 1, 3)), Term("sqrt", Term("q", n, 7))]
    )
)
surds = st.recursive(
    numbered | rooted,
    lambda inner: st.tuples(st.sampled_from(["+", "*"]), inner, inner) | inner.map(lambda t: Term("^", t, 2)),
    max_leaves=5,
)


@given(surds)
def test_a_value_is_zero_or_as_far_from_it_as_said(term: tuple[object, ...]) -> None:
    bits = bits_to_zero(term)
    assert bits is not None
    value = to_expr(term)
    size = abs(sympy.N(value, 60 + int(bits)))
    if size < sympy.Rational(1, 10**50):
        assert value.equals(0)
    else:
        assert size >= sympy.Integer(2) ** -int(bits + 1)


@given(surds, surds, surds)
def test_equal_values_are_told_and_nearly_equal_ones_are_not_equal(
    a: tuple[object, ...], b: tuple[object, ...], c: tuple[object, ...]
) -> None:
    """(a + b) c equals a c + b c, and does not if either side is 10^-60 larger."""
    left, right = Term("*", Term("+", a, b), c), Term("+", Term("*", a, c), Term("*", b, c))
    assert compared(left, right, {}) == 0
    assert compared(left, Term("+", right, Term("q", 1, 10**60)), {}) == -1
    assert compared(Term("+", left, Term("q", 1, 10**60)), right, {}) == 1


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (7, 5), (11, 4)])
def test_nested_roots(n: int, k: int) -> None:
    """sqrt(n + k + 2 sqrt(n k)) equals sqrt(n) + sqrt(k), also when rounded or inside a maximum."""
    inside = Term("+", Term("q", n + k, 1), Term("*", Term("q", 2, 1), Term("sqrt", Term("q", n * k, 1))))
    nested, apart = Term("sqrt", inside), Term("+", Term("sqrt", Term("q", n, 1)), Term("sqrt", Term("q", k, 1)))
    assert truth_at(Formula("=", nested, apart), {}) and not truth_at(Formula(">", nested, apart), {})
    assert truth_at(Formula("=", Term("floor", Term("^", nested, 2)), Term("floor", inside)), {})
    assert truth_at(Formula("=", Term("max", nested, apart), nested), {}) and truth_at(
        Formula("not", Formula("int", nested)), {}
    )
    none = Term(
        "sqrt", Term("+", nested, Term("*", Term("q", -1, 1), apart))
    )  # the root of an expression that equals zero
    assert truth_at(Formula("=", none, Term("q", 0, 1)), {})


def test_an_irrational_point() -> None:
    square = Formula("=", Term("^", Term("v", "x"), 2), Term("q", 2, 1))
    at = Surd(ROOT)
    assert known_to_hold(square, {"x": at}) and known_to_hold(square, {"x": -at})
    assert not known_to_hold(square, {"x": at + at}) and not known_to_hold(Formula("not", square), {"x": at})
    assert known_to_hold(Formula("=", Term("v", "x"), Term("q", 2, 1)), {"x": at**2})


def test_where_two_sides_meet() -> None:
    total = Term(
        "+", Term("v", "x"), Term("/", Term("v", "y"), Term("v", "x"))
    )  # at least 2 sqrt(y), attained at sqrt(y)
    touching = Formula("not", Formula(">", total, Term("*", Term("q", 2, 1), Term("sqrt", Term("v", "y")))))
    positive = Formula(">", Term("v", "y"), Term("q", 1, 1))
    for point in islice(irrational_points([touching, positive], ["x"]), 1):
        assert str(point["x"]) == "sqrt(2)" and point["y"] == 2
    assert not list(
        irrational_points([Formula("not", Formula(">", Term("^", Term("v", "x"), 2), Term("q", -2, 1)))], ["x"])
    )


def test_a_logarithm_whose_next_digit_is_not_told_lies_between_its_bounds():
    root = Fraction(isqrt(2 << 512) + 1, 1 << 256)  # above the root of 2 by less than 2^-255
    low, high = enclosed(Term("log2", Term("q", root.numerator, root.denominator)), {}, 64)
    assert root**2 > 2 and low <= Fraction(1, 2) < high
