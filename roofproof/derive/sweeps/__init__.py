"""Sweeps: numbers in bulk.

evaluation    sweeps: a formula over arrays of sizes and chips, compiled once and evaluated block by block
compiled      formulas compiled once, for arrays of numbers: SymPy's `lambdify`, common subexpressions taken out
steps         a compiled formula as steps over blocks of arrays
value_bounds  exact bounds on every value a formula takes, from bounds on its sizes
grid          sweeps over a grid of sizes, in slabs: one after another here, or side by side by workers
"""
