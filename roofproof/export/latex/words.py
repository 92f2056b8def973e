"""The words between formulas, in the languages that are written."""

from __future__ import annotations

from collections.abc import Mapping

from roofproof.errors import unknown

LANGUAGES = ("en", "zh")

_EN = {
    "when": "when", "and": "and", "or": "or", "otherwise": "otherwise", "never": "never", "always": "always",
    "not": "not",
}  # fmt: skip
_ZH = {
    "when": "当", "and": "且", "or": "或", "otherwise": "否则", "never": "永不", "always": "总是", "not": "非",
}  # fmt: skip


def words(lang: str) -> Mapping[str, str]:
    """Return the words of a language by what they mean.

    >>> words("en")["never"], words("zh")["never"]
    ('never', '永不')

    Raises RoofproofError for a language that is not written.
    """
    if lang not in LANGUAGES:
        raise unknown("language", lang, LANGUAGES)
    return _EN if lang == "en" else _ZH
