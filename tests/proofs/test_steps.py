"""Step-by-step proofs: each line follows from one above it by its reason, and the last one is the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
import sympy
from set_out import steps_lines

from roofproof import chip, op, threshold
from roofproof.derive.inequalities.cases import bounds
from roofproof.errors import RoofproofError
from roofproof.export.explain.steps import REASONS
from roofproof.formula.logarithm import log2
from roofproof.ops import entries, parse_operation
from roofproof.proofs import ProvedThreshold
from roofproof.proofs.known import Unwarranted
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.critical_size import ProvedThreshold as Proved
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.steps.answer import answer_steps
from roofproof.proofs.steps.limits import limit_steps
from roofproof.proofs.steps.lines import Bound, Relation
from roofproof.proofs.steps.numbers import number_steps
from roofproof.proofs.steps.step import NoSteps, Reason, Step, Steps, stepped
from roofproof.proofs.steps.thresholds import threshold_steps
from roofproof.proofs.translate import to_formula
from roofproof.say import LANGUAGES, in_language
from roofproof.symbols import quantity

LONG = {"prefill", "generate", "decode-step", "training-step"}  # minutes
SIZES = {"B": 512, "D": 4096, "F": 8192, "L": 2048, "d": 4096, "n": 4, "N": 64, "S": 8192, "h": 32}
SOME = [("prefill", "B"), ("model-layer", "L"), ("training-step", "L"), ("convolution", "N")]
SEVERAL = {"block-scaled-matmul", "group-quantized-matmul"}  # compute units: one case for each that can be slowest
EVERY_EXPERT = {"mixture-of-experts": "mixture-of-experts:touched=all"}  # a minimum in E needs an oracle
THREE = pytest.param("convolution-3d", marks=pytest.mark.long)
CASES = [(name, s.name) for name, entry in entries().items()
         if name not in LONG | SEVERAL and "convolution" not in name for s in entry().dims] + SOME  # fmt: skip
ALL = [
    *CASES,
    ("block-scaled-matmul", "B"),
    *(pytest.param(name, s.name, marks=pytest.mark.long) for name in sorted(SEVERAL) for s in op(name).dims),
]


def proved(name: str, unknown: str, on: str | None = None) -> Proved | None:
    """Return a proved threshold, or None if there is none."""
    operation = parse_operation(EVERY_EXPERT.get(name, name))
    point = {s.name: SIZES[s.name] for s in operation.dims if s.name in SIZES and s.name != unknown}
    try:
        found = threshold(operation, on and chip(on), unknown, point if on else {})
    except RoofproofError:
        return None
    return found


def chains(found: Steps) -> Iterator[tuple[tuple[object, ...], list[Step]]]:
    """Yield each chain of lines, with the condition of its case."""
    if not found.branches:
        yield (), list(found.common)
    for branch in found.branches:
        yield (to_formula(branch.when),), [*found.common, *branch.steps]


@pytest.mark.sampled(7)
@pytest.mark.parametrize(("name", "unknown"), ALL)
def test_every_line_is_proved_by_the_kernel_and_the_last_one_is_the_answer(name: str, unknown: str) -> None:
    found = proved(name, unknown)
    if found is None:
        return
    made = threshold_steps(found)
    assert {k.trust for k in made.known} == {"kernel"}
    answers = {Bound(found.found.unknown, c.threshold).formula for c in found.found.symbolic}
    assert {lines[-1].line.formula for _, lines in chains(made)} == answers


@pytest.mark.sampled(13)
@pytest.mark.parametrize(("name", "unknown"), CASES[::7])
@pytest.mark.parametrize("on", ["h100-sxm", "tpu-v5e"])
def test_with_figures_and_sizes_the_last_line_is_the_answer(name: str, unknown: str, on: str) -> None:
    found = proved(name, unknown, on)
    if found is None:
        return
    made, there = threshold_steps(found), number_steps(found)
    lasts = {lines[-1].line.formula for _, lines in chains(made)}
    for case in found.found.cases:
        if bounds(case.threshold):
            assert Bound(found.found.unknown, case.threshold).formula in lasts
    for steps in (there,) if there else ():
        last = steps.common[-1].line
        if found.found.integer is not None and isinstance(last, Relation):
            assert last.right == found.found.integer
    if name != "sliding-window-attention":  # z3 proves its line with numbers under a root
        assert {k.trust for steps in (made, there) if steps for k in steps.known} == {"kernel"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "unknown"), CASES[::5])
def test_at_points_of_its_case_every_line_says_what_the_line_before_says(name: str, unknown: str) -> None:
    """Each line agrees with the line before at points of its case, evaluated without theorems."""
    found = proved(name, unknown)
    if found is None:
        return
    seen, assumed = 0, [to_formula(a) for a in found.found.assume]
    for given, lines in (way for way in chains(threshold_steps(found))):
        told = [line for step in lines for line in (step.line, step.before) if line is not None]
        shown = {s for line in told for e in line.shows for s in e.free_symbols}
        names = sorted({s.name for s in shown.union(*(a.free_symbols for a in found.found.assume))})
        for point in islice(sampling.points(names), 400):
            try:
                if not all(sampling.holds(f, point) for f in (*assumed, *given)):
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
    made = threshold_steps(threshold(op("matmul"), None, unknown))
    for step in made:
        if isinstance(step.line, Relation):
            wrong = replace(step.line, right=2 * step.line.right + 1)
            with pytest.raises(Unwarranted):
                replace(step, line=wrong)
            with pytest.raises(Refuted):
                stepped(step.before or step.line, wrong, step.reason, step.by)


def test_a_reason_that_is_not_the_reason_has_no_warrant() -> None:
    made = threshold_steps(threshold(op("matmul"), None, "B"))
    times = next(s for s in made if s.reason is Reason.TIMES)
    for reason in (Reason.DIVIDE, Reason.TURN, Reason.ADD, Reason.COLLECT, Reason.SQUARE, Reason.ROOT):
        with pytest.raises(Unwarranted):
            replace(times, reason=reason)
    with pytest.raises(Unwarranted):
        replace(times, by=(times.by[0] + 1,))
    with pytest.raises(Unwarranted):
        replace(times, known=times.known[:1])


def test_a_line_follows_from_a_line_above_it() -> None:
    made = threshold_steps(threshold(op("matmul"), None, "B"))
    with pytest.raises(Unwarranted) as refused:
        replace(made, common=(made.common[0], *made.common[2:]))
    assert str(refused.value) == "B*(D*F - R*(D + F)) > R*D*F: no line above it says B*D*F > R*(B*D + B*F + D*F)"


def test_a_factor_of_the_wrong_sign_is_refused() -> None:
    x, y = quantity("x"), quantity("y")
    with pytest.raises(Refuted):
        stepped(Relation(x, ">", y), Relation(-x, ">", -y), Reason.TIMES, (sympy.Integer(-1),))
    turned = stepped(Relation(-x, ">", -y), Relation(x, "<", y), Reason.TURN, (sympy.Integer(-1),))
    assert turned.known[0].trust == "kernel"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_words_and_no_others_do(language: str) -> None:
    assert set(REASONS) == set(Reason)
    assert language == "en" or all(in_language(form, language) != form for form in REASONS.values())


def limits(name: str) -> Iterator[tuple[ProvedThreshold, Steps]]:
    for s in parse_operation(name).dims[:2]:
        found = proved(name, s.name)
        for each in found.rules if found else ():
            yield found, limit_steps(each.limit)


@pytest.mark.parametrize("name", ["matmul", "dot", "gated-ffn", "ffn", "model-layer", "sharded-matmul"])
def test_the_steps_to_a_limit_are_proved_and_end_with_its_error(name: str) -> None:
    told = list(limits(name))
    assert told
    for found, made in told:
        if not any(rule.limit.value.is_infinite for rule in found.rules):
            assert [s.reason for s in made] == [
                Reason.FUNCTION, Reason.FRACTION, Reason.VANISH, Reason.LIMIT, Reason.ERROR
            ]  # fmt: skip
        assert {k.trust for k in made.known} == {"model", "kernel"}


@pytest.mark.parametrize(
    ("regime", "lines"),
    [
        (
            "D >> F >> B",
            ["I -> B*F/(B + F)", "B*F/(B + F) = B/(B/F + 1)", "B/F -> 0", "B*F/(B + F) -> B", "(B - I)/I = B/D + B/F"],
        ),
        ("F = 4 D -> oo", ["5*B/(4*D) -> 0", "I -> B", "(B - I)/I = 5*B/(4*D)"]),
        ("B ~ D ~ F -> oo", ["1/I = 1/B + 1/D + 1/F", "I -> oo"]),
    ],
)
def test_limits_in_stages_tied_and_without_bound(regime: str, lines: list[str]) -> None:
    [rule] = threshold(op("matmul"), None, "B", {}, regime).rules
    made = limit_steps(rule.limit)
    assert [str(s.line) for s in made if str(s.line) in lines] == lines
    assert {k.trust for k in made.known} == {"model", "kernel"}


def told_limits(name: str, unknown: str, on: str | None = None) -> list[Steps]:
    made = [*answer_steps(threshold(parse_operation(name), on and chip(on), unknown))]
    assert not [each for each in made if isinstance(each, NoSteps)]
    found = [each for each in made if isinstance(each, Steps) and each.key == "limit"]
    assert {k.trust for each in found for k in each.known} == {"model", "kernel"}
    return found


@pytest.mark.parametrize("name", ["depthwise-convolution", "convolution", "transposed-convolution", THREE])
def test_limits_of_convolutions_are_told_with_their_errors_as_sizes_are_1_or_more(name: str) -> None:
    grown = ", ".join(
        f"{s}: size" for s in parse_operation(name).dims if s.name not in "NCK"
    )  # images and filters, too
    [made] = told_limits(f"{name}; {grown}", "N")
    reasons = [s.reason for s in made]
    assert reasons[:3] == [Reason.FUNCTION, Reason.RECIPROCAL, Reason.LIMIT] and reasons[-1] == Reason.ERROR


def test_a_limit_that_holds_by_what_the_operation_asks_of_its_sizes() -> None:
    [made] = told_limits("chunked-prefill-attention", "L", "h100-sxm")
    assert str(made.common[-1].line) == "(L - I)/I = (3*L - 1)/(2*S + 1 - L)"
    [window] = told_limits("sliding-window-attention", "W", "h100-sxm")
    assert str(window.common[-1].line) == "(W/2 - I)/I = (W - 1)/(2*L + 1 - W)"


def test_a_minimum_is_one_of_its_parts_far_out() -> None:
    [made] = told_limits("grouped-matmul", "E")
    lines = [(str(s.line), s.reason) for s in made]
    assert lines[1:3] == [("E/(B*k) -> 0", Reason.VANISH), ("I = B*D*F*k/(B*D*k + B*F*k + D*E*F)", Reason.FAR_OUT)]
    with pytest.raises(Unwarranted):
        replace(made.common[2], line=Relation(quantity("I"), "=", quantity("E")))


def test_a_logarithm_is_told_by_two_to_the_power_of_both_sides() -> None:
    made = [*answer_steps(threshold(op("fft"), chip("h100-sxm"), "N"))]
    assert all(isinstance(each, Steps) for each in made)
    assert {k.trust for each in made for k in each.known} == {"model", "kernel"}  # type: ignore[union-attr]
    assert [f"{s.link} {s.line}".strip() for each in made for s in each] == [  # type: ignore[union-attr]
        "I = 5*log2(N)/32",
        "<=> 5*log2(N)/32 > M",
        "<=> log2(N) > 32*M/5",
        "<=> N > 2^(32*M/5)",
        "I -> oo",
        "<=> 5*log2(N)/32 > R",
        "<=> log2(N) > 32*R/5",
        "<=> N > 2^(32*R/5)",
        "<=> N > 2^64",
        "smallest N = 18446744073709551617",
    ]
    power = next(s for s in made[1] if s.reason is Reason.POWER)  # type: ignore[union-attr]
    with pytest.raises(Unwarranted):
        replace(power, line=Relation(quantity("N"), ">", quantity("R")))
    N, R = quantity("N"), quantity("R")
    with pytest.raises(Refuted):
        stepped(Relation(log2(N), ">", R), Relation(N, ">", 2 * R), Reason.POWER)


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "no step-by-step proof: I is a size here"), ("zh", "没有逐步的证明：I 在此处是一个尺寸")],
)
def test_what_is_not_told_says_why(language: str, said: str) -> None:
    found = threshold(parse_operation("flops bf16 = 2 I D; bytes memory = 2 I + 2 D + 2 I D"), None, "I")
    untold = next(made for made in answer_steps(found) if isinstance(made, NoSteps))
    assert [*steps_lines([untold], language)][-1].strip() == said


def number(name: str, unknown: str, at: dict[str, int], multiple_of: int = 1, on: str = "tpu-v5p") -> list[str]:
    steps = number_steps(threshold(parse_operation(name), chip(on), unknown, at, None, multiple_of))
    assert steps is not None
    assert {k.trust for k in steps.known} == {"kernel"}
    return [f"{s.link} {s.line}".strip() for s in steps]


def test_the_integer_answer() -> None:
    found = number("fsdp", "X", {"B": 4096, "D": 24, "F": 4096})
    assert found == ["<=> X < 2299/1275", "largest X = 1"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("found", "last"), [
    (("matmul", "B", {"D": 4096, "F": 4096}, 128), ["<=> B >= 256"]),
    (("chunked-prefill-attention", "L", {"S": 8192, "h": 32, "k": 128}, 1, "h100-sxm"),
     [" and L <= 8192", "smallest L = 313"]),
    (("tiled-matmul", "b", {"B": 4096, "D": 4096, "F": 4096, "f": 512, "t": 64}), ["smallest b = 512"]),
    (("pipeline-parallel", "p", {"B": 512, "D": 4096, "F": 8192, "N": 64}, 1, "h100-sxm"), ["largest p = 64"]),
])  # fmt: skip
def test_the_integer_answer_with_what_else_is_asked_of_it(found: Any, last: list[str]) -> None:
    lines = number(*found)[-len(last) :]
    assert lines[-1] == last[-1] and all(map(str.endswith, lines, last)), lines


def test_where_roots_are_isolated_the_polynomial_at_the_sizes_is_a_line() -> None:
    made = threshold_steps(threshold(parse_operation(CUBIC), chip("h100-sxm"), "N", {"D": 4}))
    assert [s.reason.value for s in made] == ["compute-bound", "times", "sizes", "isolated"]
    assert number(CUBIC, "N", {"D": 4}, on="h100-sxm") == ["smallest N = 292"]


CUBIC = "flops bf16 = N^3 + N^2 D; bytes memory = N^2 + 5 D"


def test_a_line_of_several_chains_names_those_that_it_follows_from() -> None:
    made = threshold_steps(threshold(op("softmax"), chip("h100-sxm"), "N"))
    numbers, follows = made.references
    never = made.branches[-1].steps
    assert [[follows.get(id(s), ()) for s in b.steps] for b in made.branches][-1] == [(), (1,), (2,), (1, 2)]
    assert [numbers.get(id(s), 0) for s in made.common] == [1, 0, 2]
    assert str(never[0].line) == "48312/41875 >= 1/4 and 1338/67 >= 1"
    assert threshold_steps(threshold(op("matmul"), None, "B")).references == ({}, {})
