"""Exporters: every file of this room renders an outline, and is found by its name: `derive ... --to NAME`.

An exporter is a function `export(found, lang)` that returns text. It renders what the outline says and works out
nothing itself.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.resources import files

from roofproof.errors import refuse_unknown
from roofproof.export.outline import Outline


def exporters() -> list[str]:
    """Return the name of each exporter, that of its file.

    >>> "text" in exporters()
    True
    """
    found = (path.name for path in files(__package__).iterdir())
    return sorted(name.removesuffix(".py") for name in found if name.endswith(".py") and not name.startswith("_"))


def exporter(name: str) -> Callable[[Outline, str], str]:
    """Return the function that renders an outline in a language.

    >>> from roofproof import op
    >>> from roofproof.export.outline import outline
    >>> exporter("text")(outline(op("dot"), None, None, {}), "en").splitlines()[2:4]      # N products, N - 1 sums
    ['FLOPs', '  2*N - 1    bf16; every product and addition counted']

    Raises RoofproofError for a name that no file has.
    """
    refuse_unknown("exporter", name, exporters())
    found: Callable[[Outline, str], str] = import_module(f"{__package__}.{name}").export
    return found
