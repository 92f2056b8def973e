"""The proof kernel: the trusted core of roofproof. It imports only the standard library.

terms           terms and formulas as values, their construction, polynomial normal form and printing
clearing        signs of polynomials, and terms with cleared denominators (trusted)
transcendental  logarithms of products as sums, powers of sums as products (trusted)
kernel          the only place where a `Theorem` can be made: a few rules over exact rational arithmetic
"""
