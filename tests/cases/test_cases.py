"""Small inputs from reports and questions of people who count FLOPs and bytes, each with its value by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from roofproof import threshold, trace
from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language.book import Unusable, read_book
from roofproof.claims.verifying import verify
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.ops import parse_operation

HERE = Path(__file__).parent


def verdicts(name: str) -> dict[str, str]:
    """Return the verdict on each claim of a file in this folder, with its mistake."""
    found = verify([str(HERE / name)])
    return {each.id: f"{each.kind} {each.verdict.slip or ''}".strip() if each.verdict else each.kind for each in found}


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    """Return a function that runs a command and returns its exit status and its output."""

    def asked(*words: str) -> tuple[int, str]:
        try:
            code = main([*words]) or 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        out, err = capsys.readouterr()
        return code, out + err

    return asked


@pytest.fixture
def grade(said: Callable[..., tuple[int, str]]) -> Callable[..., str]:
    def graded(answer: str, *words: str) -> str:
        code, text = said("grade", *words, "--json", f"--answer={answer}")
        assert code in (0, 1), text
        return str(json.loads(text)["grade"])

    return graded


def test_01_a_product_of_complex_numbers_is_six_flops_and_a_sum_two() -> None:
    assert verdicts("01-complex-product.toml") == {"product": "verified", "axpy": "verified", "threshold": "verified"}


def test_02_anything_may_be_counted_per_second() -> None:
    assert set(verdicts("02-per-second.toml").values()) <= {"verified", "rounded"}


def test_03_the_name_of_a_mistake_is_taken_as_it_is_printed() -> None:
    assert verdicts("03-slip-name.toml") == {"a": "refuted prefix:binary"}


def test_05_nested_roundings_of_whole_numbers() -> None:
    assert set(verdicts("05-rounding.toml").values()) == {"verified"}


@pytest.mark.parametrize("op", ["weights:{}", "kv-cache:{},bits=kv", "{}:decode,S=64"])
def test_06_weights_that_are_stored_in_four_bits_are_no_bf16(op: str, tmp_path: Path) -> None:
    """Quantized weights and a quantized cache require a number format."""
    data = json.loads((HERE / "06-quantised.json").read_text())
    if op.startswith("kv"):
        data["quantization_config"] = {"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}
    (path := tmp_path / "config.json").write_text(json.dumps(data))
    with pytest.raises(RoofproofError, match=r"are quantized|say in which format"):
        parse_operation(op.replace(",bits=kv", "").format(path))


@pytest.mark.frameworks
def test_12_flex_attention_says_what_to_call() -> None:
    """flex_attention is rejected, because its mask is code and a call without one runs the compiler."""
    torch = pytest.importorskip("torch")
    flex = pytest.importorskip("torch.nn.attention.flex_attention").flex_attention
    shapes = "q:bf16[B,8,L,64], k:bf16[B,8,L,64], v:bf16[B,8,L,64]"
    with pytest.raises(RoofproofError, match="call scaled_dot_product_attention, with is_causal=True or attn_mask"):
        trace.torch(lambda q, k, v: flex(q, k, v), shapes)
    attend = torch.nn.functional.scaled_dot_product_attention
    plain = trace.torch(lambda q, k, v: attend(q, k, v), shapes)
    B, L = (next(s for s in plain.dims if s.name == name) for name in "BL")
    assert plain.compute["bf16"] == 2048 * B * L**2


@pytest.mark.frameworks
def test_13_a_loop_over_a_symbolic_size_says_how_it_is_traced() -> None:
    torch = pytest.importorskip("torch")

    def recurrence(x, a):  # type: ignore[no-untyped-def]
        state, out = torch.zeros_like(x[:, 0]), []
        for t in range(x.shape[1]):
            state = state * a + x[:, t]
            out.append(state * 2)
        return torch.stack(out, 1)

    with pytest.raises(RoofproofError, match="--unrolled"):
        trace.torch(recurrence, "x:fp32[B,L,D], a:fp32[D]")


@pytest.mark.frameworks
def test_14_formats_that_a_framework_refuses_are_refused() -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(RoofproofError):
        trace.torch(torch.nn.Linear(64, 256, bias=False), "input:bf16[B,64]")


def test_15_a_logarithm_to_another_base_is_read(grade) -> None:  # type: ignore[no-untyped-def]
    assert grade("5 ln(N)/(32 ln 2)", "--op", "fft", "--asks", "intensity") == "right"


@pytest.mark.parametrize(
    ("answer", "words", "right"),
    [
        ("1/B + 1/D + 1/F < 1/R", ("--op", "matmul", "--chip", "h100-sxm", "--for", "B"), "right"),
        ("B^2 > 345 B", ("--op", "matmul", "--chip", "h100-sxm", "--for", "B", "--at", "D=4096,F=4096"), "digits"),
        ("6 B/FLOP", ("--op", "axpy:x=fp32", "--asks", "intensity"), "right"),
        ("6 bytes per flop", ("--op", "axpy:x=fp32", "--asks", "intensity"), "right"),
    ],
)  # fmt: skip
def test_15_answers_that_are_right_are_read(answer: str, words: tuple[str, ...], right: str, grade) -> None:  # type: ignore[no-untyped-def]
    assert grade(answer, *words) == right


def test_15_a_decimal_comma_is_asked_about(said) -> None:  # type: ignore[no-untyped-def]
    """The answer 0,138 may be 0.138 or two numbers."""
    words = ("--op", "matmul", "--chip", "bf16=138.02 GFLOP/s, hbm=1 TB/s", "--asks", "ridge", "--answer", "0,138")
    status, text = said("grade", *words)
    assert status == 2 and "is 0,138 one number? write it with a decimal point: 0.138" in text


def test_15_an_answer_may_begin_with_a_minus(said) -> None:  # type: ignore[no-untyped-def]
    assert said("grade", "--op", "matmul", "--asks", "flops", "--answer", "-2BDF")[0] == 1


@pytest.mark.parametrize(
    ("op", "answers"),
    [
        ("dot", ("2N", "2N - 1")),
        ("x:fp64[N], y:fp64[N] -> s:fp64[]", ("2N", "2N - 1")),
        ("sum", ("BN", "B(N - 1)")),
        ("matmul", ("2BDF", "BF(2D - 1)")),
    ],
)
def test_16_both_conventions_of_a_sum_are_right(op: str, answers: tuple[str, str], grade) -> None:  # type: ignore[no-untyped-def]
    assert [grade(answer, "--op", op, "--asks", "flops") for answer in answers] == ["right", "right"]


@pytest.mark.parametrize(("op", "answer"), [("dot:x=fp64,y=fp64", "1/8"), ("dot", "1/2")])
def test_16_the_intensity_of_a_dot_product_is_that_of_textbooks(op: str, answer: str, grade) -> None:  # type: ignore[no-untyped-def]
    assert grade(answer, "--op", op, "--asks", "intensity") in ("right", "limit")


def test_17_a_threshold_of_degree_three_is_told_in_numbers(said) -> None:  # type: ignore[no-untyped-def]
    words = (str(HERE / "17-star.toml"), "--chip", "fp32-vector=6 TFLOP/s, hbm=400 GB/s", "--for", "r", "--at", "n=512")
    text = said("derive", *words)[1]
    assert "root(" not in text and "10.56" in text and "1427.9" in text


def test_17_its_smallest_size() -> None:
    found = threshold(str(HERE / "17-star.toml"), "fp32-vector=6 TFLOP/s, hbm=400 GB/s", "r", at="n=512")
    assert found.integer == 11  # (12 r + 1) 512^3 FLOPs, 4 ((512 + 2 r)^3 + 512^3) bytes, a ridge point of 15


def test_18_billions_are_among_the_readings_that_are_offered() -> None:
    claims = read_book(str(HERE / "18-billions.toml")).claims
    assert [isinstance(claim, Unusable) and "'6.7 * 10^9'" in claim.message for claim in claims] == [True, True]


@pytest.mark.slow
def test_21_a_condition_is_found_beside_a_counterexample() -> None:
    [claim] = read_book(str(HERE / "21-slow.toml")).claims
    assert not isinstance(claim, Unusable)
    verdict = judge_quietly(claim)
    assert (verdict.kind, verdict.condition) == ("conditional", "c >= 0")


def test_22_a_table_without_an_operation_says_where_one_goes(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    """At 3.35 TB/s, 34 MB take 10.1 us, so that 20 us are possible."""
    for head, row, status, told in (
        ("op,B,D,F,median_us", "matmul,16,4096,4096,20", 0, "measured 20 us = 1.981 x minimum: possible"),
        ("B,D,F,median_us", "16,4096,4096,20", 2, "give it as PATH, or in a column 'operation'"),
    ):
        (path := tmp_path / "t.csv").write_text(f"{head}\n{row}\n")
        code, text = said("time", "--measured", str(path), "--chip", "h100-sxm")
        assert code == status and told in text


@pytest.mark.frameworks
def test_25_what_is_taken_no_times_is_not_read() -> None:
    torch = pytest.importorskip("torch")
    made = trace.torch(lambda c, a, b: torch.addmm(c, a, b, beta=0), "c:fp32[M,N], a:fp32[M,K], b:fp32[K,N]")
    K, M, N = (next(s for s in made.dims if s.name == name) for name in "KMN")
    assert made.bytes() - (4 * K * M + 4 * K * N + 4 * M * N) == 0
