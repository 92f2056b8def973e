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


@cache
def asked(name: str) -> Question:
    op, chip, unknown, regime, at, asks = TABLE["questions"][name]
    sizes = sizes_from([at]) if at else {}
    return Question(parse_operation(op), any_chip(chip) if chip else None, unknown or None, regime or None, sizes, asks)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("entry", TABLE["answers"], ids=lambda entry: f"{entry['question']}-{entry['grade']}")
def test_answers_in_chinese_are_graded(entry: dict) -> None:
    question, expected = asked(entry["question"]), (entry["grade"], entry["read_as"])
    found = {text: grade(question, text) for text in entry["texts"]}
    told = {text: (f.grade, f.read_as if entry["read_as"] else "") for text, f in found.items()}
    assert told == dict.fromkeys(entry["texts"], expected)
    assert not [text for text, f in found.items() if in_english(f, question, text)]
