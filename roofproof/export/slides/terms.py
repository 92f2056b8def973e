"""The words of the slides in each language: sentences with formulas in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.export.slides.labels import LABELS
from roofproof.export.slides.model import Code, Inline, Math
from roofproof.export.slides.tex import Tex, input_tex
from roofproof.say import LANGUAGES, Words

__all__ = ["LANGUAGES", "SlideWords", "inline", "join"]

_PART = re.compile(r"<(?P<name>[a-z_]+)>|\$(?P<math>[^$]+)\$")
_HOLE = re.compile(r"<([a-z_]+)>")


class SlideWords(Words):
    """The words of one language: `words(form, name=value)` is a sentence with its gaps filled in.

    >>> SlideWords("en")("No error: $I$ is <limit> at every size.", limit=Math(input_tex("2")))
    ('No error: ', Math(tex='I'), ' is ', Math(tex='2'), ' at every size.')
    >>> SlideWords("zh")("compute-bound")
    ('计算受限',)

    Values keep their type: text is escaped when the slide is written, and is never read as a formula.
    Raises RoofproofError for an unknown language.
    """

    def __init__(self, language: str) -> None:
        super().__init__(language, LABELS)

    def __call__(self, key: str, **filled: Inline | str | Math | Code | int) -> Inline:
        return fill(self[key], filled)


def join(parts: Any, sign: str) -> Inline:
    """Return several sentences joined into one by a sign.

    >>> join([("a",), (Math(input_tex("b")),)], ", ")
    ('a', ', ', Math(tex='b'))
    """
    out: list[str | Math | Code] = []
    for k, part in enumerate(parts):
        out.extend([sign] if k else [])
        out.extend(inline(part))
    return tuple(out)


def inline(part: Inline | str | Math | Code | int) -> Inline:
    """Return any part of a sentence as a sentence of its own.

    >>> inline(3), inline(Math(input_tex("x")))
    (('3',), (Math(tex='x'),))
    """
    if isinstance(part, tuple):
        return part
    return (str(part),) if isinstance(part, int) else (part,)


def fill(sentence: str, values: Mapping[str, Any]) -> Inline:
    """Return a sentence with its gaps filled in.

    >>> fill("$<x>$ at most", {"x": Math(input_tex("B"))})
    (Math(tex='B'), ' at most')

    Raises RoofproofError if a gap in a formula is filled with something other than a formula.
    """
    out: list[str | Math | Code] = []
    end = 0
    for found in _PART.finditer(sentence):
        out.extend([sentence[end : found.start()]] if found.start() > end else [])
        end = found.end()
        if found["name"]:
            out.extend(inline(values[found["name"]]))
        else:
            out.append(Math(input_tex(_HOLE.sub(lambda hole: _tex(values[hole[1]]), found["math"]))))
    out.extend([sentence[end:]] if end < len(sentence) else [])
    return tuple(out)


def _tex(part: Any) -> Tex:
    """Return the LaTeX of a value in a formula, or raise RoofproofError if the value is not a formula."""
    if not isinstance(part, Math):
        raise RoofproofError("expected a formula within a formula, got <part>", part=repr(part))
    return part.tex
