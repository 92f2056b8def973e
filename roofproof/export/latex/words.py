"""The words between formulas of a document."""

import re
from functools import cache

from roofproof.export.latex.escaping import escape
from roofproof.export.words.catalogue import Catalogue, clauses


@cache
def words(lang: str) -> Catalogue:
    """Return the words of a language by what they mean.

    >>> words("en")["never"], words("zh")["never"]
    ('never', '永不')

    Raises RoofproofError for a language that is not written.
    """
    return Catalogue(lang, "latex", "steps")


def between(word: str) -> str:
    r"""Return a word between two formulas, with its space, which XeLaTeX drops beside Chinese inside of `\text`.

    >>> between("and"), between("且")
    (' \\text{ and } ', '\\ \\text{且}\\ ')
    """
    return rf" \text{{ {word} }} " if word.isascii() else rf"\ \text{{{word}}}\ "


def convention(text: str, lang: str) -> str:
    """Return the counting convention of an operation as text for TeX; in Chinese where the library's words are known.

    >>> convention("2 FLOPs per multiply-add", "zh")
    '每次乘加 2 FLOP'
    """
    if lang == "en" or not text:
        return escape(text)
    parts = re.split(r"(\$[^$]+\$)", "；".join(clauses(text, lang)))  # every other part is a formula
    return "".join(part if k % 2 else escape(part) for k, part in enumerate(parts))
