"""A proof does no work twice, and shortcuts give the same results as the longer ways."""

from math import prod

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from rule_attacks import polynomials as kernel_polynomials
from rule_attacks import positives
from rule_attacks import terms as kernel_terms
from second_reading import X
from second_reading import times as times_of
from sympy.logic.boolalg import Boolean

from roofproof.claims import in_definitions
from roofproof.claims.answers import question
from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.derive.algebra.logic import parts_of
from roofproof.derive.algebra.polynomial import Ring, terms
from roofproof.derive.limits import theorems
from roofproof.derive.limits.limits import limit
from roofproof.derive.solve import solve
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.clearing import difference
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, as_formula, minus, normal, times
from roofproof.proofs.known import ByKernel
from roofproof.proofs.provers.thresholds import certify
from roofproof.proofs.search import equivalence
from roofproof.proofs.search import polynomials as of_kernel
from roofproof.proofs.search.polynomials import Ring as KernelRing
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.search.short_proofs import without_search
from roofproof.proofs.search.tactics import Search
from roofproof.symbols import quantity

B, D, F, R = map(quantity, "BDFR")
COMPUTE_BOUND = B * D * F / (B * D + D * F + B * F) > R
RING = Ring([B, D, F])
polynomials = st.dictionaries(
    st.tuples(*[st.integers(0, 2)] * 3), st.fractions(-3, 3, max_denominator=2).filter(bool), max_size=4
)


def read(rows):
    parts = (sympy.Rational(c) * B**a * D**b * F**e for (a, b, e), c in rows.items())
    num, den = RING.fraction(sympy.Add(*parts))
    return num / den.leading_coefficient()


def test_a_warrant_is_held_to_its_statement_once(monkeypatch) -> None:
    checked = []
    check = ByKernel.check
    monkeypatch.setattr(ByKernel, "check", lambda self, s: checked.append(s) or check(self, s))
    assert len(certify(COMPUTE_BOUND, solve(COMPUTE_BOUND, B))) == len(checked) == 4


def test_what_a_value_rests_on_is_proved_without_its_error(monkeypatch) -> None:
    found = limit(B * D / (B + D), "D -> oo")
    monkeypatch.setattr(theorems, "error_known", lambda *_: pytest.fail("the error was proved"))
    assert found.error is not None and found.value_proofs() == found.stage_proofs


def test_a_part_that_fails_at_the_point_of_a_verdict_is_not_proved(monkeypatch) -> None:
    [claim] = book_from_text('[[claim]]\nid = "a"\nsays = "bytes(axpy) > 60 N"').claims
    verdict = judge(claim)
    monkeypatch.setattr(in_definitions.tactics, "prove", lambda goal: pytest.fail("a proof was looked for"))
    goal = Formula(">", Term("v", "N"), Term("*", Term("q", 2, 1), Term("v", "N")))
    assert verdict.counterexample is not None
    assert in_definitions._at_once(goal, claim.proposition, verdict) is None


def test_a_fact_is_rid_of_a_maximum_once(monkeypatch) -> None:
    a, b = Term("v", "a"), Term("v", "b")
    most, made = Term("max", a, b), []
    facts = [kernel.assume(Formula("=", most, a)), kernel.assume(Formula(">", most, b))]
    replaced = of_kernel._replaced
    monkeypatch.setattr(of_kernel, "_replaced", lambda *of: made.append(of) or replaced(*of))
    memory: of_kernel.Replaced = {}
    first, second = (of_kernel.eliminate_extrema(facts, ["a", "b"], memory) for _ in range(2))
    assert first == second and len(made) == 1


def test_a_comparison_and_its_denial_are_factored_once() -> None:
    x, y = Term("v", "x"), Term("v", "y")
    search = Search([Formula(">", Term("*", x, x), Term("*", y, y))])
    search.core(Formula(">", Term("*", x, x), Term("*", y, y)))
    known = dict(search.ring._factors)
    search.core(Formula(">=", Term("*", y, y), Term("*", x, x)))
    assert search.ring._factors == known and len(known) == 1


def test_the_condition_of_an_answers_key_is_put_in_figures_once(monkeypatch) -> None:
    put, real = [], question.substitute
    monkeypatch.setattr(question, "substitute", lambda e, values: put.append(e) or real(e, values))
    key = question.Question.of({"op": "matmul", "chip": "tpu-v5e", "for": "B"}, {}).key
    assert key.when != sympy.true and len([e for e in put if isinstance(e, Boolean)]) == 1


@given(kernel_polynomials, kernel_polynomials, positives, st.sampled_from([">", ">="]))
def test_a_comparison_times_what_is_positive_takes_no_search(a, b, factor, relation) -> None:
    goal = as_formula(("<=>", (relation, a, b), (relation, times_of(factor, X, a), times_of(factor, X, b))))
    theorem = without_search(goal, ())
    assert theorem is not None and theorem.conclusion == goal
    assert all(h[0] == ">" and h[1][0] == "v" and h[2] == ZERO for h in theorem.hypotheses)


@given(kernel_terms, kernel_terms)
def test_the_difference_of_two_normal_forms_is_that_of_the_terms(a, b) -> None:
    divisors = []
    try:
        num, den = normal(minus(a, b), divisors)
    except KernelError:
        return
    assert difference(a, b) == (num, den, tuple(divisors))


@given(st.lists(st.sampled_from("uvwxyz"), max_size=6), st.lists(st.sampled_from("uvwxyz"), max_size=6))
def test_a_product_of_monomials_is_in_order_and_counts_each_variable(one, other) -> None:
    def monomial(names):
        return tuple((Term("v", n), names.count(n)) for n in sorted(set(names)))

    assert times(monomial(one), monomial(other)) == monomial(one + other)


@given(polynomials)
def test_terms_and_factors_of_a_polynomial_are_those_of_flint(rows) -> None:
    poly, ring = read(rows), KernelRing([], "BDF", [Term("v", n) for n in "BDF"])
    assert terms(poly) == poly.to_dict() and list(terms(poly)) == list(poly.to_dict())
    for p in (poly, -poly, poly):
        constant, factors = ring.factors(p)
        assert prod((f**e for f, e in factors), start=RING.constant(constant)) == p
        assert (constant, list(factors)) == (p.factor()[0], [(f, int(e)) for f, e in p.factor()[1]])
    assert len(ring._factors) == 1


@given(polynomials)
def test_an_expression_made_of_a_polynomial_gives_it_back(rows) -> None:
    poly = read(rows)
    for expr in (RING.expr(poly), RING.factored(poly)):
        num, den = RING.fraction(expr)
        assert num == poly * den.leading_coefficient()


def test_the_parts_of_a_condition_are_its_atoms() -> None:
    condition = sympy.Or(sympy.Max(B, D / F) > R, (sympy.Abs(D - F) < B) & (sympy.sqrt(D) < B**2 / F))
    for kind in (sympy.Max, sympy.Abs, sympy.Pow, sympy.Symbol):
        assert set(parts_of(condition, kind)) == condition.atoms(kind)


def test_names_and_numbers_are_found_where_they_are_looked_for() -> None:
    x, half = Term("v", "x"), Term("q", 1, 2)
    formula = Formula(">", Term("*", half, x), Term("sqrt", x))
    assert terms_with(("v",), formula) == [x] and terms_with(("q", "sqrt"), formula) == [half, Term("sqrt", x)]


def test_what_a_claim_says_in_definitions_is_seen_link_by_link(monkeypatch) -> None:
    searched = []
    monkeypatch.setattr(equivalence, "_put_back", lambda *_: searched.append(_))
    monkeypatch.setattr(equivalence, "equivalent", lambda *_: searched.append(_))
    book = """
        [[claim]]
        id = "quotient"
        says = "2 B D F / max(2 B D F / 1.97e14, (2 B D + D F + 2 B F) / 8.2e11) == attainable(w8, v5e)"
        [[claim]]
        id = "minimum"
        says = "attainable(matmul, v5e) == min(rate(v5e, bf16), intensity(matmul) * rate(v5e, hbm))"
        [[claim]]
        id = "identity"
        says = "lower(w8, v5e) == max(2 B D F / 1.97e14, bytes(w8) / 8.2e11) and flops(w8) == 2 B D F"
        [chips.v5e]
        bf16 = "1.97e14 FLOP/s"
        hbm = "8.2e11 B/s"
        [ops]
        w8 = "x:bf16[B,D], w:int8[D,F] -> z:bf16[B,F]"
    """
    for claim in book_from_text(book).claims:
        verdict = judge(claim)
        assert (verdict.kind, verdict.trust) == ("verified", "kernel"), claim.id
    assert not searched
