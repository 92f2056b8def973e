"""Slips: each one of the catalogue is found behind a claim that makes it, and none behind a random number."""

import json

import pytest

from roofproof.claims.judging.judge import judge_with_slip
from roofproof.claims.language import Claim
from roofproof.claims.language.book import book_from_text
from roofproof.claims.slips import CATALOGUE

MM = "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"
BOUND = "compute_bound(matmul, tpu-v5e@scaling-book)"
# slip: a claim that makes it
MADE: dict[str, dict[str, str]] = {
    "sparse-peak": {"says": "ridge(h100-sxm, bf16) ~= 590"},
    "wrong-format": {"says": "rate(t4, fp16) == 260 TFLOP/s"},
    "sku": {"says": "rate(h100-sxm, hbm) == 2.0 TB/s"},
    "directions": {"says": "rate(h100-sxm, pcie) == 32 GB/s"},
    "bytes-per-element": {"says": f'bytes("{MM}") == B D + D F + B F'},
    "write-back": {"says": f'bytes("{MM}") == 2 B D + 2 D F'},
    "multiply-add": {"says": "flops(matmul) == B D F"},
    "footprint-for-traffic": {"says": "bytes(tiled-matmul) == 2 B D + 2 D F + 2 B F"},
    "heads": {"says": "2 n_heads x == 2 x"},
    "layers": {"says": "12 n_layers h^2 == 12 h^2"},
    "ratio-for-share": {"says": "a / (a + b) == a / b"},
    "share-added-to-ratio": {"says": "7 / 12 == 3 / 7"},
    "strictness": {"says": "2 x > 6 <=> x >= 3"},
    "off-by-one": {"says": "smallest(n, 2 n > 8) == 4"},
    "bits-for-bytes": {"says": "100 GB/s == 800 GB/s"},
    "unit-prefix": {"says": "3 GB / (1 GB/s) == 3 ms"},
    "binary-prefix": {"says": "16 GiB == 16 GB"},
    "limit-outside-regime": {"says": "intensity(matmul) == B"},
    "halved-twice": {"says": "max(3, 8) == 4"},
}


def slip_of(says: str, **let: str) -> str | None:
    values = ", ".join(f"{k} = {json.dumps(v)}" for k, v in let.items())
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = {json.dumps(says)}\nlet = {{ {values} }}\n').claims
    assert isinstance(claim, Claim), claim
    found = judge_with_slip(claim)
    assert found.kind == "refuted"
    return found.slip


@pytest.mark.parametrize("slip", MADE)
def test_each_slip_is_found(slip: str) -> None:
    assert slip_of(MADE[slip]["says"]) == slip


def test_every_slip_has_a_claim_that_makes_it() -> None:
    assert set(CATALOGUE) == set(MADE)


@pytest.mark.parametrize(
    ("says", "let", "slip"),
    [
        ("4 == smallest(n, 2 n > 8)", {}, "off-by-one"),  # the wrong value on the left
        ("intensity(matmul) == B", {"D": "4096", "F": "4096"}, "limit-outside-regime"),
        ("intensity(dot) == 1 / 2", {}, "limit-outside-regime"),
        (f"{BOUND} <=> B > 240", {"D": "4096", "F": "4096"}, "limit-outside-regime"),
        (f"smallest(B, {BOUND}) == 241", {"D": "4096", "F": "4096"}, "limit-outside-regime"),
        ('bytes("int8[B] -> int8[B]") == 8 GB', {"B": "2^32"}, "binary-prefix"),
        ('bytes("int8[B] -> int8[B]") == 8 GiB', {"B": "4 * 10^9"}, "binary-prefix"),
    ],
)
def test_however_it_is_said(says: str, let: dict[str, str], slip: str) -> None:
    assert slip_of(says, **let) == slip


@pytest.mark.parametrize(
    "says",
    [
        "flops(matmul) == 17 B D F",
        "ridge(tpu-v5e, bf16) == 7331.25",
        "intensity(matmul) == 5 B D + 3",
        "1234 == 987654",
        "x + y == 31 x y",
        "smallest(n, 2 n > 8) == 77",
    ],
)
def test_none_fits(says: str) -> None:
    """Rather than a guess."""
    assert slip_of(says) == "none fits"


def test_words_for_a_student() -> None:
    for name, slip in CATALOGUE.items():
        assert slip.name == name and slip.says and not slip.says.endswith(".")
