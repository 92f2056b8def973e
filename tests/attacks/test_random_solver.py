"""The cases found for random conditions are exhaustive, disjoint, and right at exact points. Some are also proved.

The short runs try a few hundred. The long run tries 20,000: the seeds 0 to 19 with 1,000 examples each:

    python -m pytest -q -s -m long tests/attacks/test_random_solver.py
"""

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from types import FrameType
from typing import Any

import pytest
import sympy
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.exact import holds, value
from roofproof.derive.algebra.logic import related
from roofproof.derive.inequalities.cases import Cases, bounds
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError
from roofproof.proofs.provers.thresholds import certify
from roofproof.symbols import quantity

SEEDS, EXAMPLES, SECONDS = 20, 1_000, 10
X = quantity("x")
PARAMETERS = tuple(map(quantity, "abc"))
PHASES = (Phase.explicit, Phase.generate)  # no shrinking: examples that take ten seconds would need an hour
counts: Counter[str] = Counter()

monomials = st.builds(
    lambda c, es: sympy.Mul(c, *(p**e for p, e in zip(PARAMETERS, es, strict=True))),
    st.sampled_from([1, 1, 2, 3]),
    st.sampled_from([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 0), (0, 1, 1), (2, 0, 0), (0, 2, 0)]),
)
positive = st.lists(monomials, min_size=1, max_size=2).map(lambda ms: sympy.Add(*ms))
mixed = st.lists(st.builds(lambda s, m: s * m, st.sampled_from([1, 1, -1]), monomials), min_size=1, max_size=3).map(
    lambda ms: sympy.Add(*ms)
)
roots = st.builds(sympy.sqrt, st.sampled_from(PARAMETERS))
numbers = st.one_of(positive, mixed, mixed, roots)
signs = st.sampled_from([">", ">=", "<", "<=", ">", "<", "==", "!="])
linear = st.builds(lambda p, q: p * X + q, mixed, st.one_of(st.just(sympy.Integer(0)), mixed))
rising = st.builds(lambda p, q: p * X + q, positive, st.one_of(st.just(sympy.Integer(0)), positive))
fractions = st.builds(
    lambda n, d: n / d, st.one_of(rising, linear, numbers), st.one_of(rising, rising, linear).filter(lambda d: d != 0)
)


def compared(left: st.SearchStrategy[Any], right: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.builds(related, signs, left, right)


quadratics = st.builds(lambda p, q, r: p * X**2 + q * X + r, mixed, mixed, mixed)
extrema = st.builds(lambda f, a, b: f(a, b), st.sampled_from([sympy.Max, sympy.Min]), rising, st.one_of(linear, mixed))
atoms = st.one_of(
    compared(fractions, numbers),
    compared(fractions, fractions),
    compared(linear, numbers),
    compared(quadratics, st.just(sympy.Integer(0))),
    compared(quadratics, linear),
)
with_extrema = st.one_of(
    compared(extrema, mixed),
    compared(extrema, rising),
    compared(st.builds(lambda m, d: m / d, extrema, positive), positive),
    compared(st.builds(lambda m, n: m + n, extrema, rising), positive),
)
joins = st.sampled_from([sympy.And, sympy.Or])
conditions = st.one_of(
    atoms,
    with_extrema,
    st.builds(lambda j, p, q: j(p, q), joins, compared(linear, numbers), compared(linear, numbers)),
    st.builds(lambda j, p, q: j(p, q), joins, compared(fractions, positive), with_extrema),
    st.builds(lambda p, q, r: (p & q) | r, compared(linear, mixed), compared(linear, mixed), compared(rising, numbers)),
    st.builds(sympy.Not, st.builds(sympy.And, compared(linear, mixed), compared(rising, mixed))),
)
pool = st.sampled_from([Fraction(p, q) for p, q in ((1, 1), (2, 1), (3, 1), (1, 2), (4, 1), (1, 3), (9, 1), (5, 7))])
points = st.lists(st.fixed_dictionaries({p.name: pool for p in PARAMETERS}), min_size=4, max_size=4)


class Hang(Exception):
    """No answer within the time limit."""


@contextmanager
def within(seconds: int) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise Hang(f"no answer within {seconds} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)  # processor time, so that a busy machine makes no difference
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def wrong(condition: Any, cases: Cases, point: dict[str, Fraction]) -> str | None:
    """Return the error in the cases at a point of the parameters, or None."""
    apply = [c for c in cases if holds(c.when, point)]
    if len(apply) != 1:
        return f"{len(apply)} cases apply at {point}"
    says = apply[0].threshold.holds(X)
    tried = {Fraction(1, 9), Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(50)}
    for bound in bounds(apply[0].threshold):
        near = value(bound, point)
        low, high = (near, near) if isinstance(near, Fraction) else near.bounds(48)
        tried |= {low, low * Fraction(1023, 1024), high * Fraction(1025, 1024)}
    for x in sorted(t for t in tried if t > 0):
        at = {**point, "x": x}
        if holds(says, at) != holds(condition, at):
            return f"{apply[0].threshold} when {apply[0].when} at {at}"
    return None


def check(condition: Any, values: list[dict[str, Fraction]], proved: bool) -> None:
    if condition in (sympy.true, sympy.false) or X not in condition.free_symbols:
        counts["decided at once"] += 1
        return
    counts["problems"] += 1
    plain = sympy.to_nnf(condition, simplify=False)
    with within(SECONDS):
        try:
            cases = solve(condition, X)
        except RoofproofError as refused:
            assert "cases" in str(refused), f"{condition}: {refused}"
            counts["refused: too many cases"] += 1
            return
    for point in values:
        problem = wrong(plain, cases, point)
        assert problem is None, f"{condition}\n{cases}\n{problem}"
        counts["points of the parameters"] += 1
    if proved:
        counts[f"proofs by {certify(condition, cases).trust}"] += 1


@pytest.mark.slow
@settings(max_examples=300, suppress_health_check=list(HealthCheck), phases=PHASES)
@given(conditions, points)
def test_random_conditions_are_solved_right(condition: Any, values: list[dict[str, Fraction]]) -> None:
    check(condition, values, proved=False)


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(st.one_of(compared(fractions, numbers), compared(linear, numbers), with_extrema), points)
def test_random_answers_are_proved(condition: Any, values: list[dict[str, Fraction]]) -> None:
    check(condition, values, proved=True)


A, B, C = PARAMETERS
FOUND = {  # reduced failures of random runs; each must be solved right, or refused with a message
    "a divisor free of the unknown may be zero": related("<=", 1 / (X * (A - B)), C),
    "what is undefined is not unequal": related("!=", X / (A - B), C),
    "nothing equals what is undefined": related("==", (X - 1) / (A - B), sympy.Integer(0)),
    "a cancelled divisor is still one": related(">", (X**2 - A**2) / (X - A), B),
    "a bound that is itself a maximum": (X > A) & related("==", sympy.Max(A * X, B * X - 1), sympy.Integer(1)),
    "a divisor that is a maximum": related(">", 1 / sympy.Max(A - X, 0), B),
    "the unknown under a root": related(">", X + sympy.sqrt(X), A),
    "the unknown in a rounding": related(">", 128 * sympy.ceiling(X / 128), A),
    "a square that may be zero": related(">", (A - B) ** 2 * X, C),
    "a square of the unknown": related(">", (X - A) ** 2 * (X - B), sympy.Integer(0)),
    "a square below the line": related(">", 1 / (X - A) ** 2, B),
    "the middle between two roots": related(">", (X**2 - B * X + C) * (X - B / 2), sympy.Integer(0)),
    "roots of a root": related(">", (X**2 - 2 * sympy.sqrt(A) * X + B) * (X - C), sympy.Integer(0)),
    "the middle is a root": (X**2 - 2 * sympy.sqrt(A) * X + B < 0) & (sympy.sqrt(A) < X),
    "a fraction that is zero over zero": related(">=", (X - A) / (X - B), sympy.Integer(0)),
    "bounds that meet, the first included": (X >= A) | (X > B),
    "bounds that meet, the second included": (X > A) | (X >= B),
    "a distance": related("<", sympy.Abs(X - A), B),
}
UNMENDED: set[str] = set()  # names of failures that are not fixed yet


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_before(name: str, request: pytest.FixtureRequest) -> None:
    if name in UNMENDED:
        request.applymarker(pytest.mark.xfail(strict=True))
    condition = FOUND[name]
    try:
        with within(SECONDS):
            cases = solve(condition, X)
    except RoofproofError as refused:
        assert "\n" not in str(refused)
        return
    assert not any(X in c.symbols or c.when == sympy.false for c in cases)
    for values in product([Fraction(1, 2), Fraction(1), Fraction(3)], repeat=3):
        point = {p.name: v for p, v in zip(PARAMETERS, values, strict=True)}
        near = {**point, "x": point["a"]}
        says = sympy.Or(*(sympy.And(c.when, c.threshold.holds(X)) for c in cases))
        assert wrong(condition, cases, point) is None
        assert holds(says, near) == holds(condition, near)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("sign", ["==", "!=", "<", ">="])
def test_what_is_undefined_is_proved_to_be_in_no_relation(sign: str) -> None:
    """No relation with an undefined value holds, and the solver's cases for it are proved by the kernel."""
    for condition in (related(sign, X / (A - B), C), related(sign, C / (A - 3), B) | (A * X > 1)):
        assert certify(condition, solve(condition, X)).trust == "kernel"


@pytest.mark.parametrize("sign", [">", ">=", "<", "<=", "==", "!="])
def test_a_double_root_where_the_leading_coefficient_is_zero(sign: str) -> None:
    condition = related(sign, (A - B) * X**4 + (X - 1) ** 2 * (X - 2), sympy.Integer(0))
    cases = solve(condition, X, [sympy.Eq(A, B)])
    one = {p.name: Fraction(1) for p in PARAMETERS}
    assert wrong(condition, cases, one) is None


@pytest.mark.parametrize("sign", [">", ">=", "<", "<=", "==", "!="])
@pytest.mark.parametrize("known", [A - B, B - A, (A - B) / C], ids=str)
def test_what_is_assumed_leaves_no_case_out(sign: str, known: Any) -> None:
    """Under an assumption, the cases cover every point at which it holds."""
    assumed, condition = related(sign, known, sympy.Integer(0)), related(">", (A - B) * X, C)
    cases = solve(condition, X, [assumed])
    for values in product([Fraction(1, 2), Fraction(1), Fraction(3)], repeat=3):
        point = {p.name: v for p, v in zip(PARAMETERS, values, strict=True)}
        if holds(assumed, point):
            assert wrong(condition, cases, point) is None


NOWHERE_OR_EVERYWHERE: dict[Any, Callable[..., bool]] = {  # a condition, and the same in exact fractions
    (X > A) & (X <= B): lambda x, a, b, c: a < x <= b,
    A * X > B - C: lambda x, a, b, c: a * x > b - c,
    X**2 - B * X + C >= 0: lambda x, a, b, c: x * x - b * x + c >= 0,
    X**2 - B * X + C < 0: lambda x, a, b, c: x * x - b * x + c < 0,
}


@pytest.mark.parametrize("condition", NOWHERE_OR_EVERYWHERE, ids=str)
def test_never_and_always_are_said_where_they_are_so(condition: Any) -> None:
    """An empty solution is `never`, not `1 < x <= 1`, and a full one is `always`, not a union of two halves."""
    cases, plain = solve(condition, X), NOWHERE_OR_EVERYWHERE[condition]
    for values in product([Fraction(1, 4), Fraction(1), Fraction(2), Fraction(4)], repeat=3):
        [case] = [c for c in cases if holds(c.when, {p.name: v for p, v in zip(PARAMETERS, values, strict=True)})]
        seen = {plain(Fraction(n, 16), *values) for n in range(1, 300)}
        assert (case.threshold.kind == "never", case.threshold.kind == "always") == (seen == {False}, seen == {True})


def test_a_wrong_answer_would_be_seen() -> None:
    a = PARAMETERS[0]
    right = solve(a < X, X)
    assert wrong(a < X, right, {"a": Fraction(2)}) is None
    assert (
        wrong(a <= X, right, {"a": Fraction(2)})
        == "Above(at=a, strict=True) when True at {'a': Fraction(2, 1), 'x': Fraction(2, 1)}"
    )


@pytest.mark.long
@pytest.mark.parametrize("block", range(SEEDS))
def test_twenty_thousand_random_conditions(block: int, capsys: pytest.CaptureFixture[str]) -> None:
    failures: list[str] = []

    def attempt(condition: Any, values: list[dict[str, Fraction]]) -> None:
        try:
            check(condition, values, proved=counts["problems"] % 50 == 0)
        except Exception as met:  # counted and shown below; the block continues
            counts[f"failed: {type(met).__name__}"] += 1
            failures.append(f"{type(met).__name__}: {condition}: {str(met)[:300]}")

    run: Callable[[], None] = seed(block)(
        settings(max_examples=EXAMPLES, database=None, suppress_health_check=list(HealthCheck), phases=PHASES)(
            given(conditions, points)(attempt)
        )
    )
    run()
    with capsys.disabled():
        print(f"\nseeds 0..{block}: {dict(counts)}", *failures, sep="\n  ")
    assert not failures
