"""A mistake is named for an inequality where it gives the number that is said, and not where it only makes it true."""

import pytest

from roofproof.claims.judge.judge import judge_with_slip
from roofproof.claims.language.book import book_from_text
from roofproof.errors import RoofproofError
from roofproof.formula.dimensions import dimension_of
from roofproof.formula.reader import read_statement

SIZES = "let = { B = 4096, D = 4096, F = 4096 }"
IN_REGIME = 'regime = "D, F >> B"'
ROWS = [
    ("lower(matmul, h100-sxm) <= 69.5 us", SIZES, "multiply-add-once"),  # half of 138.97 us
    ("lower(matmul, h100-sxm) <= 100 us", SIZES, "none fits"),
    ("lower(matmul, h100-sxm) <= 8 us", SIZES, "none fits"),
    ("lower(matmul, h100-sxm) >= 1 s", SIZES, "none fits"),
    ("1 us < lower(matmul, h100-sxm) < 90 us", SIZES, "none fits"),
    ("flops(matmul) <= B D F", "", "multiply-add-once"),
    ("flops(matmul) <= 2 B D F/3", "", "none fits"),
    ("bytes(matmul) <= 2 B D + 2 D F", "", "dropped-tensor:z"),
    ("B > 120 => compute_bound(matmul, tpu-v5e)", IN_REGIME, "bytes-per-element"),
    ("B > 150 => compute_bound(matmul, tpu-v5e)", IN_REGIME, "none fits"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("says", "fields", "slip"), [pytest.param(*row, id=row[0]) for row in ROWS])
def test_a_mistake_gives_the_number_of_an_inequality(says: str, fields: str, slip: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\n{fields}').claims
    verdict = judge_with_slip(claim)
    assert (verdict.kind, verdict.slip) == ("refuted", slip)


@pytest.mark.parametrize("slip", ["prefix:binary", "dropped-tensor:z", "other-figure:h100-nvl", "a+b"])
def test_a_name_that_is_printed_may_be_written(slip: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "1 == 2"\nexpect = "refuted"\nslip = "{slip}"').claims
    assert claim.slip == slip


@pytest.mark.parametrize(
    "says", ["1 token == 1 GPU", "3 tokens/s == 3 requests/s", "3 tokens + 2 GPU == 5 tokens", "9 cycles < 10 params"]
)
def test_tokens_are_no_chips(says: str) -> None:
    with pytest.raises(RoofproofError, match="they cannot be"):
        dimension_of(read_statement(says))


def test_a_count_that_cancels_is_none() -> None:
    for says in ("2 GPU * 10 tokens/GPU == 20 tokens", "100 tokens == 100", "8 byte/token * 2 tokens == 16 byte"):
        dimension_of(read_statement(says))
