"""Mistakes: each in the catalogue is found behind a claim that makes it, and none behind a random number."""

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import getmembers, isgeneratorfunction
from pathlib import Path
from types import ModuleType

import pytest
import sympy

from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.judge.judge import judge_quietly, judge_with_slip
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language import Claim
from roofproof.claims.language.book import _RENAMED, Unusable, book_from_text
from roofproof.claims.language.environment import Environment
from roofproof.claims.mistakes import CATALOGUE, catalogue, of_claims, operations
from roofproof.claims.mistakes.catalogue import Slip, is_named
from roofproof.claims.mistakes.of_claims import EACH, ChangedEnvironment, _made, diagnose
from roofproof.errors import RoofproofError
from roofproof.export.explain.grade import grade_text
from roofproof.export.explain.mistakes import mistake_phrase
from roofproof.export.to_text import inline_text
from roofproof.formula.dimensions import dimension_of
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import Reference, walk
from roofproof.ops import Operation, parse_operation

HOME = Path(catalogue.__file__).parent

BOUND = "compute_bound(matmul, tpu-v5e@scaling-book)"


def slip_of(says: str, **let: str) -> str | None:
    values = ", ".join(f"{k} = {json.dumps(v)}" for k, v in let.items())
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = {json.dumps(says)}\nlet = {{ {values} }}\n').claims
    assert isinstance(claim, Claim), claim
    found = judge_with_slip(claim)
    assert found.kind == "refuted"
    return found.slip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("slip", CATALOGUE)
def test_each_slip_is_found(slip: str) -> None:
    found = slip_of(CATALOGUE[slip].made_by) or ""
    assert is_named(slip, found), found


def test_every_slip_of_a_file_is_listed() -> None:
    files = [import_module(f"roofproof.claims.mistakes.{p.stem}") for p in HOME.glob("*.py")]
    found = [f for file in files for _, f in getmembers(file, isgeneratorfunction) if f.__module__ == file.__name__]
    assert {slip.change for slip in CATALOGUE.values()} == {f for f in found if f.__name__[0] != "_"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("says", "let", "slip"),
    [
        ("4 == smallest(n, 2 n > 8)", {}, "off-by-one"),  # the wrong value on the left
        ("intensity(matmul) == B", {"D": "4096", "F": "4096"}, "limit-for-exact"),
        ("intensity(dot) == 1 / 2", {}, "limit-for-exact"),
        (f"{BOUND} <=> B > 240", {"D": "4096", "F": "4096"}, "limit-for-exact"),
        (f"smallest(B, {BOUND}) == 241", {"D": "4096", "F": "4096"}, "limit-for-exact"),
        ('bytes("int8[B] -> int8[B]") == 8 GB', {"B": "2^32"}, "prefix:binary"),
        ('bytes("int8[B] -> int8[B]") == 8 GiB', {"B": "4 * 10^9"}, "prefix:binary"),
    ],
)
def test_however_it_is_said(says: str, let: dict[str, str], slip: str) -> None:
    assert slip_of(says, **let) == slip


@pytest.mark.parametrize(
    "says",
    [
        "flops(matmul) == 17 B D F",
        "ridge(tpu-v5e, bf16) == 7331.25",
        "intensity(matmul) == 5 B D + 3",
        "1234 == 987654",
        "x + y == 31 x y",
        "smallest(n, 2 n > 8) == 77",
    ],
)
def test_none_fits(says: str) -> None:
    """If no mistake fits, none is guessed."""
    assert slip_of(says) == "none fits"


TELLING = {
    "moved-twice": ("once too often", "多算了一次搬运"),
    "dropped-size": ("the loop over", "漏乘了"),
    "doubled": ("a multiply-add is already two FLOPs", "多乘了 2"),
    "share-of-the-rest": ("the share of all the rest", "其余部分的占比"),  # only in the sentence of this mistake
    "off-by-one": ("by one", "差了一"), "ridge-for-share": ("that keeps a share", "脊点处"),
    "multiply-add-once": ("as one FLOP", "算成了一次浮点"),
    "bytes-per-element": ("one byte each", "当成了一个字节"),
    "dropped-tensor": ("the bytes of <what>", "没有计入 <what>"),
    "footprint-for-traffic": ("counted once, though", "每个张量只计"), "other-width": ("number format", "数值格式"),
    "other-convention": ("n - 1 additions", "次加法"), "forward-for-training": ("training", "训练步"),
    "one-direction": ("direction", "双向"), "other-figure": ("another spec", "另一项规格"),
    "exact-for-limit": ("was asked for", "问的是经验法则"), "limit-for-exact": ("the limit", "把极限"),
    "reversed": ("the other way", "方向相反"), "strictness": ("boundary", "端点"),
    "ratio-for-share": ("taken for a share", "之比当成"), "share-added-to-ratio": ("was added", "之比相加"),
    "seconds-milliseconds": ("milliseconds", "毫秒"), "reciprocal": ("reciprocal", "倒数"),
    "bits": ("bits were", "混淆了比特"),
    "prefix": ("prefix", "前缀"), "prefix:binary": ("GiB", "GiB"), "per-chip-total": ("all chips", "全部芯片"),
    "heads": ("heads", "头数"), "layers": ("the whole model", "单层"),
    "weights-alone": ("the weights alone", "只计了权重"),
    "weights-left-out": ("weights were not", "读取权重"),
    "shorter-time": ("shorter", "较短"),
    "sum-of-times": ("added up", "用时相加"),
    "dropped-part": ("of the FLOPs <what> was left", "中漏计了"),
    "only-part": ("alone was", "只计了 <what>"),
    "all-pairs": ("mask", "掩码"),
    "one-layer": ("of all layers", "只计了一层"),
    "other-experts": ("experts", "专家"),
    "backward-once": ("as one forward", "一次前向"),
    "own-part": ("n parts", "发送 n 份"),
    "one-step": ("one step", "环上的一步"),
    "binary-rate": ("powers of 1024", "按 1024"),
    "bit-rate": ("as one in bits", "每秒比特"),
    "intensity-of-a-product": ("held against", "大矩阵乘"),
    "halved-part": ("one of two products", "只计了一半"),
    "halved-twice": ("halved again", "又减半"),
    "adds-only-peak": ("fused", "乘加融合"), "rounded-input": ("rounded", "舍入"),
    "share-for-ratio": ("a/(a + b)", "占比当成"), "other-chip": ("another chip", "另一款芯片"),
}  # fmt: skip


def test_words_for_a_student() -> None:
    assert set(TELLING) == set(CATALOGUE)
    for name, slip in CATALOGUE.items():
        assert slip.name == name and not slip.says.endswith(".")
        for words, telling in zip(("says", "zh"), TELLING[name], strict=True):
            assert [s.name for s in CATALOGUE.values() if telling in getattr(s, words)] == [name], telling


def test_what_a_slip_makes_true_rests_on_all_that_the_claim_would() -> None:
    book = (
        '[[claim]]\nid = "a"\nlet = { D = 4096, F = 4096 }\nsays = "threshold(matmul, tpu-v5e@scaling-book, B) < 300"'
    )
    [claim] = book_from_text(book).claims
    quick, whole = judge_quietly(claim, quick=True), judge_quietly(claim)
    assert (quick.kind, quick.trust) == ("verified", "kernel")
    assert {k.statement.goal for k in quick.known} == {k.statement.goal for k in whole.known}
    assert len(quick.known) > 1


@pytest.mark.parametrize(
    "text", ["matmul", "axpy", "prefill:llama-2-7b", "x:bf16[B,D_n] * w:bf16[D_n,F] -> z:bf16[B,F]"]
)
def test_what_a_slip_makes_of_an_operation_is_the_same_when_it_is_asked_again(text: str) -> None:
    op = parse_operation(text)
    for slip in (s for s in CATALOGUE.values() if "operation" in s.acts_on.split()):
        assert [*_made(slip.name, op)] == [*slip.made(op)][:EACH]


def test_what_comes_before_a_variant_that_cannot_be_made_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def change(op: Operation) -> Iterator[Operation]:
        yield op
        raise RoofproofError("no second one")

    monkeypatch.setattr(operations, "footprint", change)
    _made.cache_clear()
    assert _made("footprint-for-traffic", parse_operation("dot")) == ((parse_operation("dot"), ""),)
    _made.cache_clear()


def test_a_variant_that_changes_nothing_of_what_is_asked_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_claims, "is_ruled_out", lambda variant: False)  # otherwise numbers rule it out early
    asked: list[Operation] = []
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "flops(matmul) == 7 B D F + 1"').claims
    [op] = [n for n in walk(claim.proposition) if isinstance(n, Reference)]

    def judge(variant: Claim) -> Verdict:
        asked.extend([variant.environment.operation(op)] if variant.proposition is claim.proposition else [])
        return judge_quietly(variant, quick=True)

    assert diagnose(claim, judge) is None
    flops = [str(made.compute) for made in asked]
    assert 3 < len(flops) < 30 and str(claim.environment.operation(op).compute) not in flops  # of more than 60


@pytest.mark.parametrize(
    ("given", "says", "ruled_out"),
    [
        ("B > 1", "flops(matmul) == 3 B D F", True),
        ("B = 3", "flops(matmul) > 7 D F", True),
        ("B = 3", "flops(matmul) > 5 D F", False),  # 6 D F
        ("B < 10", "flops(matmul) == 3 B D F", False),  # not at any size that is tried
        ("B > 1", "flops(matmul) == 2.1 B D F", False),
    ],
)
def test_numbers_rule_out_a_variant_where_they_meet_what_is_given(given: str, says: str, ruled_out: bool) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\ngiven = "{given}"').claims
    assert of_claims.is_ruled_out(claim) is ruled_out


def test_a_point_of_whole_sizes_refutes_a_variant_over_the_integers_too() -> None:
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "bytes(matmul) == 2 B D"').claims
    [other] = book_from_text('[[claim]]\nid = "a"\nsays = "flops(matmul) >= 2 B D"').claims
    assert judge_quietly(claim, quick=True).kind == judge_quietly(claim).kind == "refuted"
    assert judge_quietly(other, quick=True).kind == judge_quietly(other).kind == "verified"  # true at integer sizes


def test_a_slip_that_is_added_is_named_by_verify_and_by_check(monkeypatch: pytest.MonkeyPatch) -> None:
    def squared(value: sympy.Expr, context: object) -> Iterator[sympy.Expr]:
        yield value**2

    file = ModuleType("roofproof.claims.mistakes.squared")
    file.squared = squared  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, file.__name__, file)
    added = Slip("squared", "it was squared", "value", "squared.squared", "9 == 81", zh="多平方了一次")
    monkeypatch.setitem(CATALOGUE, "squared", added)
    asked = Question(parse_operation("matmul"), asks="flops")
    found = grade(asked, "4 B^2 D^2 F^2")
    assert slip_of("flops(matmul) == 4 B^2 D^2 F^2") == found.slip == "squared"
    for lang, said in (("en", "it was squared"), ("zh", "多平方了一次")):
        assert inline_text(mistake_phrase("squared"), lang) == said and said in grade_text(found, asked, lang)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("says", "slip"),
    [
        ("bytes(matmul) == 2 B D + 2 D F", "dropped-tensor:z"),
        ("bytes(matmul) == 2 D F + 2 B F", "dropped-tensor:x"),
        ("flops(matmul) == B D F", "multiply-add-once"),
        ("bytes(matmul) == 4 B D + 4 D F + 4 B F", "other-width:fp32"),
        ("ridge(h100-sxm, bf16) ~= 590", "other-figure:bf16-sparse"),
        ("ridge(h100-sxm, bf16) ~= 147.7", "other-figure:tf32"),
        ("rate(h100-sxm, hbm) == 2.0 TB/s", "other-chip:NVIDIA H100 PCIe 80GB"),
        ("rate(h100-sxm, pcie) == 32 GB/s", "one-direction:pcie"),
        ("16 GiB == 16 GB", "prefix:binary"),
        ("intensity(matmul) == B", "limit-for-exact"),
        ("intensity(matmul) == 2 B D F/(B D + D F)", "bytes-per-element+dropped-tensor:z"),
        ('flops("flops bf16 = N*(N + 1)/2; bytes memory = N") == N (N + 1)/4', "halved-twice"),
        ("max(3, 8) == 4", "none fits"),  # nothing was halved
        ("flops(softmax, fp32-vector) == 10 B N", "none fits"),  # no multiply-adds
        ("flops(training-step) == 18 B L d (2 L N + 12 N d + V)", "none fits"),  # it is the training step
        ("1234 == 987654", "none fits"),
    ],
)
def test_a_mistake_has_one_name(says: str, slip: str) -> None:
    [claim] = book_from_text(f"[[claim]]\nid = \"a\"\nsays = '{says}'\n").claims
    assert isinstance(claim, Claim)
    found = judge_with_slip(claim)
    told = found.record("a")
    assert told["slip"] == told["slip_detail"] == slip
    assert found.is_slip(slip) and found.is_slip(
        slip if "+" in slip or slip == "prefix:binary" else slip.partition(":")[0]
    )
    assert not found.is_slip("heads")


@pytest.mark.parametrize("old", _RENAMED)
def test_a_former_name_is_refused_with_the_present_one(old: str) -> None:
    now = _RENAMED[old]
    assert all(each in CATALOGUE for each in now.split(", ")) and old not in CATALOGUE
    text = f'[[claim]]\nid = "a"\nsays = "1 == 2"\nexpect = "refuted"\nslip = "bits+{old}"'
    [unusable] = book_from_text(text).claims
    assert isinstance(unusable, Unusable) and unusable.message.endswith(f"mistake '{old}' was renamed; write {now}")


def test_an_operation_that_was_looked_up_is_no_chip() -> None:
    env, matmul = ChangedEnvironment.of(Environment()), read_value("flops(matmul)").arguments[0]
    assert env.operation(matmul).name == "matmul"
    with pytest.raises(RoofproofError, match="'matmul' is an operation"):
        env.chip(matmul)


# --- a mistake is named for an inequality if it gives the stated number, not if it only makes it true


SIZES = "let = { B = 4096, D = 4096, F = 4096 }"
IN_REGIME = 'regime = "D, F >> B"'
ROWS = [
    ("lower(matmul, h100-sxm) <= 69.5 us", SIZES, "multiply-add-once"),  # half of 138.97 us
    ("lower(matmul, h100-sxm) <= 100 us", SIZES, "none fits"),
    ("lower(matmul, h100-sxm) <= 8 us", SIZES, "none fits"),
    ("lower(matmul, h100-sxm) >= 1 s", SIZES, "none fits"),
    ("1 us < lower(matmul, h100-sxm) < 90 us", SIZES, "none fits"),
    ("flops(matmul) <= B D F", "", "multiply-add-once"),
    ("flops(matmul) <= 2 B D F/3", "", "none fits"),
    ("bytes(matmul) <= 2 B D + 2 D F", "", "dropped-tensor:z"),
    ("B > 120 => compute_bound(matmul, tpu-v5e)", IN_REGIME, "bytes-per-element"),
    ("B > 150 => compute_bound(matmul, tpu-v5e)", IN_REGIME, "none fits"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("says", "fields", "slip"), [pytest.param(*row, id=row[0]) for row in ROWS])
def test_a_mistake_gives_the_number_of_an_inequality(says: str, fields: str, slip: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"\n{fields}').claims
    verdict = judge_with_slip(claim)
    assert (verdict.kind, verdict.slip) == ("refuted", slip)


@pytest.mark.parametrize("slip", ["prefix:binary", "dropped-tensor:z", "other-figure:h100-nvl", "bits+doubled"])
def test_a_name_that_is_printed_may_be_written(slip: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "1 == 2"\nexpect = "refuted"\nslip = "{slip}"').claims
    assert claim.slip == slip


@pytest.mark.parametrize(
    "says", ["1 token == 1 GPU", "3 tokens/s == 3 requests/s", "3 tokens + 2 GPU == 5 tokens", "9 cycles < 10 params"]
)
def test_tokens_are_no_chips(says: str) -> None:
    with pytest.raises(RoofproofError, match="cannot be"):
        dimension_of(read_statement(says))


def test_a_count_that_cancels_is_none() -> None:
    for says in ("2 GPU * 10 tokens/GPU == 20 tokens", "100 tokens == 100", "8 byte/token * 2 tokens == 16 byte"):
        dimension_of(read_statement(says))
