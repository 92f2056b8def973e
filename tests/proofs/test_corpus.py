"""The corpus of typical problems is solved, proved, and equal to brute force at exact points."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import ceil

import pytest
import sympy

from benchmarks.check import right_optimum
from benchmarks.corpus import Problem, problems
from benchmarks.exact import holds
from benchmarks.grid import disagreements, parameter_points, unknown_points
from roofproof.derive.inequalities.cases import Above, Case, Cases
from roofproof.derive.inequalities.integers import largest_integer, smallest_integer
from roofproof.derive.limits.limits import limit
from roofproof.derive.optima.extremum import Attained
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.derive.solve import solve
from roofproof.proofs.provers.thresholds import certify

CONDITIONS = [p for p in problems() if p.condition is not None]
LIMITS = [p for p in problems() if p.kind == "limit"]
OPTIMA = [p for p in problems() if p.kind in ("minimum", "maximum")]
INTEGERS = [p for p in problems() if p.kind in ("smallest", "largest")]
# Proved by z3 but not by the proof checker. Do not add to them.
BY_ORACLE = {"stencil-halo", "convolution-side", "cubic-three-roots", "quartic-two-sides"}
named = pytest.mark.parametrize


def exact(condition: object) -> object:
    return sympy.to_nnf(condition, simplify=False)


def test_the_corpus_is_as_wide_as_it_says() -> None:
    assert len(problems()) >= 60
    assert len({p.name for p in problems()}) == len(problems())
    assert {p.degree for p in CONDITIONS} >= {1, 2, 3, 4}
    assert {len(p.parameters) for p in CONDITIONS} >= set(range(1, 9))


@pytest.mark.sampled(13)
@named("problem", CONDITIONS, ids=lambda p: p.name)
def test_solution_sets_equal_brute_force(problem: Problem) -> None:
    cases = solve(problem.condition, problem.unknown, problem.assume)
    points = parameter_points(problem, 12)
    assert not list(disagreements(exact(problem.condition), cases, points))


def test_brute_force_sees_a_wrong_bound_a_wrong_relation_and_a_wrong_case() -> None:
    problem = CONDITIONS[0]
    right = solve(problem.condition, problem.unknown)
    first, *rest = right.cases
    bound = first.threshold.at
    points = parameter_points(problem, 12)
    for wrong in (
        Case(first.when, Above(bound + sympy.Rational(1, 10**6))),
        Case(first.when, Above(bound, strict=False)),
        Case(sympy.true, Above(bound)),
    ):
        assert list(disagreements(exact(problem.condition), Cases(right.unknown, (wrong, *rest)), points))


@named("problem", INTEGERS, ids=lambda p: p.name)
def test_integer_answers_equal_a_search(problem: Problem) -> None:
    step, name = problem.step, problem.unknown.name
    threshold = solve(problem.condition, problem.unknown).at({n: sympy.Rational(str(v)) for n, v in problem.at.items()})
    found = (smallest_integer if problem.kind == "smallest" else largest_integer)(threshold, step)
    assert found is not None
    assert found % step == 0

    def works(n: int) -> bool:
        return holds(exact(problem.condition), {**problem.at, name: Fraction(n)})

    beyond = found + (step if problem.kind == "largest" else -step)
    assert works(found)
    assert beyond == 0 or not works(beyond)
    # the condition changes its truth value at most once, so the neighbour decides
    values = [works(step * ceil(x)) for x in sorted(unknown_points(exact(problem.condition), name, problem.at))]
    assert sum(a != b for a, b in pairwise(values)) <= 1


@pytest.mark.sampled(3)
@named("problem", LIMITS, ids=lambda p: p.name)
def test_limits_are_approached_and_proved(problem: Problem) -> None:
    found = limit(problem.expr, problem.target)
    assert found.trust == "kernel"
    for point in parameter_points(problem, 6):
        misses = []
        for scale in (10**6, 10**12):
            far = {s: sympy.Rational(str(v)) * (scale if s.name in found.regime.growing else 1)
                   for s, v in ((problem.symbol(n), v) for n, v in point.items())}  # fmt: skip
            at = problem.expr.subs(far)
            target = (found.growth if found.growth is not None else found.value).subs(far)
            misses.append(abs(at - target) / (abs(target) or 1))
            if found.relative_error is not None:
                assert abs(found.value.subs(far) - at) / at == found.relative_error.subs(far)
        assert misses[1] == 0 or misses[1] < misses[0] / 1000


@pytest.mark.sampled(3)
@named("problem", OPTIMA, ids=lambda p: p.name)
def test_no_point_of_a_grid_is_better_than_an_optimum(problem: Problem) -> None:
    found = {"minimum": minimum, "maximum": maximum}[problem.kind](problem.expr, problem.unknown, assume=problem.assume)
    attained = [(when, o.value, o.at[0][1]) for when, o in found if isinstance(o, Attained)]
    assert right_optimum(problem, attained)
    assert not right_optimum(problem, [(w, v, 2 * at) for w, v, at in attained])


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_every_problem_is_solved_and_certified(step: int, capsys: pytest.CaptureFixture[str]) -> None:
    trust: dict[str, list[str]] = {}
    for problem in (some := CONDITIONS[::step]):
        cases = solve(problem.condition, problem.unknown, problem.assume)
        level = certify(problem.condition, cases, problem.assume).trust
        trust.setdefault(level, []).append(problem.name)
    counts = Counter({k: len(v) for k, v in trust.items()})
    with capsys.disabled():
        print(f"\n{len(some)} conditions certified: {dict(counts)}; others than kernel:")
        for level, names in trust.items():
            if level != "kernel":
                print(f"  {level}: {', '.join(names)}")
    assert set(trust) <= {"kernel", "smt"}
    assert set(trust.get("smt", [])) <= BY_ORACLE
