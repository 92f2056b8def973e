"""The plain text of exercises and answers as sentences with mathematics: names of sizes, shapes, powers of ten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from markupsafe import Markup, escape

from roofproof.claims.answers.question import LABELS, Key
from roofproof.export.banks._solution import exact, formula, why
from roofproof.export.explain.worked import explain_worked
from roofproof.export.latex.expressions import symbol
from roofproof.export.slides.beamer import tex_words
from roofproof.export.slides.markdown import escaped
from roofproof.export.slides.model import Inline, Math, computed, unmarked
from roofproof.export.slides.tex import input_tex
from roofproof.export.to_html import InNotebook, body_html
from roofproof.say import Words
from roofproof.teach import Variant
from roofproof.teach.distractors import Distractor
from roofproof.teach.formulas import TexFormula
from roofproof.teach.marked_text import PARAGRAPH, MarkedText

_NUMBER = r"\d+(?:\.\d+)?(?:e-?\d+|/\d+)?"
_POWER = re.compile(r"(\d+(?:\.\d+)?)e(-?\d+)")
_WORDS = ("a", "I")  # English words, if they appear by themselves
WORDS = (*LABELS, "never", "always")  # answers that are words


def prose(text: str, names: Iterable[str]) -> Inline:
    r"""Return a text with its mathematics as formulas. `names` are the names of the sizes.

    >>> prose("Multiply x[B,D] in 50 us at 1.97e14 FLOP/s, D = 8: when is B > 2e5?", ("B", "D"))[1:6]
    (Math(tex='x[B, D]'), ' in 50 ', Math(tex='\\mu\\text{s}'), ' at ', Math(tex='1.97 \\times 10^{14}'))
    >>> prose("2 B D FLOPs", ("B", "D"))
    (Math(tex='2 B D'), ' FLOPs')
    >>> prose("6*L*d^2 without 6*L*d**2", ("L", "d"))
    (Math(tex='6 L d^{2}'), ' without ', Math(tex='6 L d^{2}'))
    >>> prose("when D, F >> B", ("B", "D", "F"))[1:]
    (Math(tex='D'), ', ', Math(tex='F \\gg B'))
    """
    return tuple(_parts(text, sorted(names, key=len, reverse=True)))


def inline(pieces: MarkedText, names: Iterable[str]) -> Inline:
    r"""Return a text of an exercise as a sentence, with its formulas and those found in its words.

    >>> from roofproof.teach.marked_text import parse_text
    >>> inline(parse_text("Is $B \\ge 2$ so if D = 8?", {}), ("B", "D"))
    ('Is ', Math(tex='B \\ge 2'), ' so if ', Math(tex='D = 8'), '?')
    """
    return tuple(part for piece in pieces for part in _inline(piece, names))


def _inline(piece: str | TexFormula, names: Iterable[str]) -> Inline:
    if isinstance(piece, TexFormula):
        return (Math(input_tex(piece.tex)),)
    return (" ",) if piece == PARAGRAPH else prose(piece, names)


def tex(pieces: MarkedText, names: Iterable[str]) -> str:
    r"""Return a text of an exercise in LaTeX.

    >>> from roofproof.teach.marked_text import parse_text
    >>> print(tex(parse_text("Is 50% of $x$ so?", {}), ()))
    Is 50\% of $x$ so?
    """
    return "".join(PARAGRAPH if piece == PARAGRAPH else tex_words(_inline(piece, names)) for piece in pieces)


class InQuestion(InNotebook):
    """The markup of a question in HTML, with each formula between the delimiters that the page expects."""

    around = (r"\(", r"\)")

    @classmethod
    def formula(cls, tex: str, *, large: bool = False) -> Markup:
        r"""Return a formula as HTML, in which nothing begins a tag.

        >>> print(InQuestion.formula("B<D"))
        \(B\lt D\)
        """
        return Markup("{}{}{}").format(cls.around[0], r"\displaystyle " * large + html_safe_tex(tex), cls.around[1])

    @staticmethod
    def words(text: str) -> Markup:
        """Return words as HTML, with tags for line breaks."""
        return Markup("<br>").join(text.splitlines()) if "\n" in text else escape(text)

    @classmethod
    def sentence(cls, said: Inline) -> Markup:
        """Return a sentence as HTML."""
        return Markup("").join(cls.formula(p.tex) if isinstance(p, Math) else cls.words(unmarked(p)) for p in said)

    @classmethod
    def text(cls, pieces: MarkedText, names: Iterable[str]) -> Markup:
        r"""Return a text of an exercise as HTML.

        >>> from roofproof.teach.marked_text import parse_text
        >>> print(InQuestion.text(parse_text("Is B < D or $B<D$?", {}), "BD"))
        Is \(B \lt D\) or \(B\lt D\)?
        """
        each = (Markup("<br><br>") if p == PARAGRAPH else cls.sentence(_inline(p, names)) for p in pieces)
        return Markup("").join(each)

    @classmethod
    def worked(cls, variant: Variant, lang: str) -> Markup:
        """Return the derivation of a variant's question as HTML."""
        return body_html(explain_worked(variant.asked), lang, cls)


def html_safe_tex(tex: str) -> str:
    """Return the TeX of a formula for an HTML page, in which nothing begins a tag."""
    return re.sub("([<>]) *", lambda sign: r"\lt " if sign[1] == "<" else r"\gt ", tex)


def markdown(pieces: MarkedText, names: Iterable[str]) -> str:
    r"""Return a text of an exercise in Markdown.

    >>> from roofproof.teach.marked_text import parse_text
    >>> print(markdown(parse_text("Is a_b or $B<D$?", {}), ()))
    Is a\_b or $B\lt D$?
    """
    return "".join(PARAGRAPH if piece == PARAGRAPH else marked(_inline(piece, names)) for piece in pieces)


def marked(said: Inline) -> str:
    """Return a sentence in Markdown."""
    return "".join(f"${html_safe_tex(p.tex)}$" if isinstance(p, Math) else escaped(unmarked(p)) for p in said)


def answer(shown: str, names: Iterable[str], lang: str) -> Inline:
    """Return an answer as a student would write it: words in the language, everything else as mathematics.

    >>> answer("memory-bound", (), "zh"), answer("B > 3", "B", "zh")
    (('访存受限',), (Math(tex='B > 3'),))
    """
    return (in_words(shown, Words(lang)),) if shown in WORDS else prose(shown, names)


def in_words(shown: str, catalogue: Words) -> str:
    """Return an answer as plain text, translated if it is a word.

    >>> in_words("memory-bound", Words("zh")), in_words("B > 3", Words("zh"))
    ('访存受限', 'B > 3')
    """
    return catalogue[shown] if shown in WORDS else shown


def wrong_answer(wrong: Distractor, variant: Variant, lang: str) -> Inline:
    """Return a wrong answer on one line."""
    return _answer(wrong.key, wrong.shown, variant, lang)


def right_answer(variant: Variant, lang: str) -> Inline:
    """Return the right answer on one line."""
    return _answer(variant.asked.key, variant.key, variant, lang)


def exact_answer(variant: Variant, lang: str) -> Inline:
    """Return the right answer before rounding, or nothing if it is not rounded."""
    said = "" if formula(variant.asked.key, variant) else exact(variant)
    return prose(Words(lang).say("exactly <answer>", answer=said), sizes_of(variant)) if said else ()


def reason(wrong: Distractor, variant: Variant, lang: str) -> Inline:
    """Return the mistake behind a wrong answer, or nothing if it is only the other word."""
    return prose(why(wrong, lang), sizes_of(variant))


def _answer(key: Key, said: str, variant: Variant, lang: str) -> Inline:
    tex = formula(key, variant, inline=True)
    return (computed(tex),) if tex else answer(said, sizes_of(variant), lang)


def sizes_of(variant: Variant) -> set[str]:
    """Return the names of the sizes that the text of a variant may use."""
    return {s.name for s in variant.asked.op.dims}


def _parts(text: str, names: list[str]) -> Iterator[str | Math]:
    name = "|".join(map(re.escape, names)) or "(?!)"
    alone = "|".join(re.escape(n) for n in names if n not in _WORDS) or "(?!)"
    power, before, after = r"(?:(?:\*\*|\^)\d+)", "(?<![A-Za-z0-9_./])", "(?![A-Za-z0-9_']|/s)"
    found = re.compile(
        rf"(?P<shape>(?:(?<![A-Za-z0-9_:])[a-z])?\[(?:{name}|\d+)(?:, ?(?:{name}|\d+))*\])"
        rf"|{before}(?P<typed>(?:\d+|{name}){power}?(?:\*(?:\d+|{name}){power}?)+){after}"
        rf"|{before}(?P<product>(?:\d+ )?(?:{alone})(?: (?:{alone}))+){after}"
        rf"|{before}(?P<chain>(?:{name})(?: ?(?:>>|[=<>]) ?(?:(?:{name}){after}|{_NUMBER}))+){after}"
        rf"|{before}(?P<number>{_POWER.pattern}){after}|(?<=\d )(?P<micro>us){after}|{before}(?P<name>{alone}){after}"
    )
    end = 0
    for each in found.finditer(text):
        if each.start() > end:
            yield text[end : each.start()]
        end = each.end()
        yield Math(input_tex(_tex(each)))
    if end < len(text):
        yield text[end:]


def _tex(found: re.Match[str]) -> str:
    if found["micro"]:
        return r"\mu\text{s}"
    text = _POWER.sub(r"\1 \\times 10^{\2}", found[0])
    if found["number"]:
        return text
    if found["typed"]:
        return re.sub(r"(?:\*\*|\^)(\d+)", r"^{\1}", text).replace("*", " ")
    if found["product"]:
        return " ".join(piece if piece.isdigit() else symbol(piece) for piece in text.split())
    spaced = re.sub(r" ?(>>|[=<>]) ?", r" \1 ", text).replace(">>", r"\gg").replace(", ", ",").replace(",", ", ")
    return re.sub(r"(?<!\\)\b[A-Za-z]\w*\b", lambda name: symbol(name[0]), spaced)
