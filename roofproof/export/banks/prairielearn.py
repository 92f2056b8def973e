"""Questions for PrairieLearn: a folder an exercise, whose variants its server draws and grades with this engine."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from roofproof.export.banks import Files
from roofproof.export.banks._prose import html, in_lines, in_words
from roofproof.export.banks._solution import hints, worked
from roofproof.export.latex.templates import environment
from roofproof.say import Words
from roofproof.teach import Bank, Variant

AROUND = "$", "$"


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return `info.json`, `question.html`, `server.py` and `variants.json` for each exercise."""
    words = Words(lang)
    title = bank.titled(lang)
    templates = environment("roofproof.export.banks", {})
    found: Files = {}
    for name in dict.fromkeys(v.exercise.id for v in made):
        about = f"exercise {name}"
        info = _info(title, name)
        records = [_record(v, lang) for v in made if v.exercise.id == name]
        page = templates.get_template("question.html.j2").render(hint=words["Hint"], solution=words["Solution"])
        server = templates.get_template("server.py.j2").render(lang=lang)
        for file, text in (
            ("info.json", dumps(info, indent=2, ensure_ascii=False) + "\n"),
            ("question.html", page),
            ("server.py", server),
            ("variants.json", dumps(records, indent=1, ensure_ascii=False) + "\n"),
        ):
            found[f"questions/{name}/{file}"] = text, about
    return found


def _info(title: str, name: str) -> dict[str, Any]:
    return {
        "uuid": str(uuid5(NAMESPACE_URL, f"roofproof/{title}/{name}")), "title": f"{title}: {name}", "topic": title,
        "tags": ["roofline"], "type": "v3",
    }  # fmt: skip


def _record(variant: Variant, lang: str) -> dict[str, Any]:
    asked, options = variant.asked, variant.exercise.asked_with(variant.parameters)
    return {
        "text": html(variant.written(lang), AROUND, _html),
        "hints": [html(h, AROUND, _html) for h in hints(variant, lang)], "asked": options, "at": dict(asked.at),
        "answer": in_words(variant.key, Words(lang)), "solution": worked(variant, lang),
    }  # fmt: skip


def _html(text: str) -> str:
    r"""Return text in HTML in which no sign begins a formula.

    >>> print(_html("5 $ < 6 $"))
    5 \$ &lt; 6 \$
    """
    return in_lines(text).replace("$", r"\$")
