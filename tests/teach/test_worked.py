"""The derivation of a question: each line is proved or given, the last one is the key, and there are two hints."""

import re
from dataclasses import replace

import pytest

from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.answers.worked import MOST, Worked, worked
from roofproof.export.banks._solution import hints
from roofproof.export.explain.worked import explain_worked
from roofproof.export.to_latex import to_latex
from roofproof.export.to_text import inline_text, untitled_text
from roofproof.proofs.known import GIVEN, PROVED, Known, Unwarranted
from roofproof.teach import Exercise, bank, variants
from roofproof.teach.bank_file import shipped
from roofproof.teach.marked_text import unmarked_text

EVERY = [(name, exercise) for name in shipped() for exercise in bank(name).exercises]


def lines(asked: Question, lang: str = "en") -> list[tuple[str, str]]:
    """Return the lines of a derivation as text, each with its reason."""
    rows = explain_worked(asked).sections[0].rows
    return [(inline_text(row.left, lang), inline_text(row.right, lang)) for row in rows]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("pair", EVERY, ids=lambda pair: f"{pair[0]}/{pair[1].id}")
def test_a_solution_is_a_derivation_of_its_question(pair: tuple[str, Exercise]) -> None:
    (made,) = variants(pair[1], 1, seed=5)
    found = worked(made.asked)
    assert 2 <= len(found.lines) <= MOST
    for line in found.lines:
        assert isinstance(line.known, Known) and line.known.trust in (*PROVED, *GIVEN), line
    if found.lines[0].sides[-1:] != found.lines[-1].sides[-1:]:  # otherwise the first line already gives the key
        with pytest.raises(Unwarranted, match="is not one of the key"):
            Worked(made.asked, found.lines[:1])
    for lang in ("en", "zh"):
        said = [unmarked_text(hint) for hint in hints(made, lang)]
        assert len(said) >= 2 and len(set(said)) == len(said)
        assert not any(grade(made.asked, hint.rstrip(".。")).passed for hint in said), (said, made.key)
        for line, why in lines(made.asked, lang):
            assert line and why and not re.search(r"<[a-z-]+>|[{]", line + why)
        assert ("运算量" in untitled_text(explain_worked(made.asked), lang)) <= (lang == "zh")
        to_latex(explain_worked(made.asked), lang)


def test_a_solution_is_pinned() -> None:
    one = next(e for name, e in EVERY if (name, e.id) == ("rooflines", "q2-rule"))
    (made,) = variants(one)
    assert [" | ".join(line) for line in lines(made.asked, "zh")] == [
        "运算量 = 2*B*D*F | 每次乘加 2 FLOP",
        "字节数 = D*F + 2*B*D + 2*B*F | x, w, z 各搬运一次",
        "I = 2*B*D*F/(D*F + 2*B*D + 2*B*F) | 运算量除以字节数",
        "R = 1.97e14/8.2e11 = 9850/41 ≈ 240.24 | 临界强度：峰值算力除以带宽",
        "I -> 2*B | 当 D, F >> B",
        "B > 4925/41 ≈ 120.12 | 由 I > R 解出 B",
    ]


def test_a_threshold_of_a_chip_without_other_sizes_is_told() -> None:
    asked = Question(op("flash-attention"), chip("h100-sxm"), "L")  # L/2 > 295.22
    assert [line for line, _ in lines(asked)][-2:] == ["L > 2*R", "L > 39560/67 ≈ 590.45"]


def test_a_line_of_another_size_is_no_key() -> None:
    one = next(e for name, e in EVERY if (name, e.id) == ("rooflines", "q3-exact"))
    asked = variants(one)[0].asked
    other = replace(asked, at={"D": 1024, "F": 1024})
    with pytest.raises(Unwarranted):
        Worked(other, worked(asked).lines)


def test_an_intensity_at_some_of_its_sizes_is_derived() -> None:
    asked = Question(op("matmul"), asks="intensity", at={"D": 4, "F": 4})
    assert lines(asked)[-1][0].startswith("I = 2*B*4*4/(2*B*4 + 2*B*4 + 2*4*4) = 16*B/(8*B + 16)")


def test_factors_do_not_stand_beside_each_other_as_one_number() -> None:
    text = to_latex(explain_worked(Question(op("decode-attention"), asks="flops")))  # two FLOPs for each of 2 B S g k r
    assert r"\text{FLOPs} = 2 \cdot 2 B S g k r = 4BSgkr$" in text
    shares = to_latex(explain_worked(Question(op("matmul"), asks="flops", at={"B": 10**9, "D": 4096, "F": 4096})))
    assert r"& substitute $B = \num{1e9}$, $D = 4096$, $F = 4096$ \\" in shares
