"""Auditing somebody's function: equal, or how it differs; what is no such function is refused in one line."""

from fractions import Fraction
from pathlib import Path

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.ops import parse_operation
from roofproof.proofs.audits import audit
from roofproof.symbols import dimension

MATMUL = parse_operation("matmul")
B, D, F = map(dimension, "BDF")


def test_equal_by_symbols() -> None:
    found = audit(lambda B, D, F: 2 * B * D * F, MATMUL)
    assert (found.same, found.how, found.ratio, found.growth) == (True, "symbols", 1, 1)
    assert audit(lambda F, D, B: 2 * (B * D + D * F + B * F), MATMUL, "bytes").same


def test_equal_by_samples() -> None:
    def counted(B: int, D: int, F: int) -> int:
        return sum(2 for _ in range(int(B))) * int(D) * int(F)

    found = audit(counted, MATMUL)
    assert (found.same, found.how, found.theirs) == (True, "samples", 2 * B * D * F)


def test_whole_floats_are_exact_values() -> None:
    def counted(B: int, D: int, F: int) -> float:
        return float(2 * int(B) * int(D) * int(F))  # float: what somebody's function returns

    assert audit(counted, MATMUL).same


def test_different() -> None:
    found = audit(lambda B, D, F: B * D * F, MATMUL)
    assert (found.same, found.ratio, found.growth) == (False, sympy.Rational(1, 2), sympy.Rational(1, 2))
    found = audit(lambda B, D, F: 2 * B * D * F + B * F, MATMUL)  # the same where D is large
    assert (found.same, found.growth) == (False, 1)
    assert audit(lambda B, D, F: 2 * B * D * F * D, MATMUL).growth == sympy.oo
    assert audit(lambda B, D, F: B * F, MATMUL).growth == 0


@settings(max_examples=10)
@given(st.lists(st.fractions(Fraction(1, 9), 9, max_denominator=9), min_size=3, max_size=3), st.integers(1, 9))
def test_a_rational_function_is_found_from_its_values(coefficients: list[Fraction], more: int) -> None:
    a, b, c = coefficients

    def theirs(N: int) -> Fraction:
        n = int(N)
        return (a * n * n + b * n + c) / (n + more)

    found = audit(theirs, parse_operation("dot"))
    exact = [sympy.Rational(x.numerator, x.denominator) for x in coefficients]
    n = dimension("N")
    assert sympy.cancel(found.theirs - (exact[0] * n**2 + exact[1] * n + exact[2]) / (n + more)) == 0
    assert not found.same


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda B, Q: B * Q, "the function takes 'Q', which is no dimension of matmul; it has B, D, F"),
        (lambda *sizes: 1, "the function takes 'sizes', which is no dimension of matmul; it has B, D, F"),
        (lambda B, D, F: "x", "the function returned 'x'; integers, Fractions or symbols are compared exactly"),
        (lambda B, D, F: None, "the function returned 'None'; integers, Fractions or symbols are compared exactly"),
        (lambda B, D, F: True, "the function returned 'True'; integers, Fractions or symbols are compared exactly"),
        (
            lambda B, D, F: 2 * int(B) + 0.5,  # float: what somebody's function returns
            "the function returned '50.5'; integers, Fractions or symbols are compared exactly",
        ),
        (lambda B, D, F: 1 / 0, "the function fails at B = 25, D = 27, F = 3: ZeroDivisionError: 'division by zero'"),
        (lambda B, D, F: B * sympy.Symbol("q"), "the function returned 'q', which is none of its parameters"),
        (lambda B, D, F: 2 ** int(B), "no rational closed form of low degree fits the values of the function"),
        (3, "'3' is no function whose parameters can be seen"),
    ],
)
def test_refused(function: object, message: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        audit(function, MATMUL)  # type: ignore[arg-type]
    assert str(refused.value) == message


def test_a_function_that_changes_far_out_is_not_taken_for_its_beginning() -> None:
    with pytest.raises(RoofproofError, match="no rational closed form"):
        audit(lambda B, D, F: 2 * int(B) * int(D) * int(F) + (1 if B > 1000 else 0), MATMUL)


@pytest.mark.parametrize(
    ("function", "status", "said"),
    [
        ("theirs:good", 0, "equal, for all sizes"),
        ("theirs:half", 1, "different: the function gives 1/2 of what is derived"),
        ("theirs:missing", 2, "roofproof: cannot load 'theirs:missing': module 'theirs' has no attribute 'missing'"),
        ("nowhere:f", 2, "roofproof: cannot load 'nowhere:f': No module named 'nowhere'"),
        ("leaves:f", 2, "roofproof: cannot load 'leaves:f': 7"),
        ("broken:f", 2, "roofproof: cannot load 'broken:f': "),
        ("theirs", 2, "roofproof: expected MODULE:FUNCTION, got 'theirs'"),
        ("theirs:__import__('os')", 2, "roofproof: expected MODULE:FUNCTION"),
    ],
)
def test_command(
    function: str, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    good = "def good(B, D, F): return 2*B*D*F\ndef half(B, D, F): return B*D*F\n"
    for name, text in (("theirs", good), ("leaves", "raise SystemExit(7)"), ("broken", "def (")):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["audit", function, "--op", "matmul"]) == status
    shown = capsys.readouterr()
    assert said in (shown.err if status == 2 else shown.out)
    assert shown.err.count("\n") == (status == 2)
