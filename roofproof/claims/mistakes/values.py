"""Mistakes that change the right value of any quantity.

Each function takes the right value and the names and numbers in the claim, and yields wrong values.
"""

from collections.abc import Iterator, Mapping

import sympy

Context = Mapping[str, sympy.Expr]  # names in the claim, with their values or symbols

LAYERS = ("n", "layers", "n_layers", "N_layers", "l", "num_layers")
HEADS = ("h", "heads", "n_heads", "num_heads", "H")


def ratio_for_share(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the ratio a/b for a share a/(a + b).

    >>> next(ratio_for_share(sympy.Rational(1, 3), {}))                   # 1 : 2
    1/2
    """
    if value != 1:
        yield value / (1 - value)


def share_for_ratio(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the share a/(a + b) for a ratio a/b. For a large ratio it is near 1 and explains little.

    >>> next(share_for_ratio(sympy.Rational(1, 2), {}))                   # of 3 parts
    1/3
    """
    if value != -1:
        yield value / (1 + value)


def share_added_to_ratio(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield b/(1 + b) + (r - b): the fixed part b of the ratio r as a share, and the rest unchanged.

    >>> next(share_added_to_ratio(sympy.Rational(3, 7), {}))              # r = 3/4: 1/3 + (3/4 - 1/2)
    7/12
    """
    if value == 1:
        return
    ratio = value / (1 - value)
    for base in (sympy.Rational(1, 2), sympy.Rational(1, 4), sympy.Rational(1, 3), sympy.Integer(1)):
        yield base / (1 + base) + ratio - base


def layers(value: sympy.Expr, context: Context, names: tuple[str, ...] = LAYERS) -> Iterator[sympy.Expr]:
    """Yield the value divided by the number of layers, and multiplied by it."""
    for name in names:
        if name in context and context[name] not in (0, 1):
            yield value / context[name]
            yield value * context[name]


def heads(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value divided by the number of heads, and multiplied by it."""
    yield from layers(value, context, HEADS)


def share_of_the_rest(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the complement of a share: b/(a + b) for a/(a + b).

    >>> next(share_of_the_rest(sympy.Rational(3, 7), {}))
    4/7
    """
    yield 1 - value


def off_by_one(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value plus one, and the value minus one."""
    yield value + 1
    yield value - 1


def reciprocal(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield one over the value."""
    if value != 0:
        yield 1 / value


def bits(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield eight times the value, and an eighth of it."""
    yield value * 8
    yield value / 8


def seconds_milliseconds(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value times a thousand, and a thousandth of it."""
    yield value * 1000
    yield value / 1000


def prefix(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value scaled by one, two or three unit prefixes."""
    for k in (1, 2, 3):
        yield value * 1000**k
        yield value / 1000**k


def binary_prefix(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield a number with its binary prefix read as a decimal one, and the reverse.

    >>> [int([*binary_prefix(sympy.Integer(v), {})][-1]) for v in (2**30, 10**9)]  # a GiB called a GB, the reverse
    [1000000000, 1073741824]
    """
    power = (len(str(int(value))) - 1) // 3 if value.is_number and value.is_real else 0
    if power > 0:
        yield value * sympy.Rational(1000, 1024) ** power
        if (value / 1000**power).is_Integer:
            yield value * sympy.Rational(1024, 1000) ** power
