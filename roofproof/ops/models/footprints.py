"""Memory footprints: the bytes of weights, gradients, optimiser state, and other named parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sympy import Add, Expr, Rational

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.formats import bytes_per_element
from roofproof.ops.combine import positive
from roofproof.ops.network.collectives import Amount, byte_count

# Formats of the numbers that an optimiser keeps for every parameter, in addition to the weights.
OPTIMISERS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "none": (),
    "sgd": (),
    "momentum": ("fp32",),
    "adam": ("fp32", "fp32"),  # two moments
    "adam-master": ("fp32", "fp32", "fp32"),  # and the weights in fp32
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Footprint:
    """Bytes by part, and the parts that every chip must hold completely.

    >>> training = footprint(13 * 10**9, optimiser="adam")
    >>> {what: int(size) for what, size in training.bytes.items()}         # 2 and 2 * 4 bytes per parameter
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
        """The sum of all bytes, each counted once."""
        return Add(*self.bytes.values())

    def per_chip(self, n: Amount) -> Expr:
        """Return the bytes on each of n chips: the split parts divided by n, plus the parts in `whole`.

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
    """Return the memory footprint of a model with a number of parameters.

    >>> footprint("N", optimiser="adam").total                 # 2 N + 8 N
    10*N
    >>> footprint(7 * 10**9, "int8", other={"cache": 2 * 10**9}).total
    9000000000

    `gradients` is their format, if they are kept. `optimiser` is one of none, sgd, momentum, adam, adam-master.
    `other` gives bytes by name (cache, activations). `whole` names the parts that every chip holds completely, such as
    weights in data parallelism. Raises RoofproofError for an unknown format or optimiser, or a name given twice.

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
