"""Derivations: intensity, limits and regimes, thresholds, time bounds; search that others prove.

algebra/       exact arithmetic under everything: polynomials, signs, radicals, conditions
inequalities/  conditions on one unknown with symbolic parameters, solved in closed form by cases
roofline/      demand over supply: intensity, ridge, times, where an operation is compute-bound
limits/        what is left when sizes grow: regimes, leading terms, and the error of leaving the rest out
optima/        least and greatest values, in closed form and among integers; rising and falling
sweeps/        numbers in bulk: formulas over arrays of sizes and chips
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
