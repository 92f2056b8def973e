"""z3 and exact points find no counterexample to theorems that the rules of the proof checker make from random input."""

from hypothesis import assume, given
from hypothesis import strategies as st
from rule_attacks import (
    arith_calls,
    changed_arith_calls,
    facts,
    fractions,
    identity_calls,
    opaque,
    polynomials,
    propositions,
    relations,
    some_names,
)
from second_reading import TWO, X, Y, attempt, fails_somewhere, minus, over, plus, sound, tries

from roofproof.proofs.kernel import kernel
from roofproof.proofs.search import tactics


@tries(250)
@given(arith_calls())
def test_arith_makes_no_false_theorem(call):
    assert sound(attempt(kernel.arith, *call))


@tries(100)
@given(changed_arith_calls())
def test_arith_refuses_or_stays_true_when_its_input_is_changed(call):
    assert sound(attempt(kernel.arith, *call))


@tries(100)
@given(fractions, fractions, st.lists(facts, max_size=2), some_names, relations)
def test_arith_without_a_certificate(a, b, given_facts, positive, relation):
    assert sound(attempt(kernel.arith, (relation, a, b), [kernel.assume(f) for f in given_facts], None, positive))


@tries(100)
@given(identity_calls())
def test_identity(call):
    assert sound(attempt(kernel.identity, *call))


@tries(80)
@given(st.one_of(fractions, opaque), st.one_of(fractions, opaque))
def test_square_trichotomy_definition(a, b):
    assert fails_somewhere(kernel.square(a)) is None
    assert sound(kernel.trichotomy(a, b))
    for term in (a, b):
        made = attempt(kernel.definition, term)
        assert (made is not None) == (term[0] in ("max", "min", "sqrt", "floor", "ceil"))
        assert sound(made)


@tries(100)
@given(st.lists(propositions, max_size=2), propositions, st.integers(0, 5))
def test_propositional_and_discharge(givens, other, form):
    premises = [kernel.assume(f) for f in givens]
    first = givens[0] if givens else ("true",)
    goal = [
        other,
        ("or", other, first),
        ("=>", other, first),
        ("and", *givens),
        ("<=>", other, ("not", ("not", other))),
        ("=>", ("and", other, ("not", other)), ("false",)),
    ][form]
    made = attempt(kernel.propositional, goal, premises)
    assert sound(made)
    assert form == 0 or made is not None
    if made is not None and givens:
        less = kernel.discharge(made, first)
        assert less.hypotheses == made.hypotheses - {first}
        assert sound(less)


@tries(60)
@given(arith_calls(), st.dictionaries(st.sampled_from("xyz"), st.one_of(polynomials, opaque, fractions), max_size=3))
def test_instantiate(call, values):
    made = attempt(kernel.arith, *call)
    assume(made is not None)
    assert sound(attempt(kernel.instantiate, made, values))


wholes = st.lists(st.sampled_from([("int", X), ("int", Y), ("int", over(X, TWO)), (">", X, Y)]), max_size=2)


@tries(100)
@given(st.one_of(polynomials, fractions, opaque, st.builds(plus, opaque, polynomials)), wholes)
def test_integral(term, given_facts):
    made = attempt(kernel.integral, term, [kernel.assume(f) for f in given_facts])
    assert made is None or fails_somewhere(made) is None


@tries(100)
@given(polynomials, polynomials, st.sampled_from([">", ">=", "="]), st.one_of(st.none(), polynomials), wholes)
def test_gap(a, b, relation, other, given_facts):
    difference = minus(a, b) if other is None else other
    made = attempt(kernel.gap, kernel.assume((relation, a, b)), kernel.assume(("int", difference)))
    assert (made is not None) or relation != ">" or other is not None
    assert made is None or fails_somewhere(made) is None


@tries(60)
@given(st.lists(facts, max_size=2), propositions)
def test_what_the_search_proves_is_true(assumptions, goal):
    made = tactics.prove(goal, assumptions)
    if made is not None:
        assert made.conclusion == goal
        assert sound(made)
