"""A sweep as LaTeX and as a JSON record: the formula of each column."""

from __future__ import annotations

from typing import Any

from roofproof.derive.sweeps import Sweep
from roofproof.export.explain.shown import latex, record
from roofproof.export.latex.escaping import escape
from roofproof.export.latex.expressions import latex as typeset


@latex.register
def _(thing: Sweep) -> str:
    lines = r" \\ ".join(rf"\text{{{escape(name)}}} &= {typeset(expr)}" for name, expr in thing.expressions.items())
    return rf"\begin{{aligned}} {lines} \end{{aligned}}"


@record.register
def _(thing: Sweep) -> dict[str, Any]:
    """Return the swept sizes, a range as FIRST:LAST:STEP, and the formulas (`slabs()` has the numbers)."""
    axes = {
        name: f"{axis[0]}:{axis[-1]}:{axis.step}" if isinstance(axis, range) else axis.tolist()
        for name, axis in thing.axes.items()
    }
    over = {"over": axes, "at": dict(thing.fixed), "chips": [chip.name for chip in thing.chips], "points": len(thing)}
    return over | {"quantities": {name: str(expr) for name, expr in thing.expressions.items()}, "proved": []}
