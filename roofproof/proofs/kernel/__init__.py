"""The proof kernel: all that has to be trusted. It imports nothing but the standard library.

terms           terms and formulas as values, and who makes them; their polynomial normal form, and how they print
clearing        signs of polynomials, and terms with their denominators cleared: part of what a proof rests on
transcendental  logarithms of products as sums, powers of sums as products: part of what a proof rests on
kernel          the only place where a `Theorem` can be made: a few rules over exact rational arithmetic
"""
