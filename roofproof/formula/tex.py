r"""LaTeX split into signs, groups and macros with their arguments, whatever it means. Nothing is run.

latex.py reads LaTeX as a formula. This module serves code that needs only the parts, such as the width of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from roofproof.errors import quoted
from roofproof.formula.tokens import MAX_NESTING, error_at

ARGUMENTS = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "qty"), 2),
    **dict.fromkeys(
        ("sqrt", "text", "mathrm", "textrm", "mbox", "operatorname", "mathbf", "textbf", "mathit", "textit", "mathsf",
         "textup", "textnormal", "texttt", "emph", "boxed", "fbox", "num", "tag", "label", "begin", "end"), 1,
    ),
}  # fmt: skip
_PIECE = re.compile(r"\\(?P<macro>[A-Za-z]+)[ \t\n]*|\\(?P<sign>.)|(?P<other>.)", re.S)


@dataclass(frozen=True, slots=True)
class Group:
    """The inside of braces, or of two `$`."""

    inside: tuple[Node, ...]
    math: bool = False


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro with its arguments. An optional one, in square brackets, comes first."""

    name: str
    arguments: tuple[tuple[Node, ...], ...] = ()


Node = str | Group | Macro


def parse_tex(text: str) -> tuple[Node, ...]:
    r"""Return the parts of a text in LaTeX.

    >>> parse_tex(r"a\frac{1}2")
    ('a', Macro(name='frac', arguments=(('1',), ('2',))))

    Raises RoofproofError with the column for braces that do not close and for a macro without its argument.
    """
    nodes, end = _until(text, 0, "", 0)
    assert end == len(text)
    return nodes


def _until(text: str, at: int, closer: str, depth: int) -> tuple[tuple[Node, ...], int]:
    """Return the parts up to the sign that closes them, and the position after it."""
    opened = at - 1
    found: list[Node] = []
    while at < len(text):
        if closer and text[at] == closer:
            return tuple(found), at + 1
        node, at = _node(text, at, depth)
        found.append(node)
    if closer:
        raise error_at(opened, "<sign> is never closed", sign=repr(text[opened]))
    return tuple(found), at


def _node(text: str, at: int, depth: int) -> tuple[Node, int]:
    if depth > MAX_NESTING:
        raise error_at(at, "braces are nested more than <most> deep", most=MAX_NESTING)
    piece = _PIECE.match(text, at)
    assert piece is not None
    at = piece.end()
    match piece["other"]:
        case "{":
            inside, at = _until(text, at, "}", depth + 1)
            return Group(inside), at
        case "$":
            inside, at = _until(text, at, "$", depth + 1)
            return Group(inside, math=True), at
        case "}":
            raise error_at(at - 1, "<sign> closes nothing", sign="'}'")
        case str() as sign:
            return sign, at
    name = piece["macro"] or piece["sign"]
    arguments: list[tuple[Node, ...]] = []
    if name == "sqrt" and text[at : at + 1] == "[":
        optional, at = _until(text, at + 1, "]", depth + 1)
        arguments.append(optional)
    for _ in range(ARGUMENTS.get(name, 0)):
        while text[at : at + 1].isspace():
            at += 1
        if at >= len(text) or text[at] in "}&":
            raise error_at(piece.start(), "<macro> is missing an argument", macro=quoted("\\" + name))
        node, at = _node(text, at, depth + 1)
        arguments.append(node.inside if isinstance(node, Group) else (node,))
    return Macro(name, tuple(arguments)), at
