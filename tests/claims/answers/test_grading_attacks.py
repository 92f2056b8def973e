"""Answers that attack the grader are graded by the policy: none is read wrong, accepted falsely or blamed falsely."""

import tomllib
from pathlib import Path

import pytest
from in_chinese import in_english

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.answers.reading import read_answer
from roofproof.claims.answers.tokens import Unreadable
from roofproof.commands.questions import question_of
from roofproof.export.explain.grade import grade_text
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation

FILES = (Path(__file__).with_name(name) for name in ("attacks.toml", "fresh.toml"))
TABLE, FRESH = (tomllib.loads(file.read_text(encoding="utf-8"))["question"] for file in FILES)


@pytest.mark.sampled(37)
@pytest.mark.parametrize(
    "entry", TABLE, ids=lambda e: "-".join((e["op"].partition(":")[0], e.get("chip", "any"), e.get("asks", "")))
)
def test_answers_are_graded_by_the_policy(entry: dict) -> None:
    asked = Question(
        parse_operation(entry["op"]), any_chip(entry["chip"]) if "chip" in entry else None, entry.get("unknown"),
        entry.get("regime"), entry.get("at", {}), entry.get("asks", ""), entry.get("tolerance", "digits"),
    )  # fmt: skip
    assert differences(asked, entry["answers"]) == []


@pytest.mark.sampled(17)
@pytest.mark.parametrize("entry", FRESH, ids=lambda e: f"{e['op'].partition(':')[0]}-{e.get('asks', '')}")
def test_answers_to_other_operations_are_graded_by_the_policy(entry: dict) -> None:
    answers = entry["answers"]
    assert differences(question_of({k: v for k, v in entry.items() if k != "answers"}), answers) == []


def differences(asked: Question, answers: list[str]) -> list[tuple[str | int, ...]]:
    """Return the answers that are graded differently from their label. Their Chinese feedback has no English."""
    apart: list[tuple[str | int, ...]] = []
    for line in answers:
        text, grades, slip, link = [*line.split(" | "), "", ""][:4]
        found = grade(asked, text)
        named = found.slip.partition(":")[0]
        ok = found.grade in grades.split(",") and (not slip or named == slip.replace("-", "", slip == "-"))
        if not ok or found.wrong_link != int(link or (found.wrong_link if found.grade == "wrong" else 0)):
            apart.append((line, found.grade, found.slip, found.read_as, found.wrong_link, found.note))
        assert not in_english(found, asked, text)
    return apart


READ = [  # the letters of the question, the text, how it is read
    ("time", {"s", "k", "h"}, "10.3 us", "T = 10.3 us"),
    ("time", {"B"}, r"10.3\,\mu s", "T = 10.3 µs"),
    ("flops", {"s", "k", "h"}, "2sk-kh", "FLOPs = 2 s k - k h"),
    ("bytes", {"N"}, "24 KB", "bytes = 24 kB"),
    ("flops", {"N"}, r"5N\log_2 N", "FLOPs = 5 N log2(N)"),
    ("flops", {"B", "N"}, "5BN FLOP/s", "FLOPs = 5 B N FLOP/s"),
    ("time", {"B"}, "8.333e-5 min", "T = 8.333e-5 minute"),
    ("time", {"B"}, "max(2B/3, 10.3) us", "T = max(2 B/3, 10.3) us"),
    ("intensity", {"I", "J"}, "I = IJ/(I + J)", "I = I J/(I + J)"),
]


@pytest.mark.parametrize(("asks", "names", "text", "read"), READ)
def test_answers_are_read_as_a_person_reads_them(asks: str, names: set[str], text: str, read: str) -> None:
    assert str(read_answer(text, names, asks)) == read


REFUSED = [  # texts that can be read in two ways
    ("time", {"N"}, None, "N/2×10^11", "'N/2*10^11' can be read two ways; write '(N/2)*10^11' or 'N/(2*10^11)'"),
    (
        "time",
        {"N"},
        None,
        "2N/989 TFLOP/s",
        "'2N/989 TFLOP/s' can be read two ways; write '(2N/989) TFLOP/s' or '2N/(989 TFLOP/s)'",
    ),
    ("time", {"N"}, None, "3 / 5 GB/s", "'3/5 GB/s' can be read two ways; write '(3/5) GB/s' or '3/(5 GB/s)'"),
    ("intensity", {"N"}, None, "0,167", "is 0,167 one number? write it with a decimal point: 0.167"),
    ("threshold", {"B", "D"}, "B", "B => 319", "'=>' has two readings; write >="),
    ("threshold", {"B", "D"}, "B", "D = 318", "expected B, got D = ..."),
    ("threshold", {"B", "D", "F"}, "B", "B > D*F*", "the text is incomplete"),
    ("flops", {"N"}, None, "log2", "log2 has no argument; write log2(...)"),
    ("flops", {"N", "M"}, None, "log2 N M", "log2 has no argument; write log2(...)"),
    ("bound", {"B"}, None, "about memory-bound", "memory-bound cannot be combined with the other words"),
    ("threshold", {"B"}, "B", "240, 300", "two numbers; expected one"),
    ("threshold", {"B"}, "B", "B > 1, 024", "two numbers; expected one"),
    ("intensity", {"B"}, None, "1/2; 3", "two numbers; expected one"),
    ("threshold", {"B"}, "B", "never or always", "'or' is not understood; the sizes are B"),
]


@pytest.mark.parametrize(("asks", "names", "unknown", "text", "why"), REFUSED)
def test_what_has_two_readings_is_refused(asks: str, names: set[str], unknown: str, text: str, why: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_answer(text, sorted(names), asks, unknown)
    assert str(refused.value) == why


def test_a_comma_without_a_blank_groups_digits() -> None:
    for text in ("10,200", "10 200"):
        assert str(read_answer(text, "B", "threshold", "B")) == "B = 10200"
    assert str(read_answer("max(3, 4)", "B", "threshold", "B")) == "B = max(3, 4)"


def test_never_memory_bound_is_always_compute_bound_where_no_link_is_crossed() -> None:
    sizes = {"L": 4096, "k": 128}
    alone = Question(parse_operation("flash-attention"), any_chip("tpu-v5e"), "h", None, sizes)
    shared = Question(parse_operation("tensor-parallel"), any_chip("tpu-v5e"), "Y", None, {"D": 4096, "F": 16384})
    for text in ("never memory-bound", "永远不会访存受限"):
        assert (grade(alone, text).grade, grade(alone, text).read_as) == ("right", "always")
        assert grade(shared, text).grade == "unreadable" and "a link" in grade(shared, text).note


def test_the_forms_that_are_shown_are_near_what_was_typed_and_are_read() -> None:
    asked = Question(parse_operation("matmul"), any_chip("tpu-v5e"), "B", asks="rule")
    typed = {
        "250ish": "B > 250, 250",
        "B < 250 or so on": "B < 250, 250",
        "1/0": "B > 240, never",
        "?": "B > 240, never",
    }
    for text, forms in typed.items():
        found = grade(asked, text)
        assert found.grade == "unreadable" and grade_text(found, asked).endswith(f"accepted forms: {forms}")
        assert all(grade(asked, form).grade != "unreadable" for form in forms.split(", "))


def test_a_condition_alone_is_the_answer() -> None:
    asked = Question(parse_operation("matmul"), any_chip("tpu-v5e"), "B", asks="rule")
    assert (grade(asked, "当 B > 240").grade, grade(asked, "当 B > 120").grade) == ("right", "wrong")


def test_what_a_slip_gives_exactly_is_no_rounding() -> None:
    """x, w and z take 2 (5000 + 15000 + 300) = 40600 bytes. Without z it is 40000, which is not a rounded value."""
    asked = Question(parse_operation("matmul"), asks="bytes", at={"B": 10, "D": 500, "F": 30})
    assert [(found.grade, found.slip) for found in (grade(asked, text) for text in ("40000", "41000", "4e4"))] == [
        ("close", "dropped-tensor:z"), ("digits", ""), ("close", "dropped-tensor:z"),
    ]  # fmt: skip


def test_a_boundary_value_that_is_an_integer_is_in_or_out() -> None:
    """B FLOPs over 1 byte, with a ridge point of 256: compute-bound if B > 256, but not at 256."""
    asked = Question(parse_operation("flops bf16 = B; bytes hbm = 1"), any_chip("bf16=256 FLOP/s, hbm=1 B/s"), "B")
    right, close = ("B > 256", "256", "B >= 257", "257"), ("B >= 256", "B > 257")
    assert {grade(asked, text).grade for text in right} == {"right"}
    assert {grade(asked, text).grade for text in close} == {"close"}
