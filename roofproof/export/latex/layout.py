r"""Formulas too wide for a line: long sums are broken, parts of fractions get a name of their own."""

from collections.abc import Callable, Collection, Iterator, Sequence

import sympy

from roofproof.errors import RoofproofError
from roofproof.export.latex.expressions import latex, latex_terms
from roofproof.export.latex.measure import width

LINE = 39.0  # em: the text width of the documents, at eleven points, less a little
_LETTERS = ("P", "Q", "U", "W", "G", "H", "J", "K", "M", "Y", "Z")

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
    letters = _letters(taken)
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


def broken(expression: sympy.Expr, limit: float, order: Sequence[sympy.Expr] = (), siunitx: bool = False) -> list[str]:
    r"""Return an expression on as many lines as it needs, broken before a sign between its terms.

    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> broken(2*B*D + 2*D*F + 2*B*F, 8)
    ['2BD + 2BF', '+ 2DF']
    """
    whole = latex(expression, order=order, siunitx=siunitx)
    if width(whole) <= limit or not expression.is_Add:
        return [whole]
    lines = [""]
    for term in latex_terms(expression, order=order, siunitx=siunitx):
        longer = f"{lines[-1]} {term}".strip()
        if lines[-1] and width(longer) > limit:
            lines.append(term)
        else:
            lines[-1] = longer
    return lines


def _letters(taken: Collection[str]) -> Iterator[str]:
    """Yield names that are free: letters first, then letters with a number."""
    yield from (letter for letter in _LETTERS if letter not in taken)
    for number in range(1, 1000):
        yield from (f"{letter}_{number}" for letter in _LETTERS if f"{letter}_{number}" not in taken)
    raise RoofproofError("a formula with more parts than there are names")


def _sides(statement: sympy.Basic) -> tuple[sympy.Expr, ...]:
    return tuple(statement.args) if isinstance(statement, sympy.Tuple) else (statement,)


def _sums(expression: sympy.Expr) -> list[sympy.Expr]:
    """Return the sums that stand in an expression as parts of it, the whole where it has no others."""
    found = [e for e in sympy.preorder_traversal(expression) if e.is_Add and e != expression and len(e.args) > 1]
    small = [e for e in found if e.free_symbols and width(latex(e)) > 3]
    return small or ([expression] if expression.is_Add else [])
