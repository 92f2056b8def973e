"""Values with roots are decided, a missing value equals nothing, and terms that cancel need no value."""

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text

ROOTS = """
verified  | sqrt(2) sqrt(3) == sqrt(6)
refuted   | sqrt(1) * sqrt(7) == sqrt(8)
verified  | sqrt(50 + 2 sqrt(616)) == sqrt(28) + sqrt(22)
refuted   | sqrt(50 + 2 sqrt(616)) == sqrt(28) + sqrt(23)
refuted   | sqrt(5) + sqrt(19) > sqrt(83)
verified  | sqrt(5) + sqrt(19) < sqrt(83)
verified  | sqrt(5) + sqrt(20) >= sqrt(45)
refuted   | sqrt(5) + sqrt(20) > sqrt(45)
refuted   | sqrt(2) * 25 == 35
verified  | 1 / (sqrt(2) - 1) == sqrt(2) + 1
refuted   | 1 / (sqrt(2) - 1) == sqrt(2) + 2
verified  | sqrt(sqrt(16)) == 2 and sqrt(3 + 2 sqrt(2)) == 1 + sqrt(2)
refuted   | sqrt(3 - 2 sqrt(2)) == 1 - sqrt(2)
verified  | 2^(1/3) * 4^(1/3) == 2
refuted   | 2^(1/3) + 2^(1/3) == 4^(1/3)
verified  | floor(sqrt(2) + sqrt(3)) == 3 and ceil(5 sqrt(2)) == 8
refuted   | 1 == 2 or sqrt(26) * sqrt(16) == sqrt(417)
verified  | max(sqrt(2), 2^(1/3)) == sqrt(2)
refuted   | sqrt(v) > sqrt(12) <=> v > 36
verified  | sqrt(v) > sqrt(12) <=> v > 12
refuted   | 13 x + 7 / x >= 3 sqrt(91)
verified  | 13 x + 7 / x >= 2 sqrt(91)
conditional | x + 2 / x > 2 sqrt(2)
refuted   | x^2 != 2
verified  | x^2 != 2 | x in {1, 2, 3}
refuted   | x^3 - 2 != 0
conditional | x^4 + 4 > 4 x^2 | x real
verified  | x^4 + 4 >= 4 x^2 | x real
refuted   | a x + b / x > 2 sqrt(a b)
refuted   | argmin(b p + u / p, p) == sqrt(2 u / b)
verified  | argmin(b p + u / p, p) == sqrt(u / b)
refuted   | argmin(K u + 3 F W / u, u) == 3 F W / K
verified  | argmin(K u + 3 F W / u, u) == sqrt(3 F W / K)
refuted   | minimum(10 z b + 11 a / b, b) == 2 sqrt(111 z a)
verified  | minimum(10 z b + 11 a / b, b) == 2 sqrt(110 z a)
refuted   | x^3 == 2 => x > 63/50
verified  | x^3 == 2 => x > 5/4
verified  | solve(x^2 + a x == b, x) == (sqrt(a^2 + 4 b) - a) / 2
refuted   | solve(x^2 + a x == b, x) == (sqrt(a^2 + 5 b) - a) / 2
undecided | x^x + 1 > x
"""
NOTHING = """
refuted   | smallest(n, n > 5 and n < 3) == 1
verified  | smallest(n, n > 5 and n < 8) == 6
refuted   | smallest(n, 3 < 2 n and 2 n < 4) == 1
refuted   | smallest(n, ceil(n / 2) > 5 and n < 3) == 1
refuted   | largest(n, ceil(n / 2) > 5 and n < 3) == 1
verified  | largest(n, 2^n < 1000000) == 19
refuted   | largest(n, 2^n < 1000000) == 20
verified  | largest(n, n + 2^n <= 1034) == 10
refuted   | largest(n, 2^n <= 1024) == 9
verified  | largest(n, ceil(n / 2) < 5 and n > 3) == 8
refuted   | largest(n, n > 5) == 6
verified  | largest(n, n <= 5) == 5
refuted   | minimum(x + a, x) == a
verified  | minimum(x + a / x, x) == 2 sqrt(a)
refuted   | argmin(x, x) == 0
refuted   | argmin(max(x, 3), x) == 2
verified  | minimum(max(x, 3), x) == 3
refuted   | maximum(x / (x + 1), x) == 1
refuted   | maximum(5 x / (x + 1), x) < 6
verified  | 5 x / (x + 1) < 6
refuted   | minimum(a - x, x) == 0
refuted   | solve(x^2 + 3 == 4 x, x) == 1
verified  | solve(x^2 == 4 x, x) == 4
refuted   | solve(x + 3 == 0, x) == -3
verified  | solve(x == 3, x) == 3
undecided | smallest(n, n > 5 and n < 3) != 1
"""
CANCELS = """
verified  | smallest(t, P t > 10 P) == 11
refuted   | smallest(t, P t > 10 P) == 10
verified  | smallest(t, P t^2 > 10 P) == 4
verified  | largest(t, P t <= 10 P and t > 2) == 10
refuted   | largest(t, P t <= 10 P and t > 2) == 11
verified  | smallest(t, t > 10 and P > Q) == 11 | P > Q
undecided | smallest(t, P t > Q) == 11
"""


def table(text: str) -> list[tuple[str, str, str]]:
    rows = ([part.strip() for part in line.split("|")] for line in text.splitlines() if line)
    return [(says, given[0] if given else "", verdict) for verdict, says, *given in rows]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "given", "verdict"), table(ROOTS + NOTHING + CANCELS))
def test_a_claim(says: str, given: str, verdict: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\ngiven = "{given}"').claims
    found = judge(claim)
    assert found.kind == verdict, found.note


@pytest.mark.parametrize(
    ("says", "note"),
    [
        ("smallest(n, n > 5 and n < 3) == 1", "there is no smallest n with n > 5 and n < 3"),
        ("minimum(x + a, x) == a", "there is no minimum: a, approached as x -> 0, not attained"),
        ("solve(x^2 + 3 == 4 x, x) == 1", "no unique solution for x: x = 1 or x = 3"),
        ("argmin(max(x, 3), x) == 2", "the minimum is taken at more than one x: 3 at x = 3 and elsewhere"),
    ],
)
def test_it_is_said_that_there_is_none(says: str, note: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"').claims
    assert judge(claim).note == note


def test_an_irrational_counterexample_is_told() -> None:
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "x^2 != 2"').claims
    assert judge(claim).record("a")["counterexample"] == {"x": "sqrt(2)"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "says",
    [
        "argmin(K u + 3 F W/u, u) == sqrt(3 F W/K)",
        "argmin(max(2 a/x, b x), x) == sqrt(2 a/b)",
        "solve(a x^2 == 3 b, x) == sqrt(3 b/a)",
        "sqrt(3 F W/K) == sqrt(3) sqrt(F) sqrt(W)/sqrt(K)",
        "sqrt(12 a/(5 b^3)) == 2 sqrt(15 a b)/(5 b^2)",
        "sqrt(x^3) == x sqrt(x)",
    ],
)
def test_the_root_of_a_product_is_a_product_of_roots_for_the_kernel(says: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'").claims
    assert isinstance(claim, Claim)
    assert (judge(claim).kind, judge(claim).trust) == ("verified", "kernel")
