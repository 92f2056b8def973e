"""Whatever theorem a rule of the kernel makes of random input, z3 and exact points find nothing against it."""

from hypothesis import assume, given
from hypothesis import strategies as st
from second_reading import (
    MINUS,
    ONE,
    TWO,
    VARIABLES,
    X,
    Y,
    attempt,
    fails_somewhere,
    minus,
    over,
    plus,
    sound,
    times,
    tries,
)

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, term_of
from roofproof.proofs.search import tactics

numbers = st.builds(lambda p, q: ("q", p, q), st.integers(-2, 3), st.integers(1, 2))
positives = st.builds(lambda p, q: ("q", p, q), st.integers(1, 3), st.integers(1, 2))
names = st.sampled_from(VARIABLES)
monomials = st.builds(lambda c, vs: times(c, *vs), numbers, st.lists(names, max_size=2))
polynomials = st.builds(lambda ms: plus(*ms), st.lists(monomials, min_size=1, max_size=2))
differences = st.builds(minus, names, names)
divisors = st.one_of(names, differences, st.builds(plus, names, names), st.builds(times, names, differences))
fractions = st.one_of(polynomials, st.builds(over, polynomials, divisors), differences)
opaque = st.one_of(
    st.builds(lambda h, a, b: (h, a, b), st.sampled_from(("max", "min")), fractions, polynomials),
    st.builds(lambda t: ("sqrt", t), polynomials),
    st.builds(lambda h, t: (h, t), st.sampled_from(("floor", "ceil")), polynomials),
)
relations = st.sampled_from((">", ">=", "="))
comparisons = st.builds(lambda r, a, b: (r, a, b), relations, fractions, fractions)
facts = st.one_of(
    comparisons,
    st.builds(lambda r, t: (r, t, ZERO), relations, differences),
    st.builds(lambda r, t: (r, t, ZERO), relations, names),
)
some_names = st.lists(st.sampled_from("xyz"), unique=True, max_size=3)


@st.composite
def arith_calls(draw):
    """A call of `arith` whose certificate adds up, with signs, strictness and positivity left to chance."""
    given_facts = draw(st.lists(facts, min_size=1, max_size=2))
    positive = draw(some_names)
    entries = draw(
        st.lists(
            st.tuples(
                st.one_of(positives, names, polynomials), st.lists(st.integers(0, len(given_facts) - 1), max_size=2)
            ),
            min_size=1,
            max_size=2,
        )
    )
    premises = [kernel.assume(f) for f in given_facts]
    signs, polys = [], []
    for f in given_facts:
        p = attempt(kernel.polynomial, f, positive, signs)
        assume(p is not None)
        polys.append(p)
        signs += [p] if f[0] == ">" else []
    total = plus(*(times(m, *(term_of(polys[i]) for i in chosen)) for m, chosen in entries))
    divisor = draw(st.one_of(st.just(ONE), divisors, st.just(MINUS)))
    # where the divisor is negative the goal is turned, and where its sign is open it is squared by hand
    goal = draw(
        st.sampled_from(
            [
                over(total, divisor),
                over(times(MINUS, total), divisor),
                over(times(total, divisor), times(divisor, divisor)),
                total,
            ]
        )
    )
    return (draw(relations), goal, ZERO), premises, entries, positive


@tries(250)
@given(arith_calls())
def test_arith_makes_no_false_theorem(call):
    assert sound(attempt(kernel.arith, *call))


@tries(100)
@given(arith_calls(), st.data())
def test_arith_refuses_or_stays_true_when_its_input_is_changed(call, data):
    (relation, a, b), premises, entries, positive = call
    change = data.draw(st.sampled_from(("relation", "sign", "index", "positive", "goal", "false")))
    if change == "relation":
        relation = data.draw(relations)
    elif change == "sign":
        entries = [(times(MINUS, m), chosen) for m, chosen in entries]
    elif change == "index":
        entries = [(m, [data.draw(st.integers(0, len(premises) - 1)) for _ in chosen]) for m, chosen in entries]
    elif change == "positive":
        positive = positive[1:]
    elif change == "goal":
        b = data.draw(numbers)
    goal = ("false",) if change == "false" else (relation, a, b)
    assert sound(attempt(kernel.arith, goal, premises, entries, positive))


@tries(100)
@given(fractions, fractions, st.lists(facts, max_size=2), some_names, relations)
def test_arith_without_a_certificate(a, b, given_facts, positive, relation):
    assert sound(attempt(kernel.arith, (relation, a, b), [kernel.assume(f) for f in given_facts], None, positive))


@tries(100)
@given(fractions, names, positives, some_names, st.lists(facts, max_size=1), st.integers(0, 4))
def test_identity(t, v, c, positive, given_facts, form):
    other = [
        over(times(t, v), v),
        minus(plus(t, v), v),
        times(c, over(t, c)),
        over(times(c, t), times(c, ONE)),
        over(t, over(v, times(v, v, v))),
    ][form]
    made = attempt(kernel.identity, t, other, positive, [kernel.assume(f) for f in given_facts])
    assert sound(made)


@tries(80)
@given(st.one_of(fractions, opaque), st.one_of(fractions, opaque))
def test_square_trichotomy_definition(a, b):
    assert fails_somewhere(kernel.square(a)) is None
    assert sound(kernel.trichotomy(a, b))
    for term in (a, b):
        made = attempt(kernel.definition, term)
        assert (made is not None) == (term[0] in ("max", "min", "sqrt", "floor", "ceil"))
        assert sound(made)


literals = st.one_of(comparisons, st.sampled_from([(">", X, Y), (">=", Y, X), ("=", X, Y), ("true",), ("false",)]))
propositions = st.recursive(
    literals,
    lambda inner: st.one_of(
        st.builds(lambda f: ("not", f), inner),
        st.builds(lambda h, fs: (h, *fs), st.sampled_from(("and", "or")), st.lists(inner, max_size=3)),
        st.builds(lambda h, a, b: (h, a, b), st.sampled_from(("=>", "<=>")), inner, inner),
    ),
    max_leaves=5,
)


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


@tries(100)
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
