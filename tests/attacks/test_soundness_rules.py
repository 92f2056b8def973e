"""The exact theorems of the kernel rules, and inputs that each rule must refuse. Runs in about a second."""

import pytest

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import ZERO, KernelError, show, well_formed

X, Y, Z = ("v", "x"), ("v", "y"), ("v", "z")
ONE, TWO = ("q", 1, 1), ("q", 2, 1)
x_gt_y, y_gt_z = kernel.assume((">", X, Y)), kernel.assume((">", Y, Z))

DEFINITIONS = {
    ("max", X, Y): "max(x, y) >= x and max(x, y) >= y and (max(x, y) = x or max(x, y) = y)",
    ("min", X, Y): "x >= min(x, y) and y >= min(x, y) and (min(x, y) = x or min(x, y) = y)",
    ("sqrt", X): "(x >= 0) => (sqrt(x)*sqrt(x) = x and sqrt(x) >= 0)",
    ("floor", X): "int(floor(x)) and x >= floor(x) and floor(x) + 1 > x",
    ("ceil", X): "int(ceil(x)) and ceil(x) >= x and x + 1 > ceil(x)",
    ("power", X, Y): "x > 0 => power(x, y) > 0",
}


@pytest.mark.parametrize("term", DEFINITIONS, ids=show)
def test_definitions(term):
    made = kernel.definition(term)
    assert show(made.conclusion).replace("x >= 0 =>", "(x >= 0) =>") == DEFINITIONS[term]
    assert made.hypotheses == frozenset()


def test_square_and_trichotomy():
    assert kernel.square(X).conclusion == (">=", ("*", X, X), ZERO)
    assert kernel.trichotomy(X, Y).conclusion == ("or", (">", X, Y), ("=", X, Y), (">", Y, X))
    assert kernel.square(X).hypotheses == kernel.trichotomy(X, Y).hypotheses == frozenset()


def test_a_hypothesis_that_is_discharged_stands_in_the_conclusion():
    made = kernel.discharge(x_gt_y, (">", X, Y))
    assert (made.hypotheses, made.conclusion) == (frozenset(), ("=>", (">", X, Y), (">", X, Y)))
    other = kernel.discharge(x_gt_y, (">", Y, Z))
    assert (other.hypotheses, other.conclusion) == ({(">", X, Y)}, ("=>", (">", Y, Z), (">", X, Y)))


def test_each_case_leaves_the_hypotheses_of_its_own_branch():
    either, split = ("or", (">", X, Y), (">", Y, Z)), kernel.assume(("or", (">", X, Y), (">", Y, Z)))
    whole = kernel.assume(("int", X))
    first, second = (kernel.propositional(either, [t, whole]) for t in (x_gt_y, y_gt_z))
    made = kernel.cases(split, [first, second])
    assert (made.hypotheses, made.conclusion) == ({either, ("int", X)}, either)
    assert made.premises == (split, first, second)
    one = kernel.propositional(either, [x_gt_y, y_gt_z])  # it depends on both, so each branch keeps the other
    assert kernel.cases(split, [one, one]).hypotheses == {either, (">", X, Y), (">", Y, Z)}
    both = kernel.assume(("and", (">", X, Y), (">", Y, Z)))
    for wrong in (
        (split, [second]),
        (split, []),
        (split, [first, x_gt_y]),
        (both, [first, second]),
        (x_gt_y, [first, first]),
    ):
        with pytest.raises(KernelError):
            kernel.cases(*wrong)
    swapped = kernel.cases(split, [second, first])
    assert swapped.hypotheses == {either, (">", X, Y), (">", Y, Z), ("int", X)}


def test_all_premises_count_by_truth_table():
    both = ("and", (">", X, Y), (">", Y, Z))
    assert kernel.propositional(both, [x_gt_y, y_gt_z]).hypotheses == {(">", X, Y), (">", Y, Z)}
    for premises in ([x_gt_y], [y_gt_z], []):
        with pytest.raises(KernelError):
            kernel.propositional(both, premises)


def test_only_integers_make_integers():
    """A premise x > y does not make x an integer, and neither does x = 1."""
    for premise in (x_gt_y, kernel.assume(("=", X, ONE)), kernel.assume(("not", ("int", X)))):
        with pytest.raises(KernelError):
            kernel.integral(X, [premise])


def test_one_of_several_coefficients_decides_no_sign():
    for goal in ((">", ("+", X, ("*", ("q", -1, 1), Y)), ZERO), (">", ZERO, ("+", X, ("*", ("q", -1, 1), Y)))):
        with pytest.raises(KernelError):
            kernel.arith(goal, positive=["x", "y"])


def test_a_sign_is_that_of_the_same_polynomial_only():
    """y > x gives the sign of 2 y - 2 x, but not of y - x + z or 2 y - x."""
    more = kernel.assume((">", Y, X))

    def one_over(p):
        return (">", ("/", ONE, p), ZERO)

    def minus(a, b):
        return ("+", a, ("*", ("q", -1, 1), b))

    for p in (minus(("+", Y, Z), X), minus(("*", TWO, Y), X), minus(X, ("*", TWO, Y))):
        with pytest.raises(KernelError):
            kernel.polynomial(one_over(p), [], [kernel.polynomial(more.conclusion, [])])
    known = [kernel.polynomial(more.conclusion, [])]
    assert kernel.polynomial(one_over(minus(("*", TWO, Y), ("*", TWO, X))), [], known) == {(): 1}
    assert kernel.polynomial(one_over(minus(X, Y)), [], known) == {(): -1}


LIMITS = {
    "t/(t + z) does not tend to 0": (("/", X, ("+", X, Z)), ["x"], ZERO),
    "x/y tends to nothing when both grow": (("/", X, Y), ["x", "y"], ZERO),
    "x/(x + y) does not tend to 1": (("/", X, ("+", X, Y)), ["x", "y"], ONE),
    "1/(x - y) does not tend to 0": (("/", ONE, ("+", X, ("*", ("q", -1, 1), Y))), ["x", "y"], ZERO),
    "z/z^2 does not tend to 0": (("/", Z, ("*", Z, Z)), ["x"], ZERO),
    "a value that grows": (X, ["x"], X),
}


@pytest.mark.parametrize(("term", "growing", "value"), LIMITS.values(), ids=LIMITS)
def test_limits_that_are_none(term, growing, value):
    with pytest.raises(KernelError):
        kernel.tends(term, growing, value, "xyz")


def test_what_is_well_formed_as_a_term_is_no_formula_for_that():
    for term in (("v", "x"), ("q", 1, 1), ("+", X, Y)):
        assert well_formed(term, "term") and not well_formed(term, "formula")
        assert not well_formed(term) and well_formed(term, "term")
        with pytest.raises(KernelError):
            kernel.assume(term)
    made = (">", X, Y)
    assert well_formed(made) and not well_formed(made, "term")
