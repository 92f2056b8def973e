"""An author's own pictures: files in the folder of a course, in the form that each format of a deck needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from roofproof.errors import RoofproofError, quoted
from roofproof.export.slides.model import Deck, Picture
from roofproof.toml import read_bytes

MOST = 20 * 1024**2  # bytes of a file
_BEGINS = {".png": b"\x89PNG\r\n\x1a\n", ".jpg": b"\xff\xd8\xff", ".jpeg": b"\xff\xd8\xff", ".pdf": b"%PDF-"}
_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
_NAME = re.compile(r"\w[\w .-]*(?:/\w[\w .-]*)*")  # characters without a special meaning in TeX, Markdown and HTML


@dataclass(frozen=True, slots=True)
class Image:
    """A picture in a file, under the name that the course uses. Calling it returns the picture itself."""

    name: str
    content: bytes

    def __call__(self) -> Image:
        return self

    @property
    def ending(self) -> str:
        return Path(self.name).suffix.lower()

    def pgfplots(self, title: bool = True) -> str:
        """Return the line of TeX that shows it, with the file in the folder of the document."""
        return rf"\includegraphics{{{self.name}}}"

    def _repr_svg_(self) -> str:
        return self.drawn("svg").decode()

    def drawn(self, kind: str) -> bytes:
        """Return the file unchanged, or a PDF page converted to SVG or PNG."""
        from roofproof.export.latex.compiling import converted

        return converted(self.content, kind) if self.ending == ".pdf" else self.content

    def typed(self) -> tuple[str, bytes]:
        """Return the media type of the picture for an HTML page, and its bytes."""
        return _TYPES.get(self.ending, "image/svg+xml"), self.drawn("svg")


def image(home: Path, name: str) -> Image:
    """Return a picture from the folder of a course.

    >>> image(Path("."), "photo.gif")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'photo.gif': expected a picture (.png, .jpg or .pdf) in the folder of the course

    Raises RoofproofError for a file that is missing, in another folder, or not a picture.
    """
    ending = Path(name).suffix.lower()
    if ending not in _BEGINS or not _NAME.fullmatch(name) or not (home / name).resolve().is_relative_to(home.resolve()):
        raise RoofproofError(
            "<name>: expected a picture (.png, .jpg or .pdf) in the folder of the course", name=quoted(name)
        )
    content = read_bytes(home / name, MOST, "picture ")
    if len(content) > MOST or not content.startswith(_BEGINS[ending]):
        raise RoofproofError(
            "<name> holds no <kind> of at most <most> MiB",
            name=quoted(name),
            kind=ending[1:].upper(),
            most=MOST // 1024**2,
        )
    return Image(name, content)


def images(deck: Deck) -> dict[str, bytes]:
    """Return the picture files that a TeX document of the deck needs, by name."""
    every = (block.make for frame in deck.frames for block in frame.blocks if isinstance(block, Picture))
    return {each.name: each.content for each in every if isinstance(each, Image)}
