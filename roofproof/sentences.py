"""Sentences that keep their form and parts, so that they can be translated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from unicodedata import east_asian_width

GAP = re.compile(r"<([a-z_]+)>")


class Sentence(str):
    """An English sentence that keeps its form, with gaps, and the parts that fill the gaps.

    >>> told = Sentence("<word> is not understood; the sizes are <names>", word="'Q'", names="B, D")
    >>> told == "'Q' is not understood; the sizes are B, D", told.form, told.parts["names"]
    (True, '<word> is not understood; the sizes are <names>', 'B, D')

    It is an ordinary string. To translate it, look up the form in the catalogue and fill the gaps with the translated
    parts, which may be sentences themselves. Raises KeyError for an unfilled gap.
    """

    form: str
    parts: dict[str, str]

    def __new__(cls, form: str, /, **parts: object) -> Sentence:
        kept = {name: as_text(part) for name, part in parts.items()}
        made = super().__new__(cls, filled(form, kept))
        made.form, made.parts = form, kept
        return made

    def __reduce__(self) -> tuple[Callable[..., Sentence], tuple[str, dict[str, str]]]:
        return _remade, (self.form, self.parts)


class Name(str):
    """A name chosen by a user, which is never translated, even if it is an English word."""


class Resource(str):
    """A compute unit, a memory level or a link, whose name may be translated, such as `memory`."""


def as_text(part: object) -> str:
    """Return a part as text, which for an error is its message.

    >>> as_text(240)
    '240'
    """
    text = getattr(part, "said", part)
    return text if isinstance(text, str) else str(text)


def _remade(form: str, parts: dict[str, str]) -> Sentence:
    return Sentence(form, **parts)


def filled(form: str, parts: dict[str, str]) -> str:
    """Fill the gaps of a form.

    >>> filled("<low> < B", {"low": "240"})
    '240 < B'
    """
    return GAP.sub(lambda gap: parts[gap[1]], form)


def join_pieces(pieces: Iterable[str], language: str) -> str:
    """Join pieces of a sentence. Chinese text has no spaces between its characters, but one next to Latin letters.

    >>> join_pieces(("当 ", "任何 ", "B", "（见下）", " 时"), "zh"), join_pieces(("没有", "hbm"), "zh")
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


def joined(form: str, texts: Iterable[str]) -> str:
    """Join several texts, two at a time, with a form that has the gaps `first` and `second`.

    >>> joined("<first>; <second>", ["a", "", "b", "c"])
    'a; b; c'
    """
    first, *rest = [text for text in texts if text] or [""]
    for second in rest:
        first = Sentence(form, first=first, second=second)
    return first


def padded(text: str, width: int = 0) -> str:
    """Pad a text with spaces to a number of columns, of which a Chinese character takes two.

    >>> padded("BD", 4) + ".", padded("算术", 6) + "."
    ('BD  .', '算术  .')
    """
    return text + " " * (width - columns(text))


def columns(text: str) -> int:
    """Return the number of terminal columns that a text takes."""
    return len(text) if text.isascii() else len(text) + sum(east_asian_width(sign) in "WF" for sign in text)
