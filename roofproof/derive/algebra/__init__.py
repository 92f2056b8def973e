"""Exact arithmetic under everything that is derived.

budget             a bound on the processor time of an answer
polynomial         exact polynomial arithmetic (FLINT) behind one small door
exact_comparison   real numbers compared: rationals, radicals, and roots of polynomials
logic              comparisons, and conditions joined by `and`, `or`, `not`, kept as they were written
text               expressions and conditions as plain text in the order a person writes them
"""
