"""The sign of the relative error of a limit, if it follows from the conditions of an operation."""

import pytest
import sympy

from roofproof import op, threshold
from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import relative_error, sign_from_one
from roofproof.symbols import dimension

K, L, W = map(dimension, "KLW")
WINDOW = W * (2 * L + 1 - W) / (4 * L)


@pytest.mark.parametrize(
    ("name", "unknown", "error"),
    [
        ("sliding-window-attention", "L", "(W - 1)/(2*L + 1 - W)"),  # W <= L
        ("chunked-prefill-attention", "S", "(3*L - 1)/(2*S + 1 - L)"),  # L <= S
    ],
)
def test_the_relative_error_has_the_sign_that_follows_from_what_the_operation_asks(
    name: str, unknown: str, error: str
) -> None:
    [rule] = threshold(op(name), None, unknown, {}, f"{unknown} -> oo").rules
    assert rule.limit.trust == "kernel"
    assert plain(rule.limit.relative_error) == error
    assert rule.limit.error_proof is not None
    known = rule.limit.error_proof.statement
    assert known.goal[0] == "and" and known.assumptions  # s (v - f) = e f and e >= 0


@pytest.mark.parametrize("supposed", [(), (L <= W,), (W <= 3 * L,), (W < 7,)])
def test_a_sign_is_taken_only_where_it_follows(supposed: tuple[sympy.Basic, ...]) -> None:
    assert not relative_error(W / 2, WINDOW, [W <= L]).has(sympy.Abs)
    assert relative_error(W / 2, WINDOW, supposed).has(sympy.Abs)


def test_two_sizes_below_a_third_are_not_below_it_together() -> None:
    ring = Ring([K, L, W])
    assert sign_from_one(ring, ring.fraction(L - K - W)[0], [K <= L, W <= L]) is None  # -1 at 1, 1, 1
    assert sign_from_one(ring, ring.fraction(2 * L - 3 * W)[0], [W <= L]) is None  # -1 at 1, 1, 1
    assert sign_from_one(ring, ring.fraction(L - K)[0], [W <= L, K <= W]) == 1
