"""Thresholds with the unknown in a binary logarithm: closed forms, their proofs, and integers next to powers of two."""

from fractions import Fraction
from math import log2 as digits

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import chip, op, threshold
from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.roofline.intensities import equal
from roofproof.errors import RoofproofError
from roofproof.export.latex.expressions import latex
from roofproof.formula.logarithm import exp2
from roofproof.symbols import quantity

CHIP = "fp32-vector=90 FLOP/s, bf16=7000 FLOP/s, hbm=7 B/s"


def root(p: int, q: int) -> int:
    """Return the integer part of 2^(p/q)."""
    return int(sympy.integer_nthroot(2**p, q)[0])


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "on", "says", "integer"),
    [
        ("fft", "h100-sxm", "N > 2^64", 2**64 + 1),
        ("fft", "", "N > 2^(32*R/5)", None),
        ("flops fp32-vector = 5 N log2(2 N) + 3 N; bytes memory = 16 N", CHIP, "N > 2^(1384/35)", root(1384, 35) + 1),
        ("flops fp32-vector = D log2(N + 3); bytes memory = 2 D", CHIP, "N > 2^(180/7) - 3", root(180, 7) - 2),
        ("flops fp32-vector = N log2(N) (log2(N) + 1)/4; bytes memory = N", CHIP, "N > 2^(sqrt(10129)/14 - 1/2)", 104),
        ("flops bf16 = 2 N D; bytes memory = 4 N log2(N)", CHIP, "N < 2^(D/2000)", 4),
        ("flops fp32-vector = 5 N log2(N); flops bf16 = N^2; bytes memory = 16 N", CHIP, "N > 16000", 16001),
        ("flops fp32-vector = 50 N log2(N D); bytes memory = 16 N", CHIP, "N > 2^(144/35)/D", 1),
    ],
)
def test_a_logarithm_of_the_unknown_is_solved(text: str, on: str, says: str, integer: int | None) -> None:
    found = threshold(op(text), chip(on) if on else None, "N", {"D": 4096} if " D" in text else {})
    assert (str(found.found.cases), found.found.integer, found.trust) == (says, integer, "kernel")
    assert {k.trust for k in found.derivation.of("case", "at-point", "integer", "lowest-terms")} == {"kernel"}


@pytest.mark.parametrize(
    ("text", "unknown", "message"),
    [
        (
            "flops fp32-vector = 5 N log2(N); bytes memory = 16 N + 64",
            "N",
            "N occurs inside log2(N) and outside it, which has no closed form",
        ),
        (
            "flops fp32-vector = N log2(N) + N log2(N + 1); bytes memory = N",
            "N",
            "cannot solve for N inside log2(N + 1)",
        ),
        (
            "flops fp32-vector = B log2(D M); bytes memory = B + D M",
            "B",
            "log2(D*M) may not be positive; set the sizes in it",
        ),
    ],
)
def test_what_has_no_closed_form_says_why(text: str, unknown: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        threshold(op(text), None, unknown)
    said, _, cure = str(caught.value).partition("; to search, give every other name a number, as in ")
    assert said == message
    assert cure.startswith("--chip h100-sxm")


def test_the_logarithm_of_another_size_is_positive_from_two_on() -> None:
    found = threshold(op("flops bf16 = 999 B log2(D); bytes memory = 2 B + 2 D"), chip(CHIP), "B", {"D": 4097})
    assert [str(a) for a in found.found.assume] == ["D > 1"] and found.found.integer == 821
    assert found.trust == "kernel" and {k.trust for k in found.derivation.of("at-point", "integer")} == {"kernel"}


def test_an_integer_of_thousands_of_digits_is_not_written() -> None:
    found = threshold(op("fft"), chip("fp64-vector=1000 FLOP/s, hbm=1 B/s"), "N")
    assert str(found.found.cases) == "N > 2^6400" and found.found.at_point is None and found.trust == "kernel"


@settings(max_examples=60)
@given(st.fractions(min_value=0, max_value=300, max_denominator=60))
def test_the_integer_below_a_power_of_two(exponent: Fraction) -> None:
    p, q = exponent.numerator, exponent.denominator
    n = floor_of(exp2(sympy.Rational(p, q)))
    assert n**q <= 2**p < (n + 1) ** q


@settings(max_examples=12)
@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(1, 40), st.integers(1, 60), st.integers(1, 9), st.integers(1, 4)
)
def test_random_logarithms_against_a_scan(a: int, b: int, moved: int, peak: int, rate: int, times: int) -> None:
    """a N log2(k N) + b N FLOPs take longer than m N bytes if (k N)^(a rate) 2^(b rate) > 2^(m peak)."""
    text = f"flops fp32-vector = {a} N log2({times} N) + {b} N; bytes memory = {moved} N"
    found = threshold(op(text), chip(f"fp32-vector={peak} FLOP/s, hbm={rate} B/s"), "N").found
    least, at = found.integer, found.at_point

    def bound(n: int) -> bool:
        return bool((times * n) ** (a * rate) * 2 ** (b * rate) > 2 ** (moved * peak))

    for n in {1, 2, 3, 7, 64, 1000, *([] if least is None else [least, least + 1, max(1, least - 1)])}:
        if at is None:
            assert digits(n * times) * a * rate + b * rate < moved * peak
        else:
            assert bound(n) == (at.holds(sympy.Integer(n)) == sympy.true) == (n >= (least or 0))


def test_powers_of_two_are_typeset() -> None:
    R, D = sympy.symbols("R D", positive=True)
    assert latex(exp2(32 * R / 5) / D) == r"\frac{2^{32R/5}}{D}"


def test_terms_that_print_alike_are_two_generators() -> None:
    R = quantity("R")
    assert len(Ring.of(exp2(R), 2**R).atoms) == 2
    assert not equal(exp2(R), 2**R)
    assert equal(2 * exp2(R) * 2**R / exp2(R), 2 * 2**R)
