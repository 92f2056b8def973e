"""A deck into a file: by its ending Beamer, Markdown with its pictures in it, or a PDF where TeX is installed."""

from roofproof.export.files import write_whole
from roofproof.export.slides.beamer import beamer
from roofproof.export.slides.marp import inlined, marp
from roofproof.export.slides.model import Deck


def write(deck: Deck, path: str) -> None:
    """Write a deck, whole or not at all.

    Raises RoofproofError for a place that cannot be written, and for TeX or matplotlib where they are needed.
    """
    if path.lower().endswith(".md"):
        write_whole(path, marp(deck, inlined))
        return
    from roofproof.export.latex.compiling import compiled

    text = beamer(deck)
    write_whole(path, compiled(text)[0] if path.lower().endswith(".pdf") else text)
