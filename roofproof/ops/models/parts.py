"""The parts of the layers of a model: what mixes tokens, what follows it, each with how often it is there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr, Integer, Min, Mod, floor

ZERO, ONE = Integer(0), Integer(1)
LIMITS = ("window", "chunk", "chosen")


@dataclass(frozen=True, slots=True)
class Latent:
    """Latent attention: what is cached of a token is `cache` numbers for all heads, and `rope` with its position.

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
    """Heads in groups that share keys of width `key` and values of width `value`, all that came before being seen.

    At most `limit` keys are seen where it is given: the last ones (`window`), those since the last multiple of it
    (`chunk`), or those that an index of smaller heads has `chosen`. With `latent`, `key` is the part of a query
    without position. Where `rate` is not 1, a key is made of so many tokens once all of them are there, and the last
    `near` tokens are seen as they are as well. Keys that are `shared` are values, too.

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
        """Whether a token sees all that came before, each as it is."""
        return bool(self.limit == 0 and self.rate == 1)

    def far(self, keys: Expr) -> Expr:
        """Return how many keys so many tokens make, beside those that are seen as they are."""
        return keys if self.rate == 1 else floor(keys / self.rate)

    def seen(self, keys: Expr) -> Expr:
        """Return the number of keys, of so many, that the last token sees, itself among them."""
        far = self.far(keys)
        if self.limit != 0:
            far = Mod(keys - 1, self.limit) + 1 if self.way == "chunk" else Min(far, self.limit)
        return far + self._near(keys)

    def held(self, keys: Expr) -> Expr:
        """Return of how many of so many tokens keys and values have to be kept for those that follow."""
        far = self.far(keys)
        far = far if self.limit == 0 or self.way == "chosen" else Min(far, self.limit)
        return far + self._near(keys)

    def _near(self, keys: Expr) -> Expr:
        return Min(keys, self.near) if self.near != 0 else ZERO

    def every(self, tokens: Expr) -> Expr:
        """Return the number of keys there are where no mask hides any."""
        return tokens if self.rate == 1 else self.far(tokens) + tokens

    def pairs(self, tokens: Expr) -> Expr:
        """Return the number of pairs of one of so many tokens and a key that it sees.

        >>> heads = Attention(*map(Integer, (64, 8, 128, 128)), limit=Integer(2), way="chunk")
        >>> heads.pairs(Integer(5))                            # 1 + 2 + 1 + 2 + 1
        7
        """
        if self.way == "chunk":  # whole chunks have (limit + 1)/2 pairs a token, the last one (rest + 1)/2
            rest = Mod(tokens, self.limit)
            return ((self.limit + 1) * tokens + rest * (rest - self.limit)) / 2
        if self.rate == 1:
            return pairs_within(tokens, self.limit or tokens)
        full = Min(tokens, self.rate * self.limit) if self.limit != 0 else tokens
        return self.made(full) + self.limit * (tokens - full) + pairs_within(tokens, self.near)

    def made(self, tokens: Expr) -> Expr:
        """Return the number of pairs of one of so many tokens and a key that was made up to it.

        >>> Attention(*map(Integer, (64, 1, 512, 512)), rate=Integer(4)).made(Integer(9))     # 1 for 4 to 7, 2 from 8
        8
        """
        whole = floor(tokens / self.rate)
        return self.rate * whole * (whole - 1) / 2 + whole * (tokens - self.rate * whole + 1)


def pairs_within(tokens: Expr, window: Expr) -> Expr:
    """Return the number of pairs of one of so many tokens and one of the last `window` up to it.

    >>> pairs_within(Integer(4), Integer(2))                   # 1 + 2 + 2 + 2
    7
    """
    seen = Min(tokens, window)
    return seen * (2 * tokens - seen + 1) / 2


@dataclass(frozen=True, slots=True)
class Routed:
    """Experts of width `hidden` on tokens of width `width`: `chosen` of `count` for each, of so many matrices.

    `bias` are the numbers that each of them has beside its matrices.

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
    """A part that `count` layers have: products of every token with weights, attention or a state, experts.

    `products` are rows and columns of weights by name, `vectors` the numbers of further weights. A `state` of so many
    numbers in fp32 is kept of each sequence whatever its length, and a `trail` of each of the last `steps` tokens;
    `recurrence` is the FLOPs that it takes to renew and to read the state for a token, one after the other. What a part
    comes to is added to its input, unless it `adds` nothing and only weighs what others have added.

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
