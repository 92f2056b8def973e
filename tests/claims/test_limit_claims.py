"""Limits of roots, logarithms and exponentials at any point, and claims that were needlessly undecided."""

import pytest
from test_exact_roots import table

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text

LIMITS = """
verified    | limit(1 / x, x, 0) == oo
refuted     | limit(1 / x^2, x, 0) == 0
verified    | limit(x^(-2/3), x, 0) == oo
verified    | limit(x log(x), x, 0) == 0
refuted     | limit(x log2(x) + 2, x, 0) == 1
verified    | limit((sqrt(1 + x) - 1) / x, x, 0) == 1/2
refuted     | limit((sqrt(1 + x) - 1) / x, x, 0) == 1/3
verified    | limit(sqrt(x + 1) - sqrt(x), x) == 0
refuted     | limit(sqrt(4 x + 1) - sqrt(x), x) == 0
verified    | limit(sqrt(n^2 + a n) - n, n) == a / 2
refuted     | limit(sqrt(n^2 + a n) - n, n) == a / 3
verified    | limit(sqrt(n + sqrt(n)) - sqrt(n), n) == 1/2
verified    | limit(log(n) / n, n) == 0
refuted     | limit(log2(n) / n, n) == 1
verified    | limit(n log2(n) / n^(3/2), n) == 0
verified    | limit(log2(8 n) - log2(n), n) == 3
refuted     | limit(log2(n + 1) - log2(n), n) == 1
refuted     | limit(floor(n / 2) - n / 2, n) == 0
refuted     | limit(floor(n / 2) - n / 2, n) == 0 | n integer
refuted     | limit(ceil(n / 3) - n / 3, n) == 1/3
refuted     | limit(n floor(n / 2) - n^2 / 2, n) == 0 | n integer
verified    | limit(floor(n / 2) / n, n) == 1/2
verified    | limit(2^n, n) == oo
verified    | limit(n^5 / 2^n, n) == 0
refuted     | limit(2^n / n^5, n) == 0
verified    | limit(2^(n + 1) / (2^n + n), n) == 2
verified    | limit(3^n / 2^n, n) == oo
verified    | limit(2^(1 / n), n) == 1
verified    | limit(n (2^(1 / n) - 1), n) == log(2)
verified    | limit(floor(n / 2) / n, n) == 1/2
refuted     | limit(ceil(n / 2) / n, n) == 1
verified    | limit((x^2 - 1) / (x - 1), x, 1) == 2
refuted     | limit((x^2 - 1) / (x - 1), x, 1) == 1
verified    | limit((sqrt(x) - 1) / (x - 1), x, 1) == 1/2
verified    | limit((sqrt(x) - sqrt(a)) / (x - a), x, a) == 1 / (2 sqrt(a))
refuted     | limit((sqrt(x) - sqrt(a)) / (x - a), x, a) == 1 / (3 sqrt(a))
refuted     | limit(1 / (x - 3), x, 3) == oo
verified    | limit(1 / (x - 3), x, 3) == oo | x > 3
verified    | limit(1 / (x - 3), x, 3) == -oo | x < 3
refuted     | limit(abs(x - 3) / (x - 3), x, 3) == 1
verified    | limit(abs(x - 3) / (x - 3), x, 3) == 1 | x > 3
undecided   | limit(1 / (min(x, 9 a) - min(x, 7 a)), x, 0) == oo
undecided   | limit(a^n, n) == oo
undecided   | limit(n^n, n) == oo
undecided   | limit(sqrt((a - b) n), n) == oo
undecided   | limit(log2(a) n, n) == oo
verified    | limit((n + log2(a)) / n, n) == 1
"""
IN_A_REGIME = """
verified    | sqrt(N^2 + 11 N) - N -> 11/2
refuted     | sqrt(N^2 + 8 N) - N -> 29/7
verified    | log2(N) / N -> 0
refuted     | N / log2(N) -> 0
approximate | floor(N / 6) ~= N / 6
refuted     | floor(N / 3) ~= N / 6
approximate | 2^N > N^3
refuted     | 2^N < N^3
approximate | sqrt(N) > log2(N)
refuted     | sqrt(N) < log2(N)
approximate | sqrt(N^2 + N) ~= N
refuted     | sqrt(2 N^2 + N) ~= N
"""
NEEDLESS = """
verified    | limit(1 / ((1 - f) + f / n), n) == 1 / (1 - f) | 0 < f < 1
refuted     | limit(1 / ((1 - f) + f / n), n) == 1 / f | 0 < f < 1
undecided   | limit(1 / ((1 - f) + f / n), n) == 1 / (1 - f)
verified    | limit(n / ((a - b) n + 1), n) == 1 / (a - b) | a > b
refuted     | limit(n / ((a - b) n + 1), n) == 1 / (b - a) | a > b
verified    | limit((a - b) n, n) == oo | a > b
refuted     | limit((a - b) n, n) == oo | a < b
verified    | smallest(t, P t > 10 P) == 11
refuted     | smallest(t, 2 P t > 21 P) == 10
verified    | largest(k, a k <= 7 a) == 7
refuted     | largest(k, a k < 7 a) == 7
verified    | sum(1 / 2^i, i, 0, n) == 2 - 1 / 2^n | n integer
refuted     | sum(1 / 2^i, i, 0, n) == 2 | n integer
conditional | sum(a r^i, i, 0, n - 1) == a (r^n - 1) / (r - 1) | n integer
refuted     | sum(a r^i, i, 0, n - 1) == a (r^n + 1) / (r - 1) | n integer
refuted     | sum(r^i, i, 0, n) == r^(n + 1) / (r - 1) | n integer
refuted     | (x + y + z + w)^40 == x^40 + y^40 + z^40 + w^40
refuted     | (x + y + z + w + 1)^30 > (x + y + z + w)^31
conditional | sqrt(x y) == sqrt(x) sqrt(y) | x, y real
refuted     | sqrt(x y) == sqrt(x) sqrt(y) / 2 | x, y real
verified    | sqrt(x y) == sqrt(x) sqrt(y) | x, y >= 0
conditional | log2(x y) == log2(x) + log2(y) | x, y real
refuted     | log2(x y) == log2(x) log2(y) | x, y real
conditional | log2(x^2) == 2 log2(x) | x real
refuted     | log2(x^2) == 3 log2(x) | x real
"""


def kind(says: str, given: str, regime: str = "") -> str:
    fields = f'given = "{given}"\n' + (f'regime = "{regime}"\n' if regime else "")
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\n{fields}').claims
    return judge(claim).kind


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("says", "given", "verdict"), table(LIMITS + NEEDLESS))
def test_a_claim(says: str, given: str, verdict: str) -> None:
    assert kind(says, given) == verdict


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "given", "verdict"), table(IN_A_REGIME))
def test_a_claim_in_a_regime(says: str, given: str, verdict: str) -> None:
    assert kind(says, given, "N -> oo") == verdict


def test_it_is_said_where_a_limit_differs_and_where_a_claim_is_defined() -> None:
    [pole] = book_from_text('[[claim]]\nid = "a"\nsays = "limit(1 / (x - 3), x, 3) == oo"').claims
    assert judge(pole).note == "there is no limit at x = 3: oo from above, -oo from below"
    text = '[[claim]]\nid = "a"\nsays = "sqrt(x y) == sqrt(x) sqrt(y)"\ngiven = "x, y real"'
    assert judge(book_from_text(text).claims[0]).condition == "x >= 0 and y >= 0"
