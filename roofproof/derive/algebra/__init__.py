"""Exact arithmetic under everything that is derived.

budget             a bound on the processor time of an answer
polynomial         exact polynomial arithmetic (FLINT) behind one small door
comparison         a comparison of two expressions, decided for numbers only
exact_comparison   real numbers compared: rationals, radicals, and roots of polynomials
signs              signs of polynomials over positive symbols
radicals           fractional powers made whole, radicals compared, and values at radicals
pieces             an expression with maxima and minima as the maximum (or the minimum) of functions without any
cones              open cones of growth rates: is there a point inside, and which of the inequalities bound the cone?
logic              conditions joined by `and`, `or`, `not`, implication and equivalence, kept as they were written
eliminate_extrema  maxima, minima and absolute values taken out of a condition, by cases
text               expressions and conditions as plain text in the order a person writes them
"""
