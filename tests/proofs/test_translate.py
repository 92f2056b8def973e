"""Translation from SymPy to terms of the proof checker and back keeps expressions and values."""

from fractions import Fraction
from itertools import product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from second_reading import tries

from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.assumptions import positive
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, well_formed
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.sampling import holds, value
from roofproof.proofs.translate import to_expr, to_formula, to_term
from roofproof.symbols import dimension, quantity

x, y, z = SYMBOLS = tuple(map(quantity, "xyz"))
leaves = st.one_of(st.sampled_from(SYMBOLS), st.builds(sympy.Rational, st.integers(-6, 6), st.integers(1, 5)))


def quotient(a, b):
    return a if b == 0 else a / b


def power(a, e):
    return a if a == 0 and e < 0 else a**e


rational = st.recursive(
    leaves,
    lambda t: st.one_of(
        st.builds(sympy.Add, t, t),
        st.builds(sympy.Mul, t, t),
        st.builds(quotient, t, t),
        st.builds(power, t, st.integers(-3, 3)),
    ),
    max_leaves=8,
)
expressions = st.recursive(
    rational,
    lambda t: st.one_of(
        st.builds(sympy.Add, t, t),
        st.builds(sympy.Mul, t, t),
        st.builds(sympy.Max, t, t, leaves),
        st.builds(sympy.Min, t, t),
        st.builds(sympy.floor, t),
        st.builds(sympy.ceiling, t),
    ),
    max_leaves=4,
)
roots = st.builds(lambda c, e, a: c * a ** sympy.Rational(e, 2), leaves, st.sampled_from((-3, -1, 1, 3)),
                  st.sampled_from([x, x * y, x + 1, x / (y + z)]))  # fmt: skip
values = st.builds(Fraction, st.integers(1, 40), st.integers(1, 9))


def at(expr, point):
    exact = {quantity(n): sympy.Rational(v.numerator, v.denominator) for n, v in point.items()}
    return expr.subs(exact, simultaneous=True)


@tries(100)
@given(st.one_of(expressions, roots))
def test_round_trip(expr):
    if expr.is_finite is False or expr.has(sympy.nan, sympy.zoo):
        return
    term = to_term(expr)
    assert well_formed(term, "term")
    back = to_expr(term)
    assert back == expr or sympy.simplify(back - expr) == 0
    assert to_expr(to_term(back)) == back


@tries(50)
@given(expressions, values, values, values)
def test_values_agree(expr, a, b, c):
    if expr.has(sympy.nan, sympy.zoo):
        return
    point = {"x": a, "y": b, "z": c}
    there = at(expr, point)
    try:
        found = value(to_term(expr), point)
    except Inexact:
        assert there.has(sympy.zoo, sympy.nan)
    else:
        assert there == sympy.Rational(found.numerator, found.denominator)


relations = st.builds(lambda r, a, b: r(a, b, evaluate=False), st.sampled_from(
    [sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le, sympy.Eq, sympy.Ne]), rational, leaves)  # fmt: skip
conditions = st.recursive(
    relations,
    lambda f: st.one_of(
        st.builds(lambda a, b: sympy.And(a, b, evaluate=False), f, f),
        st.builds(lambda a, b: sympy.Or(a, b, evaluate=False), f, f),
        st.builds(lambda a: sympy.Not(a, evaluate=False), f),
    ),
    max_leaves=4,
)


def truth(condition, point):
    if isinstance(condition, sympy.And | sympy.Or | sympy.Not):
        parts = [truth(a, point) for a in condition.args]
        return not parts[0] if isinstance(condition, sympy.Not) else (
            all(parts) if isinstance(condition, sympy.And) else any(parts))  # fmt: skip
    a, b = (at(side, point) for side in condition.args)
    return {">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b, "==": a == b, "!=": a != b}[condition.rel_op]


@tries(50)
@given(conditions, values, values, values)
def test_conditions_agree(condition, a, b, c):
    if condition.has(sympy.nan, sympy.zoo, sympy.oo):
        return
    point = {"x": a, "y": b, "z": c}
    formula = to_formula(condition)
    assert well_formed(formula)
    try:
        found = holds(formula, point)
    except Inexact:
        return
    assert found == bool(truth(condition, point))


def test_constants_are_conditions():
    for yes in (True, sympy.true):
        assert to_formula(yes) == ("true",)
    for no in (False, sympy.false):
        assert to_formula(no) == ("false",)


def test_absolute_values_implications_and_equivalences():
    inside, negated = to_term(x - y), Term("*", Term("q", -1, 1), to_term(x - y))
    assert to_term(sympy.Abs(x - y)) == ("max", inside, negated)
    p, q, r = x > 1, y > 1, z > 1
    assert to_formula(sympy.Implies(p, q)) == ("=>", to_formula(p), to_formula(q))
    made = to_formula(sympy.Equivalent(p, q, r))
    assert well_formed(made)
    for a, b, c in product((1, 2), repeat=3):
        assert holds(made, {"x": Fraction(a), "y": Fraction(b), "z": Fraction(c)}) == (a == b == c)


@pytest.mark.parametrize("a", [Fraction(7), Fraction(-7), Fraction(19, 3), Fraction(-1, 2), Fraction(0)])
@pytest.mark.parametrize("n", [Fraction(3), Fraction(5, 2)])
def test_a_remainder_is_what_is_left_of_whole_parts(a, n):
    assert value(to_term(sympy.Mod(x - y, z)), {"x": a + 8, "y": Fraction(8), "z": n}) == a % n


def test_symbols_are_known_by_name():
    assert to_term(dimension("B")) == to_term(quantity("B")) == ("v", "B")
    assert positive([dimension("B"), "D"]) == [Formula(">", Term("v", "B"), ZERO), Formula(">", Term("v", "D"), ZERO)]


@pytest.mark.parametrize(
    "expr",
    [x**65, x**-65, sympy.sqrt(x) ** 67, x**y, x ** sympy.Rational(1, 3), sympy.log(x), sympy.I, sympy.oo,
     sympy.zoo, sympy.nan, sympy.Float("0.5") * x,
     sympy.Piecewise((x, x > 1), (y, True)), sympy.Function("f")(x), sympy.exp(x)],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_translated(expr):
    with pytest.raises(RoofproofError, match=r"^outside what can be proved: "):
        to_term(expr)


@pytest.mark.parametrize(
    "condition", [sympy.Xor(x > 1, y > 1), sympy.Contains(x, sympy.Interval(0, 1)), sympy.Symbol("p")]
)
def test_conditions_that_cannot_be_translated(condition):
    with pytest.raises(RoofproofError, match=r"^outside what can be proved: "):
        to_formula(condition)


def test_sympy_comes_in_and_goes_out_at_the_rim() -> None:
    n = quantity("n")
    expr, condition = log2(n) / 2 + sympy.sqrt(n), sympy.Gt(log2(n), 3)
    assert Term.of(expr).sympy() == expr and Formula.of(condition).sympy() == condition
    assert Term.of(expr) is Term.of(expr) and Term.of(expr).sympy() is Term.of(expr).sympy()
    assert Formula.of(sympy.Lt(n, 2)) == (">", ("q", 2, 1), ("v", "n"))
