"""Limits: regimes, leading terms, and the error of taking the limit for the function.

regime         regimes: the symbols that grow without bound, and their relative rates, while the others are fixed
dominant_term  the leading part of a rational function as symbols grow, one stage after the other
expansion      the leading terms of a function of one growing variable: powers, roots of sums, logs, exponentials
settled        simplification far out in a regime: max, min and roots are resolved into a rational function
theorems       theorems about limits: each stage by the limit rule, the relative error as an identity
limits         limits of functions in a regime, with their exact relative error and their theorems
"""
