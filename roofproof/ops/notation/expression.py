"""Arithmetic expressions from outside, built into SymPy node by node.

The text is parsed by a grammar and never evaluated as code. Numbers are exact: `1.97e14` is a rational. The
bounds that keep hostile input cheap are constants at the top of this file and of arithmetic.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sympy import Add, Expr, Integer, Mul, Rational

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.tokens import check_text, error_at, exact_number, placed
from roofproof.ops.notation.arithmetic import Arithmetic
from roofproof.ops.notation.glued import refuse_glued
from roofproof.sentences import joined
from roofproof.symbols import quantity

if TYPE_CHECKING:  # lark takes long to import, and most operations are read without it (plain_einsum.py)
    from lark import Lark, UnexpectedInput

Names = Callable[[str], Expr] | Mapping[str, Expr]

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


def parse_expression(text: str, names: Names = quantity) -> Expr:
    """Return the exact SymPy expression that a text in the field's notation stands for.

    >>> parse_expression("2 B D F / (B D + D F)")
    2*B*D*F/(B*D + D*F)
    >>> parse_expression("1.97e14 / 8.2e11")                   # 197/0.82, exactly
    9850/41

    `names` gives the value of a name (a function or a mapping); without it names are positive reals.
    Raises RoofproofError with the column for text that is no expression, that can be read two ways (`1/2 B`),
    or that exceeds the bounds at the top of this file.
    """
    check_text(text, "an expression")
    builder = Builder(text, names)
    found: Expr = parsed("expression", text, builder)
    if callable(names):
        refuse_glued(text, builder.seen, builder.seen)
    return found


def parsed(grammar: str, text: str, builder: object, whole: str = "") -> Any:
    """Parse a text with one of the grammars beside this file and a builder; `whole` is the text that breaks off.

    >>> parsed("expression", "B + 1", Builder("B + 1", {"B": Integer(3)}))
    4
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


class Builder(Arithmetic):
    """The meaning of each rule of the grammar, for one text; `seen` has each name used, in order of appearance.

    >>> Builder("2 B", {"B": Integer(3)}).value("B")
    3
    """

    def __init__(self, text: str, names: Names) -> None:
        Arithmetic.__init__(self)
        self.text, self.names = text, names
        self.seen: dict[str, Expr] = {}

    def value(self, name: str) -> Expr:
        if name not in self.seen:
            if not callable(self.names) and name not in self.names:
                raise unknown("name", name, self.names)
            self.seen[name] = self.names(name) if callable(self.names) else self.names[name]
        return self.seen[name]

    # --- rules ------------------------------------------------------------------------------------

    def number(self, tree: Any, children: list[Any]) -> Expr:
        return Rational(exact_number(children[0], tree.meta.start_pos))

    def name(self, tree: Any, children: list[Any]) -> Expr:
        return self.measured(placed(self.value, children[0]), tree.meta.start_pos)

    def group(self, tree: Any, children: list[Any]) -> Expr:
        return children[0]

    def sum(self, tree: Any, children: list[Any]) -> Expr:
        terms = [children[0]]
        for sign, term in zip(children[1::2], children[2::2], strict=True):
            terms.append(term if sign.type.endswith("PLUS") else Mul(Integer(-1), term))
        return self.bounded(Add(*terms), tree.meta.start_pos, children[::2])

    def sign(self, tree: Any, children: list[Any]) -> Expr:
        return children[1] if children[0].type.endswith("PLUS") else self.negated(children[1], tree.meta.start_pos)

    def juxtaposed(self, tree: Any, children: list[Any]) -> Expr:
        if children[0].is_zero:
            raise error_at(tree.meta.start_pos, "zero times something; write 0 alone")
        return self.multiplied(children, tree.meta.start_pos)

    def product(self, tree: Any, children: list[Any]) -> Expr:
        factors = [children[0]]
        for i in range(1, len(children), 2):
            if children[i].type.endswith("DIVIDE"):
                refuse_two_readings(self.text, tree, i)
                factors.append(self.reciprocal(children[i + 1], children[i].start_pos))
            else:
                factors.append(children[i + 1])
        return self.bounded(Mul(*factors), tree.meta.start_pos, children[::2])

    def power(self, tree: Any, children: list[Any]) -> Expr:
        return self.raised(children[0], children[2], tree.meta.start_pos)

    def superscript(self, tree: Any, children: list[Any]) -> Expr:
        position = tree.meta.start_pos
        return self.raised(children[0], Rational(exact_number(plain_digits(children[1]), position)), position)

    def root(self, tree: Any, children: list[Any]) -> Expr:
        return self.raised(children[1], Rational(1, 2), tree.meta.start_pos)

    def call(self, tree: Any, children: list[Any]) -> Expr:
        return self.applied(str(children[0]), children[1:], tree.meta.start_pos)
