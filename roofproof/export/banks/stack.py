"""Questions for Moodle STACK: a response tree with a node for the key and one for each mistake, and question tests.

The variants of an exercise with the same kind of answer are one question. The seed selects the variant, and each seed
is deployed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from roofproof.claims.answers.question import SOLVED, Key, Question, right_value
from roofproof.errors import RoofproofError, quoted
from roofproof.export.banks import Files
from roofproof.export.banks._maxima import formula, is_taken
from roofproof.export.banks._prose import InQuestion, in_words, reason, sizes_of
from roofproof.export.banks._solution import hints
from roofproof.export.latex.templates import environment
from roofproof.say import Words
from roofproof.teach import Bank, Variant
from roofproof.teach.distractors import Distractor
from roofproof.teach.marked_text import MarkedText

NEAR = "0.005"  # relative tolerance, about three digits, less than between the answers offered


@dataclass(frozen=True, slots=True)
class ResponseNode:
    """A node of the response tree: the test of an answer, and the feedback if it passes."""

    name: int
    test: str
    option: str
    values: tuple[str, ...]  # in Maxima, by variant: without this mistake the key, which an earlier node takes
    score: int
    says: str  # in HTML
    next: int


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return one XML file for Moodle's import. Raises RoofproofError for an answer that Maxima cannot express."""
    words = Words(lang)
    template = environment("roofproof.export.banks", {"xml": escape, "cdata": _cdata}).get_template("stack.xml.j2")
    title = bank.titled(lang)
    asked = [_question_fields(list(each), words) for _, each in groupby(_sorted(made), key=_kind)]
    text = template.render(title=title, questions=asked)
    return {"stack.xml": (text, f"{len(asked)} questions for STACK")}


def _sorted(made: Sequence[Variant]) -> list[Variant]:
    """Return variants grouped by exercise, in the order of the exercises."""
    places = {v.exercise.id: place for place, v in reversed(list(enumerate(made)))}
    return sorted(made, key=lambda v: (places[v.exercise.id], _kind(v)))


def _kind(variant: Variant) -> tuple[str, str, str, str]:
    """Return the key that variants of one question share: exercise, kind of the answer, and its prompt."""
    test, option = _test(variant.asked.key, variant.asked)
    return variant.exercise.id, test, option, _prompt(variant.asked)


def _prompt(question: Question) -> str:
    """Return the key of the prompt for an answer: the sign of a threshold, `in-seconds`, or an empty string."""
    if question.asks in SOLVED and not question.key.label and question.asks not in ("smallest", "largest"):
        return (
            "<"
            if question.key.allowed_threshold is not None and question.key.allowed_threshold.kind == "below"
            else ">"
        )
    return "in-seconds" if question.asks == "time" else ""


def _question_fields(made: Sequence[Variant], words: Words) -> dict[str, object]:
    variant = made[0]
    question = variant.asked
    lang, label = words.language, bool(question.key.label)
    sign = _prompt(question)
    prompt = ""
    if sign in ("<", ">"):
        form = "Give the right side of <unknown> <sign>"
        prompt = words.say(form, unknown=question.unknown or "", sign=sign)
    every = [[_html(h, v) for h in hints(v, lang)] for v in made]
    nodes = list(_nodes(made, words))
    known = [n for n in nodes if n.score or not set(n.values) & set(nodes[0].values)]  # in every variant
    return {
        "id": variant.id, "exercise": variant.exercise.id,
        "text": _chosen([_html(v.marked_text(lang), v) for v in made]),
        "prompt": words["In seconds:"] if sign == "in-seconds" else prompt,
        "form": "" if label else _form(variant, words),
        "points": variant.exercise.points, "seeds": [v.number for v in made], 
        "options": [[(o, in_words(o, words), o == v.key) for o in v.options] for v in made] if label else (),
        "nodes": nodes, "tests": known,
        "hints": [_chosen([h[min(k, len(h) - 1)] for h in every]) for k in range(max(map(len, every)))],
        "worked": _chosen([_still(InQuestion.worked(v, lang)) for v in made]),
    }  # fmt: skip


def _chosen(texts: Sequence[str]) -> str:
    """Return the text of all variants: one text if all are equal, or a STACK block for each.

    >>> _chosen(["a", "a"]), _chosen(["a", "b"])
    ('a', "[[if test='rp_variant=1']]a[[/if]][[if test='rp_variant=2']]b[[/if]]")
    """
    if len(set(texts)) == 1:
        return texts[0]
    return "".join(f"[[if test='rp_variant={place}']]{text}[[/if]]" for place, text in enumerate(texts, 1))


def _form(variant: Variant, words: Words) -> str:
    """Return the placeholder of a field: an example that Maxima can parse and that is not the answer."""
    value = right_value(variant.asked.key, variant.asked)
    names = sorted(s.name for s in value.free_symbols) if value is not None else ()
    if not names:
        return words["a number, such as 1.5e3 or 3/2"]
    return words.say("a formula, such as <example>", example=f"3*{names[0]}/({names[-1]} + 1)")


def _nodes(made: Sequence[Variant], words: Words) -> Iterator[ResponseNode]:
    """Yield a node for the key, then one for each mistake in any variant."""
    keys = tuple(maxima(v.asked.key, v.asked) for v in made)
    slips = list(dict.fromkeys(slip for v in made for slip in _slips(v)))
    test, option = _test(made[0].asked.key, made[0].asked)
    yield ResponseNode(0, test, option, keys, 1, escape(words["Right."]), 1 if slips else -1)
    for place, slip in enumerate(slips, 1):
        own = [_slips(v).get(slip) for v in made]
        values = tuple(maxima(d.key, v.asked) if d else key for v, d, key in zip(made, own, keys, strict=True))
        first, asked = next((d, v.asked) for v, d in zip(made, own, strict=True) if d)
        told = [reason(d or first, v, words.language) for d, v in zip(own, made, strict=True)]
        said = [_still(InQuestion.sentence(each)) for each in told]
        after = place + 1 if place < len(slips) else -1
        yield ResponseNode(place, *_test(first.key, asked), values, 0, _chosen(said), after)


def _slips(variant: Variant) -> dict[tuple[str, int, str], Distractor]:
    """Return the wrong answers of a variant by mistake, position among those of the same mistake, and answer test."""
    found: dict[tuple[str, int, str], Distractor] = {}
    for each in variant.distractors:
        place = sum(each.slip == slip for slip, _, _ in found)
        found[each.slip, place, _test(each.key, variant.asked)[0]] = each
    return found


def _test(key: Key, asked: Question) -> tuple[str, str]:
    """Return the answer test and its option for a key: a word, a number within a tolerance, or a formula."""
    number = None if key.label else right_value(key, asked)
    if number is not None and number.is_Rational and key.integer is None:
        return "NumRelative", NEAR
    return ("String", "") if key.label else ("AlgEquiv", "")


def maxima(key: Key, asked: Question) -> str:
    """Return an answer in Maxima: a word as a string, a threshold as its bound.

    >>> asked = Question.of({"op": "matmul", "asks": "bytes"}, {})
    >>> maxima(asked.key, asked)
    '2*B*D + 2*B*F + 2*D*F'

    Raises RoofproofError for an answer with two bounds, and for a size whose name has a meaning in STACK.
    """
    if key.label:
        return f'"{key.label}"'
    value = right_value(key, asked)
    for name in sorted(filter(is_taken, (s.name for s in asked.op.dims))):
        raise RoofproofError(
            "<name> cannot be a size in STACK: it means something else there; rename the size, or write another format",
            name=quoted(name),
        )
    if value is None:
        raise RoofproofError("STACK has no form for an answer of two bounds; choose another format")
    return formula(value)


def _html(text: MarkedText, variant: Variant) -> str:
    """Return a text of an exercise in HTML."""
    return _still(InQuestion.text(text, sizes_of(variant)))


def _still(text: str) -> str:
    """Return HTML in which nothing begins a STACK block or a computed value, whatever text follows it.

    >>> _still("x[[B]] {@1+1@} {#a#}")
    'x&#91;[B]] {&#64;1+1@} {&#35;a#}'
    """
    return re.sub(r"\[(?=\[|\Z)", "&#91;", text).replace("{@", "{&#64;").replace("{#", "{&#35;")


def _cdata(text: str) -> str:
    """Return text for a CDATA section, which `]]>` would end."""
    return text.replace("]]>", "]]]]><![CDATA[>")
