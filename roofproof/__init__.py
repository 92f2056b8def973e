"""Machine-checked roofline derivations: thresholds in closed form, each one proved."""

from roofproof._lazy import attach

__version__ = "0.3.1"
__getattr__, __all__ = attach(__name__, __file__)


def __dir__() -> list[str]:
    return __all__
