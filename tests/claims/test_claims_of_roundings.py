"""Claims about nested roundings, a common factor next to a logarithm, and the sizes from which a claim holds."""

from math import ceil, floor

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text

small = st.integers(2, 200)


def verdict(says: str, domain: str = "n, a, b integer"):
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\ngiven = "{domain}"').claims
    found = judge(claim)
    return found.kind, found.known[0].trust, found.condition, found.counterexample


@pytest.mark.parametrize("way", ["floor", "ceil"])
def test_a_rounding_of_a_rounding_is_one_of_the_whole(way: str) -> None:
    assert verdict(f"{way}({way}(n/a)/b) == {way}(n/(a*b))")[:2] == ("verified", "kernel")
    assert verdict(f"{way}({way}({way}(n/2)/a)/5) == {way}(n/(10 a))")[:2] == ("verified", "kernel")
    assert verdict(f"{way}({way}(x)/8) == {way}(x/8)", "x > 0")[:2] == ("verified", "kernel")
    assert verdict(f"{way}({way}(x)/c) == {way}(x/c)", "x > 0; c > 0")[0] != "verified"  # c = 1/2


@settings(max_examples=15, deadline=None)
@given(small, small, small, st.sampled_from(["floor", "ceil"]))
def test_a_rounding_of_a_rounding_is_that_of_no_other_product(a: int, b: int, c: int, way: str) -> None:
    kind, trust, _, at = verdict(f"{way}({way}(n/{a})/{b}) == {way}(n/{c})")
    assert (kind, trust) == (("verified", "kernel") if c == a * b else ("refuted", "kernel"))
    if at is not None:
        rounded = floor if way == "floor" else ceil
        n = at["n"]
        assert rounded(rounded(n / a) / b) != rounded(n / c)


@settings(max_examples=15, deadline=None)
@given(small, small)
def test_the_smaller_of_two_rounded_quotients(a: int, b: int) -> None:
    assume(a < b)
    assert verdict(f"min(ceil(n/{a}), ceil(n/{b})) == ceil(n/{b})")[:2] == ("verified", "kernel")
    assert verdict(f"max(floor(n/{a}), floor(n/{b})) == floor(n/{b})")[0] == "refuted"


def test_a_rounding_of_nothing_is_read() -> None:
    assert verdict("floor(0/2) + ceil(n - n) == 0")[0] == "verified"


def test_a_factor_in_common_beside_a_logarithm() -> None:
    assert verdict("n log2(n) <= n^2")[0] == "verified"
    assert verdict("x^2 log2(x) <= x^3", "x >= 1")[0] == "verified"
    assert verdict("2 n log2(n) <= n^2")[0] == "refuted"  # 6 log2(3) > 9


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(small, st.booleans())
def test_from_which_size_on_padding_at_most_doubles(tile: int, strict: bool) -> None:
    """`t ceil(n/t) <= 2 n` holds from n = t/2 on, and `<` once the two sides are no longer equal."""
    says = f"{tile}*ceil(n/{tile}) {'<' if strict else '<='} 2*n"
    fails = [n for n in range(1, 4 * tile) if not (tile * ceil(n / tile) < 2 * n + (not strict))]
    kind, _, condition, _ = verdict(says)
    assert (kind, condition) == (("conditional", f"n >= {fails[-1] + 1}") if fails else ("verified", None))
