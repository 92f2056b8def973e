"""Questions in Moodle's GIFT format: variants with wrong answers to choose from, and why they are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape

from roofproof.export.banks import Files
from roofproof.export.banks._prose import html, in_words
from roofproof.export.banks._solution import exact, why, worked
from roofproof.say import Words
from roofproof.teach import Bank, Variant

AROUND = r"\\(", r"\\)"  # a formula: a backslash is written twice


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return one file for Moodle's import: a category for each exercise, from which a quiz draws one variant."""
    words = Words(lang)
    title = " ".join(bank.titled(lang).replace("/", " ").split())  # to the end of the line, a level after each bar
    parts: dict[str, list[str]] = {}
    for variant in made:
        category = f"$CATEGORY: $course$/{title}/{variant.exercise.id}"
        parts.setdefault(category, [category]).append("\n".join(_question(variant, words)))
    text = "\n\n".join(part for each in parts.values() for part in each) + "\n"
    return {"gift.txt": (text, f"{len(made)} questions for Moodle")}


def _question(variant: Variant, words: Words) -> Iterator[str]:
    """Yield the lines of a question, none of them empty: an empty line would end it."""
    slips = {d.shown: why(d, words.language) for d in variant.distractors}
    yield f"::{_plain(variant.id)}::[html]{html(variant.written(words.language), AROUND, _plain)} {{"
    for option in variant.options:
        sign, said = "=" if option == variant.key else "~", slips.get(option, "")
        yield f"{sign}{_plain(in_words(option, words))}" + (f"#{_plain(said)}" if said else "")
    more = f"{words.say('exactly <answer>', answer=exact(variant))}\n" if exact(variant) else ""
    yield f"####<pre>{_plain(more + worked(variant, words.language).rstrip())}</pre>"
    yield "}"


def _plain(text: str) -> str:
    r"""Return text as GIFT shows it: its signs and those of HTML written out, lines broken by tags.

    >>> print(_plain("{a: b = 3 < 4}\n# 5"))
    \{a\: b \= 3 &lt; 4\}<br>\# 5
    """
    return "<br>".join(re.sub(r"([~=#{}:\\])", r"\\\1", escape(text, quote=False)).splitlines())
