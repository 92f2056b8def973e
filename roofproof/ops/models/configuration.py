"""What a language model is made of, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, quoted

if TYPE_CHECKING:
    from roofproof.ops.models.parts import LayerPart

# Of what the further vectors of a layer may be: e = (heads + 2 kv_heads) head, u = heads head, kv = kv_heads head.
SIZES = ("d", "e", "F", "h", "k", "u", "kv")


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture of experts: `chosen` of `count` for each token, each of width `hidden`, and `shared` ones for all.

    >>> from roofproof.ops.models import model
    >>> mixture = model("mixtral-8x7b").experts
    >>> mixture.chosen, mixture.count
    (2, 8)
    """

    count: Expr
    chosen: Expr
    hidden: Expr
    shared: Expr = Integer(0)  # noqa: RUF009  (a SymPy integer never changes)
    dense_layers: Expr = Integer(0)  # noqa: RUF009
    bias: bool = False
    biased: bool = False  # each expert has biases of its own


@dataclass(frozen=True, slots=True)
class Latent:
    """Latent attention: what is cached of a token is `cache` numbers for all heads, and `rope` with its position.

    >>> from roofproof.ops.models import model
    >>> latent = model("deepseek-v3").latent
    >>> latent.cache + latent.rope
    576
    """

    query: Expr
    cache: Expr
    rope: Expr
    value: Expr


@dataclass(frozen=True, slots=True)
class Model:
    """The sizes of a language model, each a number, or a dimension where none is given.

    >>> from roofproof.ops.models import model
    >>> llama = model("llama-2-70b")
    >>> llama.heads / llama.kv_heads                           # heads that share keys and values
    8
    """

    name: str
    title: str
    source: str
    layers: Expr
    d: Expr
    heads: Expr
    kv_heads: Expr
    head: Expr
    hidden: Expr
    gated: bool
    norm: str
    vocabulary: Expr
    tied: bool
    bias: bool = False
    positions: Expr | None = None
    experts: Experts | None = None
    latent: Latent | None = None
    window: Expr | None = None  # keys that a query of the `windowed` layers sees, its own among them
    windowed: Expr = Integer(0)  # noqa: RUF009
    vectors: Mapping[str, str] = field(default_factory=dict)  # further weights of a layer: w_NAME to one of SIZES
    stored: str = ""  # the format of the weights where it is none of ours, so that it has to be said
    unquantized: str = ""  # parts that are not stored in that format
    cache_stored: str = ""  # the key that says how keys and values are stored, where they have a format of their own
    published: Mapping[str, Any] = field(default_factory=dict)
    parts: tuple[LayerPart, ...] = ()  # what its layers are made of, where they are not as the fields above say

    @property
    def mixture(self) -> bool:
        """Whether there are experts in it."""
        return self.experts is not None or any(part.experts is not None for part in self.parts)

    @property
    def halves(self) -> Expr:
        """How many parts of layers there are, each of which adds its result to its input."""
        return sum((part.count for part in self.parts if part.adds), Integer(0)) if self.parts else 2 * self.layers

    def __post_init__(self) -> None:
        where, few = f"model {quoted(self.name)}", self.experts
        if self.norm not in ("rms", "layer"):
            raise RoofproofError(f"{where}: norm is 'rms' or 'layer', not {quoted(self.norm)}")
        if (self.heads / self.kv_heads).is_integer is False:
            raise RoofproofError(f"{where}: {self.kv_heads} kv_heads do not divide {self.heads} heads")
        if few is not None and (few.count - few.chosen).is_negative:
            raise RoofproofError(f"{where}: {few.chosen} experts are chosen of {few.count}")
        if few is not None and (self.layers - few.dense_layers).is_positive is False:
            dense = f"{few.dense_layers} of {self.layers} layers are dense"
            raise RoofproofError(f"{where}: {dense}, so none has experts")
        self._check_layers(where)

    def _check_layers(self, where: str) -> None:
        dense = self.experts.dense_layers if self.experts is not None else Integer(0)
        if (self.window is None) != (self.windowed == 0):
            raise RoofproofError(f"{where}: window and windowed, the layers that have it, go together")
        if self.windowed != 0 and (dense != 0 or self.latent is not None):
            raise RoofproofError(f"{where}: a window goes with layers of one kind and without latent attention")
        if (self.layers - self.windowed).is_negative:
            raise RoofproofError(f"{where}: {self.windowed} of {self.layers} layers have a window")
        for name, size in self.vectors.items():
            if not name.startswith("w_") or size not in SIZES:
                raise RoofproofError(f"{where}: a vector is w_NAME = one of {', '.join(SIZES)}; got {quoted(name)}")
