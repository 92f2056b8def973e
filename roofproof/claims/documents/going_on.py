r"""Formulas that go on: a display that begins with `=`, and "即" between two inequalities of a sentence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from roofproof.claims.documents.names import Names
from roofproof.claims.documents.places import SourceFormula
from roofproof.claims.documents.reading import Statement, checked, read_formula
from roofproof.errors import RoofproofError
from roofproof.formula.reader import read_statement
from roofproof.formula.tree import Comparison, Name, Tree, is_op, names_in

_BEGINS = re.compile(
    r"(?P<before>\s*(?:\\begin\{[A-Za-z]+\*?\}(?:\{\d+\})?\s*)?&?(?:\{\})?\s*)"
    r"(?P<sign>[=<>≈≤≥]|\\(?:approx\w*|[lg]eq?|simeq|[lg]t|leqslant|geqslant)(?![A-Za-z]))"
)
_BETWEEN = re.compile(r"[\s,，;；。]*(?:即|亦即|也就是(?:说)?|等价于|i\.e\.,?|that is,?|or equivalently,?)[\s:：,，]*")
_OPENED = re.compile(r"(?:\$\$?|\\\\?[\[(])\Z")
_LETTERS = "ZQXYUVJGHKAMNESRCWLPITBDF"  # one that is not used stands for what a display goes on from


def goes_on(formula: SourceFormula) -> bool:
    """Tell whether a display begins with a sign between two values.

    >>> [goes_on(SourceFormula(text, 0, 1, True)) for text in ("= 2 B", r"\\approx 3", "I = 2", "-x = 2")]
    [True, True, False, False]
    """
    return formula.display and _BEGINS.match(formula.text) is not None


def gone_on(formula: SourceFormula, names: Names, before: Sequence[Statement]) -> list[Statement]:
    r"""Return the claims of a display that continues the one before it.

    >>> text = ["I = 2BDF/(2BD + 2DF)", "= BF/(B + F)"]
    >>> before = read_formula(SourceFormula(text[0], 0, 1, True), Names(text))
    >>> gone_on(SourceFormula(text[1], 0, 2, True), Names(text), before)[0].text
    '2 B D F / (2 B D + 2 D F) == B F / (B + F)'
    """
    source = " ".join(formula.text.split())
    last = _last(before[-1]) if before else None
    letter = next((each for each in _LETTERS if each not in names.text), "")
    if last is None or not letter:
        why = "it goes on from a formula above it that is not read, or has no value at its end"
        return [Statement("unread", why, formula.line, source)]
    begun = _BEGINS.match(formula.text)
    assert begun is not None
    at = begun.end("before")
    first, *rest = read_formula(replace(formula, text=f"{formula.text[:at]}{letter} {formula.text[at:]}"), names)
    if first.kind == "unread":
        column = re.compile(r"^column (\d+)")
        first = replace(first, text=column.sub(lambda n: f"column {max(int(n[1]) - 2, 1)}", first.text))
    else:
        first = _joined(first, letter, last)
    return [replace(each, source=source) for each in (first, *rest)]


def _last(said: Statement) -> Tree | None:
    """Return the last value of a chain."""
    node = read_statement(said.text) if said.kind in ("claim", "definition") else None
    while is_op(node, "<=>", "=>"):
        node = node.args[-1]
    return node.operands[-1] if isinstance(node, Comparison) else None


def _joined(said: Statement, letter: str, last: Tree) -> Statement:
    node = read_statement(said.text) if said.kind in ("claim", "definition") else None
    if not isinstance(node, Comparison) or node.operands[0] != Name(letter):
        why = "a display that goes on from the one above is a chain of values"
        return replace(said, kind="unread", text=why, let=())
    try:
        told = checked(replace(node, operands=(last, *node.operands[1:])), names_in(last))
    except RoofproofError as problem:
        return replace(said, kind="unread", text=str(problem), let=())
    return replace(told, line=said.line, source=said.source, regime=said.regime, remark=said.remark)


def equivalent(
    text: str, found: Sequence[SourceFormula], stated: Mapping[int, list[Statement]]
) -> dict[int, list[Statement]]:
    r"""Join two inequalities with "即" or "i.e." between them into one claim: each holds with the other.

    >>> from roofproof.claims.documents.places import formulas
    >>> text = "它要求 $2B > 480$，即 $B > 240$。"
    >>> found = formulas(text)
    >>> read = {k: read_formula(each, Names([text])) for k, each in enumerate(found)}
    >>> [[said.text for said in each] for each in equivalent(text, found, read).values()]
    [['2 B > 480 <=> B > 240'], []]
    """
    made = {k: list(each) for k, each in stated.items()}
    for k in sorted(made, reverse=True):
        gap = _OPENED.sub("", text[found[k - 1].stop : found[k].start]) if k else ""
        if k - 1 in made and _BETWEEN.fullmatch(gap) and len(made[k - 1]) == len(made[k]) == 1:
            [one], [two] = made[k - 1], made[k]
            if _bounds(one) and _bounds(two):
                both = f"{one.text} <=> {two.text}"
                made[k - 1], made[k] = [replace(one, text=both, source=f"{one.source}，{two.source}")], []
    return made


def _bounds(said: Statement) -> bool:
    """Tell whether a claim is an inequality, or already several that hold together."""
    node = read_statement(said.text) if said.kind == "claim" and not said.regime else None
    if is_op(node, "<=>"):
        return True
    return isinstance(node, Comparison) and set(node.relations) <= {"<", ">", "<=", ">="}
