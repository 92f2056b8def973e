"""Malformed formulas enter no theorem, and formulas print as expected."""

from fractions import Fraction

import pytest
from second_reading import HALF, MINUS, ONE, B, D, X, Y, Z, over, plus, times

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import MAX_DEPTH, MAX_PARTS, ZERO, KernelError, add, mul, show, well_formed

x_gt_y, y_gt_x = kernel.assume((">", X, Y)), kernel.assume((">", Y, X))
x_ge_y = kernel.assume((">=", X, Y))


JUNK = [
    "x > 0",
    (),
    (">",),
    (">", X),
    (">", X, Y, Z),
    ("=", X, ("true",)),
    ("not", X),
    ("not", ("true",), ("true",)),
    ("=>", ("true",)),
    ("<=>", ("true",), ("true",), ("true",)),
    ("and", X),
    ("true", ("true",)),
    ("int", ("true",)),
    ("maybe", X),
    (">", ("q", 1, 0), ZERO),
    (">", ("q", 1, -1), ZERO),
    (">", ("q", True, 1), ZERO),
    (">", ("q", 1.0, 1), ZERO),
    (">", ("q", Fraction(1), 1), ZERO),
    (">", ("q", 1), ZERO),
    (">", ("v", 1), ZERO),
    (">", ("v", "x", "y"), ZERO),
    (">", ["v", "x"], ZERO),
    (">", ("^", X, -1), ZERO),
    (">", ("^", X, 65), ZERO),
    (">", ("^", X, Y), ZERO),
    (">", ("^", X, True), ZERO),
    (">", ("/", X), ZERO),
    (">", ("/", X, Y, Z), ZERO),
    (">", ("sqrt", X, Y), ZERO),
    (">", ("floor", X, Y), ZERO),
    (">", ("max",), ZERO),
    (">", ("log", X), ZERO),
    (">", 1, 0),
    (">", X, None),
    ("tends", X, ("x",)),
    ("tends", X, (), Y),
    ("tends", X, ["x"], Y),
    ("tends", X, (1,), Y),
    ("tends", X, "x", Y),
    ("tends", ("true",), ("x",), Y),
]


@pytest.mark.parametrize("junk", JUNK, ids=repr)
def test_what_is_no_formula_enters_no_theorem(junk):
    assert not well_formed(junk)
    true = kernel.assume(("true",))
    for rule in (
        kernel.assume,
        kernel.propositional,
        lambda f: kernel.discharge(true, f),
        lambda f: kernel.propositional(("or", ("true",), f)),
        lambda f: kernel.instantiate(x_gt_y, {"x": f}),
        lambda f: kernel.trichotomy(X, f),
        lambda f: kernel.square(f),
        lambda f: kernel.definition(("max", X, f)),
        lambda f: kernel.integral(f),
        lambda f: kernel.arith((">=", ONE, ZERO), [], [(f, [])]),
        lambda f: kernel.tends(f, "D", ZERO, "D"),
    ):
        with pytest.raises(KernelError):
            rule(junk)


@pytest.mark.parametrize("name", [1, None, ("x",), b"x"])
def test_names_are_plain_strings(name):
    for call in (
        lambda: kernel.arith((">=", ONE, ONE), [], [], [name]),
        lambda: kernel.tends(over(ONE, D), ["D"], ZERO, ["D", name]),
        lambda: kernel.tends(over(ONE, D), ["D", name], ZERO, ["D", "F"]),
        lambda: kernel.instantiate(x_gt_y, {name: ONE}),
    ):
        with pytest.raises(KernelError):
            call()


def nested(depth):
    t = X
    for _ in range(depth):
        t = ("floor", t)
    return t


def doubled(times_):
    t = X
    for _ in range(times_):
        t = ("+", t, t)
    return t


def test_size_and_depth_are_bounded():
    assert kernel.assume((">", nested(MAX_DEPTH - 1), ZERO))
    for huge in (nested(MAX_DEPTH + 1), nested(200_000), doubled(100), ("+", *[X] * MAX_PARTS)):
        for call in (
            lambda t: kernel.assume((">", t, ZERO)),
            kernel.square,
            lambda t: kernel.trichotomy(t, X),
            lambda t: kernel.identity(t, t),
            lambda t: kernel.instantiate(x_gt_y, {"x": t}),
            lambda t: kernel.discharge(x_gt_y, (">", t, X)),
            lambda t: kernel.tends(t, "D", ZERO, "Dx"),
        ):
            with pytest.raises(KernelError):
                call(huge)
    tower = kernel.assume((">", nested(MAX_DEPTH - 2), ZERO))
    for theorem in (tower, kernel.discharge(tower, tower.conclusion), kernel.propositional(("true",), [tower])):
        with pytest.raises(KernelError):
            kernel.instantiate(theorem, {"x": nested(10)})
    with pytest.raises(KernelError, match="too large"):
        kernel.identity(("^", ("^", plus(X, Y, Z, ONE), 40), 40), X)


def test_a_long_chain_of_proofs_can_be_made_and_forgotten():
    theorem = kernel.assume(("true",))
    for _ in range(20_000):
        theorem = kernel.propositional(("true",), [theorem])
    del theorem


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (over(X, HALF), "x/(1/2)"),
        (over(HALF, X), "(1/2)/x"),
        (over(ONE, X), "1/x"),
        (over(X, over(Y, Z)), "x/(y/z)"),
        (over(over(X, Y), Z), "(x/y)/z"),
        (times(HALF, X), "1/2*x"),
        (times(plus(X, Y), Z), "(x + y)*z"),
        (("^", plus(X, Y), 2), "(x + y)^2"),
        (("^", MINUS, 2), "(-1)^2"),
        (("^", ("^", X, 2), 3), "(x^2)^3"),
        (("and",), "true"),
        (("or",), "false"),
        (("+",), "0"),
        (("*",), "1"),
        (("and", ("or", ("true",), ("false",)), ("true",)), "(true or false) and true"),
        (("not", ("and", (">", X, Y), ("true",))), "not(x > y and true)"),
        (("tends", over(B, D), ("D",), ZERO), "B/D -> 0 as D -> oo"),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_how_formulas_print(f, text):
    assert show(f) == text


def test_sums_and_products_of_polynomials_leave_no_zero():
    x, y = ((("v", n), 1) for n in "xy")
    p, q = {(x,): Fraction(1), (y,): Fraction(2)}, {(x,): Fraction(1), (): Fraction(3)}
    assert add(p, q) == {(x,): 2, (y,): 2, (): 3}
    assert add(p, q, -1) == {(y,): 2, (): -3}
    assert add(p, p, -1) == {}
    assert mul({(x,): Fraction(1), (y,): Fraction(1)}, {(x,): Fraction(1), (y,): Fraction(-1)}) == {
        ((X, 2),): 1,
        ((Y, 2),): -1,
    }
    assert (p, q) == ({(x,): 1, (y,): 2}, {(x,): 1, (): 3})  # the arguments are not changed
