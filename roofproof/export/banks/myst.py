"""Pages for MyST and Jupyter Book: one page per exercise, with all its variants and folded solutions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roofproof.export.banks import Files
from roofproof.export.banks._prose import exact_answer, markdown, marked, reason, right_answer, sizes_of, wrong_answer
from roofproof.export.banks._solution import hints
from roofproof.export.explain.worked import explain_worked
from roofproof.export.slides.markdown import escaped
from roofproof.export.to_markdown import to_markdown
from roofproof.say import Words
from roofproof.teach import Bank, Variant

PROJECT = """\
version: 1
project:
  title: {title}
  toc:
{toc}
site:
  template: book-theme
"""


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return a project: `myst.yml`, a title page, and a page for each exercise."""
    words = Words(lang)
    title = bank.titled(lang)
    pages = {v.exercise.id: [w for w in made if w.exercise.id == v.exercise.id] for v in made}
    toc = "\n".join(f"    - file: {name}.md" for name in ("index", *pages))
    found: Files = {
        "myst.yml": (PROJECT.format(title=_quoted(title), toc=toc), "the project"),
        "index.md": (f"# {escaped(title)}\n\n{escaped(bank.source)}\n", "the title page"),
    }
    for name, variants in pages.items():
        found[f"{name}.md"] = "\n".join([f"# {escaped(name)}", "", *_items(variants, words)]), f"exercise {name}"
    return found


def _quoted(text: str) -> str:
    """Return text as a double-quoted YAML string, which is a JSON string."""
    from json import dumps

    return dumps(text, ensure_ascii=False)


def _items(variants: Sequence[Variant], words: Words) -> Iterator[str]:
    for variant in variants:
        points = words.say("points: <points>", points=str(variant.exercise.points))
        lang, names = words.language, sizes_of(variant)
        told = to_markdown(explain_worked(variant.asked), lang)
        inner = _fence(":", told)
        outer = f":{inner}"
        yield f"{outer}{{exercise}} {escaped(points)}\n:label: {variant.id}\n"
        yield f"{markdown(variant.marked_text(lang), names)}\n"
        for hint in hints(variant, lang):
            yield f"{inner}{{dropdown}} {words['Hint']}\n{markdown(hint, names)}\n{inner}\n"
        yield f"{outer}\n"
        yield f"{outer}{{solution}} {variant.id}\n:class: dropdown\n\n{_answer(variant, words)}\n"
        yield f"{told}\n"
        reasons = ((wrong, reason(wrong, variant, lang)) for wrong in variant.distractors)
        mistakes = [f"- {marked(wrong_answer(wrong, variant, lang))}: {marked(why)}" for wrong, why in reasons if why]
        if mistakes:
            yield "\n".join((f"**{words['Usual mistakes']}**\n", *mistakes))
        yield f"\n{outer}\n"


def _fence(sign: str, text: str) -> str:
    """Return a fence that no line of a text closes, as it is longer than any run of its sign there.

    >>> _fence("`", "a```` b")
    '`````'
    """
    runs = re.findall(f"{sign}+", text)
    return sign * max(3, 1 + max(map(len, runs), default=0))


def _answer(variant: Variant, words: Words) -> str:
    said = exact_answer(variant, words.language)
    more = f" ({marked(said)})" if said else ""
    return f"**{words['Answer:']}** {marked(right_answer(variant, words.language))}{more}"
