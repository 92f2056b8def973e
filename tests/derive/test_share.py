"""Thresholds for a share of the peak, compared with the exact estimate at each integer."""

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import chip, op
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.critical_size import threshold
from roofproof.derive.roofline.keeping import keeping, share_of
from roofproof.derive.roofline.share import Share, share_from
from roofproof.errors import RoofproofError

CORNERS = ("max", "sum", "root")
PRODUCTS = ("matmul:fp16", "matmul:int8", "batched-matmul", "ffn", "lora", "convolution", "attention-core")
SIZES = {"B": 5, "D": 2048, "F": 4096, "N": 8, "C": 64, "K": 128, "L": 512, "h": 16, "k": 64, "r": 16}
SHARES = (Fraction(1, 2), Fraction(4, 5), Fraction(9, 10))


def kept(share: Share, compute: Fraction, memory: Fraction, started: bool) -> bool:
    """Return whether a unit that takes `compute` seconds keeps a share of its peak, exactly (by squares, not roots)."""
    start = share.start if started else Fraction(0)
    left = compute / share.value - start  # the time that both may take together
    if share.corner == "root":
        return left >= 0 and left**2 >= compute**2 + memory**2
    return left >= (max(compute, memory) if share.corner == "max" else compute + memory)


def seconds(c, at: dict[str, int]) -> tuple[Fraction, Fraction]:
    """Return the times of the compute unit and of memory at some sizes, at the calibrated rates."""
    peak, bandwidth = (r.value for r in c.rests_on)
    flops, moved = (Fraction(str(substitute(amount, at))) for amount in (c.flops, c.moved))
    return flops / (c.share.compute * peak), moved / (c.share.memory * bandwidth)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("on", ["h100-sxm", "a40", "tpu-v5e"])
@pytest.mark.parametrize("name", PRODUCTS)
def test_the_smallest_integer_keeps_the_share_and_the_one_before_does_not(name, on):
    one, there = op(name), chip(on)
    if not all(there.has(name) for name in one.compute):
        pytest.skip("no such peak")
    unknown = one.dims[0].name
    at = {s.name: SIZES.get(s.name, 256) for s in one.dims if s.name != unknown}
    ways = [None] if there.calibrations or there.generation else list(CORNERS)
    for share in (share_of(one, there, s, way) for s in SHARES for way in ways):
        found = threshold(one, there, unknown, at, share=share)
        [c] = found.ceilings
        started = found.started()
        answers = [(False, found.integer)] + ([(True, found.allowed.integer(started[1]))] if started else [])
        assert bool(started) == bool(share.start)
        for late, answer in answers:
            holds = {n: kept(share, *seconds(c, {**at, unknown: n}), late) for n in probes(answer)}
            assert all(now == (answer is not None and n >= answer) for n, now in holds.items()), (share, late, answer)


def probes(answer: int | None) -> list[int]:
    """Return sizes around an answer and far from it, including all from 1 to 64."""
    near = [] if answer is None else [answer - 2, answer - 1, answer, answer + 1, 2 * answer]
    return sorted({n for n in [*range(1, 65), 1000, 10**6, 10**9, *near] if n >= 1})


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(CORNERS), st.integers(1, 99), st.integers(1, 40), st.integers(1, 9),
    st.integers(1, 2000), st.integers(1, 2000), st.integers(1, 2000),
)  # fmt: skip
def test_the_closed_form_is_the_estimate(corner, percents, peak, bandwidth, b, d, f):
    share = Share(Fraction(percents, 100), corner)
    on = chip(f"bf16={peak} TFLOP/s, hbm={bandwidth}e11 B/s")
    found = threshold(op("matmul"), on, "B", share=share)
    [c] = found.ceilings
    there = found.cases.at({"D": d, "F": f})
    by_cases = there.holds(found.unknown).subs(found.unknown, b)
    assert bool(by_cases) == kept(share, *seconds(c, {"B": b, "D": d, "F": f}), False)


def test_at_a_boundary_the_share_is_kept():
    """A share of 1/2 with summed times is reached at I = R: 2 N^2 FLOPs take as long as 4 N bytes at N = 1."""
    on, one = chip("bf16=2 FLOP/s, hbm=4 B/s"), op("flops bf16 = 2*N^2; bytes memory = 4*N")
    assert threshold(one, on, "N", share=Share(Fraction(1, 2), "sum")).integer == 1
    assert threshold(one, on, "N").integer == 2


def test_more_of_the_peak_takes_more_and_the_corners_are_in_order():
    for s in (Fraction(k, 20) for k in range(1, 20)):
        largest, root, plus = (sympy.N(Share(s, corner).factor) for corner in ("max", "root", "sum"))
        assert largest < root < plus
        assert Share(s, "root").factor ** 2 == sympy.Rational(s**2 / (1 - s**2))


@pytest.mark.parametrize(
    "text",
    ["0", "1.01", "-0.8", "80", "0.8 percent", "1e-1", "", "８００％", "nan", "101 %", "0 %", "3/0", "5/4", "1/2/3"],
)
def test_what_is_no_share_is_refused_in_one_line(text):
    with pytest.raises(
        RoofproofError, match=r"^share .*: expected one above 0 and below 1, such as 0\.8, 3/4 or 80 %$"
    ):
        share_from(text)


@pytest.mark.parametrize("text", ["80 %", "８０％", "０．８", "4/5", " 4 / 5 ", "８／１０"])
def test_a_share_is_read_as_people_type_it(text):
    assert share_from(text) == Fraction(4, 5)


def test_all_of_the_peak_is_kept_by_the_maximum_alone():
    assert Share(Fraction(1), "max").factor == 1
    for corner in ("sum", "root"):
        with pytest.raises(RoofproofError, match="no size keeps all of the peak"):
            Share(Fraction(1), corner)


def test_ceilings_are_borrowed_from_the_engine_first_and_then_from_the_generation():
    said = {
        on: share_of(op("matmul"), chip(on), SHARES[1]).of for on in ("h100-sxm", "h200-sxm", "a40", "a100-80gb-sxm")
    }
    assert said == {
        "h100-sxm": "fp16",
        "h200-sxm": "h100-sxm, fp16",
        "a40": "a100-80gb-sxm, fp16",
        "a100-80gb-sxm": "fp16",
    }
    assert share_of(op("matmul:fp16"), chip("h100-sxm"), SHARES[1]).of == ""


@pytest.mark.parametrize(
    "name, on, message",
    [
        ("matmul", "tpu-v5e", "no calibrated rates of bf16 over hbm; fit them with `roofproof calibrate`"),
        ("axpy", "h100-sxm", "no calibrated rates of .*-vector over hbm"),
        ("softmax", "h100-sxm", "--share needs one compute unit and one memory level"),
        ("stream-copy", "h100-sxm", "has no FLOPs"),
    ],
)
def test_what_is_not_estimated_is_refused(name, on, message):
    with pytest.raises(RoofproofError, match=message):
        share_of(op(name), chip(on), SHARES[1])


def test_a_size_named_as_the_ridge_point_keeps_its_name():
    [c] = keeping(op("bf16[B,R_s], bf16[R_s,F] -> bf16[B,F]"), Share(SHARES[1], "max"))
    assert c.symbol.name == "R_s_"
