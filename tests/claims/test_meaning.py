"""Each claim function has one definition, and its value equals the one derived from the operation and the chip."""

from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import example, given, settings
from hypothesis import strategies as st

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.claims.language.environment import Environment
from roofproof.derive import intensity, lower, ridge, time, upper
from roofproof.derive.roofline.energy import energy
from roofproof.derive.roofline.estimates import estimate, kept
from roofproof.derive.roofline.waves import wave_efficiency, waves
from roofproof.errors import RoofproofError
from roofproof.formula.reader import read_value
from roofproof.hardware import chip, chip_from_text
from roofproof.ops import parse_operation

AMOUNTS, RATES = st.integers(1, 2_000), st.integers(100, 2_000)


@settings(max_examples=12)
@given(st.tuples(*[AMOUNTS] * 4), st.tuples(*[RATES] * 4), st.integers(1, 3))
@example((2, 6, 1, 1), (100, 200, 100, 1_000), 1)
def test_the_times_of_two_formats_on_one_engine_add_up(amounts: tuple, rates: tuple, off: int) -> None:
    """bf16 and int8 share the matrix unit. The vector unit and the memory work in parallel with it."""
    bf16, int8, vector, memory = (Fraction(a, r) for a, r in zip(amounts, rates, strict=True))
    longest, sum_ = max(bf16 + int8, vector, memory), bf16 + int8 + vector + memory
    says = {
        f"lower(mixed, c) == ({longest}) * N": "verified",
        f"lower(mixed, c) == ({longest + Fraction(off, 1000)}) * N": "refuted",
        f"upper(mixed, c) == ({sum_}) * N": "verified",
        f"flops(mixed, int8) / lower(mixed, c) == {amounts[1] / longest}": "verified",
        f"flops(mixed, int8) / lower(mixed, c) == {amounts[1] / longest + off}": "refuted",
    }
    demands = "; ".join(
        f"flops {name} = {a} N" for name, a in zip(("bf16", "int8", "fp32-vector"), amounts, strict=False)
    )
    supplies = zip(("bf16", "int8", "fp32-vector", "hbm"), rates, ("FLOP/s",) * 3 + ("B/s",), strict=True)
    figures = "\n".join(f'{name} = "{rate} {unit}"' for name, rate, unit in supplies)
    claims = "\n".join(f'[[claim]]\nid = "{n}"\nsays = "{one}"' for n, one in enumerate(says))
    book = book_from_text(f'[ops]\nmixed = "{demands}; bytes memory = {amounts[3]} N"\n[chips.c]\n{figures}\n{claims}')
    found = [judge(claim) for claim in book.claims]
    assert [v.kind for v in found] == [*says.values()]
    assert {v.trust for v in found} == {"kernel"}


OPERATIONS = (
    "dot",
    "matmul",
    "softmax",
    "fft",
    "flash-attention:block=128,keys=128",
    "all-reduce:n=8",
    "tiled-matmul:b=128,f=128,d=64",
)
CHIPS = (
    "tpu-v5e",
    "h100-sxm",
    "bf16=25 GFLOP/s, hbm=1 GB/s, l2=3 MB, sms=7 count, energy-hbm=9 pJ/B, energy-bf16=1 pJ/FLOP",
)
OF_BOTH = {
    "lower(op, chip)": lower,
    "lower(op, chip, warm)": lambda op, on: lower(op, on, warm=True),
    "upper(op, chip)": upper,
    "attainable(op, chip)": lambda op, on: op.flops / lower(op, on),
    "time(op, chip, memory)": lambda op, on: time(op, on)["memory"],
    "energy(op, chip)": energy,
    "waves(op, chip)": waves,
    "wave_efficiency(op, chip)": wave_efficiency,
    "estimate(op, chip, max)": lambda op, on: estimate(op, on, "max"),
    "share(op, chip, root)": lambda op, on: kept(op, on, "root"),
    "intensity(op)": lambda op, _: intensity(op).value,
    "ridge(chip, bf16)": lambda _, on: ridge(on, "bf16"),
}


@pytest.mark.parametrize(("operation", "on"), [*product(OPERATIONS, CHIPS)])
def test_a_word_comes_to_what_is_derived(operation: str, on: str) -> None:
    op, machine = parse_operation(operation), chip_from_text(on) if "=" in on else chip(on)
    env = Environment(ops={"op": op}, chips={"chip": machine})
    for word, derived in OF_BOTH.items():
        try:
            expected = derived(op, machine)
        except (RoofproofError, KeyError):
            continue  # this chip has no such time, block or spec
        found = env.to_sympy(read_value(word))
        for seed in range(1, 4):
            sizes = {s.name: 128 * (seed + n) for n, s in enumerate(op.dims)}
            there = [e.subs({s: sizes[s.name] for s in e.free_symbols}) for e in (expected, found)]
            assert sympy.simplify(there[0] - there[1]) == 0, word
