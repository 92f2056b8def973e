"""Exercise files for other systems: every module of this package writes the format that it is named after.

A format is a function `export(bank, made, lang)` that returns files by name, each with a description. `made` are the
variants. It only renders the variants and computes nothing.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.resources import files

from roofproof.errors import refuse_unknown
from roofproof.teach import Bank, Variant

Files = dict[str, tuple[str, str]]


def formats() -> list[str]:
    """Return the names of the formats, which are those of their modules.

    >>> formats()
    ['gift', 'latex', 'myst', 'prairielearn', 'stack']
    """
    found = (path.name for path in files(__package__).iterdir())
    return sorted(name.removesuffix(".py") for name in found if name.endswith(".py") and not name.startswith("_"))


def bank_format(name: str) -> Callable[[Bank, Sequence[Variant], str], Files]:
    """Return the function that writes exercises in a format. Raises RoofproofError for an unknown format."""
    refuse_unknown("exercise format", name, formats())
    found: Callable[[Bank, Sequence[Variant], str], Files] = import_module(f"{__package__}.{name}").export
    return found
