"""Thresholds on many chips, in tables and the atlas: one proof covers all, and each row is the answer for its chip."""

import io
from contextlib import redirect_stderr, redirect_stdout
from fractions import Fraction
from functools import cache
from time import monotonic, sleep

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from set_out import comparison_table, comparison_text, derivation

from roofproof import RoofproofError, chip, op, threshold
from roofproof.cli import main
from roofproof.clock import within
from roofproof.derive.atlas import parts
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.on_chips import Comparison, OnChip, thresholds
from roofproof.derive.roofline.own_format import forms
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import Stopped
from roofproof.export.explain.atlas import explain_atlas
from roofproof.export.outline import outline
from roofproof.export.to_text import spaced_text
from roofproof.hardware import Chip, any_chip
from roofproof.ops import Operation
from roofproof.proofs.kernel.terms import variables
from roofproof.symbols import dimension

B, D = map(dimension, "BD")
CHIPS = [chip("tpu-v5e"), chip("h100-sxm"), chip("mi300x"), chip("apple-m1")]
NAMES = ("add", "matmul", "layer-norm", "attention-core", "decode-attention", "stencil7", "gated-ffn", "sharded-matmul")


def compare(*asked: object) -> Comparison:
    """Return the thresholds on chips for which an operation has the same FLOPs and bytes."""
    [found] = thresholds(*asked)
    return found


@cache
def rows_of(name: str) -> list[tuple[Comparison, OnChip]]:
    """Return the symbolic thresholds of an operation on each chip, in every format and for every dimension."""
    asked = ((op, x.name) for op in forms(CHIPS, name).values() for x in op.dims)
    return [(found, row) for how in asked for found in thresholds(*how, CHIPS) for row in found.rows if row.able]


def exceeds(operation: Operation, on: Chip, sizes: dict[str, int]) -> bool:
    """Return whether computing takes longer than every transfer, by substitution only."""
    times = {}
    for resource, demand in operation.demands.items():
        amount = substitute(demand, sizes)
        times[resource] = Fraction(int(amount.p), int(amount.q)) / supply(on, resource).value
    computing = max(t for r, t in times.items() if r in operation.compute)
    return all(computing > t for r, t in times.items() if r not in operation.compute)


sizes = st.sampled_from([1, 2, 7, 64, 128, 500, 4096, 10**5])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10)
@given(st.data())
def test_rows_are_right_by_substitution(name: str, data: st.DataObject) -> None:
    whole, row = data.draw(st.sampled_from(rows_of(name)))
    made, x = whole.op, whole.unknown
    point = {s.name: data.draw(sizes, s.name) for s in made.dims if s != x}
    if any(substitute(c, point) == sympy.false for c in made.conditions):
        with pytest.raises(RoofproofError, match="assumes that"):
            thresholds(made, x.name, [row.chip], point)
        return
    [there] = compare(made, x.name, [row.chip], point).rows
    smallest = there.integer
    tried = {data.draw(sizes), *([smallest, max(1, smallest - 1), smallest + 1] if smallest else [])}
    for n in tried:
        says = there.at_sizes.holds(sympy.Integer(n)) == sympy.true
        assert says == exceeds(made, row.chip, {**point, x.name: n}), (made, row.chip.name, point, n)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", NAMES)
def test_rows_are_proved_at_the_ridge_points_of_their_chips(name: str) -> None:
    assert rows_of(name)
    for found, row in rows_of(name):
        proof = found.on(row)
        assert proof.trust == found.trust_on(row) == "kernel"
        [compute] = found.units
        memory = sympy.Rational(row.chip.rate(compute).value / row.chip.rate(row.chip.memory).value)
        assert row.ridges["R" if len(row.ridges) == 1 else "R_memory"] == memory
        for theorem in proof.theorems:
            assert not set(row.ridges) & variables(theorem.conclusion)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_a_row_says_what_the_chip_alone_gives(name: str) -> None:
    for found, row in rows_of(name):
        alone = threshold(found.op, row.chip, found.unknown.name).found
        assert str(found.proved.found.symbolic) == str(alone.symbolic) and found.proved.found.supposed == alone.supposed


def test_a_rule_of_thumb_that_needs_sizes_is_none_of_a_comparison() -> None:
    """If D and F grow, the rule is B > R. If only D grows, it is B > F R/(F - R), which needs F."""
    rules = [compare(op("matmul"), "B", [chip("tpu-v5e")], {}, regime).rule for regime in ("D, F >> B", "D >> B, F")]
    assert rules[0] is not None and str(rules[0].threshold) == "B > R" and rules[1] is None


def test_the_library_is_written_in_every_format_of_the_chips() -> None:
    written = [*forms([chip("tpu-v5e")], "matmul").values()]
    assert [list(w.compute) for w in written] == [["bf16"], ["int8"], ["int4"], ["fp32-vector"]]
    assert [w.bytes().coeff(B * D) for w in written] == [2, 1, sympy.Rational(1, 2), 4]
    assert [len(forms(CHIPS, name)) for name in ("fsdp", "kv-cache")] == [1, 1]
    with pytest.raises(RoofproofError) as caught:
        forms(CHIPS, "matmull")
    assert (
        str(caught.value) == "unknown operation 'matmull'; did you mean 'matmul' or 'tiled-matmul' or 'split-matmul'?"
    )


@pytest.mark.slow
def test_processes_give_the_same_table() -> None:
    ops, chips = ["matmul", "dot", "fft"], ["tpu-v5e", "h100-sxm"]
    assert list(parts(ops, chips, None, {"D": 64, "F": 64}, workers=2)) == list(
        parts(ops, chips, None, {"D": 64, "F": 64})
    )


@pytest.mark.sampled(5)
@pytest.mark.parametrize("point", [{}, {"D": 64}, {"F": 64}, {"D": 64, "F": 64, "n": 2}, {"D": 4096, "F": 4096}])
def test_a_line_has_a_value_where_no_size_is_missing(point: dict[str, int]) -> None:
    [part] = parts(["matmul"], [c.name for c in CHIPS], ["B"], point)
    rows = [(found, row) for found, row in rows_of("matmul") if found.unknown == B]
    assert part.problem == "" and [line.chip for line in part.lines] == [row.chip.name for _, row in rows]
    sizes = {n: point[n] for n in ("D", "F") if n in point}
    for line, (found, row) in zip(part.lines, rows, strict=True):
        if not sizes:
            assert (line.at, line.integer) == ("", None)
            continue
        there = compare(found.op, "B", [row.chip], {"D": 10**9, "F": 10**9} | sizes).rows[0]
        whole = len(sizes) == 2 or there.at_sizes.kind == "never"  # one size decides, whatever the other is
        assert (line.at, line.integer) == ((there.at_sizes.kind, there.integer) if whole else ("", None))


def test_a_part_that_takes_too_many_steps_is_told() -> None:
    [found] = parts(["matmul"], ["h100-sxm"], ["B"], steps=1000)
    assert (found.lines, found.problem) == ((), "stopped: the step limit was reached")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_limit_that_a_destructor_drops_comes_again() -> None:
    class Slow:
        def __del__(self) -> None:
            sleep(5)

    begin = monotonic()
    with pytest.raises(Stopped), within(1):
        Slow()
        sleep(5)
    assert monotonic() - begin < 4


def run(*command: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(command)
    return status, out.getvalue(), err.getvalue()


def memory(name: str) -> bool:
    return bool({"hbm", "dram"} & set(chip(name).resources)) and any(
        not r.resource.endswith(("-sparse", "-per-core")) for r in chip(name).compute
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["matmull"], "unknown operation 'matmull'; did you mean 'matmul' or 'tiled-matmul'"),
        ([], "expected operations, such as matmul, or --all for the whole library"),
        (["matmul", "--all"], "expected operations, such as matmul, or --all for the whole library"),
        (["matmul", "--for", "Z"], "unknown dimension 'Z'; known: B, D, F"),
        (["matmul", "--at", "Z=3"], "unknown dimension 'Z'; known: B, D, F"),
        (["matmul", "--chip", "tpu-v5"], "unknown chip 'tpu-v5'; did you mean"),
        (["matmul", "--workers", "0"],
         "workers '0': expected 1 to 256 processes, threads:N or tcp://HOST:PORT"),
    ],
)  # fmt: skip
def test_what_the_command_refuses(words: list[str], message: str) -> None:
    status, out, err = run("derive", "--as", "list", *words)
    assert (status, out) == (2, "")
    assert err.startswith(f"roofproof: {message}")
    assert err.count("\n") == 1


ASSUMING = [  # an operation with an assumption, the unknown, and the sizes that the assumption is about
    ("fsdp", "X", {"B": 960_000, "D": 768, "F": 4096}),  # X < 1001 and X divides B and D, D bounds nothing
    ("fsdp", "X", {"B": 7000, "D": 35, "F": 64}),
    ("sharded-matmul:n=3", "D", {"B": 9600, "F": 9600}),
    ("tiled-matmul:b=t,f=t,d=64", "t", {"B": 8192, "D": 8192, "F": 8192}),  # fits on a TPU v5e, not on an H100
    ("tiled-matmul:b=512,f=512,d=64", "B", {"D": 8192, "F": 8192}),  # these blocks do not fit on an H100
    ("x[B_n, D] * w[D, F_n] -> z[B_n, F]", "n", {"B": 900_000, "D": 9600, "F": 9600}),
]
NODES = ("tpu-v5e", "h100-sxm", "bf16=96 TFLOP/s, hbm=1 TB/s, ici=100 GB/s")


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("written", "unknown", "sizes"), ASSUMING)
def test_atlas_and_table_hold_sizes_to_what_the_operation_assumes_as_derive_does(written, unknown, sizes) -> None:
    chips = [any_chip(text) for text in NODES]
    alone: list[int | str | None] = []
    for one in chips:
        try:
            alone.append(threshold(op(written), one, unknown, sizes).found.integer)
        except RoofproofError as problem:
            assert "take 655360 bytes" in str(problem)
            alone.append("unfit")
    [part] = parts([written], NODES, [unknown], sizes)
    assert not part.problem and [line.at if line.at == "unfit" else line.integer for line in part.lines] == alone
    found = compare(op(written), unknown, chips, sizes)
    assert ["unfit" if row.unfit else row.integer for row in found.rows] == alone
    assert found.able().rows == tuple(row for row in found.rows if not row.unfit)


def test_sizes_that_break_what_an_operation_assumes_are_refused_for_every_chip() -> None:
    says = "at D=9001: sharded-matmul assumes that 4 divides D, which is false"
    [part] = parts(["sharded-matmul:n=4"], NODES[2:], ["B"], {"D": 9001, "F": 9999})
    assert part.problem == says and not part.lines
    with pytest.raises(RoofproofError, match=says):
        compare(op("sharded-matmul:n=4"), "B", [any_chip(NODES[2])], {"D": 9001, "F": 9999})
    status, _, err = run(
        "derive", "--as", "table", "tiled-matmul:b=512,f=512,d=64", "--for", "B", "--chip", "h100-sxm", "--at", "D=8192"
    )
    assert status == 2 and "take 655360 bytes, and smem of h100-sxm holds 233472" in err


TILED, SQUARE = "tiled-matmul:b=t,f=t,d=64", {"B": 8192, "D": 8192, "F": 8192}  # the 228 KiB of an SM hold t up to 612


def test_that_no_size_is_allowed_is_not_that_none_is_compute_bound() -> None:
    chips, room = [any_chip(text) for text in NODES[1::-1]], "256*t + 2*t^2 <= vmem"
    found = compare(op(TILED), "t", chips, SQUARE)
    assert "t > 612.52     no such size" in comparison_text(found) and f"and {room}\n" in comparison_text(found)
    assert "| t > 612.52 | no such size |" in comparison_text(found, markdown=True)
    assert r"\num{612.52}$ & no such size" in comparison_table(found)
    assert r"$256t + 2t^2 \leq \text{vmem}$" in comparison_table(found)
    assert r"\num{612.52}$ & 无此尺寸" in comparison_table(found, lang="zh")
    [part] = parts([TILED], NODES[1:2], ["t"], SQUARE)
    assert "≈ 295.22    no such size  proved" in spaced_text(explain_atlas([part], SQUARE))
    assert f"and {room}\n" in spaced_text(explain_atlas([part], {}))
    chinese = spaced_text(explain_atlas([part], SQUARE), "zh")
    assert "无此尺寸" in chinese and not {"when", "otherwise", "never", "assuming", "solved"} & {*chinese.split()}
    proved = threshold(op(TILED), chips[0], "t", SQUARE)
    others = outline(op(TILED), chips[0], proved, SQUARE).rows("other")
    assert derivation(op(TILED), chips[0], proved, SQUARE).count(r"; no integer $t$ \\") == len(others) > 0


def test_a_chip_that_knows_no_engines_apart_has_the_answer_of_derive_in_the_atlas_or_none() -> None:
    bias, plain = "x:fp32[B,D], w:fp32[D,F], b:fp32[F] -> z:fp32[B,F]", "fp32=2 TFLOP/s, hbm=1 TB/s"
    alone = threshold(op(bias), any_chip(plain), "B").found
    [part] = parts([bias], [plain], ["B"], {"D": 10, "F": 100})
    assert [line.cases for line in part.lines] == [str(alone.symbolic)] and part.lines[0].compute == "fp32+fp32-vector"
    found = compare(op(bias), "B", [any_chip(plain)], {"D": 10, "F": 100})
    assert found.rows[0].integer == threshold(op(bias), any_chip(plain), "B", {"D": 10, "F": 100}).found.integer
    shared = "a FLOP in fp32-vector takes as long as 1 in fp32, on one compute unit: their times add up"
    assert f"\n{shared}\n" in comparison_text(found)
    both = "flops bf16 = 2 N^2; flops int8 = N^2; bytes hbm = N"
    [part] = parts([both], ["h100-sxm", "v100-sxm2-16gb"], ["N"])
    assert [line.cases for line in part.lines] == [str(threshold(op(both), chip("h100-sxm"), "N").found.symbolic)]
    assert part.lacking == ("v100-sxm2-16gb",)


def test_a_chip_without_a_link_leaves_the_others_their_rows() -> None:
    chips = [chip("h100-sxm"), any_chip("bf16=100 TFLOP/s, hbm=1 TB/s")]
    shared = op("x[B, D_X] * w[D_X, F] -> z[B, F]")
    assert [row.missing for row in compare(shared, "D", chips, {"B": 64, "F": 64, "X": 4}).rows] == ["", "link"]
