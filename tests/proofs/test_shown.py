"""An answer shows only known facts: no value, case, limit or region contradicts its statement."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest
import sympy
from set_out import comparison_text, rendered

from roofproof import chip, op, threshold
from roofproof.claims.judge.judge import judge
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.language.book import book_from_text
from roofproof.derive.inequalities.cases import Above, Always, Case, Cases, Never
from roofproof.derive.on_chips import thresholds
from roofproof.export.outline import outline
from roofproof.export.record import record
from roofproof.formula.to_sympy import parse_expression
from roofproof.proofs import Known, ProvedThreshold, Unwarranted
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Unproved
from roofproof.proofs.oracles.sampling import value
from roofproof.proofs.provers.times import Partition, timed
from roofproof.proofs.statement import PRINTED, Statement

AT = {"D": 4096, "F": 4096}
QUESTIONS = {
    "matmul": ("matmul", "tpu-v5e", "B", AT),
    "never": ("dot", "tpu-v5e", "N", {}),
    "window": ("sliding-window-attention", "h100-sxm", "L", {"h": 8, "W": 512, "k": 128}),
    "blocks": ("tiled-matmul:b=t,f=t,d=64", "h100-sxm", "t", {"B": 8192, "D": 8192, "F": 8192}),
    "left-out": ("flops bf16 = 4 N k; flops exp = N; bytes memory = N", "a10", "k", {"N": 8}),
    "engines": ("flops bf16 = 4 N k; flops fp32-vector = N^2; bytes memory = N", "h100-sxm", "N", {"k": 8}),
    "supposed": ("int8[B], fp16[N] -> fp32[B,1] @ bf16", "bf16=0.05 TFLOP/s, hbm=5000 GB/s", "N", {}),
}


@cache
def asked(name: str) -> ProvedThreshold:
    text, on, unknown, at = QUESTIONS[name]
    return threshold(op(text), chip(on), unknown, at)


def changed(s: Statement) -> Iterator[Statement]:
    """Yield variants of a statement with another threshold or another condition."""
    if isinstance(s.about, tuple):
        unknown, case = s.about
        elsewhere = Never() if not isinstance(case.threshold, Never) else Always()
        yield replace(s, about=(unknown, replace(case, threshold=elsewhere)))
        yield replace(s, about=(unknown, replace(case, when=sympy.Symbol("x") > 7)))
        for bound in [case.threshold.at] if isinstance(case.threshold, Above) else []:
            yield replace(s, about=(unknown, replace(case, threshold=Above(bound + 1))))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUESTIONS)
def test_no_statement_of_an_answer_can_show_another_threshold(name: str) -> None:
    tried = 0
    for known in asked(name).derivation:
        for statement in changed(known.statement):
            tried += 1
            with pytest.raises(Unwarranted):
                Known(statement, known.warrant)
    assert tried > 3


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_printed_has_the_value_that_is_proved(name: str) -> None:
    """The printed text, parsed again, has the value of both sides of the goal."""
    tried = 0
    for s in (k.statement for k in asked(name).derivation):
        if s.kind not in PRINTED or s.goal[0] != "=" or s.kind == "figure":
            continue
        text = s.says.rpartition(" = ")[2]
        for k in range(1, 4):
            point = {n: Fraction(k * 7 + i * 3 + 2) for i, n in enumerate(sorted(s.names))}
            printed = at(parse_expression(text), point)
            for side in s.goal.sides if s.goal[1][0] != "v" else s.goal.sides[1:]:
                assert printed == sympy.Rational(value(side, point)) == at(s.value, point)
                tried += 1
    assert tried > 8


def at(shown: sympy.Expr, point: dict[str, Fraction]) -> sympy.Expr:
    return shown.subs({s: sympy.Rational(point[s.name]) for s in shown.free_symbols})


def test_the_largest_is_not_shown_for_the_smallest_nor_one_bound_of_a_time_for_another() -> None:
    [integer, *_] = asked("matmul").derivation.of("integer")
    assert integer.statement.says == "smallest integer B = 273" and integer.statement.integer == 273
    below = threshold(op("sharded-matmul"), chip("tpu-v5e"), "n", dict.fromkeys("BDF", 20000))
    assert below.derivation.of("integer")[0].statement.says.startswith("largest integer n = 2")
    for time in list(timed(op("matmul"), chip("tpu-v5e"), {"B": 8, **AT}))[-2:]:
        turned = "upper" if time.statement.label == "lower" else "lower"
        with pytest.raises(Unwarranted, match=turned):
            Known(replace(time.statement, label=turned), time.warrant)


def test_the_words_of_a_statement_are_made_of_its_goal() -> None:
    said = [k.statement.says for name in ("matmul", "never", "left-out") for k in asked(name).derivation]
    assert {
        "FLOPs in bf16 = 2*B*D*F",
        "FLOPs > R*bytes <=> B*D*F > R*(B*D + B*F + D*F)",
        "I = B*D*F/(B*D + B*F + D*F)",
        "R = 1.97e14 / 8.19e11 = 197000/819",
        "I < 1/2",
        "exp takes longer than bf16 <=> rate of exp < 31250000000000/k",
    } <= set(said)
    flops, *_ = asked("matmul").derivation.of("flops")
    assert replace(flops.statement, about="all FLOPs").says == flops.statement.says
    figure = asked("matmul").derivation.known[0]
    with pytest.raises(Unwarranted, match="the spec is bf16"):
        Known(replace(figure.statement, about="bf16 = 1.97e14 FLOP/s a core"), figure.warrant)


# --- the parts of an answer -----------------------------------------------------------------------


def test_a_threshold_has_the_cases_that_are_proved_and_supposes_what_they_do() -> None:
    proved, supposed = asked("matmul"), asked("supposed")
    found = proved.found
    never = Cases(found.unknown, (Case(sympy.true, Never()),))
    for wrong in (
        {"found": replace(found, cases=found.symbolic)},
        {"found": replace(found, symbolic=never)},
        {"solved": Derivation(proved.solved.known[:1])},  # no proof that there is no other case
        {"symbolic": Derivation(proved.symbolic.known[1:])},
        {"solved": proved.symbolic},
    ):
        with pytest.raises(Unwarranted):
            replace(proved, **wrong)
    with pytest.raises(Unwarranted, match="B >= 1, which is not said"):
        replace(supposed, found=replace(supposed.found, assume=()))


def test_a_rule_of_thumb_a_limit_and_a_region_are_what_is_proved_of_them() -> None:
    [rule] = asked("matmul").rules
    assert str(rule.threshold) == "B > 197000/819"
    with pytest.raises(Unwarranted, match="there are no cases"):
        _ = replace(rule, known=rule.known[:1]).threshold
    limit = rule.limit
    doubled = tuple(replace(stage, value=2 * stage.value) for stage in limit.approach.stages)
    twice = replace(limit.approach, stages=doubled, value=2 * limit.approach.value)
    for wrong in ({"approach": twice}, {"error": sympy.Integer(0)}):
        assert replace(limit, **wrong).trust == "undecided"
    regions = asked("engines").regions
    assert regions is not None
    with pytest.raises(Unwarranted, match="is not what is proved"):
        Partition(tuple(replace(r, cases=regions.regions[-1].cases) for r in regions.regions), regions.derivation)


def test_a_row_of_a_table_is_what_is_known_on_its_chip() -> None:
    [found] = thresholds(op("matmul"), "B", [chip("tpu-v5e"), chip("h100-sxm")], AT)
    assert [(row.ridges, str(row.integer)) for row in found.rows] == [
        ({"R": sympy.Rational(197000, 819)}, "273"), ({"R": sympy.Rational(19780, 67)}, "345"),
    ]  # fmt: skip
    says = [k.statement.says for row in found.rows for k in row.known if k.statement.kind == "at-point"]
    assert says == ["B > 50432000/185039", "B > 10127360/29359"]
    [case, *rest] = found.rows[0].known[1:]
    doubted = replace(found.rows[0], known=(found.rows[0].known[0], Known(case.statement, Unproved("unseen")), *rest))
    said = comparison_text(replace(found, rows=(doubted,))).splitlines()
    assert "open" in said and "proved" not in said
    assert "proved" in comparison_text(found).splitlines()


def test_a_verdict_rests_on_nothing_that_denies_it() -> None:
    for says in (
        "a + b <= max(a, b)",
        "2 + 2 == 5",
        "a + b == a",
        "a + b <= 2 max(a, b)",
        "2 + 2 == 4",
        "a + b == b + a",
    ):
        [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"').claims
        verdict = judge(claim)
        kind = "refuted" if verdict.kind == "verified" else "verified"
        with pytest.raises(Unwarranted, match="rests on the contrary"):
            Verdict(kind, verdict.known, claimed=verdict.claimed)
    doubted = Verdict("verified", tuple(Known(k.statement, Unproved("unseen")) for k in verdict.known))
    assert (verdict.trust, doubted.trust) == ("kernel", "undecided")


# --- output ---------------------------------------------------------------------------------------


def test_json_and_text_tell_how_far_each_part_is_known_and_from_where() -> None:
    proved = asked("matmul")
    doubted = replace(proved, solved=Derivation(tuple(Known(k.statement, Unproved("unseen")) for k in proved.solved)))
    made = record(proved.found.op, proved.chip, doubted, AT, 0)
    assert made["threshold"]["trust"] == "undecided"
    assert {each["trust"] for each in made["proved"]} == {"undecided"}
    assert made["limits"][0]["trust"] == "kernel"
    assert [(each["status"], each["source"]) for each in made["rests_on"]] == [
        (rate.status, rate.source) for rate in proved.figures
    ]
    text = rendered(outline(proved.found.op, proved.chip, doubted, AT), "en")
    assert text.count("not proved") == len(doubted.solved)
    rows = outline(proved.found.op, proved.chip, proved, AT).rows("point", "intensity")
    assert [row.integer for row in rows] == [None, 273] and str(rows[0].value) == "B*D*F/(B*D + B*F + D*F)"


def test_what_a_threshold_supposes_stands_in_json_too() -> None:
    proved = asked("supposed")
    made = record(proved.found.op, proved.chip, proved, {}, 0)["threshold"]
    assert (made["for_all"], made["given"]) == (["B", "N"], ["B >= 1"])
    found = outline(proved.found.op, proved.chip, proved, {})
    for lang in ("en", "zh"):
        assert "B >= 1" in rendered(found, lang)
