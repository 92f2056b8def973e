"""Random FLOPs and bytes with rounding, powers, roots and logarithms: searched, proved, compared with brute force."""

from fractions import Fraction
from time import process_time

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import chip, op, threshold
from roofproof.errors import Undecided
from roofproof.proofs.known import PROVED

CHIP = chip("bf16=989 TFLOP/s, fp32-vector=66.9 TFLOP/s, hbm=3.35 TB/s")
RIDGES = {"bf16": Fraction(989_000, 3350), "fp32-vector": Fraction(66_900, 3350)}
SECONDS = 20  # of processor time per threshold, each of which takes under 2 on an idle machine
NEAR = 1e-40  # relative difference below which values are not compared

Number = int | mpmath.mpf


def ratio(a: int, b: int) -> Number:
    return a // b if a % b == 0 else mpmath.mpf(a) / b


def root(n: int) -> Number:
    exact = int(sympy.integer_nthroot(n, 2)[0])
    return exact if exact**2 == n else mpmath.sqrt(n)


def log2(n: int) -> Number:
    return n.bit_length() - 1 if n & (n - 1) == 0 else mpmath.log(n, 2)


# A term as text with placeholders t and c, and its value at B, computed independently.
TERMS = {
    "{c} B": lambda c, t, B: c * B,
    "{c} B^2": lambda c, t, B: c * B * B,
    "{c} ceil(B/{t})": lambda c, t, B: c * -(-B // t),
    "{c} floor(B/{t})": lambda c, t, B: c * (B // t),
    "{c} B ceil(B/{t})": lambda c, t, B: c * B * -(-B // t),
    "{c} ceil(ceil(B/{t})*7/132)": lambda c, t, B: c * -(-(-(-B // t) * 7) // 132),
    "{c} ceil(sqrt(B))": lambda c, t, B: c * mpmath.ceil(root(B)),
    "{c} ceil(log2(B + 1))": lambda c, t, B: c * B.bit_length(),
    "{c} sqrt(B)": lambda c, t, B: c * root(B),
    "{c} B sqrt(B)": lambda c, t, B: c * B * root(B),
    "{c} log2(B)": lambda c, t, B: c * log2(B),
    "{c} B log2(B)^2": lambda c, t, B: c * B * log2(B) ** 2,
    "{c}*{t} (1 - (1 - 1/{t})^B)": lambda c, t, B: c * t * (1 - (1 - mpmath.mpf(1) / t) ** B),
    "{c} max(B, {t})": lambda c, t, B: c * max(B, t),
    "{c} min(B, {t})": lambda c, t, B: c * min(B, t),
    "{c}*{t}*1000": lambda c, t, B: c * t * 1000,  # a fixed latency
}
TERM = st.tuples(st.sampled_from(sorted(TERMS)), st.integers(1, 60), st.sampled_from([3, 8, 64, 100, 128, 256]))
SIDE = st.lists(TERM, min_size=1, max_size=3)


def written(side):
    return " + ".join(f"({term.format(c=c, t=t)})" for term, c, t in side)


def value(side, B):
    return mpmath.fsum(TERMS[term](c, t, B) for term, c, t in side)


def held_to_brute_force(engine, scale, flops, moved, numbers):
    text = f"flops {engine} = {scale} ({written(flops)}); bytes hbm = {written(moved)}"
    if "B" not in text.partition("=")[2].replace("bytes", ""):
        return
    before = process_time()
    try:
        found = threshold(op(text), CHIP, "B")
    except Undecided as problem:  # none among the sizes searched, and larger ones are open
        assert "no integer B from 1 to 1073741824 satisfies it" in str(problem), text
        with mpmath.workprec(240):
            ridge = mpmath.mpf(RIDGES[engine].numerator) / RIDGES[engine].denominator
            assert not any(scale * value(flops, n) > (1 + NEAR) * ridge * value(moved, n) for n in numbers), text
        return
    told = found.derivation.of("case", "at-point", "integer")
    assert process_time() - before < SECONDS, text
    least, there = found.found.integer, found.found.at_point
    if there.kind != "never":  # "never" may lack a proof, because a search cannot prove it
        assert {known.trust for known in told} <= set(PROVED), text
    with mpmath.workprec(240):
        ridge = mpmath.mpf(RIDGES[engine].numerator) / RIDGES[engine].denominator
        for n in {*numbers, *(max(1, (least or 1) + k) for k in (-2, -1, 0, 1))}:
            left, right = scale * value(flops, n), ridge * value(moved, n)
            if abs(left - right) > NEAR * right:
                assert (left > right) == (there.holds(sympy.Integer(n)) == sympy.true), (text, n, str(there))


@given(st.sampled_from(sorted(RIDGES)), st.sampled_from([1, 10, 300]), SIDE, SIDE,
       st.lists(st.integers(1, 10**5), max_size=40))  # fmt: skip
@settings(max_examples=12, deadline=None)
def test_demands_at_numbers_are_never_undecided_and_never_wrong(engine, scale, flops, moved, numbers):
    held_to_brute_force(engine, scale, flops, moved, numbers)


@pytest.mark.long
@given(st.sampled_from(sorted(RIDGES)), st.sampled_from([1, 10, 300]), SIDE, SIDE,
       st.lists(st.integers(1, 10**5), max_size=400))  # fmt: skip
@settings(max_examples=500, deadline=None)
def test_five_hundred_demands_at_numbers(engine, scale, flops, moved, numbers):
    held_to_brute_force(engine, scale, flops, moved, [*numbers, *range(1, 400)])
