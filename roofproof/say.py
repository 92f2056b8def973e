"""Translation of sentences: the English form is the key, and `zh.toml` contains the Chinese.

A suffix after `||` in a form distinguishes two uses of the same English text and is never shown.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

from roofproof.errors import refuse_unknown
from roofproof.sentences import GAP, Name, Resource, Sentence, filled, join_pieces

LANGUAGES = ("en", "zh")
ANSWERS = ("document", "terms", "conventions", "slides", "figures", "exercises", "site")
"""The parts of the catalogue that `translated` never searches, so that a user's own text is not translated."""
NAMED = ("operations", "what", "clauses")
"""The parts of the catalogue that are only accessed by name."""


def checked_language(language: str) -> str:
    """Return a language, and raise RoofproofError if it is not supported.

    >>> checked_language("zh")
    'zh'
    """
    refuse_unknown("language", language, LANGUAGES)
    return language


class Words(dict[str, str]):
    """The texts of one language by their English form. `labels` are short names for some of the forms.

    >>> words = Words("zh", {"title": "Roofline: <subject>"})
    >>> words["compute-bound"], words.say("title", subject="matmul")
    ('计算受限', 'Roofline（屋顶线）模型：matmul')

    Raises RoofproofError for a language that is not supported.
    """

    def __init__(self, language: str, labels: Mapping[str, str] | None = None) -> None:
        super().__init__()
        self.language, self.labels = checked_language(language), labels or {}

    def __missing__(self, form: str) -> str:
        return in_language(self.labels.get(form, form), self.language)

    def say(self, form: str, **parts: str) -> str:
        """Return a sentence with its gaps filled."""
        return _filled(self[form], {name: self.translate(part) for name, part in parts.items()}, self.language)

    def translate(self, text: str) -> str:
        """Translate a sentence into this language, but not formulas and names.

        >>> Words("zh").translate(Sentence("<part> divides <whole>", part="t", whole="B"))
        't 整除 B'
        """
        return translated(text, self.language)


def figure_note(convention: str, status: str, language: str) -> str:
    """Return the note on a spec of a chip, with its status. Unknown words, quoted from the source, stay as they are.

    >>> figure_note("dense; printed 66.9 TFLOP/s; sparse (2:4); VPU", "third-party", "zh")
    '稠密；印作 66.9 TFLOP/s；稀疏 (2:4)；VPU；第三方'
    """
    if language == "en":
        return "; ".join(part for part in (convention, status) if part)
    said = [clause.strip() for clause in convention.split(";") if clause.strip()]
    known = [in_language(f"{status.replace('-', ' ')}||figure", language)] if status else []
    return in_language("; ", language).join([*(_figure(clause, language) for clause in said), *known])


def _figure(clause: str, language: str) -> str:
    word, _, rest = clause.partition(" ")
    if word == "printed" and rest:
        return filled(in_language("printed <value>", language), {"value": rest})
    if word == "sparse" and rest.startswith("("):
        return f"{in_language('sparse', language)} {rest}"
    return in_language(clause, language)


def clauses(convention: str, language: str) -> list[str]:
    """Return the counting convention of an operation, clause by clause, with formulas in dollar signs.

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
    """Translate a clause into Chinese by its text or its form, and return an unknown clause as it is.

    >>> _clause("all-reduce over n: z[B]{U_n} -> z[B], 2*B bytes")
    '在 n 上 all-reduce：z[B]{U_n} -> z[B]，2*B 字节'
    """
    words = table()["clauses"]
    if clause in words:
        return words[clause]
    for form in (form for form in words if "<" in form):
        between = map(re.escape, GAP.split(form)[::2])
        if found := re.fullmatch("(.+)".join(between), clause):
            return _filled(words[form], dict(zip(GAP.findall(form), found.groups(), strict=True)), "zh")
    return clause


def _filled(form: str, parts: Mapping[str, str], language: str) -> str:
    return join_pieces((parts[piece] if k % 2 else piece for k, piece in enumerate(GAP.split(form))), language)


@cache
def table() -> dict[str, dict[str, str]]:
    """Return the catalogue of translations, part by part."""
    return tomllib.loads((files("roofproof") / "zh.toml").read_text(encoding="utf-8"))


@cache
def _sentences() -> dict[str, str]:
    """Return the Chinese sentences by their English form, except those in the parts `ANSWERS` and `NAMED`."""
    parts = (every for part, every in table().items() if part not in ANSWERS + NAMED)
    return {form: said for every in parts for form, said in every.items()}


@cache
def _answers() -> dict[str, str]:
    return {form: said for part in ANSWERS for form, said in table().get(part, {}).items()}


def in_language(form: str, language: str) -> str:
    """Translate the form of a sentence.

    >>> in_language("for all <names>", "zh"), in_language("in the limit||box", "en")
    ('对所有 <names>', 'in the limit')
    """
    english = form.partition("||")[0]
    if language == "en":
        return english
    return _answers().get(form) or _answers().get(english) or _sentences().get(english, english)


def translated(text: str, language: str, leaf: Callable[[str], str] = str, word: Callable[[str], str] = str) -> str:
    """Translate a sentence. `word` formats its words, and `leaf` formats the parts that are not sentences.

    >>> translated(Sentence("<what> when <condition>", what=Sentence("never"), condition="D <= 240"), "zh")
    '永不（当 D <= 240 时）'
    """
    form, parts = (text.form, text.parts) if isinstance(text, Sentence) else (text, {})
    if isinstance(text, Name):
        return Name(leaf(text))
    if isinstance(text, Resource):
        return leaf(in_language(text, language))
    if language != "en" and form in _sentences():
        form = _sentences()[form]
    elif not isinstance(text, Sentence):
        return leaf(text)
    inner = {name: translated(part, language, leaf, word) for name, part in parts.items()}
    pieces = enumerate(GAP.split(form))
    shown = (inner[piece] if place % 2 else word(piece) if piece else "" for place, piece in pieces)
    return join_pieces(shown, language)


_TEX = ((r"\\text\{(\w+)\}", r"\1"), (r"\\log_2 (\w)", r"log2(\1)"), (r"\\leftarrow", "<-"), (r"\\dots", "..."),
        (r"\\,", ""), (r"\{([^{}]*)\}", r"(\1)"), (r"\\", ""))  # fmt: skip


def without_tex(text: str) -> str:
    r"""Convert the TeX formulas in a sentence to plain text.

    >>> without_tex(r"$y_j = e^{x_j} / \sum_i e^{x_i}$, $\log_2 N$ times")
    'y_j = e^(x_j) / sum_i e^(x_i), log2(N) times'
    """

    def plain(formula: re.Match[str]) -> str:
        text = formula[1]
        for tex, sign in _TEX:
            text = re.sub(tex, sign, text)
        return text

    return re.sub(r"\$([^$]*)\$", plain, text)
