"""The words of one language, from the table beside this file: terms of the field, and sentences of a part."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from roofproof.errors import unknown

LANGUAGES = ("en", "zh")


@cache
def table() -> dict[str, Any]:
    """Return the table of words as it stands in its file.

    >>> table()["terms"]["arithmetic-intensity"]["zh"]
    '算术强度'
    """
    return tomllib.loads((files(__package__) / "catalogue.toml").read_text(encoding="utf-8"))


class Catalogue(dict[str, str]):
    """The words of one language: the terms, and the sentences of some parts, of which the later ones go first.

    >>> words = Catalogue("zh", "plots")
    >>> words["compute-bound"], words.say("roofline-of", subject="matmul")
    ('计算受限', 'Roofline（屋顶线）模型：matmul')

    Raises RoofproofError for a language that is not written.
    """

    def __init__(self, language: str, *parts: str) -> None:
        if language not in LANGUAGES:
            raise unknown("language", language, LANGUAGES)
        self.language = language
        for part in ("terms", *parts):
            self |= {key: each[language] for key, each in table()[part].items()}

    def say(self, key: str, **parts: str) -> str:
        """Return a sentence with its gaps filled."""
        return re.sub(r"<([a-z_]+)>", lambda gap: parts[gap[1]], self[key])
