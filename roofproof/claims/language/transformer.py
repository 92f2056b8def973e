"""Rules of the grammar turned into nodes; what is due where is checked here, with the column."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from lark import Token

from roofproof.claims.language import nodes
from roofproof.claims.language.lexer import Doubt
from roofproof.claims.language.nodes import Node
from roofproof.errors import quoted
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.to_sympy import most_exponent
from roofproof.formula.tokens import error_at, exact_number
from roofproof.formula.units import SPELLED, letter_unit, unit_of
from roofproof.ops.notation.expression import plain_digits, refuse_two_readings
from roofproof.sentences import Sentence

MAX_DEPTH = 60  # levels of a tree
MAX_ARGUMENTS = 32
MAX_CHOICES = 1_000

RELATIONS = {"≈": "~=", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "≫": ">>"}
_REFERENCE = re.compile(r"[A-Za-z0-9_.-]+(@[A-Za-z0-9_.-]+)?")


@dataclass(frozen=True, slots=True)
class _Text(Node):
    """A string, or None for `chip@variant`, until the call that it is an argument of says what it names."""

    content: str | None = None


_REFERENCES = {
    "op": "an operation (a name, or a string in quotes)",
    "chip": "a chip (a name, or a string in quotes)",
    "resource": "a resource such as bf16 or hbm",
    "word": "a word such as no-fma or sms",
}
_FITTING: dict[str, tuple[str, Callable[[Node], bool]]] = {
    "number": ("a value", lambda n: not isinstance(n, _Text | nodes.Choices) and not nodes.is_proposition(n)),
    "name": ("a name", lambda n: isinstance(n, nodes.Name)),
    "equation": (
        "an equation such as 'x^2 == 4'",
        lambda n: isinstance(n, nodes.Comparison) and n.relations == ("==",),
    ),
    "proposition": ("a condition such as 'n > 3'", nodes.is_proposition),
    "set": ("a set such as {1, 2, 4}", lambda n: isinstance(n, nodes.Choices)),
}


class TreeBuilder:
    """The meaning of each rule of the grammar, for one text.

    `doubts` are errors that stand unless a call takes the words they are about for the name of something.
    """

    def __init__(self, text: str, doubts: list[Doubt]) -> None:
        self.text = text
        self.doubts = doubts
        self.depth: dict[int, int] = {}
        self.kept: list[Node] = []  # so that no id is used twice

    def made(self, node: Node) -> Node:
        depth = 1 + max((self.depth.get(id(part), 0) for part in node.parts), default=0)
        if depth > MAX_DEPTH:
            raise error_at(node.span[0], "the text has more than <most> levels", most=MAX_DEPTH)
        self.depth[id(node)] = depth
        self.kept.append(node)
        return node

    def value(self, node: Node) -> Node:
        """Return a node that is a value, or say what stands in its place."""
        if isinstance(node, _Text):
            raise error_at(node.span[0], "expected a value; a string or a chip's name goes into a call that takes one")
        if nodes.is_proposition(node):
            raise error_at(node.span[0], "expected a value, got a proposition")
        return node

    def statement(self, node: Node) -> Node:
        if not nodes.is_proposition(node):
            raise error_at(node.span[0], "expected a proposition such as 'B > 240', got a value")
        return node

    def group(self, tree: Any, children: list[Any]) -> Any:
        return children[0]

    start = group

    # --- arithmetic -------------------------------------------------------------------------------

    def number(self, tree: Any, children: list[Any]) -> Node:
        return self._number(str(children[0]), _span(tree))

    def _number(self, digits: str, span: nodes.Span) -> Node:
        return self.made(nodes.Number(exact_number(digits, span[0]), digits, span=span))

    def quantity(self, tree: Any, children: list[Any]) -> Node:
        *factors, token = children
        amount = self.value(factors[0]) if len(factors) == 1 else self._product(factors, _span(tree))
        unit = unit_of(str(token)) or letter_unit(str(token))
        assert unit is not None
        return self.made(nodes.Quantity(amount, unit, span=_span(tree)))

    measured = quantity

    def fraction(self, tree: Any, children: list[Any]) -> Node:
        above, below = (self._number(digits, _span(tree)) for digits in children[0].split("/"))
        return self.made(nodes.Quotient(above, below, span=_span(tree)))

    def infinity(self, tree: Any, children: list[Any]) -> Node:
        return self.made(nodes.Infinity(span=_span(tree)))

    def name(self, tree: Any, children: list[Any]) -> Node:
        return self.made(nodes.Name(str(children[0]), span=_span(tree)))

    def sum(self, tree: Any, children: list[Any]) -> Node:
        terms = [self.value(children[0])]
        for sign, child in zip(children[1::2], children[2::2], strict=True):
            node = self.value(child)
            terms.append(self.made(nodes.Negative(node, span=node.span)) if sign.type.endswith("MINUS") else node)
        return self.made(nodes.Sum(_flat(nodes.Sum, terms), span=_span(tree)))

    def sign(self, tree: Any, children: list[Any]) -> Node:
        node = self.value(children[1])
        return node if children[0].type.endswith("PLUS") else self.made(nodes.Negative(node, span=_span(tree)))

    def juxtaposed(self, tree: Any, children: list[Any]) -> Node:
        first = children[0]
        glued = self.text[first.span[1] : first.span[1] + 1]
        if isinstance(first, nodes.Number) and first.value == 0 and glued.isalpha() and glued.isascii():
            raise error_at(tree.meta.start_pos, "zero times something; write 0 alone")
        return self._product(children, _span(tree))

    def product(self, tree: Any, children: list[Any]) -> Node:
        node = self.value(children[0])
        for i in range(1, len(children), 2):
            other = self.value(children[i + 1])
            span = (tree.meta.start_pos, other.span[1])
            if children[i].type.endswith("DIVIDE"):
                self._refuse_letter_after_fraction(tree, i)
                self._refuse_power_of_ten(tree, children, i)
                refuse_two_readings(self.text, tree, i)
                if not _has_a_unit(node) or str(tree.children[i + 1].data) == "measured":
                    refuse_two_readings(self.text, tree, i, before_a_unit=True)
                node = self.made(nodes.Quotient(node, other, span=span))
            else:
                node = self._product([node, other], span)
        return self.made(replace(node, span=_span(tree)))

    def _refuse_letter_after_fraction(self, tree: Any, i: int) -> None:
        """Refuse `3/2 h`, with the reading as a unit among those that it has; `1/2 B` is hardly half a byte."""
        start, end = tree.meta.start_pos, tree.children[i + 1].meta.end_pos
        if found := re.fullmatch(r"([\d.]+)\s*/\s*([\d.]+)\s*([hsJW])", self.text[start:end]):
            above, below, letter = found.groups()
            raise error_at(
                start,
                "<whole> can be read several ways; write <first>, <second> or <third>",
                whole=quoted(found[0]),
                first=quoted(f"{above}/{below} {SPELLED[letter]}"),
                second=quoted(f"({above}/{below}) * {letter}"),
                third=quoted(f"{above}/({below} {letter})"),
            )

    def _refuse_power_of_ten(self, tree: Any, children: list[Any], i: int) -> None:
        """Refuse `a / 8.2 * 10^11`: people mean to divide by one number, and the grammar divides by 8.2 alone."""
        kinds = [str(getattr(part, "data", "")).rpartition("__")[2] for part in tree.children[i + 1 : i + 4]]
        power = children[i + 3] if kinds[0] == "number" and len(kinds) == 3 and kinds[2] != "group" else None
        if power is None or children[i + 2].type.endswith("DIVIDE") or not nodes.begins_with_power_of_ten(power):
            return
        start, (first, after), end = children[i].start_pos, children[i + 1].span, power.span[1]
        above = self.text[tree.meta.start_pos : start].strip()
        raise error_at(
            start,
            "<whole> can be read two ways; write <first> or <second>",
            whole=quoted(self.text[tree.meta.start_pos : end]),
            first=quoted(f"({above}/{self.text[first:after]}){self.text[after:end]}"),
            second=quoted(f"{above}/({self.text[first:end]})"),
        )

    def _product(self, factors: list[Any], span: nodes.Span) -> Node:
        return self.made(nodes.Product(_flat(nodes.Product, map(self.value, factors)), span=span))

    def power(self, tree: Any, children: list[Any]) -> Node:
        exponent = self.value(children[2])
        base, size = self.value(children[0]), _size(exponent)
        most = most_exponent(base.value if isinstance(base, nodes.Number) else None)
        if size is not None and size > most:
            raise error_at(exponent.span[0], "the exponent <size> exceeds <most>", size=quoted(size, 20), most=most)
        return self.made(nodes.Power(base, exponent, span=_span(tree)))

    def superscript(self, tree: Any, children: list[Any]) -> Node:
        exponent = self._number(plain_digits(children[1]), (children[1].start_pos, children[1].end_pos))
        return self.made(nodes.Power(self.value(children[0]), exponent, span=_span(tree)))

    def root(self, tree: Any, children: list[Any]) -> Node:
        return self.made(nodes.Call("sqrt", (self.value(children[1]),), span=_span(tree)))

    # --- calls ------------------------------------------------------------------------------------

    def string(self, tree: Any, children: list[Any]) -> Node:
        return _Text(str(children[0])[1:-1], span=_span(tree))

    def variant(self, tree: Any, children: list[Any]) -> Node:
        return _Text(span=_span(tree))

    def set(self, tree: Any, children: list[Any]) -> Node:
        if len(children) > MAX_CHOICES:
            raise error_at(tree.meta.start_pos, "a set of more than <most> values", most=MAX_CHOICES)
        self._refuse_thousands(children, r"0\d\d")
        return self.made(nodes.Choices(tuple(self.value(child) for child in children), span=_span(tree)))

    def call(self, tree: Any, children: list[Any]) -> Node:
        token, *arguments = children
        function = FUNCTIONS[str(token)]
        if len(arguments) > MAX_ARGUMENTS:
            raise error_at(token.start_pos, "<name> of more than <most> values", name=function.name, most=MAX_ARGUMENTS)
        self._refuse_thousands(arguments, r"\d{3}" if function.takes == "number*" else r"0\d\d")
        kinds = function.kinds(len(arguments))
        if kinds is None:
            form = "<count> argument" if len(arguments) == 1 else "<count> arguments"
            came = Sentence(form, count=len(arguments))
            raise error_at(
                token.start_pos, "<usage> is how it is called; this has <came>", usage=function.usage, came=came
            )
        fitted = tuple(
            self.argument(function.name, i, kind, node)
            for i, (kind, node) in enumerate(zip(kinds, arguments, strict=True), 1)
        )
        return self.made(nodes.Call(function.name, fitted, span=_span(tree)))

    def _refuse_thousands(self, listed: list[Any], after: str) -> None:
        """Refuse `max(1,200)`, which may be of one number or of two; `1,024` is hardly two."""
        for first, second in pairwise(listed):
            whole = self.text[first.span[0] : second.span[1]]
            if all(isinstance(n, nodes.Number) for n in (first, second)) and re.fullmatch(rf"\d{{1,3}},{after}", whole):
                one, two = whole.replace(",", ""), whole.replace(",", ", ")
                said = "<whole> can be read two ways; write <first> or <second>"
                raise error_at(first.span[0], said, whole=quoted(whole), first=quoted(one), second=quoted(two))

    def argument(self, function: str, place: int, kind: str, node: Node) -> Node:
        """Return an argument of the kind that is due, or say what is."""
        start, end = node.span
        what, fits = _FITTING.get(kind) or (_REFERENCES[kind], self._is_reference)
        if not fits(node):
            raise error_at(
                start, "argument <place> of <function> is <what>", place=place, function=function, what=Sentence(what)
            )
        if kind in _FITTING:
            return node
        if isinstance(node, _Text) and node.content:
            return self.made(nodes.Reference(kind, node.content, span=node.span))
        self.doubts[:] = [doubt for doubt in self.doubts if not (start <= doubt[0] and doubt[1] <= end)]
        return self.made(nodes.Reference(kind, self.text[start:end], span=node.span))

    def _is_reference(self, node: Node) -> bool:
        """Tell whether an argument is a string, or words such as tpu-v5e."""
        if isinstance(node, _Text) and node.content is not None:
            return bool(node.content.strip())
        return _REFERENCE.fullmatch(self.text[slice(*node.span)]) is not None

    # --- propositions -----------------------------------------------------------------------------

    def comparison(self, tree: Any, children: list[Any]) -> Node:
        operands = tuple(self.value(child) for child in children[::2])
        relations = tuple(self._relation(token) for token in children[1::2])
        if "->" in relations and len(relations) > 1:
            raise error_at(children[1].start_pos, "'->' stands between one value and its limit, not in a chain")
        return self.made(nodes.Comparison(operands, relations, span=_span(tree)))

    def _relation(self, token: Token) -> str:
        relation = RELATIONS.get(str(token), str(token))
        if relation == "=":
            raise error_at(token.start_pos, "'=' has no meaning here; write '==' for equal")
        if relation == ">>":
            raise error_at(
                token.start_pos, '<token> goes into the regime, as in regime = "D, F >> B"', token=quoted(token)
            )
        return relation

    def negation(self, tree: Any, children: list[Any]) -> Node:
        return self.made(nodes.Negation(self.statement(children[1]), span=_span(tree)))

    def conjunction(self, tree: Any, children: list[Any]) -> Node:
        members = _flat(nodes.Conjunction, map(self.statement, children[::2]))
        return self.made(nodes.Conjunction(members, span=_span(tree)))

    def disjunction(self, tree: Any, children: list[Any]) -> Node:
        members = _flat(nodes.Disjunction, map(self.statement, children[::2]))
        return self.made(nodes.Disjunction(members, span=_span(tree)))

    def equivalence(self, tree: Any, children: list[Any]) -> Node:
        return self.made(nodes.Equivalence(tuple(map(self.statement, children[::2])), span=_span(tree)))

    def implication(self, tree: Any, children: list[Any]) -> Node:
        return self.made(nodes.Implication(self.statement(children[0]), self.statement(children[2]), span=_span(tree)))

    def quantified(self, tree: Any, children: list[Any]) -> Node:
        quantifier, *words, _, body = children
        names = tuple(str(w) for w in words if w.type == "NAME")
        kinds = tuple(str(w).removesuffix("s") for w in words if w.type == "KIND")
        kind = "exists" if quantifier in ("exists", "∃") else "for all"
        return self.made(nodes.Quantified(kind, names, kinds, self.statement(body), span=_span(tree)))

    # --- given ------------------------------------------------------------------------------------

    def listed(self, tree: Any, children: list[Any]) -> list[Any]:
        return children

    def condition(self, tree: Any, children: list[Any]) -> tuple[list[Any], list[Any]]:
        return children[0], children[1:]

    given = listed


def _flat(kind: type[Node], members: Iterable[Node]) -> tuple[Node, ...]:
    """Return members with the parts of those that are of the kind themselves: (a + b) + c is a + b + c."""
    return tuple(part for node in members for part in (node.parts if isinstance(node, kind) else (node,)))


def _has_a_unit(node: Node) -> bool:
    """Tell whether a value is in units as it stands, so that a quotient of it and a quantity is what is meant."""
    return any(
        isinstance(part, nodes.Quantity) or (isinstance(part, nodes.Call) and part.function not in ARITHMETIC)
        for part in nodes.walk(node)
    )


def _size(node: Node) -> Fraction | None:
    """Return the magnitude of an exponent that is a number, or a power of numbers already known to be small."""
    match node:
        case nodes.Number(value=value):
            return value
        case nodes.Negative(operand=operand):
            return _size(operand)
        case nodes.Power(base=nodes.Number(value=base), exponent=nodes.Number(value=Fraction(denominator=1) as times)):
            return base ** int(times)
    return None


def _span(tree: Any) -> nodes.Span:
    return tree.meta.start_pos, tree.meta.end_pos
