"""The SymPy symbols of roofproof: a dimension is a positive integer, every other quantity a positive real."""

from functools import cache

from sympy import Expr, Symbol


@cache
def dimension(name: str) -> Symbol:
    """Return the symbol of a tensor dimension, a positive integer.

    >>> B = dimension("B")
    >>> B, B.is_positive, B.is_integer
    (B, True, True)
    """
    return Symbol(name, positive=True, integer=True)


@cache
def quantity(name: str) -> Symbol:
    """Return the symbol of a positive real quantity, such as a ridge point or a bandwidth.

    >>> R = quantity("R")
    >>> R, R.is_positive, R.is_integer
    (R, True, None)
    """
    return Symbol(name, positive=True)


def sizes_in(expression: Expr) -> frozenset[str]:
    """Return the names of the dimensions in an expression.

    >>> sorted(sizes_in(dimension("B") + quantity("R")))
    ['B']
    """
    return frozenset(s.name for s in expression.free_symbols if s.is_integer)
