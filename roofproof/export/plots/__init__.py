"""Plots: rooflines, achieved FLOP/s, thresholds, maps of bounds and times, as vectors, pictures and pgfplots source."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.export.plots.figure import Figure as Figure
    from roofproof.export.plots.roofs import roofline as roofline

_HOME = {
    "Figure": "figure",
    "roofline": "roofs",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
