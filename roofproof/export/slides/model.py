"""The content of a deck, independent of the output format: frames of formulas, tables, sentences and figures."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from roofproof.export.slides.tex import Tex, check_tex


@dataclass(frozen=True, slots=True)
class Math:
    """A formula in LaTeX, printed unchanged.

    >>> Math("B > 240")
    Traceback (most recent call last):
    roofproof.proofs.known.Unwarranted: 'B > 240' on a slide is not made of what is known
    """

    tex: Tex

    def __post_init__(self) -> None:
        check_tex(self.tex)


def computed(text: str) -> Math:
    """Return a formula for a value that a course computes from specs and other values, without a proved statement."""
    return Math(Tex(text))


@dataclass(frozen=True, slots=True)
class Code:
    """Text as a user typed it: the name of an operation, a command, a claim."""

    text: str


class Strong(str):
    """Text that its author emphasized."""

    __slots__ = ()


PARAGRAPH = "\n\n"
Inline = tuple["str | Math | Code", ...]
"""A sentence: plain text, which every writer escapes, with formulas and code in it."""


class Drawable(Protocol):
    """A figure that can be drawn in TeX and as a separate vector picture."""

    def pgfplots(self, title: bool = True) -> str: ...

    def _repr_svg_(self) -> str: ...

    def drawn(self, kind: str) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Text:
    """A line of text. `key` marks the main line of the frame."""

    words: Inline
    key: bool = False


@dataclass(frozen=True, slots=True)
class Display:
    """Displayed formulas, one per line, aligned at `&`, with `reasons` next to the lines.

    `derived` lines belong to a derivation, and have the size of text even if there are few of them.
    """

    lines: tuple[Tex, ...]
    reasons: tuple[Inline, ...] = ()
    derived: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        for line in self.lines:
            check_tex(line)


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `align` has a letter for each column (l, c or r), and `total` separates the last row."""

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
    """A figure, which is drawn when the deck is written. `about` describes it if it cannot be shown."""

    make: Callable[[], Drawable] = field(compare=False)
    about: Inline


Block = Text | Display | Table | Bullets | Picture


@dataclass(frozen=True, slots=True)
class Frame:
    """One slide. `section` names the part of the deck that starts with it, and `note` is the spoken text.

    `part` is the kind of a slide of an operation. Paragraphs of the spoken text are separated by `PARAGRAPH`.
    """

    title: Inline
    blocks: tuple[Block, ...]
    section: Inline = ()
    note: Inline = ()
    part: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Deck:
    """Slides in one language, `by` author, institute and date, with a line in `left_out` for each skipped slide."""

    title: Inline
    subtitle: Inline
    language: str
    frames: tuple[Frame, ...]
    by: tuple[Inline, ...] = ()
    left_out: tuple[str, ...] = ()


def unmarked(part: str | Math | Code) -> str:
    """Return a part of a sentence as a plain string."""
    return part.tex if isinstance(part, Math) else part.text if isinstance(part, Code) else part
