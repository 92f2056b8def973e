"""The normal form of a condition has the same truth value at every point, even if SymPy would evaluate its parts."""

from itertools import product

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy.logic.boolalg import Boolean, BooleanFunction

from roofproof.derive.algebra.logic import Iff, negation_normal
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError

x, y = sympy.symbols("x y", positive=True)
COMPARED = (x < 2, 2 * x <= y, x + y > 4, sympy.Gt(2, x, evaluate=False), sympy.Eq(x, y), sympy.true)
written = st.recursive(
    st.sampled_from(COMPARED),
    lambda inner: st.one_of(
        st.builds(lambda a: sympy.Basic.__new__(sympy.Not, a), inner),
        *(
            st.builds(lambda a, b, k=kind: sympy.Basic.__new__(k, a, b), inner, inner)
            for kind in (sympy.And, sympy.Or, sympy.Implies)
        ),
        st.builds(Iff, inner, inner),
        st.builds(Iff, inner, inner, inner),
    ),
    max_leaves=6,
)


def truth(condition: Boolean, point: dict[sympy.Symbol, int]) -> bool:
    args = [truth(a, point) for a in condition.args] if isinstance(condition, BooleanFunction) else []
    match condition:
        case sympy.Not():
            return not args[0]
        case sympy.And():
            return all(args)
        case sympy.Or():
            return any(args)
        case sympy.Implies():
            return not args[0] or args[1]
        case Iff():
            return len(set(args)) == 1
    return bool(condition.subs(point))


@given(written, st.booleans())
def test_the_normal_form_says_the_same(condition: Boolean, holds: bool) -> None:
    normal = negation_normal(condition, holds)
    assert not normal.has(sympy.Not, sympy.Implies, Iff)
    for a, b in product((1, 2, 3), repeat=2):
        assert truth(normal, {x: a, y: b}) == (truth(condition, {x: a, y: b}) == holds)


def test_a_negated_comparison_kept_as_written_is_solved() -> None:
    """A negated comparison is solved, although SymPy's own normal form raises `Illegal operator`."""
    denied = sympy.Not(sympy.Le(2 * x, 8, evaluate=False), evaluate=False)
    assert str(solve(denied, x)) == "x > 4"
    assert str(solve(Iff(denied, x > 1), x)) == "x <= 1 or x > 4"


def test_what_is_no_condition() -> None:
    with pytest.raises(RoofproofError, match="expected a condition, got x"):
        negation_normal(x)
