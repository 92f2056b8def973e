"""Decks for Quarto and, by pandoc, for PowerPoint and reveal.js, with native formulas in each."""

from __future__ import annotations

import re
import shutil
import subprocess
from base64 import b64encode
from pathlib import Path

from roofproof.errors import MissingExtra, RoofproofError, quoted
from roofproof.export.files import write_atomically
from roofproof.export.slides.images import Image
from roofproof.export.slides.markdown import markdown
from roofproof.export.slides.model import Deck, Picture, unmarked

SECONDS = 180
_LAYOUT = ((r"\rlap{", "{"), (r"\vphantom{\Bigg\vert}", ""), (r"\allowbreak{}", ""))  # pandoc does not support these
KINDS = {".pptx": "pptx", ".html": "revealjs"}
REVEAL = ("reveal.js", "node_modules/reveal.js")  # folders next to the output that may contain a copy of it


def write_with_pandoc(deck: Deck, path: str) -> None:
    """Write a deck for Quarto, or for PowerPoint or reveal.js by pandoc, either completely or not at all.

    Formulas are equations in PowerPoint, and MathML in a page. With a copy of reveal.js next to it, the page is one
    file that works offline. Otherwise it loads reveal.js from unpkg.com. Raises RoofproofError if pandoc is missing.
    """
    text, ending = quarto(deck), Path(path).suffix.lower()
    if ending == ".qmd":
        write_atomically(path, text)
        return
    kind = KINDS[ending]
    own = next((each for name in REVEAL if (each := Path(path).parent / name).joinpath("dist").is_dir()), None)
    how = ["--mathml", "--variable", "slideNumber=true"] if kind == "revealjs" else []
    if own is not None and kind == "revealjs":
        how += ["--embed-resources", "--variable", f"revealjs-url={own.resolve()}"]
    else:
        how += ["--sandbox"]
    write_atomically(path, convert(text, kind, how))


def convert(text: str, kind: str, how: list[str] | None = None) -> bytes:
    """Convert a deck by pandoc, or raise RoofproofError if pandoc is missing or cannot convert a formula."""
    command = [_pandoc(), "--from", "markdown", "--to", kind, "--standalone", "--slide-level", "2", "--output", "-"]
    try:
        done = subprocess.run([*command, *(how or ())], input=text.encode(), capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise RoofproofError("pandoc took more than <seconds> s", seconds=SECONDS) from None
    said = done.stderr.decode(errors="replace")
    if done.returncode or "Could not convert TeX math" in said:
        raise RoofproofError("pandoc refused the deck: <why>", why=quoted(" ".join(said.split()), 200))
    return done.stdout


def _pandoc() -> str:
    try:
        from pypandoc import get_pandoc_path

        return str(get_pandoc_path())
    except (ImportError, OSError):
        found = shutil.which("pandoc")
    if found is None:
        raise MissingExtra("pandoc", "pandoc", "write a .qmd file")
    return found


def quarto(deck: Deck) -> str:
    """Return a deck as pandoc Markdown, which Quarto reads.

    >>> from roofproof.export.slides.model import Frame, Text
    >>> print(quarto(Deck(("T",), (), "en", (Frame(("A|B",), (Text(("<b>",)),), note=("Say.",)),)))[-35:])
    ## A\\|B
    <BLANKLINE>
    \\<b\\>
    <BLANKLINE>
    ::: notes
    Say.
    :::
    <BLANKLINE>
    """
    text = markdown("deck.qmd.j2", deck, _pictured)
    for command, other in _LAYOUT:
        text = text.replace(command, other)
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"


def _pictured(block: Picture) -> str:
    made = block.make()
    ending = made.ending if isinstance(made, Image) else ".png"
    kind = "jpeg" if ending in (".jpg", ".jpeg") else "png"
    content = b64encode(made.drawn("png")).decode("ascii")
    about = re.sub(r"([\\\[\]])", r"\\\1", " ".join("".join(map(unmarked, block.about)).split()))
    return f"![{about}](data:image/{kind};base64,{content})"
