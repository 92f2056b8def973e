"""Audits of functions: equal, or how they differ. Anything else is rejected in one line."""

import shlex
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roofproof.audit.audits import audit
from roofproof.audit.size_constraints import SizeConstraints
from roofproof.cli import main
from roofproof.derive import time
from roofproof.derive.inequalities.cases import substitute
from roofproof.errors import RoofproofError
from roofproof.export.explain.audits import explain_audit
from roofproof.export.to_text import untitled_text
from roofproof.hardware import any_chip, chip
from roofproof.ops import Operation, parse_operation
from roofproof.ops.library import entries
from roofproof.ops.notation.where import with_conditions
from roofproof.symbols import dimension

MATMUL = parse_operation("matmul")
B, D, F = map(dimension, "BDF")


def test_equal_by_symbols() -> None:
    found = audit(lambda B, D, F: 2 * B * D * F, MATMUL)
    assert (found.same, found.how, found.ratio, found.growth) == (True, "symbols", 1, 1)
    assert audit(lambda F, D, B: 2 * (B * D + D * F + B * F), MATMUL, "bytes").same


def test_a_function_is_held_to_the_sizes_that_the_operation_has() -> None:
    """D//n is D/n if n divides D, and pairs are counted if a window is no longer than its sequence."""
    found = audit(lambda B, D, F, n: 2 * B * (D // n) * F, parse_operation("sharded-matmul"))
    assert (found.verdict, found.how, str(found.theirs)) == ("equal", "symbols", "2*B*D*F/n")
    assert untitled_text(explain_audit(found)).splitlines()[3] == "assuming n divides D"

    def windows(h: int, L: int, k: int, W: int) -> int:
        if W > L:
            raise ValueError("no such window")
        return 4 * h * k * sum(min(i + 1, W) for i in range(L))

    def guarded(h: int, L: int, k: int, W: int) -> int:
        assert W <= L
        return 2 * h * k * W * (2 * L + 1 - W)

    def shared(B: int, D: int, F: int, X: int) -> int:
        assert B % X == 0
        return 12 * (B // X) * D * F

    assert audit(windows, parse_operation("sliding-window-attention")).verdict == "equal"
    assert audit(guarded, parse_operation("sliding-window-attention")).how == "symbols"
    assert audit(shared, parse_operation("data-parallel")).verdict == "equal"
    wrong = audit(lambda B, D, F, X: 12 * B * D * F, parse_operation("data-parallel"))
    assert (wrong.same, str(wrong.ratio)) == (False, "X")


@given(st.sampled_from(sorted(n for n in entries() if parse_operation(n).conditions)), st.data())
def test_points_are_moved_to_sizes_that_there_are(name: str, data: st.DataObject) -> None:
    operation = parse_operation(name)
    point = [data.draw(st.integers(1, 5000)) for _ in operation.dims]
    sizes = SizeConstraints.of(operation)
    moved = sizes.near(operation.dims, point)
    assert moved is not None
    at = {s.name: n for s, n in zip(operation.dims, moved, strict=True)}
    assert all(substitute(c, at) == sympy.true for c in sizes.about(operation.dims))


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
    found = audit(lambda B, D, F: 2 * B * D * F + B * F, MATMUL)  # the same for large D
    assert (found.same, found.growth) == (False, 1)
    assert audit(lambda B, D, F: 2 * B * D * F * D, MATMUL).growth == sympy.oo
    assert audit(lambda B, D, F: B * F, MATMUL).growth == 0


@pytest.mark.slow
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
        (lambda B, Q: B * Q, "the function takes 'Q', which is not a dimension of matmul; it has B, D, F"),
        (lambda *sizes: 1, "the function takes 'sizes', which is not a dimension of matmul; it has B, D, F"),
        (lambda B, D, F: "x", "the function returned 'x' at B = 25, D = 27, F = 3; expected a number"),
        (lambda B, D, F: None, "the function returned 'None' at B = 25, D = 27, F = 3; expected a number"),
        (lambda B, D, F: True, "the function returned 'True' at B = 25, D = 27, F = 3; expected a number"),
        (lambda B, D, F: float("inf"), "the function returned 'inf' at B = 25, D = 27, F = 3; expected a number"),
        (lambda B, D, F: 1 / 0, "the function fails at B = 25, D = 27, F = 3: ZeroDivisionError: 'division by zero'"),
        (lambda B, D, F: B * sympy.Symbol("q"), "the function returned 'q', which is none of its parameters"),
        (3, "'3' is not a function with named parameters"),
    ],
)
def test_refused(function: object, message: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        audit(function, MATMUL)  # type: ignore[arg-type]
    assert str(refused.value) == message


def test_a_function_that_changes_far_out_is_not_taken_for_its_beginning() -> None:
    found = audit(lambda B, D, F: 2 * int(B) * int(D) * int(F) + (1 if B > 1000 else 0), MATMUL)
    assert (found.theirs, found.how, found.verdict) == (None, "values", "different")
    assert found.regimes[0].at["B"] > 1000
    assert audit(lambda B, D, F: 2 ** int(B), MATMUL).verdict == "different"


def test_a_size_that_is_told_apart_is_not_lost_in_a_fit() -> None:
    found = audit(lambda B, D, F: 0 if B == 12345 else 2 * B * D * F, MATMUL)
    assert (found.theirs, found.how, found.verdict) == (None, "values", "different")
    found = audit(lambda B, D, F: 0 if int("98765") == B else 2 * B * D * F, MATMUL)  # no number appears in the code
    said = f"the same to nine digits at all of {found.points} sizes tried, which proves nothing about others"
    assert (found.theirs, found.how, found.verdict) == (None, "values", "near") and untitled_text(
        explain_audit(found)
    ).startswith(said)


LIMIT = 999983


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "function",
    [
        lambda B, D, F: 2 * B * D * F if B < 999983 else 0,
        lambda B, D, F: 2 * B * D * F if int(B) < 999983 else 0,
        lambda B, D, F: 2 * B * D * F if B < 1e6 else 0,  # float: a whole number all the same
        lambda B, D, F: 2 * B * D * F if B != 10**15 else 0,
        lambda B, D, F: 2 * B * D * F if B * D < 10**12 else 0,
        lambda B, D, F: 2 * B * D * F if B < LIMIT else 0,
        lambda B, D, F: 0 if (B, D) == (999983, 999983) else 2 * B * D * F,
    ],
)
def test_sizes_beside_the_numbers_that_a_function_names_are_tried(function: Callable[..., Any]) -> None:
    assert audit(function, MATMUL).verdict == "different"


# --- times ------------------------------------------------------------------------------------------

H100 = chip("h100-sxm")
PAIRS = [(o, c) for o in entries() for c in ("tpu-v5e", "h100-sxm", "a100-sxm-80gb") if o and c]


def times_of(name: str, on: str) -> tuple[Operation, dict[str, sympy.Expr]]:
    """Return a library operation with its times, or without any if the chip has no spec for it."""
    op = parse_operation(name)
    try:
        return op, time(op, chip(on))
    except RoofproofError:
        return op, {}


def python_function(op: Operation, forms: list[sympy.Expr], joined: str) -> Any:
    """Return a function as a tool would write it: Python's + * / and max or sum over the sizes."""

    def value(expr: sympy.Expr, sizes: dict[str, Any]) -> Any:
        if expr.is_Symbol:
            return sizes[expr.name]
        if expr.is_Rational:
            return Fraction(int(expr.p), int(expr.q))
        parts = [value(a, sizes) for a in expr.args]
        if expr.is_Pow:
            return parts[0] ** int(expr.exp) if expr.exp > 0 else Fraction(1) / parts[0] ** int(-expr.exp)
        total = parts[0]
        for part in parts[1:]:
            total = total + part if expr.is_Add else total * part
        return total

    def theirs(*given: Any) -> Any:
        times = [value(f, dict(zip(names, given, strict=True))) for f in forms]
        return max(times) if joined == "max" else sum(times)

    names = [s.name for s in op.dims]
    theirs.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in names])  # type: ignore
    return theirs


def rational(forms: Iterable[sympy.Expr]) -> bool:
    return all(e.is_Symbol or e.is_Rational or e.is_Add or e.is_Mul or (e.is_Pow and e.exp.is_Integer)
               for f in forms for e in sympy.preorder_traversal(f))  # fmt: skip


@pytest.mark.slow
@settings(max_examples=25)
@given(st.sampled_from(PAIRS), st.sampled_from([("lower", "max"), ("upper", "sum")]),
       st.fractions(Fraction(1, 9), 9, max_denominator=9).filter(lambda x: x != 1))  # fmt: skip
def test_the_time_of_every_operation_is_found_and_another_one_told(
    pair: tuple[str, str], how: tuple[str, str], slip: Fraction
) -> None:
    op, times = times_of(*pair)
    assume(times and op.dims and rational(times.values()))
    quantity, joined = how
    found = audit(python_function(op, list(times.values()), joined), op, quantity, chip(pair[1]))
    assert (found.verdict, found.how) == ("equal", "symbols")
    k = sympy.Rational(slip.numerator, slip.denominator)
    found = audit(python_function(op, [k * t for t in times.values()], joined), op, quantity, chip(pair[1]))
    assert found.verdict == "different"
    assert found.ratio == k or any(r.ratio == k for r in found.regimes)
    assert found.growth in (k, None)


def sparse(B: Any, D: Any, F: Any) -> Any:
    return max(2 * B * D * F / 1978e12, 2 * (B * D + D * F + B * F) / 3.35e12)  # float: as in a tool


def by_ridge(B: Any, D: Any, F: Any) -> Any:
    flops, moved = 2 * B * D * F, 2 * (B * D + D * F + B * F)
    return flops / 989e12 if flops / moved > 989e12 / 3.35e12 else moved / 3.35e12  # float: as in a tool


def exact_by_ridge(B: Any, D: Any, F: Any) -> Any:
    flops, moved = 2 * B * D * F, 2 * (B * D + D * F + B * F)
    return flops / 989e12 if flops * 3.35e12 >= moved * 989e12 else moved / 3.35e12  # float: as in a tool


def in_floats(B: Any, D: Any, F: Any) -> float:
    b, d, f = int(B), int(D), int(F)
    return max(2 * b * d * f / 989e12, 2 * (b * d + d * f + b * f) / 3.35e12)  # float: as in a tool


def test_a_peak_that_is_twice_as_high_halves_the_time_where_it_counts() -> None:
    found = audit(sparse, MATMUL, "lower", H100)
    assert (found.verdict, found.how, found.growth) == ("different", "symbols", sympy.Rational(1, 2))
    told = {(r.name, r.ratio) for r in found.regimes}
    assert {("bf16", sympy.Rational(1, 2)), ("memory", sympy.Integer(1))} < told
    for regime in found.regimes:  # the printed ratio is the one at the printed sizes
        sizes = [Fraction(regime.at[n]) for n in "BDF"]
        b, d, f = sizes
        times = {"bf16": 2 * b * d * f / 989 / 10**12, "memory": 2 * (b * d + d * f + b * f) / 335 / 10**10}
        theirs = max(times["bf16"] / 2, times["memory"])
        assert times[regime.name] == max(times.values())
        ratio = regime.ratio.subs({s: regime.at[s.name] for s in (B, D, F)})
        assert Fraction(int(ratio.p), int(ratio.q)) == theirs / times[regime.name]


def test_choosing_by_a_comparison_is_a_maximum_where_it_chooses_the_longer() -> None:
    assert audit(exact_by_ridge, MATMUL, "lower", H100).verdict == "equal"

    def shorter(B: Any, D: Any, F: Any) -> Any:
        flops, moved = 2 * B * D * F, 2 * (B * D + D * F + B * F)
        return flops / 989e12 if flops * 3.35e12 < moved * 989e12 else moved / 3.35e12  # float: as in a tool

    found = audit(shorter, MATMUL, "lower", H100)
    assert (found.how, found.verdict) == ("values", "different")


def test_a_ridge_rounded_by_floats_is_not_called_equal() -> None:
    found = audit(by_ridge, MATMUL, "lower", H100)
    assert (found.theirs, found.how, found.verdict) == (None, "values", "near")


def test_floats_are_compared_as_values_and_never_called_equal() -> None:
    found = audit(in_floats, MATMUL, "lower", H100)
    assert (found.theirs, found.how, found.verdict) == (None, "values", "near")
    assert "equal" not in untitled_text(explain_audit(found))
    found = audit(lambda B, D, F: 1.5 * in_floats(B, D, F), MATMUL, "lower", H100)  # float: a wrong one
    assert found.verdict == "different"
    assert all(abs(r.ratio - sympy.Rational(3, 2)) < sympy.Rational(1, 10**9) for r in found.regimes)


def test_a_constant_that_is_no_whole_number_is_read_as_printed() -> None:
    found = audit(lambda B, D, F: B * D * F * 0.1, MATMUL)  # float: as in a tool
    assert (found.ratio, found.decimals) == (sympy.Rational(1, 20), ("0.1",))
    found = audit(lambda B, D, F: B * D * F * (2 / 989e12), MATMUL, "time:bf16", H100)  # float: folded
    assert (found.verdict, found.decimals) == ("near", ("2.0222446916076846e-15",))
    assert "equal" not in untitled_text(explain_audit(found))


def test_sympy_and_numbers_of_other_kinds_go_through() -> None:
    exact = "time:memory", H100
    assert audit(lambda B, D, F: sympy.Max(B * D, 1) * 0 + 2 * (B * D + D * F + B * F) / Decimal("3.35e12"),
                 MATMUL, *exact).verdict == "equal"  # fmt: skip
    assert audit(lambda B, D, F: sympy.Max(2 * B * D * F / 989e12, 2 * (B * D + D * F + B * F) / 3.35e12),
                 MATMUL, "lower", H100).verdict == "equal"  # fmt: skip
    numpy = pytest.importorskip("numpy")
    peak = numpy.float64(989e12)
    assert audit(lambda B, D, F: 2 * B * D * F / peak, MATMUL, "time:bf16", H100).verdict == "equal"


def test_positive_sizes_pass_the_checks_a_function_makes_of_them() -> None:
    def checked(B: Any, D: Any, F: Any) -> Any:
        if B <= 0 or D < 1 or not F:
            raise ValueError("sizes are positive")
        return 2 * B * D * F

    found = audit(checked, MATMUL)
    assert (found.verdict, found.how) == ("equal", "symbols")


NO_BF16 = "chip 'custom' has no spec 'bf16'; it has fp16, hbm; add it, as --chip \"..., bf16=NUMBER FLOP/s\""


@pytest.mark.parametrize(
    ("quantity", "on", "message"),
    [
        ("speed", None, "unknown quantity 'speed'; known: bytes, flops, lower, time:bf16, time:memory, upper"),
        ("time:", H100, "unknown quantity 'time:'; did you mean 'time:bf16' or 'time:memory'?"),
        ("time:int8", H100, "unknown quantity 'time:int8'; known: lower, time:bf16, time:memory, upper"),
        ("lower:hbm", H100, "unknown quantity 'lower:hbm'; did you mean 'lower'?"),
        (
            "time", H100,
            "matmul has a time for each resource: time:bf16, time:memory; lower is the longest, upper the sum",
        ),
        ("lower", None, "lower is a time on a chip; name it, such as --chip tpu-v5e"),
        ("time:hbm", None, "time is a time on a chip; name it, such as --chip tpu-v5e"),
        ("flops", H100, "flops are the same on every chip; --chip requires lower, upper or time:RESOURCE"),
        ("lower", any_chip("fp16=2 FLOP/s, hbm=1 B/s"), NO_BF16),
    ],
)  # fmt: skip
def test_times_refused(quantity: str, on: Any, message: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        audit(lambda B, D, F: B, MATMUL, quantity, on)
    assert str(refused.value) == message


def test_nothing_to_compare_with() -> None:
    with pytest.raises(RoofproofError, match=r"^stream-copy has no FLOPs to compare with$"):
        audit(lambda N: N, parse_operation("stream-copy"))


def test_a_function_is_compared_at_sizes_that_there_are() -> None:
    none = with_conditions(MATMUL, "B^2 == 2 D^2 + 1; D >= 10^30")
    with pytest.raises(RoofproofError, match=r"found no sizes with .*; the function was not compared"):
        audit(lambda B, D, F: 2 * B * D * F if B % 2 else 0, none)


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("function", "status", "said"),
    [
        ("theirs:good", 0, "equal, for all sizes"),
        ("theirs:slow --quantity upper --chip 'bf16=1 FLOP/s, hbm=1 B/s'", 0, "equal, for all sizes"),
        (
            "theirs:good --quantity lower --chip tpu-v5e",
            1,
            "differs: the ratio to the derived value depends on the sizes",
        ),
        ("theirs:good --quantity lower --chip nowhere", 2, "roofproof: unknown chip 'nowhere'"),
        ("theirs:good --quantity lower", 2, "roofproof: lower is a time on a chip; name it, such as --chip tpu-v5e"),
        ("theirs:half", 1, "differs: add B*D*F"),
        ("theirs:missing", 2, "roofproof: cannot load 'theirs:missing': module 'theirs' has no attribute 'missing'"),
        ("nowhere:f", 2, "roofproof: cannot load 'nowhere:f': No module named 'nowhere'"),
        ("leaves:f", 2, "roofproof: cannot load 'leaves:f': 7"),
        ("broken:f", 2, "roofproof: cannot load 'broken:f': "),
        ("theirs", 2, "roofproof: expected MODULE:FUNCTION or a formula such as '2*M*N*K', got 'theirs'"),
        ("./theirs.py:half", 2, "roofproof: `audit FILE.py:NAME` was removed; use `roofproof audit MODULE:NAME`"),
        ("theirs:__import__(os)", 2, "roofproof: expected MODULE:FUNCTION"),
    ],
)
def test_command(
    function: str, status: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    good = "def good(B, D, F): return 2*B*D*F\ndef half(B, D, F): return B*D*F\n"
    good += "def slow(B, D, F): return 2*B*D*F + 2*(B*D + D*F + B*F)\n"
    for name, text in (("theirs", good), ("leaves", "raise SystemExit(7)"), ("broken", "def (")):
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["audit", "--op", "matmul", *shlex.split(function)]) == status
    shown = capsys.readouterr()
    assert said in (shown.err if status == 2 else shown.out)
    assert shown.err.count("\n") == (status == 2)
