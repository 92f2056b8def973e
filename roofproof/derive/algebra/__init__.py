"""Exact arithmetic under everything that is derived.

budget             a bound on the processor time of an answer
polynomial         exact polynomial arithmetic (FLINT) behind one small door
exact_comparison   real numbers compared: rationals, radicals, and roots of polynomials
signs              signs of polynomials over positive symbols
radicals           fractional powers made whole, radicals compared, and values at radicals
logic              comparisons, and conditions joined by `and`, `or`, `not`, kept as they were written
extrema            maxima and minima taken out, of a condition by cases, of an expression as the extreme of others
text               expressions and conditions as plain text in the order a person writes them
"""
