"""A figure: a picture with a writer for each kind of file."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from roofproof.errors import MissingExtra, RoofproofError
from roofproof.export.files import checked_ending, write_atomically
from roofproof.export.plots.addplot import document, tikzpicture
from roofproof.export.plots.drawing import INSTEAD
from roofproof.export.plots.drawing import drawn as by_matplotlib
from roofproof.export.plots.model import Picture
from roofproof.export.plots.svg import svg_file

ENDINGS = (".svg", ".pdf", ".png", ".tex")


class Figure(Picture):
    r"""A picture for a slide, a page or a notebook.

    >>> from roofproof import chip, op
    >>> from roofproof.export.plots import roofline
    >>> figure = roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}])
    >>> print(figure.pgfplots().splitlines()[-1])
    \end{tikzpicture}
    >>> figure.save("figure.docx")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot write 'figure.docx': expected a name that ends in .svg, .pdf, .png or .tex
    """

    __slots__ = ()

    def pgfplots(self, title: bool = True) -> str:
        """Return a `tikzpicture` for a document or a deck that loads pgfplots (`PREAMBLE`)."""
        return tikzpicture(self, title)

    def save(self, path: str | Path, width: Fraction | None = None, font: str | None = None) -> None:
        """Write the figure to a .svg, .pdf, .png or .tex (pgfplots) file, either completely or not at all.

        `width` is in centimetres, for .svg and .png. `font` applies to all but .tex. Raises RoofproofError for any
        other ending, and for .pdf and .png if matplotlib is missing.
        """
        ending = checked_output(str(path))
        if width is not None and ending not in (".svg", ".png"):
            raise RoofproofError("--size works only for .svg and .png")
        if font is not None and ending == ".tex":
            raise RoofproofError("the font of a .tex file is that of the document around it")
        if ending == ".tex":
            write_atomically(str(path), document(self))
        else:
            write_atomically(str(path), self.drawn(ending[1:], width, font))

    def drawn(self, kind: str, width: Fraction | None = None, font: str | None = None) -> bytes:
        """Return the figure as the content of an SVG, PDF or PNG file."""
        if kind == "svg":
            return svg_file(self, width, font).encode()
        return by_matplotlib(self, kind, width, font)

    def _repr_svg_(self) -> str:
        return self.drawn("svg").decode()


def checked_output(path: str) -> str:
    """Return the ending of a figure's file name, checked before any work.

    >>> checked_output("roof.SVG")
    '.svg'

    Raises RoofproofError for an ending without a writer, and for .pdf and .png if matplotlib is missing.
    """
    from importlib.util import find_spec

    ending = checked_ending(path, ENDINGS)
    try:
        there = ending in (".svg", ".tex") or find_spec("matplotlib") is not None
    except ValueError:
        there = False
    if not there:
        raise MissingExtra("matplotlib", "plot", INSTEAD)
    return ending
