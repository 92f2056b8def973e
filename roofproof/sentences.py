"""Sentences that know what they are made of, so that another language can say them too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from unicodedata import east_asian_width

GAP = re.compile(r"<([a-z_]+)>")


class Sentence(str):
    """A sentence in English that keeps its form, with gaps, and what fills them.

    >>> told = Sentence("<word> is not understood; the sizes are <names>", word="'Q'", names="B, D")
    >>> told == "'Q' is not understood; the sizes are B, D", told.form, told.parts["names"]
    (True, '<word> is not understood; the sizes are <names>', 'B, D')

    It is a string wherever one is due. Nobody has to read it back: the table of words has the form in other
    languages, and the parts, which may be sentences themselves, go into its gaps. Raises KeyError for a gap unfilled.
    """

    form: str
    parts: dict[str, str]

    def __new__(cls, form: str, /, **parts: object) -> Sentence:
        kept = {name: said(part) for name, part in parts.items()}
        made = super().__new__(cls, filled(form, kept))
        made.form, made.parts = form, kept
        return made

    def __reduce__(self) -> tuple[Callable[..., Sentence], tuple[str, dict[str, str]]]:
        return _remade, (self.form, self.parts)


class Name(str):
    """A name that somebody gave: in every language the same, be it a word of one."""


class Resource(str):
    """A compute unit, a memory level or a link: a language may have a word for `memory`."""


def said(part: object) -> str:
    """Return a part as text; an error is what it says.

    >>> said(240)
    '240'
    """
    text = getattr(part, "said", part)
    return text if isinstance(text, str) else str(text)


def _remade(form: str, parts: dict[str, str]) -> Sentence:
    return Sentence(form, **parts)


def filled(form: str, parts: dict[str, str]) -> str:
    """Return a form with its gaps filled.

    >>> filled("<low> < B", {"low": "240"})
    '240 < B'
    """
    return GAP.sub(lambda gap: parts[gap[1]], form)


def seamed(pieces: Iterable[str], language: str) -> str:
    """Return pieces of a sentence as one: Chinese has no blank between its own signs, and one beside Latin letters.

    >>> seamed(("当 ", "任何 ", "B", "（见下）", " 时"), "zh"), seamed(("没有", "hbm"), "zh")
    ('当任何 B（见下）时', '没有 hbm')
    """
    if language == "en":
        return "".join(pieces)
    text = ""
    for piece in pieces:
        left, right = text.rstrip(" "), piece.lstrip(" ")
        blanks = len(text) - len(left) + len(piece) - len(right)
        one, other = left[-1:], right[:1]
        if blanks == 1 and one and other and _touch(one, other):
            text, piece = left, right
        elif not blanks and ((_is_han(one) and _is_latin(other)) or (_is_latin(one) and _is_han(other))):
            text += " "
        text += piece
    return text


def _touch(one: str, other: str) -> bool:
    return all(map(_is_wide, one + other)) or any(_is_wide(each) and not _is_han(each) for each in one + other)


def _is_wide(sign: str) -> bool:
    return east_asian_width(sign) in "WF"


def _is_han(sign: str) -> bool:
    return "\u3400" <= sign <= "\u9fff"


def _is_latin(sign: str) -> bool:
    return sign.isascii() and sign.isalnum()


def joined(form: str, said: Iterable[str]) -> str:
    """Return several texts as one, two at a time by a form with the gaps `first` and `second`.

    >>> joined("<first>; <second>", ["a", "", "b", "c"])
    'a; b; c'
    """
    first, *rest = [text for text in said if text] or [""]
    for second in rest:
        first = Sentence(form, first=first, second=second)
    return first


def padded(text: str, width: int = 0) -> str:
    """Return a text filled up with blanks to a number of columns; a Chinese sign takes two.

    >>> padded("BD", 4) + ".", padded("算术", 6) + "."
    ('BD  .', '算术  .')
    """
    return text + " " * (width - columns(text))


def columns(text: str) -> int:
    """Return the number of columns of a text on a terminal."""
    return len(text) if text.isascii() else len(text) + sum(east_asian_width(sign) in "WF" for sign in text)
