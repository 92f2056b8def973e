"""A document: headings and lines whose parts stay symbols until a writer sets them as text, LaTeX or HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import sympy

from roofproof.derive.inequalities.cases import Cases, Threshold
from roofproof.say import in_language
from roofproof.sentences import GAP

Inline = Any
"""A leaf, or a tuple of what is set one after another."""


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence by its English form, whose gaps any leaf may fill; a formula in it stands between dollar signs.

    >>> say("at <sizes>", sizes=Formula("D", "=", 2)).parts["sizes"].pieces
    ('D', '=', 2)
    """

    form: str
    parts: dict[str, Inline]
    chinese: str = ""

    def pieces(self, lang: str = "en") -> Iterator[tuple[str, Inline, bool]]:
        """Yield the words and the gaps in a language, and whether each stands in a formula.

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
        """Return the form in a language: its own Chinese, or that of the catalogue."""
        return self.chinese if self.chinese and lang == "zh" else in_language(self.form, lang)


def say(form: str, /, **parts: Inline) -> Say:
    """Return a sentence."""
    return Say(form, parts)


class Code(str):
    """What somebody typed, which is set as it is."""

    __slots__ = ()


class Formula:
    """Signs, names and expressions in one formula: `R = 19780/67`.

    >>> Formula("R", "=", sympy.Integer(2)).pieces
    ('R', '=', 2)
    """

    __slots__ = ("pieces",)

    def __init__(self, *pieces: Inline) -> None:
        self.pieces = pieces


@dataclass(frozen=True, slots=True)
class Mark:
    """A quantity by a letter or a word, and what it is of: `T_max`; text writes `text` for it."""

    text: Inline
    name: str
    below: str = ""


@dataclass(frozen=True, slots=True)
class Spelled:
    """What text writes in its own way, and what is set elsewhere."""

    text: str
    typeset: Inline


@dataclass(frozen=True, slots=True)
class Told:
    """A message of another room, which may be a sentence of the catalogue."""

    text: str


@dataclass(frozen=True, slots=True)
class Typed:
    """A formula or a sentence of claims as it was typed: mathematics where it can be read as such."""

    text: str


@dataclass(frozen=True, slots=True)
class Decimal:
    """The decimal value of a number, with the sign that is true of it; without `equals` an exact one has none.

    It may have a unit, and be cut off where it must not be above the number.
    """

    value: sympy.Expr
    equals: bool = True
    unit: str = ""
    down: bool = False


@dataclass(frozen=True, slots=True)
class Few:
    """A number in few digits, or a comparison with one that implies it; `rounding` says on which side of the number."""

    value: sympy.Basic
    rounding: str = ""


@dataclass(frozen=True, slots=True)
class Number:
    """A figure of a chip with its unit."""

    figure: Any


@dataclass(frozen=True, slots=True)
class Seconds:
    """A time in the unit that suits it, with the sign that is true of it; with no sign where it is `bare`."""

    value: Any
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Duration:
    """How long it takes: an expression in seconds, with its decimal value where it is a number."""

    value: sympy.Expr


@dataclass(frozen=True, slots=True)
class Quotient:
    """Two exact figures, one over the other."""

    above: Any
    below: Any


@dataclass(frozen=True, slots=True)
class Written:
    """A term of the proof kernel as it is written, nothing in it worked out."""

    term: Any


@dataclass(frozen=True, slots=True)
class Bounded:
    """Where an unknown lies: exactly, or `short` as a rounded number."""

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
    """Names one after another, and what holds of all of them."""

    names: tuple[Any, ...]
    more: str = ""


@dataclass(frozen=True, slots=True)
class FigureNote:
    """What is known of a figure of a chip: its convention and its status."""

    convention: str
    status: str


@dataclass(frozen=True, slots=True)
class Convention:
    """How the FLOPs of an operation are counted, or part of it."""

    text: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """The formula of an estimated time: how the times of computing and of moving bytes make one."""

    share: Any


@dataclass(frozen=True, slots=True)
class Line:
    """A formula or a sentence, and what is said of it in a column beside; None where it stands alone.

    `of` is what the line is about. Text leaves it out unless the section has `labels`, as its heading says it. `mark`
    says from which lines it follows, and how. What says `again` what lines before it come to stands in text alone.
    `key` is the one line that a slide is about.
    """

    left: Inline
    right: Inline | None = None
    of: Inline = ()
    mark: Inline = ()
    again: bool = False
    key: bool = False


@dataclass(frozen=True, slots=True)
class Display:
    """Cases with the condition of each, beside a label; without any they stand at the margin."""

    cases: Cases
    label: str | None = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `align` has a letter for each column, `total` sets the last row apart."""

    head: tuple[Inline, ...]
    rows: tuple[tuple[Inline, ...], ...]
    align: str
    total: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure of a slide, made in a language; `about` says what it shows where it cannot be drawn."""

    make: Callable[[str], Any] = field(compare=False)
    about: Inline


Row = Line | Display | Table


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a heading; `part` is the part of a longer document that it belongs to.

    A slide has a `picture` below them, and a `note` of what is said aloud.
    """

    heading: Inline
    rows: tuple[Row, ...]
    part: Inline = ()
    labels: bool = False
    note: Inline = ()
    picture: Picture | None = None


@dataclass(frozen=True, slots=True)
class Doc:
    """An answer: its title, its sections, and the terms that come first in every sum, in order."""

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
    """Return what stands in brackets after something else."""
    return say(" (<what>)", what=what)


def sizes(point: Any) -> tuple[Inline, ...]:
    """Return sizes as `D = 4096, F = 4096`."""
    return between((Formula(name, "=", size) for name, size in point.items()), ", ")
