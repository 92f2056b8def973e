"""Functions of the claim language that are worked out by the solver.

functions       the functions of the claim language that need the solver: each gives a value and says how it is known
meanings        what has to hold of a value, in terms of the call, for it to be the one
asked           what a call asks about, the same for what finds a value and for what the word means
solved          functions of the claim language that solve a condition: threshold, solve
integers        functions of the claim language that ask for an integer: smallest, largest
analysis        functions of the claim language about limits, sums and optima
behaviour       functions of the claim language about behaviour: increasing, decreasing, independent, degree
integer_search  integers found by exact evaluation, where rounding functions keep a condition from being solved
"""
