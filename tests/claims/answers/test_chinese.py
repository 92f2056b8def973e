"""Feedback with `--lang zh` is entirely Chinese, for both halves of the corpus and for hostile text."""

import tomllib
from functools import cache
from pathlib import Path

import pytest
from hostile_answers import HOSTILE
from in_chinese import in_english

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.cli import main
from roofproof.commands.bulk import question_of
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation
from roofproof.ops.notation.sizes import sizes_from

HERE = Path(__file__).parent
FILES = ("answers.toml", "held_out.toml")


@cache
def corpus(file: str) -> tuple[tuple[Question, tuple[str, ...]], ...]:
    entries = tomllib.loads((HERE / file).read_text(encoding="utf-8"))["question"]
    return tuple((question_of(e), tuple(a["text"] for a in e["answers"])) for e in entries)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_nothing_is_said_in_english(file: str) -> None:
    assert not {
        answer: lines
        for asked, answers in corpus(file)
        for answer in answers
        if (lines := in_english(grade(asked, answer), asked, answer))
    }


@pytest.mark.sampled(15)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda _: "")
def test_nothing_hostile_is_answered_in_english(text: str) -> None:
    for asked, _ in corpus("answers.toml")[::12]:
        assert not in_english(grade(asked, text), asked, text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--op", "softmaxx"), "未知的算子 'softmaxx'；是不是 'softmax'？"),
        (("--op", "matmul", "--chip", "tpu-v5"), "未知的芯片 'tpu-v5'；是不是 'tpu-v5e' 或 'tpu-v5p'？"),
        (("--op", "matmul", "--for", "Q"), "未知的尺寸 'Q'；已知的有：B, D, F"),
        (("--op", "matmul", "--asks", "time"), "--asks time 需要 --chip"),
        (("--op", "matmul", "--at", "B=0"), "尺寸 'B=0'：应为 名称=正整数，例如 D=4096"),
        (("--op", "matmul", "--hint", "9"), "--hint：应为 1 到 4 的数，得到 '9'"),
        (("--op", "matmul", "--tolerance", "wide"), "容差 'wide'：应为百分比，例如 '10 %'，或 'order of magnitude'"),
    ],
)
def test_errors_of_the_command_are_in_chinese(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", *words, "--answer", "1", "--lang", "zh"]) == 2
    assert capsys.readouterr().err == f"roofproof: {message}\n"


# --- answers in Chinese, also mixed with English and LaTeX, are read and graded as in `reading_zh.toml`


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
