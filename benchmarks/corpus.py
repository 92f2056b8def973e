"""The corpus of typical problems, read from `corpus.toml`."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import sympy

from roofproof.derive.algebra.logic import related
from roofproof.formula.to_sympy import parse_expression
from roofproof.symbols import dimension, quantity

KINDS = ("solve", "smallest", "largest", "limit", "minimum", "maximum")
_SIGNS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "=": "==", "==": "==", "!=": "!=", "/=": "!="}


@dataclass(frozen=True)
class Problem:
    """A problem. `condition` is None for limits and optima, and `expr` is None for all others."""

    name: str
    family: str
    kind: str  # one of KINDS
    target: str  # the unknown, or the regime
    text: str
    condition: Any
    expr: Any
    assume: tuple[Any, ...]
    at: dict[str, Fraction]
    step: int
    dimensions: frozenset[str]

    @property
    def unknown(self) -> sympy.Symbol:
        return self.symbol(self.target)

    @property
    def parameters(self) -> list[str]:
        """The names of all other symbols."""
        found = self.condition if self.condition is not None else self.expr
        return sorted({s.name for s in found.free_symbols} - {self.target})

    def symbol(self, name: str) -> sympy.Symbol:
        return dimension(name) if name in self.dimensions else quantity(name)

    @property
    def degree(self) -> int:
        """The degree in the unknown after clearing denominators, the largest over all comparisons."""
        if self.condition is None:
            return 0
        x, degrees = self.unknown, [0]
        for relation in self.condition.atoms(sympy.core.relational.Relational):
            extrema = {m: sympy.Dummy() for m in relation.atoms(sympy.Max, sympy.Min)}
            sides = [(relation.lhs - relation.rhs).xreplace(extrema)]
            sides += [a - b for m in extrema for a in m.args for b in m.args]
            for side in sides:
                num, den = sympy.fraction(sympy.cancel(sympy.together(side)))
                degrees += [sympy.degree(p, x) for p in (num, den) if p != 0 and p.has(x)]
        return max(map(int, degrees))


@cache
def problems() -> tuple[Problem, ...]:
    """Return the whole corpus.

    >>> problems()[0].condition
    2*B*D*F/(2*B*D + 2*B*F + 2*D*F) > R
    """
    with open(Path(__file__).with_name("corpus.toml"), "rb") as file:
        return tuple(_problem(row) for row in tomllib.load(file)["problem"])


def _problem(row: dict[str, Any]) -> Problem:
    [kind] = [k for k in KINDS if k in row]
    names = frozenset(row.get("dimensions", "").split())

    def symbol(name: str) -> sympy.Symbol:
        return dimension(name) if name in names else quantity(name)

    text = row.get("condition", row.get("expr"))
    assume = row.get("assume")
    return Problem(
        row["name"],
        row["family"],
        kind,
        row[kind],
        text,
        read_condition(text, symbol) if "condition" in row else None,
        parse_expression(text, symbol) if "expr" in row else None,
        (read_condition(assume, symbol),) if assume else (),
        {k: Fraction(v) for k, v in row.get("at", {}).items()},
        row.get("step", 1),
        names,
    )


def read_condition(text: str, names: Any = quantity) -> Any:
    """Parse a condition: comparisons or chains of them, joined by `and`, `or`, `not`, in parentheses or brackets.

    >>> read_condition("x > 1 and (x < a or not x = b)")
    (x > 1) & (Ne(x, b) | (a > x))
    """
    text = text.strip()
    if text in ("true", "false"):
        return sympy.true if text == "true" else sympy.false
    for word, join in (("or", sympy.Or), ("and", sympy.And)):
        parts = _parts(text, word)
        if len(parts) > 1:
            return join(*(read_condition(p, names) for p in parts))
    if text.startswith("not ") or text.startswith("not("):
        return sympy.Not(read_condition(text[3:], names))
    pieces = re.split(r"(<=|>=|!=|/=|==|=|<|>)", text)
    if len(pieces) == 1 or _closes_last(text):
        if text[0] in "([" and text[-1] in ")]":
            return read_condition(text[1:-1], names)
        raise ValueError(f"no condition: {text!r}")
    sides = [parse_expression(p, names) for p in pieces[::2]]
    return sympy.And(*(related(_SIGNS[s], a, b) for a, s, b in zip(sides[:-1], pieces[1::2], sides[1:], strict=True)))


def _parts(text: str, word: str) -> list[str]:
    """Return the text split at a word outside all parentheses."""
    depth, start, parts = 0, 0, []
    for found in re.finditer(rf"[(\[]|[)\]]|\b{word}\b", text):
        if found[0] == word:
            if depth == 0:
                parts.append(text[start : found.start()])
                start = found.end()
        else:
            depth += 1 if found[0] in "([" else -1
    return [*parts, text[start:]]


def _closes_last(text: str) -> bool:
    """Return whether the parenthesis that opens the text closes at its end."""
    if text[0] not in "([":
        return False
    depth = 0
    for i, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0:
            return i == len(text) - 1
    return False
