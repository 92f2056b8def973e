"""Machine-checked roofline derivations: thresholds in closed form, each one proved."""

from __future__ import annotations

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from typing import Any

    from roofproof.derive import evaluate as evaluate
    from roofproof.derive import intensity as intensity
    from roofproof.derive import limit as limit
    from roofproof.derive import lower as lower
    from roofproof.derive import ridge as ridge
    from roofproof.derive import sequential as sequential
    from roofproof.derive import time as time
    from roofproof.derive import upper as upper
    from roofproof.errors import RoofproofError as RoofproofError
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation
    from roofproof.proofs import threshold as threshold

    chip = any_chip
    op = parse_operation

_HOME = {
    "RoofproofError": ("errors", "RoofproofError"),
    "chip": ("hardware", "any_chip"),
    "evaluate": ("derive", "evaluate"),
    "intensity": ("derive", "intensity"),
    "limit": ("derive", "limit"),
    "lower": ("derive", "lower"),
    "op": ("ops", "parse_operation"),
    "ridge": ("derive", "ridge"),
    "sequential": ("derive", "sequential"),
    "threshold": ("proofs", "threshold"),
    "time": ("derive", "time"),
    "upper": ("derive", "upper"),
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    home, attribute = _HOME[name]
    return getattr(import_module(f"{__name__}.{home}"), attribute)


def __dir__() -> list[str]:
    return __all__
