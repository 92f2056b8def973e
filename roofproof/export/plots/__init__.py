"""Plots of rooflines, achieved FLOP/s, thresholds, regions, bounds and times, as SVG, PDF, PNG or pgfplots source."""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
