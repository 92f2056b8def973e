"""Banks of exercises for others: every file of this room writes one format, and is found by its name.

A format is a function `export(bank, made, lang)` that returns files by name, each with what it is; `made` are the
variants. It renders what the variants say and works out nothing itself.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.resources import files

from roofproof.errors import refuse_unknown
from roofproof.teach import Bank, Variant

Files = dict[str, tuple[str, str]]


def formats() -> list[str]:
    """Return the name of each format, that of its file.

    >>> formats()
    ['gift', 'latex', 'myst', 'prairielearn', 'stack']
    """
    found = (path.name for path in files(__package__).iterdir())
    return sorted(name.removesuffix(".py") for name in found if name.endswith(".py") and not name.startswith("_"))


def bank_format(name: str) -> Callable[[Bank, Sequence[Variant], str], Files]:
    """Return the function that writes a bank in a format. Raises RoofproofError for a name that no file has."""
    refuse_unknown("exercise format", name, formats())
    found: Callable[[Bank, Sequence[Variant], str], Files] = import_module(f"{__package__}.{name}").export
    return found
