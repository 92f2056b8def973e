"""Chips: exact rational specs, each with unit, convention, status and source, in one TOML file per chip."""

from roofproof._lazy import attach

__getattr__, __all__ = attach(__name__, __file__)
