"""Parallelism strategies against the formulas and thresholds of the source, pipelines, and memory capacity."""

import itertools
import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, simplify

from roofproof.derive.roofline.communication import hidden
from roofproof.derive.roofline.memory_fit import capacity
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import RoofproofError
from roofproof.hardware import chip, chip_from_text
from roofproof.ops import from_expressions, parse_operation, shard
from roofproof.ops.network import (
    Ring,
    all_reduce,
    data_parallel,
    expert_parallel,
    footprint,
    fsdp,
    fsdp_tensor_parallel,
    pipeline,
    sharded_einsum,
    tensor_parallel,
)
from roofproof.symbols import dimension, quantity

B, D, F, N, X, Y, Z, k = map(dimension, ["B", "D", "F", "N", "X", "Y", "Z", "k"])
P, W = quantity("P"), quantity("W")
V5E = chip("tpu-v5e")
STRATEGIES = [data_parallel, fsdp, tensor_parallel, fsdp_tensor_parallel]


@pytest.mark.parametrize("make", STRATEGIES)
def test_every_strategy_does_the_whole_work_once(make):
    for part, work in [("forward", 4), ("backward", 8), ("step", 12)]:
        layer = make(part=part)
        assert simplify(layer.flops * layer.mesh.chips - work * B * D * F) == 0


@pytest.mark.parametrize("make", STRATEGIES)
def test_one_chip_sends_nothing(make):
    sizes = {"X": 1, "Y": 1} if make is fsdp_tensor_parallel else ({"Y": 1} if make is tensor_parallel else {"X": 1})
    layer = make(part="step", **sizes)
    assert sum(layer.demand.values()) == 0


def test_a_mix_of_one_is_the_other():
    for part in ("forward", "backward", "step"):
        mixed = fsdp_tensor_parallel(part=part)
        assert simplify(mixed.demand["ici"].subs(Y, 1) - fsdp(part=part).demand["ici"]) == 0
        assert simplify(mixed.demand["ici"].subs(X, 1) - tensor_parallel(part=part).demand["ici"]) == 0


def test_zero_3_sends_half_as_much_again_as_data_parallel():
    """Weights are gathered for both passes and gradients scattered once (Rajbhandari et al., 2020, section 7)."""
    ratio = fsdp(part="step").demand["ici"] / data_parallel(part="step").demand["ici"]
    assert simplify(ratio) == Rational(3, 2)


def test_which_collectives():
    kinds = [[c.kind for c in make(part="step").communications] for make in STRATEGIES]
    assert kinds[0] == ["all-reduce"] * 2
    assert kinds[1] == ["all-gather"] * 2 + ["reduce-scatter", "all-gather"] * 2
    assert kinds[2] == ["all-gather", "reduce-scatter"] * 2


def bound(layer, unknown):
    [case] = [c for c in hidden(layer.operation(), None, unknown).symbolic if c.threshold.kind in ("above", "below")]
    return case.threshold


def test_thresholds_of_the_source():
    R = quantity("R")  # P/W
    over = {"X": Ring(lanes=dimension("M"))}
    M = dimension("M")
    # FSDP: B/X > P/(W M), and exactly B > (X - 1) P/(W M)
    assert simplify(bound(fsdp(over=over), "B").at - (X - 1) * R / M) == 0
    assert simplify(bound(data_parallel(over=over, part="backward"), "B").at - (X - 1) * R / M) == 0
    # tensor parallel: Y < M F/(P/W), and exactly Y < 1 + M F W/P
    below = bound(tensor_parallel(over={"Y": Ring(lanes=M)}), "Y")
    assert below.kind == "below" and simplify(below.at - (1 + M * F / R)) == 0
    # experts: F > (Z - 1)/2 P/W on a ring
    op = expert_parallel().operation()
    [case] = [c for c in hidden(op, None, "F").symbolic if c.threshold.kind == "above"]
    assert simplify(case.threshold.at - (Z - 1) * R / 2) == 0


@pytest.mark.parametrize(("n", "bar"), [(2, "8755.6"), (4, "26266.7"), (8, "61288.9")])
def test_split_of_d_over_a_ring(n, bar):
    exact = 2 * (n - 1) * Fraction(197 * 10**12, 45 * 10**9)
    assert f"{exact.numerator * 10 // exact.denominator + (exact * 10 % 1 >= Fraction(1, 2))}" == bar.replace(".", "")
    operations = [
        shard(parse_operation("matmul"), D=n),
        sharded_einsum("x[B, D_n] * w[D_n, F] -> z[B, F]").operation(),
        from_expressions("split", flops={"bf16": f"2 B D F / {n}"},
                                   bytes={"ici": all_reduce(n, 2 * B * F).demand["ici"]}),
    ]  # fmt: skip
    for op in operations:
        found = [c for c in hidden(op, V5E, "D").cases if c.threshold.kind == "above"]
        [case] = found
        assert case.threshold.strict
        assert Fraction(*map(int, case.threshold.at.subs(dimension("n"), n).as_numer_denom())) == exact
        symbolic = next(c for c in hidden(op, V5E, "D").symbolic if c.threshold.kind == "above").threshold.at
        assert simplify(symbolic.subs(dimension("n"), n) - 2 * (n - 1) * quantity("R")) == 0


# --- pipelines --------------------------------------------------------------------------------------------


@given(st.integers(1, 9), st.integers(1, 20))
def test_a_pipeline_played_through(p, m):
    """Stage s starts microbatch i after stage s - 1 has finished it and stage s has finished i - 1."""
    done = {}
    for i, s in itertools.product(range(m), range(p)):
        done[i, s] = max(done.get((i - 1, s), 0), done.get((i, s - 1), 0)) + 1
    slots = max(done.values())
    found = pipeline(p, m)
    assert found.slots == slots
    assert found.bubble == Rational(slots - m, slots)
    assert found.overhead == Rational(slots - m, m)
    assert found.slowdown * m == slots


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: supply(chip("h100-sxm@both-directions"), "nvlink"),
         "spec 'nvlink' of 'h100-sxm@both-directions' counts both directions (total bidirectional; NVLink4 18 "
         "links x 50 GB/s; printed 900 GB/s); expected one direction, half of it"),
        (lambda: hidden(parse_operation("matmul"), V5E, "B"),
         "matmul: hiding a link behind compute needs one of each; it has bf16 and no link"),
        (lambda: hidden(shard(parse_operation("matmul"), D=2), V5E, "Q"), "unknown dimension 'Q'; known: B, D, F"),
        (lambda: fsdp(part="sideways"),
         "unknown part of a step 'sideways'; known: backward, forward, step"),
        (lambda: fsdp(16, Ring(chips=8)), "mesh X=16 has 16 chips; ring over ici joins at most 8"),
        (lambda: footprint("N", optimiser="adm"), "unknown optimiser 'adm'; did you mean 'adam'?"),
        (lambda: footprint("N", other={"weights": 1}),
         "'weights' is in the footprint already; give it another name"),
        (lambda: footprint("N", whole=("cache",)), "unknown part of the footprint 'cache'; known: weights"),
        (lambda: capacity(footprint(10**10, whole=("weights",)), V5E),
         "each chip holds 20000000000 bytes whole; tpu-v5e has hbm = 1.6e10 B, so no number of chips is "
         "enough"),
        (lambda: capacity(footprint(8 * 10**9, whole=("weights",), other={"cache": 1}), V5E),
         "what each chip holds whole fills the memory of tpu-v5e (hbm = 1.6e10 B)"),
    ],
)  # fmt: skip
def test_what_is_refused(call, message):
    with pytest.raises(RoofproofError, match="^" + re.escape(message) + "$"):
        call()


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(1, 10**6), st.integers(0, 10**6))
def test_the_smallest_number_of_chips(parameters, cache, room, whole):
    mine = chip_from_text(f"bf16=1e6 FLOP/s, hbm=1e6 B/s, capacity-hbm={room} B")
    held = footprint(parameters, "int8", other={"cache": cache, "whole": whole}, whole=("whole",))
    if whole >= room:
        with pytest.raises(RoofproofError):
            capacity(held, mine)
        return
    found = capacity(held, mine).chips
    fits = lambda n: Fraction(parameters + cache, n) + whole <= room  # noqa: E731
    assert fits(found) and (found == 1 or not fits(found - 1))
    assert found == -(-(parameters + cache) // (room - whole))


def test_capacity_in_symbols_and_powers_of_two():
    found = capacity(footprint("N", optimiser="adam"), V5E)
    assert found.chips is None and found.power_of_two is None
    assert "N" in str(found.cases)
    many = capacity(footprint(70 * 10**9, "bf16", optimiser="adam"), V5E)
    assert (many.chips, many.power_of_two) == (44, 64)  # 700 GB over 16 GB: 43.75
