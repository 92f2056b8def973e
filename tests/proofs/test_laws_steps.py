"""Random derivations: each line agrees with the line before at exact points, evaluated from its text only."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Iterator, Mapping

import sympy
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from roofproof import threshold
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError
from roofproof.ops import parse_operation
from roofproof.proofs.steps.step import Step, Steps
from roofproof.proofs.steps.thresholds import threshold_steps

ARITHMETIC = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.Pow: operator.pow}  # fmt: skip
RELATIONS = {ast.Lt: -1, ast.LtE: -1, ast.Gt: 1, ast.GtE: 1, ast.Eq: 0}
FUNCTIONS = {"sqrt": sympy.sqrt, "min": sympy.Min, "max": sympy.Max}
NAMES = ("x", "a", "b")


def said(text: str, point: Mapping[str, sympy.Rational]) -> bool:
    """Return whether the text of a line is true at a point."""
    text = re.sub(r"(?<![<>=!]) = ", " == ", text).replace("always", "True").replace("never", "False")
    return bool(_value(ast.parse(text.replace("^", "**"), mode="eval").body, point))


def _value(node: ast.expr, point: Mapping[str, sympy.Rational]) -> object:
    match node:
        case ast.Constant(value=bool() as known):
            return known
        case ast.Constant(value=int() as number):
            return sympy.Integer(number)
        case ast.Name(id=name):
            return point[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, point)  # type: ignore[operator]
        case ast.BinOp(left=left, op=sign, right=right):
            return ARITHMETIC[type(sign)](_value(left, point), _value(right, point))
        case ast.Call(func=ast.Name(id=name), args=args):
            return FUNCTIONS[name](*(_value(each, point) for each in args))
        case ast.BoolOp(op=join, values=values):
            decisive = isinstance(join, ast.Or)
            parts = [_real(each, point) for each in values]  # another part may ensure that a root is real
            if None in parts and decisive not in parts:
                raise TypeError("a root that is not real decides")
            return decisive if decisive in parts else not decisive
        case ast.Compare(left=first, ops=signs, comparators=rest):
            sides = [_value(each, point) for each in (first, *rest)]
            return all(_compared(*pair) for pair in zip(sides, signs, sides[1:], strict=False))
    raise AssertionError(ast.dump(node))


def _real(node: ast.expr, point: Mapping[str, sympy.Rational]) -> object:
    """Return the value of a part, or None if it compares a root that is not real."""
    try:
        return _value(node, point)
    except TypeError:
        return None


def _compared(a: sympy.Expr, sign: ast.cmpop, b: sympy.Expr) -> bool:
    apart = sympy.simplify(a - b) if (a - b).has(sympy.Pow) else a - b
    order = 0 if apart == 0 else 1 if apart > 0 else -1
    if isinstance(sign, ast.NotEq):
        return order != 0
    return order == RELATIONS[type(sign)] or (order == 0 and isinstance(sign, ast.LtE | ast.GtE))


def chains(found: Steps) -> Iterator[tuple[str, list[Step]]]:
    """Yield each chain of lines, with the text of the condition of its case."""
    if not found.branches:
        yield "always", list(found.common)
    for branch in found.branches:
        yield plain(branch.when).replace("True", "always"), [*found.common, *branch.steps]


@st.composite
def sums(draw: st.DrawFn, most: int) -> str:
    """Draw a sum of at most `most` products of sizes, in which the unknown has a power of at most 2."""
    powers = st.tuples(st.integers(1, 4), st.sampled_from((0, 1, 1, 2)), st.integers(0, 1), st.integers(0, 1))
    parts = draw(st.lists(powers, min_size=1, max_size=most, unique_by=lambda p: p[1:]))
    return " + ".join(
        " ".join([str(c), *(f"{n}^{k}" for n, k in zip(NAMES, ks, strict=True) if k)]) for c, *ks in parts
    )


@st.composite
def operations(draw: st.DrawFn) -> str:
    """Draw an operation with one or two compute units and one or two links, so that there are a few dozen cases."""
    of = (
        ("flops bf16", "bytes memory"),
        ("flops bf16", "flops exp", "bytes memory"),
        ("flops bf16", "bytes memory", "bytes ici"),
    )
    named = draw(st.sampled_from((*of, of[0])))
    return "; ".join(f"{name} = {draw(sums(3 if len(named) == 2 else 2))}" for name in named)


NUMBERS = st.fractions(min_value="1/4", max_value=9, max_denominator=4).map(sympy.Rational)


@settings(max_examples=10, phases=(Phase.generate,))
@given(operations(), st.lists(st.tuples(*[NUMBERS] * 7), min_size=4, max_size=4))
def test_each_line_comes_to_what_the_line_before_does(text: str, numbers: list[tuple[sympy.Rational, ...]]) -> None:
    try:
        found = threshold(parse_operation(text), None, "x")
    except RoofproofError:
        assume(False)  # the size does not occur, or there are too many cases
    ridges = [c.symbol.name for c in found.found.ceilings]
    seen = 0
    for when, lines in chains(threshold_steps(found)):
        for values in numbers:
            point = dict(zip((*NAMES, *ridges), values, strict=False))
            if not said(when, point):
                continue
            seen += 1
            for step in lines:
                holds = said(str(step.line), point)
                assert holds == (said(str(step.before), point) if step.link else True), (
                    text,
                    when,
                    str(step.line),
                    point,
                )
    assert seen >= len(numbers)
