"""What `sweep` returns: numbers without proof, with the formulas that they are worked out by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, SupportsIndex

import sympy

from roofproof.derive.sweeps import Sweep as DerivedSweep
from roofproof.derive.sweeps import maximum
from roofproof.proofs.derivation import Derivation
from roofproof.results import Result


class Sweep(DerivedSweep, Result):
    """Quantities over a grid of sizes and chips: `known` is empty, for floats are no theorems.

    >>> from roofproof import sweep
    >>> found = sweep("dot", {"N": range(1, 4)}, quantities=["flops", "bytes"])              # 2N - 1, 4N + 2
    >>> found, found.known, found.to_dict()["quantities"]
    (Sweep(N, flops, bytes: 3 points), (), {'flops': '2*N - 1', 'bytes': '4*N + 2'})
    >>> print(found.latex())
    \\begin{aligned} \\text{flops} &= 2N - 1 \\\\ \\text{bytes} &= 4N + 2 \\end{aligned}
    """

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        return Sweep, tuple(getattr(self, f.name) for f in fields(self))  # workers are sent it, and nothing is proved

    @property
    def derivation(self) -> Derivation:
        return Derivation(())

    @property
    def expressions(self) -> Mapping[str, sympy.Expr]:
        """The formula of each quantity, with `rate_bf16` for the rate of a resource of the chip."""
        return {
            name: expr.replace(maximum, sympy.Max).xreplace(
                {s: sympy.Symbol(s.name.replace("rate of ", "rate_"), positive=True) for s in expr.free_symbols}
            )
            for name, (expr, _) in self.formulas.items()
        }

    def _repr_latex_(self) -> str:
        from roofproof.export.latex.escaping import escape
        from roofproof.export.latex.expressions import latex

        lines = r" \\ ".join(rf"\text{{{escape(name)}}} &= {latex(expr)}" for name, expr in self.expressions.items())
        return rf"$\displaystyle \begin{{aligned}} {lines} \end{{aligned}}$"

    def to_dict(self) -> dict[str, Any]:
        """Return what is swept as a JSON record, a range as FIRST:LAST:STEP; the numbers come in `slabs()`."""
        axes = {
            name: f"{axis[0]}:{axis[-1]}:{axis.step}" if isinstance(axis, range) else axis.tolist()
            for name, axis in self.axes.items()
        }
        said = {"over": axes, "at": dict(self.fixed), "chips": [chip.name for chip in self.chips], "points": len(self)}
        return said | {"quantities": {k: str(v) for k, v in self.expressions.items()}} | Result.to_dict(self)
