"""Mistakes in answers: each is named for the answer that it gives, and never offered if it does not apply.

Every answer is worked out by hand next to it, from FLOPs, bytes and specs of data sheets, without roofproof.
"""

import random
from itertools import islice

import pytest

from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.mistakes.of_answers import Edit, InAnswer, edits
from roofproof.claims.mistakes.search import MOST, worth_trying
from roofproof.hardware import any_chip

V5E, H100, MATMUL = chip("tpu-v5e"), chip("h100-sxm"), op("matmul")  # 197 TFLOP/s over 819 GB/s; 989 over 3350
LARGE = {"D": 4096, "F": 4096}
ASKED = {
    "bytes": Question(MATMUL, asks="bytes"),  # 2 B D + 2 D F + 2 B F
    "flops": Question(MATMUL, asks="flops"),  # 2 B D F
    "training": Question(op("training-step"), asks="flops"),  # 6 B L d (2 L N + 12 N d + V)
    "intensity": Question(MATMUL, asks="intensity", regime="D, F >> B"),  # 1/(1/B + 1/D + 1/F), tends to B
    "free": Question(MATMUL, asks="intensity"),  # the same, without a regime
    "axpy": Question(op("axpy"), asks="intensity"),  # 2 N FLOPs over 3 fp64 of 8 bytes: 1/12
    "ridge": Question(MATMUL, V5E, asks="ridge"),  # 197/0.819 = 240.537
    "ridge-h100": Question(MATMUL, H100, asks="ridge"),  # 989/3.35 = 295.2
    "rule": Question(MATMUL, V5E, "B", "D, F >> B", asks="rule"),  # B > 240.537
    "threshold": Question(MATMUL, V5E, "B", "D, F >> B", LARGE),  # 1/(1/240.537 - 2/4096) = 272.548
    "smallest": Question(MATMUL, V5E, "B", "D, F >> B", LARGE, "smallest"),  # 273
    "time": Question(MATMUL, V5E, asks="time", at={"B": 1, **LARGE}),  # 33570816 bytes over 819 GB/s: 40.99 us
    "gather": Question(op("all-gather"), asks="bytes"),  # V (n - 1)/n on the link
    "shared": Question(op("tensor-parallel"), V5E, asks="time", at={"B": 8, "Y": 4, **LARGE}),  # on the link: 2.18 us
    "bound": Question(MATMUL, V5E, asks="bound", at={"B": 8, **LARGE}),
}
ASKED["exact"] = Question(MATMUL, H100, "B", None, LARGE)  # 1/(1/295.22 - 2/4096) = 344.9; the rule is B > 295.2
ASKED["exact-integer"] = Question(MATMUL, H100, "B", None, LARGE, "smallest")  # 345
ASKED["cache"] = Question(op("kv-cache"), asks="bytes")  # keys and values, 2 B N S g k each at 2 bytes
ASKED["share"] = Question(op("flops bf16 = 3*N"), asks="share", whole=op("flops bf16 = 8*N"))  # 3/8
ASKED["int8"] = Question(  # with only one peak: 1/(2/479.85 - 2/4096) = 271.8
    op("x:int8[B,D], w:int8[D,F] -> z:int8[B,F]"), any_chip("int8=393 TFLOP/s, hbm=819 GB/s"), "B", None, LARGE
)
ASKED |= {
    "lora": Question(op("lora"), asks="flops"),  # 2 B D F + 2 B D r + 2 B r F
    "gated": Question(op("gated-ffn"), asks="flops"),  # three products of 2 B D F
    "gated-bytes": Question(op("gated-ffn"), asks="bytes"),  # 2 B D + 6 D F + 4 B F + 2 B D
    "norm": Question(op("layer-norm"), asks="bytes"),  # 4 B D, and 2 D of each of two weights
    "layer": Question(op("transformer-layer"), asks="flops"),  # 8 L d^2 + 4 L^2 d + 16 L d^2
    "causal": Question(op("causal-attention"), asks="flops"),  # 4 h k for each of L (L + 1)/2 pairs
    "backward": Question(op("flash-attention-backward"), asks="flops"),  # five products of 2 h k L^2
    "decode": Question(op("decode-step"), asks="flops"),  # N (24 B d^2 + 4 B S d) + 2 B V d
    "experts": Question(op("mixture-of-experts"), asks="flops"),  # 2 B D E + 6 B D F k
    "lu": Question(op("lu"), asks="flops"),  # 2 N^3/3
    "masked": Question(op("flops bf16 = N*(N + 1)/2"), asks="flops"),
    "softmax": Question(
        op("softmax@fp32-vector"), asks="flops"
    ),  # 5 B N: a maximum, a difference, exp, a sum, a quotient
    "rms-norm": Question(op("rms-norm"), asks="flops"),  # 4 B D, two of which are a multiply-add
    "adam": Question(op("adam"), asks="flops"),  # 14 P
    "small": Question(MATMUL, V5E, asks="time", at={"B": 64, **LARGE}),  # 10.90 us of FLOPs, 42.25 us of bytes
    "plain": Question(MATMUL, asks="intensity"),
    "bound-256": Question(MATMUL, V5E, asks="bound", at={"B": 256, **LARGE}),  # 256 < 272.5
    "rule-h100": Question(MATMUL, H100, "B", "D, F >> B", asks="rule"),  # 989/3.35 = 295.2
    "tokens": Question(op("decode-attention"), H100, "B", None, {"S": 8192, "g": 8, "r": 4, "k": 128}),  # never
}
GIVEN = [
    ("lora", "2BDF + 2BDr", "dropped-part:2*B*F*r", ""),
    ("gated-bytes", "6DF", "weights-alone", ""),
    ("norm", "4BD", "weights-left-out", ""),
    ("layer", "12Ld^2", "multiply-add-once+dropped-part:2*d*L**2", ""),
    ("lora", "2BDF", "only-part:2*B*D*F", ""),
    ("gated", "4BDF", "dropped-part:2*B*D*F", ""),
    ("layer", "8Ld^2 + 4L^2 d", "dropped-part:16*L*d**2", ""),  # the feed-forward network
    ("layer", "24Ld^2 + 2L^2 d", "halved-part:4*d*L**2", ""),  # scores, no weighted sum
    ("backward", "8hkL^2", "dropped-part:2*h*k*L**2", ""),  # scores not computed again
    ("causal", "4hkL^2", "all-pairs", ""),
    ("decode", "24Bd^2 + 4BSd + 2BVd", "one-layer", ""),
    ("experts", "2BDE + 6BDFE", "other-experts", ""),
    ("training", "4BLd(2LN + 12Nd + V)", "backward-once", ""),
    ("lu", "N^3/3", "multiply-add-once", ""),
    ("small", "10.9 us", "shorter-time", ""),
    ("small", "53.15 us", "sum-of-times", ""),
    ("plain", "B", "limit-for-exact", ""),
    ("bound-256", "compute-bound", "limit-for-exact", ""),  # 256 > 240
    ("rule-h100", "B > 268.5", "binary-rate", ""),  # 295.2 (1000/1024)^4
    ("rule", "B > 1924", "bit-rate", ""),  # 8 times 240.5
    ("tokens", "B > 295.2", "intensity-of-a-product", ""),
    ("exact", "B > 590.4", "multiply-add-once+limit-for-exact", ""),
    ("gather", "V", "own-part", ""),
    ("gather", "V/n", "one-step", ""),
    ("exact", "B > 295.2", "limit-for-exact", ""),
    ("exact", "B > 296", "limit-for-exact", ""),  # the integer after it
    ("exact-integer", "296", "limit-for-exact", ""),
    ("int8", "127.4", "adds-only-peak", ""),  # 239.9 for the ridge point of 479.9
    ("masked", "N(N + 1)/4", "halved-twice", ""),  # of N^2 a mask leaves N (N + 1)/2
    ("bytes", "2BD + 2DF", "dropped-tensor:z", ""),
    ("bytes", "2DF + 2BF", "dropped-tensor:x", ""),
    ("bytes", "BD + DF + BF", "bytes-per-element", ""),
    ("bytes", "4BD + 4DF + 4BF", "other-width", "fp32"),
    ("bytes", "16BD + 16DF + 16BF", "bits", ""),
    ("intensity", "BDF/(BD + DF)", "dropped-tensor:z", ""),
    ("intensity", "2BDF/(BD + DF + BF)", "bytes-per-element", ""),
    ("intensity", "BDF/(2BD + 2DF + 2BF)", "multiply-add-once", ""),
    ("intensity", "1/B + 1/D + 1/F", "reciprocal", ""),
    ("free", "B", "limit-for-exact", ""),
    ("axpy", "1/13", "share-for-ratio", ""),  # 1/(12 + 1)
    ("axpy", "12", "reciprocal", ""),
    ("flops", "BDF", "multiply-add-once", ""),
    ("training", "2BLd(2LN + 12Nd + V)", "forward-for-training", ""),  # 2 for 6
    ("ridge", "0.004157", "reciprocal", ""),  # 0.819/197
    ("ridge", "1924", "bits", ""),  # 8 times 240.5
    ("ridge", "240537", "prefix", ""),
    ("ridge", "481.1", "other-figure", "int8"),  # 394 over 0.819, as in the data sheet
    ("ridge", "295.2", "other-chip", "NVIDIA H100 SXM5 80GB"),
    ("ridge-h100", "590.7", "other-figure", "bf16-sparse"),  # 1978.9 over 3.35
    ("rule", "B > 481", "multiply-add-once", ""),
    ("rule", "B > 1/(819/197000 - 1/D - 1/F)", "exact-for-limit", ""),
    ("threshold", "B < 272.5", "reversed", ""),
    ("exact", "B > 295.2", "limit-for-exact", ""),
    ("threshold", "250", "rounded-input", ""),
    ("exact-integer", "344", "off-by-one", ""),
    ("smallest", "B > 273", "strictness", ""),
    ("time", "0.04099", "seconds-milliseconds", ""),  # 0.041 ms
    ("gather", "2V(n - 1)/n", "one-direction", ""),
    ("gather", "V(n - 1)", "per-chip-total", "n"),
    ("shared", "4.369e-6", "one-direction", "ici"),  # twice 2.1845e-6 s
    ("shared", "1.09e-6", "one-direction", "ici"),
]
NEVER = {
    "dropped-part": ("flops", "bytes", "time", "share"),  # one product has no parts
    "only-part": ("flops", "bytes", "intensity"),
    "all-pairs": ("flops", "layer", "backward"),
    "one-layer": ("flops", "layer", "lora"),
    "other-experts": ("flops", "decode"),
    "backward-once": ("flops", "decode", "adam"),
    "shorter-time": ("flops", "intensity", "threshold"),
    "sum-of-times": ("flops", "threshold", "bound"),
    "own-part": ("bytes", "flops", "time"),
    "binary-rate": ("bytes", "flops", "intensity"),
    "bit-rate": ("ridge", "time", "flops"),
    "intensity-of-a-product": ("intensity", "flops", "ridge"),
    "dropped-tensor": ("flops", "ridge", "bound"),
    "bytes-per-element": ("flops", "ridge"),
    "other-width": ("flops", "ridge"),
    "multiply-add-once": ("bytes", "ridge", "gather", "share", "softmax", "adam", "rms-norm", "masked"),
    "other-convention": ("bytes", "ridge", "gather"),
    "limit-for-exact": ("flops", "bytes", "ridge", "rule"),
    "forward-for-training": ("bytes", "intensity", "threshold", "softmax", "adam", "backward"),
    "per-chip-total": ("flops", "bytes", "training", "threshold", "ridge"),
    "one-direction": ("bytes", "ridge", "threshold", "time", "flops"),
    "other-figure": ("bytes", "flops", "intensity", "gather"),
    "other-chip": ("bytes", "flops", "intensity", "gather"),
    "rounded-input": ("bytes", "flops", "intensity"),
    "seconds-milliseconds": ("bytes", "ridge", "threshold"),
    "prefix": ("intensity", "axpy", "smallest"),
    "bits": ("flops", "threshold", "rule", "smallest"),
    "reciprocal": ("flops", "bytes", "time", "smallest"),
    "off-by-one": ("flops", "bytes", "ridge", "time", "threshold"),
    "share-for-ratio": ("ridge", "bytes", "flops", "threshold", "time"),
    "halved-twice": ("smallest", "bound", "ridge", "rule", "threshold", "flops", "intensity", "bytes", "time", "share"),
    "doubled": ("softmax", "adam", "training", "backward"),  # no multiply-adds; the backward pass was asked for
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "answer", "slip", "about"), [pytest.param(*row, id=f"{row[1]}") for row in GIVEN])
def test_a_slip_is_named_for_what_it_gives(name: str, answer: str, slip: str, about: str) -> None:
    found = grade(ASKED[name], answer)
    assert (found.slip, found.grade in ("wrong", "limit", "close")) == (slip, True)
    assert not about or found.about == about


def _pairs(asked: Question) -> list[Edit]:
    return [] if asked.asks == "bound" else [*islice(InAnswer(asked, lambda edit: True).pairs(), MOST)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("slip", "name"), [(slip, name) for slip, names in NEVER.items() for name in names])
def test_a_slip_is_not_offered_where_it_does_not_apply(slip: str, name: str) -> None:
    asked = ASKED[name]
    offered = {e.of.name for e in (*edits(asked), *_pairs(asked))}
    assert slip not in offered


def test_sparsity_is_a_slip_only_on_chips_that_list_it() -> None:
    sparse = {chip_.name: any("sparse" in e.about for e in edits(Question(MATMUL, chip_, asks="ridge")))
              for chip_ in (V5E, H100)}  # fmt: skip
    assert sparse == {"tpu-v5e": False, "h100-sxm": True}
    assert grade(ASKED["ridge"], "962.2").slip == ""  # twice the peak of int8, which its data sheet does not have


PAIRED = [
    ("bytes", "BD + DF", "bytes-per-element+dropped-tensor:z"),
    ("bytes", "2BF", "dropped-tensor:x+dropped-tensor:w"),
    ("intensity", "BDF/(2BD + 2DF)", "multiply-add-once+dropped-tensor:z"),
    ("intensity", "2BDF/(BD + DF)", "bytes-per-element+dropped-tensor:z"),
    ("flops", "500BDF", ""),  # a multiply-add counted once gives B D F, and a wrong prefix 1000 B D F
    ("flops", "1000BDF", "multiply-add-once+prefix"),
    ("time", "2.0495e-8", "bytes-per-element+seconds-milliseconds"),  # 20.495 us, and a thousandth
    ("time", "2.0e-8", ""),  # two digits fit too many values
]


@pytest.mark.parametrize(("name", "answer", "slip"), PAIRED)
def test_two_slips_together_are_named_where_none_fits(name: str, answer: str, slip: str) -> None:
    assert grade(ASKED[name], answer).slip == slip


def test_a_number_is_no_bound_that_the_same_integers_lie_beyond() -> None:
    """With a ridge point rounded to 241 the bound is 273.14, which is not written as 273.55."""
    assert [grade(ASKED["threshold"], text).slip for text in ("273.14", "B > 273.1", "274", "273.55", "B > 273.9")] == [
        "rounded-input", "rounded-input", "rounded-input", "", ""]  # fmt: skip


@pytest.mark.parametrize("asked", [q for q in ASKED.values() if q.asks != "bound"], ids=lambda q: q.asks)
def test_pairs_are_few_and_each_is_two_mistakes(asked: Question) -> None:
    made = _pairs(asked)
    assert len(made) <= MOST
    for edit in made:
        first, second = edit.full_name.split("+")
        assert first != second
    assert worth_trying(3) / 10**3 <= 1 / 100 and worth_trying(4) / 10**4 <= 1 / 100


@pytest.mark.slow
def test_random_numbers_are_not_accused_of_two_mistakes() -> None:
    draw = random.Random(11)
    asked = [q for q in ASKED.values() if q.asks != "bound"]
    paired = [(text, slip) for k in range(200)
              if "+" in (slip := grade(asked[k % len(asked)], text := str(draw.randint(10, 999))).slip)]  # fmt: skip
    assert len(paired) <= 1


def test_a_runner_up_is_as_likely_and_another_mistake() -> None:
    both = grade(ASKED["threshold"], "255.5")  # x and z have the same size if D = F
    assert (both.slip, both.runner_up) == ("dropped-tensor:z", "dropped-tensor:x")
    assert grade(ASKED["cache"], "2BNSgk").runner_up == "dropped-tensor:keys"  # only the keys, or one byte each
    assert grade(ASKED["bytes"], "BD + DF + BF").runner_up == ""  # int8 for bf16 is the same mistake
    assert grade(ASKED["flops"], "BDF").runner_up == ""
    assert grade(ASKED["causal"], "hkL^2 + hkL").runner_up == ""  # halved twice: rarer, and the same number


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("flops", "2BDF/3"),  # not a training step
        ("training", "18BLd(2LN + 12Nd + V)"),  # it is the training step already
        ("training", "12BLd(2LN + 12Nd + V)"),
        ("softmax", "10BN"),
        ("softmax", "15BN"),
        ("softmax", "2.5BN"),
        ("time", "20.5 us / 2"),
        ("threshold", "136.27"),  # half, which fits no chip, though TPU 8i has B > 136.56
    ],
)
def test_a_multiple_of_the_right_answer_is_no_slip_by_itself(name: str, answer: str) -> None:
    found = grade(ASKED[name], answer)
    assert (found.grade, found.slip) == ("wrong", "")
