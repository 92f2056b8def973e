"""Chips joined by links: topologies, collectives, sharding, and the ways to train or serve in parallel.

Everything here speaks of links by name and of their bandwidth as W; no chip is known.
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
