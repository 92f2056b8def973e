"""What must fit in memory: weights, gradients, optimiser state, keys and values, activations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sympy import Add, Expr, Rational

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.formats import bytes_per_element
from roofproof.ops.algebra._common import Size, positive
from roofproof.ops.library._blocks import sized, sizes
from roofproof.ops.library._entry import chosen
from roofproof.ops.library.language_model import forward, kv_cache, own_format, parameters, with_mask
from roofproof.ops.models import model as configuration
from roofproof.ops.network.collectives import Amount, byte_count
from roofproof.ops.operation import Operation
from roofproof.symbols import dimension

# Formats that an optimiser keeps for every parameter, beside the weights themselves.
OPTIMISERS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "none": (),
    "sgd": (),
    "momentum": ("fp32",),
    "adam": ("fp32", "fp32"),  # two moments
    "adam-master": ("fp32", "fp32", "fp32"),  # and the weights in fp32
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes by what they are for, and which of them every chip must hold whole.

    >>> training = footprint(13 * 10**9, optimiser="adam")
    >>> {what: int(size) for what, size in training.bytes.items()}         # 2 and 2 * 4 bytes a parameter
    {'weights': 26000000000, 'optimiser': 104000000000}
    """

    bytes: Mapping[str, Expr]
    whole: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bytes", MappingProxyType(dict(self.bytes)))
        for name in self.whole:
            refuse_unknown("part of the footprint", name, self.bytes)

    @property
    def total(self) -> Expr:
        """All bytes, once."""
        return Add(*self.bytes.values())

    def per_chip(self, n: Amount) -> Expr:
        """Return the bytes on each of n chips: what is cut, over n, and what is held whole.

        >>> footprint("N", whole=("weights",), other={"cache": "C"}).per_chip(4)
        C/4 + 2*N
        """
        held = Add(*(size for name, size in self.bytes.items() if name in self.whole))
        return (self.total - held) / positive(n, "chips") + held


def footprint(
    parameters: Amount = "N",
    weights: str = "bf16",
    gradients: str | None = None,
    optimiser: str = "none",
    other: Mapping[str, Amount] | None = None,
    whole: tuple[str, ...] = (),
) -> Footprint:
    """Return the bytes that a model of so many parameters takes.

    >>> footprint("N", optimiser="adam").total                 # 2 N + 8 N
    10*N
    >>> footprint(7 * 10**9, "int8", other={"cache": 2 * 10**9}).total
    9000000000

    `gradients` is their format, if they are held; `optimiser` one of none, sgd, momentum, adam, adam-master;
    `other` gives bytes by name (cache, activations); `whole` names what is on every chip (weights under data
    parallel). Raises RoofproofError for an unknown format or optimiser, or a name given twice.

    Source: Rajbhandari et al., ZeRO (2020), section 3.
    """
    refuse_unknown("optimiser", optimiser, OPTIMISERS)
    count = byte_count(parameters)
    found = {"weights": count * _exact(weights)}
    if gradients is not None:
        found["gradients"] = count * _exact(gradients)
    if state := OPTIMISERS[optimiser]:
        found["optimiser"] = count * sum(map(_exact, state))
    for name, size in (other or {}).items():
        if name in found:
            raise RoofproofError(f"{quoted(name)} is in the footprint already; give it another name")
        found[name] = byte_count(size)
    return Footprint(found, frozenset(whole))


def _exact(number_format: str) -> Expr:
    size = bytes_per_element(number_format)
    return Rational(size)


def serving_footprint(
    model: str, B: Size = "B", S: Size = "S", weights: str | None = None, cache: str | None = None
) -> Footprint:
    """Return the bytes to serve a model: its weights, and the keys and values of B sequences of S tokens.

    >>> held = serving_footprint("llama-2-70b", B=8, S=4096)
    >>> {what: int(size) for what, size in held.bytes.items()}     # 68.98e9 weights; 2 * 80 * 8 * 128 * 2 B a token
    {'weights': 137953296384, 'cache': 10737418240}

    `weights` and `cache` are their formats, bf16 where the model says no other; what one step computes is small beside
    them and left out. Raises RoofproofError for an unknown model or format. Source: Pope et al., Efficiently Scaling
    Transformer Inference (2022), section 2.
    """
    cached = sized(kv_cache(cache, model), {"B": B, "S": S})
    return footprint(
        parameters(model), own_format(configuration(model), "bf16", weights), other={"cache": cached.bytes()}
    )


def training_footprint(
    model: str,
    B: Size = "B",
    L: Size = "L",
    weights: str = "bf16",
    gradients: str = "bf16",
    optimiser: str = "adam-master",
    recompute: str = "none",
) -> Footprint:
    """Return the bytes to train a model on B sequences of L tokens: weights, gradients, optimiser state, activations.

    >>> held = training_footprint("llama-2-7b", B=1, L=4096, recompute="all")
    >>> int(held.bytes["optimiser"] / held.bytes["weights"])       # 3 numbers of 4 bytes for each of 2 bytes
    6
    >>> int(held.bytes["activations"])                             # 32 layers * 4096 tokens * 4096 wide * 2 B
    1073741824

    Activations are in the format of the weights: what each kernel of the forward pass writes, or with `recompute`
    "all" the input of each layer alone. Raises RoofproofError for an unknown model, format, optimiser or way.

    Source: Korthikanti et al., Reducing Activation Recomputation in Large Transformer Models (2022), section 4, for
    what is recomputed; Rajbhandari et al., ZeRO (2020), section 3, for the state.
    """
    found = configuration(model)
    ahead = with_mask(forward(found, weights, weights, weights, every_logit=True), found, "full")
    values = sizes(found) | {"T": dimension("B") * dimension("L")}
    if chosen(recompute, "recompute", ("none", "all")) == "all":
        [into] = [t for part in ahead.parts if part.name == "embedding" for t in part.writes]
        kept: Expr = into.bytes * found.layers
    else:
        kept = Add(*(t.traffic for t in ahead.writes))
    activations = sized(Operation("activations", traffic={"memory": kept}), values)
    held = sized(activations, {"B": B, "L": L}).bytes()
    return footprint(parameters(model), weights, gradients, optimiser, other={"activations": held})
