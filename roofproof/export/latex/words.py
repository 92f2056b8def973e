"""The words between the formulas of a document."""

from functools import cache

from roofproof.say import Words


@cache
def words(lang: str) -> Words:
    """Return the words of a language by their English keys.

    >>> words("en")["never"], words("zh")["never"]
    ('never', '永不')

    Raises RoofproofError for an unsupported language.
    """
    return Words(lang)


def between(word: str) -> str:
    r"""Return a word between two formulas, with its spaces, which XeLaTeX drops next to Chinese inside `\text`.

    >>> between("and"), between("且")
    (' \\text{ and } ', '\\ \\text{且}\\ ')
    """
    return rf" \text{{ {word} }} " if word.isascii() else rf"\ \text{{{word}}}\ "
