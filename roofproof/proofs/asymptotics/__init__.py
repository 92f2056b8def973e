"""What holds far out, decided and proved at once: nothing is found here that is not a theorem of the kernel.

signs     a comparison of polynomials keeps one sign from some bound on: virtual substitution of infinity
rounding  the same of what is rounded: floor(t) lies between t - 1 and t, and is k where k <= t < k + 1
extrema   comparisons with a maximum or minimum taken apart
decide    a statement in a regime: what it comes to at fixed values of the names that stay
"""
