"""The proof checker's rule for inequalities refuses invalid certificates."""

import pytest
from second_reading import MINUS, ONE, TWO, A, B, D, F, X, Y, Z, minus, over, plus, times

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, KernelError, show
from roofproof.proofs.search import tactics

x_gt_y, y_gt_x = kernel.assume((">", X, Y)), kernel.assume((">", Y, X))
x_ge_y = kernel.assume((">=", X, Y))
x_eq_y = kernel.assume(("=", X, Y))

WRONG = {
    "certificate does not add up": ((">", X, plus(Y, ONE)), [x_gt_y], [(ONE, [0])], []),
    "wrong premise": ((">", X, Y), [y_gt_x], [(ONE, [0])], []),
    "negative multiplier": ((">", Y, X), [x_gt_y], [(MINUS, [0])], []),
    "multiplier of unknown sign": ((">", times(X, Z), times(Y, Z)), [x_gt_y], [(Z, [0])], []),
    "difference as multiplier": ((">", times(minus(X, Y), minus(X, Y)), ZERO), [x_gt_y], [(minus(X, Y), [0])], "xy"),
    "strictness lost": ((">", X, Y), [x_ge_y], [(ONE, [0])], []),
    "strictness of one factor": ((">", times(minus(X, Y), minus(X, Y)), ZERO), [x_gt_y, x_ge_y], [(ONE, [0, 1])], []),
    "strictness from a zero multiplier": ((">", minus(X, Y), ZERO), [x_ge_y, x_gt_y], [(ONE, [0]), (ZERO, [1])], []),
    "strict from an equation": ((">", X, Y), [x_eq_y], [(ONE, [0])], []),
    "strict from nothing": ((">", ZERO, ZERO), [], [], []),
    "false from nothing": (("false",), [], [], []),
    "equation from an inequality": (("=", X, Y), [x_ge_y], [(ONE, [0])], []),
    "equation from positive coefficients": (("=", plus(X, Y), ZERO), [], None, "xy"),
    "a constant is no equation": (("=", ONE, ZERO), [], [(ONE, [])], []),
    "positive coefficients, unknown signs": ((">", plus(X, Y), ZERO), [], None, "x"),
    "a negative coefficient": ((">", minus(plus(X, Y), ONE), ZERO), [], None, "xy"),
    "one over an unknown": ((">", over(ONE, X), ZERO), [], None, []),
    "one over zero": ((">", over(ONE, ZERO), ZERO), [], None, []),
    "quotient by itself": (("=", over(X, X), ONE), [], [], []),
    "quotient of differences": (("=", over(minus(X, Y), minus(X, Y)), ONE), [], [], "xy"),
    "sign from a non-strict premise": (("=", over(minus(X, Y), minus(X, Y)), ONE), [x_ge_y], [], "xy"),
    "sign from an equation": (("=", over(minus(X, Y), minus(X, Y)), ONE), [x_eq_y], [], "xy"),
    "sign of another polynomial with the same terms": (
        ("=", over(minus(X, Y), minus(X, Y)), ONE),
        [kernel.assume((">", X, times(TWO, Y)))],
        [],
        [],
    ),
    "sign of a part of a sum": (
        ("=", over(minus(X, Y), minus(X, Y)), ONE),
        [kernel.assume((">", plus(X, Z), Y))],
        [],
        [],
    ),
    "a power of zero is one": (("=", ("^", X, 0), X), [], [], "x"),
    "quotient by itself on the right": (("=", ONE, over(X, X)), [], [], []),
    "zero times one over zero": (("=", times(ZERO, over(ONE, ZERO)), ZERO), [], [], []),
    "one over zero to the power zero": (("=", ("^", over(ONE, ZERO), 0), ONE), [], [], []),
    "zero over zero": (("=", over(ZERO, ZERO), ONE), [], [], []),
    "divisor hidden in a divisor": (("=", over(X, over(X, minus(Y, Y))), minus(Y, Y)), [], [], "xy"),
    "premise with an unknown denominator": ((">", X, ZERO), [kernel.assume((">", over(X, Y), ZERO))], [(ONE, [0])], []),
    "negative denominator not turned": (
        (">", X, ZERO),
        [kernel.assume((">", ZERO, Y)), kernel.assume((">", over(X, Y), ZERO))],
        [(ONE, [1])],
        [],
    ),
    "denominator settled only by a later premise": (
        (">", X, ZERO),
        [kernel.assume((">", over(X, minus(X, Y)), ZERO)), x_gt_y],
        [(ONE, [0])],
        [],
    ),
    "opaque terms have no sign": ((">", ("sqrt", X), ZERO), [], None, "x"),
    "opaque terms differ by their text": (("=", ("max", X, Y), ("max", Y, X)), [], [], "xy"),
    "a tangle is no polynomial": ((">", X, Y), [x_gt_y], [(over(X, X), [0])], "x"),
    "not an inequality": (("int", X), [x_gt_y], [(ONE, [0])], []),
    "premise not an inequality": ((">", X, Y), [kernel.assume(("int", X))], [], []),
}


@pytest.mark.parametrize(("goal", "premises", "certificate", "positive"), WRONG.values(), ids=WRONG)
def test_arith_refuses(goal, premises, certificate, positive):
    with pytest.raises(KernelError):
        kernel.arith(goal, premises, certificate, positive)


@pytest.mark.parametrize("multiplier", [ZERO, MINUS, Z, minus(X, Y), ("sqrt", X), over(ONE, X)], ids=show)
def test_the_multiplier_of_the_goal_must_be_positive(multiplier):
    """A multiplier of -1 would reverse every inequality, and 0 would prove any."""
    goal = (">", Y, X) if multiplier == MINUS else (">", X, Y)
    with pytest.raises(KernelError):
        kernel.arith(goal, [x_gt_y], [(times(multiplier, multiplier), [0])], "xy", multiplier)
    with pytest.raises(KernelError):
        kernel.arith(goal, [x_gt_y], [(ONE, [0])], "xy", multiplier)


def test_a_negative_denominator_turns_the_inequality():
    below = kernel.assume((">", ZERO, Y))
    quotient = kernel.assume((">", over(X, Y), ZERO))
    assert kernel.arith((">", ZERO, X), [below, quotient], [(ONE, [1])]).conclusion == (">", ZERO, X)


def test_a_denominator_of_known_but_mixed_sign_multiplies():
    """If only the signs of y and x - y are known, the inequality is multiplied by their product."""
    below, quotient = kernel.assume((">", ZERO, Y)), kernel.assume((">", over(over(X, Y), minus(X, Y)), ZERO))
    facts = [x_gt_y, below, quotient]
    product_ = times(X, Y, minus(X, Y))
    assert kernel.arith((">", product_, ZERO), facts, [(ONE, [2])]).conclusion == (">", product_, ZERO)
    for wrong in ((">", times(X, minus(X, Y)), ZERO), (">", X, ZERO), (">", times(MINUS, product_), ZERO)):
        with pytest.raises(KernelError):
            kernel.arith(wrong, facts, [(ONE, [2])])


# --- false statements are not proved ---


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
