"""Rules for logarithms and powers with any exponent, compared with thirty digits, and their refusals."""

from fractions import Fraction

import mpmath
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_attacks import V, X, Y, exponents, products

from roofproof.claims.judge.judge import judge
from roofproof.claims.language.book import book_from_text
from roofproof.formula.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term
from roofproof.proofs.search.logarithms import exponents_apart, logarithms_apart, logarithms_compared
from roofproof.proofs.translate import with_functions

ONE, TWO = Term("q", 1, 1), Term("q", 2, 1)
numbers = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(7, 5), Fraction(2), Fraction(9)])


def digits(term, point):
    """Return the value of a term to thirty digits."""
    head, *parts = term
    if head == "q":
        return mpmath.mpf(parts[0]) / parts[1]
    if head == "v":
        return mpmath.mpf(point[parts[0]].numerator) / point[parts[0]].denominator
    if head == "^":
        return digits(parts[0], point) ** parts[1]
    values = [digits(p, point) for p in parts]
    if head == "log2":
        return mpmath.log(values[0]) / mpmath.log(2)
    many = {"+": mpmath.fsum, "*": mpmath.fprod, "sqrt": lambda v: mpmath.sqrt(v[0])}
    return many[head](values) if head in many else values[0] / values[1] if head == "/" else values[0] ** values[1]


def agree(theorem, point):
    """Return whether both sides of an equation agree to twenty digits."""
    _, a, b = theorem.conclusion
    with mpmath.workdps(30):
        return mpmath.almosteq(digits(a, point), digits(b, point), rel_eps=mpmath.mpf(10) ** -20, abs_eps=10**-20)


@settings(max_examples=200)
@given(products, numbers, numbers)
def test_the_logarithm_of_a_product(product, x, y):
    made = kernel.instantiate(kernel.logarithm(kernel.assume(Formula("=", V, product))), {"v": product})
    assert agree(made, {"x": x, "y": y})
    assert (">", product, ZERO) in made.hypotheses


@settings(max_examples=200)
@given(st.sampled_from([TWO, Term("q", 3, 1), Term("q", 1, 2), X, Term("+", X, Y)]), exponents, numbers, numbers)
def test_the_power_of_a_sum(base, exponent, x, y):
    made = kernel.exponential(base, kernel.identity(exponent, exponent))
    assert agree(made, {"x": x, "y": y})
    assert made.hypotheses == {Formula(">", base, ZERO)}


def test_what_rises():
    strict = kernel.assume(Formula(">", X, Y))
    assert repr(kernel.rising(strict)) == "x > y, y > 0 |- log2(x) > log2(y)"
    assert repr(kernel.rising(strict, TWO)) == "2 > 1, x > y |- power(2, x) > power(2, y)"


def test_every_hypothesis_is_kept():
    made = kernel.logarithm(kernel.assume(Formula("=", V, Term("/", X, Term("^", Y, 2)))))
    assert made.hypotheses == {
        Formula("=", V, Term("/", X, Term("^", Y, 2))),
        *(Formula(">", t, ZERO) for t in (V, X, Y)),
    }
    assert made.premises[0].rule == "assume"


@pytest.mark.parametrize("rule", [kernel.logarithm, lambda t: kernel.exponential(TWO, t)])
def test_equations_alone_are_taken(rule):
    with pytest.raises(KernelError, match="not =: x > y"):
        rule(kernel.assume(Formula(">", X, Y)))


@pytest.mark.parametrize("formula", [Formula(">=", X, Y), Formula("=", X, Y), Formula("not", Formula(">", Y, X))])
def test_strict_inequalities_alone_rise(formula):
    with pytest.raises(KernelError, match="not >: "):
        kernel.rising(kernel.assume(formula))


@pytest.mark.parametrize("term", [("log2", X, Y), ("log2",), ("power", X), ("power", X, 2)])
def test_malformed(term):
    with pytest.raises(KernelError):
        kernel.assume(Formula(">", term, ZERO))


x, n, m = sympy.Symbol("x", real=True), *sympy.symbols("n m", positive=True)


@pytest.mark.parametrize("value", [log2(x**2), log2(n * x), log2(n - 1), x ** (n + 1)], ids=str)
def test_nothing_is_taken_apart_where_a_name_may_be_negative(value):
    assert exponents_apart(logarithms_apart(value)) == value


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from([n, m, n * m, n / m, n + m]), st.fractions(-3, 3, max_denominator=3)), max_size=3
    ),
    st.fractions(-4, 4, max_denominator=2),
    st.sampled_from([sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le, sympy.Eq, sympy.Ne]),
    numbers,
    numbers,
)
def test_a_comparison_of_logarithms_is_one_of_products(shares, number, relation, x, y):
    total = sum((sympy.Rational(c) * log2(t) for t, c in shares), sympy.Rational(number))
    stated = relation(total, 0, evaluate=False)
    found = logarithms_compared(stated)
    point = {n: sympy.Rational(x), m: sympy.Rational(y)}
    assert not found.has(log2) or not total.has(log2)
    with mpmath.workdps(60):
        value = digits(with_functions(total), {"n": x, "m": y})
        side = 0 if abs(value) < mpmath.mpf(10) ** -40 else int(mpmath.sign(value))
    assert found.subs(point).doit() == relation(side, 0)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("says", "given", "verdict"),
    [
        ("log2(x^2) == 2 log2(x)", "", "verified"),
        ("log2(x^2) == 2 log2(x)", "x real", "conditional"),
        ("log2(2^x sqrt(y)) == x + log2(y)/2", "", "verified"),
        ("log2(2^x sqrt(y)) == x + log2(y)", "", "refuted"),
        ("log2(x y^2) == log2(x) + log2(y)", "", "refuted"),
        ("3^(x + 2) == 9*3^x", "", "verified"),
        ("3^(x + 2) == 6*3^x", "", "refuted"),
        ("increasing(5 + log2(x), x)", "", "verified"),
        ("increasing(5 + log2(x), x)", "x real", "conditional"),
        ("increasing(2^x, x)", "x real", "verified"),
        ("log2(n) > 3 <=> n > 8", "", "verified"),
        ("log2(n) > 3 <=> n >= 8", "", "refuted"),
        ("log2(n)/2 == log2(m) - 1 <=> 4 n == m^2", "", "verified"),
        ("n >= 1024", "log2(n) >= 10", "verified"),
        ("n > 1024", "log2(n) >= 10", "conditional"),
        ("log2(n) > 3 <=> n > 8", "n real", "conditional"),
        ("solve(log2(x) == 3, x) == 8", "", "verified"),
        ("largest(n, log2(n) <= 10.5) == 1448", "", "verified"),  # 1448^2 = 2096704 < 2^21 < 1449^2
        ("smallest(n, log2(n) >= 20) == 1048576", "", "verified"),
        ("5 n log2(n) == 51200", "n == 1024", "verified"),
        ("5 n log2(n) == 51200", "n == 1023", "refuted"),
        ("2^n == 8", "n == 3", "verified"),
        ("log2(170141183460469231731687303715884105727 * 162259276829213363391578010288127 n) == 3", "", "refuted"),
    ],
)
def test_claims(says, given, verdict):
    [claim] = book_from_text(f'[[claim]]\nid = "c"\nsays = "{says}"\ngiven = "{given}"').claims
    found = judge(claim)
    known = "undecided" if verdict == "undecided" else "algebra" if says.startswith("increasing") else "kernel"
    assert (found.kind, found.trust) == (verdict, known)  # proved sign by sign, so not as one theorem
