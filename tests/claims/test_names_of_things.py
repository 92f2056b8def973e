"""A chip, an operation or a resource is not a number, and a claim that uses its name as one is rejected."""

import pytest

from roofproof.claims.language import Claim
from roofproof.claims.language.book import Unusable, book_from_text
from roofproof.say import translated

BOOK = """
[chips.gpu]
bf16 = "10 TFLOP/s"
hbm = "1 TB/s"

[ops]
mm = "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"
line = "x:bf16[hbm] -> y:bf16[hbm]"
"""
THINGS = [
    ("gpu >= 0", "'gpu' is a chip"), ("intensity(mm) > gpu", "'gpu' is a chip"), ("mm > 3", "'mm' is an operation"),
    ("bytes(matmul) > matmul", "'matmul' is an operation"), ("bf16 > 0", "'bf16' is a resource"),
    ("intensity(mm) > hbm", "'hbm' is a resource"), ("intensity(mm) > h100-sxm", "'h100-sxm' is a chip"),
    ("B > 2 => B > gpu", "'gpu' is a chip"),
]  # fmt: skip


def read(says: str, more: str = "") -> Claim | Unusable:
    [claim] = book_from_text(f"{BOOK}\n[[claim]]\nid = 'a'\nsays = '{says}'\n{more}").claims
    return claim


@pytest.mark.parametrize(("says", "problem"), THINGS)
def test_a_thing_is_no_number(says: str, problem: str) -> None:
    found = read(says)
    assert isinstance(found, Unusable)
    assert f"{problem}, not a number; write a quantity such as " in found.message


def test_a_thing_is_refused_in_chinese() -> None:
    found = read("intensity(mm) > gpu")
    assert isinstance(found, Unusable)
    assert translated(found.message, "zh").endswith(
        "'gpu' 是芯片，不是数；请写明指它的哪个量，例如 ridge(gpu, bf16)，若是自己的名称，请写 given = 'gpu > 0'"
    )


@pytest.mark.parametrize("more", ["let = { T = 'B / bf16' }", "given = 'B > bf16'"])
def test_neither_in_a_value_nor_in_what_is_given(more: str) -> None:
    found = read("B > 0", more)
    assert isinstance(found, Unusable) and "'bf16' is a resource, not a number" in found.message


@pytest.mark.parametrize(
    ("says", "more"),
    [("hbm + 1 > 1", "given = 'hbm > 0'"), ("hbm == 3", "let = { hbm = '3' }"), ("bytes(line) == 4 hbm", ""),
     ("l1 + l2 > l1", ""), ("t4 > a10 or a10 >= t4", ""), ("rate(gpu, hbm) > 0", ""),
     ("tpu - v5e > 0", "given = 'tpu > 0'"), ("weights > 0", ""), ("peak / hbm > 1", "")],
)  # fmt: skip
def test_a_name_that_is_introduced_or_short_is_a_number(says: str, more: str) -> None:
    assert isinstance(read(says, more), Claim)
