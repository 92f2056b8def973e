"""Every optimum is proved by the proof checker, and every wrong one is refuted or stays unproved."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof.derive.optima.extremum import Approached, Attained, Extremum, Outcome, Unbounded
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables
from roofproof.proofs.provers.optimum_proofs import prove_extremum
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.search.roots import NamedRoots
from roofproof.symbols import quantity

a, b, c, d, x, y, z, N = map(quantity, "abcdxyzN")
sqrt, Max, Min, Eq, Rational = sympy.sqrt, sympy.Max, sympy.Min, sympy.Eq, sympy.Rational

KERNEL: dict[str, Extremum] = {
    "a x + b/x": minimum(a * x + b / x, x),
    "with a constant": minimum(a * x + b / x + c, x),
    "cube root": minimum(a * x**2 + b / x, x),
    "fifth root": minimum(a * x**3 + b / x**2, x),
    "root of x": minimum(a * sqrt(x) + b / x, x),
    "root of a parameter": minimum(a * x + b * sqrt(N) / x, x),
    "root of a sum": minimum((x**2 + a) / (x + b), x),
    "square": minimum(a * x**2 - b * x + c, x),
    "numbers": minimum(3 * x + 100 / x, x),
    "cube root of a number": minimum(3 * x + 100 / x**2, x),
    "numeric root": minimum(x**5 - 3 * x + 1 / x, x),
    "from one on": minimum(a * x + b / x, x, [x >= 1]),
    "at most N": minimum(a * x + b / x, x, [x <= N]),
    "falling": minimum(a / x, x, [x <= N]),
    "crossing": minimum(Max(a / x, b * x), x),
    "crossing with a level": minimum(Max(a / x, b * x, c), x),
    "crossing, then rising": minimum(c * x + Max(a / x, b * x), x),
    "largest of a minimum": maximum(Min(a * x, b / x), x),
    "rational": maximum(x / (x + a) ** 2, x),
    "by an equation": minimum(a * x + b * y, (x, y), [Eq(x * y, N)]),
    "product": maximum(x * y, (x, y), [Eq(x + y, N)]),
    "two unknowns": minimum(a / x + b / y + c * x * y, (x, y)),
    "two unknowns, numbers": minimum(2 * x * y + 3 / x + 5 / y, (x, y)),
    "seventh root": minimum(a * x**2 * y + b * x / y + c / x**2, (x, y)),
    "three unknowns": minimum(a / x + b / y + c / z + d * x * y * z, (x, y, z)),
    "not attained": minimum(a / x, x),
    "not attained between": minimum((x + a) / (x + b), x),
    "open end": minimum(a - b * x, x, [x < 3]),
    "one unknown drifts": minimum(a * x + b / x + 1 / y, (x, y)),
    "unbounded": minimum((a - b) * x + 1 / x, x),
    "past a pole": minimum(x + 1 / (x - 1), x, [x > 1]),
    "empty": minimum(x, x, [x > 2, x < 2]),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", KERNEL)
def test_the_kernel_proves_it(name: str) -> None:
    proved = prove_extremum(KERNEL[name])
    assert proved.trust == "kernel", [p.statement.says for p in proved.derivation.known if p.trust != "kernel"]
    for theorem in proved.derivation.theorems:
        assert not any(n.endswith("!") for n in variables(theorem.conclusion))


def test_the_theorem_says_what_was_asked() -> None:
    [bound, taken, alone] = prove_extremum(KERNEL["a x + b/x"]).derivation.theorems
    assert repr(bound) == "a > 0, b > 0, x > 0 |- a*x + b/x >= 2*sqrt(a)*sqrt(b)"
    assert alone.conclusion[0] == "or" and alone.conclusion[1][0] == "="
    assert alone.hypotheses == bound.hypotheses
    assert taken.conclusion[0] == "="


def test_other_roots_keep_a_name_and_its_definition() -> None:
    theorem = prove_extremum(KERNEL["cube root of a number"]).derivation.theorems[0]
    hypotheses = "3^(1/3) > 0, 3^(1/3)^3 = 3, 5^(1/3) > 0, 5^(1/3)^3 = 5, x > 0"
    assert repr(theorem).startswith(f"{hypotheses} |- 3*x + 100/x^2 >= ")


def test_a_fourth_root_is_a_square_root_of_one() -> None:
    theorem = prove_extremum(minimum(a * x + sqrt(N) / x, x)).derivation.theorems[0]
    assert "sqrt(sqrt(N))" in repr(theorem) and "^(1/" not in repr(theorem)


def test_a_bound_is_among_the_hypotheses_only_where_it_was_given() -> None:
    positive = {Formula(">", Term("v", n), ZERO) for n in "abx"}
    for when, outcome in KERNEL["from one on"]:
        found = replace(KERNEL["from one on"], cases=((when, outcome),))
        try:
            first = prove_extremum(found).derivation.theorems[0]
        except Refuted:  # a single case is not exhaustive
            continue
        assert len(first.hypotheses - positive) <= 2


@settings(max_examples=12)
@given(st.tuples(*[st.integers(1, 40)] * 2), st.integers(1, 3), st.integers(1, 3))
def test_two_term_posynomials_are_proved_by_the_kernel(ks: tuple[int, int], p: int, q: int) -> None:
    assert prove_extremum(minimum(ks[0] * x**p + ks[1] / x**q, x)).trust == "kernel"
    assert prove_extremum(minimum(a * x**p + ks[1] * b / x**q, x)).trust == "kernel"


# --- wrong ones -------------------------------------------------------------------------------------


def mutants(outcome: Outcome) -> list[Outcome]:
    """Return wrong variants of an outcome."""
    if isinstance(outcome, Attained):
        moved = tuple((s, e * Rational(11, 10)) for s, e in outcome.at)
        return [
            replace(outcome, value=outcome.value * Rational(11, 10)),
            replace(outcome, value=outcome.value * Rational(9, 10)),
            replace(outcome, at=moved),
            replace(outcome, at=tuple((s, 1 / e) for s, e in outcome.at)),
            Attained(outcome.value + 1, outcome.at),
        ]
    if isinstance(outcome, Approached):
        return [replace(outcome, value=outcome.value + 1), replace(outcome, value=outcome.value - 1)]
    return [Attained(sympy.Integer(1), ((x, sympy.Integer(1)),))]


MUTATED = ["a x + b/x", "cube root", "root of x", "numbers", "falling", "crossing", "by an equation", "two unknowns",
           "rational", "not attained", "largest of a minimum", "numeric root"]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MUTATED)
def test_a_wrong_optimum_is_not_proved(name: str) -> None:
    found = KERNEL[name]
    refuted = 0
    for outcome in mutants(found.cases[0][1]):
        wrong = replace(found, cases=((found.cases[0][0], outcome), *found.cases[1:]))
        try:
            assert prove_extremum(wrong).trust != "kernel"
        except Refuted as error:
            refuted += 1
            _confirm(wrong, error)
    assert refuted >= (len(mutants(found.cases[0][1])) + 1) // 2


def _confirm(wrong: Extremum, error: Refuted) -> None:
    """Assert that the value at the counterexample differs from the claimed value."""
    point = {k: Rational(v.numerator, v.denominator) for k, v in error.counterexample.items()}
    [(_, outcome), *_] = wrong.cases
    f = wrong.expr
    for relation in wrong.subject_to:
        if isinstance(relation, sympy.Equality):
            f = f.subs(y, N / x)
    table = {s: point[s.name] for s in (f.free_symbols | outcome.value.free_symbols) if s.name in point}
    value = outcome.value.subs(table)
    claimed = dict(outcome.at if isinstance(outcome, Attained) else outcome.towards)
    here = {s: table.get(s, claimed.get(s, s)) for s in wrong.over}
    there = f.subs(here).subs(table)
    if there.is_number and value.is_number:
        assert there != value or isinstance(outcome, Approached)


def test_messages_of_refutation() -> None:
    right = minimum(x + 4 / x, x)
    for outcome, message in (
        (Attained(sympy.Integer(5), ((x, sympy.Integer(1)),)), "x + 4/x >= 5: false at x = 2"),
        (Attained(sympy.Integer(3), ((x, sympy.Integer(2)),)), "x + 4/x = 3 at x = 2: false at x = 2"),
        (Attained(sympy.Integer(4), ((x, sympy.Integer(3)),)), "x + 4/x = 4 at x = 3: false at x = 3"),
        (Approached(sympy.Integer(4), ((x, sympy.oo),)), "x + 4/x > 4: false at x = 2"),
    ):
        with pytest.raises(Refuted) as caught:
            prove_extremum(replace(right, cases=((sympy.true, outcome),)))
        assert str(caught.value) == message


def test_a_value_too_large_by_little_is_refuted_near_the_optimum() -> None:
    right = minimum(3 * x + 100 / x, x)
    [(_, outcome)] = right.cases
    assert isinstance(outcome, Attained)
    at = ((x, 10 * sqrt(3) / 3 + Rational(1, 20)),)
    value = right.expr.subs(x, at[0][1])
    with pytest.raises(Refuted) as caught:
        prove_extremum(replace(right, cases=((sympy.true, Attained(value, at)),)))
    point = caught.value.counterexample["x"]
    assert (right.expr.subs(x, Rational(point.numerator, point.denominator)) - value).is_negative


def test_the_wrong_kind_is_not_proved() -> None:
    for bounded in (minimum(a * x + b / x, x), minimum(a * x, x)):
        wrong = replace(bounded, cases=((sympy.true, Unbounded(-sympy.oo, ((x, sympy.oo),))),))
        assert prove_extremum(wrong).trust == "undecided"
    level = minimum(Max(a / x, b * x, c), x)
    [(when, outcome), rest] = level.cases
    assert isinstance(outcome, Attained)
    with pytest.raises(Refuted):
        prove_extremum(replace(level, cases=((when, replace(outcome, unique=True)), rest)))


def test_a_missing_case_is_found() -> None:
    found = minimum(a * x + b / x, x, [x >= 1])
    with pytest.raises(Refuted, match="the cases are exhaustive: false at"):
        prove_extremum(replace(found, cases=found.cases[:1]))


# --- names of roots ---------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from([a, b, x]), st.integers(1, 6), st.integers(1, 4)), min_size=1, max_size=4))
def test_named_roots_mean_the_same(parts: Sequence[tuple[sympy.Symbol, int, int]]) -> None:
    """An expression in names of roots, at a point, equals the original expression at the powers of that point."""
    e = sympy.Add(*(s ** Rational(p, q) for s, p, q in parts)) + a
    roots = NamedRoots([e])
    inner = roots.to_names(e)
    at = {s: sympy.Integer(k) for k, s in enumerate(sorted(inner.free_symbols, key=str), 2)}
    powers = {s: roots.table[s].subs(at) if s in roots.table else at[s] for s in (a, b, x) if s in e.free_symbols}
    assert sympy.simplify(inner.subs(at) - e.subs(powers)) == 0
    assert all(p.exp.is_Integer for p in inner.atoms(sympy.Pow))


def test_numbers_are_named_by_their_primes() -> None:
    roots = NamedRoots([sqrt(6) + sqrt(Rational(3, 2))])
    assert str(roots.named(sqrt(6))) == "2^(1/2)*3^(1/2)"
    with pytest.raises(RoofproofError, match=r"^outside what can be proved: sqrt\(7\)$"):
        roots.named(sqrt(7))


def test_refutations_are_points_of_exact_numbers() -> None:
    wrong = minimum(a * x + b / x, x)
    wrong = replace(wrong, cases=((sympy.true, Attained(3 * sqrt(a * b), ((x, sqrt(b / a)),))),))
    with pytest.raises(Refuted) as caught:
        prove_extremum(wrong)
    assert all(isinstance(v, Fraction) for v in caught.value.counterexample.values())
