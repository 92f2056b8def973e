"""Functions of the claim language that are worked out by the solver.

functions       the functions of the claim language that need the solver: each gives a value and says how it is known
analysis        functions of the claim language about behaviour: limits and sums
behaviour       functions of the claim language about behaviour: increasing, decreasing, independent, degree
optima          functions of the claim language about optima: over all positive values, or among a few
integer_search  integers found by exact evaluation, where rounding functions keep a condition from being solved
"""
