"""A function in a child process, seen from the parent: its values and its traced expressions.

The audit runs in the parent, where the function cannot tamper with it. The traced expressions are only a claim of the
child process. As with any function, its values must agree with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from inspect import Parameter, Signature
from typing import Any

import sympy

from roofproof.apart import ChildProcess
from roofproof.audit.tracing import Distinguishes, Foreign, Forms
from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.to_sympy import parse_expression

OWN = "the function wrote an answer of its own; expected code that only returns a value"
ANSWERS = "roofproof.audit.answering:answer"
MOST_FORMS, MOST_CHARACTERS, MOST_DEGREE, MOST_NAMED = 16, 4_000, 48, 20


class RemoteFunction:
    """The function MODULE:FUNCTION, called in a child process.

    `op` and `chip` are texts, from which the child process derives the sizes that the operation allows. `undenied`
    lists the accesses ("files", "network", "processes") that the system does not deny to the child process.
    """

    def __init__(self, apart: ChildProcess, function: str, op: str, chip: str | None) -> None:
        self._apart = apart
        said = apart.ask(load=function, op=op, chip=chip)
        names, self.undenied = _texts(said.get("names")), _texts(said.get("undenied"))
        self.named = [int(n) for n in _texts(said.get("named"))[:MOST_NAMED] if n.isdecimal() and len(n) < 20]
        self.__signature__ = Signature([Parameter(n, Parameter.POSITIONAL_OR_KEYWORD) for n in names])

    def __call__(self, *point: int) -> Fraction | float:
        """Return the value at a point."""
        return self.value(point)

    def value(self, point: Sequence[int]) -> Fraction | float:
        """Return the value at a point, exactly, or as a float if the function returned a fractional float."""
        said = self._apart.ask(point=list(point))
        exact, rounded = said.get("exact"), said.get("float")
        if isinstance(rounded, float) and abs(rounded) < float("inf"):  # float: what somebody's function returns
            return rounded
        if isinstance(exact, str) and len(exact) <= 10_000:
            above, _, below = exact.partition("/")
            if above.removeprefix("-").isdecimal() and below.isdecimal() and int(below):
                return Fraction(int(above), int(below))
        raise RoofproofError(OWN)

    def traced(self, symbols: Sequence[sympy.Symbol]) -> tuple[Forms, tuple[str, ...]]:
        """Return the result of `tracing.traced`, and raise its errors."""
        said = self._apart.ask(trace=[s.name for s in symbols])
        problem = said.get("problem")
        if problem == "distinguishes":
            raise Distinguishes("the function distinguishes cases that are no maximum")
        if problem == "foreign":
            raise Foreign(str(said.get("says")))
        forms, decimals = ([], []) if problem else (_texts(said.get("forms")), _texts(said.get("decimals")))
        if not 0 < len(forms) <= MOST_FORMS:
            raise Undecided("the function returned no exact value")
        return frozenset(_read(text, {s.name: s for s in symbols}) for text in forms), tuple(decimals)


def _texts(given: Any) -> list[str]:
    if not (isinstance(given, list) and all(isinstance(text, str) and text.isprintable() for text in given)):
        raise RoofproofError(OWN)
    return given


def _read(text: str, symbols: Mapping[str, sympy.Symbol]) -> sympy.Expr:
    if len(text) > MOST_CHARACTERS:
        raise Undecided("the function returned no short value")
    form = parse_expression(text, symbols)
    if degree(form) > MOST_DEGREE:
        raise Undecided("the function returned a value of a high degree")
    return lowest_terms(form)


def degree(expr: sympy.Expr) -> int:
    """Return an upper bound on the degree of an expression, with quotients in a sum over their common denominator.

    >>> from roofproof.symbols import dimension
    >>> B, D = dimension("B"), dimension("D")
    >>> degree(B**3 + 2 * B * D + 1), degree(1 / B + 1 / D)
    (3, 2)
    """
    if expr.is_Pow:
        return abs(int(expr.exp)) * degree(expr.base) if expr.exp.is_Integer else MOST_DEGREE + 1
    parts = [degree(part) for part in expr.args]
    divided = any(power.exp.is_negative for power in expr.atoms(sympy.Pow))
    if expr.is_Add and not divided:
        return max(parts)
    return int(expr.is_Symbol) + sum(parts)
