"""Claims about the specs and costs of a chip: named ceilings, counts, energy and its balance point, waves."""

import pytest

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.errors import RoofproofError
from roofproof.hardware import any_chip, chip

BOOK = """
[chips.mine]
bf16 = { default = "1 PFLOP/s", achieved = "0.7 PFLOP/s" }
hbm = { bandwidth = { default = "3 TB/s", achieved = "2.4 TB/s" } }
exp = "4 TFLOP/s"
energy-exp = "8 pJ/FLOP"
energy-fp32-vector = "1 pJ/FLOP"
energy-bf16 = "0.5 pJ/FLOP"
energy-hbm = "31 pJ/B"
sms = "100 count"
fp64 = { default = "2 TFLOP/s", no-simd = "0.5 TFLOP/s" }

[chips.host]
fp64 = "1 TFLOP/s"
dram = { bandwidth = { default = "200 GB/s", one-numa-node = "50 GB/s" } }

[ops]
mm = "tiled-matmul:b=128,f=256,d=64"
flash = "flash-attention:block=128,keys=64"
"""
WAVES = "waves(mm, h100-sxm)"  # 4096/128 x 4096/256 = 512 blocks over 132 SMs
CLAIMS = [
    ("ceiling(h100-sxm, no-fma) == 33.5 TFLOP/s", "verified"),
    ("ceiling(h100-sxm, no-fma) == rate(h100-sxm, fp32-vector)", "refuted"),
    ("ceiling(mine, no-simd) == rate(mine, fp64)/4", "verified"),
    ("ceiling(host, one-numa-node, dram) == 50 GB/s", "verified"),
    ("trait(h100-sxm, sms) == 132", "verified"),
    ("trait(h100-sxm, sms) == 128", "refuted"),
    ("energy(matmul, mine) == 1e-12 B D F + 62e-12 (B D + D F + B F)", "verified"),
    ("energy(matmul, mine) == 1e-12 B D F", "refuted"),
    ("energy(softmax, mine) == (4 B N + 8 B N + 31 * 4 B N)/10^12", "verified"),  # on the vector unit, exponentials
    ("balance(mine, exp) == 31/8 and balance(mine, fp32-vector) == 31", "verified"),
    ("ceiling(mine, achieved, bf16)/rate(mine, bf16) == 0.7", "verified"),  # an efficiency
    ("attainable(mine, bf16, 100) == 3e14 and attainable(mine@achieved, bf16, 400) == 7e14", "verified"),
    ("compute_bound(matmul, mine@achieved) <=> 3 B D F > 875 (B D + D F + B F)", "verified"),  # 700/2.4
    ("compute_bound(matmul, mine@achieved) <=> 3 B D F > 1000 (B D + D F + B F)", "refuted"),
    ("balance(mine, bf16) == 62 and balance(mine, bf16) < ridge(mine, bf16)", "verified"),
    ("waves(mm, mine) == ceil(B F/3276800)", "verified"),
    ("waves(flash, mine) == ceil(h L/12800)", "verified"),
]


def judged(says: str, more: str = "") -> str:
    book = book_from_text(f'{BOOK}\n[[claim]]\nid = "it"\nsays = "{says}"\n{more}')
    return judge(book.claims[0]).kind


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("says", "verdict"), CLAIMS)
def test_what_a_claim_says_of_a_machine_is_judged(says: str, verdict: str) -> None:
    assert judged(says) == verdict


@pytest.mark.parametrize(
    ("says", "verdict"),
    [
        (f"{WAVES} == 4", "verified"),
        (f"{WAVES} == 3", "refuted"),
        ("wave_efficiency(mm, h100-sxm) == 32/33", "verified"),
        ("wave_efficiency(mm, h100-sxm) == 1", "refuted"),
    ],
)
def test_the_last_wave_leaves_some_idle(says: str, verdict: str) -> None:
    assert judged(says, 'let = { B = "4096", D = "4096", F = "4096" }') == verdict


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("ceiling(h100-sxm, no-simd) == 1", "chip 'h100-sxm' has no ceiling 'no-simd'; it has"),
        ("waves(matmul, h100-sxm) == 1", "operation 'matmul' is not in blocks; take one that is, such as tiled-matmul"),
        (
            "energy(matmul, h100-sxm) == 1",
            "has no spec 'energy-bf16'; add it, as --chip \"h100-sxm, energy-bf16=NUMBER pJ/FLOP\"",
        ),
        ("balance(mine, int8) == 1", "chip 'mine' has no spec 'energy-int8'; add it, as --chip"),
    ],
)
def test_what_is_missing_is_named(says: str, message: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        judged(says)
    assert message in str(refused.value)


def test_a_ceiling_of_several_figures_asks_which() -> None:
    mine = any_chip("h100-sxm@no-fma")
    assert mine.rate("fp32-vector").value == chip("h100-sxm").ceiling("no-fma").value
    both = chip("tpu-v5e")
    with pytest.raises(RoofproofError, match=r"'scaling-book' is a ceiling of bf16, int8, .*; name one"):
        both.ceiling("scaling-book")
    assert both.ceiling("scaling-book", "hbm").value == 820 * 10**9
