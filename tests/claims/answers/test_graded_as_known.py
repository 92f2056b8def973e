"""A grade rests on proved facts about the answer and the key. A key that differs from the proved one is rejected."""

from dataclasses import replace

import pytest
import sympy

from roofproof import chip, op
from roofproof.claims.answers import proved, question, readings
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Key, Question
from roofproof.claims.answers.readings import denied, equality, prove_or_refute
from roofproof.derive.inequalities.cases import Never
from roofproof.formula.logarithm import log2
from roofproof.proofs.known import PROVED, Known, Unproved

B, D = sympy.symbols("B D", positive=True)
SIZES = {"D": 4096, "F": 4096}


def asked(**more: object) -> Question:
    return Question(op("matmul"), chip("tpu-v5e"), "B", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "answer", "worth", "says"),
    [
        (asked(at=SIZES), "B >= 273", "right", "B >= 273 <=> B > 50432000/185039 where int(B) and B >= 1"),
        (asked(at=SIZES), "B > 250", "wrong", "not(B > 250 <=> B > 50432000/185039) somewhere where int(B) and B >= 1"),
        (asked(at=SIZES), "never", "wrong", "not(false <=> B > 50432000/185039) somewhere where int(B) and B >= 1"),
        (asked(at=SIZES, asks="smallest"), "273", "right", "273 = 273"),
        (
            Question(op("matmul"), at=SIZES, asks="bytes"),
            "2*B*D",
            "wrong",
            "not(8192*B = 33554432 + 16384*B) somewhere",
        ),
        (Question(op("matmul"), asks="flops"), "2*B*(D*F)", "right", "2*B*D*F = 2*B*D*F"),
        (Question(op("dot"), regime="N -> oo"), "1/2", "right", "1/2 = 1/2"),
    ],
)
def test_a_grade_says_what_it_rests_on(question: Question, answer: str, worth: str, says: str) -> None:
    """The bound on B is 50432000/185039 = 272.5, and the bytes are 16384 B + 33554432 at D = F = 4096."""
    found = grade(question, answer)
    assert (found.grade, found.known[0].statement.says) == (worth, says)
    assert {known.trust for known in found.known} == {"kernel"}


def test_what_nobody_found_is_not_known_to_hold() -> None:
    said = equality(sympy.Integer(1), sympy.Integer(1))
    assert readings.holds_of(prove_or_refute(said), said)
    assert not readings.holds_of(Known(said, Unproved("nobody looked")), said)


def test_a_key_taken_from_another_case_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The key is B > R D F/(D F - R (D + F)) when 1/D + 1/F < 1/R. The key of the other case proves nothing."""
    solved = question._solved

    def other(asked: Question) -> Key:
        return replace(solved(asked), threshold=Never(), bare=Never(), label="never")

    monkeypatch.setattr(question, "_solved", other)
    found = grade(asked(), "never")
    assert (found.grade, found.known) == ("undecided", ()) and "differs from the key" in found.note
    proved.unproved.cache_clear()


def test_what_is_not_decided_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readings, "prove_or_refute", lambda said: Known(said, Unproved("nobody looked")))
    found = grade(Question(op("matmul"), asks="flops"), "2BDF")
    assert (found.grade, found.slip) == ("undecided", "")


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (sympy.Max(B, 2 * D), sympy.Max(2 * D, B), True),
        (sympy.Max(B, D), B, False),
        (sympy.sqrt(4 * B), 2 * sympy.sqrt(B), True),
        (B / (B + D), 1 / (1 + D / B), True),
        (sympy.Max(B + D, D) - D, B, True),
        (log2(2 * B), log2(B) + 1, True),
    ],
)
def test_equal_values_have_a_theorem_and_others_a_counterexample(a: sympy.Expr, b: sympy.Expr, same: bool) -> None:
    said = equality(a, b)
    known = prove_or_refute(said)
    assert known.trust in PROVED and known.statement.goal == (said if same else denied(said)).goal


@pytest.mark.parametrize(
    ("answer", "worth"),
    [
        ("B > RDF/(DF - R(D+F)) if 1/D + 1/F < 1/R, otherwise never", "right"),
        ("B > RDF/(DF - R(D+F)) when DF > R(D+F); never otherwise", "right"),
        ("当 1/D + 1/F < 1/R 时，B > RDF/(DF - R(D+F))，否则永远不会", "right"),
        ("B > RDF/(DF - R(D+F)) if 1/D + 1/F > 1/R, otherwise never", "wrong"),
        ("B > RDF/(DF - R(D+F)) if 1/D + 1/F < 1/R, otherwise always", "wrong"),
        ("B > RDF/(DF - R(D+F)) and B >= 1 and 1/D + 1/F < 1/R", "right"),
    ],
)
def test_both_cases_may_be_stated(answer: str, worth: str) -> None:
    """B D F/(B D + D F + B F) > R is equivalent to 1/B < 1/R - 1/D - 1/F."""
    assert grade(Question(op("matmul"), unknown="B"), answer).grade == worth


@pytest.mark.slow
@pytest.mark.parametrize(("answer", "worth"), [("188", "right"), ("187", "wrong")])
def test_a_whole_key_that_was_searched_is_settled_by_its_proof(answer: str, worth: str) -> None:
    edge = chip("bf16=1.2 TFLOP/s, hbm=48 GB/s")
    sizes = {"V": 128, "d": 128, "B": 1024, "L": 4096, "N": 128, "h": 64}
    whole = Question(op("generate"), edge, "t", at=sizes, asks="largest")  # the key is a root, the proof says t <= 188
    assert grade(whole, answer).grade == worth and proved.trust(whole) == "kernel"
