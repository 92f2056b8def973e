"""What a deck holds, whatever it is written as: frames of formulas, tables, sentences and figures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from roofproof.export.slides.tex import Tex, held


@dataclass(frozen=True, slots=True)
class Math:
    """A formula in LaTeX, set as it is.

    >>> Math("B > 240")
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'B > 240' on a slide is not made of what is known
    """

    tex: Tex

    def __post_init__(self) -> None:
        held(self.tex)


def computed(text: str) -> Math:
    """Evaluate a gap of a course, whose author works with figures and values; no statement says it."""
    return Math(Tex(text))


@dataclass(frozen=True, slots=True)
class Code:
    """Text as somebody typed it: the name of an operation, a command, a claim."""

    text: str


class Strong(str):
    """Text that its author set apart."""

    __slots__ = ()


PARAGRAPH = "\n\n"
Inline = tuple["str | Math | Code", ...]
"""A sentence: plain text, which is escaped wherever it goes, with formulas and code in it."""


class Drawable(Protocol):
    """A figure that can be drawn in TeX and as a vector picture of its own."""

    def pgfplots(self, title: bool = True) -> str: ...

    def _repr_svg_(self) -> str: ...

    def drawn(self, kind: str) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text; `key` marks the one line that the frame is about."""

    words: Inline
    key: bool = False


@dataclass(frozen=True, slots=True)
class Display:
    """Formulas on display, one a line, aligned at `&`; `reasons` stand beside the lines.

    `derived` are the lines of a derivation, or of a part of it: they have the size of words, few as they may be.
    """

    lines: tuple[Tex, ...]
    reasons: tuple[Inline, ...] = ()
    derived: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        for line in self.lines:
            held(line)


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `align` has a letter for each column (l, c or r), `total` sets the last row apart."""

    header: tuple[Inline, ...]
    rows: tuple[tuple[Inline, ...], ...]
    align: str
    total: bool = False


@dataclass(frozen=True, slots=True)
class Bullets:
    """Points, one line each."""

    items: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure; `about` says what it shows where it cannot be drawn. It is made when the deck is written."""

    make: Callable[[], Drawable] = field(compare=False)
    about: Inline


Block = Text | Display | Table | Bullets | Picture


@dataclass(frozen=True, slots=True)
class Frame:
    """One slide; `section` names the part of the deck that starts with it, `note` is what is said of it.

    `part` is what a slide of an operation tells. Paragraphs of what is said are `PARAGRAPH` apart.
    """

    title: Inline
    blocks: tuple[Block, ...]
    section: Inline = ()
    note: Inline = ()
    part: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Deck:
    """Slides in order, in one language, `by` whom, where and when; `left_out` tells of each that lacks figures."""

    title: Inline
    subtitle: Inline
    language: str
    frames: tuple[Frame, ...]
    by: tuple[Inline, ...] = ()
    left_out: tuple[str, ...] = ()


def unmarked(part: str | Math | Code) -> str:
    """Return a part of a sentence without its marks."""
    return part.tex if isinstance(part, Math) else part.text if isinstance(part, Code) else part
