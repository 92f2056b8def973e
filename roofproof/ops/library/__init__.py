"""The operations known by name. This list is the only one: a family is a module, named here."""

from __future__ import annotations

from roofproof.ops.library._entry import Entry, entries, from_library

FAMILIES: tuple[str, ...] = (
    "elementwise",
    "reductions",
    "softmax",
    "normalization",
    "position",
    "linear_algebra",
    "tiled",
    "convolution",
    "classic",
    "attention",
    "transformer",
    "language_model",
    "training",
    "network",
)

__all__ = ["FAMILIES", "Entry", "entries", "from_library"]
