"""Proofs: a small kernel, the search for its proofs, z3 as an oracle, exact sampling."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.proofs.atlas_rows import AtlasRow as AtlasRow
    from roofproof.proofs.atlas_rows import atlas as atlas
    from roofproof.proofs.certifying import Certificate as Certificate
    from roofproof.proofs.certifying import Obligation as Obligation
    from roofproof.proofs.certifying import Proof as Proof
    from roofproof.proofs.certifying import Refuted as Refuted
    from roofproof.proofs.certifying import certify as certify
    from roofproof.proofs.discrete_proofs import ProvedDiscrete as ProvedDiscrete
    from roofproof.proofs.discrete_proofs import prove_discrete as prove_discrete
    from roofproof.proofs.instances import instance as instance
    from roofproof.proofs.kernel import Theorem as Theorem
    from roofproof.proofs.limit_proofs import ProvedLimit as ProvedLimit
    from roofproof.proofs.limit_proofs import prove_limit as prove_limit
    from roofproof.proofs.monotone_proofs import ProvedMonotone as ProvedMonotone
    from roofproof.proofs.monotone_proofs import prove_degree as prove_degree
    from roofproof.proofs.monotone_proofs import prove_independent as prove_independent
    from roofproof.proofs.monotone_proofs import prove_monotone as prove_monotone
    from roofproof.proofs.optimum_proofs import ProvedExtremum as ProvedExtremum
    from roofproof.proofs.optimum_proofs import prove_extremum as prove_extremum
    from roofproof.proofs.overlap import overlap_bounds as overlap_bounds
    from roofproof.proofs.partition_proofs import partition as partition
    from roofproof.proofs.proved import ProvedThreshold as ProvedThreshold
    from roofproof.proofs.proved import threshold as threshold
    from roofproof.proofs.regime_proofs import ProvedCloseness as ProvedCloseness
    from roofproof.proofs.regime_proofs import ProvedRegimes as ProvedRegimes
    from roofproof.proofs.regime_proofs import prove_closeness as prove_closeness
    from roofproof.proofs.regime_proofs import prove_regimes as prove_regimes
    from roofproof.proofs.tactics import prove as prove

_HOME = {
    "AtlasRow": "atlas_rows",
    "Certificate": "certifying",
    "Obligation": "certifying",
    "Proof": "certifying",
    "ProvedCloseness": "regime_proofs",
    "ProvedDiscrete": "discrete_proofs",
    "ProvedExtremum": "optimum_proofs",
    "ProvedLimit": "limit_proofs",
    "ProvedMonotone": "monotone_proofs",
    "ProvedRegimes": "regime_proofs",
    "ProvedThreshold": "proved",
    "Refuted": "certifying",
    "Theorem": "kernel",
    "atlas": "atlas_rows",
    "certify": "certifying",
    "instance": "instances",
    "overlap_bounds": "overlap",
    "partition": "partition_proofs",
    "prove": "tactics",
    "prove_closeness": "regime_proofs",
    "prove_degree": "monotone_proofs",
    "prove_discrete": "discrete_proofs",
    "prove_extremum": "optimum_proofs",
    "prove_independent": "monotone_proofs",
    "prove_limit": "limit_proofs",
    "prove_monotone": "monotone_proofs",
    "prove_regimes": "regime_proofs",
    "threshold": "proved",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
