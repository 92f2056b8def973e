"""Questions for Moodle STACK: a response tree with a node for the key and one for each slip, and tests of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import sympy
from sympy.printing.str import StrPrinter

from roofproof.claims.answers.question import SOLVED, Key, Question, right_value
from roofproof.errors import RoofproofError, quoted
from roofproof.export.banks import Files
from roofproof.export.banks._prose import html, in_words
from roofproof.export.banks._solution import hints, why, worked
from roofproof.export.latex.templates import environment
from roofproof.export.words.catalogue import Catalogue
from roofproof.teach import Bank, Variant
from roofproof.teach.written import Written

NEAR = "0.005"  # a number agrees with another to three digits or so; the answers offered lie further apart


# Constants of STACK and words of Maxima: no student can write a size that is called so.
TAKEN = frozenset((
    "e", "i", "j", "pi", "phi", "gamma", "inf", "minf", "infinity", "und", "ind", "true", "false", "and", "or", "not",
    "if", "then", "elseif", "else", "do", "while", "for", "from", "step", "thru", "in", "unless", "next", "done",
    "nounand", "nounor", "nounnot",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the tree: the test that an answer is put to, and what is said where it passes."""

    name: int
    test: str
    option: str
    value: str  # in Maxima
    score: int
    says: str
    next: int


def export(bank: Bank, made: Sequence[Variant], lang: str) -> Files:
    """Return one XML file for Moodle's import. Raises RoofproofError for an answer that Maxima has no words for."""
    words = Catalogue(lang, "banks")
    template = environment("roofproof.export.banks", {"xml": escape, "cdata": _cdata}).get_template("stack.xml.j2")
    title = bank.titled(lang)
    asked = [_asked(v, words) for v in made]
    return {"stack.xml": (template.render(title=title, questions=asked), f"{len(asked)} questions for STACK")}


def _asked(variant: Variant, words: Catalogue) -> dict[str, object]:
    question = variant.asked
    label = bool(question.key.label)
    prompt = ""
    if question.asks in SOLVED and not label and question.asks not in ("smallest", "largest"):
        sign = "<" if question.key.there is not None and question.key.there.kind == "below" else ">"
        prompt = words.say("only-the-bound", unknown=question.unknown or "", sign=sign)
    elif question.asks == "time":
        prompt = words["in-seconds"]
    return {
        "id": variant.id, "exercise": variant.exercise.id, "text": _html(variant.written(words.language)),
        "prompt": prompt, "form": "" if label else _form(variant, words), "points": variant.exercise.points,
        "options": [(o, in_words(o, words)) for o in variant.options] if label else (),
        "nodes": list(_nodes(variant, words)),
        "hints": [_html(h) for h in hints(variant, words.language)], "worked": worked(variant, words.language),
    }  # fmt: skip


def _form(variant: Variant, words: Catalogue) -> str:
    """Return what stands in the field before something is typed: a form that Maxima reads, and not the answer."""
    value = right_value(variant.asked.key, variant.asked)
    names = sorted(s.name for s in value.free_symbols) if value is not None else ()
    return words.say("form-formula", example=f"3*{names[0]}/({names[-1]} + 1)") if names else words["form-number"]


def _nodes(variant: Variant, words: Catalogue) -> Iterator[Node]:
    every = [(variant.asked.key, words["right-answer"], 1)]
    every += [(d.key, why(d, words.language), 0) for d in variant.distractors]
    for place, (key, says, score) in enumerate(every):
        value = maxima(key, variant.asked)
        test, option = ("String", "") if key.label else ("AlgEquiv", "")
        number = None if key.label else right_value(key, variant.asked)
        if number is not None and number.is_Rational and (key.integer is None):
            test, option = "NumRelative", NEAR
        yield Node(place, test, option, value, score, says, place + 1 if place + 1 < len(every) else -1)


def maxima(key: Key, asked: Question) -> str:
    """Return an answer in Maxima: a word as a string, a threshold as its bound.

    >>> asked = Question.of({"op": "matmul", "asks": "bytes"}, {})
    >>> maxima(asked.key, asked)
    '2*B*D + 2*B*F + 2*D*F'

    Raises RoofproofError for an answer of two bounds, and for a size that has a name with a meaning.
    """
    if key.label:
        return f'"{key.label}"'
    value = right_value(key, asked)
    for name in sorted({s.name for s in asked.op.dims} & TAKEN):
        raise RoofproofError(
            "<name> is no size in STACK: it means something else there; rename the size, or write another format",
            name=quoted(name),
        )
    if value is None:
        raise RoofproofError("an answer of two bounds has no form in STACK; write the bank in another format")
    return str(_Printer().doprint(value))


class _Printer(StrPrinter):  # type: ignore[misc]  # SymPy has no types
    """Formulas in Maxima's signs."""

    def _print_Pow(self, expr: sympy.Pow, rational: bool = False) -> str:
        if expr.exp == sympy.Rational(1, 2):
            return f"sqrt({self._print(expr.base)})"
        return str(super()._print_Pow(expr, rational)).replace("**", "^")

    def _print_Max(self, expr: sympy.Max) -> str:
        return f"max({', '.join(map(self._print, expr.args))})"

    def _print_Min(self, expr: sympy.Min) -> str:
        return f"min({', '.join(map(self._print, expr.args))})"

    def _print_ceiling(self, expr: sympy.Expr) -> str:
        return f"ceiling({self._print(expr.args[0])})"


def _html(text: Written) -> str:
    """Return a text of an exercise in HTML; two brackets would begin a block of STACK."""
    return html(text).replace("[[", "[&#91;")


def _cdata(text: str) -> str:
    """Return text for a CDATA section, which `]]>` would end."""
    return text.replace("]]>", "]]]]><![CDATA[>")
