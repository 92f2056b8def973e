"""The mistakes people make, each with what it does to a calculation and how to say it to a student."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roofproof.proofs.slips.catalogue import CATALOGUE as CATALOGUE
    from roofproof.proofs.slips.catalogue import Slip as Slip
    from roofproof.proofs.slips.diagnosis import diagnose as diagnose

_HOME = {"CATALOGUE": "catalogue", "Slip": "catalogue", "diagnose": "diagnosis"}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
