"""A function or a module with what it computes and moves counted by hand, and the points at which it is compared.

`flops` are FLOPs by engine and `moved` the bytes of the fused model, as a person counts them: 2 a multiply-add, n - 1
for a sum of n, one for a comparison or a selection; each input read once, each result written once.
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

SMALL = {"H": 7, "P": 5, "Q": 6, "V": 40, "T": 6}  # sizes that conditions ask to be large, or not too large


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
    """Return what a case is traced to, once."""
    if (traced, case.name) not in FOUND:
        FOUND[traced, case.name] = traced(case.function, case.shapes, where=case.where)
    return FOUND[traced, case.name]


def points(case: Case) -> list[dict[sympy.Symbol, int]]:
    """Return three points: even sizes, different ones, and so that the conditions hold."""
    given, conditions = read(case.shapes, case.where)
    names = sorted({s for one in given for size in one.sizes for s in size.free_symbols}, key=str)
    found = [{s: k * SMALL.get(s.name, 2 * i + 4) for i, s in enumerate(names)} for k in (1, 2, 3)]
    assert all(c.subs(point) == sympy.true for c in conditions for point in found)
    return found


def counted(text: str) -> sympy.Expr:
    return sympy.Integer(0) if text == "0" else parse_expression(text, dimension)


def at(case: Case, point: Mapping[sympy.Symbol, int]) -> str:
    """Return the shapes with numbers for the sizes."""
    given, _ = read(case.shapes, case.where)
    return ", ".join(str(one.mapped(lambda size: size.subs(point))) for one in given)
