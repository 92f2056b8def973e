"""Chips: exact rational figures, each with unit, convention, status and source; one TOML file a chip."""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
