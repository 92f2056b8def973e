"""Statements for all sufficiently large sizes, decided and proved at once: every result is a theorem of the kernel.

signs     comparisons of polynomials keep one sign beyond some bound: virtual substitution of infinity
rounding  comparisons with rounded values: floor(t) lies between t - 1 and t, and is k if k <= t < k + 1
extrema   comparisons with a maximum or minimum, split into cases
decide    statements in a regime, reduced to conditions on the names that do not grow
"""
