"""Derivations: intensity, limits and regimes, thresholds, time bounds; a threshold comes with its theorem.

algebra/       exact arithmetic under everything: polynomials, signs, radicals, conditions
inequalities/  what a condition on one unknown comes to: cases, their integers, logarithms, and whole numbers searched
solve          such a condition solved in closed form by cases, with the tree of signs that proves them
signs          signs of polynomials with their theorems, and the tree of cases
charts         where a polynomial in the unknown has a sign, by its roots
conversions    from one comparison to another that says the same
regions        unions of intervals
roofline/      demand over supply: intensity, ridge, times, where an operation is compute-bound
limits/        what is left when sizes grow: regimes, leading terms, and the error of leaving the rest out
optima/        least and greatest values, in closed form and among integers; rising and falling
sweeps/        numbers in bulk: formulas over arrays of sizes and chips
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
