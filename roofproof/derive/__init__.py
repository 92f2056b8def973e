"""Derivations: intensity, limits and regimes, thresholds, time bounds; search that others prove.

algebra/       exact arithmetic under everything: polynomials, signs, radicals, conditions
inequalities/  conditions on one unknown with symbolic parameters, solved in closed form by cases
roofline/      demand over supply: intensity, ridge, times, where an operation is compute-bound
limits/        what is left when sizes grow: regimes, leading terms, and the error of leaving the rest out
optima/        least and greatest values, in closed form and among integers; rising and falling
sweeps/        numbers in bulk: formulas over arrays of sizes and chips
derivation     the steps of an answer, each with its reason
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofproof._lazy import attach

if TYPE_CHECKING:
    from roofproof.derive.derivation import Derivation as Derivation
    from roofproof.derive.derivation import Step as Step
    from roofproof.derive.inequalities.cases import Above as Above
    from roofproof.derive.inequalities.cases import Always as Always
    from roofproof.derive.inequalities.cases import Below as Below
    from roofproof.derive.inequalities.cases import Between as Between
    from roofproof.derive.inequalities.cases import Case as Case
    from roofproof.derive.inequalities.cases import Cases as Cases
    from roofproof.derive.inequalities.cases import Never as Never
    from roofproof.derive.inequalities.cases import Outside as Outside
    from roofproof.derive.inequalities.cases import Several as Several
    from roofproof.derive.inequalities.inequality import solve_inequality as solve_inequality
    from roofproof.derive.inequalities.integers import in_integers as in_integers
    from roofproof.derive.inequalities.integers import largest_integer as largest_integer
    from roofproof.derive.inequalities.integers import smallest_integer as smallest_integer
    from roofproof.derive.limits.error_threshold import Closeness as Closeness
    from roofproof.derive.limits.error_threshold import closeness as closeness
    from roofproof.derive.limits.limits import Limit as Limit
    from roofproof.derive.limits.limits import limit as limit
    from roofproof.derive.limits.newton_polytope import Leading as Leading
    from roofproof.derive.limits.newton_polytope import Regimes as Regimes
    from roofproof.derive.limits.newton_polytope import regimes as regimes
    from roofproof.derive.limits.regime import Regime as Regime
    from roofproof.derive.optima.extremum import Extremum as Extremum
    from roofproof.derive.optima.integer_optima import argmin_integer as argmin_integer
    from roofproof.derive.optima.integer_optima import argmin_power_of_two as argmin_power_of_two
    from roofproof.derive.optima.mixing import MixedSharding as MixedSharding
    from roofproof.derive.optima.mixing import mixed_sharding as mixed_sharding
    from roofproof.derive.optima.monotone import Monotone as Monotone
    from roofproof.derive.optima.monotone import decreasing as decreasing
    from roofproof.derive.optima.monotone import degree as degree
    from roofproof.derive.optima.monotone import increasing as increasing
    from roofproof.derive.optima.monotone import independent as independent
    from roofproof.derive.optima.optima import argmax as argmax
    from roofproof.derive.optima.optima import argmin as argmin
    from roofproof.derive.optima.optima import maximum as maximum
    from roofproof.derive.optima.optima import minimum as minimum
    from roofproof.derive.roofline.communication import CollectiveTime as CollectiveTime
    from roofproof.derive.roofline.communication import Hidden as Hidden
    from roofproof.derive.roofline.communication import collective_time as collective_time
    from roofproof.derive.roofline.communication import hidden as hidden
    from roofproof.derive.roofline.compute_bound import Ceiling as Ceiling
    from roofproof.derive.roofline.compute_bound import ceilings as ceilings
    from roofproof.derive.roofline.critical_size import CriticalSize as CriticalSize
    from roofproof.derive.roofline.critical_size import threshold as threshold
    from roofproof.derive.roofline.intensities import Intensity as Intensity
    from roofproof.derive.roofline.intensities import intensity as intensity
    from roofproof.derive.roofline.memory_fit import Capacity as Capacity
    from roofproof.derive.roofline.memory_fit import capacity as capacity
    from roofproof.derive.roofline.partition import bound_regions as bound_regions
    from roofproof.derive.roofline.ridges import ridge as ridge
    from roofproof.derive.roofline.ridges import supply as supply
    from roofproof.derive.roofline.times import attainable as attainable
    from roofproof.derive.roofline.times import lower as lower
    from roofproof.derive.roofline.times import sequential as sequential
    from roofproof.derive.roofline.times import time as time
    from roofproof.derive.roofline.times import upper as upper
    from roofproof.derive.sweeps.evaluation import evaluate as evaluate
    from roofproof.derive.sweeps.grid import Sweep as Sweep
    from roofproof.derive.sweeps.grid import sweep as sweep

__getattr__, __all__ = attach(
    __name__,
    {
        "derivation": "Derivation Step",
        "inequalities.cases": "Above Always Below Between Case Cases Never Outside Several",
        "inequalities.inequality": "solve_inequality",
        "inequalities.integers": "in_integers largest_integer smallest_integer",
        "limits.error_threshold": "Closeness closeness",
        "limits.limits": "Limit limit",
        "limits.newton_polytope": "Leading Regimes regimes",
        "limits.regime": "Regime",
        "optima.extremum": "Extremum",
        "optima.integer_optima": "argmin_integer argmin_power_of_two",
        "optima.mixing": "MixedSharding mixed_sharding",
        "optima.monotone": "Monotone decreasing degree increasing independent",
        "optima.optima": "argmax argmin maximum minimum",
        "roofline.communication": "CollectiveTime Hidden collective_time hidden",
        "roofline.compute_bound": "Ceiling ceilings",
        "roofline.critical_size": "CriticalSize threshold",
        "roofline.intensities": "Intensity intensity",
        "roofline.memory_fit": "Capacity capacity",
        "roofline.partition": "bound_regions",
        "roofline.ridges": "ridge supply",
        "roofline.times": "attainable lower sequential time upper",
        "sweeps.evaluation": "evaluate",
        "sweeps.grid": "Sweep sweep",
    },
)
