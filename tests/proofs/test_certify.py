"""Right answers are proved, and wrong ones are refuted at a point that substitution confirms."""

import shutil
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from second_reading import tries

from roofproof import chip, op
from roofproof.derive.inequalities.cases import Above, Always, Below, Case, Cases, Never
from roofproof.derive.limits.limits import limit
from roofproof.derive.solve import solve, solve_inequality
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables
from roofproof.proofs.oracles.sampling import holds
from roofproof.proofs.provers.critical_size import threshold
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.provers.thresholds import certify, statements
from roofproof.symbols import quantity

B, D, F, R, C, L = map(quantity, ("B", "D", "F", "R", "C", "link"))
s_x, s_w, s_o = map(quantity, ("s_x", "s_w", "s_o"))
V5E = sympy.Rational(197 * 10**12, 82 * 10**10)

PROBLEMS = {
    "matmul for B": (B * D * F / (B * D + D * F + B * F) > R, B),
    "matmul for D, not strict": (B * D * F / (B * D + D * F + B * F) >= R, D),
    "mixed formats": (2 / (s_x / F + s_w / B + s_o / D) > R, B),
    "per-example weights": (2 * B * D * F / (B * D + B * D * F + B * F) > R, B),
    "split over a link": (B * D * F / C > 2 * B * F / L, D),
    "matmul at 4096 on a chip": (B * 4096**2 / (B * 8192 + 4096**2) > V5E, B),
    "bounded from above": (1 / (B + D) > R, B),
    "never": (B / (B + D) > 1, B),
    "always": ((B + 2 * D) / (B + D) > 1, B),
    "quadratic": (B * D**2 + 6 * B * (R - F) * D - 6 * F * R > 0, D),
}
by_problem = pytest.mark.parametrize("name", PROBLEMS)


@cache
def solved(name):
    condition, unknown = PROBLEMS[name]
    return solve_inequality(condition, unknown)


@cache
def proved(name):
    return certify(PROBLEMS[name][0], solved(name))


def confirmed(condition, cases, point):
    """Return whether substitution shows the cases wrong at a point: not exactly one applies, or that one is false."""
    exact = {quantity(n): sympy.Rational(v.numerator, v.denominator) for n, v in point.items()}

    def true(c):
        known = sympy.sympify(c).subs(exact, simultaneous=True)
        rest = {s: 1 for s in known.free_symbols}  # a coordinate that does not affect the failure
        return bool(known.subs(rest))

    applicable = [c for c in cases if true(c.when)]
    return len(applicable) != 1 or true(applicable[0].threshold.holds(cases.unknown)) != true(condition)


def refuted(condition, cases):
    with pytest.raises(Refuted) as caught:
        certify(condition, cases)
    point = caught.value.counterexample
    assert all(type(v) is Fraction and v > 0 for v in point.values())
    assert confirmed(condition, cases, point), (cases, point)
    return True


def perturbed(cases, i, **changes):
    """Return the cases with one case changed."""
    case = cases.cases[i]
    made = Case(changes.get("when", case.when), changes.get("threshold", case.threshold))
    return Cases(cases.unknown, (*cases.cases[:i], made, *cases.cases[i + 1 :]))


def wrong_answers(cases):
    """Yield wrong variants of right cases, each with a name."""
    x = cases.unknown
    for i, case in enumerate(cases):
        t = case.threshold
        if hasattr(t, "at"):
            for factor in (sympy.Rational(99, 100), sympy.Rational(101, 100), 2):
                yield f"bound times {factor}", perturbed(cases, i, threshold=type(t)(t.at * factor, t.strict))
            yield "strictness swapped", perturbed(cases, i, threshold=type(t)(t.at, not t.strict))
            yield "turned round", perturbed(cases, i, threshold=(Below if type(t) is Above else Above)(t.at, t.strict))
        other = Never() if isinstance(t, Always) else Always()
        yield f"{other.kind} in place of {t.kind}", perturbed(cases, i, threshold=other)
        yield "case given twice", Cases(x, (*cases.cases, case))
        yield "case added that always applies", Cases(x, (*cases.cases, Case(sympy.true, t)))
        if len(cases) > 1:
            yield "case dropped", Cases(x, cases.cases[:i] + cases.cases[i + 1 :])
            yield "condition dropped", perturbed(cases, i, when=sympy.true)
            yield "condition negated", perturbed(cases, i, when=sympy.Not(case.when))
            w = case.when
            yield "condition shifted", perturbed(cases, i, when=w.func(w.lhs, w.rhs * 2))


@by_problem
def test_right_answers_are_proved_by_the_kernel(name):
    certificate = proved(name)
    assert certificate.trust == "kernel"
    assert len(certificate.theorems) == len(certificate.known)
    wanted = statements(PROBLEMS[name][0], solved(name))
    assert [p.statement for p in certificate.known] == wanted
    for proof, statement in zip(certificate.known, wanted, strict=True):
        assert proof.theorem.conclusion == statement.goal


@by_problem
def test_what_a_theorem_assumes_can_be_listed(name):
    """A theorem assumes only the condition of its case, and that the symbols are positive."""
    for proof in proved(name).known:
        allowed = {*proof.statement.assumptions}
        symbols = variables(Formula("and", proof.statement.goal, *proof.statement.assumptions))
        allowed |= {Formula(">", Term("v", n), ZERO) for n in symbols}
        assert proof.theorem.hypotheses <= allowed
    assert proved(name).hypotheses == frozenset().union(*(t.hypotheses for t in proved(name).theorems))


@by_problem
def test_every_proof_has_a_witness(name):
    for proof in proved(name).known:
        assert proof.witness is not None
        point = {n: Fraction(1) for h in proof.theorem.hypotheses for n in variables(h)} | proof.witness
        assert all(holds(h, point) for h in (*proof.statement.assumptions, *proof.theorem.hypotheses))


@pytest.mark.sampled(5)
@by_problem
def test_wrong_answers_are_refuted(name):
    condition, _ = PROBLEMS[name]
    variants = list(wrong_answers(solved(name)))
    assert len(variants) >= 2
    if name == "quadratic":  # square roots at rational points are rare, so each takes half a second
        variants = [v for v in variants if v[0] in ("bound times 2", "strictness swapped", "turned round")]
    for what, cases in variants:
        assert refuted(condition, cases), what


@tries(12)
@given(
    st.integers(1, 9), st.integers(1, 9), st.integers(1, 9), st.integers(2, 4000), st.integers(-(10**6), 10**6),
    st.booleans(),
)  # fmt: skip
def test_a_bound_that_is_off_by_any_amount_is_refuted(a, b, c, ridge, off, strict):
    """A bound for 2/(a/4096 + b/B + c/4096) > ridge that is off by a millionth or more is refuted."""
    intensity = 2 / (sympy.Rational(a, 4096) + b / B + sympy.Rational(c, 4096))
    condition = intensity > ridge if strict else intensity >= ridge
    cases = solve(condition, B)
    assert certify(condition, cases).trust == "kernel"
    bound = cases.cases[0].threshold
    if not isinstance(bound, Above):
        assert refuted(condition, Cases(B, (Case(sympy.true, Always()),)))
    elif off:
        moved = bound.at * (1 + sympy.Rational(off, 10**6))
        wrong = Always() if moved <= 0 else Above(moved, strict)
        assert refuted(condition, Cases(B, (Case(sympy.true, wrong),)))


def test_the_message_of_a_refutation():
    condition, unknown = PROBLEMS["split over a link"]
    with pytest.raises(Refuted) as caught:
        certify(condition, Cases(unknown, (Case(sympy.true, Above(C / L)),)))
    point = caught.value.counterexample
    assert str(caught.value) == "D > C/link: false at " + ", ".join(f"{k} = {v}" for k, v in point.items())


# --- operations, chips, limits --------------------------------------------------------------------


@pytest.mark.parametrize(
    "operation", ["matmul", "bf16[B,D], int8[D,F] -> bf16[B,F]", "int8[B,D], int8[D,F] -> int8[B,F]"]
)
@pytest.mark.parametrize("target", [None, "tpu-v5e@scaling-book"])
def test_operations_on_chips_are_proved_by_the_kernel(operation, target):
    found = threshold(op(operation), chip(target) if target else None, "B")
    assert found.trust == "kernel"
    assert all(rule.limit.trust == "kernel" for rule in found.rules) and found.rules
    figures = [str(f) for f in found.figures]
    assert bool(figures) == bool(target)
    assert all(f.source for f in found.figures)
    for proof in (*found.solved.known, *found.symbolic.known):
        assert proof.witness is not None


LIMITS = {
    "matmul": (B * D * F / (B * D + D * F + B * F), "D, F >> B", B),
    "mixed": (2 / (s_x / F + s_w / B + s_o / D), "D, F >> B", 2 * B / s_w),
    "dot": ((2 * D - 1) / (4 * D + 2), "D -> oo", sympy.Rational(1, 2)),
    "infinite": (D**2 / (D + B), "D -> oo", sympy.oo),
    "zero": (B / (D + B), "D -> oo", sympy.Integer(0)),
}


@pytest.mark.parametrize(("expr", "regime", "value"), LIMITS.values(), ids=LIMITS)
def test_limits_are_proved_by_the_kernel(expr, regime, value):
    found = limit(expr, regime)
    assert found.value == value
    assert found.tends.theorem is not None and found.tends.theorem.rule == "tends"


# --- replay by a solver that shares no code -------------------------------------------------------


def answer_of_z3(script, tmp_path):
    """Run z3 in a separate process that sees only the file, and return its output."""
    path = tmp_path / "statement.smt2"
    path.write_text(script, "utf-8")
    binary = shutil.which("z3", path=str(Path(sys.executable).parent)) or shutil.which("z3")
    replay = "import sys, z3; s = z3.Solver(); s.from_file(sys.argv[1]); print(s.check())"
    command = [binary, "-T:20"] if binary else [sys.executable, "-I", "-c", replay]
    return subprocess.run([*command, str(path)], capture_output=True, text=True, timeout=60).stdout.strip()


@pytest.mark.sampled(3)
@by_problem
def test_the_exported_obligations_are_unsatisfiable(name, tmp_path):
    for statement in statements(PROBLEMS[name][0], solved(name)):
        assert answer_of_z3(statement.smtlib(), tmp_path) == "unsat", statement.says


@pytest.mark.parametrize("name", ["matmul for B", "mixed formats", "split over a link"])
def test_the_exported_obligations_of_wrong_answers_are_satisfiable(name, tmp_path):
    first = solved(name).cases[0]
    wrong = perturbed(solved(name), 0, threshold=Above(first.threshold.at * 2))
    answers = {answer_of_z3(o.smtlib(), tmp_path) for o in statements(PROBLEMS[name][0], wrong)}
    assert "sat" in answers
