"""Laws of proofs that people read: each line follows from one above it by its reason, the last one is the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
import sympy

from roofproof import chip, op, threshold
from roofproof.derive.inequalities.cases import bounds
from roofproof.errors import RoofproofError
from roofproof.export.words.catalogue import LANGUAGES, Catalogue, table
from roofproof.ops import entries, parse_operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.critical_size import ProvedThreshold as Proved
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.steps.limits import limit_steps
from roofproof.proofs.steps.lines import Bound, Relation
from roofproof.proofs.steps.reasons import stepped
from roofproof.proofs.steps.rules import SUMS, rule
from roofproof.proofs.steps.step import Reason, Step, Steps
from roofproof.proofs.steps.thresholds import threshold_steps
from roofproof.proofs.translate import to_formula
from roofproof.symbols import quantity

LONG = {"prefill", "generate", "decode-step", "training-step"}  # minutes
SIZES = {"B": 512, "D": 4096, "F": 8192, "L": 2048, "d": 4096, "n": 4, "N": 64, "S": 8192, "h": 32}
SOME = [("prefill", "B"), ("model-layer", "L"), ("training-step", "L"), ("convolution", "N")]
CASES = [(name, s.name) for name, entry in entries().items() if name not in LONG and "convolution" not in name
         for s in entry().dims] + SOME  # fmt: skip


def proved(name: str, unknown: str, on: str | None = None) -> Proved | None:
    """Return a proved threshold, None where there is none, or one of several engines."""
    operation = parse_operation(name)
    point = {s.name: SIZES[s.name] for s in operation.dims if s.name in SIZES and s.name != unknown}
    try:
        found = threshold(operation, on and chip(on), unknown, point if on else {})
    except RoofproofError:
        return None
    return found if len({c.compute for c in found.found.ceilings}) == 1 else None


def chains(found: Steps) -> Iterator[tuple[tuple[object, ...], list[Step]]]:
    """Yield every way through the lines: what is given there, and the lines."""
    if not found.branches:
        yield (), list(found.common)
    for branch in found.branches:
        yield (to_formula(branch.when),), [*found.common, *branch.steps]


@pytest.mark.parametrize(("name", "unknown"), CASES)
def test_every_line_is_proved_by_the_kernel_and_the_last_one_is_the_answer(name: str, unknown: str) -> None:
    found = proved(name, unknown)
    if found is None:
        return
    [made] = threshold_steps(found)
    assert {k.trust for k in made.known} == {"kernel"}
    answers = {Bound(found.found.unknown, c.threshold).formula for c in found.found.symbolic}
    assert {lines[-1].line.formula for _, lines in chains(made)} == answers


def test_several_engines_are_not_told_line_by_line() -> None:
    with pytest.raises(RoofproofError, match="the proof for several engines is not told line by line"):
        threshold_steps(threshold(parse_operation("softmax"), chip("h100-sxm"), "N"))


@pytest.mark.parametrize(("name", "unknown"), CASES[::7])
@pytest.mark.parametrize("on", ["h100-sxm", "tpu-v5e"])
def test_with_figures_and_sizes_the_last_line_is_the_answer(name: str, unknown: str, on: str) -> None:
    found = proved(name, unknown, on)
    if found is None:
        return
    made, *there = threshold_steps(found)
    lasts = {lines[-1].line.formula for _, lines in chains(made)}
    for case in found.found.cases:
        if bounds(case.threshold):
            assert Bound(found.found.unknown, case.threshold).formula in lasts
    for steps in there:
        last = steps.common[-1].line
        if found.found.integer is not None and isinstance(last, Relation):
            assert last.right == found.found.integer
    if name != "sliding-window-attention":  # where z3 shows the line with figures under a root
        assert {k.trust for steps in (made, *there) for k in steps.known} == {"kernel"}


@pytest.mark.parametrize(("name", "unknown"), CASES[::5])
def test_at_points_of_its_case_every_line_says_what_the_line_before_says(name: str, unknown: str) -> None:
    """No theorem is looked at: both lines are worked out with numbers."""
    found = proved(name, unknown)
    if found is None:
        return
    seen = 0
    for given, lines in (way for steps in threshold_steps(found) for way in chains(steps)):
        told = [line for step in lines for line in (step.line, step.before) if line is not None]
        names = sorted({s.name for line in told for e in line.shows for s in e.free_symbols})
        for point in islice(sampling.points(names), 400):
            try:
                if not all(sampling.holds(f, point) for f in given):
                    continue
                for step in lines:
                    held = sampling.holds(step.line.formula, point)
                    before = step.before is None or sampling.holds(step.before.formula, point)
                    assert held == before if step.link == "<=>" else held, (step, point)
                    seen += 1
            except sampling.Inexact:
                continue
    assert seen


@pytest.mark.parametrize("unknown", ["B", "D", "F"])
def test_a_line_that_is_changed_has_no_warrant(unknown: str) -> None:
    [made] = threshold_steps(threshold(op("matmul"), None, unknown))
    for step in made:
        if isinstance(step.line, Relation):
            wrong = replace(step.line, right=2 * step.line.right + 1)
            with pytest.raises(Unwarranted):
                replace(step, line=wrong)
            with pytest.raises(Refuted):
                stepped(step.before or step.line, wrong, step.reason, step.by)


def test_a_reason_that_is_not_the_reason_has_no_warrant() -> None:
    [made] = threshold_steps(threshold(op("matmul"), None, "B"))
    times = next(s for s in made if s.reason is Reason.TIMES)
    for reason in (Reason.DIVIDE, Reason.TURN, Reason.ADD, Reason.COLLECT, Reason.SQUARE, Reason.ROOT):
        with pytest.raises(Unwarranted):
            replace(times, reason=reason)
    with pytest.raises(Unwarranted):
        replace(times, by=(times.by[0] + 1,))
    with pytest.raises(Unwarranted):
        replace(times, known=times.known[:1])


def test_a_line_follows_from_a_line_above_it() -> None:
    [made] = threshold_steps(threshold(op("matmul"), None, "B"))
    with pytest.raises(Unwarranted) as refused:
        replace(made, common=(made.common[0], *made.common[2:]))
    assert str(refused.value) == "B*(D*F - R*(D + F)) > R*D*F: no line above it says B*D*F > R*(B*D + B*F + D*F)"


@pytest.mark.parametrize("reason", SUMS)
@pytest.mark.parametrize("sign", [">", ">=", "<", "<="])
def test_a_rule_needs_each_of_its_claims(reason: Reason, sign: str) -> None:
    if reason is Reason.ROOT and sign[0] == "<":
        return
    new = {"<": ">", ">": "<"}[sign[0]] + sign[1:] if reason is Reason.TURN else sign
    theorem = rule(reason, sign, new)
    used = {"times": 3, "divide": 3, "turn": 3, "collect": 1, "add": 2, "complete-square": 2, "root": 4}
    assert len(theorem.hypotheses) == used[reason.value]


def test_a_factor_of_the_wrong_sign_is_refused() -> None:
    x, y = quantity("x"), quantity("y")
    with pytest.raises(Refuted):
        stepped(Relation(x, ">", y), Relation(-x, ">", -y), Reason.TIMES, (sympy.Integer(-1),))
    turned = stepped(Relation(-x, ">", -y), Relation(x, "<", y), Reason.TURN, (sympy.Integer(-1),))
    assert turned.known[0].trust == "kernel"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_words_and_no_others_do(language: str) -> None:
    said = {key.removeprefix("why-") for key in table()["steps"] if key.startswith("why-")}
    assert said == {reason.value for reason in Reason}
    assert all(Catalogue(language, "steps")[f"why-{reason.value}"] for reason in Reason)


def limits(name: str) -> Iterator[tuple[ProvedThreshold, Steps]]:
    for s in parse_operation(name).dims[:2]:
        found = proved(name, s.name)
        for each in found.rules if found else ():
            if made := limit_steps(each.proved):
                yield found, made


@pytest.mark.parametrize("name", ["matmul", "dot", "gated-ffn", "ffn", "model-layer", "sharded-matmul"])
def test_the_steps_to_a_limit_are_proved_and_end_with_its_error(name: str) -> None:
    told = list(limits(name))
    assert told
    for _, made in told:
        assert [s.reason for s in made] == [
            Reason.FUNCTION, Reason.FRACTION, Reason.VANISH, Reason.LIMIT, Reason.ERROR
        ]  # fmt: skip
        assert {k.trust for k in made.known} == {"model", "kernel"}
