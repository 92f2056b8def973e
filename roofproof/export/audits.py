"""The outcome of an audit as text."""

from __future__ import annotations

from roofproof.derive.text import plain
from roofproof.proofs.audits import Audit


def audit_text(found: Audit) -> str:
    """Return what a function computes beside what is derived, and how the two differ.

    >>> from roofproof import op
    >>> from roofproof.proofs.audits import audit
    >>> print(audit_text(audit(lambda B, D, F: B*D*F, op("matmul"))))     # a multiply-add counted once
    the function    B*D*F    (symbols went through it)
    the derivation  2*B*D*F
    different: the function gives 1/2 of what is derived, and 1/2 when all sizes grow alike
    """
    how = {"symbols": "symbols went through it", "samples": "found from exact values, checked at others"}
    lines = [
        f"the function    {plain(found.theirs)}    ({how[found.how]})",
        f"the derivation  {plain(found.ours)}",
    ]
    if found.same:
        return "\n".join([*lines, "equal, for all sizes"])
    said = f"{plain(found.ratio)} of what is derived, and {plain(found.growth)} when all sizes grow alike"
    return "\n".join([*lines, f"different: the function gives {said}"])
