"""Limits: regimes, leading terms, and the error of taking the limit for the function.

regime         a regime: which symbols grow without bound, how fast against each other, while the others stay
dominant_term  the leading part of a rational function while symbols grow, one stage after the other
expansion      the leading terms of a function of one growing variable: powers, roots of sums, logs, exponentials
settled        what max, min and roots come to far out in a regime, so that a rational function is left
theorems       what is known of a limit: each stage by the kernel's rule, the relative error as an identity
limits         limits of functions in a regime, with the exact relative error of taking the limit, and their theorems
"""
