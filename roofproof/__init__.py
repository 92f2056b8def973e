"""Machine-checked roofline derivations: thresholds in closed form, each one proved."""

import sys

from roofproof._lazy import attach

__version__ = "0.3.1"
__getattr__, __all__ = attach(__name__, __file__)

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from typing import Any


def __dir__() -> list[str]:
    return __all__


def load_ipython_extension(shell: "Any") -> None:
    """Show our objects as formulas and tables in a notebook: `%load_ext roofproof`."""
    from roofproof.display import register

    register(shell)


if "IPython" in sys.modules and (_shell := sys.modules["IPython"].get_ipython()) is not None:
    load_ipython_extension(_shell)
