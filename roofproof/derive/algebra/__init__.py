"""Exact arithmetic for all derivations.

budget             a limit on the steps of an answer
polynomial         exact polynomial arithmetic (FLINT) behind a small interface
exact_comparison   exact comparison of real numbers: rationals, radicals, and roots of polynomials
largest            maxima and minima without SymPy's slow comparison of their arguments
logic              comparisons, and conditions joined by `and`, `or`, `not`, kept as they were written
text               expressions and conditions as plain text in the order a person writes them
"""
