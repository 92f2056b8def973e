"""What `bound` returns: what no schedule can beat, with its proof, its LaTeX and its record."""

from __future__ import annotations

from typing import Any

from roofproof.bounds import Bound as DerivedBound
from roofproof.results import Result


class Bound(DerivedBound, Result):
    """The bounds of a product on the bytes that move, its best tile, and the three regions.

    >>> from roofproof import bound
    >>> found = bound("matmul")
    >>> print(found.latex())                                   # M > 8 R (R + 1): a tile gets by with so much
    \\begin{aligned} & Q \\geq 2BD + 2BF + 2DF \\\\ & Q \\geq \\frac{4BDF\\sqrt{2}}{\\sqrt{M}} - 2M \\\\ \
& M \\leq 8R^2 && \\text{no schedule is compute-bound} \\\\ & M > 8R(R + 1) && \\text{this tile is \
compute-bound} \\end{aligned}
    >>> found.to_dict()["bounds"][0]["bytes"], found.known[1].trust
    ('4*B*D*F*sqrt(2)/sqrt(M) - 2*M', 'kernel')
    """

    def __repr__(self) -> str:
        return ", ".join(f"Q >= {bound.value}" for bound in self.lower)

    def _repr_latex_(self) -> str:
        from roofproof.export.explain.bound import bound_formula
        from roofproof.export.to_latex import between_dollars

        return between_dollars(bound_formula(self)) or ""

    def to_dict(self) -> dict[str, Any]:
        """Return the record that `roofproof traffic --json` prints."""
        from roofproof.export.bound_records import bound_record

        return bound_record(self)
