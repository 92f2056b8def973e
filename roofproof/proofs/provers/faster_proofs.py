"""Proving where a collective takes less time than another: every case, and that there are no others."""

from __future__ import annotations

from dataclasses import replace

from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.roofline.communication import Faster
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.provers.thresholds import cases_of, certify, without_impossible


def prove_faster(found: Faster, oracle: str = "z3") -> tuple[Cases, Derivation]:
    """Return the cases of a comparison that can hold at all, and what proves them.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.communication import faster
    >>> found = faster(op("all-reduce:algorithm=one-shot"), op("all-reduce"), "V")
    >>> cases, proof = prove_faster(found)                     # (n - 1) V/W + t against 2 (n - 1) (V/(n W) + t)
    >>> print(cases, proof.trust, sep="\\n")
    V < W*t*n*(2*n - 3)/(n**2 + 2 - 3*n)    when n > 2
    always                                  otherwise
    kernel
    """
    possible = replace(found, cases=without_impossible(found.cases, found.given))
    proof = certify(possible.condition, possible.cases, possible.given, oracle)
    return cases_of(proof), proof
