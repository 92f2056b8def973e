"""Irrational values between rational ones: SymPy's digits lie inside, and what lies apart is told right."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.known import holds as known_to_hold
from roofproof.proofs.oracles.enclosure import _logarithm, enclosed, holds
from roofproof.proofs.oracles.sampling import Inexact
from roofproof.proofs.translate import with_functions

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
        ("=", ("^", ("sqrt", ("q", 2, 1)), 2), ("q", 2, 1)),  # the same, which is never told
        (">", ("/", ("q", 1, 1), ("+", ("sqrt", ("q", 4, 1)), ("q", -2, 1))), ("q", 0, 1)),  # 1/0
        (">", ("log2", ("q", 0, 1)), ("q", 0, 1)),
        (">", ("sqrt", ("q", -2, 1)), ("q", 0, 1)),
        (">", ("power", ("q", 2, 1), ("sqrt", ("q", 2, 1))), ("q", 0, 1)),
        (">", ("power", ("q", 2, 1), ("q", 10**9, 1)), ("q", 0, 1)),  # too large to be worked out
        (">", ("^", NOTHING, 2), ("q", 0, 1)),  # 0 > 0, where only numbers around 0 are known
        (">", ("/", ("q", 1, 1), NOTHING), ("q", -(10**200), 1)),  # 1/0
        ("tends", ("v", "x"), ("x",), ("q", 1, 1)),
    ],
)
def test_what_has_no_value_is_not_told(formula: tuple[object, ...]) -> None:
    with pytest.raises(Inexact):
        holds(formula, {})
    assert not known_to_hold(formula, {}) and not known_to_hold(("not", formula), {})
