"""Plots: rooflines, achieved FLOP/s, thresholds, maps of bounds and times, as vectors, pictures and pgfplots source."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.export.plots.achieving import achieved as achieved
    from roofproof.export.plots.critical import threshold_curve as threshold_curve
    from roofproof.export.plots.figure import Figure as Figure
    from roofproof.export.plots.maps import regions as regions
    from roofproof.export.plots.pgf import PREAMBLE as PREAMBLE
    from roofproof.export.plots.roofs import roofline as roofline
    from roofproof.export.plots.timing import times as times

_HOME = {
    "Figure": "figure",
    "PREAMBLE": "pgf",
    "achieved": "achieving",
    "regions": "maps",
    "roofline": "roofs",
    "threshold_curve": "critical",
    "times": "timing",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
