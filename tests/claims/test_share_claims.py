"""Claims, answers and exercises about a share of the peak, and the commands that take one."""

import json
from fractions import Fraction

import pytest

import roofproof
from roofproof.claims import Question, grade
from roofproof.claims.answers.proved import trust
from roofproof.claims.judge import judge as judging
from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.claims.mistakes.of_answers import edits
from roofproof.cli import main
from roofproof.export.explain.grade import grade_text
from roofproof.export.explain.worked import explain_worked
from roofproof.export.grade_records import grade_record
from roofproof.export.plots import threshold_curve
from roofproof.export.to_text import inline_text
from roofproof.proofs.oracles import smt

AT = {"D": 4096, "F": 4096}
ONCE_STARTED = "once started: the start of 5.91 us is not counted", "启动之后：未计入启动时间 5.91 us"
COUNTED = "with the start of 5.91 us counted", "计入启动时间 5.91 us"


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "says, kind",
    [
        ("share(matmul, tpu-v5e, sum) >= 0.8 <=> intensity(matmul) >= 4 * ridge(tpu-v5e, bf16)", "verified"),
        ("share(matmul, tpu-v5e, root) >= 0.8 <=> intensity(matmul) >= (4/3) * ridge(tpu-v5e, bf16)", "verified"),
        ("share(matmul, tpu-v5e, max) >= 0.8 <=> intensity(matmul) >= 0.8 * ridge(tpu-v5e, bf16)", "verified"),
        ("share(matmul, tpu-v5e, sum) >= 0.8 <=> compute_bound(matmul, tpu-v5e)", "refuted"),
        ("share(matmul, h100-sxm) < 1", "verified"),
        ("lower(matmul, h100-sxm) < estimate(matmul, h100-sxm)", "verified"),
        ("estimate(matmul, tpu-v5e, sum) == upper(matmul, tpu-v5e)", "verified"),
    ],
)
def test_share_is_a_word_of_claims(says, kind):
    found = roofproof.judge(says)
    assert (found.kind, found.trust) == (kind, "kernel") or kind == found.kind == "refuted"


@pytest.mark.parametrize(
    "says, kind",
    [
        ("share(matmul, tpu-v5e, root) >= 0.8 <=> intensity(matmul) >= (4/3) * ridge(tpu-v5e, bf16)", "verified"),
        ("share(matmul, tpu-v5e, root) >= 0.9 <=> compute_bound(matmul, tpu-v5e)", "refuted"),  # I >= 2.06 R; I > R
        ("share(matmul, tpu-v5e, root) >= 0.9 <=> intensity(matmul) >= 2 * ridge(tpu-v5e, bf16)", "refuted"),  # 2.065
    ],
)
def test_a_share_at_the_root_corner_is_decided_without_an_oracle(says, kind, monkeypatch):
    """No root is rational there, so the deciding points are found by enclosing the values."""
    monkeypatch.setattr(smt, "refute", lambda *_, **__: pytest.fail("an oracle was asked"))
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"').claims
    verdict = judge(claim)
    assert (verdict.kind, verdict.trust) == (kind, "kernel")


@pytest.mark.parametrize(
    "share, corner, answer, graded",
    [
        ("0.8", "", "B >= 375", "right"),
        ("80 %", "", "375", "right"),
        ("0.8", "", "B > 345", "wrong"),  # the compute-bound threshold
        ("0.8", "sum", "B >= 2790", "right"),  # 4 R/(1 - 8 R/4096), R = 295.22
        ("0.9", "", "B >= 645", "right"),
    ],
)
def test_an_answer_is_held_to_the_share(share, corner, answer, graded):
    given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "asks": "smallest", "share": share, "corner": corner}
    asked = Question.of(given, AT)
    assert (grade(asked, answer).grade, trust(asked)) == (graded, "kernel")


@pytest.mark.parametrize(
    "lang, corner, why",
    [
        ("en", "", "estimate, not proved: the intensity that keeps 80 % of the calibrated peak, once started"),
        ("zh", "", "估计（未经证明）：启动之后，保持标定峰值的 80 % 所需的强度"),
        ("en", "sum", "estimate, not proved: the intensity that keeps 80 % of the peak, at datasheet rates"),
        ("zh", "sum", "估计（未经证明）：按参数全额可达，保持峰值的 80 % 所需的强度"),
    ],
)
def test_the_solution_of_an_exercise_says_that_it_is_an_estimate(lang, corner, why):
    given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "asks": "threshold", "share": "0.8", "corner": corner}
    told = explain_worked(Question.of(given, AT)).sections[0].rows
    lines = {inline_text(row.left, lang).partition(" ")[0]: inline_text(row.right, lang) for row in told}
    assert lines["R_s"] == why


def test_the_record_has_the_estimate_and_both_answers(capsys):
    assert (
        main(["derive", "matmul", "--chip", "a40", "--for", "B", "--share", "80%", "--at", "D=4096,F=4096", "--json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["threshold"]["integer_at_point"] == 305 and found["threshold"]["trust"] == "kernel"
    share = found["share"]
    assert (share["value"], share["factor"], share["corner"], share["borrowed_from"]) == (
        "4/5", "4/3", "root", "a100-80gb-sxm, fp16",
    )  # fmt: skip
    assert share["with_start"]["integer_at_point"] == 351 and share["with_start"]["trust"] == "kernel"
    assert share["estimate"]["compute"]["value"] == "0.739"


@pytest.mark.parametrize(
    "lang, words",
    [
        ("en", ["estimate, not proved", "once started, keeps 90 %"]),
        ("zh", ["估计（未经证明", "启动之后，保持标定峰值的 90 %", "计入启动时间"]),
    ],
)
def test_floor_and_estimate_are_two_words(capsys, lang, words):
    asked = ["derive", "matmul", "--chip", "h100-sxm", "--for", "B", "--share", "0.9", "--at", "D=4096,F=4096"]
    assert main([*asked, "--lang", lang]) == 0
    told = capsys.readouterr().out
    assert all(word in told for word in words)
    assert "compute-bound" not in told and "计算受限" not in told


@pytest.mark.parametrize(
    "command, message",
    [
        ("derive matmul --chip h100-sxm --share 0.8", "--share requires --for"),
        ("derive matmul --chip h100-sxm --for B --corner sum", "--corner requires --share"),
        ("table matmul --chip all --for B --corner sum", "--corner requires --share"),
        ("plot matmul --chip h100-sxm --kind time --for B --share 0.8 -o x.svg", "--kind time takes no --share"),
        ("atlas matmul --chip h100-sxm --share 2", "expected one above 0 and below 1"),
        ("grade --op matmul --asks flops --share 0.8 --corner sum --answer 2", "name the size with --for"),
    ],
)
def test_what_is_not_asked_so_is_refused(capsys, command, message):
    assert main(command.split()) == 2
    assert message in capsys.readouterr().err


def test_an_atlas_has_a_share_on_every_chip_with_an_estimate(capsys):
    asked = "matmul:fp16 --chip h100-sxm --chip tpu-v5e --for B --share 0.9 --at D=4096,F=4096 --json"
    assert main(["derive", "--as", "list", *asked.split()]) == 0
    row, lack = json.loads(capsys.readouterr().out)["atlas"]
    assert (row["integer_at_point"], row["integer_with_start"], row["trust"]) == (645, 1659, "kernel")
    assert (lack["chip"], lack["problem"]) == ("tpu-v5e", "no figures")


def test_an_atlas_of_a_share_says_so_and_what_chips_lack(capsys):
    chips = ["h100-sxm", "tpu-v5e", "bf16=2 TFLOP/s, hbm=1 TB/s", "hbm=1 TB/s"]
    asked = [part for chip in chips for part in ("--chip", chip)]
    assert (
        main(["derive", "--as", "list", "matmul:bf16", *asked, "--for", "B", "--share", "0.8", "--at", "D=4096,F=4096"])
        == 0
    )
    told = capsys.readouterr().out
    assert "at D = 4096, F = 4096; keeps 80 % of the calibrated peak, once started, by an estimate\n" in told
    line = next(each for each in told.splitlines() if each.startswith("  h100-sxm  bf16"))
    assert line.split() == ["h100-sxm", "bf16", "≈", "316.52", "375", "782", "proved", "fp16"]
    assert "no specs on custom\n" in told and "no calibrated rates on tpu-v5e, custom\n" in told
    assert (
        main(["derive", "--as", "list", "matmul:bf16", *asked, "--for", "B", "--share", "0.8", "--corner", "sum"]) == 0
    )
    told = capsys.readouterr().out
    assert "; keeps 80 % of the peak, at datasheet rates\n" in told and "calibrated ceilings" not in told


def test_pictures_have_the_estimate(tmp_path):
    for kind in ("--at B=64,D=4096,F=4096", "--kind threshold --for B --across D --at F=D"):
        file = tmp_path / "share.svg"
        assert main(["plot", "matmul", "--chip", "h100-sxm", "--share", "0.8", *kind.split(), "-o", str(file)]) == 0
        assert "80" in file.read_text()


@pytest.mark.parametrize("corner, of", [(None, "once started"), ("sum", "of the peak")])
def test_a_picture_speaks_of_a_start_where_ceilings_are(corner, of):
    one, there = roofproof.op("matmul"), roofproof.chip("h100-sxm")
    figure = threshold_curve(one, [there], "B", "D", at={"F": "D"}, share=Fraction(4, 5), corner=corner)
    assert "".join(map(str, figure.title)) == f"Estimate: where matmul keeps 80 % {of}"


@pytest.mark.parametrize(
    "bound, fails, slip",
    [
        ("B >= 781", {"B": 781}, "strictness"),  # from 782 on, with the start of 5.91 us
        ("B >= 375", {"B": 375}, "none fits"),  # without the start, the share is kept from there on
    ],
)
def test_a_refuted_share_is_explained(bound, fails, slip):
    """The search for the mistake ends within its step limit."""
    says = f'id = "a"\nlet = {{ D = "4096", F = "4096" }}\nsays = "share(matmul, h100-sxm) >= 0.8 <=> {bound}"'
    [claim] = book_from_text(f"[[claim]]\n{says}").claims
    verdict = judging.judge_with_slip(claim)
    assert (verdict.kind, verdict.trust, verdict.counterexample, verdict.slip) == ("refuted", "kernel", fails, slip)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("corner", ["root", "sum"])
def test_the_ridge_point_given_for_a_share_is_named(corner, capsys):
    """At D = F = 4096 the ridge point 295.2 is at B = 344.9. Only the maximum corner reaches the peak there."""
    says = f"share(matmul, h100-sxm, {corner}) >= 0.8 <=> intensity(matmul) > ridge(h100-sxm, bf16)"
    assert roofproof.judge(says).slip == "ridge-for-share"
    assert roofproof.judge(says.replace("> ridge", ">= ridge")).slip == "ridge-for-share"
    asked = (
        f"grade --op matmul --chip h100-sxm --for B --at D=4096,F=4096 --share 0.8 --corner {corner} --asks smallest"
    )
    assert main([*asked.split(), "--answer", "345", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["slip"] == "ridge-for-share"
    given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "share": "0.8", "corner": corner, "asks": "smallest"}
    asked = Question.of(given, AT)
    assert "ridge-for-share" in {edit.of.name for edit in edits(asked)}  # exercises choose wrong answers from these


@pytest.mark.parametrize(
    "asks, answer, graded, en, zh",
    [
        ("smallest", "375", "right", *ONCE_STARTED),
        ("smallest", "782", "right", *COUNTED),
        ("smallest", "781", "wrong", "", ""),
        ("threshold", "B >= 781.8", "right", *COUNTED),
        ("threshold", "B = 781.8 ≈ 782", "right", *COUNTED),
        ("threshold", "780", "digits", *COUNTED),
        ("threshold", "B <= 782", "wrong", "", ""),
        ("threshold", "never", "wrong", "", ""),
    ],
)
def test_a_share_has_two_answers_and_the_grade_says_which(asks, answer, graded, en, zh):
    """At D = F = 4096 and B = 782, FLOPs take 33 us of 43 us. The start and bytes take 7.3 us of the rest."""
    given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "asks": asks, "share": "0.8"}
    asked = Question.of(given, AT)
    found = grade(asked, answer)
    assert (found.grade, found.wrong_link) == (graded, 0)
    for lang, note in ("en", en), ("zh", zh):
        assert grade_record(found, asked, lang)["note"] == note
        assert note in grade_text(found, asked, lang)


@pytest.mark.parametrize(
    "lang, said", [("en", "375; with the start of 5.91 us counted: 782"), ("zh", "375；计入启动时间 5.91 us：782")]
)
def test_the_solution_of_a_share_has_both_answers(lang, said):
    given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "asks": "smallest", "share": "0.8"}
    asked = Question.of(given, AT)
    assert said in grade_text(grade(asked, "900"), asked, lang, reveal=True)


@pytest.mark.parametrize(
    "changed",
    [
        {"corner": "root"},
        {"asks": "rule"},
        {"at": {"D": 4096}, "asks": "threshold"},
        {"share": ""},
        {"at": {"D": 256, "F": 256}, "asks": "threshold"},  # never, either way
    ],
)
def test_one_answer_alone_is_not_told_apart(changed):
    """Data-sheet specs have no start, and rules and thresholds with open sizes leave it out."""
    at = changed.pop("at", AT)
    given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "asks": "smallest", "share": "0.8", **changed}
    assert Question.of(given, at).with_start is None


@pytest.mark.parametrize("asks", ["smallest", "threshold"])
def test_an_exercise_whose_intensity_has_a_root_has_its_derivation(asks):
    """At the root corner, half the peak is reached from R/sqrt(3) on. Two forms of one number are one key."""
    given = {"op": "matmul", "chip": "h100-sxm", "for": "B", "asks": asks, "share": "0.5"}
    asked = Question.of(given, {"D": 8192, "F": 8192})
    assert explain_worked(asked).sections[0].rows and trust(asked) == "kernel"
