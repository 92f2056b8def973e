"""Claims about one size of an operation with a rounding or a power, decided by bounds on blocks of integers."""

from fractions import Fraction

import pytest

import roofproof
from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text

OPS = """
[ops]
experts = "flops bf16 = 2 k B D F; bytes hbm = 2 B D + 2 B F + 2 E D F (1 - (1 - k/E)^B)"
[[claim]]
id = "a"
let = { D = "64", F = "64", E = "16", k = "2" }
"""


def verdict(says, given=""):
    [claim] = book_from_text(f'{OPS}given = "{given}"\nsays = "{says}"' if given else f'{OPS}says = "{says}"').claims
    return judge(claim)


def reached(B):
    """Return 2 k B D F FLOPs over the bytes, with the exact expected count of experts."""
    D, F, E, k = 64, 64, 16, 2
    touched = E * (1 - Fraction(E - k, E) ** B)
    return Fraction(2 * k * B * D * F) / (2 * B * D + 2 * B * F + 2 * D * F * touched)


@pytest.mark.parametrize(("least", "off"), [(2, 0), (30, 0), (30, 1), (57, -1)])
def test_where_a_power_reaches_a_number_is_decided(least, off):
    """`I >= I(n) <=> B >= n` holds for the n at which the value is reached, and for no other."""
    number = reached(least)
    found = verdict(f"intensity(experts) >= {number.numerator}/{number.denominator} <=> B >= {least + off}")
    if off == 0:
        assert (found.kind, found.condition, found.known[0].trust) == ("conditional", "B <= 1073741824", "kernel")
    else:
        assert found.kind == "refuted" and found.counterexample == {"B": least - (off < 0)}


def test_what_is_given_bounds_the_search():
    number = reached(9)
    says = f"intensity(experts) >= {number.numerator}/{number.denominator} <=> B >= 9"
    assert verdict(says, "B <= 1000").kind == "verified"
    assert verdict(says.replace(">= 9", ">= 8"), "B <= 7").kind == "verified"  # neither side holds anywhere
    assert verdict(says.replace(">= 9", ">= 8"), "B <= 8").kind == "refuted"


@pytest.mark.parametrize(
    ("says", "given", "kind"),
    [
        ("maximum(n (5 - n), n) == 6", "n integer", "verified"),  # at 2 and at 3; 25/4 at 5/2
        ("maximum(n (5 - n), n) == 25/4", "n integer", "refuted"),
        ("maximum(n, n) == 15/2", "n integer; n <= 15/2", "refuted"),
        ("maximum(n, n) == 7", "n integer; n <= 15/2", "verified"),
        ("argmax(n/(n^2 + 10), n) == 3", "n integer", "verified"),  # 3/19 > 4/26 > 2/14
        ("argmax(n/(n^2 + 10), n) == sqrt(10)", "n integer", "refuted"),
        ("maximum(n (5 - n), n) == 25/4", "", "verified"),
        ("maximum(intensity(matmul), B) == 128", "B integer; D == 256; F == 256", "refuted"),  # only approached
        ("maximum(x n - n^2, n) == x^2/4", "n integer", "undecided"),  # if x/2 is an integer
        ("solve(2 n == 5, n) == 5/2", "n integer", "undecided"),
        ("solve(2 n == 6, n) == 3", "n integer", "verified"),
        ("argmin(bytes(matmul), B) == 1", "", "undecided"),  # true for sizes, but there is no minimum over all numbers
    ],
)
def test_the_best_of_whole_numbers_is_a_whole_number(says: str, given: str, kind: str) -> None:
    assert roofproof.judge(says, given).kind == kind


@pytest.mark.parametrize(
    "says", ["minimum(x, x) == 0", "minimum(x^2 + 1, x) == 1", "maximum(5 - x, x) == 5", "solve(x^2 == x, x) == 1"]
)
def test_what_zero_may_decide_is_not_told_of_positive_numbers_alone(says: str) -> None:
    assert roofproof.judge(says, "x >= 0").kind == "undecided"


@pytest.mark.parametrize("says", ["minimum((x - 1)^2, x) == 0", "argmin(x + 1/x, x) == 1", "solve(2 x == 6, x) == 3"])
def test_where_zero_decides_nothing_the_rest_is_told(says: str) -> None:
    assert roofproof.judge(says, "x >= 0").kind == "verified"


@pytest.mark.parametrize(
    ("says", "given", "kind"),
    [
        ("solve((n - 1) (2 n - 3) == 0, n) == 1", "n integer", "undecided"),  # the other, 3/2, is not an integer
        ("solve((n - 1) (n - 3) == 0, n) == 1", "n integer", "refuted"),
        ("solve(x - 3 sqrt(x) + 2 == 0, x) == 4", "x > 1", "undecided"),  # the other, 1, is left out
        ("solve(x - 3 sqrt(x) + 2 == 0, x) == 4", "x > 1/2", "refuted"),
        ("largest(n, n < 1/2) == 0", "n >= 0", "undecided"),
        ("largest(n, n > 2) == 4", "n >= 0", "refuted"),  # there is none, whatever holds at zero
        ("argmax(x, x, {1, 3, 5}) == 5", "x <= 4", "undecided"),
        ("argmax(x, x, {1, 3, 5}) == 5", "x <= 5", "verified"),
        ("minimum(abs(x), x, {-3, 2}) == -3", "", "undecided"),  # x is positive
        ("minimum(x, x, {1/2, 3}) == 1/2", "x integer", "undecided"),
    ],
)
def test_what_is_none_of_the_values_of_a_name_is_left_out(says: str, given: str, kind: str) -> None:
    assert roofproof.judge(says, given).kind == kind


@pytest.mark.parametrize(
    ("says", "given", "kind"),
    [
        ("limit(x, x) == oo", "x <= 3", "undecided"),
        ("limit(x, x, 0) == 0", "x >= 1", "undecided"),
        ("limit(x, x, 0) == 0", "x <= 1", "verified"),
        ("limit(x, x, 3) == 3", "x in {1, 2, 3}", "undecided"),
        ("limit(n, n, 0) == 0", "n integer", "undecided"),
        ("degree(x, x) == 1", "x <= 5", "undecided"),
        ("limit(abs(x)/x, x, 0) == 1", "x real", "refuted"),  # -1 from below
        ("limit(1/x, x, 0) == oo", "x real", "refuted"),
        ("limit(abs(x)/x, x, 0) == 1", "x >= 0", "verified"),
        ("limit(x^2, x, 0) == 0", "x real", "verified"),
    ],
)
def test_a_limit_is_taken_where_the_name_comes_near(says: str, given: str, kind: str) -> None:
    assert roofproof.judge(says, given).kind == kind


@pytest.mark.parametrize(
    "says", ["smallest(x, x > 0) == 1", "increasing(x, x)", "sum(x, x, 1, 3) == 6", "minimum(x^2, x, {1, 2}) == 1"]
)
def test_what_has_a_value_is_not_gone_through(says: str) -> None:
    assert roofproof.judge(says, "x == 3").kind == "undecided"


@pytest.mark.parametrize(
    ("says", "given", "kind"),
    [
        ("x ~= 1.0", "x >= 1; x <= 1.04", "rounded"),
        ("x ~= 1.0", "x >= 1; x < 1.1", "rounded"),  # rounded, or cut off
        ("x ~= 1.0", "x >= 1; x <= 1.1", "refuted"),
        ("x ~= 240", "x > 239; x < 241", "rounded"),
        ("x ~= 300", "x >= 200; x <= 305", "refuted"),
        ("n ~= 240", "n integer; n >= 239; n <= 241", "rounded"),
        ("sqrt(x) ~= 3.0", "x >= 9; x <= 9.3", "rounded"),
        ("-x ~= -3.0", "x >= 3; x <= 3.01", "rounded"),
        ("x ~= -3.0", "x >= 3; x <= 3.01", "refuted"),
    ],
)
def test_what_agrees_to_the_digits_printed_wherever_it_may_be_is_rounded(says: str, given: str, kind: str) -> None:
    verdict = roofproof.judge(says, given)
    assert verdict.kind == kind
    point = verdict.counterexample
    assert kind == "rounded" or not Fraction(95, 100) <= point["x"] < Fraction(11, 10)


def test_a_sum_of_roundings_is_known_by_the_kernel_at_zero_too() -> None:
    [claim] = book_from_text(
        "[[claim]]\nid = 'a'\nsays = 'floor(n/2) + ceil(n/2) == n'\ngiven = 'n integer; n >= 0'"
    ).claims
    assert (judge(claim).kind, judge(claim).trust) == ("verified", "kernel")


@pytest.mark.parametrize(
    ("says", "kind"),
    [
        ("((x y)^2 - (1 + a)^2)/(x y - (1 + a)) > x y + 1 + a", "refuted"),  # both sides are equal
        ("n^(5/2) <= b => (3/2)/(n - b) >= (1/2)^n", "refuted"),  # at n = 1, b = 2: -3/2 < 1/2
    ],
)
def test_what_cancels_or_has_a_power_upside_down_has_a_verdict(says: str, kind: str) -> None:
    assert roofproof.judge(says).kind == kind
