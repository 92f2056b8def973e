"""Questions for PrairieLearn: one folder per exercise, whose server draws variants and grades them with roofproof."""

from __future__ import annotations

from collections.abc import Sequence
from json import dumps
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from markupsafe import Markup

from roofproof.export.banks import Files
from roofproof.export.banks._prose import InQuestion, in_words, right_answer, sizes_of
from roofproof.export.banks._solution import hints
from roofproof.export.latex.templates import environment
from roofproof.say import Words
from roofproof.teach import Bank, Variant


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
    names = sizes_of(variant)
    asked, options = variant.asked, variant.exercise.asked_with(variant.parameters)
    return {
        "text": _Page.text(variant.marked_text(lang), names),
        "hints": [_Page.text(h, names) for h in hints(variant, lang)], "asked": options, "at": dict(asked.at),
        "key": in_words(variant.key, Words(lang)), "answer": _Page.sentence(right_answer(variant, lang)),
        "solution": _Page.worked(variant, lang),
    }  # fmt: skip


class _Page(InQuestion):
    r"""The markup of a question for PrairieLearn, in which no character of the words begins a formula.

    >>> print(_Page.words("5 $ < 6 $"), _Page.formula("x"))
    5 \$ &lt; 6 \$ $x$
    """

    around = "$", "$"

    @staticmethod
    def words(text: str) -> Markup:
        """Return words as HTML."""
        return Markup(InQuestion.words(text).replace("$", r"\$"))
