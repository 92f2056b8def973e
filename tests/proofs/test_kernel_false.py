"""Statements known to be false are not proved."""

import pytest
from second_reading import ONE, TWO, A, B, D, F, X, Y, minus, over, plus, times

from roofproof.proofs.kernel.terms import ZERO
from roofproof.proofs.search import tactics

FALSE = {
    "1 > 1": (">", ONE, ONE),
    "x > 1": (">", X, ONE),
    "x > y or y > x": ("or", (">", X, Y), (">", Y, X)),
    "x y > x": (">", times(X, Y), X),
    "x^2 > x": (">", times(X, X), X),
    "x^2 + y^2 > 2 x y": (">", plus(times(X, X), times(Y, Y)), times(TWO, X, Y)),
    "1/(x - y) > 0": (">", over(ONE, minus(X, Y)), ZERO),
    "(x - y)/(x - y) = 1": ("=", over(minus(X, Y), minus(X, Y)), ONE),
    "x/(x - y) > 1 <=> x > y, wrong where x < y is negative": ("=>", (">", X, Y), (">", ONE, over(X, minus(X, Y)))),
    "max(x, y) = x": ("=", ("max", X, Y), X),
    "max(x, y) > x": (">", ("max", X, Y), X),
    "max(x, y) = x + y": ("=", ("max", X, Y), plus(X, Y)),
    "min(x, y) = max(x, y)": ("=", ("min", X, Y), ("max", X, Y)),
    "sqrt(x) > x": (">", ("sqrt", X), X),
    "sqrt(x) = x": ("=", ("sqrt", X), X),
    "sqrt(x - y)^2 = x - y": ("=", times(("sqrt", minus(X, Y)), ("sqrt", minus(X, Y))), minus(X, Y)),
    "sqrt((x-y)^2) = x - y": ("=", ("sqrt", times(minus(X, Y), minus(X, Y))), minus(X, Y)),
    "floor(x) = x": ("=", ("floor", X), X),
    "ceil(x) > x": (">", ("ceil", X), X),
    "floor(x + y) = floor(x) + floor(y)": ("=", ("floor", plus(X, Y)), plus(("floor", X), ("floor", Y))),
    "ceil(x) = floor(x) + 1": ("=", ("ceil", X), plus(("floor", X), ONE)),
    "int(x)": ("int", X),
    "the rule of thumb, taken as exact": (
        "<=>",
        (">", over(times(B, D, F), plus(times(B, D), times(D, F), times(B, F))), A),
        (">", B, A),
    ),
    "the threshold without its condition": (
        "<=>",
        (">", over(times(B, D, F), plus(times(B, D), times(D, F), times(B, F))), A),
        (">", B, over(times(A, D, F), minus(times(D, F), times(A, plus(D, F))))),
    ),
}


@pytest.mark.parametrize("goal", FALSE.values(), ids=FALSE)
def test_the_false_is_not_proved(goal):
    assert tactics.prove(goal) is None


def test_assumptions_that_do_not_help():
    assert tactics.prove((">", X, Y), [(">=", X, Y)]) is None
    assert tactics.prove((">=", X, plus(Y, ONE)), [(">", X, Y)]) is None
    assert tactics.prove((">", times(X, A), times(Y, B)), [(">", X, Y)]) is None
