"""Claims about operations whose FLOPs contain a logarithm: their thresholds are powers of two."""

from math import floor

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text

# fft: 5 N log2(N) FLOPs over 32 N bytes; R is 10 on h100-sxm (33.5 / 3.35), 26/3 on v100-sxm2-32gb (7.8 / 0.9)
VERDICTS = {
    "compute_bound(fft, h100-sxm) <=> N > 2^64": ("verified", "kernel"),
    "compute_bound(fft, h100-sxm) <=> N > 2^63": ("refuted", "kernel"),
    "compute_bound(fft, h100-sxm) => N > 2^60": ("verified", "kernel"),
    "compute_bound(fft, h100-sxm) => N > 2^70": ("refuted", "kernel"),
    "compute_bound(fft, v100-sxm2-32gb) <=> N > 2^(832/15)": ("verified", "kernel"),
    "compute_bound(fft, v100-sxm2-32gb) <=> N > 2^(833/15)": ("refuted", "kernel"),
    "N > 10^20 => compute_bound(fft, h100-sxm)": ("verified", "kernel"),
    "intensity(fft) > R <=> N > 2^(6 R)": ("refuted", "kernel"),
    "5 log2(N)/32 > 10 <=> N > 2^64": ("verified", "kernel"),
    "N log2(N) > 10 N <=> N > 1024": ("verified", "kernel"),
    "log2(N) > 1889 <=> N > 2^1889": ("verified", "kernel"),
    "log2(N) > 1889 <=> N > 2^1888": ("refuted", "kernel"),
    "n < 2^100 => n log2(n) < 100 n": ("verified", "kernel"),
    "n >= 141 => n log2(n) > 1000": ("verified", "kernel"),  # 141 * 7.139... = 1006.7, and both factors rise
    "n >= 140 => n log2(n) > 1000": ("refuted", "kernel"),
    "largest(n, n log2(n) <= 1000) == 140": ("verified", "kernel"),
    "largest(n, n log2(n)^2 <= 1000) == 36": ("verified", "kernel"),
    "1 == 2 or log2(12800) == 9 + 2 log2(5)": ("verified", "kernel"),
    "1 == 2 or log2(12800) == 8 + 2 log2(5)": ("refuted", "kernel"),
    "threshold(fft, h100-sxm, N) == 2^64": ("verified", "kernel"),
    "threshold(fft, h100-sxm, N) == 2^60": ("refuted", "kernel"),
    "smallest(N, compute_bound(fft, h100-sxm)) == 2^64 + 1": ("verified", "kernel"),
}


# R is 66.9/3.35 on h100-sxm: 3 log2(N)/8 + 1/4 > R as N > 2^(10570/201), between 6765250025402720 and the next integer
LINES = "[ops]\nlines = 'flops fp32-vector = 3 N log2(N) + 2 N; bytes hbm = 8 N'\n"
OVER_INTEGERS = {
    "compute_bound(fft, h100-sxm) <=> N >= 2^64 + 1": "verified",
    "compute_bound(fft, h100-sxm) <=> N >= 2^64": "refuted",
    "compute_bound(fft, h100-sxm) <=> N > 2^64 + 1": "refuted",
    "not compute_bound(fft, h100-sxm) <=> N < 2^64 + 1": "verified",
    "compute_bound(lines, h100-sxm) <=> N >= 6765250025402721": "verified",
    "compute_bound(lines, h100-sxm) <=> N > 6765250025402720": "verified",
    "compute_bound(lines, h100-sxm) <=> N > 6765250025402720 + 1/3": "verified",
    "compute_bound(lines, h100-sxm) <=> N >= 6765250025402720": "refuted",
    "compute_bound(lines, h100-sxm) <=> N >= 6765250025402722": "refuted",
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("given", ["", "given = 'N integer'"])
@pytest.mark.parametrize(("says", "kind"), OVER_INTEGERS.items(), ids=OVER_INTEGERS)
def test_a_whole_bound_stands_for_the_power_just_below_it(says: str, kind: str, given: str) -> None:
    [claim] = book_from_text(f"{LINES}[[claim]]\nid = 'a'\nsays = '{says}'\n{given}").claims
    verdict = judge(claim)
    assert (verdict.kind, verdict.trust) == (kind, "kernel")
    assert verdict.note == (
        "over the integers, as sizes are; not over the reals" if (kind, given) == ("verified", "") else ""
    )
    if kind == "refuted":  # at a size that is short enough to read
        assert verdict.counterexample and len(str(verdict.counterexample["N"])) < 40


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "expected"), VERDICTS.items(), ids=VERDICTS)
def test_thresholds_that_are_powers_of_two_are_judged(says: str, expected: tuple[str, str]) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'").claims
    verdict = judge(claim)
    assert (verdict.kind, verdict.trust) == expected


def test_a_symbolic_threshold_is_known_and_a_bound_on_the_size_carries_over() -> None:
    symbolic, given = book_from_text(
        "[[claim]]\nid = 'a'\nsays = 'intensity(fft) > R <=> N > 2^(32 R/5)'\n"
        "[[claim]]\nid = 'b'\nsays = 'not compute_bound(fft, h100-sxm)'\ngiven = 'N <= 2^40'"
    ).claims
    assert (judge(symbolic).kind, judge(given).kind, judge(given).trust) == ("verified", "verified", "kernel")


ROUNDED = [
    ("n <= 2^ceil(log2(n)) < 2 n", "verified"),
    ("n/2 < 2^floor(log2(n)) <= n", "verified"),
    ("2^(ceil(log2(n)) + 1) < 4 n", "verified"),
    ("m * 2^ceil(log2(n)) >= m n", "verified"),
    ("3^floor(n/2) <= 3^(n/2)", "verified"),
    ("max(log2(n), 3) + 1/n >= 1", "verified"),
    ("2^ceil(log2(n)) == n", "refuted"),
    ("2^ceil(log2(n)) > n", "refuted"),
    ("2^ceil(log2(n)) <= 3 n/2", "refuted"),
]


@pytest.mark.parametrize("given", ["", "n integer"])
@pytest.mark.parametrize(("says", "kind"), ROUNDED)
def test_a_rounding_has_no_slope_and_its_power_lies_beside_that_of_its_value(says: str, kind: str, given: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\ngiven = "{given}"').claims
    assert judge(claim).kind == kind


def test_a_size_at_which_a_number_is_wrong_can_be_read() -> None:
    [claim] = book_from_text("[[claim]]\nid = 'a'\nsays = 'intensity(fft) ~= 1/2'").claims
    found = judge(claim)
    assert found.kind == "refuted" and len(str(found.counterexample["N"])) < 5  # it once had 3,000 digits


def test_a_bound_that_is_a_high_power_of_a_root() -> None:
    says = [f"largest(n, log2(n^2) < 201/7) == {n}" for n in (floor(2 ** (201 / 14)), floor(2 ** (201 / 14)) + 1)]
    claims = [book_from_text(f"[[claim]]\nid = 'a'\nsays = '{each}'").claims[0] for each in says]
    assert [judge(each).kind for each in claims] == ["verified", "refuted"]


EQUAL_POWERS = [
    ("2^(n - m) == 2^n/2^m", "kernel"),
    ("(2^(n/2))^2 == 2^n", "kernel"),
    ("2^(1 - n) == 2/2^n", "kernel"),
    ("(2^n)^m == 2^(n m)", "kernel"),
    ("sqrt(2^(2 n)) == 2^n", "algebra"),
    ("2^(n/2 - m/2) == sqrt(2^n/2^m)", "algebra"),
]


@pytest.mark.parametrize(("says", "trust"), EQUAL_POWERS)
def test_powers_that_are_equal_by_their_exponents(says: str, trust: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"').claims
    found = judge(claim)  # type: ignore[arg-type]
    assert (found.kind, found.trust) == ("verified", trust)


AT_A_FEW_VALUES = [  # no theorem for all n is known that compares 2^n with log2(n) or n
    ("n log2(n) <= n^2/2", "n in {2, 4, 8, 16}", "verified"),
    ("n log2(n) < n^2/2", "n in {2, 4, 8, 16}", "refuted"),  # at 2 and at 4 they are equal
    ("log2(n) + 2^n > 2", "n in {2, 6}", "verified"),
    ("2^n >= 3 n", "n integer; 4 <= n <= 7", "verified"),
    ("2^n >= 3 n", "n integer; 3 <= n <= 7", "refuted"),
    ("log2(n) < 2 n", "3 divides n; n <= 12", "verified"),
    ("m + n <= 2^m + 2^n", "m integer; m <= 3; n in {1, 3}", "verified"),
    ("log2(n) < 2^n", "n in {0, 2}; n real", "conditional"),
    ("log2(n) < 2^n or n = 0", "n in {0, 2}; n real", "verified"),
]


@pytest.mark.parametrize(("says", "given", "kind"), AT_A_FEW_VALUES)
def test_a_few_values_are_looked_at_one_by_one(says: str, given: str, kind: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = 'a'\nsays = '{says}'\ngiven = '{given}'").claims
    verdict = judge(claim)
    assert (verdict.kind, verdict.trust) == (kind, "kernel")
