"""Derivations: intensity, limits and regimes, thresholds, time bounds; a threshold comes with its theorem.

algebra/       exact arithmetic under everything: polynomials, numbers, conditions
inequalities/  what a condition on one unknown comes to: cases, and their integers
solve          such a condition solved in closed form by cases, with the tree of signs that proves them
signs          signs of polynomials with their theorems
tree           the tree of cases that supposed signs make, and what holds at every leaf
charts         where a polynomial in the unknown has a sign, by its roots
conversions    from one comparison to another that says the same
extrema        maxima and minima taken apart, with the theorem
logarithms     an unknown in a binary logarithm: powers of two for its bounds
trace          the lines of a solution, as the steps show them
values         values with roots, compared by signs
regions        unions of intervals
roofline/      demand over supply: intensity, ridge, times, where an operation is compute-bound
limits/        what is left when sizes grow: regimes, leading terms, and the error of leaving the rest out
optima/        least and greatest values, in closed form and among integers; rising and falling
sweeps/        numbers in bulk: formulas over arrays of sizes and chips
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
