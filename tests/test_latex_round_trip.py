"""Every formula that is written reads back as what it was written from."""

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from typeset import meaning, reads_as

from roofproof import chip, threshold
from roofproof.derive.intensities import intensity
from roofproof.errors import RoofproofError
from roofproof.export.latex.conditions import cases, condition
from roofproof.export.latex.expressions import FORMS, latex
from roofproof.ops import entries
from roofproof.ops.logarithm import log2
from roofproof.symbols import dimension, quantity

SYMBOLS = [
    *map(dimension, ["B", "D", "F", "N", "d_k", "D1", "seq", "h_2"]),
    *map(quantity, ["R", "R_", "s_x", "B_crit", "alpha", "T_math", "R_nvlink_c2c", "lambda_max"]),
]


def _function(parts: st.SearchStrategy[sympy.Expr]) -> st.SearchStrategy[sympy.Expr]:
    pairs = st.tuples(parts, parts)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] - p[1]),
        pairs.map(lambda p: p[0] * p[1]),
        pairs.map(lambda p: p[0] / (p[1] if p[1] != 0 else 1)),
        st.tuples(parts, st.integers(-3, 4)).map(lambda p: p[0] ** p[1] if p[0] != 0 else p[0]),
        parts.map(lambda p: sympy.sqrt(p * p + 1)),
        parts.map(sympy.ceiling),
        parts.map(sympy.floor),
        parts.map(sympy.Abs),
        parts.map(lambda p: log2(p * p + 1)),
        pairs.map(lambda p: sympy.Max(*p)),
        pairs.map(lambda p: sympy.Min(*p)),
    )


numbers = st.one_of(st.integers(-9, 9), st.integers(-(10**15), 10**15)).map(sympy.Integer)
fractions = st.builds(sympy.Rational, st.integers(-300000, 300000), st.integers(1, 5000))
leaves = st.one_of(st.sampled_from(SYMBOLS), st.sampled_from(SYMBOLS), numbers, fractions)
expressions = st.recursive(leaves, _function, max_leaves=8).filter(lambda e: e.is_finite is not False)


@given(expressions, st.booleans(), st.booleans(), st.sampled_from(FORMS))
def test_any_expression(expression: sympy.Expr, siunitx: bool, display: bool, form: str) -> None:
    formula = latex(expression, siunitx=siunitx, display=display, form=form)
    assert reads_as(formula, expression), formula


@given(expressions, expressions, st.sampled_from([sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le, sympy.Ne, sympy.Eq]))
def test_any_relation(left: sympy.Expr, right: sympy.Expr, kind: type) -> None:
    relation = kind(left, right, evaluate=False)
    assert reads_as(condition(relation), relation)


@pytest.mark.parametrize("name", entries())
def test_what_an_operation_demands(name: str) -> None:
    op = entries()[name]()
    for amount in (*op.demands.values(), *(t.traffic for t in op.tensors), *(s for t in op.tensors for s in t.shape)):
        assert reads_as(latex(amount), amount)
    for channel in (c for c in op.demands if c not in op.compute and op.flops != 0):
        try:
            found = intensity(op, channel).value
        except RoofproofError:
            continue  # no rational function
        for form in FORMS:
            assert reads_as(latex(found, form=form), found)
