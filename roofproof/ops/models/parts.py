"""The parts of a model's layers (attention, recurrence, networks, experts), each with its number of layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr, Integer, Min, Mod, floor

ZERO, ONE = Integer(0), Integer(1)
LIMITS = ("window", "chunk", "chosen")


@dataclass(frozen=True, slots=True)
class Latent:
    """Latent attention, which caches `cache` numbers of a token for all heads, and `rope` numbers with its position.

    >>> from roofproof.ops.models import model
    >>> latent = model("deepseek-v3").attention.latent
    >>> latent.cache + latent.rope
    576
    """

    query: Expr
    cache: Expr
    rope: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Attention:
    """Heads in groups that share keys of width `key` and values of width `value`, attending to all earlier tokens.

    If `limit` is not zero, at most `limit` keys are seen. `way` selects them: the last ones (`window`), those since the
    last multiple of `limit` (`chunk`), or those chosen by an index of smaller heads (`chosen`). With `latent`, `key` is
    the width of the part of a query without position. If `rate` is not 1, every `rate` tokens make one key once they
    are complete, and the last `near` tokens are also seen uncompressed. If `shared`, the keys are also the values.

    >>> from sympy import Symbol
    >>> heads = Attention(*map(Integer, (64, 8, 128, 128)), limit=Integer(512), way="window")
    >>> heads.seen(Symbol("S"))
    Min(512, S)
    >>> compressed = Attention(*map(Integer, (64, 1, 512, 512)), rate=Integer(128), near=Integer(128), shared=True)
    >>> compressed.seen(Integer(1000))                         # 1000 // 128 and the last 128
    135
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
    rate: Expr = ONE
    near: Expr = ZERO
    shared: bool = False

    @property
    def whole(self) -> bool:
        """Whether a token sees all earlier tokens, uncompressed."""
        return bool(self.limit == 0 and self.rate == 1)

    def far(self, keys: Expr) -> Expr:
        """Return the number of keys that `keys` tokens make, without those that are seen uncompressed."""
        return keys if self.rate == 1 else floor(keys / self.rate)

    def seen(self, keys: Expr) -> Expr:
        """Return the number of keys that the last of `keys` tokens sees, including its own."""
        far = self.far(keys)
        if self.limit != 0:
            far = Mod(keys - 1, self.limit) + 1 if self.way == "chunk" else Min(far, self.limit)
        return far + self._near(keys)

    def stored_keys(self, keys: Expr) -> Expr:
        """Return the number of keys of `keys` tokens that must be kept for later tokens."""
        far = self.far(keys)
        far = far if self.limit == 0 or self.way == "chosen" else Min(far, self.limit)
        return far + self._near(keys)

    def _near(self, keys: Expr) -> Expr:
        return Min(keys, self.near) if self.near != 0 else ZERO

    def unmasked_keys(self, tokens: Expr) -> Expr:
        """Return the number of keys that a token sees without a mask."""
        return tokens if self.rate == 1 else self.far(tokens) + tokens

    def pairs(self, tokens: Expr) -> Expr:
        """Return the number of pairs of a token and a key that it sees.

        >>> heads = Attention(*map(Integer, (64, 8, 128, 128)), limit=Integer(2), way="chunk")
        >>> heads.pairs(Integer(5))                            # 1 + 2 + 1 + 2 + 1
        7
        """
        if self.way == "chunk":  # whole chunks have (limit + 1)/2 pairs per token, the last one (rest + 1)/2
            rest = Mod(tokens, self.limit)
            return ((self.limit + 1) * tokens + rest * (rest - self.limit)) / 2
        if self.rate == 1:
            return pairs_within(tokens, self.limit or tokens)
        full = Min(tokens, self.rate * self.limit) if self.limit != 0 else tokens
        return self.compressed_pairs(full) + self.limit * (tokens - full) + pairs_within(tokens, self.near)

    def compressed_pairs(self, tokens: Expr) -> Expr:
        """Return the number of pairs of a token and a compressed key that is complete by then.

        >>> heads = Attention(*map(Integer, (64, 1, 512, 512)), rate=Integer(4))
        >>> heads.compressed_pairs(Integer(9))                 # 1 for 4 to 7, 2 from 8
        8
        """
        whole = floor(tokens / self.rate)
        return self.rate * whole * (whole - 1) / 2 + whole * (tokens - self.rate * whole + 1)


def pairs_within(tokens: Expr, window: Expr) -> Expr:
    """Return the number of pairs of a token and one of the last `window` tokens up to it.

    >>> pairs_within(Integer(4), Integer(2))                   # 1 + 2 + 2 + 2
    7
    """
    seen = Min(tokens, window)
    return seen * (2 * tokens - seen + 1) / 2


@dataclass(frozen=True, slots=True)
class Routed:
    """Experts of width `hidden` for tokens of width `width`: `chosen` of `count` per token, with `matrices` each.

    `bias` is the number of parameters of each expert in addition to its matrices.

    >>> Routed(*map(Integer, (128, 8, 4096, 1536, 3))).chosen
    8
    """

    count: Expr
    chosen: Expr
    width: Expr
    hidden: Expr
    matrices: Expr
    bias: Expr = ZERO


@dataclass(frozen=True, slots=True)
class LayerPart:
    """A part that `count` layers have: products of every token with weights, attention or a state, and experts.

    `products` are the rows and columns of weights by name, and `vectors` the sizes of further weights. A `state` of
    that many fp32 numbers is kept for each sequence, whatever its length, and `trail` numbers for each of the last
    `steps` tokens. `recurrence` is the FLOPs per token to update and read the state, one token after the other. The
    result of a part is added to its input, unless `adds` is false, for a part that only weights the results of others.

    >>> LayerPart("network", Integer(3), products={"w_up": (Integer(8), Integer(32))}).products["w_up"]
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
    adds: bool = True
