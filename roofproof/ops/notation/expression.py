"""Arithmetic expressions from outside, built into SymPy node by node.

The text is parsed by a grammar and never evaluated as code. Numbers are exact: `1.97e14` is a rational. The
bounds that keep hostile input cheap are constants at the top of this file and of arithmetic.py.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from roofproof.errors import RoofproofError, quoted
from roofproof.formula.tokens import error_at
from roofproof.sentences import joined

if TYPE_CHECKING:  # lark takes long to import, and most operations are read without it (plain_einsum.py)
    from lark import Lark, UnexpectedInput

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SIGNS = {
    "STAR": "*",
    "_TIMES": "*",
    "COMMA": ",",
    "RSQB": "]",
    "LSQB": "[",
    "_ARROW": "->",
    "EQUAL": "=",
    "SEMICOLON": ";",
}


def parsed(grammar: str, text: str, builder: object, whole: str = "") -> Any:
    """Parse a text with one of the grammars beside this file and a builder; `whole` is the text that breaks off.

    >>> parsed("sharding", "x[B", None)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 4: the sharding breaks off here
    """
    from lark import UnexpectedInput

    try:
        tree = _parser(grammar).parse(text)
    except UnexpectedInput as problem:
        raise syntax_error(text, problem, f"the {whole or grammar}", _SIGNS if whole else {}) from None
    return build(tree, builder)


@cache
def _parser(grammar: str) -> Lark:
    from lark import Lark

    return Lark.open(f"{grammar}.lark", rel_to=__file__, parser="lalr", propagate_positions=True)


def plain_digits(raised: str) -> str:
    """Return superscript digits as plain ones.

    >>> plain_digits("¹²")
    '12'
    """
    return str(raised).translate(_SUPERSCRIPTS)


def syntax_error(
    text: str, problem: UnexpectedInput, whole: str, signs: Mapping[str, str] = MappingProxyType({})
) -> RoofproofError:
    """Return the one-line error for what the grammar refused, with its column, and which of the signs are due there."""
    from lark import UnexpectedCharacters

    if isinstance(problem, UnexpectedCharacters):
        place = problem.pos_in_stream
        return _meaningless(place, repr(text[place]), problem.allowed, signs)
    token = problem.token
    if token.type == "$END":
        return error_at(len(text.rstrip()), "<whole> breaks off here", whole=whole)
    if token.type == "NUMBER":
        why = "the number <token> directly after a factor; write '*' or '^' before it"
        return error_at(token.start_pos, why, token=quoted(token))
    return _meaningless(token.start_pos, quoted(token), problem.expected, signs)


def _meaningless(place: int, token: str, allowed: Collection[str], signs: Mapping[str, str]) -> RoofproofError:
    due = [repr(sign) for terminal, sign in signs.items() if terminal in allowed]
    if not due:
        return error_at(place, "<token> has no meaning here", token=token)
    listed = joined("<first> or <second>", due)
    return error_at(place, "<token> has no meaning here; <due> may stand here", token=token, due=listed)


def build(tree: Any, builder: object) -> Any:
    """Evaluate a parse tree bottom up, without recursion: `builder` has a method for each rule.

    A method gets the tree and the values of its children. Rules imported by another grammar carry a prefix
    (`expression__sum`), which is taken off, so that one builder serves both.
    """
    from lark import Tree

    order: list[Any] = []
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        order.append(node)
        if isinstance(node, Tree):
            todo.extend(node.children)
    values: list[Any] = []
    for node in reversed(order):
        if isinstance(node, Tree):
            children = [values.pop() for _ in node.children][::-1]
            values.append(getattr(builder, str(node.data).rpartition("__")[2])(node, children))
        else:
            values.append(node)
    return values[0]


def refuse_two_readings(text: str, tree: Any, i: int, before_a_unit: bool = False) -> None:
    """Refuse `a / b c`: child `i` of a product in the text is a sign of division, and a juxtaposition follows.

    With `before_a_unit`, refuse `a / 2 GB` and `a / n GB` as well.
    """
    from lark import Tree

    divisor, slash = tree.children[i + 1], tree.children[i]
    while isinstance(divisor, Tree) and str(divisor.data).endswith("sign"):
        divisor = divisor.children[1]
    refused = ("quantity", "measured") if before_a_unit else ("juxtaposed",)
    if not (isinstance(divisor, Tree) and str(divisor.data).endswith(refused)):
        return
    leading = divisor.children[0]
    split = leading.meta.end_pos if isinstance(leading, Tree) else leading.end_pos
    whole = text[tree.meta.start_pos : divisor.meta.end_pos]
    above = text[tree.meta.start_pos : slash.start_pos].strip()
    below = text[slash.end_pos : divisor.meta.end_pos].strip()
    first, rest = text[slash.end_pos : split].strip(), text[split : divisor.meta.end_pos].strip()
    raise error_at(
        slash.start_pos,
        "<whole> can be read two ways; write <first> or <second>",
        whole=quoted(whole),
        first=quoted(f"({above}/{first}) {rest}" if before_a_unit else f"({above}/{first}) * {rest}"),
        second=quoted(f"{above}/({below})"),
    )
