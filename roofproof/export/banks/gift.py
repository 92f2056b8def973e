"""Multiple-choice questions in Moodle's GIFT format, with explanations of the wrong answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markupsafe import escape

from roofproof.export.banks import Files
from roofproof.export.banks._prose import InQuestion, exact_answer, reason, right_answer, sizes_of, wrong_answer
from roofproof.export.slides.model import Inline
from roofproof.say import Words
from roofproof.teach import Bank, Variant


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return one file for Moodle's import: a category for each exercise, from which a quiz draws one variant."""
    words = Words(lang)
    title = " ".join(bank.titled(lang).replace("/", " ").split())  # on one line, as a slash begins a subcategory
    parts: dict[str, list[str]] = {}
    for variant in made:
        category = f"$CATEGORY: $course$/{title}/{variant.exercise.id}"
        parts.setdefault(category, [category]).append("\n".join(_question(variant, words)))
    text = "\n\n".join(part for each in parts.values() for part in each) + "\n"
    return {"gift.txt": (text, f"{len(made)} questions for Moodle")}


def _question(variant: Variant, words: Words) -> Iterator[str]:
    """Yield the lines of a question, none of them empty: an empty line would end it."""
    lang, wrong = words.language, {d.shown: d for d in variant.distractors}
    yield f"::{_plain(variant.id)}::[html]{_plain(InQuestion.text(variant.marked_text(lang), sizes_of(variant)))} {{"
    for option in variant.options:
        each = wrong.get(option)
        shown = right_answer(variant, lang) if each is None else wrong_answer(each, variant, lang)
        said = _sentence(reason(each, variant, lang)) if each is not None else ""
        yield f"{'=' if each is None else '~'}{_sentence(shown)}" + (f"#{said}" if said else "")
    more = _sentence(exact_answer(variant, lang))
    yield f"####{f'<p>{more}</p>' if more else ''}{_plain(InQuestion.worked(variant, lang))}"
    yield "}"


def _sentence(said: Inline) -> str:
    return _plain(InQuestion.sentence(said))


def _plain(text: str) -> str:
    r"""Return text for GIFT on one line, with the special characters of GIFT escaped, and of HTML in plain text.

    >>> print(_plain("{a: b = 3 < 4} # 5"))
    \{a\: b \= 3 &lt; 4\} \# 5
    """
    return " ".join(re.sub(r"([~=#{}:\\])", r"\\\1", escape(text)).splitlines())
