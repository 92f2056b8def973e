"""Answers in Chinese, alone and mixed with English and LaTeX, are read and graded as `reading_zh.toml` has them."""

import tomllib
from functools import cache
from pathlib import Path

import pytest
from in_chinese import in_english

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation
from roofproof.ops.notation.sizes import sizes_from

TABLE = tomllib.loads(Path(__file__).with_name("reading_zh.toml").read_text(encoding="utf-8"))
ROWS = [(e["question"], text, e["grade"], e["read_as"]) for e in TABLE["answers"] for text in e["texts"]]


@cache
def asked(name: str) -> Question:
    op, chip, unknown, regime, at, asks = TABLE["questions"][name]
    sizes = sizes_from([at]) if at else {}
    return Question(parse_operation(op), any_chip(chip) if chip else None, unknown or None, regime or None, sizes, asks)


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("question", "text", "expected", "read_as"), ROWS, ids=lambda _: "")
def test_an_answer_in_chinese_is_graded(question: str, text: str, expected: str, read_as: str) -> None:
    found = grade(asked(question), text)
    assert (found.grade, found.read_as if read_as else "") == (expected, read_as)
    assert not in_english(found, asked(question), text)
