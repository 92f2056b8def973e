"""Functions and modules with FLOPs and bytes counted by hand, and the points at which they are compared.

`flops` has the FLOPs by compute unit: 2 per multiply-add, n - 1 for a sum of n, and one per comparison or selection.
`moved` has the bytes of the fused model: each input is read once, and each result written once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy

from roofproof.formula.to_sympy import parse_expression
from roofproof.symbols import dimension
from roofproof.trace.result import Trace
from roofproof.trace.shapes import read

SMALL = {"H": 7, "P": 5, "Q": 6, "V": 40, "T": 6}  # sizes that conditions require to be large, or not too large


@dataclass(frozen=True)
class Case:
    name: str
    function: Callable[..., Any]
    shapes: str
    flops: Mapping[str, str]
    moved: str
    where: str = ""


FOUND: dict[tuple[Callable[..., Trace], str], Trace] = {}


def program(case: Case, traced: Callable[..., Trace]) -> Trace:
    """Return the cached trace of a case."""
    if (traced, case.name) not in FOUND:
        FOUND[traced, case.name] = traced(case.function, case.shapes, where=case.where)
    return FOUND[traced, case.name]


def points(case: Case) -> list[dict[sympy.Symbol, int]]:
    """Return three points, mostly with different even sizes, that meet the conditions."""
    given, conditions = read(case.shapes, case.where)
    names = sorted({s for one in given for size in one.sizes for s in size.free_symbols}, key=str)
    found = [{s: k * SMALL.get(s.name, 2 * i + 4) for i, s in enumerate(names)} for k in (1, 2, 3)]
    assert all(c.subs(point) == sympy.true for c in conditions for point in found)
    return found


def counted(text: str) -> sympy.Expr:
    return sympy.Integer(0) if text == "0" else parse_expression(text, dimension)


def at(case: Case, point: Mapping[sympy.Symbol, int]) -> str:
    """Return the shapes of a case with numbers for the sizes."""
    given, _ = read(case.shapes, case.where)
    return ", ".join(str(one.mapped(lambda size: size.subs(point))) for one in given)
