"""The structure of a language model: parts of layers, each with the number of layers that have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Integer

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.models.parts import Attention, LayerPart


@dataclass(frozen=True, slots=True)
class Model:
    """A language model: an embedding, the parts of its layers, a last norm and the head.

    >>> from roofproof.ops.models import model
    >>> llama = model("llama-2-70b")
    >>> [(part.name, part.count) for part in llama.parts]
    [('attention', 80), ('network', 80)]
    >>> llama.attention.heads / llama.attention.groups         # heads that share keys and values
    8
    """

    name: str
    title: str
    source: str
    layers: Expr
    d: Expr
    vocabulary: Expr
    tied: bool
    parts: tuple[LayerPart, ...]
    norm: str = "rms"
    positions: Expr | None = None
    stored: str = ""  # the quantization of the weights, for which a format must be chosen
    unquantized: str = ""  # parts of the model that are not quantized
    cache_stored: str = ""  # the key for the format of keys and values, if they have their own
    published: Mapping[str, Any] = field(default_factory=dict)

    @property
    def attention(self) -> Attention:
        """The heads of the first part that attends to keys."""
        return next(part.attention for part in self.parts if part.attention is not None)

    @property
    def mixture(self) -> bool:
        """Whether the model has experts."""
        return any(part.experts is not None for part in self.parts)

    @property
    def halves(self) -> Expr:
        """The number of layer parts, over all layers, that add their result to their input."""
        return sum((part.count for part in self.parts if part.adds), Integer(0))

    def part(self, name: str) -> LayerPart | None:
        """Return the part with that name, or None."""
        return next((part for part in self.parts if part.name == name), None)

    def __post_init__(self) -> None:
        where = f"model {quoted(self.name)}"
        if self.norm not in ("rms", "layer"):
            raise RoofproofError(f"{where}: norm is 'rms' or 'layer', not {quoted(self.norm)}")
        for part in self.parts:
            heads, few = part.attention, part.experts
            if part.count.is_negative:
                raise RoofproofError(
                    f"{where}: {part.count} layers have {part.name}; the keys that say how many differ"
                )
            if heads is not None and (heads.heads / heads.groups).is_integer is False:
                raise RoofproofError(f"{where}: {heads.groups} kv_heads do not divide {heads.heads} heads")
            if few is not None and (few.count - few.chosen).is_negative:
                raise RoofproofError(f"{where}: {few.chosen} experts are chosen of {few.count}")
