"""Times of sequences lie in order, and assumptions about sizes are listed and checked."""

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import chip, op
from roofproof.derive import lower, sequential, time, upper
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.critical_size import threshold
from roofproof.derive.roofline.memory_fit import requirements
from roofproof.errors import RoofproofError
from roofproof.hardware import chip_from_text
from roofproof.ops import Operation, entries, fuse, repeat, then
from roofproof.ops.combine import added
from roofproof.ops.operation import one_kernel

SEQUENCES = sorted(name for name, entry in entries().items() if entry().parts)
amounts = st.integers(0, 50)
demands = st.builds(
    lambda flops, moved: one_kernel("any", work={"bf16": flops}, links={"memory": moved}), amounts, amounts
)
chips = st.builds(
    lambda peak, rate: chip_from_text(f"bf16={peak} FLOP/s, hbm={rate} B/s"), st.integers(1, 9), st.integers(1, 9)
)


@pytest.mark.parametrize("name", SEQUENCES)
def test_the_parts_of_a_sequence_are_the_whole(name: str) -> None:
    whole = op(name)
    parts = added(part.demands for part in whole.parts)
    assert set(parts) == set(whole.demands)
    assert all(sympy.expand(parts[r] - amount) == 0 for r, amount in whole.demands.items())


@given(st.lists(demands.filter(lambda d: d.demands), min_size=1, max_size=4), chips)
def test_overlap_in_parts_lies_between_all_and_none(operations: list[Operation], on) -> None:
    sequence = then(*operations)
    of_parts = sum(max(time(part, on).values()) for part in operations)
    assert sequential(sequence, on) == of_parts
    assert lower(sequence, on) <= of_parts <= upper(sequence, on)
    assert sequential(repeat(sequence, 3), on) == 3 * of_parts
    assert sequential(then(sequence, sequence), on) == 2 * of_parts


@settings(max_examples=25)
@given(st.integers(1, 99), st.integers(1, 99), st.integers(1, 99), chips)
def test_a_fused_kernel_overlaps_as_a_whole(B: int, D: int, F: int, on) -> None:
    up, down = op("x:bf16[B,D], u:bf16[D,F] -> h:bf16[B,F]"), op("h:bf16[B,F], v:bf16[F,D] -> y:bf16[B,D]")
    sizes = {"B": B, "D": D, "F": F}
    one, two = fuse(up, down), then(up, down)
    assert substitute(sequential(one, on), sizes) == substitute(lower(one, on), sizes)
    assert substitute(sequential(one, on), sizes) <= substitute(sequential(two, on), sizes)


def test_on_paper() -> None:
    """For 4 and 3 s, then 1 and 4 s: 4 + 4 in sequence, max(5, 7) with full overlap, 12 without overlap."""
    on = chip_from_text("bf16=1 FLOP/s, hbm=1 B/s")
    sequence = then(op("flops bf16 = 4; bytes memory = 3"), op("flops bf16 = 1; bytes memory = 4"))
    assert (lower(sequence, on), sequential(sequence, on), upper(sequence, on)) == (7, 8, 12)


# --- assumptions --------------------------------------------------------------------------------------------------


def test_what_is_assumed_is_told() -> None:
    v5e = chip("tpu-v5e")
    assert [plain(r) for r in requirements(op("fsdp"), v5e)] == ["X divides B", "X divides D"]
    assert [plain(r) for r in requirements(op("tiled-matmul:b=128,f=128"), None)] == [
        "128 divides B", "128 divides F", "t divides D",
    ]  # fmt: skip
    assert requirements(op("matmul"), v5e) == ()


@pytest.mark.parametrize(
    ("operation", "sizes", "message"),
    [
        ("sharded-matmul:n=4", {"D": 10}, "at D=10: sharded-matmul assumes that 4 divides D, which is false"),
        ("fsdp", {"B": 8, "X": 3}, "at B=8, X=3: fsdp forward assumes that X divides B, which is false"),
        ("tiled-matmul:b=8192,f=8192,d=128", {},
         "the blocks of tiled-matmul take 138412032 bytes, and vmem of tpu-v5e holds 134217728; give smaller blocks"),
        ("tiled-matmul:b=8192,f=4096", {"t": 4096, "D": 4096},
         "at t=4096: the blocks of tiled-matmul take 167772160 bytes, and vmem of tpu-v5e holds 134217728; "
         "give smaller blocks"),
    ],
)  # fmt: skip
def test_sizes_that_break_an_assumption(operation: str, sizes: dict[str, int], message: str) -> None:
    unknown = "F"
    with pytest.raises(RoofproofError) as caught:
        threshold(op(operation), chip("tpu-v5e"), unknown, sizes)
    assert str(caught.value) == message
