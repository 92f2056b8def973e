"""The proof checker's rule for limits, compared with exact values far out at several rates."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from second_reading import ONE, A, B, D, F, attempt, minus, over, plus, times, tries

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, KernelError
from roofproof.proofs.oracles import sampling

numbers = st.builds(lambda p, q: ("q", p, q), st.integers(-2, 3), st.integers(1, 2))

RATES = [(1, 1), (1, 3), (3, 1), (2, 1), (1, 2)]
parts = st.builds(
    lambda c, a, b, d, f: times(c, ("^", A, a), ("^", B, b), ("^", D, d), ("^", F, f)),
    st.builds(lambda n: ("q", n, 1), st.integers(-3, 3)),
    *(st.integers(0, 1),) * 2,
    *(st.integers(0, 2),) * 2,
)
sums = st.builds(lambda ms: plus(*ms), st.lists(parts, min_size=1, max_size=3))


def far_out(theorem: Theorem):
    """Return the rates at which the limit is missed far out, or None."""
    _, term, growing, value = theorem.conclusion
    for (i, j), fixed in product(RATES, (Fraction(1), Fraction(3), Fraction(1, 3))):
        scale = Fraction(10) ** 14
        rates = dict(zip(("D", "F"), (scale**i, scale**j), strict=True))
        point = {n: rates[n] if n in growing else fixed for n in "ABDF"}
        try:
            if abs(sampling.value(term, point) - sampling.value(value, point)) > Fraction(1, 10**6):
                return i, j
        except sampling.Inexact:
            return i, j
    return None


@tries(150)
@given(sums, sums, st.sampled_from([ZERO, A, over(A, B), plus(A, ONE)]), st.sampled_from(["D", "F", "DF"]), st.data())
def test_limits_hold_far_out(p, q, value, growing, data):
    q = data.draw(st.sampled_from([q, plus(q, times(D, D, F, F)), plus(q, D), plus(q, times(A, D, F))]))
    term = data.draw(st.sampled_from([plus(value, over(p, q)), over(plus(p, times(value, q)), q), over(p, q)]))
    made = attempt(kernel.tends, term, growing, value, "ABDF")
    assert made is None or far_out(made) is None


@tries(100)
@given(st.lists(parts, max_size=3), st.sampled_from([ZERO, A, over(A, B)]), numbers)
def test_limits_that_must_be_found_and_their_wrong_neighbours(small, value, wrong):
    assume(wrong[1] != 0)
    top = plus(*(over(m, times(D, F)) for m in small))
    bottom = plus(times(A, D, D, F, F), times(D, D), ONE)
    term = plus(value, over(top, bottom))
    assert kernel.tends(term, "DF", value, "ABDF").hypotheses == {(">", A, ZERO), (">", B, ZERO)}
    with pytest.raises(KernelError):
        kernel.tends(term, "DF", plus(value, wrong), "ABDF")


NO_LIMITS = {
    "depends on the rates": (over(D, plus(D, F)), "DF", ONE),
    "ratio of what grows": (over(D, F), "DF", ZERO),
    "grows itself": (over(times(D, F), plus(D, F)), "DF", ZERO),
    "changes sign": (over(ONE, minus(D, F)), "DF", ZERO),
    "negative denominator": (over(ONE, minus(ONE, D)), "D", ZERO),
    "denominator vanishes": (over(ONE, minus(D, D)), "D", ZERO),
    "divisor inside vanishes": (times(ZERO, over(ONE, minus(D, D))), "D", ZERO),
    "divisor inside changes sign": (over(over(ONE, minus(D, F)), over(D, minus(D, F))), "DF", ZERO),
    "divisor of a divisor vanishes where D = F": (over(ZERO, over(ONE, minus(D, F))), "DF", ZERO),
    "value grows": (D, "D", D),
    "nothing grows": (ONE, "", ONE),
    "constant, not zero": (B, "D", ZERO),
    "only one of two grows": (over(F, D), "F", ZERO),
    "slow and fast": (over(times(D, D), F), "DF", ZERO),
    "not rational": (over(("sqrt", D), D), "D", ZERO),
    "max of what grows": (over(("max", D, F), times(D, F)), "DF", ZERO),
    "floor": (over(("floor", D), times(D, D)), "D", ZERO),
}


@pytest.mark.parametrize(("term", "growing", "value"), NO_LIMITS.values(), ids=NO_LIMITS)
def test_what_does_not_tend(term, growing, value):
    with pytest.raises(KernelError):
        kernel.tends(term, growing, value, "ABDF")


def test_a_limit_needs_every_variable_positive():
    with pytest.raises(KernelError, match="rational functions of positive variables only"):
        kernel.tends(over(ONE, plus(D, B)), "D", ZERO, "D")
    with pytest.raises(KernelError, match="free of the growing variables"):
        kernel.tends(over(ONE, plus(D, B)), "D", ZERO, "B")
