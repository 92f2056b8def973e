"""Logarithms of products as sums, so that equal ones look alike."""

from __future__ import annotations

import sympy

from roofproof.ops.logarithm import log2


def expanded(logarithm: sympy.Expr) -> sympy.Expr:
    """Return log2 of a product as a sum over its positive factors, numbers by their primes.

    >>> n = sympy.Symbol("n", positive=True)
    >>> expanded(log2(1024*n**2)), expanded(log2(sympy.Rational(12, 5)))         # 12/5 = 2^2 * 3 / 5
    (2*log2(n) + 10, -log2(5) + log2(3) + 2)
    """
    whole = sympy.factor(logarithm.args[0])
    out = sympy.Integer(0)
    for factor in sympy.Mul.make_args(whole):
        base, power = factor.as_base_exp()
        if base.is_Rational and base.is_positive and power.is_Integer:
            out += power * sum((e * log2(sympy.Integer(p)) for p, e in sympy.factorrat(base).items()), sympy.Integer(0))
        elif base.is_positive and power.is_real:
            out += power * log2(base)
        else:
            return logarithm
    return out
