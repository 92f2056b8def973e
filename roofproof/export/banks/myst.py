"""Pages for MyST and Jupyter Book: a page an exercise, its variants below one another, solutions folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from roofproof.export.banks import Files
from roofproof.export.banks._pictures import file_name, svg
from roofproof.export.banks._prose import in_words, markdown
from roofproof.export.banks._solution import exact, formula, hints, lettered, questions, why, worked
from roofproof.export.slides.writing import escaped
from roofproof.export.words.catalogue import Catalogue
from roofproof.teach import Bank, Variant
from roofproof.teach.exercise import Essay
from roofproof.teach.written import SvgPicture

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
    words = Catalogue(lang, "banks")
    title = bank.titled(lang)
    pages = {v.exercise.group: [w for w in made if w.exercise.group == v.exercise.group] for v in made}
    toc = "\n".join(f"    - file: {name}.md" for name in ("index", *pages, *(each.id for each in bank.essays)))
    found: Files = {
        "myst.yml": (PROJECT.format(title=_quoted(title), toc=toc), "the project"),
        "index.md": (f"# {escaped(title)}\n\n{escaped(bank.source)}\n", "the title page"),
    }
    for name, variants in pages.items():
        found[f"{name}.md"] = "\n".join([f"# {escaped(name)}", "", *_items(variants, words)]), f"exercise {name}"
    for each in bank.essays:
        found[f"{each.id}.md"] = "\n".join([f"# {escaped(each.id)}", "", *_essay(each, words)]), f"exercise {each.id}"
    for picture in (p for v in made for p in (*v.stem(lang), *v.part(lang)) if isinstance(p, SvgPicture)):
        found[file_name(picture)] = svg(picture), "a figure"
    return found


def _quoted(text: str) -> str:
    """Return text as YAML in double quotes, which is text in JSON."""
    from json import dumps

    return dumps(text, ensure_ascii=False)


def _items(variants: Sequence[Variant], words: Catalogue) -> Iterator[str]:
    for variant in (v for parts in questions(variants) for v in parts):
        if (stem := variant.stem(words.language)) and variant.exercise.part == "a":
            yield f"{markdown(stem)}\n"
        points = words.say("points", points=str(variant.exercise.points))
        told = worked(variant, words.language).rstrip()
        code, inner = _fence("`", told), _fence(":", told)
        outer = f":{inner}"
        yield f"{outer}{{exercise}} {escaped(f'{lettered(variant)} {points}'.strip())}\n:label: {variant.id}\n"
        yield f"{markdown(variant.part(words.language))}\n"
        for hint in hints(variant, words.language):
            yield f"{inner}{{dropdown}} {words['hint']}\n{markdown(hint)}\n{inner}\n"
        yield f"{outer}\n"
        yield f"{outer}{{solution}} {variant.id}\n:class: dropdown\n\n{_answer(variant, words)}\n"
        yield f"{code}text\n{told}\n{code}\n"
        for wrong in variant.distractors:
            if slip := why(wrong, words.language):
                tex = formula(wrong.key, variant)
                yield f"- {f'${tex}$' if tex else escaped(wrong.shown)}: {escaped(slip)}"
        yield f"\n{outer}\n"


def _essay(each: Essay, words: Catalogue) -> Iterator[str]:
    points = escaped(words.say("points", points=str(each.points)))
    yield f"::::{{exercise}} {points}\n:label: {each.id}\n\n{markdown(each.written(words.language))}\n\n::::\n"
    answer = f"**{words['model-answer']}** {markdown(each.model(words.language))}"
    yield f"::::{{solution}} {each.id}\n:class: dropdown\n\n{answer}\n\n::::\n"


def _fence(sign: str, text: str) -> str:
    """Return a fence that no line of a text closes: longer than any run of its sign there.

    >>> _fence("`", "a```` b")
    '`````'
    """
    runs = re.findall(f"{sign}+", text)
    return sign * max(3, 1 + max(map(len, runs), default=0))


def _answer(variant: Variant, words: Catalogue) -> str:
    tex = formula(variant.asked.key, variant)
    more = "" if tex or not exact(variant) else f" ({escaped(words.say('exactly-key', answer=exact(variant)))})"
    return f"**{words['answer']}** {f'${tex}$' if tex else escaped(in_words(variant.key, words))}{more}"
