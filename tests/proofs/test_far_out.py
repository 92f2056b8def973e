"""The truth of comparisons far out, for random polynomials, and rules of thumb over all memory levels and links."""

from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from roofproof.derive.limits.regime import Regime
from roofproof.hardware import chip
from roofproof.ops import parse_operation
from roofproof.proofs.asymptotics.decide import eventually
from roofproof.proofs.asymptotics.rounding import cases_of
from roofproof.proofs.asymptotics.signs import eventual_cases
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.oracles import sampling
from roofproof.proofs.provers.critical_size import threshold
from roofproof.proofs.provers.rule_of_thumb import rule_of_thumb
from roofproof.symbols import dimension, quantity

B, N, M = (Term("v", name) for name in "BNM")
FAR = (Fraction(2) ** 80, Fraction(3) ** 60 + Fraction(1, 7))
NEAR = (Fraction(1, 3), Fraction(1), Fraction(2), Fraction(5, 2), Fraction(7))


def sum_of(coefficients: list[int], bases: list[Term]) -> Term:
    parts = [Term("*", Term("q", c, 1), b) for c, b in zip(coefficients, bases, strict=True)]
    return Term("+", Term("q", 0, 1), *parts)


IN_ONE: list[Term] = [
    Term("q", 1, 1),
    N,
    Term("^", N, 2),
    Term("*", B, N),
    B,
    Term("*", Term("^", B, 2), N),
    Term("*", B, Term("^", N, 2)),
]
IN_TWO: list[Term] = [
    Term("q", 1, 1),
    N,
    M,
    Term("*", N, M),
    Term("*", B, N),
    Term("*", B, M),
    Term("^", N, 2),
    Term("*", B, N, M),
]
numbers = st.integers(-3, 3)


def told(cases: Any, point: dict[str, Fraction]) -> set[bool | None]:
    return {c.true for c in cases if all(sampling.holds(f, point) for f in c.when)}


@given(st.lists(numbers, min_size=7, max_size=7), st.sampled_from([">", "="]))
def test_each_point_that_stays_has_one_case_and_it_is_right(coefficients: list[int], relation: str) -> None:
    atom: Formula = (relation, sum_of(coefficients, IN_ONE), Term("q", 0, 1))
    assume(any(coefficients[i] for i in (1, 2, 3, 5, 6)))
    cases = eventual_cases(atom, ["N"])
    for near in NEAR:
        [true] = told(cases, {"B": near})
        for far in FAR:
            assert sampling.holds(atom, {"B": near, "N": far}) is true


@given(st.lists(numbers, min_size=8, max_size=8))
def test_names_that_grow_independently(coefficients: list[int]) -> None:
    atom = Formula(">", sum_of(coefficients, IN_TWO), Term("q", 0, 1))
    assume(any(coefficients[1:]))
    cases = eventual_cases(atom, ["N", "M"])
    for near in NEAR:
        [true] = told(cases, {"B": near})
        for n, m in ((FAR[0], FAR[1]), (FAR[0], FAR[0] ** 3), (FAR[1] ** 3, FAR[1]), (FAR[1], FAR[1])):
            assert true is None or sampling.holds(atom, {"B": near, "N": n, "M": m}) is true


@given(st.lists(numbers, min_size=3, max_size=3), st.integers(1, 6), st.sampled_from(["floor", "ceil"]))
def test_what_is_rounded(coefficients: list[int], divisor: int, rounding: str) -> None:
    rounded = (rounding, Term("/", Term("+", N, B), Term("q", divisor, 1)))
    atom = Formula(">", sum_of(coefficients, [rounded, N, B]), Term("q", 0, 1))
    assume(coefficients[0])
    cases = cases_of(atom, ["N"])
    for near in NEAR:
        truths = told(cases, {"B": near})
        for far in FAR:
            assert truths <= {None, sampling.holds(atom, {"B": near, "N": far})}


@given(st.lists(numbers, min_size=7, max_size=7), st.lists(numbers, min_size=7, max_size=7))
def test_a_formula_comes_to_what_stays(first: list[int], second: list[int]) -> None:
    one, other = (Formula(">", sum_of(c, IN_ONE), Term("q", 0, 1)) for c in (first, second))
    goal = Formula("<=>", one, Formula("not", other))
    far = eventually(goal, [("N",)])
    for near in NEAR:
        for n in FAR:
            assert sampling.holds(goal, {"B": near, "N": n}) == sampling.holds(far.limit_condition, {"B": near})
    assert far.theorem.conclusion == goal


def test_bounds_say_nothing_of_what_stays() -> None:
    """Each bound is about a growing variable, and holds far out."""
    goal = Formula(
        "<=>",
        Formula(">", Term("*", B, N), Term("+", Term("*", Term("q", 8, 1), N), Term("q", 5, 1))),
        Formula(">", B, Term("q", 8, 1)),
    )
    far = eventually(goal, [("N",)])
    assert all("N" in str(bound) for bound in far.bounds)
    for near in NEAR:
        assert all(sampling.holds(bound, {"B": near, "N": FAR[0]}) for bound in far.bounds)


SHARDED = "sharded-matmul:n={}"
V5E = "tpu-v5e@scaling-book"
RULES = [  # operation, chip, unknown, regime or None for the default, rule
    (SHARDED.format(4), V5E, "D", None, "D > 78800/3"),  # set by the link, not by memory, which needs 961
    (SHARDED.format(2), V5E, "D", None, "D > 78800/9"),
    (SHARDED.format(8), V5E, "D", None, "D > 551600/9"),
    (SHARDED.format(4), V5E, "B", None, "B > 9850/41"),
    (SHARDED.format(4), None, "D", None, "D > max(6*R_ici, 4*R_memory)"),
    (SHARDED.format(2), None, "D", None, "D > max(2*R_ici, 2*R_memory)"),
    (SHARDED.format(8), None, "B", None, "B > R_memory"),
    ("matmul", V5E, "B", None, "B > 9850/41"),
    ("matmul", None, "B", None, "B > R"),
    ("matmul", None, "D", None, "D > R"),
    ("matmul", None, "B", "D ~ F >> B", "B > R"),
    ("matmul", None, "B", "F = 4 D -> oo", "B > R"),
    ("matmul", None, "B", "F >> B, D", "B > D*R/(D - R)    when D > R\nnever              otherwise"),
    ("matmul", None, "B", "B, D, F -> oo", "always"),
    ("int8[B,D], int8[D,F] -> int8[B,F]", None, "B", None, "B > R/2"),
    ("bf16[B,D], int8[D,F] -> bf16[B,F]", None, "B", None, "B > R/2"),
    ("int8[B,D], bf16[D,F] -> bf16[B,F] @ bf16", None, "B", None, "B > R"),
    ("dot", V5E, "N", None, "never"),
    ("matvec", V5E, "D", None, "never"),
    ("transformer-layer", "h100-sxm", "L", None, "L > 19780/67"),
    ("attention", "h100-sxm", "L", None, "L > 19780/67"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("op", "on", "unknown", "regime", "rule"), RULES)
def test_the_rule_of_thumb_is_over_every_channel_and_proved(
    op: str, on: str | None, unknown: str, regime: str | None, rule: str | None
) -> None:
    found = threshold(parse_operation(op), chip(on) if on else None, unknown, regime=regime)
    rules = [r for r in found.rules if r.threshold is not None]
    assert [str(r.threshold) for r in rules] == ([] if rule is None else [rule])
    assert all(k.trust == "kernel" for r in rules for k in r.known)


def test_a_rule_far_off_at_the_sizes_given_is_none() -> None:
    """The rule D > 240 for B, F >> D is given at B = F = 4096, not at 500, where the exact bound is 25 times larger."""
    op = parse_operation("bf16[B,D], bf16[D,F] -> bf16[B,F]")
    near, far = (threshold(op, chip(V5E), "D", {"B": n, "F": n}) for n in (4096, 500))
    assert any(r.threshold for r in near.rules) and not any(r.threshold for r in far.rules)


@pytest.mark.parametrize(
    "op", ["flops bf16 = 2 N^3; bytes hbm = 6 N^2", "decode-step:examples/models/llama-3.1-8b.json"]
)
def test_always_far_out_is_no_rule_beside_a_bound(op: str) -> None:
    made = parse_operation(op)
    size = made.dims[0].name
    found = threshold(made, chip(V5E), size, {"S": 256} if size == "B" else {})
    assert found.found.at_point is not None and found.found.at_point.kind == "above"
    assert not any(r.threshold for r in found.rules)  # only the limit, or nothing


def test_no_rule_where_none_is_proved() -> None:
    x, y, limit = dimension("x"), dimension("y"), quantity("R")
    assert rule_of_thumb(sympy.Gt(sympy.log(y) * x, limit), x, Regime("y >> x")) is None
