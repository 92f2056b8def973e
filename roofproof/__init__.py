"""Machine-checked roofline derivations: thresholds in closed form, each one proved."""

from roofproof._lazy import attach

__version__ = "1.0.0"
_offered, __all__ = attach(__name__, __file__)


def __getattr__(name: str) -> object:
    return _offered("minimum_times" if name == "floors" else name)  # the name in 0.3


def __dir__() -> list[str]:
    return __all__
