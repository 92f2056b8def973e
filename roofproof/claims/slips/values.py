"""Slips that turn the right value into the wrong one, whatever it is the value of.

Each takes the right value and the numbers and names that the claim mentions, and yields wrong values.
"""

from collections.abc import Iterator, Mapping

import sympy

from roofproof.claims.slips.slip import Slip

Context = Mapping[str, sympy.Expr]  # names in the claim: their values or symbols

LAYERS = ("n", "layers", "n_layers", "N_layers", "l", "num_layers")
HEADS = ("h", "heads", "n_heads", "num_heads", "H")


def ratio_for_share(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the ratio a/b for a share a/(a + b), and the share for a ratio.

    >>> [str(v) for v in ratio_for_share(sympy.Rational(1, 3), {})]       # 1 : 2, and 1/(3 + 1)
    ['1/2', '1/4']
    """
    if value != 1:
        yield value / (1 - value)
    if value != -1:
        yield value / (1 + value)


def share_added_to_ratio(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield b/(1 + b) + (r - b): the fixed part of the ratio r as a share, the rest of it as it is.

    >>> next(share_added_to_ratio(sympy.Rational(3, 7), {}))              # r = 3/4: 1/3 + (3/4 - 1/2)
    7/12
    """
    if value == 1:
        return
    ratio = value / (1 - value)
    for base in (sympy.Rational(1, 2), sympy.Rational(1, 4), sympy.Rational(1, 3), sympy.Integer(1)):
        yield base / (1 + base) + ratio - base


def layers(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value without, and with once more, the number of layers."""
    yield from _named(value, context, LAYERS)


def heads(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value without, and with once more, the number of heads."""
    yield from _named(value, context, HEADS)


def _named(value: sympy.Expr, context: Context, names: tuple[str, ...]) -> Iterator[sympy.Expr]:
    for name in names:
        if name in context and context[name] not in (0, 1):
            yield value / context[name]
            yield value * context[name]


def off_by_one(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the neighbours of an integer."""
    if value.is_Integer:
        yield value + 1
        yield value - 1


def halved_twice(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield half the value."""
    yield value / 2


def bits_for_bytes(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield eight times and an eighth of the value."""
    yield value * 8
    yield value / 8


def prefix(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value moved by one, two or three unit prefixes."""
    for k in (1, 2, 3):
        yield value * 1000**k
        yield value / 1000**k


def binary_prefix(value: sympy.Expr, context: Context) -> Iterator[sympy.Expr]:
    """Yield the value with decimal prefixes read as binary, and the reverse, up to giga."""
    for k in (1, 2, 3, 4):
        yield value * sympy.Rational(1024, 1000) ** k
        yield value / sympy.Rational(1024, 1000) ** k


SLIPS = (
    Slip("heads", "the number of heads was left out, or counted twice", "value", heads, "2 n_heads x == 2 x"),
    Slip(
        "layers",
        "one layer was taken for the whole model, or the model for one layer",
        "value",
        layers,
        "12 n_layers h^2 == 12 h^2",
    ),
    Slip(
        "ratio-for-share",
        "a ratio of two parts was taken for a share of the whole, or the reverse",
        "value",
        ratio_for_share,
        "a / (a + b) == a / b",
    ),
    Slip(
        "share-added-to-ratio",
        "a share of the whole was added to a ratio of parts",
        "value",
        share_added_to_ratio,
        "7 / 12 == 3 / 7",
    ),
    Slip("off-by-one", "the answer is off by one", "value", off_by_one, "smallest(n, 2 n > 8) == 4"),
    Slip("bits-for-bytes", "bits were taken for bytes: a factor of 8", "value", bits_for_bytes, "100 GB/s == 800 GB/s"),
    Slip("unit-prefix", "a unit prefix was slipped: a factor of 1000", "value", prefix, "3 GB / (1 GB/s) == 3 ms"),
    Slip(
        "binary-prefix",
        "GB was taken for GiB, or the reverse: a factor of 1.024 at each step",
        "value",
        binary_prefix,
        "16 GiB == 16 GB",
    ),
    Slip("halved-twice", "what was halved already was halved again", "value", halved_twice, "max(3, 8) == 4"),
)
