"""The feedback with a grade teaches, in both languages, and gives the right answer away only on request."""

import pytest

from roofproof import chip, op
from roofproof.claims.answers import grade as grading
from roofproof.claims.answers import proved
from roofproof.claims.answers.feedback import at_a_point, solution
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import ASKS, SOLVED, Question
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.explain.grade import grade_text, hints
from roofproof.export.grade_records import grade_record
from roofproof.export.numbers import about
from roofproof.export.to_text import inline_text

V5E, MATMUL = chip("tpu-v5e"), op("matmul")
LARGE = {"D": 4096, "F": 4096}
NUMERIC = {
    "272.5": Question(MATMUL, V5E, "B", "D, F >> B", LARGE),
    "273": Question(MATMUL, V5E, "B", "D, F >> B", LARGE, "smallest"),
    "240.5": Question(MATMUL, V5E, "B", "D, F >> B", asks="rule"),
    "240.53": Question(MATMUL, V5E, asks="ridge"),
    "4.099": Question(MATMUL, V5E, asks="time", at={"B": 1, **LARGE}),
    "35651584": Question(MATMUL, asks="bytes", at={"B": 128, **LARGE}),
    "4294967296": Question(MATMUL, asks="flops", at={"B": 128, **LARGE}),
}
WRONG = ("7", "0", "-3", "481", "128", "1e6", "3e-9", "1/2", "739.13", "D", "B > D/2", "BDF", "B < 100", "never",
         "2BD + 2DF", "0.00416", "8.5899e9")  # fmt: skip


TIMED = Question(MATMUL, V5E, asks="time", at={"B": 128, **LARGE})
SHOWN = [  # the right answer in lowest terms, with decimals if it is a fraction, a time with its unit
    (Question(MATMUL, V5E, "B", None, LARGE), "B > 128", "the right answer: B > 50432000/185039 ≈ 272.55"),
    (Question(MATMUL, V5E, "B"), "B > 128",
     "the right answer: B > 197000*D*F/(819*D*F - 197000*D - 197000*F) when 1/D + 1/F < 819/197000"),
    (TIMED, "1 s", "the right answer: 69632/1599609375 s ≈ 43.53 us"),
    (Question(MATMUL, V5E, "B", None, LARGE, "smallest"), "7", "the right answer: 273"),
    (Question(MATMUL, V5E, asks="bound", at={"B": 128, **LARGE}), "compute-bound", "the right answer: memory-bound"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("asked", "answer", "said"), SHOWN)
def test_the_right_answer_is_told_as_a_person_writes_it(asked: Question, answer: str, said: str) -> None:
    assert f"  {said}" in grade_text(grade(asked, answer), asked, reveal=True).splitlines()
    assert inline_text(hints(grade(asked, answer), asked)[3]) == said


def test_the_hints_to_a_word_are_about_two_times_and_names_are_listed_in_chinese() -> None:
    asked = Question(MATMUL, V5E, asks="bound", at={"B": 128, **LARGE})
    assert "look at the two times" in grade_text(grade(asked, "compute-bound"), asked, hint=1)
    told = grade_text(grade(Question(MATMUL, V5E, "B"), "B > 7"), Question(MATMUL, V5E, "B"), "zh")
    assert "正确答案还与 D、F 有关" in told and "当 D = 4096、F = 4096 时" in told


@pytest.mark.sampled(17)
@pytest.mark.parametrize("key", NUMERIC)
@pytest.mark.parametrize("answer", WRONG)
def test_a_number_that_is_asked_for_is_not_given_away(key: str, answer: str) -> None:
    asked = NUMERIC[key]
    found = grade(asked, answer)
    assert found.grade in ("wrong", "close", "unreadable")
    whole = solution(asked).rpartition(" ")[2]  # B > 50432000/185039
    for lang in ("en", "zh"):
        told = [grade_text(found, asked, lang), *(grade_text(found, asked, lang, hint=k) for k in (1, 2, 3))]
        for secret in (key, whole, about(asked.key.value) if asked.key.value else whole):
            assert not any(secret in text for text in told)
        if found.grade != "unreadable":
            assert all(whole in grade_text(found, asked, lang, **more) for more in ({"hint": 4}, {"reveal": True}))


def told(asked: Question, answer: str, lang: str = "en", hint: int | None = None) -> list[str]:
    return [line.strip() for line in grade_text(grade(asked, answer), asked, lang, hint).splitlines()[2:]]


BYTES, FLOPS = Question(MATMUL, asks="bytes"), Question(MATMUL, asks="flops")
INTENSITY = Question(MATMUL, asks="intensity", regime="D, F >> B")
OBSERVED = [
    (NUMERIC["240.53"], "962.2", "it is 4 times as large as the right answer"),  # 4 times 240.54
    (NUMERIC["240.53"], "80.18", "the right answer is 3 times as large"),
    (NUMERIC["240.53"], "284.1", "it is too large by 18 %"),  # 284.1/240.54 = 1.181
    (NUMERIC["272.5"], "B < 100", "the inequality points the other way"),
    (NUMERIC["272.5"], "never", "there are sizes at which it holds"),
    (NUMERIC["240.5"], "B > D/2", "the right answer does not depend on D"),
    (BYTES, "2BD + 2DF + 2BF + 6BF", "what is too much: 6*B*F"),
    (BYTES, "B D F + 2 B D", "at B = 256, D = 4096, F = 4096 yours gives 4297064448, the right one 37748736"),
    (INTENSITY, "BDF/(BD + DF + BF + F)", "the two formulas agree for large D"),  # both tend to B F/(B + F)
]


@pytest.mark.parametrize(("asked", "answer", "line"), OBSERVED)
def test_what_is_said_where_no_slip_fits(asked: Question, answer: str, line: str) -> None:
    assert line in told(asked, answer)


def test_a_term_is_named_only_where_the_rest_is_right() -> None:
    for asked, answer in ((BYTES, "0"), (BYTES, "BD"), (FLOPS, "-D")):  # naming all of it would give the key
        assert not any("missing" in line for line in told(asked, answer))
    said = grade_text(grade(BYTES, "2BD + 2DF"), BYTES).splitlines()[0]
    assert said == "Wrong. Probable mistake: the bytes of z were not counted"


def test_hints_teach_step_by_step() -> None:
    assert told(NUMERIC["240.53"], "777", hint=4)[0] == "no common mistake gives this answer"
    assert told(NUMERIC["240.53"], "777", hint=3) == [
        "look at the specs of the chip",
        "which peak and which bandwidth does this operation use, and in which direction?",
        "it is too large; "
        "take the peak of the format that is multiplied, and the bandwidth of the level that is crossed",
    ]
    assert told(NUMERIC["240.53"], "777", "zh", 3) == [
        "检查芯片的规格",
        "这个算子用的是哪个峰值算力、哪个带宽、哪个方向？",
        "偏大；取所用数值格式的峰值算力，以及数据经过的那一级的带宽",
    ]
    for lang in ("en", "zh"):
        lines = [grade_record(grade(FLOPS, "BDF"), FLOPS, lang)["hints"]]
        assert all(len(set(each)) == 4 and all(each) for each in lines)


def test_two_slips_are_told_as_one_sentence() -> None:
    found = grade(BYTES, "BD + DF")
    assert grade_text(found, BYTES).splitlines()[0] == (
        "Wrong. Probable mistake: elements were counted as one byte each; and the bytes of z were not counted"
    )
    chinese = grade_text(found, BYTES, "zh").splitlines()[0]
    assert chinese.endswith("可能的错误：把每个元素当成了一个字节；并且没有计入 z 的字节数")


def test_what_was_right_before_a_wrong_link_is_said() -> None:
    lines = told(INTENSITY, "2BDF/(2BD + 2DF + 2BF) = BDF/(BD + DF + BF) = BD/F")
    assert lines[0].startswith("equation 3 of the chain is wrong: ")
    assert lines[1].startswith("up to there it is right: ")
    assert not any("up to there" in line for line in told(INTENSITY, "BD/F = BDF/(BD + DF + BF)"))


def test_notes_are_told_in_both_languages() -> None:
    assert told(BYTES, "3 ms") == ["ms is not a unit of this quantity"]
    assert told(BYTES, "3 ms", "zh") == ["ms 不是所问的量的单位"]
    asked = Question(MATMUL, V5E, "B", "D, F >> B")
    right = "197000*D*F/(819*D*F - 197000*D - 197000*F)"
    assert told(asked, right) == ["it holds when 1/D + 1/F < 819/197000"]
    assert told(asked, right, "zh") == ["成立的条件：1/D + 1/F < 819/197000"]


def test_without_a_chip_no_number_stands_for_the_ridge_point() -> None:
    asked = Question(MATMUL, None, "B", "D, F >> B", asks="rule")
    assert at_a_point(grade(asked, "B > 2R"), asked) is None
    assert not any(line.startswith("at ") for line in told(asked, "B > 2R"))


def test_sizes_are_those_that_a_person_would_choose() -> None:
    layer = Question(op("transformer-layer"), asks="flops")
    point = at_a_point(grade(layer, "12 L d^2"), layer)
    assert point is not None and point[0] == {"L": 2048, "d": 4096}


@pytest.mark.parametrize(("how", "why"), [("sampled", "the right answer is not proved: sampled"), (None, "no proof")])
def test_a_key_whose_proof_fails_grades_nothing(how: str | None, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def trust(asked: Question) -> str:
        if how is None:
            raise RoofproofError("no proof")
        return how

    monkeypatch.setattr(proved, "trust", trust)
    asked = Question(MATMUL, asks="bytes")
    for answer in ("2BD + 2DF + 2BF", "BD", "5"):
        found = grading.grade(asked, answer)
        assert (found.grade, found.note, found.slip, found.passed) == ("undecided", why, "", False)
    assert grade_text(found, asked).splitlines() == [
        "Undecided: whether this is right could not be proved.",
        "  read as: bytes = 5",
        f"  why: {why}",
    ]
    assert grade_record(found, asked)["trust"] == "undecided"


def test_a_question_whose_key_cannot_be_derived_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["grade", "--op", "matmul", "--asks", "largest", "--for", "B", "--chip", "tpu-v5e", "--answer", "5"]) == 2
    )
    shown = capsys.readouterr()
    assert (shown.out, shown.err.count("\n")) == ("", 1)
    assert "give it with --at" in shown.err


@pytest.mark.parametrize("asks", ASKS)
def test_forms_that_are_read_are_shown_whatever_is_asked(asks: str) -> None:
    """An unreadable answer to a share once ended in a traceback."""
    unknown = "B" if asks in SOLVED else None
    whole = op("ffn") if asks == "share" else None
    sizes = {"B": 8, "D": 4096, "F": 4096} if asks == "bound" else {"D": 4096, "F": 4096}
    far = "" if asks == "bound" else "D, F >> B"
    asked = Question(op("matmul"), chip("tpu-v5e"), unknown, far, sizes, asks, whole=whole)
    for lang, said in (("en", "accepted forms"), ("zh", "可以读懂的写法")):
        assert said in grade_text(grade(asked, "3:4"), asked, lang)


def test_an_intensity_whose_limit_turns_on_the_order_of_growth_is_graded() -> None:
    asked = Question(op("spmv"), asks="intensity")
    assert [grade(asked, answer).grade for answer in ("1/6", "N/7")] == ["wrong", "wrong"]


def test_a_time_is_graded_where_a_slip_leaves_nothing_that_takes_time() -> None:
    asked = Question(op("stream-copy"), chip("h100-sxm"), at={"N": 8}, asks="time")
    assert grade(asked, "7/13").grade == "wrong"


def test_what_stays_open_says_why() -> None:
    asked = Question(MATMUL, chip("h100-sxm"), "B")
    assert grade_text(grading.grade(asked, "B > 2^(D^2)"), asked, "zh").splitlines() == [
        "未判定：未能证明它是否正确。",
        "  读作：B > 2^D^2",
        "  原因：z3 没有给出可检验的点",
    ]


@pytest.mark.parametrize(("answer", "at"), [("B > D^F", {"D": 4096, "F": 4096}), ("B > F^D", {"D": 9000, "F": 2})])
def test_a_power_longer_than_anyone_reads_is_refused(answer: str, at: dict[str, int]) -> None:
    found = grading.grade(Question(MATMUL, chip("h100-sxm"), "B", at=at), answer)
    assert found.grade == "unreadable"
    said = f"'{answer[4:]}' has more than 8192 binary digits; read so far: {answer}"
    assert str(found.note) == said


def test_a_long_number_is_told_by_its_first_digits() -> None:
    asked = Question(MATMUL, asks="flops")
    shown = grade_text(grading.grade(asked, "2^300 B D F"), asked)
    assert shown.splitlines()[-1] == "  at B = 256, D = 4096, F = 4096 yours gives ≈ 8.749e99, the right one 8589934592"


@pytest.mark.parametrize("name", ["embedding", "kv-cache", "all-gather", "sort"])
def test_that_nothing_is_computed_is_a_solution_too(name: str) -> None:
    assert "0" in grade_text(grade(asked := Question(op(name), asks="flops"), "7"), asked, reveal=True).split("\n")[-1]


@pytest.mark.parametrize(
    ("answer", "worth"),
    [
        ("37748736 B/(819 GB/s)", "unreadable"),  # B is also the batch
        ("37748736 byte/(819 GB/s)", "right"),
        ("37748736/(819 GB/s)", "right"),
        ("99 B/(819 GB/s)", "wrong"),  # however it is read
    ],
)
def test_a_letter_amid_a_quotient_that_is_a_size_and_a_unit_is_asked_about(answer: str, worth: str) -> None:
    sizes = {"B": 256, "D": 4096, "F": 4096}
    assert grade(Question(op("matmul"), chip("tpu-v5e"), asks="time", at=sizes), answer).grade == worth
