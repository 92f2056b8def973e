"""Documents for typesetting: parts of long formulas get names, and repeated lines are left out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from functools import singledispatch

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Case, Cases, with_bounds
from roofproof.errors import RoofproofError
from roofproof.export import doc as d
from roofproof.proofs.steps import lines

MOST = 26  # limit for the names in a formula that cannot be broken
LETTERS = ("P", "Q", "U", "W", "G", "H", "J", "K", "M", "Y", "Z")
Change = Callable[[sympy.Expr], sympy.Expr]


def named(doc: d.Doc, most: int = MOST) -> d.Doc:
    """Return a document in which sums within long formulas have names, and without repeated lines.

    >>> from roofproof.symbols import dimension
    >>> B, D, F, V = map(dimension, "BDFV")
    >>> long = d.Section((), (d.Line((B*D + F*V + B*V)/(D + F*V + 1)),))
    >>> [row.left.pieces for row in named(d.Doc((), (long,)), 5).sections[0].rows[:2]]
    [(P, '=', B*D + B*V + F*V), (Q, '=', D + F*V + 1)]
    """
    letters, known = free_letters(doc.taken), dict[sympy.Expr, sympy.Symbol]()  # a sum has one name throughout
    told = (replace(s, rows=tuple(row for row in s.rows if not _again(row))) for s in doc.sections)
    return replace(doc, sections=tuple(_section(section, letters, known, most) for section in told))


def _again(row: d.Row) -> bool:
    return isinstance(row, d.Line) and row.text_only


def _section(section: d.Section, letters: Iterator[str], known: dict[sympy.Expr, sympy.Symbol], most: int) -> d.Section:
    names = _names(expressions(section.rows), letters, known, most)
    if not names:
        return section

    def short(expression: sympy.Expr) -> sympy.Expr:
        for name, part in names:
            expression = expression.xreplace({part: name}).xreplace({-part: -name})
        return expression

    told = tuple(d.Line(d.Formula(name, "=", part), d.say("for short")) for name, part in names)
    first = next((k for k, row in enumerate(section.rows) if mapped(row, short) != row), 0)
    rows = [mapped(row, short) for row in section.rows]
    return replace(section, rows=(*rows[:first], *told, *rows[first:]))


def expressions(what: d.Inline) -> list[sympy.Expr]:
    """Return the expressions that rows or leaves show, in order.

    >>> expressions(d.Formula("B", "=", sympy.Integer(2)))
    [2]
    """
    found: list[sympy.Expr] = []

    def kept(expression: sympy.Expr) -> sympy.Expr:
        found.append(expression)
        return expression

    mapped(tuple(what) if isinstance(what, list) else what, kept)
    return found


def _names(
    shown: list[sympy.Expr], letters: Iterator[str], known: dict[sympy.Expr, sympy.Symbol], most: int
) -> list[tuple[sympy.Symbol, sympy.Expr]]:
    """Return names for sums, those that take the most room first, until no expression is too long."""
    found: list[tuple[sympy.Symbol, sympy.Expr]] = []
    while wide := [e for e in shown if size(e) > most]:
        inside = [part for e in wide for part in sums(e)]
        if not inside:
            return found
        chosen = max(dict.fromkeys(inside), key=lambda part: (size(part, whole=True) * inside.count(part), str(part)))
        name = known.get(chosen) or sympy.Symbol(next(letters), real=True)  # may have either sign
        known[chosen] = name
        found.append((name, chosen))
        shown = [e.xreplace({chosen: name}).xreplace({-chosen: -name}) for e in shown]
    return found


def size(expression: sympy.Expr, *, whole: bool = False) -> int:
    """Return the number of names in a formula, or in the largest term of a sum. Long numbers and functions count more.

    >>> x, y, z = sympy.symbols("x y z")
    >>> size(x*y + z), size(x*y + z, whole=True), size(x/(y + z))
    (2, 3, 4)
    """
    if expression.is_Add and not whole:
        return max(map(size, expression.args))
    return sum(map(_own, sympy.preorder_traversal(expression)))


def _own(part: sympy.Basic) -> int:
    if part.is_Integer:
        return max(1, len(str(part)) // 3)
    return 2 if part.is_Function else int(not part.args)


def sums(expression: sympy.Expr) -> list[sympy.Expr]:
    """Return the sums that are parts of an expression, but not all of it."""
    found, parts = [], sympy.preorder_traversal(expression)
    for part in parts:
        if isinstance(part, sympy.CRootOf):
            parts.skip()  # it is shown in digits
        elif part.is_Add and part != expression and part.free_symbols and size(part, whole=True) > 3:
            found.append(part)
    return found


def free_letters(taken: Collection[str]) -> Iterator[str]:
    """Yield names that are not taken: letters first, then letters with a number.

    >>> next(free_letters({"P", "Q"}))
    'U'
    """
    yield from (letter for letter in LETTERS if letter not in taken)
    for number in range(1, 1000):
        yield from (f"{letter}_{number}" for letter in LETTERS if f"{letter}_{number}" not in taken)
    raise RoofproofError("a formula with more parts than there are names")


# --- the expressions of a document ------------------------------------------------------------------


@singledispatch
def mapped(what: d.Inline, change: Change) -> d.Inline:
    """Return a row or a leaf with `change` applied to each of its expressions, without evaluation or reordering.

    >>> x, y = sympy.symbols("x y")
    >>> mapped((lines.Relation(x, ">", y), " FLOP/B"), lambda e: 2 * e)
    (Relation(left=2*x, sign='>', right=2*y, stated=None), ' FLOP/B')
    """
    return what


@mapped.register
def _(what: tuple, change: Change) -> d.Inline:  # type: ignore[type-arg]
    return tuple(mapped(part, change) for part in what)


@mapped.register
def _(what: d.Line, change: Change) -> d.Line:
    right = None if what.right is None else mapped(what.right, change)
    return replace(what, left=mapped(what.left, change), right=right)


@mapped.register
def _(what: d.Table, change: Change) -> d.Table:
    return replace(what, rows=tuple(mapped(row, change) for row in what.rows))


@mapped.register
def _(what: d.Display, change: Change) -> d.Display:
    cases = (Case(mapped(c.when, change), with_bounds(c.threshold, change)) for c in what.cases)
    return replace(what, cases=Cases(what.cases.unknown, tuple(cases)))


@mapped.register
def _(what: d.Say, change: Change) -> d.Say:
    return d.Say(what.form, {name: mapped(part, change) for name, part in what.parts.items()})


@mapped.register
def _(what: d.Formula, change: Change) -> d.Formula:
    return d.Formula(*(mapped(piece, change) for piece in what.pieces))


@mapped.register
def _(what: d.FewDigits, change: Change) -> d.FewDigits:
    return replace(what, value=mapped(what.value, change)) if what.value.free_symbols else what


@mapped.register
def _(what: d.TextOrTypeset, change: Change) -> d.TextOrTypeset:
    return replace(what, typeset=mapped(what.typeset, change))


@mapped.register
def _(what: d.Duration, change: Change) -> d.Duration:
    return what if what.value.is_number else d.Duration(change(what.value))


@mapped.register
def _(what: d.RelativeError, change: Change) -> d.RelativeError:
    return replace(what, value=change(what.value), error=change(what.error))


@mapped.register
def _(what: d.Bounded, change: Change) -> d.Bounded:
    return replace(what, threshold=with_bounds(what.threshold, change))


@mapped.register
def _(what: lines.Bound, change: Change) -> lines.Bound:
    return lines.Bound(what.unknown, with_bounds(what.threshold, change))


@mapped.register
def _(what: lines.Relation, change: Change) -> lines.Relation:
    return lines.Relation(change(what.left), what.sign, change(what.right))


@mapped.register
def _(what: lines.Tends, change: Change) -> lines.Tends:
    return replace(what, expr=change(what.expr), value=change(what.value))


@mapped.register(sympy.Expr)
def _(what: sympy.Expr, change: Change) -> sympy.Expr:
    return change(what)


@mapped.register(Boolean)
def _(what: Boolean, change: Change) -> Boolean:
    if isinstance(what, Relational) and what.has(sympy.Mod):
        return what
    if isinstance(what, Relational):
        return type(what)(change(what.lhs), change(what.rhs), evaluate=False)
    if isinstance(what, sympy.And | sympy.Or | sympy.Not):
        return sympy.Basic.__new__(type(what), *(mapped(part, change) for part in what.args))
    return what
