"""Documents: headings and lines whose parts stay symbolic until a writer renders them as text, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import sympy

from roofproof.derive.inequalities.cases import Cases, Threshold
from roofproof.say import in_language
from roofproof.sentences import GAP

Inline = Any
"""A leaf, or a tuple of inlines that are set one after another."""


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence, given by its English form with gaps for leaves. Formulas in the form are between dollar signs.

    >>> say("at <sizes>", sizes=Formula("D", "=", 2)).parts["sizes"].pieces
    ('D', '=', 2)
    """

    form: str
    parts: dict[str, Inline]
    chinese: str = ""

    def pieces(self, lang: str = "en") -> Iterator[tuple[str, Inline, bool]]:
        """Yield the words and the gaps in a language, each with whether it is inside a formula.

        >>> list(say("divide by $<by> > 0$", by=1).pieces())
        [('divide by ', None, False), ('', 1, True), (' > 0', None, True)]
        """
        for place, part in enumerate(self.written(lang).split("$")):
            for k, piece in enumerate(GAP.split(part)):
                if k % 2:
                    yield "", self.parts[piece], place % 2 == 1
                elif piece:
                    yield piece, None, place % 2 == 1

    def written(self, lang: str) -> str:
        """Return the form in a language: its own Chinese form, or the translation in the catalogue."""
        return self.chinese if self.chinese and lang == "zh" else in_language(self.form, lang)


def say(form: str, /, **parts: Inline) -> Say:
    """Return a sentence."""
    return Say(form, parts)


class Code(str):
    """Text that a user typed, which is rendered unchanged."""

    __slots__ = ()


class Formula:
    """A formula of signs, names and expressions: `R = 19780/67`.

    >>> Formula("R", "=", sympy.Integer(2)).pieces
    ('R', '=', 2)
    """

    __slots__ = ("pieces",)

    def __init__(self, *pieces: Inline) -> None:
        self.pieces = pieces


@dataclass(frozen=True, slots=True)
class Mark:
    """A quantity named by a letter or a word, with an optional subscript: `T_max`. Plain text shows `text` instead."""

    text: Inline
    name: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class TextOrTypeset:
    """An inline with one form for plain text and another for typesetting."""

    text: str
    typeset: Inline


@dataclass(frozen=True, slots=True)
class Message:
    """A message from another module, which may be a sentence of the catalogue."""

    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A formula or a claim as it was typed, set as mathematics if it can be parsed."""

    text: str


@dataclass(frozen=True, slots=True)
class Decimal:
    """The decimal value of a number, after = or ≈. Without `equals`, an exact value has no sign.

    It may have a unit. With `down` it is rounded down, for values that must not exceed the number.
    """

    value: sympy.Expr
    equals: bool = True
    unit: str = ""
    down: bool = False


@dataclass(frozen=True, slots=True)
class FewDigits:
    """A number in a few digits, or a comparison with one that implies the exact one. `rounding` is its direction."""

    value: sympy.Basic
    rounding: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A spec of a chip with its unit."""

    figure: Any


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time in a suitable unit, after = or ≈, or without a sign if `bare`."""

    value: Any
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Duration:
    """A duration: an expression in seconds, with its decimal value if it is a number."""

    value: sympy.Expr


@dataclass(frozen=True, slots=True)
class Quotient:
    """A quotient of two exact numbers."""

    above: Any
    below: Any


@dataclass(frozen=True, slots=True)
class KernelTerm:
    """A term of the proof kernel as written, without evaluation."""

    term: Any


@dataclass(frozen=True, slots=True)
class Bounded:
    """A bound on an unknown: exact, or a rounded number if `short`."""

    unknown: sympy.Symbol
    threshold: Threshold
    short: bool = False


@dataclass(frozen=True, slots=True)
class RelativeError:
    """The relative error of taking `value` for a quantity."""

    value: sympy.Expr
    error: sympy.Expr
    of: Mark


@dataclass(frozen=True, slots=True)
class Regime:
    """A regime such as `D, F >> B`."""

    text: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of names, with a condition on all of them."""

    names: tuple[Any, ...]
    more: str = ""


@dataclass(frozen=True, slots=True)
class FigureNote:
    """The convention and the status of a chip spec."""

    convention: str
    status: str


@dataclass(frozen=True, slots=True)
class Convention:
    """The counting convention for the FLOPs of an operation, or part of it."""

    text: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """The formula of an estimated time, which combines compute time and memory time."""

    share: Any


@dataclass(frozen=True, slots=True)
class Line:
    """A formula or a sentence (`left`), with a comment in a second column (`right`), or None.

    Plain text omits the `subject` of the line unless the section has `labels`, as the heading states it.
    `mark` states from which lines it follows, and how. A `text_only` line repeats the result of earlier
    lines, and only plain text shows it. `key` marks the main line of a slide.
    """

    left: Inline
    right: Inline | None = None
    subject: Inline = ()
    mark: Inline = ()
    text_only: bool = False
    key: bool = False


@dataclass(frozen=True, slots=True)
class Display:
    """Cases with their conditions, after a label. Without a label they are indented, or at the margin if it is None."""

    cases: Cases
    label: str | None = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. `align` has a letter for each column. `total` separates the last row."""

    head: tuple[Inline, ...]
    rows: tuple[tuple[Inline, ...], ...]
    align: str
    total: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure on a slide, made for a language. `about` describes it in text."""

    make: Callable[[str], Any] = field(compare=False)
    about: Inline


Row = Line | Display | Table


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a heading. `part` is the part of a longer document that they belong to.

    On a slide, `picture` is below the lines, and `note` is the text to say aloud.
    """

    heading: Inline
    rows: tuple[Row, ...]
    part: Inline = ()
    labels: bool = False
    note: Inline = ()
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Doc:
    """A document: its title, its sections, and the terms that come first in every sum, in order."""

    title: Inline
    sections: tuple[Section, ...]
    order: tuple[sympy.Expr, ...] = field(default=(), repr=False)
    taken: frozenset[str] = field(default=frozenset(), repr=False)


def between(parts: Iterable[Inline], sign: Inline) -> tuple[Inline, ...]:
    """Return parts with a sign between each two.

    >>> between(["a", "b"], ", ")
    ('a', ', ', 'b')
    """
    out: list[Inline] = []
    for k, part in enumerate(parts):
        out += [sign, part] if k else [part]
    return tuple(out)


def bracketed(*what: Inline) -> Say:
    """Return an inline in parentheses, to follow another one."""
    return say(" (<what>)", what=what)


def sizes(point: Any) -> tuple[Inline, ...]:
    """Return sizes as `D = 4096, F = 4096`."""
    return between((Formula(name, "=", size) for name, size in point.items()), ", ")
