"""A figure as a file: by its ending SVG, PDF, PNG (through matplotlib) or pgfplots source."""

from pathlib import Path

from roofproof.errors import RoofproofError, quoted
from roofproof.export.files import write_whole
from roofproof.export.plots.scene import Scene

ENDINGS = (".svg", ".pdf", ".png", ".tex")


def checked_ending(path: str) -> str:
    """Return how a path ends, if a figure can be written so.

    >>> checked_ending("roofline.SVG")
    '.svg'
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise RoofproofError(
            f"cannot write {quoted(path)}: expected a name that ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        )
    return ending


def save(figure: Scene, path: str) -> None:
    """Write a figure to a file, whole or not at all."""
    ending = checked_ending(path)
    if ending == ".tex":
        from roofproof.export.plots.pgf import document

        write_whole(path, document(figure))
    else:
        from roofproof.export.plots.drawing import drawn

        write_whole(path, drawn(figure, ending[1:]))
