"""Every LaTeX formula reads back as the expression that it was written from."""

import contextlib

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from typeset import meaning, read, reads_as, same
from typeset_all import worked

from roofproof import chip
from roofproof.derive import threshold
from roofproof.derive.roofline.intensities import intensity
from roofproof.errors import RoofproofError
from roofproof.export.doc import Doc, Line, Section, say
from roofproof.export.explain.threshold import explain
from roofproof.export.latex.conditions import cases, condition
from roofproof.export.latex.expressions import FORMS, latex
from roofproof.export.latex.leaves import Style
from roofproof.export.naming import expressions as shown
from roofproof.export.naming import mapped, named
from roofproof.export.outline import outline
from roofproof.export.to_latex import row_pieces
from roofproof.formula.logarithm import log2
from roofproof.formula.tokens import MAX_TEXT
from roofproof.ops import entries
from roofproof.symbols import dimension, quantity

CHIPS = ("tpu-v5e", "h100-sxm")
B, D, F, N = map(dimension, "BDFN")
R = quantity("R")
SYMBOLS = [
    *map(dimension, ["B", "D", "F", "N", "d_k", "D1", "seq", "h_2"]),
    *map(quantity, ["R", "R_", "s_x", "B_crit", "alpha", "T_math", "R_nvlink_c2c", "lambda_max"]),
]


def _larger(parts: st.SearchStrategy[sympy.Expr]) -> st.SearchStrategy[sympy.Expr]:
    pairs = st.tuples(parts, parts)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] - p[1]),
        pairs.map(lambda p: p[0] * p[1]),
        pairs.map(lambda p: p[0] / (p[1] if p[1] != 0 else 1)),
        pairs.map(lambda p: p[0] / (1 + p[1] ** 2)),
        st.tuples(parts, st.integers(-3, 4)).map(lambda p: p[0] ** p[1] if p[0] != 0 else p[0]),
        st.tuples(parts, st.sampled_from(FUNCTIONS)).map(lambda p: p[1](p[0])),
        pairs.map(lambda p: sympy.Max(*p)),
        pairs.map(lambda p: sympy.Min(*p)),
    )


FUNCTIONS = [
    lambda p: sympy.sqrt(p * p + 1), lambda p: log2(p * p + 1), sympy.ceiling, sympy.floor, sympy.Abs,
]  # fmt: skip
numbers = st.one_of(
    st.integers(-9, 9), st.sampled_from([197000, 819, 10**14, 197 * 10**12, -(10**5), 393999]),
    st.builds(sympy.Rational, st.integers(-300, 300), st.integers(1, 50)),
).map(sympy.Rational)  # fmt: skip
symbols = st.sampled_from(SYMBOLS)
monomials = st.builds(lambda c, some: sympy.Mul(c, *some), numbers, st.lists(symbols, min_size=1, max_size=2))
sums = st.lists(monomials, min_size=1, max_size=3).map(lambda terms: sympy.Add(*terms))
quotients = st.tuples(sums, sums).map(lambda p: p[0] / (p[1] if p[1] != 0 else 1))
expressions = st.recursive(quotients, _larger, max_leaves=3).filter(lambda e: e.is_finite is not False)


@pytest.mark.slow
@given(expressions, st.booleans(), st.booleans(), st.sampled_from(FORMS))
def test_any_expression(expression: sympy.Expr, siunitx: bool, display: bool, form: str) -> None:
    formula = latex(expression, siunitx=siunitx, display=display, form=form)
    assert reads_as(formula, expression), formula


@pytest.mark.slow
@given(quotients, quotients, st.sampled_from([sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le, sympy.Ne, sympy.Eq]))
def test_any_relation(left: sympy.Expr, right: sympy.Expr, kind: type) -> None:
    relation = kind(left, right, evaluate=False)
    assert reads_as(condition(relation), relation)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", entries())
def test_what_an_operation_demands(name: str) -> None:
    op = entries()[name]()
    for amount in (*op.demands.values(), *(t.traffic for t in op.tensors), *(s for t in op.tensors for s in t.shape)):
        assert reads_as(latex(amount), amount)
    for channel in (c for c in op.demands if c not in op.compute and len(op.units) == 1):
        try:
            found = intensity(op, channel).value
        except RoofproofError:
            continue  # not a rational function
        for form in FORMS:
            assert reads_as(latex(found, form=form), found)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", [*entries()][::3])  # the recorded answers cover every operation
def test_every_threshold(name: str) -> None:
    """Thresholds read back for every dimension, symbolically and on chips that can run the operation."""
    op = entries()[name]()
    found = []
    for dim in op.dims:
        for where in (None, *CHIPS[: 1 if len(op.dims) > 5 else 2]):
            with contextlib.suppress(RoofproofError):  # no FLOPs, no such spec, or a logarithm
                found.append(threshold(op, None if where is None else chip(where), dim.name))
    for cases_found in dict.fromkeys(c for each in found for c in (each.symbolic, each.cases)):
        meant = meaning(cases_found)
        for form in FORMS:
            formula = cases(cases_found, form=form)
            if meant != sympy.false and len(formula) < (MAX_TEXT * 0.7 if form == FORMS[0] else 1500):
                assert reads_as(formula, meant), formula


@pytest.mark.slow
def test_what_is_shortened_is_what_it_was() -> None:
    """Substituting the short names gives the original document, and each abbreviated part reads back."""
    made = 0
    for each in worked():
        doc = explain(outline(each.op, each.chip, each.proved, {}, steps=True))
        for whole, short in zip(doc.sections, named(doc).sections, strict=True):
            told = [row for row in short.rows if isinstance(row, Line) and row.right == say("for short")]
            back = shown([row for row in short.rows if row not in told])
            for name, part in (row.left.pieces[::2] for row in reversed(told)):
                assert reads_as(latex(part, order=doc.order), part), part
                back = [e.xreplace({name: part}) for e in back]
            assert back == shown([row for row in whole.rows if not getattr(row, "text_only", False)]), each.name
            made += bool(told)
    assert made > 10


def test_the_lines_of_a_derivation() -> None:
    """FLOPs and bytes read back: the sum over the tensors, and their total."""
    flops, moved = sympy.symbols("FLOPs bytes", positive=True)
    checked = 0
    for op in (entry() for entry in entries().values()):
        if len(op.compute) != 1 or list(op.demands)[1:] != ["memory"]:
            continue
        doc = explain(outline(op, None, None, {}))
        symbols = {s.name: s for s in op.flops.free_symbols | op.bytes().free_symbols | {flops, moved}}
        for heading, left, amount in (("FLOPs", flops, op.flops), ("bytes", moved, op.bytes())):
            [section] = [s for s in doc.sections if s.heading.form == heading]
            formulas: list[str] = []
            for row in section.rows:
                [(_, formula)] = row_pieces(row, Style(order=doc.order))
                if formula.startswith(r"\quad +"):
                    formulas[-1] += formula.removeprefix(r"\quad")
                else:
                    formulas.append(formula)
            for formula in formulas:
                assert same(read(formula, symbols), sympy.Eq(left, amount, evaluate=False)), formula
        checked += 1
    assert checked > 30


@pytest.mark.parametrize(
    ("expression", "formula"),
    [
        (B * D * F / (B * D + D * F + B * F), r"\frac{BDF}{BD + BF + DF}"),
        (R * D * F / (D * F - R * (D + F)), r"\frac{RDF}{DF - R(D + F)}"),
        (197000 * D * F / (819 * D * F - 197000 * D - 197000 * F), r"\frac{197000DF}{819DF - 197000(D + F)}"),
        ((2 * N - 1) / (4 * N + 2), r"\frac{2N - 1}{4N + 2}"),
        (B / D + B / F, r"\frac{B}{D} + \frac{B}{F}"),
        (5 * N * log2(N), r"5N\log_2 N"),
        (-(N + 1) / D, r"-\frac{N + 1}{D}"),
        (sympy.sqrt(D / F) / 2, r"\frac{\sqrt{D}}{2\sqrt{F}}"),
        (sympy.Integer(197) * 10**12, r"1.97 \times 10^{14}"),
        (1 / (B / D + 1 / F), r"\frac{1}{1/F + B/D}"),
        (quantity("R_") * quantity("s_x") * dimension("seq"), r"R's_x\,\text{seq}"),
        (sympy.Max(B, D / 2) * 2, r"2\max\left(B, \frac{D}{2}\right)"),
    ],
)
def test_as_a_person_would(expression: sympy.Expr, formula: str) -> None:
    assert latex(expression) == formula


def test_in_the_other_form() -> None:
    assert latex(R * D * F / (D * F - R * (D + F)), form="reciprocal") == r"\frac{R}{1 - R(1/D + 1/F)}"
    assert latex(B * D * F / (B * D + D * F + B * F), form="reciprocal") == r"\frac{1}{1/B + 1/D + 1/F}"
    assert latex((2 * N - 1) / (4 * N + 2), form="reciprocal") == r"\frac{2N - 1}{4N + 2}"


def test_refused() -> None:
    with pytest.raises(RoofproofError, match=r"form 'x': expected fraction or reciprocal"):
        latex(B, form="x")
    with pytest.raises(RoofproofError, match=r"no LaTeX for 'sin\(B\)': expected an expression of sizes and rates"):
        latex(sympy.sin(B))
    with pytest.raises(RoofproofError, match="no LaTeX for 'B': expected a relation"):
        condition(B)


def test_a_root_told_by_its_polynomial_is_kept_whole() -> None:
    x, y = sympy.symbols("x y", positive=True)
    root = sympy.CRootOf(x**4 - 26 * x**3 - 407 * x**2 - 1752 * x - 5120, 1)
    whole = (root + y) / (y**2 + 3 * y + 1)
    [section] = named(Doc((), (Section((), (Line(whole),)),)), 5).sections
    *told, short = section.rows
    assert told and root.poly.gen not in {name for row in told for name in row.left.pieces[2].free_symbols} - {x}
    for name, part in (row.left.pieces[::2] for row in reversed(told)):
        short = mapped(short, lambda e, name=name, part=part: e.xreplace({name: part}))
    assert short.left == whole
