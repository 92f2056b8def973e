"""Thresholds with several compute units: which one binds, missing specs, and roots without a closed form."""

import json
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from set_out import derivation, rendered

from roofproof import RoofproofError, chip, evaluate, op
from roofproof.audit.audits import derived_forms
from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language.book import book_from_text
from roofproof.cli import main
from roofproof.derive import ceilings, lower, threshold
from roofproof.derive.roofline.compute_bound import compute_bound
from roofproof.derive.roofline.critical_size import default_regime
from roofproof.export.outline import outline
from roofproof.export.plots import achieved, times
from roofproof.export.record import record
from roofproof.ops import entries
from roofproof.proofs import threshold as proved_threshold
from roofproof.proofs.provers import critical_size
from roofproof.symbols import dimension

ATTENTION = "flops {} = 4 h k L^2; flops exp = h L^2; bytes memory = 8 h k L"  # two products, one exponential per score
H100 = chip("h100-sxm")


@pytest.mark.parametrize(
    ("on", "compute", "below"),
    [
        # 4 k/989e12 s against 1/3.86496e12 s: below 63.97, and FlashAttention-3 says that both take as long at 64
        ("h100-sxm", "bf16", "3090625/48312"),
        ("h100-sxm", "fp8", "3090625/24156"),  # twice the products: 127.94, so half of the time goes to exp at 128
        # 2.25e15 FLOP/s against 148 SMs * 16 * 1.85 GHz: below 128, as in FlashAttention-4
        ("b200", "bf16", None),
    ],
)
def test_exponentials_bind_before_the_products_up_to_a_head_size(on, compute, below):
    one = chip(on)
    proved = proved_threshold(op(ATTENTION.format(compute)), one, "k")
    assert proved.regions is not None and proved.regions.trust == "kernel"
    regions = {region.resource: region.cases for region in proved.regions.regions}
    quarter = sympy.Rational(one.peak(compute).value / one.peak("exp").value) / 4
    assert below is None or quarter == sympy.Rational(below)
    for size in (1, 32, 64, 100, 128, 256):
        there = regions["exp"].at({"L": 10**9, "h": 1}).holds(sympy.Integer(size))
        assert there == (size < quarter), (on, compute, size)


def test_compute_bound_is_the_longest_engine_above_every_channel():
    both = op("flops bf16 = 2 N; flops exp = N; bytes memory = 4; bytes ici = 1")
    found = ceilings(both)
    assert [c.label for c in found] == ["matrix-memory", "exp-memory", "matrix-ici", "exp-ici"]
    memory, ici = compute_bound(found, symbolic=True).args
    assert {str(a) for a in (*memory.args, *ici.args)} == {
        "N > 2*R_matrix_memory", "N > 4*R_exp_memory", "2*N > R_matrix_ici", "N > R_exp_ici",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        # dequantise + product: one multiplication per weight, at 66.9e12/3.35e12 multiplications per byte
        ("flops bf16 = 2 B D F; flops fp32-vector = D F; bytes memory = D F/2", "19780/268"),
        ("flops bf16 = 2 B D F; flops exp = B F; bytes memory = 2 D F", None),  # exp + product
        ("flops bf16 = 2 B D F; flops fp32-vector = 4 B D; bytes memory = 2 D F", None),  # norm + product
    ],
)
def test_products_with_other_engines_have_a_threshold(text, bound):
    proved = proved_threshold(op(text), H100, "B")
    assert proved.trust == "kernel"
    if bound:
        [case] = proved.found.cases
        assert case.threshold.at == sympy.Rational(bound)  # 2 B > 295.2 / 2, as 2 FLOP/B on the vector unit are too few


def test_how_two_formats_on_one_engine_add_up_is_the_chips_to_say():
    with pytest.raises(
        RoofproofError, match="has FLOPs in bf16 and fp8 on one compute unit, and their times add up; add --chip"
    ):
        ceilings(op("flops bf16 = N; flops fp8 = N; bytes memory = 4"))


@given(st.lists(st.integers(1, 50), min_size=8, max_size=8))
@settings(max_examples=8)
def test_two_formats_on_one_engine_take_the_sum_of_their_times(numbers):
    """The longer of a n/P + b n/Q + c/P and the time of a second unit decides against d n + e bytes."""
    a, b, c, d, e, p, q, v = numbers
    mixed = op(f"flops bf16 = {a} N + {c}; flops int8 = {b} N; flops exp = 3 N; bytes hbm = {d} N + {e}")
    on = chip(f"bf16={p} FLOP/s, int8={q} FLOP/s, exp={v} FLOP/s, hbm=9 B/s")
    proved = proved_threshold(mixed, on, "N")
    assert proved.trust == "kernel" and [s.resource for s in proved.found.shared] == ["int8"]
    for n in (1, 2, 3, 10, 100, 10**6):
        matrix = Fraction(a * n + c, p) + Fraction(b * n, q)
        longest, moving = max(matrix, Fraction(3 * n, v)), Fraction(d * n + e, 9)
        holds = proved.found.cases.at({}).holds(sympy.Integer(n))
        assert (holds == sympy.true) == (longest > moving)
        assert lower(mixed, on).subs({dimension("N"): n}) == sympy.Rational(max(longest, moving))


def test_a_vector_unit_that_is_all_of_the_chip_waits_for_its_products(capsys):
    """A chip with one peak for all units runs both at that peak, so no work is left out or free."""
    plain, bias = chip("fp32=2 TFLOP/s, hbm=1 TB/s"), op("x:fp32[B,D], w:fp32[D,F], b:fp32[F] -> z:fp32[B,F]")
    at = {"B": 10, "D": 10, "F": 100}
    assert lower(bias, plain).subs({s: at[s.name] for s in bias.dims}) == Fraction(2 * 10**4 + 10**3, 2 * 10**12)
    for size in (7, 8):  # 21 B F in fp32 against 2 FLOP/B
        assert (21 * size * 100 > 2 * 4 * (size * 10 + 10 * 100 + 100 + size * 100)) == (size == 8)
    assert threshold(bias, plain, "B", {"D": 10, "F": 100}).integer == 8
    said = ["derive", bias.name, "--chip", "fp32=2 TFLOP/s, hbm=1 TB/s", "--at", "B=10,D=10,F=100"]
    assert main(said) == 0
    text = capsys.readouterr().out
    assert text.count("fp32 = 2e12 FLOP/s") == 1 and "10.5 ns" in text and "left out" not in text
    assert (
        evaluate(bias, at, "lower", plain)
        == 10.5e-9
        == sum(evaluate(bias, at, f"time:{r}", plain) for r in bias.compute)
    )
    with pytest.raises(RoofproofError, match="share a compute unit on some of these chips and not on others"):
        evaluate(bias, at, "lower", [plain, chip("fp32=2 TFLOP/s, fp32-vector=2 TFLOP/s, hbm=1 TB/s")])
    assert not threshold(op(f"{bias.name} @ tf32"), chip("h100-sxm"), "B").shared  # it has a peak for each


def test_sparse_products_wait_for_the_dense_ones_of_their_engine():
    both = op("flops bf16-sparse = 4 N; flops bf16 = 2 N; flops exp = N/1000; bytes hbm = N/1000")
    peaks = {name: H100.peak(name).value for name in ("bf16-sparse", "bf16")}
    assert lower(both, H100).subs(both.dims[0], 1) == 4 / peaks["bf16-sparse"] + 2 / peaks["bf16"]
    with pytest.raises(RoofproofError, match="has no spec 'bf16-sparse'"):  # next to other units, too
        threshold(op("flops bf16-sparse = 2 N^2; flops exp = N; bytes hbm = N"), chip("tpu-v5e, exp=1 TFLOP/s"), "N")


def test_one_link_by_two_names_is_refused():
    with pytest.raises(RoofproofError, match="bytes over ici and over nvlink cross one link of chip 'h100-sxm'"):
        lower(op("flops bf16 = N; bytes ici = N; bytes nvlink = 2 N"), H100)
    assert lower(op("bytes nvlink = N; bytes pcie = N"), H100).subs(dimension("N"), 64) == Fraction(1, 10**9)


def test_two_formats_on_one_engine_add_up_in_every_table_picture_and_audit():
    """The matrix unit takes 2 n/100 + 6 n/200 = n/20, and memory n/1000 or, if it is slow, n/10."""
    text = "flops bf16 = 2 N; flops int8 = 6 N; bytes hbm = N"
    mixed = op(text)
    for bandwidth, least in ((1000, Fraction(1, 20)), (10, Fraction(1, 10))):
        on = chip(f"bf16=100 FLOP/s, int8=200 FLOP/s, hbm={bandwidth} B/s")
        assert evaluate(mixed, {"N": 60}, "lower", on) == pytest.approx(float(60 * least))
        assert evaluate(mixed, {"N": 60}, "upper", on) == pytest.approx(60 * (1 / 20 + 1 / bandwidth))
        assert sympy.Max(*derived_forms(mixed, "lower", on).values()) == dimension("N") * sympy.Rational(least)
        assert derived_forms(mixed, "time:int8", on) == {"int8": dimension("N") * 3 / 100}
        assert all(y <= 100 for line in achieved(mixed, on, "N").curves for _, y in line.points)  # none above the roof
        lines = times(mixed, on, "N").curves
        assert [max(y for _, y in line.points) for line in lines[:2]] == [
            pytest.approx(max(x for x, _ in lines[0].points) * each) for each in (1 / 20, 1 / bandwidth)
        ]
        written = record(mixed, on, None, {}, 0)
        assert written["flops"] is None and written["engines"] == {"bf16": "5*N"}
        assert written["on_one_engine"] == [{"resource": "int8", "counted_in": "bf16", "factor": "1/2"}]
        assert [figure["resource"] for figure in written["rests_on"]] == ["bf16", "int8", "hbm"]


def test_what_the_chip_has_no_figure_for_is_left_out_and_said():
    without = chip("a10")
    proved = proved_threshold(op(ATTENTION.format("bf16")), without, "L", {"h": 2, "k": 64})
    assert str(proved.found.cases) == "L > 1250/3" and proved.regions is None
    known = proved.derivation.of("left-out")
    assert [(k.statement.says, k.trust) for k in known] == [
        ("exp takes longer than bf16 <=> rate of exp < 31250000000000/k", "kernel"),
        ("exp takes longer than memory <=> rate of exp < 75000000000*L/k", "kernel"),
    ]
    found = outline(proved.found.op, without, proved, {"h": 2, "k": 64})
    assert "h*L^2 on exp\n    longer than bf16 if its rate is below 31250000000000/k FLOP/s" in rendered(found, "en")
    assert "芯片缺少规格而未计入" in rendered(found, "zh")
    assert r"Longer than bf16 if its rate is below $\num{3.125e13}/k$ FLOP/s" in derivation(
        proved.found.op, without, proved, {}
    )
    [left] = json.loads(json.dumps(record(op(ATTENTION.format("bf16")), without, proved, {}, 0)))["left_out"]
    assert (left["resource"], left["binds_below"]["bf16"]) == ("exp", "31250000000000/k")


def test_an_unknown_of_what_is_left_out_alone_is_refused_by_what_is_missing():
    text = "flops bf16 = 2 B D; flops exp = S B; bytes memory = 2 D"
    with pytest.raises(RoofproofError) as refused:
        threshold(op(text), chip("a10"), "S")
    assert str(refused.value) == (
        "S matters only for 'exp', and chip 'a10' has no spec for it; add it, as --chip \"a10, exp=NUMBER FLOP/s\""
    )
    assert threshold(op(text), chip("a10, exp=1e12 FLOP/s"), "S").unknown.name == "S"


def test_without_the_figure_of_the_matrix_unit_or_of_the_only_engine_there_is_no_answer():
    with pytest.raises(RoofproofError, match="chip 'a100-80gb-sxm' has no spec 'fp8'"):  # though it has one for exp
        threshold(op(ATTENTION.format("fp8")), chip("a100-80gb-sxm"), "L")
    with pytest.raises(RoofproofError, match="chip 'a10' has no spec 'exp'"):
        threshold(op("flops exp = N; bytes memory = 4 N"), chip("a10"), "N")


def claim(says: str) -> str:
    [one] = book_from_text(
        '[ops]\na = "flops bf16 = 4 k L^2; flops exp = L^2; bytes memory = 8 k L"\n'
        f"[[claim]]\nid = \"a\"\nsays = '{says}'"
    ).claims
    return judge_quietly(one).kind


def test_claims_take_the_longest_engine_or_the_one_they_name():
    given = "h100-sxm"
    assert claim(f"compute_bound(a, {given}, bf16) <=> L > 39560/67") == "verified"
    assert claim(f"compute_bound(a, {given}, exp) <=> L > 386496 k/41875") == "verified"
    assert claim(f"compute_bound(a, {given}) <=> L > min(39560/67, 386496 k/41875)") == "verified"
    assert claim(f"compute_bound(a, {given}) <=> L > 39560/67") != "verified"


def test_degree_three_is_isolated_where_the_sizes_leave_one_unknown():
    text = "flops bf16 = N^4 + M N; bytes memory = 8 N M + N^2"
    proved = proved_threshold(op(text), H100, "N", {"M": 100})
    assert proved.found.at_sizes_only and proved.found.integer == 64 and proved.trust == "kernel"
    R = sympy.Rational(19780, 67)
    assert R * (51200 + 64**2) < 64**4 + 6400 and R * (50400 + 63**2) >= 63**4 + 6300
    slow = next(k for k in proved.derivation.of("integer") if k.statement.integer == 66)  # hbm = 3e12 B/s: R = 329.67
    assert slow.trust == "kernel"
    words = rendered(outline(proved.found.op, H100, proved, {"M": 100}), "en")
    assert "at M = 100, as no short closed form for all sizes was found:" in words and "for all N > 0" in words
    assert "free of M" not in words
    assert record(op(text), H100, proved, {"M": 100}, 0)["threshold"]["only_at"] == {"M": 100}
    assert "only_at" not in record(op("dot"), H100, proved_threshold(op("dot"), H100, "N"), {}, 0)["threshold"]
    tex = derivation(proved.found.op, H100, proved, {"M": 100})
    assert "\\noindent At $M = 100$, as no short closed form for all sizes was found:" in tex
    with pytest.raises(RoofproofError, match="degree 3 in N with symbols has no closed form; give values to M "):
        threshold(op(text), H100, "N")


def test_without_a_proof_of_the_closed_form_it_is_solved_at_the_sizes(monkeypatch):
    small = chip("bf16=56 FLOP/s, hbm=9 B/s, l2=2 B/s")
    found = proved_threshold(
        op("flops bf16 = floor((y + 2)/5) D; bytes hbm = y D + 3 D + 2 y D"), small, "D", {"y": 16}
    )
    assert (found.trust, found.integer, found.found.at_sizes_only, found.found.searched) == ("kernel", None, True, 0)
    text = "flops bf16 = 3 N B; flops exp = 6 B N^2; bytes hbm = 2 ceil(B/4) y + 7 floor(N/3) N"
    found = proved_threshold(op(text), chip("bf16=43 FLOP/s, exp=5 FLOP/s, hbm=10 B/s"), "y", {"B": 1, "N": 1})
    assert (found.trust, found.integer) == ("kernel", 5)  # 6/5 > 2 y/10, as floor(1/3) is 0
    monkeypatch.setattr(critical_size, "ALL", 0)  # no steps, as if two quadratics had dozens of cases
    text = "flops bf16 = 3 x^2 N + 2 x; bytes hbm = x^2 + N; bytes l2 = x + 5 N^2"
    found = proved_threshold(op(text), small, "x", {"N": 7})
    first = next(x for x in range(1, 99) if 3 * 7 * x**2 + 2 * x > max(Fraction(56 * (x**2 + 7), 9), 28 * (x + 245)))
    assert (found.trust, found.integer, found.found.at_sizes_only) == ("kernel", first, True)


def test_a_root_beside_a_bound_with_symbols_is_told_at_the_sizes():
    text = "flops bf16 = x + x^3; flops exp = 5 x D; bytes memory = 2 D + 4 x B; bytes l2 = 5"
    small = chip("bf16=60 FLOP/s, exp=5 FLOP/s, hbm=7 B/s, l2=20 B/s")
    found = threshold(op(text), small, "x", {"B": 3, "D": 8})
    times = {n: (max((n + n**3) / 60, 8 * n), (16 + 12 * n) / 7, 1 / 4) for n in (1, 2)}
    assert found.at_sizes_only and found.integer == min(n for n, (e, m, l2) in times.items() if e > max(m, l2))
    with pytest.raises(RoofproofError, match="give the other symbols values"):
        threshold(op(text), small, "x")


@pytest.mark.parametrize(
    ("text", "unknown", "words", "zh"),
    [
        ("stream-copy", "N", "memory-bound at every size: no FLOPs, only bytes", "任何尺寸都是访存受限"),
        ("flops bf16 = 0; bytes ici = N", "N", "communication-bound at every size: no FLOPs", "任何尺寸都是通信受限"),
        ("bytes ici = N; bytes memory = 2 N", "N", "never compute-bound: no FLOPs, only bytes", "永不计算受限"),
    ],
)
def test_what_only_moves_bytes_is_never_compute_bound(text, unknown, words, zh, capsys):
    for lang, said in (("en", words), ("zh", zh)):
        assert main(["derive", text, "--for", unknown, "--lang", lang]) == 0
        assert said in capsys.readouterr().out
    found = outline(op(text), None, None, {})
    [row] = found.rows("moves-only")
    assert {k.trust for k in row.known} == {"kernel"} and len(row.known) == len(op(text).demands)
    assert main(["derive", text, "--for", "M"]) == 2 and "unknown dimension 'M'" in capsys.readouterr().err
    assert main(["derive", text, "--for", unknown, "--steps"]) == 2
    assert "has no FLOPs, so there is no threshold for --steps" in capsys.readouterr().err


def test_no_regime_offered_contradicts_what_an_operation_states():
    for name in entries():
        told = op(name)
        for small, large in [(c.lhs, c.rhs) for c in told.conditions if isinstance(c, sympy.Le)]:
            if large.is_Symbol:
                regime = default_regime(told, large.name)
                assert regime is None or small.name not in regime.growing, (name, regime)


def test_what_needs_no_sizes_is_not_said_to_be_at_sizes():
    small = chip("bf16=30 FLOP/s, hbm=1 B/s")
    proved = proved_threshold(op("flops bf16 = N^3 + N; bytes memory = N^2 + 5"), small, "N")
    words = rendered(outline(proved.found.op, small, proved, {}), "en")
    assert "closed form" not in words and "CRootOf" not in words
    assert "N > 30.132…" in words and "root(" not in words
    assert 30**3 + 30 <= 30 * (30**2 + 5) < 31**3 + 31 and "smallest integer N = 31" in words
