"""Plots: rooflines, achieved FLOP/s, thresholds, maps of bounds and times, as vectors, pictures and pgfplots source."""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
