"""Exact values at exact points, compared with SymPy."""

from fractions import Fraction
from itertools import islice

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from second_reading import HALF, MINUS, ONE, TWO, X, Y, minus, over, plus, times, tries

from roofproof.derive.algebra.budget import taken
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term, show
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.ratios import Inexact, pair_of, truth_of
from roofproof.proofs.oracles.sampling import find, holds, points, value

rationals = st.builds(Fraction, st.integers(-9, 9), st.integers(1, 6))
leaves = st.one_of(st.sampled_from([X, Y]), st.builds(lambda q: Term("q", q.numerator, q.denominator), rationals))
terms = st.recursive(
    leaves,
    lambda t: st.one_of(
        st.builds(lambda h, ts: (h, *ts), st.sampled_from("+*"), st.lists(t, max_size=3)),
        st.builds(lambda h, ts: (h, *ts), st.sampled_from(("max", "min")), st.lists(t, min_size=1, max_size=3)),
        st.builds(over, t, t),
        st.builds(lambda h, a: (h, a), st.sampled_from(("sqrt", "floor", "ceil")), t),
        st.builds(lambda a, e: Term("^", a, e), t, st.integers(0, 3)),
    ),
    max_leaves=6,
)
MADE = {"+": sympy.Add, "*": sympy.Mul, "max": sympy.Max, "min": sympy.Min, "sqrt": sympy.sqrt,
        "floor": sympy.floor, "ceil": sympy.ceiling, "/": lambda a, b: a / b}  # fmt: skip


def by_sympy(t, point):
    """Return SymPy's value of a term at a point, or None for a division by zero or an irrational root."""
    head, *parts = t
    if head == "v":
        return sympy.Rational(point[parts[0]].numerator, point[parts[0]].denominator)
    if head == "q":
        return sympy.Rational(*parts)
    if head == "^":
        base = by_sympy(parts[0], point)
        return None if base is None else base ** parts[1]
    args = [by_sympy(p, point) for p in parts]
    if None in args or (head == "/" and args[1] == 0):
        return None
    made = MADE[head](*args)
    return made if made.is_Rational else None


@tries(300)
@given(terms, rationals, rationals)
def test_values_agree_with_sympy(t, x, y):
    point = {"x": x, "y": y}
    expected = by_sympy(t, point)
    if expected is None:
        with pytest.raises(Inexact):
            value(t, point)
    else:
        assert value(t, point) == Fraction(int(expected.p), int(expected.q))


@tries(300)
@given(terms, terms, st.sampled_from([">", ">=", "=", "int"]), st.integers(-9, 9), rationals)
def test_what_is_worked_out_in_whole_numbers_is_the_same(t, other, relation, x, y):
    formula = Formula("int", t) if relation == "int" else Formula(relation, t, other)
    at = {"x": (x, 1), "y": y.as_integer_ratio()}
    whole = [({"x"}, at | {"x": x})] + [({"x", "y"}, {"x": x, "y": int(y)})] * (y.denominator == 1)
    for names, point in whole:
        try:
            expected = truth_of(formula)(at), Fraction(*pair_of(t)(at))
        except Inexact:
            with pytest.raises(Inexact):
                pair_of(t, frozenset(names))(point), truth_of(formula, frozenset(names))(point)
        else:
            top, bottom = pair_of(t, frozenset(names))(point)
            assert bottom > 0 and (truth_of(formula, frozenset(names))(point), Fraction(top, bottom)) == expected


@tries(200)
@given(rationals, rationals, st.sampled_from([">", ">=", "="]))
def test_comparisons_agree_with_fractions(a, b, relation):
    f = (relation, X, Y)
    truth = {">": a > b, ">=": a >= b, "=": a == b}[relation]
    point = {"x": a, "y": b}
    assert holds(f, point) is truth
    assert holds(Formula("not", f), point) is not truth
    assert holds(Formula("int", X), point) is (a.denominator == 1)
    for other in (Formula("true"), Formula("false")):
        o = other == ("true",)
        assert holds(Formula("and", f, other), point) == (truth and o)
        assert holds(Formula("or", f, other), point) == (truth or o)
        assert holds(Formula("=>", f, other), point) == (not truth or o)
        assert holds(Formula("<=>", f, other), point) == (truth == o)


def test_empty_sums_products_and_connectives():
    assert (value(("+",), {}), value(("*",), {}), value(Term("^", ZERO, 0), {})) == (0, 1, 1)
    assert holds(("and",), {}) is True and holds(("or",), {}) is False


@pytest.mark.parametrize(
    "t", [over(ONE, ZERO), over(ZERO, ZERO), times(ZERO, over(ONE, ZERO)), Term("sqrt", TWO), Term("sqrt", MINUS),
          Term("sqrt", HALF), Term("max", ONE, over(ONE, ZERO))],
    ids=show,
)  # fmt: skip
def test_what_has_no_exact_value(t):
    with pytest.raises(Inexact):
        value(t, {})
    assert find([Formula("=", t, t)]) is None  # neither true nor false there, so no counterexample


def test_what_is_no_term_and_what_no_point_decides():
    with pytest.raises(KernelError, match="not a term: log"):
        value(("log", ONE), {})
    with pytest.raises(KernelError, match="no value at a point: tends"):
        holds(Formula("tends", X, ("x",), ONE), {"x": Fraction(1)})
    with pytest.raises(KeyError):
        value(X, {"y": Fraction(1)})


@pytest.mark.parametrize("names", [["x"], ["x", "y"], [f"x{i}" for i in range(9)]], ids=len)
def test_points_are_positive_and_repeatable(names):
    first = list(islice(points(names, [Fraction(7, 2), Fraction(-3)]), 900))
    assert all(set(p) == set(names) and all(type(v) is Fraction and v > 0 for v in p.values()) for p in first)
    assert first == list(islice(points(names, [Fraction(7, 2), Fraction(-3)]), 900))
    assert first != list(islice(points(names, [Fraction(7, 2)], seed=1), 900))


def test_points_near_the_constants_of_a_formula_are_tried():
    limit = Term("q", 19_700, 82)
    found = find([Formula(">", limit, X), Formula(">", X, times(Term("q", 4, 5), limit))])
    assert found == {"x": Fraction(19_700, 82) * Fraction(9, 10)}
    assert find([Formula("=", X, limit)]) == {"x": Fraction(19_700, 82)}


@tries(60)
@given(st.lists(st.builds(lambda r, a, b: (r, a, b), st.sampled_from([">", ">=", "="]), leaves, terms), max_size=2))
def test_what_is_found_holds(formulas):
    found = find(formulas, integers=["x"], tries=200)
    if found is not None:
        assert all(holds(f, found) for f in formulas)
        assert all(v > 0 for v in found.values())
        assert found.get("x", Fraction(1)).denominator == 1


def test_no_variables_means_one_try():
    assert find([Formula(">", ONE, ZERO)]) == {}
    assert find([Formula(">", ZERO, ONE)]) is None
    assert sampling.find([Formula("false")]) is None
    assert find([Formula(">", minus(plus(X, Y), TWO), ZERO)]) == {"x": Fraction(1), "y": Fraction(2)}


@given(st.lists(st.integers(0, 400), min_size=1, max_size=5), st.sampled_from([5, 90, 300, 10**9]))
def test_a_search_that_goes_on_finds_and_counts_what_one_in_a_single_run_does(asked, bound):
    told = [Formula(">", plus(X, Y), Term("q", bound, 1)), Formula(">", Y, Term("q", 2, 3))]
    for most in asked:
        sampling._search.cache_clear()
        whole, before = find(told, tries=most), taken()
        found = find(told, tries=most)
        again = taken() - before
        sampling._search.cache_clear()
        for k in asked:
            find(told, tries=k)
        before = taken()
        assert find(told, tries=most) == found == whole
        assert taken() - before == again > 0
