"""What `floors` returns: what no run beats, with its proof, its LaTeX and its record."""

from __future__ import annotations

import sympy

from roofproof.proofs.derivation import Derivation
from roofproof.results import Result
from roofproof.times.records import Record
from roofproof.times.verdicts import seconds_of


class Floored(Record, Result):
    """The floor of a problem on a chip, with the verdicts on its times.

    >>> from roofproof import floors
    >>> [found] = floors("bf16[B], bf16[B] -> bf16[B]", "bf16=8 FLOP/s, hbm=2 B/s", at="B=12")      # 6 B bytes, 2 B/s
    >>> found, found.latex(), found.derivation.trust
    (bf16[B], bf16[B] -> bf16[B]: minimum 36 s, 'T \\\\ge 3B\\\\ \\\\text{s}', 'kernel')
    """

    @property
    def derivation(self) -> Derivation:
        return Derivation((*self.known, *(verdict.known for verdict in self.verdicts)))

    def _repr_latex_(self) -> str:
        from roofproof.export.latex.escaping import escape
        from roofproof.export.latex.expressions import latex

        if self.floor is None:
            return rf"$\displaystyle \text{{{escape(self.error)}}}$"
        if not self.floor.parts:
            return rf"$\displaystyle \text{{{escape(self.outside)}}}$"
        times = (seconds_of(part).sympy() for part in self.floor.parts)
        return rf"$\displaystyle T \ge {latex(sympy.Max(*times))}\ \text{{s}}$"

    def __repr__(self) -> str:
        none = self.outside if self.floor is not None and not self.floor.parts else ""
        said = self.error or none or (f"minimum {float(self.seconds):.4g} s" if self.seconds is not None else self.form)
        return f"{self.problem}: {said}"
