"""A search for English in Chinese output: two words in a row that are not names, formulas or user text."""

import re

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|“[^”]*”")
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? (?:a |I )?[A-Za-z]{2,}")


def english(text: str, *allowed: str) -> list[str]:
    """Return the parts of a text that look like English, except quoted and allowed ones.

    >>> english("无法理解 'no way'；the sizes are B, D", "B, D")
    ['the sizes']
    """
    for each in sorted(allowed, key=len, reverse=True):
        text = text.replace(each, " ") if each else text
    return _SENTENCE.findall(_QUOTED.sub(" ", text))
