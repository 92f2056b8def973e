"""The effect of words, units and conventions in an answer: each row is an answer and its grade."""

import pytest

from roofproof import chip, op
from roofproof.claims.answers.feedback import observations
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question

V5E, H100 = chip("tpu-v5e"), chip("h100-sxm")
SIZES = {"D": 4096, "F": 4096}
ASKED = {
    "from": Question(op("matmul"), V5E, "B", at=SIZES),  # B > 272.55
    "rule": Question(op("matmul"), V5E, "B", "D, F >> B", asks="rule"),  # B > 240.54
    "least": Question(op("matmul"), H100, "B", at=SIZES, asks="smallest"),  # 345
    "near": Question(op("matmul"), H100, "B", "D, F >> B", at=SIZES),  # B > 344.95, or B > 295.22 in the regime
    "at-sizes": Question(op("matmul"), H100, "B", at=SIZES),  # B > 344.95
    "no-chip": Question(op("matmul"), unknown="B"),  # B > R D F/(D F - R (D + F)) when D F > R (D + F)
    "intensity-of-8": Question(op("matmul"), asks="intensity", at={"B": 8, **SIZES}),  # 2048/257
    "near-any": Question(op("matmul"), H100, "B", "D, F >> B"),
    "near-least": Question(op("matmul"), H100, "B", "D, F >> B", at=SIZES, asks="smallest"),  # 345
    "near-never": Question(op("matmul"), H100, "B", "D, F >> B", at={"D": 256, "F": 256}),  # never
    "near-dot": Question(op("dot"), regime="N -> oo"),
    "near-bytes": Question(op("matmul"), asks="bytes", regime="D, F >> B"),  # 2 D F
    "bytes": Question(op("matmul"), asks="bytes"),
    "flops": Question(op("matmul"), asks="flops"),
    "ridge": Question(op("matmul"), V5E, asks="ridge"),  # 240.54
    "time": Question(op("matmul"), V5E, asks="time", at={"B": 256, **SIZES}),  # 46.09 us
    "dot": Question(op("dot"), asks="flops"),  # 2 N - 1
    "dot-text": Question(op("x:fp64[N], y:fp64[N] -> s:fp64[]"), asks="flops"),  # 2 N
    "dot-intensity": Question(op("dot"), asks="intensity"),  # (2 N - 1)/(4 N + 2)
    "dot-fp64": Question(op("dot:x=fp64"), asks="intensity"),
    "sum": Question(op("sum"), asks="flops"),  # B N
    "intensity": Question(op("matmul"), asks="intensity"),
}
ONE_SIZE = (
    "exactly 273",
    "only at B = 273",
    "only B = 273",
    "B = 273 only",
    "just 273",
    "仅当 B = 273",
    "恰好 B = 273",
    "正好 273",
    "刚好是 273",
    "只有 B = 273 时计算受限",
    "iff B = 273",
    "compute-bound <=> B = 273",
    "{273}",
    "$\\{273\\}$",
    "B = {273}",
    "当且仅当 B = 273",
    "compute-bound only at B = 273",
)
A_BOUND = (
    "at least 273",
    "only if B > 272",
    "only B >= 273",
    "if and only if B > 272",
    "仅当 B > 272",
    "当且仅当 B ≥ 273",
    "exactly for B > 272",
    "273",
    "B = 273",
    "I need 273",
    "a batch of 273",
    "just over 272",
)
ROWS = [
    *(("from", text, "unreadable wrong") for text in ONE_SIZE),
    *(("from", text, "right") for text in A_BOUND),
    ("from", "B > 272i", "unreadable"),
    ("from", "B > 272a", "unreadable"),
    ("from", "B > 272 i", "unreadable"),
    ("from", "B >= 273 tokens", "right"),
    ("from", "273 个 token", "right"),
    ("from", "B >= 273 GPUs", "unreadable"),
    ("from", "273 张卡", "unreadable"),
    ("from", "273 heads", "unreadable"),
    ("from", "273 块 GPU", "unreadable"),
    ("from", "273 cycles", "wrong"),
    ("from", "345, since I > R", "wrong"),
    ("from", "273, since I > R", "right"),
    ("from", "273，因为 I > R", "right"),
    ("from", "273, since I < R", "unreadable"),
    ("from", "273, since D > 5000", "unreadable"),
    ("rule", "exactly 240", "unreadable"),
    ("bytes", "2BD+2DF+2BF bytes", "right"),
    ("bytes", "exactly 2BD+2DF+2BF", "right"),
    *(("bytes", f"2BD+2DF+2BF{word}", "unreadable wrong")
      for word in (" elements", " 个元素", " tokens", " GPUs", " cycles", " bytes/token", " kilotokens", " 个", " 行")),
    ("bytes", "BD+DF+BF elements", "unreadable"),
    ("flops", "2BDF tokens", "unreadable"),
    ("flops", "2BDF FLOP/token", "wrong"),
    ("flops", "2BDF FLOPs", "right"),
    ("ridge", "240.5 tokens", "unreadable"),
    ("ridge", "240.5 FLOP/B", "digits"),
    ("time", "46.1 us", "digits"),
    ("time", "46.1 us/s", "wrong"),
    ("time", "46.1", "wrong"),
    *(("near", text, "right") for text in ("295", "B > 295.2", "296", "345", "B > 344.95", "295.2 左右")),
    *(("near", text, "digits") for text in ("300", "B > 340")),
    *(("near", text, "wrong") for text in ("B < 295", "320", "148", "590", "never")),
    *(("near-any", text, "right") for text in ("295", "B > R", "B > R D F/(D F - R (D + F))")),
    *(("near-any", text, "limit") for text in ("B > R D/(D - R)",)),
    *(("near-least", text, worth) for text, worth in (("345", "right"), ("344", "wrong"), ("296", "limit"))),
    *(("near-never", text, worth) for text, worth in (("never", "right"), ("295", "limit"))),
    *(("near-dot", text, "right") for text in ("1/2", "(2N-1)/(4N+2)", "50%")),
    ("near-dot", "1/4", "wrong"),
    *(("near-bytes", text, worth) for text, worth in (("2DF", "right"), ("2DF+2BD", "limit"), ("DF", "wrong"))),
    ("least", "345", "right"),
    ("least", "B >= 345", "right"),
    ("least", "about 340", "digits close"),
    ("least", "3.45e2", "right"),
    ("least", "3.4e2", "digits"),
    ("least", "346", "close"),  # 990 TFLOP/s for 989
    ("least", "340", "close"),  # 990 TFLOP/s and 3.4 TB/s
    ("least", "352", "close"),  # a ridge point of 3.0e2
    *(("least", str(n), "wrong") for n in (328, 330, 333, 339, 344, 347, 350, 355, 360, 362)),
    ("dot", "2N - 1", "right"),
    ("dot", "2N", "right"),
    ("dot", "N", "wrong"),
    ("dot-text", "2N - 1", "right"),
    ("dot-text", "2N", "right"),
    ("dot-intensity", "1/2", "limit"),
    ("dot-intensity", "N/(2N+1)", "right"),
    ("dot-fp64", "1/8", "limit"),
    ("sum", "BN", "right"),
    ("sum", "B(N - 1)", "right"),
    ("sum", "BN - 1", "wrong"),
    ("flops", "BF(2D - 1)", "right"),
    ("flops", "BF(2D + 1)", "wrong"),
    ("intensity", "B", "wrong"),
    ("intensity", "D", "wrong"),
    *(("at-sizes", text, "right") for text in ("345", "B > 344.95", "1/B + 1/D + 1/F < 1/R", "B - 344.95 > 0")),
    *(("at-sizes", text, "digits") for text in ("B^2 > 345 B", "345 B < B^2", "B > 345")),
    *(("at-sizes", text, "wrong") for text in ("B^2 < 345 B", "1/B + 1/D + 1/F > 1/R", "B^2 > 295 B")),
    *(("at-sizes", text, "unreadable") for text in ("B^2 > 345 B + 1", "B > B + 1", "(B-345)/(B-400) > 0")),
    *(("at-sizes", text, "unreadable") for text in ("344,95", "B > 344,95", "B > 0,345")),
    *(("no-chip", text, "right") for text in ("1/B + 1/D + 1/F < 1/R", "BDF > R(BD + DF + BF)")),
    ("no-chip", "1/B + 1/D - 1/F < 1/R", "unreadable wrong"),
    ("no-chip", "1/B + 1/D < 1/R", "unreadable wrong"),
    ("intensity", "(BD+DF+BF)/(BDF) bytes per flop", "right"),
    ("intensity", "BDF/(BD+DF+BF) bytes per flop", "wrong"),
    ("intensity-of-8", "0.1255 bytes per flop", "digits"),
    ("intensity-of-8", "6 bytes per flop", "wrong"),
    ("intensity-of-8", "7.97 byte/FLOP", "wrong"),
    ("flops", "-2BDF", "wrong"),
]  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ASKED)
def test_an_answer_is_worth_what_it_says(name: str) -> None:
    worth = {text: (grade(ASKED[name], text).grade, grades.split()) for asked, text, grades in ROWS if asked == name}
    assert worth and not {text: found for text, found in worth.items() if found[0] not in found[1]}


def test_an_exact_answer_has_one_convention() -> None:
    asked = Question(op("dot"), asks="flops", tolerance="exact")
    assert [grade(asked, text).grade for text in ("2N", "2N - 1")] == ["wrong", "right"]
    found = grade(Question(op("matmul"), asks="flops", tolerance="exact"), "BF(2D - 1)")
    assert (found.grade, found.slip) == ("wrong", "other-convention")


def test_the_other_convention_is_named() -> None:
    assert "every term of a sum counts an addition" in grade(ASKED["dot"], "2N").note
    assert "the first term of each sum needs no addition" in grade(ASKED["sum"], "B(N - 1)").note
    assert not grade(ASKED["sum"], "BN").note


def test_a_number_alone_is_read_as_that_of_the_threshold() -> None:
    assert grade(ASKED["from"], "272").read_as == "the threshold of B is 272"
    assert grade(ASKED["least"], "345").read_as == "B = 345"


def test_a_bound_that_an_inequality_comes_to_is_shown() -> None:
    assert grade(ASKED["at-sizes"], "B^2 > 345 B").read_as == "B^2 > 345 B, which is B > 345"


def test_a_decimal_comma_is_asked_about() -> None:
    assert "write it with a decimal point: 344.95" in grade(ASKED["at-sizes"], "B > 344,95").note
    assert grade(ASKED["from"], "B > max(2, 272)").grade == "right"
    assert "two ways" in grade(ASKED["from"], "B > max(2,272)").note  # once max(2272)


def test_a_reciprocal_is_said_to_be_one() -> None:
    found = grade(ASKED["intensity-of-8"], "0.1255 bytes per flop")
    assert "is one over the value in FLOP/byte" in found.note


def test_the_input_that_was_rounded_is_said() -> None:
    found = grade(ASKED["least"], "346")
    assert (found.grade, found.slip, found.about) == ("close", "rounded-input", "peak")


def test_a_unit_that_is_missing_is_said() -> None:
    found = grade(ASKED["time"], "46.1")
    assert "the unit is missing" in found.note
    assert not [o for o in observations(found, ASKED["time"]) if o.key.startswith("too-")]
