"""Collectives and sharded products by name; the room `ops/network` makes them."""

from roofproof.ops.network.entries import ENTRIES

__all__ = ["ENTRIES"]
