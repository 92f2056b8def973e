"""Leading terms of roots of sums, logarithms and exponentials: limits, their proofs, and digits far out."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofproof.derive.limits.expansion import leading_term, vanishes
from roofproof.derive.limits.limits import limit
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.proofs.known import ByLeadingTerms, Known, Unwarranted
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions
from roofproof.symbols import dimension, quantity

t, a, b, f = map(quantity, "tabf")
N = dimension("N")
root, ln, third, oo = sympy.sqrt, sympy.log, sympy.Rational(1, 3), sympy.oo
KNOWN = [
    (root(t**2 + 11 * t) - t, "t -> oo", sympy.Rational(11, 2)),
    (root(t**2 + a * t + b) - t, "t -> oo", a / 2),
    (root(t + 1) - root(t), "t -> oo", 0),
    (root(t) * (root(t + 1) - root(t)), "t -> oo", sympy.Rational(1, 2)),
    (t ** sympy.Rational(2, 3) * ((t + a) ** third - t**third), "t -> oo", a / 3),
    (root(t + root(t + root(t))) - root(t), "t -> oo", sympy.Rational(1, 2)),
    (1 / (t - root(t**2 - 1)), "t -> oo", oo),
    (root(2) * t - root(2 * t**2 + 1), "t -> oo", 0),
    (ln(t) / t, "t -> oo", 0),
    (log2(t) ** 5 / root(t), "t -> oo", 0),
    (log2(t + 1) - log2(t), "t -> oo", 0),
    (log2(8 * t + 1) - log2(t), "t -> oo", 3),
    (t * ln(1 + a / t), "t -> oo", a),
    (ln(t) / log2(t), "t -> oo", ln(2)),
    (log2(2**t + t) / t, "t -> oo", 1),
    (2**t, "t -> oo", oo),
    (t**9 / 2**t, "t -> oo", 0),
    (2 ** (t + 1) / 3**t, "t -> oo", 0),
    (3**t / (2**t * t**20), "t -> oo", oo),
    (4**t / (2**t + 1) ** 2, "t -> oo", 1),
    (2 ** (1 / t), "t -> oo", 1),
    (t * (2 ** (1 / t) - 1), "t -> oo", ln(2)),
    (1 / t, "t -> 0", oo),
    (t * ln(t), "t -> 0", 0),
    ((root(1 + t) - 1) / t, "t -> 0", sympy.Rational(1, 2)),
    (t ** (-sympy.Rational(2, 3)), "t -> 0", oo),
    (sympy.floor(t / 6) / t, "t -> oo", sympy.Rational(1, 6)),
    (sympy.floor(3 - 1 / t), "t -> oo", 2),
    (sympy.ceiling(3 - a / t), "t -> oo", 3),
    (sympy.floor(3 + a / t), "t -> oo", 3),
    (sympy.Max(t, 100 * root(t)) / t, "t -> oo", 1),
    (sympy.Abs(5 - t) - t, "t -> oo", -5),
    (1 / (1 - f + f / N), "N -> oo", 1 / (1 - f)),
    (root((1 - f) * N**2 + N) / N, "N -> oo", root(1 - f)),
    (root(a**2 + b) - root(a), "a ~ b -> oo", oo),
    (root(a**2 + b**2) - a, "a >> b -> oo", 0),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("expr", "regime", "wanted"), KNOWN)
def test_limits_known_in_closed_form(expr: sympy.Expr, regime: str, wanted: sympy.Expr) -> None:
    found = limit(expr, regime, [sympy.Lt(f, 1)])
    assert sympy.simplify(found.value - wanted) == 0 if wanted != oo else found.value == oo
    assert found.trust in ("kernel", "algebra")


@pytest.mark.parametrize("wrong", [sympy.Rational(1, 7), sympy.Integer(1)])
@pytest.mark.parametrize(("expr", "regime", "wanted"), [k for k in KNOWN if k[1] == "t -> oo" and k[2] != oo])
def test_another_value_is_not_warranted(expr: sympy.Expr, regime: str, wanted: sympy.Expr, wrong: sympy.Expr) -> None:
    goal = ("tends", with_functions(expr), ("t",), with_functions(wanted + wrong))
    with pytest.raises(Unwarranted, match="does not tend to zero"):
        Known(Statement("wrong", (), goal), ByLeadingTerms())


@pytest.mark.parametrize(
    ("assumptions", "goal", "why"),
    [
        ((), ("=", ("v", "t"), ("v", "t")), "no limit as one positive variable"),
        ((), ("tends", ("v", "t"), ("t",), ("v", "t")), "must not depend"),
        (((">", ("v", "t"), ("v", "a")),), ("tends", ("/", ("v", "a"), ("v", "t")), ("t",), ("q", 0, 1)), "must not"),
        ((), ("tends", ("/", ("v", "a"), ("*", ("v", "t"), ("v", "s"))), ("t", "s"), ("q", 0, 1)), "no limit as one"),
        ((), ("tends", ("power", ("v", "a"), ("v", "t")), ("t",), ("q", 0, 1)), "above or below 1"),
        ((), ("tends", ("/", ("q", 1, 1), ("+", ("*", ("v", "a"), ("v", "t")), ("*", ("q", -1, 1), ("v", "t")))),
              ("t",), ("q", 0, 1)), "may be zero"),
    ],
)  # fmt: skip
def test_what_is_no_such_limit_is_refused(assumptions: tuple[object, ...], goal: tuple[object, ...], why: str) -> None:
    with pytest.raises(Unwarranted, match=why):
        Known(Statement("refused", assumptions, goal), ByLeadingTerms())


small = [1 / t, sympy.Integer(2), 2 ** (-t)]
pieces = st.sampled_from([t, root(t), t + 1, root(t**2 + 3 * t), log2(t), t - root(t), *small])
functions = st.lists(st.tuples(pieces, pieces, st.integers(-3, 3)), min_size=1, max_size=4).map(
    lambda parts: sympy.Add(*(c * p * q for p, q, c in parts))
)


@given(functions, functions)
def test_the_leading_term_is_what_remains_far_out(top: sympy.Expr, bottom: sympy.Expr) -> None:
    """f divided by its leading term is within 1 % of 1 at a point far out, computed to 60 digits."""
    try:
        c, order, _ = leading_term(top / bottom if bottom != 0 else top, t)
    except RoofproofError:
        return
    if c == 0 or order.base:
        return
    far = sympy.Integer(10) ** 600

    def digits(e: sympy.Expr) -> sympy.Expr:
        plain = e.subs(2 ** (-t), 0).replace(log2, lambda x: ln(x) / ln(2))
        return sympy.N(plain.subs(t, far), 60, maxn=10_000)

    whole = top / bottom if bottom != 0 else top
    ratio = digits(whole) / digits(c * order.of(t))
    assert abs(ratio - 1) < sympy.Rational(1, 100)


def test_what_vanishes() -> None:
    assert vanishes(root(t**2 + 2 * t) - t - 1, t) and not vanishes(root(t**2 + 3 * t) - t - 1, t)
    assert vanishes(sympy.Integer(0), t) and not vanishes(a, t)
