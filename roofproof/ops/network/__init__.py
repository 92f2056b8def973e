"""Chips joined by links: topologies, collectives, sharding, and strategies for parallel training and serving.

Links are names here, and their bandwidth is the symbol W. No chip specs are used.
"""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
