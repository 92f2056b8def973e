"""A figure that people hold: it writes itself to a file, as LaTeX source, or into a notebook."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from roofproof.errors import RoofproofError, Undecided
from roofproof.export.files import checked_ending, write_whole
from roofproof.export.plots.drawing import drawn
from roofproof.export.plots.pgf import document, tikzpicture
from roofproof.export.plots.scene import LEFT, RIGHT, WIDTH, Axis, Curve, Label, Mark, Polygon
from roofproof.export.plots.texts import Text, fitted, plain_signs
from roofproof.proofs.known import GIVEN, PROVED, Known

ENDINGS = (".svg", ".pdf", ".png", ".tex")


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    r"""All that is drawn, under a title that fits: for a slide, a page or a notebook.

    >>> from roofproof import chip, op
    >>> from roofproof.export.plots import roofline
    >>> figure = roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}])
    >>> print(figure.pgfplots().splitlines()[-1])
    \end{tikzpicture}
    >>> figure.save("figure.docx")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot write 'figure.docx': expected a name that ends in .svg, .pdf, .png or .tex

    Raises Undecided where what the drawing rests on is not proved.
    """

    title: Text
    x: Axis
    y: Axis
    regions: tuple[Polygon, ...] = ()
    curves: tuple[Curve, ...] = ()
    marks: tuple[Mark, ...] = ()
    labels: tuple[Label, ...] = ()
    known: tuple[Known, ...] = ()  # what the drawing rests on, where that is proved

    def __post_init__(self) -> None:
        for known in self.known:
            if known.trust not in (*PROVED, *GIVEN):
                raise Undecided("<says> is not proved, so it is not drawn", says=known.statement.says)
        object.__setattr__(self, "title", fitted(self.title, LEFT + WIDTH + RIGHT - 0.2))

    def __repr__(self) -> str:
        return f"Figure({plain_signs(self.title)})"

    def pgfplots(self, title: bool = True) -> str:
        """Return a `tikzpicture` for a document or a deck that loads pgfplots (`PREAMBLE`)."""
        return tikzpicture(self, title)

    def save(self, path: str | Path, width: Fraction | None = None, font: str | None = None) -> None:
        """Write the figure to a file that ends in .svg, .pdf, .png (matplotlib) or .tex (pgfplots), whole or not.

        `width` is in centimetres, of .svg and .png; `font` is one that is installed here, of all but .tex.
        """
        ending = checked_ending(str(path), ENDINGS)
        if width is not None and ending not in (".svg", ".png"):
            raise RoofproofError("a width is that of .svg and .png; set the others to size where they are placed")
        if font is not None and ending == ".tex":
            raise RoofproofError("the font of a .tex file is that of the document around it")
        write_whole(str(path), document(self) if ending == ".tex" else drawn(self, ending[1:], width, font))

    def drawn(self, kind: str) -> bytes:
        """Return the figure as the content of an SVG, PDF or PNG file."""
        return drawn(self, kind)

    def _repr_svg_(self) -> str:
        return drawn(self, "svg").decode("utf-8")
