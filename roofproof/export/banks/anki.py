"""Cards for Anki: the question in front, the answer, its usual mistakes and its derivation behind."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from roofproof.export.banks import Files
from roofproof.export.banks._prose import html, in_words
from roofproof.export.banks._solution import exact, hints, why, worked
from roofproof.export.words.catalogue import Catalogue
from roofproof.teach import Bank, Variant

HEAD = "#separator:tab\n#html:true\n#notetype:Basic\n#deck:{title}\n#guid column:1\n#tags column:4\n"


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return one text file of notes for Anki's import; a card that is imported again takes the place of the old one."""
    words = Catalogue(lang, "banks")
    title = " ".join(bank.titled(lang).split())  # the head has one line for it
    notes = ["\t".join(_note(v, title, words)) for v in made]
    return {"anki.txt": (HEAD.format(title=title) + "\n".join(notes) + "\n", f"{len(made)} cards for Anki")}


def _note(variant: Variant, title: str, words: Catalogue) -> tuple[str, str, str, str]:
    """Return what tells a note from others, its front, its back, and its tag."""
    lang = words.language
    folded = [
        f"<details><summary>{words['hint']}</summary>{html(h, escape=_html)}</details>" for h in hints(variant, lang)
    ]
    more = f"<br>{_html(words.say('exactly-key', answer=exact(variant)))}" if exact(variant) else ""
    slips = [(d.shown, why(d, lang)) for d in variant.distractors]
    wrong = "".join(f"<li>{_html(shown)}: {_html(slip)}</li>" for shown, slip in slips if slip)
    listed = f"<p>{words['usual-slips']}</p><ul>{wrong}</ul>" if wrong else ""
    back = f"{_html(in_words(variant.key, words))}{more}{listed}<pre>{_html(worked(variant, lang).rstrip())}</pre>"
    front = html(variant.written(lang), escape=_html) + "".join(folded)
    return _html(f"roofproof {title} {variant.id}"), front, back, variant.exercise.id


def _html(text: str) -> str:
    r"""Return text for a field: no tab, no end of a line and no quote at its start ends it.

    >>> _html('"a" < b\r\n#c')
    '&quot;a&quot; &lt; b<br>#c'
    """
    return "<br>".join(escape(text).replace("\t", " ").splitlines())
