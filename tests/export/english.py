"""English where Chinese is due: two words in a row that are no name, no formula and nothing that a user wrote."""

import re

_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|“[^”]*”")
_SENTENCE = re.compile(r"[A-Za-z]{2,}[,;:]? (?:a |I )?[A-Za-z]{2,}")


def english(text: str, *allowed: str) -> list[str]:
    """Return what looks like English in a text, without what is quoted and what is allowed.

    >>> english("无法理解 'no way'；the sizes are B, D", "B, D")
    ['the sizes']
    """
    for each in sorted(allowed, key=len, reverse=True):
        text = text.replace(each, " ") if each else text
    return _SENTENCE.findall(_QUOTED.sub(" ", text))
