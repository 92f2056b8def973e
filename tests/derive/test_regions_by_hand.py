"""Regions in which a polynomial has a sign, by hand: each row catches a mistake in the solver that no other does."""

import pytest
import sympy

from roofproof.derive.algebra.polynomial import Poly, Ring
from roofproof.derive.charts import Factors
from roofproof.derive.extrema import eliminate_extrema
from roofproof.derive.regions import NOWHERE, Interval, Region, intersection, union
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.derive.signs import Signs, primitive
from roofproof.derive.tree import Branch, grouped
from roofproof.derive.values import Order, known_sign
from roofproof.symbols import quantity

x, p, q, r = map(quantity, "xpqr")
ONE, TWO, THREE = map(sympy.Integer, (1, 2, 3))
MINUS, ZERO, PLUS = (frozenset((s,)) for s in (-1, 0, 1))
NUMBERS = Order(Ring([]), {})
RING = Ring([x, p, q, r])
SOLVER = Factors(RING, x)


def poly(expr: sympy.Expr) -> Poly:
    return RING.fraction(expr)[0]


def signs(expr: sympy.Expr, allowed: frozenset[int]) -> Signs:
    return {primitive(poly(expr))[0]: allowed}


@pytest.mark.parametrize(
    ("one", "other", "both", "either"),
    [
        (Interval(low=ONE), Interval(low=THREE), (Interval(low=THREE),), (Interval(low=ONE),)),
        (Interval(high=TWO), Interval(low=TWO), NOWHERE, (Interval(high=TWO), Interval(low=TWO))),
        (Interval(high=TWO), Interval(low=TWO, low_closed=True), NOWHERE, (Interval(),)),
        (
            Interval(ONE, THREE, low_closed=True), Interval(ONE, TWO),
            (Interval(ONE, TWO),), (Interval(ONE, THREE, low_closed=True),),
        ),
    ],
)  # fmt: skip
def test_two_intervals_meet_and_join_at_their_ends(
    one: Interval, other: Interval, both: Region, either: Region
) -> None:
    assert intersection((one,), (other,), NUMBERS) == both
    assert union((one,), (other,), NUMBERS) == either


@pytest.mark.parametrize(
    ("num", "den", "allowed", "where", "region"),
    [
        (x**2 - 3 * x + 3, ONE, PLUS, {}, (Interval(),)),  # no real root
        (x**2 - 2 * p * x + p**2 - q, ONE, PLUS, signs(p**2 - q, MINUS), (Interval(low=p + sympy.sqrt(q)),)),
        (x**2 - p * x + q, ONE, ZERO, signs(p**2 - 4 * q, ZERO), (Interval(p / 2, p / 2, True, True),)),
        (x + p - q, ONE, PLUS, signs(p - q, ZERO), (Interval(),)),  # the root is at zero
        ((x - 1) ** 2 * (x - 3), ONE, PLUS, {}, (Interval(low=THREE),)),
        (x - 1, p - q, ZERO, signs(p - q, ZERO), NOWHERE),  # divided by zero
        (p - q, x - 1, ZERO, signs(p - q, ZERO), (Interval(high=ONE), Interval(low=ONE))),  # 0/0 at one
    ],
)
def test_a_fraction_has_a_sign_where_it_has(
    num: sympy.Expr, den: sympy.Expr, allowed: frozenset[int], where: Signs, region: Region
) -> None:
    assert SOLVER.region(poly(num), poly(den), allowed, where)[0] == region


def test_a_double_root_of_numbers_changes_no_sign() -> None:
    rows = [RING.constant(c) for c in (-3, 7, -5, 1)]  # (x - 1)^2 (x - 3)
    assert SOLVER.isolated(rows)[:2] == ([ONE, THREE], [-1, -1, 1])


def test_a_difference_has_one_sign_and_its_contrary_the_other() -> None:
    a, b = sympy.sqrt(p + q), sympy.sqrt(r)
    first, second = sorted((a, b), key=sympy.default_sort_key)
    known = {first - second: PLUS}
    assert (known_sign(known, first, second), known_sign(known, second, first)) == (1, -1)
    between = sympy.sqrt(p**2 - q)
    assert (Order(RING, {})(p + between, p - between), Order(RING, {})(p - between, p + between)) == (1, -1)


def test_a_sign_stays_in_a_pattern_that_would_meet_another_result_without_it() -> None:
    found = [Branch({p: PLUS, q: PLUS}, "a"), Branch({p: MINUS}, "b"), Branch({p: PLUS, q: MINUS}, "c")]
    assert grouped(found) == [(branch.result, [branch.signs]) for branch in found]


def test_flops_and_bytes_that_are_fractions_are_multiplied_across() -> None:
    ceiling = Ceiling("bf16", "memory", p / q, r, quantity("R"), None)
    assert ceiling.symbolic == (p > quantity("R") * q * r)


def test_an_extreme_taken_out_says_the_same_at_a_point() -> None:
    near = eliminate_extrema(sympy.Abs(x - 3) < 1, x)
    assert [near.subs(x, n) is sympy.true for n in (1, 3, 5)] == [False, True, False]
    equal = eliminate_extrema(sympy.Eq(sympy.Max(x, 2), 3), x)
    assert [equal.subs(x, n) is sympy.true for n in (1, 3)] == [False, True]
