"""The words of one language, from the table beside this file: terms of the field, and sentences of a part."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

from roofproof.errors import refuse_unknown
from roofproof.sentences import Name, Sentence, filled

LANGUAGES = ("en", "zh")
_GAP = re.compile(r"<([a-z]+)>")


@cache
def words_of(name: str) -> dict[str, Any]:
    """Return a part of the table of words; one at a time, as all of them take long to read.

    >>> words_of("terms")["arithmetic-intensity"]["zh"]
    '算术强度'
    """
    text = (files(__package__) / "catalogue.toml").read_text(encoding="utf-8")
    return tomllib.loads(text.split(f"\n[{name}]\n")[1].partition("\n[")[0])


class Catalogue(dict[str, str]):
    """The words of one language: the terms, and the sentences of some parts, of which the later ones go first.

    >>> words = Catalogue("zh", "plots")
    >>> words["compute-bound"], words.say("roofline-of", subject="matmul")
    ('计算受限', 'Roofline（屋顶线）模型：matmul')

    Raises RoofproofError for a language that is not written.
    """

    def __init__(self, language: str, *parts: str) -> None:
        refuse_unknown("language", language, LANGUAGES)
        self.language = language
        for part in ("terms", *parts):
            self |= {key: each[language] for key, each in words_of(part).items()}

    def say(self, key: str, **parts: str) -> str:
        """Return a sentence with its gaps filled."""
        return filled(self[key], {name: self.told(part) for name, part in parts.items()})

    def told(self, text: str) -> str:
        """Return a sentence in this language; what is none, a formula or a name, stays as it is.

        >>> Catalogue("zh").told(Sentence("<part> divides <whole>", part="t", whole="B"))
        't 整除 B'
        """
        return translated(text, self.language)

    def of_figure(self, convention: str, status: str) -> str:
        """Return the note on a figure of a chip, with its status; words of its source's own stay as they are.

        >>> Catalogue("zh").of_figure("dense; printed 66.9 TFLOP/s; sparse (2:4); VPU", "third-party")
        '稠密；印作 66.9 TFLOP/s；稀疏 (2:4)；VPU；第三方'
        """
        said = [clause.strip() for clause in convention.split(";") if clause.strip()]
        if self.language == "en":
            return "; ".join(part for part in (convention, status) if part)
        known = [self.get(status.replace(" ", "-"), status)] if status else []
        return self["semicolon"].join([*map(self._of_figure, said), *known])

    def _of_figure(self, clause: str) -> str:
        word, _, rest = clause.partition(" ")
        if word == "printed" and rest:
            return self.say("figure-printed", value=rest)
        if word == "sparse" and rest.startswith("("):
            return f"{self['figure-sparse']} {rest}"
        return self.get(f"figure-{clause.replace(' ', '-')}", clause)


def clauses(convention: str, language: str) -> list[str]:
    """Return the counting convention of an operation, clause by clause; formulas stand between dollar signs.

    >>> clauses("5 FLOPs an element: maximum, difference, exponential, sum, quotient; exactly 5N - 2 a row", "zh")
    ['每个元素 5 FLOP：最大值、减、指数、求和、除', '精确地说每行 $5N - 2$']
    """
    if isinstance(convention, Sentence):
        if convention.form == "<first>; <second>":
            return [clause for part in convention.parts.values() for clause in clauses(part, language)]
        return [translated(convention, language)]
    every = [clause.strip() for clause in convention.split(";") if clause.strip()]
    return every if language == "en" else [_clause(clause) for clause in every]


def _clause(clause: str) -> str:
    """Return a clause in Chinese, by its words or by the form that it has; one of neither stays as it is.

    >>> _clause("all-reduce over n: z[B]{U_n} -> z[B], 2*B bytes")
    '在 n 上 all-reduce：z[B]{U_n} -> z[B]，2*B 字节'
    """
    words = words_of("clauses")
    if clause in words:
        return str(words[clause])
    for form in (form for form in words if "<" in form):
        between = map(re.escape, _GAP.split(form)[::2])
        if found := re.fullmatch("(.+)".join(between), clause):
            return filled(words[form], dict(zip(_GAP.findall(form), found.groups(), strict=True)))
    return clause


@cache
def _table() -> dict[str, dict[str, str]]:
    text = (files(__package__) / "sentences_zh.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def _sentences() -> dict[str, str]:
    """Return the sentences of the library in Chinese, by their English form; those of answers are asked for alone."""
    return {form: said for part, every in _table().items() if part != "document" for form, said in every.items()}


def in_language(form: str, language: str) -> str:
    """Return the form of a sentence in a language.

    >>> in_language("for all <names>", "zh")
    '对所有 <names>'
    """
    if language == "en":
        return form
    return _table()["document"].get(form) or _sentences().get(form, form)


def translated(text: str, language: str, leaf: Callable[[str], str] = str, word: Callable[[str], str] = str) -> str:
    """Return a sentence in a language: its words as `word` writes them, what is no sentence as `leaf` does.

    >>> translated(Sentence("<what> when <condition>", what=Sentence("never"), condition="D <= 240"), "zh")
    '永不（当 D <= 240 时）'
    """
    form, parts = (text.form, text.parts) if isinstance(text, Sentence) else (text, {})
    if isinstance(text, Name):
        return Name(leaf(text))
    if language != "en" and form in _sentences():
        form = _sentences()[form]
    elif not isinstance(text, Sentence):
        return leaf(text)
    inner = {name: translated(part, language, leaf, word) for name, part in parts.items()}
    pieces = re.split("<([a-z_]+)>", form)
    return "".join(inner[piece] if place % 2 else word(piece) if piece else "" for place, piece in enumerate(pieces))
