"""Comparisons of logarithms and powers, and optima of functions that are not rational, right and wrong in pairs."""

import pytest
from test_exact_roots import table

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text

NUMBERS = """
verified    | log(8) > 2
refuted     | log(8) > 3
verified    | log2(3) > 1.58
refuted     | log2(3) < 1.58
rounded     | log(2) ~= 0.69
refuted     | log(2) ~= 0.68
verified    | log(8) == 3 log(2)
refuted     | log(8) == 2 log(2)
verified    | log(2) log2(5) == log(5)
refuted     | log(2) log2(5) == log(6)
verified    | log2(1024*3) == 10 + log2(3)
refuted     | log2(1024*3) == 10 + log2(5)
verified    | log(10)/log(2) == log2(10)
"""
COMPARED = """
conditional | log(x) < log2(x)
refuted     | log2(x) <= x/2
verified    | log2(x) <= x/2                  | x >= 4
verified    | log2(x) < x
verified    | log(x) <= x - 1
conditional | log(x) < x - 1
verified    | log(x) == log(2) log2(x)
verified    | x > y => log(x) > log(y)
refuted     | x > y => log2(x) > log2(y) + 1
verified    | x >= 2 y => log2(x) >= log2(y) + 1
verified    | log2(n) < sqrt(n)               | n > 16
refuted     | log2(n) < sqrt(n)               | n >= 16
verified    | log(n) n > 3                    | n >= 4
refuted     | log(n) n > 6                    | n >= 4
verified    | x log2(x) >= -0.54
refuted     | x log2(x) >= -0.53
verified    | log(x) > 2                      | x > 10
verified    | 2^n > 100                       | n >= 7
verified    | 2^n > 100                       | n integer; n >= 7
refuted     | 2^n > 100                       | n >= 6
verified    | 2^n > 100                       | n >= 6.7
verified    | 3^n > 100                       | n >= 5
refuted     | 3^n > 300                       | n >= 5
verified    | n >= 10 <=> 2^n >= 1024
refuted     | n > 10 <=> 2^n >= 1024
verified    | 2^n >= n + 1                    | n integer
refuted     | 2^n >= n + 2                    | n integer
refuted     | 2^n > 3^n
verified    | 2^n > n^2                       | n integer; n >= 5
verified    | 2^n > n^2                       | n > 4
refuted     | 2^n > n^2                       | n >= 4
refuted     | 2^n > n^2                       | n integer; n >= 2
verified    | 2^n > n
verified    | 2^n > n^10                      | n integer; n >= 59
refuted     | 2^n > n^10                      | n integer; n >= 58
verified    | 3^n > n^3                       | n >= 4
refuted     | 3^n > n^3                       | n >= 3
verified    | 1.01^n > n                      | n >= 652
refuted     | 1.01^n > n                      | n >= 651
verified    | 2^n > 100 n                     | n >= 10
refuted     | 2^n > 100 n                     | n >= 9
"""
OPTIMA = """
verified    | argmin(x - log(x), x) == 1
refuted     | argmin(x - log(x), x) == 2
verified    | minimum(x - log(x), x) == 1
verified    | argmin(a x - W log(x), x) == W/a
rounded     | argmin(x - log2(x), x) ~= 1.44
refuted     | argmin(x - log2(x), x) ~= 1.45
verified    | argmin(x - log(x), x) == 3      | x >= 3
refuted     | argmin(x - log(x), x) == 1      | x >= 3
rounded     | argmax(log(x)/x, x) ~= 2.718
refuted     | argmax(log(x)/x, x) == 3
rounded     | argmin(x log2(x), x) ~= 0.37
verified    | argmin(sqrt(x^2 + 1) - x/2, x) == 1/sqrt(3)
refuted     | argmin(sqrt(x^2 + 1) - x/2, x) == 1/2
verified    | minimum(sqrt(x^2 + 1) - x/2, x) == sqrt(3)/2
verified    | argmin(sqrt(x^2 + a^2) - x/2, x) == a/sqrt(3)
refuted     | argmin(sqrt(x^2 + a^2) - x/2, x) == a
verified    | argmin(x^2 + 1/x, x) == (1/2)^(1/3)
refuted     | argmin(x^2 + 1/x, x) == 1/2
verified    | argmin(sqrt(x) + 1/x, x) == 4^(1/3)
refuted     | minimum(sqrt(x^2 + 1) - x, x) == 0
refuted     | maximum(sqrt(x + 1) - sqrt(x), x) == 1
"""
ROUNDED = """
refuted     | floor(n/2) == n/2
verified    | floor(n/2) <= n/2
refuted     | floor(n/2) - n/2 ~= 0
refuted     | ceil(n/3) == n/3                | n integer
verified    | ceil(n/3) <= n/3 + 2/3          | n integer
verified    | floor(n/2) >= n/2 - 1/2         | n integer
refuted     | floor(n/2) >= n/2 - 1/2
refuted     | floor(n/2) >= n/2 - 1/3         | n integer
verified    | floor(n/2) + ceil(n/2) == n     | n integer
refuted     | 2 floor(n/2) == n               | n integer
verified    | limit(floor(n/2), n) == oo      | floor(n/2) == n/2
refuted     | limit(floor(n/2) - n/2, n) == 0 | n > 3
undecided   | limit(floor(n/2) - n/2, n) == 0 | floor(n/2) == n/2
undecided   | limit(floor(n/2) - n/2, n) == 0 | floor(n/2) < n/2
refuted     | limit(floor(n/4) - n/4, n) == 0 | floor(n/2) == n/2; n > 7
verified    | floor(n/2) - n/2 ~= 0           | floor(n/2) == n/2
"""


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("says", "given", "verdict"), table(NUMBERS + COMPARED + OPTIMA))
def test_a_claim(says: str, given: str, verdict: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\ngiven = '{given}'").claims
    assert judge(claim).kind == verdict


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "given", "verdict"), table(ROUNDED))
def test_a_rounding_far_out(says: str, given: str, verdict: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\ngiven = '{given}'\nregime = 'n -> oo'").claims
    assert judge(claim).kind == verdict


@pytest.mark.parametrize(
    ("says", "trust", "note"),
    [
        ("2^n > 100", "kernel", ""),
        ("log2(n) < n", "algebra", ""),
        ("argmin(x - log(x), x) == 1", "algebra", ""),
        ("minimum(sqrt(x^2 + 1) - x, x) == 0", "algebra",
         "there is no minimum: 0, approached as x -> oo, not attained"),
    ],
)  # fmt: skip
def test_a_claim_is_known_by_what_it_rests_on(says: str, trust: str, note: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\ngiven = 'n >= 7'").claims
    verdict = judge(claim)
    assert (verdict.trust, verdict.note) == (trust, note)


@pytest.mark.parametrize(
    ("says", "note"),
    [
        ("floor(n/2) == n/2", "it fails along n = 2*m + 1, however large m is"),
        ("floor(n/2) >= n/2 - 1/2", "it fails along n = 2*m + 19/10, however large m is"),
        ("floor(n/2) - n/2 ~= 0", "it has no limit: 0 along n = 2*m, -1/2 along n = 2*m + 1"),
    ],
)
def test_where_a_rounding_fails_far_out_is_said(says: str, note: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\nregime = 'n -> oo'").claims
    assert judge(claim).note == note


@pytest.mark.parametrize(
    ("says", "given", "kind"),
    [
        ("ceil(n/B) B < n + B/2", "n, B integer", "refuted"),  # at B = 2, n = 2 m + 1: 2 m + 2 < 2 m + 2
        ("ceil(n/B) B < n + B/2", "n, B integer; B >= 7", "undecided"),  # false, but not at any point that is tried
        ("ceil(n/B) B < n + B", "n, B integer", "verified"),
        ("ceil(n/B) B <= n + B/2", "n integer", "refuted"),  # at B = 3, n = 3 m + 1: 3 m + 3 <= 3 m + 5/2
    ],
)
def test_a_rounding_may_fail_far_out_at_one_value_of_what_stays(says: str, given: str, kind: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\nregime = 'n >> B'\ngiven = '{given}'").claims
    verdict = judge(claim)
    assert verdict.kind == kind
    assert ("however large m is" in str(verdict.note)) == (kind == "refuted")
