"""The parts of layers that are not all alike: what mixes tokens, what follows it, each with how often it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr, Integer, Min, Mod

from roofproof.ops.models.configuration import Latent

ZERO = Integer(0)
LIMITS = ("window", "chunk", "chosen")


@dataclass(frozen=True, slots=True)
class Attention:
    """Heads in groups that share keys of width `key` and values of width `value`, all that came before being seen.

    At most `limit` keys are seen where it is given: the last ones (`window`), those since the last multiple of it
    (`chunk`), or those that an index of smaller heads has `chosen`. With `latent`, `key` is the part of a query
    without position.

    >>> from sympy import Symbol
    >>> heads = Attention(*map(Integer, (64, 8, 128, 128)), limit=Integer(512), way="window")
    >>> heads.seen(Symbol("S"))
    Min(512, S)
    """

    heads: Expr
    groups: Expr
    key: Expr
    value: Expr
    limit: Expr = ZERO
    way: str = ""
    latent: Latent | None = None
    index_heads: Expr = ZERO
    index_width: Expr = ZERO

    def seen(self, keys: Expr) -> Expr:
        """Return the number of keys, of so many, that the last token sees, itself among them."""
        if self.limit == 0:
            return keys
        return Mod(keys - 1, self.limit) + 1 if self.way == "chunk" else Min(keys, self.limit)

    def held(self, keys: Expr) -> Expr:
        """Return of how many of so many tokens keys and values have to be kept for those that follow."""
        return keys if self.limit == 0 or self.way == "chosen" else Min(keys, self.limit)


@dataclass(frozen=True, slots=True)
class Routed:
    """Experts of width `hidden` on tokens of width `width`: `chosen` of `count` for each, of so many matrices.

    >>> Routed(*map(Integer, (128, 8, 4096, 1536, 3))).chosen
    8
    """

    count: Expr
    chosen: Expr
    width: Expr
    hidden: Expr
    matrices: Expr


@dataclass(frozen=True, slots=True)
class Part:
    """A part that `count` layers have: products of every token with weights, attention or a state, experts.

    `products` are rows and columns of weights by name, `vectors` the numbers of further weights. A `state` of so many
    numbers in fp32 is kept of each sequence whatever its length, and a `trail` of each of the last `steps` tokens;
    `recurrence` is the FLOPs that it takes to renew and to read the state for a token, one after the other.

    >>> Part("network", Integer(3), products={"w_up": (Integer(8), Integer(32))}).products["w_up"]
    (8, 32)
    """

    name: str
    count: Expr
    products: Mapping[str, tuple[Expr, Expr]] = field(default_factory=dict)
    vectors: Mapping[str, Expr] = field(default_factory=dict)
    attention: Attention | None = None
    experts: Routed | None = None
    state: Expr = ZERO
    trail: Expr = ZERO
    steps: Expr = ZERO
    recurrence: Expr = ZERO
