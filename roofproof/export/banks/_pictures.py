"""Pictures in texts of exercises: an SVG that the author gave, or the roofline of the question."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import TYPE_CHECKING

from roofproof.errors import RoofproofError
from roofproof.export.latex.escaping import escape as escape_tex
from roofproof.rooms import need
from roofproof.teach.written import SvgPicture
from roofproof.toml import digest

if TYPE_CHECKING:
    from roofproof.export.plots.figure import Figure


def svg(picture: SvgPicture) -> str:
    """Return the SVG of a picture."""
    return picture.svg or _drawn(picture)._repr_svg_()


def file_name(picture: SvgPicture) -> str:
    """Return the file name of a picture, made of its content."""
    return f"figure-{digest(svg(picture).encode())[:12]}.svg"


def tag(picture: SvgPicture) -> str:
    """Return a picture in HTML, within the page, where it runs no script and loads nothing."""
    coded = b64encode(svg(picture).encode()).decode("ascii")
    return f'<img alt="{escape(" ".join(picture.alt.split()))}" src="data:image/svg+xml;base64,{coded}">'


def in_tex(picture: SvgPicture) -> str:
    """Return a picture as source of pgfplots; of a file, which LaTeX does not read, what it shows in a frame."""
    if picture.svg:
        return rf"\par\fbox{{\parbox{{0.9\linewidth}}{{{escape_tex(picture.alt)}}}}}\par"
    return rf"\begin{{center}}{_drawn(picture).pgfplots(title=False)}\end{{center}}"


def _drawn(picture: SvgPicture) -> Figure:
    need("roofproof.export.plots")
    from roofproof.export.plots.rooflines import roofline

    asked = picture.asked
    if asked.chip is None:
        raise RoofproofError('a figure of kind "roofline" needs a chip; write chip = "tpu-v5e"')
    return roofline([asked.op], [asked.chip], at=[asked.at])
