r"""Lines that fit a slide: long sums are broken, parts of fractions get a name, reasons take several lines."""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Unpack

import sympy

from roofproof.export.latex.expressions import Notation, latex, latex_terms
from roofproof.export.latex.measure import width
from roofproof.export.naming import free_letters

LINE = 39.0  # em: the text width of the documents, at eleven points, less a little

Definition = tuple[sympy.Symbol, sympy.Expr]


def shortened(
    statements: Sequence[sympy.Basic],
    limits: Sequence[float],
    taken: Collection[str],
    show: Callable[[sympy.Expr], str] = latex,
) -> tuple[list[sympy.Basic], list[Definition]]:
    """Return statements that are no wider than their limits, and the names that this needed.

    >>> from roofproof.symbols import dimension
    >>> B, D, F, V = map(dimension, "BDFV")
    >>> short, names = shortened([(B*D + F*V + B*V)/(D + F*V + 1)], [5], {"B", "D", "F", "V"})
    >>> short, names
    ([P/Q], [(P, B*D + B*V + F*V), (Q, D + F*V + 1)])

    A statement is an expression, or a tuple of two that stand side by side. A sum that stands in several places
    gets one name. Definitions come in the order in which they are needed.
    """
    now = list(statements)
    letters = free_letters(taken)
    definitions: list[Definition] = []
    while wide := [s for s, limit in zip(now, limits, strict=True) if sum(width(show(e)) for e in _sides(s)) > limit]:
        sums = [part for s in wide for e in _sides(s) for part in _sums(e)]
        if not sums:
            break
        chosen = max(dict.fromkeys(sums), key=lambda part: (width(show(part)) * sums.count(part), str(part)))
        name = sympy.Symbol(next(letters), real=True)  # of either sign
        definitions.append((name, chosen))
        now = [s.xreplace({chosen: name}).xreplace({-chosen: -name}) for s in now]
    return now, definitions


def broken(expression: sympy.Expr, limit: float, **notation: Unpack[Notation]) -> list[str]:
    r"""Return an expression on as many lines as it needs, broken before a sign between its terms.

    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> broken(2*B*D + 2*D*F + 2*B*F, 8)
    ['2BD + 2BF', '+ 2DF']
    """
    whole = latex(expression, **notation)
    if width(whole) <= limit or not expression.is_Add:
        return [whole]
    terms = latex_terms(expression, **notation)
    if any(width(term) > limit for term in terms):  # terms collected in brackets cannot be broken where they stand
        each = [latex_terms(term, **notation)[0] for term in expression.as_ordered_terms()]
        terms = [each[0], *(f"- {term[1:].strip()}" if term[0] == "-" else f"+ {term}" for term in each[1:])]
    lines = [""]
    for term in terms:
        longer = f"{lines[-1]} {term}".strip()
        if lines[-1] and width(longer) > limit:
            lines.append(term)
        else:
            lines[-1] = longer
    return lines


def _sides(statement: sympy.Basic) -> tuple[sympy.Expr, ...]:
    return tuple(statement.args) if isinstance(statement, sympy.Tuple) else (statement,)


def _sums(expression: sympy.Expr) -> list[sympy.Expr]:
    """Return the sums that stand in an expression as parts of it, the whole where it has no others."""
    found, parts = [], sympy.preorder_traversal(expression)
    for e in parts:
        if isinstance(e, sympy.CRootOf):
            parts.skip()  # it is shown in digits
        elif e.is_Add and e != expression and len(e.args) > 1:
            found.append(e)
    small = [e for e in found if e.free_symbols and width(latex(e)) > 3]
    return small or ([expression] if expression.is_Add else [])


def wrapped(text: str, limit: float) -> list[str]:
    """Return text on lines no wider than a limit in em; formulas in it are not broken.

    >>> wrapped("2 FLOPs per multiply-add", 9)
    ['2 FLOPs per', 'multiply-add']
    """
    lines: list[str] = []
    for word, space in _words(text):
        joined = f"{lines[-1]}{space}{word}" if lines else word
        if lines and width(rf"\text{{{joined}}}") <= limit:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def _words(text: str) -> list[tuple[str, str]]:
    """Return the pieces between which a text may be broken, each with the blank before it: Chinese breaks anywhere."""
    found: list[tuple[str, str]] = []
    space = ""
    for piece in re.findall(r"\s+|(?:\$[^$]*\$|[^\s$\u2e80-\uffff])+|[\u2e80-\uffff]", text):
        if piece.isspace():
            space = " "
        elif found and not space and (piece in "，。；：、）" or found[-1][0][-1] in "（"):
            found[-1] = (found[-1][0] + piece, found[-1][1])
        else:
            found.append((piece, space))
            space = ""
    return found
