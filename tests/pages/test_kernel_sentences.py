"""Sentences about GPU kernels as a language model writes them, right and wrong: no wrong number passes.

`kernel-sentences.tsv` labels each as right or wrong, as counted by hand. A wrong one has the number of a common
mistake, either in the sentence and its claim or only in the sentence.
"""

import csv
from pathlib import Path

import pytest

from roofproof.pages.judging import judged_page
from roofproof.pages.written import page_from_text

FILE = Path(__file__).parents[1] / "data" / "kernel-sentences.tsv"
ROWS = list(csv.DictReader(FILE.open(encoding="utf-8"), delimiter="\t"))
ALIKE = [ROWS[k :: len(ROWS) // 10] for k in range(len(ROWS) // 10)]


def page(rows: list[dict[str, str]]) -> str:
    blocks = []
    for row in rows:
        options = [f":{name}: {row[name]}" for name in ("op", "chip", "let") if row[name]]
        blocks.append("\n".join(["```{claim}", *options, f":shown: {row['sentence']}", "", row["claim"], "```"]))
    return "\n\n".join(blocks)


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        ("It takes 131 us.", True), ("It takes 0.131 ms.", True), ("它要 131 微秒。", True), ("It takes 131.", True),
        ("It takes 131 us per token.", True), ("It does 131 FLOPs per byte.", False),
        ("It takes 131 ms.", False), ("它要 131 毫秒。", False), ("It moves 131 GB.", False),
    ],
)  # fmt: skip
def test_a_number_is_held_with_its_unit(sentence: str, holds: bool) -> None:
    row = {"op": "", "chip": "", "let": "", "sentence": sentence, "claim": "0.262 ms / 2 == 131 us"}
    [found] = judged_page(page_from_text(page([row]), "page.md"))
    assert found.holds == holds, found.result.problem


@pytest.mark.parametrize(("sentence", "holds"), [
    ("295 FLOPs per byte", True), ("295 FLOPs per second", False), ("295 FLOPs for each byte", True),
    ("295 FLOP/字节", True), ("295 FLOP 每字节", True), ("295 FLOP每字节", True), ("295 FLOP/秒", False),
])  # fmt: skip
def test_per_is_a_stroke_of_a_unit(sentence: str, holds: bool) -> None:
    [found] = judged_page(page_from_text(f"{{claim}}`{sentence} | 989 TFLOP/s / (3.35 TB/s) ~= 295 FLOP/byte`", "a.md"))
    assert found.holds == holds, found.result.problem


@pytest.mark.parametrize(("sentence", "holds"), [("The A100 80GB", True), ("The A100 moves 80GB and", False)])
def test_the_name_of_a_chip_is_no_number(sentence: str, holds: bool) -> None:
    [found] = judged_page(page_from_text(page([
        {"op": "", "chip": "a100-80gb-sxm", "let": "", "sentence": f"{sentence} has a ridge of 153.",
         "claim": "ridge(chip, bf16) ~= 153"}
    ]), "a.md"))  # fmt: skip
    assert found.holds == holds, found.result.problem


def test_there_are_two_hundred() -> None:
    assert len({row["sentence"] + row["claim"] for row in ROWS}) == len(ROWS) >= 200
    assert sum(row["is"] == "wrong" for row in ROWS) >= 90


@pytest.mark.sampled(11)
@pytest.mark.parametrize("rows", ALIKE, ids=range(len(ALIKE)))
def test_a_right_number_passes_and_no_wrong_one_does(rows: list[dict[str, str]]) -> None:
    found = list(judged_page(page_from_text(page(rows), "page.md")))
    told = [(row["sentence"], each.holds, each.result.problem) for row, each in zip(rows, found, strict=True)]
    assert [(s, holds) for s, holds, _ in told] == [(row["sentence"], row["is"] == "right") for row in rows], told
