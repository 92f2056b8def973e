"""The sizes that an operation's conditions allow, compared with a scan, with their proofs and printed forms."""

import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from set_out import derivation, rendered

from roofproof import RoofproofError, chip, evaluate, op
from roofproof.claims.answers.question import Question
from roofproof.cli import main
from roofproof.derive import Above, Always, Below, Between, Case, Cases, Never, Outside, sweep, threshold
from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.limits import false_in_limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.allowed_sizes import FURTHEST, Allowed, allowed_sizes
from roofproof.derive.roofline.critical_size import default_regime
from roofproof.derive.roofline.memory_fit import requirements, unchecked
from roofproof.export.outline import outline
from roofproof.export.record import record
from roofproof.hardware import any_chip, chip_names
from roofproof.ops import entries
from roofproof.ops.notation.where import with_conditions
from roofproof.proofs import certify
from roofproof.proofs import threshold as proved_threshold
from roofproof.proofs.known import ByEveryInteger, ByKernel
from roofproof.proofs.provers.integers import prove_integer
from roofproof.proofs.provers.statements import Refuted
from roofproof.symbols import dimension

x = dimension("x")
SQUARE_TILE = "tiled-matmul:b=t,f=t,d=64,memory=smem,holds=232448"  # 256 t + 2 t^2 bytes in the 227 KiB of a block


def divided(*sizes: int) -> tuple[sympy.Basic, ...]:
    return tuple(sympy.Eq(sympy.Mod(size, x), 0) for size in sizes)


def scanned(kind: str, at: Fraction, strict: bool, sizes: list[int], most: int | None, step: int) -> int | None:
    """Return the smallest integer (the largest, if below a bound) by trying every candidate."""

    def does(n: int) -> bool:
        side = n > at if kind == "above" else n < at
        return (side or (not strict and n == at)) and (most is None or n <= most) and not any(s % n for s in sizes)

    found = [n for n in range(step, max(sizes) + 1, step) if does(n)]
    return (max if kind == "below" else min)(found, default=None)


@given(
    st.sampled_from(["above", "below"]), st.fractions(0, 60, max_denominator=4), st.booleans(),
    st.lists(st.integers(1, 120), min_size=1, max_size=2), st.none() | st.integers(1, 80),
    st.sampled_from([1, 1, 2, 8]),
)  # fmt: skip
def test_the_integer_is_that_of_a_scan_and_proved(kind, at, strict, sizes, most, step):
    bound = sympy.Rational(at.numerator, at.denominator)
    if bound == 0:
        return
    there = Above(bound, strict) if kind == "above" else Below(bound, strict)
    bounds = () if most is None else (sympy.Le(x, most, evaluate=False),)
    allowed = Allowed(x, bounds, divided(*sizes), multiple_of=step)
    answer = allowed.integer(there)
    assert answer == scanned(kind, at, strict, sizes, most, step)
    within = allowed.within(there)
    solved, *_ = certify(within.holds(x), Cases(x, (Case(sympy.true, within),)))
    known = prove_integer(solved, x, within, answer, step, allowed.whole, kind == "below")
    assert isinstance(known.warrant, ByKernel), known.reason
    for other in {1, 2, 3, *sizes, (answer or 0) + step} - {answer}:
        with pytest.raises(Refuted):
            prove_integer(solved, x, within, other, step, allowed.whole, kind == "below")


def test_far_more_integers_than_a_proof_has_steps_are_looked_at_one_by_one():
    there = Above(sympy.Integer(2048))
    solved, *_ = certify(there.holds(x), Cases(x, (Case(sympy.true, there),)))
    known = prove_integer(solved, x, there, 4096, whole=divided(4096))
    assert isinstance(known.warrant, ByEveryInteger) and known.trust == "kernel"


def test_no_integer_among_too_many_is_refused_and_not_said_to_be_missing():
    odd = (sympy.Eq(sympy.Mod(x**2 + x + 1, 2), 0),)  # never, but roofproof cannot tell
    squares = (sympy.Eq(sympy.Mod(4 * sympy.floor(x**2 / 2) + 1, 4), 2),)  # never, period unknown
    for whole, tried in ((odd, 2), (squares, FURTHEST)):
        with pytest.raises(RoofproofError, match=f"no 'x' among {tried} integers meets the conditions"):
            Allowed(x, whole=whole).integer(Above(sympy.Integer(3)))
    with pytest.raises(RoofproofError, match="the limit is 1000000000000000000"):
        Allowed(x, whole=divided(10**19)).integer(Above(sympy.Integer(3)))


WRITTEN = {  # a condition as text, and its meaning for integers
    "{} even": lambda v, m: v % 2 == 0,
    "{} odd": lambda v, m: v % 2 == 1,
    "{m} divides {}": lambda v, m: v % m == 0,
    "{} <= {m} D": lambda v, m: v <= m * 7,
    "{} > {m}": lambda v, m: v > m,
}
VALUES = {"B": lambda n: n, "B + 1": lambda n: n + 1, "3 B + 2": lambda n: 3 * n + 2, "B D": lambda n: 7 * n,
          "B + D": lambda n: n + 7, "B^2": lambda n: n * n, "2 B D": lambda n: 14 * n}  # fmt: skip
parts_of_conditions = st.tuples(st.sampled_from(list(WRITTEN)), st.sampled_from(list(VALUES)), st.integers(1, 12))


@settings(max_examples=40)
@given(
    st.lists(parts_of_conditions, min_size=1, max_size=2), st.integers(1, 90), st.booleans(), st.sampled_from([1, 8])
)
def test_any_condition_on_integers_is_that_of_a_scan(parts, bound, down, step):
    text = "; ".join(form.format(value, m=m) for form, value, m in parts)
    every = range(step, bound if down else 5000, step)
    met = [n for n in every if down or n > bound if all(WRITTEN[f](VALUES[v](n), m) for f, v, m in parts)]
    due = (max if down else min)(met, default=None)
    try:
        conditioned = with_conditions(op("matmul"), text)
        there = (Below if down else Above)(sympy.Integer(bound))
        answer = allowed_sizes(conditioned, None, "B", {"D": 7, "F": 64}, step).integer(there)
    except RoofproofError as refused:
        assert due is None, (text, str(refused))
    else:
        assert answer == due, text


def test_a_size_that_has_to_be_odd_is_odd_in_every_output():
    odd = with_conditions(op("matmul"), "B odd")
    proved = proved_threshold(odd, chip("h100-sxm"), "B", {"D": 4096, "F": 4096})  # above 344.95
    assert proved.found.integer == 345 and proved.derivation.of("integer")[0].trust == "kernel"
    found = outline(odd, proved.chip, proved, {"D": 4096, "F": 4096})
    for lang, words in (("en", "smallest integer B = 345 such that B is odd"), ("zh", "B 是奇数")):
        assert words in rendered(found, lang)
    assert r"$B \bmod 2 = 1$" in derivation(odd, proved.chip, proved, {"D": 4096, "F": 4096})


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("text", "on", "unknown", "at", "integer"),
    [
        ("fsdp", "tpu-v5p", "X", {"B": 65536, "D": 8192}, 8),  # below 13.85, and a divisor of both
        ("sharded-matmul", "tpu-v5e", "n", {"B": 20000, "D": 20000, "F": 20000}, 2),  # below 3.28, and 3 is no divisor
        ("sharded-matmul:n=4", "tpu-v5e", "D", {"B": 20000, "F": 20000}, 26268),  # above 26266.7, 4 times 6567
        ("flash-attention:block=1024", "h100-sxm", "L", {"h": 32, "k": 128}, 1024),  # above 829.8, whole blocks
        (SQUARE_TILE.replace("232448", "1000000"), "a100-80gb-sxm", "t", dict.fromkeys("BDF", 4096), None),
        ("tiled-matmul:b=t,f=t,d=64", "a100-80gb-sxm", "t", dict.fromkeys("BDF", 4096), None),  # 512: 655360 > 167936
        ("tiled-matmul:b=t,f=t,d=64", "tpu-v5e", "t", dict.fromkeys("BDF", 4096), 512),  # above 511.1, in its vmem
    ],
)  # fmt: skip
def test_the_answer_meets_every_condition(text, on, unknown, at, integer):
    proved = proved_threshold(op(text), chip(on), unknown, at)
    assert proved.found.integer == integer
    [*_, told] = [k for k in proved.derivation.of("integer") if k.statement.integer in (integer, None)]
    assert told.trust == "kernel"


def test_the_answer_leaves_out_a_condition_that_it_implies(capsys):
    told = {"4 <= B": "B >= 245 (", "4 <= B; B <= 900": "B >= 245 and B <= 900 (", "B >= 300": "B >= 300 ("}
    for where, answer in told.items():
        asked = ["derive", "matmul", "--chip", "tpu-v5e", "--for", "B", "--at", "D=32k,F=32k", "--where", where]
        assert main(asked) == 0 and capsys.readouterr().out.startswith(f"compute-bound for {answer}")


def test_no_tile_that_fits_is_large_enough_and_every_output_says_so():
    at = dict.fromkeys("BDF", 4096)
    proved = proved_threshold(op(SQUARE_TILE), chip("h100-sxm"), "t", at)
    within, told = proved.derivation.of("within", "integer")[:2]
    assert proved.found.integer is None and proved.found.at_point == Above(sympy.Rational(40509440, 63663))
    assert within.statement.says == "never, where 256*t + 2*t^2 <= 232448"
    assert (within.trust, told.trust) == ("kernel", "kernel")
    assert told.statement.says == "no integer t, where t divides 4096"
    found = outline(proved.found.op, proved.chip, proved, at)
    for lang, words in (
        ("en", "; no integer t such that 256*t + 2*t^2 <= 232448 and t divides 4096"),
        ("zh", "；没有整数 t，满足 256*t + 2*t^2 <= 232448"),
    ):
        assert words in rendered(found, lang)
    assert r"; no integer $t$ such that $256t + 2t^2 \leq \num{232448}$ and $t \mid 4096$" in derivation(
        proved.found.op, proved.chip, proved, at
    )


def test_blocks_are_held_to_the_memory_of_a_chip_or_the_answer_says_that_they_are_not():
    tiled, said = op("tiled-matmul:b=128,f=128"), Counter()
    for name in chip_names():
        on = chip(name)
        text = rendered(outline(tiled, on, None, {}), "en") if name in ("l4", "h100-sxm") else ""
        held = [c for c in requirements(tiled, on) if "512" in str(c)]
        said[len(held), len(unchecked(tiled, on))] += 1
        assert not text or ("is not checked" in text) == bool(unchecked(tiled, on)), text
    assert set(said) == {(1, 0), (0, 1)} and said[0, 1] > 20  # of 74 chips, 43 state no size
    proved = proved_threshold(tiled, chip("l4"), "t")
    for lang, words in (
        ("en", "chip 'l4' has no capacity of 'vmem', so whether the blocks fit is not checked; "
                       'add it, as --chip "l4, vmem=NUMBER B"'),
        ("zh", "芯片 'l4' 没有 'vmem' 的容量，因此未检查分块能否放得下；"
                       "请补上，例如 --chip \"l4, vmem=数值 B\""),
    ):  # fmt: skip
        assert words in rendered(outline(tiled, proved.chip, proved, {}), lang), lang
    for lang, words in (("en", "so whether the blocks fit is not checked"), ("zh", "因此未检查分块能否放得下")):
        assert words in derivation(tiled, proved.chip, proved, {}, lang=lang)
    assert record(tiled, proved.chip, proved, {}, 0)["unchecked"] == [*unchecked(tiled, proved.chip)]
    supplied = any_chip("l4, vmem=100 KiB")
    assert not unchecked(tiled, supplied) and "512*t + 32768 <= 102400" in map(plain, requirements(tiled, supplied))


def test_a_condition_on_a_size_that_is_not_given_is_said_with_the_answer():
    found = threshold(op("fsdp"), chip("tpu-v5p"), "X", {"B": 65536})
    assert found.integer == 8 and [str(c) for c in found.allowed.open] == ["Eq(Mod(D, X), 0)"]
    text = rendered(outline(found.op, None, proved_threshold(op("fsdp"), None, "X"), {}), "en")
    assert "X divides D" in text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("unknown", "CKNPQRS")
def test_no_case_of_a_convolution_has_sizes_below_one(unknown):
    proved = proved_threshold(op("convolution"), chip("h100-sxm"), unknown)
    for cases in (proved.found.cases, proved.found.symbolic):
        assert [c.threshold.kind for c in cases] == ["above", "never"], cases
        assert not any(1 in r.args for c in cases for r in c.when.atoms(sympy.core.relational.Rel))
    assert proved.trust == "kernel"
    assert {str(a) for a in proved.found.assume} <= {f"{s} >= 1" for s in "CKNPQRS"}
    for known in (*proved.solved, *proved.symbolic):
        sizes = {f for f in known.statement.assumptions if f[0] == ">=" and f[2] == ("q", 1, 1)}
        assert len(known.statement.assumptions) - len(sizes) <= 1  # only the condition of the case


def test_a_comparison_that_an_operation_states_is_a_hypothesis():
    from dataclasses import replace

    L, S = dimension("L"), dimension("S")
    plain = op("flops bf16 = 2 B S; bytes memory = 2 B L + S")
    longer = replace(plain, conditions=(sympy.Le(L, S, evaluate=False),))
    even = chip("bf16=1 FLOP/s, hbm=1 B/s")
    found = [proved_threshold(each, even, "B") for each in (plain, longer)]
    assert [str(c.when) for c in found[0].found.cases] == ["L < S", "L >= S"]  # 2 B (S - L) > S
    assert [str(c.when) for c in found[1].found.cases] == ["L < S", "Eq(L, S)"]
    assert found[1].found.assume == (sympy.Le(L, S, evaluate=False),) and found[1].trust == "kernel"


def test_what_has_no_condition_has_the_integer_of_its_threshold():
    assert threshold(op("matmul"), chip("tpu-v5e"), "B", {"D": 4096, "F": 4096}).allowed.conditions == ()
    assert Allowed(x).integer(Never()) is None


def test_blocks_that_have_no_size_left_open_ask_nothing_of_another_size() -> None:
    """`check_requirements` reports whether they fit, because SymPy reduces the condition to `false`."""
    blocks, there = op("tiled-matmul:b=512,f=512,d=64"), chip("h100-sxm")
    assert requirements(blocks, there)[-1] == sympy.false
    assert allowed_sizes(blocks, there, "B", {}) == allowed_sizes(blocks, chip("tpu-v5e"), "B", {})


COMPARED = [name for name, entry in entries().items() if any(isinstance(c, sympy.Le) for c in entry().conditions)]


@pytest.mark.parametrize("name", COMPARED)
def test_no_limit_is_taken_where_an_operation_does_not_exist(name: str) -> None:
    """Default regimes keep the conditions of an operation, and a requested regime that breaks them is refused."""
    found = op(name)
    [condition] = [c for c in found.conditions if isinstance(c, sympy.Le)]
    for size in found.dims:
        usual = default_regime(found, size.name)
        assert usual is None or not false_in_limit(condition, usual)
    small, large = condition.args
    assert not false_in_limit(condition, Regime(f"{large} >> {small}"))
    breaks = f"{small} >> {large}"
    said = f"^regime '{breaks}': {small} <= {large}, which is assumed, does not hold in the limit$"
    with pytest.raises(RoofproofError, match=said):
        Question(found, asks="bytes", regime=breaks)
    if found.flops != 0:
        with pytest.raises(RoofproofError, match=said):
            proved_threshold(found, None, small.name, regime=breaks)


def test_no_size_grows_by_which_blocks_outgrow_a_memory() -> None:
    """The rule of thumb for tiles was once b > 240 as f and t grow, though blocks of f by b have to fit in memory."""
    tiled, there = op("tiled-matmul; f: width"), chip("tpu-v5e")
    assert default_regime(tiled, "b", there) == Regime("D >> b")
    assert default_regime(tiled, "b") == Regime("D, f >> b")  # on no chip there is no memory to fill
    [rule] = proved_threshold(tiled, there, "b").rules
    assert rule.threshold is not None and "f" in {s.name for case in rule.threshold for s in case.symbols}
    said = (
        r"^regime 'f >> b': 2\*b\*f \+ 2\*b\*t \+ 2\*f\*t <= 134217728, which is assumed, does not hold in the limit$"
    )
    for asked in (
        lambda: proved_threshold(tiled, there, "b", regime="f >> b"),
        lambda: Question(tiled, there, "b", "f >> b"),
    ):
        with pytest.raises(RoofproofError, match=said):
            asked()


def test_a_factor_that_sympy_takes_out_of_a_remainder_is_no_riddle() -> None:
    """8 X divides 96000 if X divides 12000. This was once refused because X occurs inside Mod(12000, X)."""
    meshed, sizes = op("x[B_XY, D] * w[D, F] -> z[B_XY, F]"), {"B": 96_000, "D": 9600, "F": 9600, "Y": 8}
    found = threshold(meshed, chip("bf16=100 TFLOP/s, hbm=1 TB/s"), "X", sizes)
    assert [str(c) for c in found.allowed.whole] == ["Eq(Mod(12000, X), 0)"]
    # each chip has b = 96000/(8 X) rows, which are compute-bound if 1/b + 2/9600 < 1/100
    rows = {x: Fraction(96_000, 8 * x) for x in range(1, 12_001) if 12_000 % x == 0}
    assert found.integer == max(x for x, b in rows.items() if 1 / b + Fraction(2, 9600) < Fraction(1, 100)) == 100


@given(st.integers(1, 40), st.integers(1, 40))
def test_what_divides_a_size_is_no_larger_and_between_the_multiples_there_are_values(batch: int, chips: int) -> None:
    shared, fixed = op("data-parallel"), {"D": 8, "F": 8}
    row = next(sweep(shared, {"X": [chips]}, quantities=["flops"], at={"B": batch, **fixed}).slabs())
    assert np.isnan(row["flops"]).tolist() == [chips > batch]
    if chips > batch:
        told = f"at B={batch}, X={chips}: data-parallel step assumes that X <= B, which is false"
        with pytest.raises(RoofproofError, match=f"^{re.escape(told)}$"):
            evaluate(shared, {"B": batch, "X": chips, **fixed}, "flops")
    grid = next(sweep(op("sharded-matmul:n=4"), {"D": range(1, 8)}, at={"B": 1, "F": 1}).slabs())
    assert np.isnan(grid["bytes"]).tolist() == [True] * 3 + [False] * 4


@given(st.integers(1, 30), st.integers(1, 12), *[st.fractions(0, 30, max_denominator=3)] * 2)
def test_a_bound_that_no_size_lies_beyond_is_left_out(largest: int, least: int, one: Fraction, other: Fraction) -> None:
    size = dimension("B")
    low, high = (sympy.Rational(e) for e in sorted((one, other)))
    sizes = Allowed(size, tuple(related(sign, size, sympy.Integer(n)) for sign, n in (("<=", largest), (">=", least))))
    there = range(least, largest + 1)
    for found in (Above(low), Below(high, False), Between(low, high), Outside(low, high)):
        bare = sizes.drop_vacuous_bounds(found)
        holds = [found.holds(sympy.Integer(n)) == sympy.true for n in there]
        assert [bare.holds(sympy.Integer(n)) == sympy.true for n in there] == holds
        assert isinstance(bare, Never) == (not any(holds))
        assert isinstance(bare, Always) or not all(holds) or not there or isinstance(found, Outside)
