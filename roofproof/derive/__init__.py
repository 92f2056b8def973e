"""Derivations: intensity, limits and regimes, thresholds, time bounds; search that others prove."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.derive.bounds import attainable as attainable
    from roofproof.derive.bounds import lower as lower
    from roofproof.derive.bounds import sequential as sequential
    from roofproof.derive.bounds import time as time
    from roofproof.derive.bounds import upper as upper
    from roofproof.derive.capacities import Capacity as Capacity
    from roofproof.derive.capacities import capacity as capacity
    from roofproof.derive.cases import Above as Above
    from roofproof.derive.cases import Always as Always
    from roofproof.derive.cases import Below as Below
    from roofproof.derive.cases import Between as Between
    from roofproof.derive.cases import Case as Case
    from roofproof.derive.cases import Cases as Cases
    from roofproof.derive.cases import Never as Never
    from roofproof.derive.cases import Outside as Outside
    from roofproof.derive.cases import Several as Several
    from roofproof.derive.compute_bound import Ceiling as Ceiling
    from roofproof.derive.compute_bound import ceilings as ceilings
    from roofproof.derive.critical_size import CriticalSize as CriticalSize
    from roofproof.derive.critical_size import threshold as threshold
    from roofproof.derive.derivation import Derivation as Derivation
    from roofproof.derive.derivation import Step as Step
    from roofproof.derive.error_threshold import Closeness as Closeness
    from roofproof.derive.error_threshold import closeness as closeness
    from roofproof.derive.extremum import Extremum as Extremum
    from roofproof.derive.inequality import solve_inequality as solve_inequality
    from roofproof.derive.integers import in_integers as in_integers
    from roofproof.derive.integers import largest_integer as largest_integer
    from roofproof.derive.integers import smallest_integer as smallest_integer
    from roofproof.derive.intensities import Intensity as Intensity
    from roofproof.derive.intensities import intensity as intensity
    from roofproof.derive.leading_terms import Leading as Leading
    from roofproof.derive.leading_terms import Regimes as Regimes
    from roofproof.derive.leading_terms import regimes as regimes
    from roofproof.derive.limits import Limit as Limit
    from roofproof.derive.limits import limit as limit
    from roofproof.derive.links import CollectiveTime as CollectiveTime
    from roofproof.derive.links import Hidden as Hidden
    from roofproof.derive.links import collective_time as collective_time
    from roofproof.derive.links import hidden as hidden
    from roofproof.derive.mixing import MixedSharding as MixedSharding
    from roofproof.derive.mixing import mixed_sharding as mixed_sharding
    from roofproof.derive.monotone import Monotone as Monotone
    from roofproof.derive.monotone import decreasing as decreasing
    from roofproof.derive.monotone import degree as degree
    from roofproof.derive.monotone import increasing as increasing
    from roofproof.derive.monotone import independent as independent
    from roofproof.derive.neighbours import argmin_integer as argmin_integer
    from roofproof.derive.neighbours import argmin_power_of_two as argmin_power_of_two
    from roofproof.derive.optima import argmax as argmax
    from roofproof.derive.optima import argmin as argmin
    from roofproof.derive.optima import maximum as maximum
    from roofproof.derive.optima import minimum as minimum
    from roofproof.derive.partition import bound_regions as bound_regions
    from roofproof.derive.regime import Regime as Regime
    from roofproof.derive.ridges import ridge as ridge
    from roofproof.derive.ridges import supply as supply
    from roofproof.derive.sweeps import evaluate as evaluate
    from roofproof.derive.sweeps_grid import Sweep as Sweep
    from roofproof.derive.sweeps_grid import sweep as sweep

_HOME = {
    "Above": "cases",
    "Always": "cases",
    "Below": "cases",
    "Between": "cases",
    "Capacity": "capacities",
    "Case": "cases",
    "Cases": "cases",
    "Ceiling": "compute_bound",
    "Closeness": "error_threshold",
    "CollectiveTime": "links",
    "CriticalSize": "critical_size",
    "Derivation": "derivation",
    "Extremum": "extremum",
    "Hidden": "links",
    "Intensity": "intensities",
    "Leading": "leading_terms",
    "Limit": "limits",
    "MixedSharding": "mixing",
    "Monotone": "monotone",
    "Never": "cases",
    "Outside": "cases",
    "Regime": "regime",
    "Regimes": "leading_terms",
    "Several": "cases",
    "Step": "derivation",
    "Sweep": "sweeps_grid",
    "argmax": "optima",
    "argmin": "optima",
    "argmin_integer": "neighbours",
    "argmin_power_of_two": "neighbours",
    "attainable": "bounds",
    "bound_regions": "partition",
    "capacity": "capacities",
    "ceilings": "compute_bound",
    "closeness": "error_threshold",
    "collective_time": "links",
    "decreasing": "monotone",
    "degree": "monotone",
    "evaluate": "sweeps",
    "hidden": "links",
    "in_integers": "integers",
    "increasing": "monotone",
    "independent": "monotone",
    "intensity": "intensities",
    "largest_integer": "integers",
    "limit": "limits",
    "lower": "bounds",
    "maximum": "optima",
    "minimum": "optima",
    "mixed_sharding": "mixing",
    "regimes": "leading_terms",
    "ridge": "ridges",
    "sequential": "bounds",
    "smallest_integer": "integers",
    "solve_inequality": "inequality",
    "supply": "ridges",
    "sweep": "sweeps_grid",
    "threshold": "critical_size",
    "time": "bounds",
    "upper": "bounds",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
