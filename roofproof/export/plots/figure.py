"""A figure that people hold: a scene that writes itself to a file, as LaTeX source, or into a notebook."""

from dataclasses import dataclass
from pathlib import Path

from roofproof.export.plots.drawing import drawn
from roofproof.export.plots.pgf import tikzpicture
from roofproof.export.plots.saving import save
from roofproof.export.plots.scene import Scene
from roofproof.proofs.known import Known


@dataclass(frozen=True, slots=True, repr=False)
class Figure(Scene):
    r"""A figure for a slide, a page or a notebook.

    >>> from roofproof import chip, op
    >>> from roofproof.export.plots import roofline
    >>> figure = roofline([op("matmul")], [chip("tpu-v5e")], at=[{"B": 64, "D": 4096, "F": 4096}])
    >>> print(figure.pgfplots().splitlines()[-1])
    \end{tikzpicture}
    >>> figure.save("figure.docx")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: cannot write 'figure.docx': expected a name that ends in .svg, .pdf, .png or .tex
    """

    known: tuple[Known, ...] = ()  # what the drawing rests on, where it is of proved regions

    def pgfplots(self, title: bool = True) -> str:
        """Return a `tikzpicture` for a document or a deck that loads pgfplots (`PREAMBLE`)."""
        return tikzpicture(self, title)

    def save(self, path: str | Path) -> None:
        """Write the figure to a file that ends in .svg, .pdf, .png (matplotlib) or .tex (pgfplots), whole or not."""
        save(self, str(path))

    def _repr_svg_(self) -> str:
        return drawn(self, "svg").decode("utf-8")
