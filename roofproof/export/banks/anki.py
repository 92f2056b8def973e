"""Cards for Anki: the question in front, the answer, its usual mistakes and its derivation behind."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from roofproof.export.banks import Files
from roofproof.export.banks._prose import html, in_words
from roofproof.export.banks._solution import exact, hints, lettered, questions, why, worked
from roofproof.export.words.catalogue import Catalogue
from roofproof.teach import Bank, Variant

HEAD = "#separator:tab\n#html:true\n#notetype:Basic\n#deck:{title}\n#guid column:1\n#tags column:4\n"


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return one text file of notes for Anki's import; a card that is imported again takes the place of the old one."""
    words = Catalogue(lang, "banks")
    title = " ".join(bank.titled(lang).split())  # the head has one line for it
    notes = ["\t".join(_note(parts, title, words)) for parts in questions(made)]
    for each in bank.essays:
        front, back = (html(text, escape=_html) for text in (each.written(lang), each.model(lang)))
        notes.append("\t".join((_html(f"roofproof {title} {each.id}"), front, back, each.id)))
    return {"anki.txt": (HEAD.format(title=title) + "\n".join(notes) + "\n", f"{len(notes)} cards for Anki")}


def _note(parts: Sequence[Variant], title: str, words: Catalogue) -> tuple[str, str, str, str]:
    """Return the identity, front, back and tag of a note; the parts of a stem are one note."""
    first, lang = parts[0], words.language
    stem = first.stem(lang)
    front = html(stem, escape=_html) + "".join(f"{_before(v)}{_front(v, words)}" for v in parts)
    back = "".join(f"{_before(v)}{_back(v, words)}" for v in parts)
    id = f"{first.exercise.group}-{first.number:03d}" if stem else first.id
    return _html(f"roofproof {title} {id}"), front, back, first.exercise.group


def _before(variant: Variant) -> str:
    return f"<p><b>{lettered(variant)}</b></p>" if variant.exercise.part else ""


def _front(variant: Variant, words: Catalogue) -> str:
    said = [html(h, escape=_html) for h in hints(variant, words.language)]
    folded = [f"<details><summary>{words['hint']}</summary>{hint}</details>" for hint in said]
    return html(variant.part(words.language), escape=_html) + "".join(folded)


def _back(variant: Variant, words: Catalogue) -> str:
    lang = words.language
    more = f"<br>{_html(words.say('exactly-key', answer=exact(variant)))}" if exact(variant) else ""
    slips = [(d.shown, why(d, lang)) for d in variant.distractors]
    wrong = "".join(f"<li>{_html(shown)}: {_html(slip)}</li>" for shown, slip in slips if slip)
    listed = f"<p>{words['usual-slips']}</p><ul>{wrong}</ul>" if wrong else ""
    return f"{_html(in_words(variant.key, words))}{more}{listed}<pre>{_html(worked(variant, lang).rstrip())}</pre>"


def _html(text: str) -> str:
    r"""Return text for a field: no tab, no end of a line and no quote at its start ends it.

    >>> _html('"a" < b\r\n#c')
    '&quot;a&quot; &lt; b<br>#c'
    """
    return "<br>".join(escape(text).replace("\t", " ").splitlines())
