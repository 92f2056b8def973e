"""Minima proved by slopes, where a function falls before a point and rises after it, and refused warrants."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.proofs.assumptions import LN2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.known import BySlope, Known, Unwarranted
from roofproof.proofs.oracles.intervals import enclosed
from roofproof.proofs.oracles.slopes import slope
from roofproof.proofs.provers.slope_proofs import carried_by_slope, in_logarithms, least_at, more_by_slope

X = Term("v", "x")


def q(value: Fraction | int) -> Term:
    value = Fraction(value)
    return Term("q", value.numerator, value.denominator)


BOWL = Term("+", X, Term("/", q(4), X))  # least at 2
LOG = Term("+", X, Term("*", q(-1), LN2, Term("log2", X)))  # least at 1
HUMP = Term(
    "+", Term("^", X, 3), Term("*", q(-12), Term("^", X, 2)), Term("*", q(36), X)
)  # rises to 2, falls to 6, rises


def goal_of(f: Term, at: Term) -> Formula:
    known = least_at(f, "x", at)
    assert known is not None
    return known.statement.goal


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda s: replace(s, goal=Formula("or", Formula("=", X, q(2)), Formula(">", BOWL, q(5)))),
         "it is not the value at the place"),
        (lambda s: replace(s, goal=Formula("or", Formula("=", X, q(3)), *s.goal[2:])), "it does not compare values"),
        (lambda s: replace(s, goal=Formula(">", BOWL, q(5))), "it is not so at the place"),
        (lambda s: replace(s, goal=Formula(">", LOG, q(0))), "the sign of the slope is not proved"),
        (lambda s: replace(s, goal=Formula("or", Formula("=", X, q(2)),
                                           Formula(">", Term("max", X, q(2)), Term("max", q(2), q(2))))),
         "no slope of max"),
        (lambda s: replace(s, somewhere=True), "a slope is taken for all positive values of the variable"),
        (lambda s: replace(s, assumptions=(Formula(">", q(9), Term("*", X, X)),)), "what is assumed may leave gaps"),
        (lambda s: replace(s, assumptions=(Formula(">", X, q(3)),)), "that there is a slope everywhere is not proved"),
    ],
)  # fmt: skip
def test_a_warrant_of_another_statement_is_refused(wrong, why: str) -> None:  # type: ignore[no-untyped-def]
    known = least_at(BOWL, "x", q(2))
    assert known is not None and known.trust == "algebra"
    with pytest.raises(Unwarranted, match=why):
        Known(wrong(known.statement), known.warrant)


def test_theorems_about_another_slope_are_refused() -> None:
    bowl, log = least_at(BOWL, "x", q(2)), least_at(LOG, "x", q(1))
    assert bowl is not None and log is not None
    assert isinstance(bowl.warrant, BySlope) and isinstance(log.warrant, BySlope)
    for swapped in (replace(bowl.warrant, above=log.warrant.above), replace(bowl.warrant, below=bowl.warrant.above),
                    replace(bowl.warrant, smooth=())):  # fmt: skip
        with pytest.raises(Unwarranted):
            Known(bowl.statement, swapped)


def test_a_place_that_is_least_only_nearby_is_not_proved() -> None:
    assert least_at(HUMP, "x", q(6)) is None  # x^3 - 12 x^2 + 36 x = x (x - 6)^2 is 0 there, and tends to 0 at 0
    assert least_at(HUMP, "x", q(6), [Formula(">=", X, q(3))]) is not None
    assert least_at(HUMP, "x", q(1), [Formula(">", X, q(7))]) is None  # the point is not a value of the variable


def test_a_strict_comparison_may_end_in_equality_where_the_end_is_left_out() -> None:
    more = Formula(">", X, q(3))
    assert more_by_slope(more, "x", q(3), [Formula(">", X, q(3))]) is not None
    assert more_by_slope(more, "x", q(3), [Formula(">=", X, q(3))]) is None
    assert more_by_slope(Formula(">=", X, q(3)), "x", q(3), [Formula(">=", X, q(3))]) is not None


def test_a_comparison_with_a_power_is_carried_over_from_the_logarithms() -> None:
    power, square = Term("power", q(2), X), Term("^", X, 2)
    gives = in_logarithms(Formula(">", power, square), "x")
    assert gives is not None
    from_five = [Formula(">=", X, q(5))]
    assert carried_by_slope(gives, "x", q(4), [Formula(">=", X, q(4))]) is None  # 2^4 = 4^2
    known = carried_by_slope(gives, "x", q(5), from_five)
    assert known is not None and known.statement.says == "power(2, x) > x^2 where x >= 5"
    warrant, statement = known.warrant, known.statement
    assert isinstance(warrant, BySlope)
    assumed = kernel.assume(
        Formula("=>", gives.conclusion[1], Formula(">", power, Term("^", X, 3)))
    )  # this is assumed, not proved
    for wrong, why in (
        (replace(warrant, gives=None), "the sign of the slope is not proved"),
        (replace(warrant, gives=assumed), "the theorem gives another statement"),
    ):
        with pytest.raises(Unwarranted, match=why):
            Known(statement, wrong)
    with pytest.raises(Unwarranted, match="the theorem assumes more"):
        Known(replace(statement, goal=Formula(">", power, Term("^", X, 3))), replace(warrant, gives=assumed))


PARTS = st.recursive(
    st.sampled_from([X, q(2), q(Fraction(1, 3)), Term("v", "a")]),
    lambda inner: st.one_of(
        st.tuples(st.just("+"), inner, inner),
        st.tuples(st.just("*"), inner, inner),
        st.tuples(st.just("/"), inner, inner),
        st.tuples(st.just("^"), inner, st.integers(1, 4)),
        st.tuples(st.just("sqrt"), inner),
        st.tuples(st.just("log2"), inner),
        st.tuples(st.just("power"), inner, st.sampled_from([q(Fraction(1, 3)), q(2)])),
        st.tuples(st.just("power"), st.sampled_from([q(2), q(3)]), inner),
    ),
    max_leaves=5,
)


@given(PARTS, st.sampled_from([Fraction(1, 2), Fraction(3, 2), Fraction(2), Fraction(5)]))
def test_a_slope_is_what_a_small_step_shows(f: Term, at: Fraction) -> None:
    step, bits = Fraction(1, 2**40), 200
    try:
        here, there, back = (enclosed(f, {"x": at + k * step, "a": Fraction(3)}, bits) for k in (0, 1, -1))
        low, high = enclosed(slope(f, "x"), {"x": at, "a": Fraction(3)}, bits)
    except (ArithmeticError, KernelError):
        return
    if here[1] - here[0] > step**2 or max(map(abs, here)) > 2**12:
        return
    seen = (there[0] - back[1]) / (2 * step)
    assert abs(seen - (low + high) / 2) <= Fraction(1, 1000) * max(1, abs(seen))
