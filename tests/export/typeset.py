"""Helpers of the typesetting tests that read formulas back and compare them with their source."""

import sympy

from roofproof.claims.language import to_boolean
from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.roofline.intensities import equal
from roofproof.errors import RoofproofError
from roofproof.formula.latex import read_latex
from roofproof.formula.logarithm import exp2, log2
from roofproof.formula.to_sympy import to_value
from roofproof.formula.tree import is_statement

POINTS = ([3 + 7 * i % 41 for i in range(40)], [101 - 13 * i % 97 for i in range(40)])


def reads_as(formula: str, meant: sympy.Basic) -> bool:
    """Return whether the answer parser reads a formula as the expression that it was written from."""
    return same(read(formula, {s.name: s for s in meant.free_symbols}), meant)


def read(formula: str, symbols: dict[str, sympy.Symbol]) -> sympy.Basic:
    """Return the expression that the answer parser reads in a formula."""
    tree = read_latex(formula, declared=symbols)
    return to_boolean(tree, symbols) if is_statement(tree) else to_value(tree, symbols)


def same(a: sympy.Basic, b: sympy.Basic) -> bool:
    """Return whether two statements are equal up to the order of operands and the form of fractions."""
    if isinstance(a, sympy.core.relational.Relational):
        if not isinstance(b, sympy.core.relational.Relational):
            return False
        turned = b.reversed if a.rel_op != b.rel_op else b
        return a.rel_op == turned.rel_op and same(a.lhs, turned.lhs) and same(a.rhs, turned.rhs)
    if isinstance(a, sympy.And | sympy.Or | sympy.Not):
        left, right = _members(a), _members(b)
        return type(a) is type(b) and len(left) == len(right) and all(any(same(x, y) for y in right) for x in left)
    if not (isinstance(a, sympy.Expr) and isinstance(b, sympy.Expr)):
        return bool(a == b)
    try:
        return bool(equal(a, b)) or _agree(a, b)
    except RoofproofError:
        return _agree(a, b)


def _members(statement: sympy.Basic) -> list[sympy.Basic]:
    kind = type(statement)
    return [m for part in statement.args for m in (_members(part) if type(part) is kind else [part])]


def _agree(a: sympy.Basic, b: sympy.Basic) -> bool:
    """Return whether two values agree to forty digits at two points."""
    a, b = (side.replace(exp2, lambda x: 2**x) for side in (a, b))
    symbols = sorted(a.free_symbols | b.free_symbols, key=str)
    for point in POINTS:
        values = dict(zip(symbols, point, strict=False))
        difference = (a - b).subs(values).replace(log2, lambda x: sympy.log(x) / sympy.log(2))
        if difference != 0 and abs(sympy.N(difference, 50)) > sympy.Float(10) ** -40:
            return False
    return True


def meaning(cases: Cases) -> sympy.Basic:
    """Return cases as a disjunction of their conditions, in the form in which they are read."""
    parts = []
    conditions: list[sympy.Basic] = []
    for case in cases:
        last = len(cases) > 1 and case is cases.cases[-1]
        when = sympy.Not(_joined(sympy.Or, conditions), evaluate=False) if last else case.when
        conditions.append(case.when)
        holds = case.threshold.holds(cases.unknown)
        if holds != sympy.false:
            parts.append(_joined(sympy.And, [p for p in (holds, when) if p != sympy.true]))
    return _joined(sympy.Or, parts)


def _joined(kind: type, parts: list[sympy.Basic]) -> sympy.Basic:
    if not parts:
        return sympy.true if kind is sympy.And else sympy.false
    return parts[0] if len(parts) == 1 else sympy.Basic.__new__(kind, *parts)
