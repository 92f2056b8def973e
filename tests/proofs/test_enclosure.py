"""Irrational values between rational ones: SymPy's digits lie inside; what is apart, and what is the same, is told."""

from fractions import Fraction
from itertools import islice

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.known import holds as known_to_hold
from roofproof.proofs.oracles.enclosure import Surd, _logarithm, _power, compared, enclosed, holds
from roofproof.proofs.oracles.root_bound import bits_to_zero
from roofproof.proofs.oracles.sampling import Inexact
from roofproof.proofs.search.irrational_points import irrational_points
from roofproof.proofs.translate import to_expr, with_functions

x, y = sympy.symbols("x y", positive=True)
ROOT = ("sqrt", ("q", 2, 1))
NOTHING = ("+", ROOT, ("*", ("q", -1, 1), ROOT))
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
    """low <= log2(x) says 2^(low 256) <= x^256; so it is with too few digits to tell the side of 2."""
    for x in (Fraction(k, 7) for k in range(1, 400)):
        low, high = _logarithm(x, bits)
        assert Fraction(2) ** int(low * 2**8) <= x ** (2**8) <= Fraction(2) ** int(high * 2**8), x


@given(values, values, numbers, numbers)
def test_what_lies_apart_is_told(left: sympy.Expr, right: sympy.Expr, p: Fraction, q: Fraction) -> None:
    difference = digits(left - right, p, q)
    goal = (">", with_functions(left), with_functions(right))
    if abs(difference) > sympy.Rational(1, 10**12):
        assert known_to_hold(goal, {"x": p, "y": q}) == (difference > 0)
        assert known_to_hold(("not", goal), {"x": p, "y": q}) == (difference < 0)


@pytest.mark.parametrize(
    "formula",
    [
        ("=", ("log2", ("q", 6, 1)), ("+", ("log2", ("q", 2, 1)), ("log2", ("q", 3, 1)))),  # the same: never told
        (">", ("/", ("q", 1, 1), ("+", ("sqrt", ("q", 4, 1)), ("q", -2, 1))), ("q", 0, 1)),  # 1/0
        (">", ("log2", ("q", 0, 1)), ("q", 0, 1)),
        (">", ("sqrt", ("q", -2, 1)), ("q", 0, 1)),
        (">", ("power", ("q", 2, 1), ("q", 10**9, 1)), ("q", 0, 1)),  # too large to be worked out
        ("=", ("power", ("q", 2, 1), ("log2", ("q", 3, 1))), ("q", 3, 1)),
        (">", ("/", ("q", 1, 1), NOTHING), ("q", -(10**200), 1)),  # 1/0
        ("tends", ("v", "x"), ("x",), ("q", 1, 1)),
    ],
)
def test_what_has_no_value_is_not_told(formula: tuple[object, ...]) -> None:
    with pytest.raises(Inexact):
        holds(formula, {})
    assert not known_to_hold(formula, {}) and not known_to_hold(("not", formula), {})


@pytest.mark.parametrize(
    ("base", "exponent", "near"),
    [
        (2, ("sqrt", ("q", 2, 1)), "2.6651441426"),
        (3, ("log2", ("q", 3, 1)), "5.7045224947"),
        (Fraction(1, 3), ("sqrt", ("q", 2, 1)), "0.2114699442"),
        (2, ("*", ("q", -1, 1), ("sqrt", ("q", 2, 1))), "0.3752142272"),
        (2, ("q", 1001, 10**6), "1.0006940811"),
    ],
)
def test_a_power_with_an_irrational_exponent_is_enclosed(
    base: Fraction | int, exponent: tuple[object, ...], near: str
) -> None:
    base = Fraction(base)
    low, high = enclosed(("power", ("q", base.numerator, base.denominator), exponent), {}, 64)
    assert low < high < low + Fraction(1, 2**40)
    assert Fraction(near) - Fraction(1, 10**10) <= low and high <= Fraction(near) + Fraction(1, 10**10)


numbered = st.integers(-9, 9).filter(bool).map(lambda k: ("q", k, 1)) | st.integers(2, 9).map(lambda k: ("q", 1, k))
rooted = st.integers(2, 12).flatmap(
    lambda n: st.sampled_from([("sqrt", ("q", n, 1)), ("power", ("q", n, 1), ("q", 1, 3)), ("sqrt", ("q", n, 7))])
)
surds = st.recursive(
    numbered | rooted,
    lambda inner: st.tuples(st.sampled_from(["+", "*"]), inner, inner) | inner.map(lambda t: ("^", t, 2)),
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
    """(a + b) c = a c + b c, and not by 10^-60."""
    left, right = ("*", ("+", a, b), c), ("+", ("*", a, c), ("*", b, c))
    assert compared(left, right, {}) == 0
    assert compared(left, ("+", right, ("q", 1, 10**60)), {}) == -1
    assert compared(("+", left, ("q", 1, 10**60)), right, {}) == 1


@pytest.mark.parametrize(("n", "k"), [(2, 1), (3, 2), (7, 5), (11, 4)])
def test_nested_roots(n: int, k: int) -> None:
    """sqrt(n + k + 2 sqrt(n k)) = sqrt(n) + sqrt(k), rounded and put into a maximum as well."""
    inside = ("+", ("q", n + k, 1), ("*", ("q", 2, 1), ("sqrt", ("q", n * k, 1))))
    nested, apart = ("sqrt", inside), ("+", ("sqrt", ("q", n, 1)), ("sqrt", ("q", k, 1)))
    assert holds(("=", nested, apart), {}) and not holds((">", nested, apart), {})
    assert holds(("=", ("floor", ("^", nested, 2)), ("floor", inside)), {})
    assert holds(("=", ("max", nested, apart), nested), {}) and holds(("not", ("int", nested)), {})
    none = ("sqrt", ("+", nested, ("*", ("q", -1, 1), apart)))  # the root of a zero that is not written as one
    assert holds(("=", none, ("q", 0, 1)), {})


def test_an_irrational_point() -> None:
    square = ("=", ("^", ("v", "x"), 2), ("q", 2, 1))
    at = Surd(ROOT)
    assert known_to_hold(square, {"x": at}) and known_to_hold(square, {"x": -at})
    assert not known_to_hold(square, {"x": at + at}) and not known_to_hold(("not", square), {"x": at})
    assert known_to_hold(("=", ("v", "x"), ("q", 2, 1)), {"x": at**2})


def test_where_two_sides_meet() -> None:
    total = ("+", ("v", "x"), ("/", ("v", "y"), ("v", "x")))  # at least 2 sqrt(y), and that at sqrt(y)
    touching = ("not", (">", total, ("*", ("q", 2, 1), ("sqrt", ("v", "y")))))
    positive = (">", ("v", "y"), ("q", 1, 1))
    for point in islice(irrational_points([touching, positive], ["x"]), 1):
        assert str(point["x"]) == "sqrt(2)" and point["y"] == 2
    assert not list(irrational_points([("not", (">", ("^", ("v", "x"), 2), ("q", -2, 1)))], ["x"]))
