"""Questions for PrairieLearn: a folder an exercise, whose variants its server draws and grades with this engine."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from roofproof.export.banks import Files
from roofproof.export.banks._prose import html, in_lines, in_words
from roofproof.export.banks._solution import hints, lettered, questions, worked
from roofproof.export.latex.templates import environment
from roofproof.export.words.catalogue import Catalogue
from roofproof.teach import Bank, Variant

AROUND = "$", "$"


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return `info.json`, `question.html`, `server.py` and `variants.json` for each exercise."""
    words = Catalogue(lang, "banks")
    title = bank.titled(lang)
    templates = environment("roofproof.export.banks", {})
    found: Files = {}
    for name in dict.fromkeys(v.exercise.group for v in made):
        about = f"exercise {name}"
        info = _info(title, name)
        drawn = questions(v for v in made if v.exercise.group == name)
        records = [_record(parts, lang) for parts in drawn]
        parts = [(_name(v), lettered(v)) for v in drawn[0]]
        page = templates.get_template("question.html.j2").render(
            parts=parts, hint=words["hint"], solution=words["solution"]
        )
        server = templates.get_template("server.py.j2").render(lang=lang)
        for file, text in (
            ("info.json", dumps(info, indent=2, ensure_ascii=False) + "\n"),
            ("question.html", page),
            ("server.py", server),
            ("variants.json", dumps(records, indent=1, ensure_ascii=False) + "\n"),
        ):
            found[f"questions/{name}/{file}"] = text, about
    for each in bank.essays:
        info = _info(title, each.id) | {"gradingMethod": "Manual"}
        asked, model = (html(text, AROUND, _html) for text in (each.written(lang), each.model(lang)))
        page = templates.get_template("essay.html.j2").render(asked=asked, model=model, label=words["model-answer"])
        for file, text in (("info.json", dumps(info, indent=2, ensure_ascii=False) + "\n"), ("question.html", page)):
            found[f"questions/{each.id}/{file}"] = text, f"exercise {each.id}"
    return found


def _info(title: str, name: str) -> dict[str, Any]:
    return {
        "uuid": str(uuid5(NAMESPACE_URL, f"roofproof/{title}/{name}")), "title": f"{title}: {name}", "topic": title,
        "tags": ["roofline"], "type": "v3",
    }  # fmt: skip


def _record(parts: Sequence[Variant], lang: str) -> dict[str, Any]:
    return {
        "stem": html(parts[0].stem(lang), AROUND, _html),
        "parts": {_name(v): _part(v, lang) for v in parts},
    }  # fmt: skip


def _name(variant: Variant) -> str:
    """Return the name of an answer's field."""
    return f"answer_{variant.exercise.part}" if variant.exercise.part else "answer"


def _part(variant: Variant, lang: str) -> dict[str, Any]:
    asked, options = variant.asked, variant.exercise.asked_with(variant.parameters)
    return {
        "text": html(variant.part(lang), AROUND, _html), "points": variant.exercise.points,
        "hints": [html(h, AROUND, _html) for h in hints(variant, lang)], "asked": options, "at": dict(asked.at),
        "answer": in_words(variant.key, Catalogue(lang)), "solution": worked(variant, lang),
    }  # fmt: skip


def _html(text: str) -> str:
    r"""Return text in HTML in which no sign begins a formula.

    >>> print(_html("5 $ < 6 $"))
    5 \$ &lt; 6 \$
    """
    return in_lines(text).replace("$", r"\$")
