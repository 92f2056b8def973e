"""Proofs: a small kernel, the search for its proofs, z3 as an oracle, exact sampling.

kernel/    all that has to be trusted: the only place where a Theorem is made
translate  from SymPy expressions and conditions to the terms of the kernel, and back
oracles/   answers from outside the kernel: solvers, and exact points
search/    finds proofs for the kernel; a failed search can cost an answer, it cannot make one wrong
provers/   one file for each kind of answer that is proved
replay/    what was proved, for other programs to check again
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofproof._lazy import attach

if TYPE_CHECKING:
    from roofproof.proofs.kernel.kernel import Theorem as Theorem
    from roofproof.proofs.provers.critical_size import ProvedThreshold as ProvedThreshold
    from roofproof.proofs.provers.critical_size import threshold as threshold
    from roofproof.proofs.provers.discrete_proofs import ProvedDiscrete as ProvedDiscrete
    from roofproof.proofs.provers.discrete_proofs import prove_discrete as prove_discrete
    from roofproof.proofs.provers.instances import instance as instance
    from roofproof.proofs.provers.limit_proofs import ProvedLimit as ProvedLimit
    from roofproof.proofs.provers.limit_proofs import prove_limit as prove_limit
    from roofproof.proofs.provers.monotone_proofs import ProvedMonotone as ProvedMonotone
    from roofproof.proofs.provers.monotone_proofs import prove_degree as prove_degree
    from roofproof.proofs.provers.monotone_proofs import prove_independent as prove_independent
    from roofproof.proofs.provers.monotone_proofs import prove_monotone as prove_monotone
    from roofproof.proofs.provers.optimum_proofs import ProvedExtremum as ProvedExtremum
    from roofproof.proofs.provers.optimum_proofs import prove_extremum as prove_extremum
    from roofproof.proofs.provers.partition_proofs import partition as partition
    from roofproof.proofs.provers.regime_proofs import ProvedCloseness as ProvedCloseness
    from roofproof.proofs.provers.regime_proofs import ProvedRegimes as ProvedRegimes
    from roofproof.proofs.provers.regime_proofs import prove_closeness as prove_closeness
    from roofproof.proofs.provers.regime_proofs import prove_regimes as prove_regimes
    from roofproof.proofs.provers.thresholds import Certificate as Certificate
    from roofproof.proofs.provers.thresholds import Obligation as Obligation
    from roofproof.proofs.provers.thresholds import Proof as Proof
    from roofproof.proofs.provers.thresholds import Refuted as Refuted
    from roofproof.proofs.provers.thresholds import certify as certify
    from roofproof.proofs.provers.time_bounds import overlap_bounds as overlap_bounds
    from roofproof.proofs.search.tactics import prove as prove

__getattr__, __all__ = attach(
    __name__,
    {
        "kernel.kernel": "Theorem",
        "provers.critical_size": "ProvedThreshold threshold",
        "provers.discrete_proofs": "ProvedDiscrete prove_discrete",
        "provers.instances": "instance",
        "provers.limit_proofs": "ProvedLimit prove_limit",
        "provers.monotone_proofs": "ProvedMonotone prove_degree prove_independent prove_monotone",
        "provers.optimum_proofs": "ProvedExtremum prove_extremum",
        "provers.partition_proofs": "partition",
        "provers.regime_proofs": "ProvedCloseness ProvedRegimes prove_closeness prove_regimes",
        "provers.thresholds": "Certificate Obligation Proof Refuted certify",
        "provers.time_bounds": "overlap_bounds",
        "search.tactics": "prove",
        "roofproof.atlas.rows": "AtlasRow atlas",  # lives there now
    },
)
