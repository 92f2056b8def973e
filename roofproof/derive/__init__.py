"""Derivations: intensities, limits, regimes, time bounds, and thresholds with their theorems.

algebra/       exact arithmetic: polynomials, numbers, conditions
inequalities/  solutions of conditions on one unknown: cases, and their integers
solve          closed-form solver for such conditions, with the case tree that proves the solution
signs          signs of polynomials with their theorems
tree           the case tree over assumed signs, and proofs that combine its leaves
charts         intervals on which a polynomial in the unknown has a given sign, from its roots
conversions    proofs that two comparisons are equivalent
extrema        elimination of maxima and minima, with the theorem
logarithms     unknowns inside a binary logarithm: bounds that are powers of two
trace          the steps of a solution, as `--steps` prints them
values         comparison and evaluation of values with roots
regions        unions of intervals
roofline/      intensity, ridge points, times, and thresholds for compute-bound operations
limits/        limits as sizes grow: regimes, leading terms, and the error of dropping the rest
optima/        minima and maxima in closed form and over the integers, monotonicity
sweeps         formulas evaluated over arrays of sizes and chips
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
