"""Theorems with symbols are specialized to numbers, and no other statement can be obtained in this way."""

from fractions import Fraction
from functools import cache
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofproof import RoofproofError
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.solve import solve_inequality
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, variables
from roofproof.proofs.known import ByOracle, Known, Unwarranted
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.sampling import holds
from roofproof.proofs.provers.specialize import derivation_at, instance
from roofproof.proofs.provers.thresholds import certify
from roofproof.proofs.search.tactics import prove
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula
from roofproof.symbols import quantity

B, D, F, R = map(quantity, "BDFR")
MATMUL = B * D * F / (B * D + D * F + B * F) > R
ONE, X, Y = Term("q", 1, 1), Term("v", "x"), Term("v", "y")
ridges = st.fractions(min_value=Fraction(1, 1000), max_value=5000).filter(lambda q: q > 0)
sizes = st.sampled_from([Fraction(n) for n in (1, 2, 8, 100, 512, 4096, 10**6)])


@cache
def symbolic() -> Derivation:
    return certify(MATMUL, solve_inequality(MATMUL, B))


@given(ridges, sizes, sizes, sizes)
def test_the_theorems_at_a_ridge_point_are_about_that_ridge_point(
    r: Fraction, b: Fraction, d: Fraction, f: Fraction
) -> None:
    made = derivation_at(symbolic(), {"R": r})
    assert made.trust == "kernel"
    assert len(made.known) == len(symbolic().known)
    point = {"B": b, "D": d, "F": f}
    at = MATMUL.subs({R: sympy.Rational(r.numerator, r.denominator)})
    truth = substitute(at, {n: int(v) for n, v in point.items()}) == sympy.true
    applied = 0
    for proof in made.known:
        theorem = proof.theorem
        assert theorem is not None
        assert theorem.conclusion == proof.statement.goal
        everything = [theorem.conclusion, *theorem.hypotheses, *proof.statement.assumptions]
        assert all("R" not in variables(formula) for formula in everything)
        allowed = {Formula(">", Term("v", n), ZERO) for n in "BDF"} | set(proof.statement.assumptions)
        assert theorem.hypotheses <= allowed
        try:
            if all(holds(h, point) for h in theorem.hypotheses):
                assert holds(theorem.conclusion, point)
                if theorem.conclusion[0] == "<=>":
                    applied += 1
                    assert holds(theorem.conclusion[1], point) == holds(theorem.conclusion[2], point) == truth
        except Inexact:
            raise AssertionError("no roots and no zero divisors are in these theorems") from None
    assert applied == 1


def test_the_statement_is_that_of_the_condition_with_the_number_put_in() -> None:
    ridge = sympy.Rational(9850, 41)
    by_instance = derivation_at(symbolic(), {R: ridge}).known[0].statement
    anew = to_formula(MATMUL.subs({R: ridge}))
    assert prove(Formula("<=>", by_instance.goal[1], anew)) is not None
    assert by_instance.says == "B > D*F*R/(D*F - R*(D + F)) at R = 9850/41"


def test_hypotheses_get_the_number_too() -> None:
    more = prove(Formula(">", X, ONE), [Formula(">", X, Y), Formula(">", Y, ONE)])
    assert more is not None
    made = instance(more, {"y": 3})
    assert made.conclusion == (">", X, ONE)
    assert made.hypotheses == {Formula(">", X, Term("q", 3, 1)), Formula(">", X, ZERO)}  # 3 > 1 and 3 > 0 are proved
    beyond = instance(more, {"y": Fraction(1, 2)})
    assert (">", ("q", 1, 2), ONE) in beyond.hypotheses  # false, so it stays and the theorem states nothing
    everything = instance(more, {"x": 5, "y": 2})
    assert not everything.hypotheses
    assert everything.conclusion == (">", ("q", 5, 1), ONE)


def test_a_number_does_not_get_into_a_limit_by_its_growing_variable() -> None:
    limit = kernel.tends(Term("/", X, Term("+", X, Y)), ["x"], ONE, ["x", "y"])
    assert instance(limit, {"y": 2}).conclusion == ("tends", ("/", X, ("+", X, ("q", 2, 1))), ("x",), ONE)
    with pytest.raises(RoofproofError) as caught:
        instance(limit, {"x": 2})
    assert str(caught.value) == (
        "no instance of 'y > 0 |- x/(x + y) -> 1 as x -> oo': a growing variable cannot be replaced"
    )


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (-1, "-1"), (Fraction(-1, 3), "-1/3"), (0.5, "0.5"), (True, "True"), ("2", "2"), (sympy.pi, "pi")],
)
def test_only_positive_rational_numbers_are_put_in(value: object, shown: str) -> None:
    values: dict[str, Any] = {"R": value}
    for attempt in (lambda: derivation_at(symbolic(), values), lambda: instance(symbolic().theorems[0], values)):
        with pytest.raises(RoofproofError) as caught:
            attempt()
        said = f"R = {shown}: expected a positive rational number, as a Fraction or an integer"
        assert str(caught.value) == said


def test_a_name_that_does_not_occur_is_told() -> None:
    with pytest.raises(RoofproofError) as caught:
        derivation_at(symbolic(), {"S": 2})
    assert str(caught.value) == "unknown variable 'S'; known: B, D, F, R"


def test_the_word_of_an_oracle_covers_its_instances_and_is_not_taken_for_a_theorem() -> None:
    first, *rest = symbolic().known
    word = Known(first.statement, ByOracle(first.statement.smtlib(), "z3", "0"))
    made = derivation_at(Derivation((word, *rest)), {"R": 2})
    assert made.trust == "smt"
    assert made.known[0].theorem is None
    with pytest.raises(Unwarranted, match="another statement"):
        Known(rest[0].statement, made.known[0].warrant)


@pytest.mark.parametrize(("value", "positive"), [(2, True), (0, False), (-1, False)])
def test_the_word_of_an_oracle_about_positive_sizes_is_not_stretched_to_others(value: int, positive: bool) -> None:
    """x + 1 > 1 holds for x > 0, and the solver proved only that."""
    one = Term("q", 1, 1)
    general = Statement("", (), Formula(">", Term("+", Term("v", "x"), one), one))
    at = Term("q", value, 1)
    warrant = ByOracle(general.smtlib(), "z3", "0", general, (("x", at),))
    instance_ = Statement("", (), Formula(">", Term("+", at, one), one))
    if positive:
        assert Known(instance_, warrant).trust == "smt"
    else:
        with pytest.raises(Unwarranted, match="another statement"):
            Known(instance_, warrant)
