"""Random valid and invalid calls of every rule of the proof checker: a strategy of arguments for each name in `RULES`.

`BY_TYPE` makes arguments from the declared types of a rule, so that a rule with a weak strategy is attacked all the
same.
"""

from hypothesis import strategies as st
from second_reading import MINUS, ONE, TWO, VARIABLES, X, Y, Z, attempt, minus, over, plus, times

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, term_of

V, THREE = ("v", "v"), ("q", 3, 1)
ROOM = 19  # more atoms than a truth table takes

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
logarithms = st.builds(lambda t: ("log2", t), fractions)
transcendental = logarithms | st.builds(lambda a, b: ("power", a, b), names, polynomials)
terms = st.one_of(names, numbers, fractions, opaque, transcendental)
relations = st.sampled_from((">", ">=", "="))
comparisons = st.builds(lambda r, a, b: (r, a, b), relations, fractions, fractions)
facts = st.one_of(
    comparisons,
    st.builds(lambda r, t: (r, t, ZERO), relations, differences),
    st.builds(lambda r, t: (r, t, ZERO), relations, names),
)
some_names = st.lists(st.sampled_from("xyz"), unique=True, max_size=3)
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
junk = st.sampled_from([("maybe", X), (">", X), (">", ("q", 1, 0), ZERO), ("+", [X]), (), (">", ("^", X, -1), ZERO)])
formulas = st.one_of(propositions, st.builds(lambda t: ("int", t), terms), propositions, junk)
assumed = st.builds(kernel.assume, st.one_of(propositions, facts, st.builds(lambda v: ("int", v), names)))


@st.composite
def arith_calls(draw):
    """Return a call of `arith` whose certificate adds up, with random signs, strictness and positivity."""
    given_facts = draw(st.lists(facts, min_size=1, max_size=2))
    positive = draw(some_names)
    chosen = st.lists(st.integers(0, len(given_facts) - 1), max_size=2)
    multipliers = st.one_of(positives, names, polynomials)
    entries = draw(st.lists(st.tuples(multipliers, chosen), min_size=1, max_size=2))
    premises = [kernel.assume(f) for f in given_facts]
    signs, polys = [], []
    for f in given_facts:
        p = attempt(kernel.polynomial, f, positive, signs)
        polys.append(p or {})
        signs += [p] if p and f[0] == ">" else []
    total = plus(*(times(m, *(term_of(polys[i]) for i in chosen)) for m, chosen in entries))
    divisor = draw(st.one_of(st.just(ONE), divisors, st.just(MINUS)))
    scale = draw(st.sampled_from([ONE, ONE, TWO, plus(X, ONE), MINUS]))
    # a negative divisor reverses the goal, and one of unknown sign is squared by hand
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
    entries = [(times(scale, m), chosen) for m, chosen in entries]
    return (draw(relations), goal, ZERO), premises, entries, positive, scale


@st.composite
def changed_arith_calls(draw):
    """Return a call of `arith` with one change, so that the rule must refuse most of them."""
    (relation, a, b), premises, entries, positive, scale = draw(arith_calls())
    match draw(st.sampled_from(("none", "relation", "sign", "index", "positive", "goal", "false", "short", "plain"))):
        case "relation":
            relation = draw(relations)
        case "sign":
            entries = [(times(MINUS, m), chosen) for m, chosen in entries]
        case "index":
            entries = [(m, [draw(st.integers(-1, 2)) for _ in chosen]) for m, chosen in entries]
        case "positive":
            positive = positive[1:]
        case "goal":
            b = draw(numbers)
        case "false":
            return ("false",), premises, entries, positive, scale
        case "short":
            return (relation, draw(polynomials), ZERO), premises[1:], [(ONE, [len(premises) - 1])], positive, ONE
        case "plain":
            entries, a, b = None, draw(fractions), draw(fractions)
    return (relation, a, b), premises, entries, positive, scale


@st.composite
def propositional_calls(draw):
    givens, other = draw(st.lists(propositions, max_size=2)), draw(propositions)
    first = givens[0] if givens else ("true",)
    goals = [
        other,
        ("or", other, first),
        ("=>", other, first),
        ("and", *givens),
        ("<=>", other, ("not", ("not", other))),
        ("=>", ("and", other, ("not", other)), ("false",)),
        ("or", *((">", X, ("q", n, 1)) for n in range(ROOM))),
    ]
    return draw(st.sampled_from(goals)), [kernel.assume(f) for f in givens]


@st.composite
def identity_calls(draw):
    t, v, c = draw(fractions), draw(names), draw(positives)
    others = [over(times(t, v), v), minus(plus(t, v), v), times(c, over(t, c)), over(times(c, t), c), draw(fractions)]
    signs = draw(st.lists(st.builds(kernel.assume, facts), max_size=1))
    return t, draw(st.sampled_from(others)), draw(some_names), signs


INTEGERS = [kernel.assume(("int", v)) for v in VARIABLES]
wholes = st.just(INTEGERS) | st.lists(
    st.sampled_from([*INTEGERS, kernel.assume(("int", over(X, TWO))), kernel.assume((">", X, Y))]), max_size=2
)


@st.composite
def gap_calls(draw):
    a, b, relation = draw(polynomials), draw(polynomials), draw(st.sampled_from([">", ">", ">=", "="]))
    difference = draw(st.sampled_from([minus(a, b), plus(times(MINUS, b), a), minus(b, a), a]))
    return kernel.assume((relation, a, b)), kernel.assume(draw(st.sampled_from([("int", difference), (">", a, b)])))


@st.composite
def tends_calls(draw):
    """Return a call of `tends` with a term p/q plus a value, or another term. x and y may grow."""
    part = st.builds(
        lambda c, *e: times(c, *(("^", v, n) for v, n in zip(VARIABLES, e, strict=True))),
        st.builds(lambda n: ("q", n, 1), st.integers(-3, 3)),
        *(st.integers(0, 2),) * 3,
    )
    sums = st.builds(lambda ms: plus(*ms), st.lists(part, min_size=1, max_size=3))
    limit = draw(st.sampled_from([ZERO, Z, over(ONE, Z), plus(Z, TWO), X]))
    p, q = draw(sums), draw(sums)
    q = draw(st.sampled_from([q, plus(times(X, X, Y, Y), ONE), plus(times(X, X, X), times(Y, Y, Y)), plus(X, Y, Z)]))
    p = draw(st.sampled_from([p, times(THREE, Z), plus(X, MINUS)]))
    term = draw(st.sampled_from([plus(limit, over(p, q)), over(plus(p, times(limit, q)), q), over(p, q), ("sqrt", X)]))
    return term, draw(st.sampled_from(["x", "y", "xy", "xy", ""])), limit, draw(st.sampled_from(["xyz", "xyz", "xy"]))


products = st.recursive(
    st.sampled_from([X, Y, TWO, THREE, ("q", 1, 2), plus(X, ONE)]),
    lambda t: (
        st.lists(t, max_size=3).map(lambda ts: ("*", *ts))
        | st.tuples(st.just("/"), t, t)
        | st.tuples(st.just("^"), t, st.integers(0, 3))
        | st.tuples(st.just("power"), t, st.sampled_from([X, ("q", -1, 3), ("*", ("q", -2, 1), Y)]))
        | t.map(lambda x: ("sqrt", x))
    ),
    max_leaves=6,
)
exponents = st.recursive(
    st.sampled_from([X, Y, ("q", -2, 1), THREE, ("q", 3, 2), ("q", -1, 2), ("q", 1, 3), ("*", MINUS, X)]),
    lambda t: st.lists(t, max_size=3).map(lambda ts: ("+", *ts)),
    max_leaves=5,
)
bases = st.sampled_from([TWO, THREE, ("q", 1, 2), X, plus(X, Y), MINUS])


def equations(right):
    """Return theorems v = t with a separate variable v, and others that are mostly not equations."""
    return st.builds(lambda t: kernel.assume(("=", V, t)), right) | st.builds(kernel.assume, facts)


@st.composite
def discharge_calls(draw):
    inner = attempt(kernel.arith, *draw(arith_calls())) or draw(assumed)
    return inner, draw(st.sampled_from([*sorted(inner.hypotheses, key=repr), (">", X, Y)]) | formulas)


LIMIT = kernel.tends(over(times(X, Z), plus(X, Z)), "x", Z, "xz")


@st.composite
def instantiate_calls(draw):
    inner = attempt(kernel.arith, *draw(arith_calls())) or draw(st.sampled_from([LIMIT, draw(assumed)]))
    values = st.dictionaries(st.sampled_from("xyz"), st.one_of(terms, terms, terms, junk), max_size=3)
    return inner, draw(values)


@st.composite
def cases_calls(draw):
    """Return a case split and its branches, some with an extra hypothesis and some with another conclusion."""
    parts = draw(st.lists(facts, min_size=1, max_size=3))
    goal = draw(st.sampled_from([("or", *parts), ("or", *reversed(parts), (">", X, Y)), ("true",), parts[0]]))
    more = [kernel.assume(f) for f in draw(st.lists(facts, max_size=1))]
    branches = [
        attempt(kernel.propositional, draw(st.sampled_from([goal, goal, f])), [kernel.assume(f), *more])
        or kernel.assume(draw(st.sampled_from([f, goal])))
        for f in draw(st.sampled_from([parts, parts, parts, parts[1:], [*reversed(parts)]]))
    ]
    return draw(st.sampled_from([kernel.assume(("or", *parts))] * 5 + [kernel.assume(goal)])), branches


ATTACKS = {
    "assume": st.tuples(formulas),
    "discharge": discharge_calls(),
    "cases": cases_calls(),
    "propositional": propositional_calls(),
    "arith": changed_arith_calls(),
    "identity": identity_calls(),
    "square": st.tuples(terms | terms | junk),
    "trichotomy": st.tuples(terms, terms | terms | junk),
    "definition": st.tuples(st.one_of(terms, opaque, transcendental, junk)),
    "logarithm": st.tuples(equations(products | fractions)),
    "exponential": st.tuples(bases, equations(exponents)),
    "rising": st.tuples(assumed | st.builds(lambda a, b: kernel.assume((">", a, b)), terms, terms), st.none() | bases),
    "integral": st.tuples(st.one_of(polynomials, fractions, opaque, st.builds(plus, opaque, polynomials)), wholes),
    "gap": gap_calls(),
    "instantiate": instantiate_calls(),
    "tends": tends_calls(),
}

BY_TYPE = {
    "Term": terms,
    "Term | None": st.none() | terms,
    "Formula": formulas,
    "Theorem": assumed,
    "Sequence[Theorem]": st.lists(assumed, max_size=2),
    "Sequence[str]": some_names,
    "Iterable[str]": some_names,
    "Mapping[str, Term]": st.dictionaries(st.sampled_from("xyz"), terms, max_size=2),
    "Sequence[tuple[Term, Sequence[int]]] | None": st.none()
    | st.lists(st.tuples(positives | names, st.lists(st.integers(0, 1), max_size=2)), max_size=2),
}


def by_type(rule):
    """Return random calls of a rule, made only from the types of its parameters."""
    declared = {n: t for n, t in rule.__annotations__.items() if n != "return"}
    unknown = [f"{n}: {t}" for n, t in declared.items() if t not in BY_TYPE]
    assert not unknown, f"{rule.__name__}: no arguments are made for {', '.join(unknown)}: add the type to BY_TYPE"
    return st.tuples(*(BY_TYPE[t] for t in declared.values()))
