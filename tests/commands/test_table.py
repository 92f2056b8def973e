"""The results that roofline texts print, exactly: each through the functions and through the command."""

import json
from fractions import Fraction
from typing import Any

import pytest
import sympy

from roofproof import RoofproofError, chip, intensity, limit, op, ridge, threshold
from roofproof.cli import main
from roofproof.derive import Above, Always, Never
from roofproof.derive.inequalities.cases import Threshold
from roofproof.formats import BITS, bytes_per_element
from roofproof.hardware import chip_names
from roofproof.symbols import dimension, quantity

NAMES: dict[str, sympy.Symbol] = {n: dimension(n) for n in "BDFN"} | {"R": quantity("R")}
B, D, F, N, R = (NAMES[n] for n in "BDFNR")
V5E = "tpu-v5e@scaling-book"  # 1.97e14 FLOP/s and 8.2e11 B/s, as the text prints them
INT8 = "int8=3.94e14 FLOP/s, hbm=8.1e11 B/s"
PER_EXAMPLE = "int8[B,D], int8[B,D,F] -> int8[B,F]"


def read(text: str) -> sympy.Expr:
    """Read a string of the record as anyone would, with SymPy and the names of the dimensions."""
    return sympy.sympify(text, locals=NAMES)


def same(one: sympy.Expr, other: sympy.Expr) -> bool:
    return sympy.cancel(one - other) == 0


def exact(number: sympy.Expr) -> Fraction:
    assert number.is_Rational
    return Fraction(int(number.p), int(number.q))


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Return the record that `roofproof derive ... --json` prints."""
    assert main(["derive", *arguments, "--json"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    record: dict[str, Any] = json.loads(shown.out, parse_float=lambda text: text)
    return record


def bound(found: Threshold | None) -> Fraction:
    """Return the bound of a strict `x > number`."""
    assert isinstance(found, Above) and found.strict
    return exact(found.at)


def test_dot_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    record = command(capsys, "dot", "--for", "N", "--regime", "N -> oo")
    assert same(read(record["intensity"]), (2 * N - 1) / (4 * N + 2))
    [rule] = record["limits"]
    assert rule["regime"] == "N -> oo" and rule["trust"] == "kernel"
    assert exact(read(rule["value"])) == Fraction(1, 2)
    assert same(read(rule["relative_error"]), 2 / (2 * N - 1))


MATMUL = B * D * F / (B * D + D * F + B * F)


def test_matmul_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    record = command(capsys, "matmul", "--for", "B", "--regime", "D, F >> B")
    assert record["dims"] == ["B", "D", "F"] and read(record["flops"]) == 2 * B * D * F
    assert same(read(record["bytes"]), 2 * B * D + 2 * D * F + 2 * B * F)
    assert same(read(record["intensity"]), MATMUL)
    [rule] = record["limits"]
    assert read(rule["value"]) == B and same(read(rule["relative_error"]), B / D + B / F)


def is_when(when: Any) -> bool:
    """Tell whether a condition is D F > R (D + F), divided by something positive."""
    if when.rel_op not in ("<", ">"):
        return False
    ratio = sympy.cancel((when.gts - when.lts) / (D * F - R * (D + F)))
    return bool(ratio.is_positive)


def test_matmul_against_a_symbolic_ridge_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    record = command(capsys, "matmul", "--for", "B")
    first, last = record["threshold"]["cases"]
    assert (first["kind"], first["strict"], last["kind"], last["at"]) == ("above", True, "never", None)
    assert same(read(first["at"]), R * D * F / (D * F - R * (D + F)))
    assert is_when(read(first["when"])) and read(last["when"]) == sympy.Not(read(first["when"]))
    assert record["ridge"] == "R" and record["threshold"]["trust"] == "kernel"


# operation, chip, ridge, rule of thumb for B, (D = F, smallest integer B or None for never)
BATCHES: list[tuple[str, str, Fraction, Fraction, dict[int, int | None]]] = [
    ("matmul", V5E, Fraction(9850, 41), Fraction(9850, 41), {4096: 273, 1024: 453, 480: None, 481: 225612}),
    ("matmul", "h100-sxm", Fraction(19780, 67), Fraction(19780, 67), {}),  # 9.89e14 / 3.35e12
    ("matmul", "a100-80gb-sxm", Fraction(312000, 2039), Fraction(312000, 2039), {}),  # 3.12e14 / 2.039e12
    ("matmul:int8", INT8, Fraction(39400, 81), Fraction(19700, 81), {}),  # 2 B > 486.4
    ("matmul:int8", "tpu-v5e@scaling-book-2025", Fraction(39400, 81), Fraction(19700, 81), {}),
    ("bf16[B,D], int8[D,F] -> bf16[B,F]", V5E, Fraction(9850, 41), Fraction(4925, 41), {4096: 137, 1024: 227}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "on", "critical", "rule", "sizes"), BATCHES)
def test_batches(what: str, on: str, critical: Fraction, rule: Fraction, sizes: dict[int, int | None]) -> None:
    resource = next(iter(op(what).compute))
    assert exact(ridge(chip(on), resource)) == critical
    proved = threshold(op(what), chip(on), "B", regime="D, F >> B")
    assert proved.trust == "kernel"
    assert proved.rules[0].threshold is not None
    [case] = proved.rules[0].threshold
    assert case.when == sympy.true and bound(case.threshold) == rule
    for size, integer in sizes.items():
        found = threshold(op(what), chip(on), "B", {"D": size, "F": size}).found
        assert found.integer == integer
        if integer is None:
            assert isinstance(found.at_point, Never)
        else:
            assert integer - 1 <= bound(found.at_point) < integer


INT8_CHIPS = [n for n in chip_names() if chip(n).has("int8")]


def test_per_example_weights() -> None:
    value = intensity(op(PER_EXAMPLE)).value
    assert value == intensity(op("per-example-weights")).value
    assert limit(value, "D, F >> B").value == 2
    assert len(INT8_CHIPS) >= 37


@pytest.mark.parametrize("name", chip_names())
def test_per_example_weights_are_never_compute_bound_in_any_format(name: str) -> None:
    """Each weight is used once: 2 FLOPs over its bytes is below the ridge of every chip listed."""
    for dtype in (f for f in BITS if chip(name).has(f)):
        one = op(f"per-example-weights:{dtype}")
        for unknown in "BDF" if dtype == "int8" else "D":
            proved = threshold(one, chip(name), unknown)
            assert [case.threshold for case in proved.found.cases] == [Never()] and proved.trust == "kernel"
        assert limit(intensity(one).value, "D, F >> B").value == 2 / sympy.Rational(str(bytes_per_element(dtype)))


@pytest.mark.parametrize("what", ["split-matmul", "flops bf16 = B D F; bytes ici = 2 B F"])
def test_two_chips_that_split_d_by_the_command(what: str, capsys: pytest.CaptureFixture[str]) -> None:
    record = command(capsys, what, "--chip", V5E, "--for", "D")
    [case] = record["threshold"]["cases"]
    assert (case["when"], case["kind"], case["strict"]) == ("True", "above", True)
    assert exact(read(case["at"])) == Fraction(78800, 9)
    assert record["threshold"]["integer_at_point"] == 8756 and "B" in record["dims"]


def test_a_teraflop_on_an_h100_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    record = command(capsys, "flops bf16 = 1e12", "--chip", "h100-sxm")
    assert exact(read(record["time"]["lower"])) == exact(read(record["time"]["upper"])) == Fraction(1, 989)
    assert main(["derive", "flops bf16 = 1e12", "--chip", "h100-sxm"]) == 0
    assert "≈ 1.0111 ms" in capsys.readouterr().out


def test_always() -> None:
    """A chip slow enough is always compute-bound: the fourth kind of answer."""
    proved = threshold(op(PER_EXAMPLE), chip("int8=1e10 FLOP/s, hbm=1e12 B/s"), "B", {"D": 1, "F": 1})
    assert proved.found.at_point == Always() and proved.found.integer == 1


def test_a_table_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    main(
        [
            "derive",
            "--as",
            "table",
            "matmul",
            "--chip",
            "tpu-v5e",
            "--for",
            "B",
            "--at",
            "D=4096,F=4096",
            "--lang",
            "zh",
        ]
    )
    assert capsys.readouterr().out.splitlines()[2:] == [
        "matmul，对 B 求解，取 D = 4096, F = 4096",
        "B > R*D*F/(D*F - R*(D + F))    当 1/D + 1/F < 1/R",
        "永不                           其他情形",
        "已证明",
        "",
        "芯片     bf16            R         计算受限    整数 B",
        "tpu-v5e  1.97e14 FLOP/s  ≈ 240.54  B > 272.55  273",
    ]


def test_a_size_that_is_given_is_put_in_where_others_are_open(capsys: pytest.CaptureFixture[str]) -> None:
    found = command(capsys, "matmul", "--chip", V5E, "--for", "B", "--at", "D=4096")
    assert found["dims"] == ["B", "F"]
    whole = threshold("matmul", V5E, "B", at={"D": 4096})
    for f in (300, 4096, 20000):
        assert (
            whole.found.threshold_at({"F": f, "R": Fraction(9850, 41)})
            == threshold("matmul", V5E, "B", at={"D": 4096, "F": f}).found.at_point
        )
    free = command(capsys, "flash-attention", "--chip", "h100-sxm", "--for", "L", "--at", "h=32")
    assert free["threshold"]["integer_at_point"] == 591  # free of k: the answer is as it was


def test_a_corner_goes_with_a_share(capsys: pytest.CaptureFixture[str]) -> None:
    for more in ((), ("--for", "B")):
        assert main(["derive", "matmul", "--chip", "h100-sxm", "--corner", "max", *more]) == 2
        assert capsys.readouterr().err.startswith("roofproof: --corner requires --")
    with pytest.raises(RoofproofError, match="--corner requires --share"):
        threshold("matmul", "h100-sxm", "B", corner="max")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_a_chip_decides_alone_is_exact_in_a_table(lang: str, capsys: pytest.CaptureFixture[str]) -> None:
    rule, never = {"en": ("rule of thumb", "never"), "zh": ("经验法则", "永不")}[lang]
    assert (
        main(["derive", "--as", "table", "spmv", "--for", "Z", "--chip", "h100-sxm", "--lang", lang]) == 0
    )  # 1/6 is below 10
    out = capsys.readouterr().out
    assert rule not in out and out.split()[-1] == never
    both = ["--chip", "tpu-v5e", "--chip", "h100-sxm"]
    assert main(["derive", "--as", "table", "matmul", "--for", "B", *both, "--at", "D=280", "--lang", lang]) == 0
    out = capsys.readouterr().out  # 280 is between their ridge points
    assert rule in out and out.splitlines()[-1].endswith({"en": "never (exact)", "zh": "永不（精确）"}[lang])


def test_nonzeros_are_many_beside_rows_and_never_few(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("spmv", "spmm", "sddmm"):
        [one] = command(capsys, name, "--for", "Z")["limits"]
        assert one["regime"] == "Z -> oo"


def test_weights_for_a_sparse_engine_are_not_counted_dense(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("matmul:fp8-sparse", "matmul:fp8@fp8-sparse"):
        assert main(["derive", text, "--chip", "h100-sxm", "--for", "B"]) == 2
        assert "a 2:4 sparse product stores half of its weights" in capsys.readouterr().err
    written = "flops fp8-sparse = 2 B D F; bytes hbm = B D + 5 D F/8 + B F"
    found = command(capsys, written, "--chip", "h100-sxm", "--for", "B", "--at", "D=4096,F=4096")
    assert found["threshold"]["integer_at_point"] == 519


def test_an_answer_that_fits_no_memory_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    [said] = command(capsys, "fft", "--chip", "h100-sxm", "--for", "N")["unchecked"]  # 16 bytes for each of 2^64 + 1
    assert said == "y alone takes 2.95e20 bytes, and hbm of h100-sxm holds 80000000000"
    for lang, words in (("en", said), ("zh", "仅 y 就占 2.95e20 字节")):
        assert main(["derive", "fft", "--chip", "h100-sxm", "--for", "N", "--lang", lang]) == 0
        assert words in capsys.readouterr().out
    assert "unchecked" not in command(capsys, "matmul", "--chip", V5E, "--for", "B", "--at", "D=4096,F=4096")
