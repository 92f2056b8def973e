"""The tree of a proposition: small frozen nodes, each with the span of text it was read from.

A span is a pair of offsets that count from 0; it plays no part in equality. Sums and products are flat (`a + (b + c)`
is one Sum of three), a difference is a Sum with a Negative, and parentheses leave no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cache
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.formula.functions import FUNCTIONS
from roofproof.formula.units import Unit

Span = tuple[int, int]


LEAVES = ("Span", "str", "Fraction", "Unit", "tuple[str, ...]")  # types of fields that hold no nodes


@dataclass(frozen=True, slots=True)
class Node:
    """What all nodes have: the span they were read from."""

    span: Span = field(default=(0, 0), compare=False, repr=False, kw_only=True)

    @property
    def parts(self) -> tuple[Node, ...]:
        """The nodes directly below this one, in order."""
        kind: Any = type(self)
        several, names = _below(kind)
        if several:
            found: tuple[Node, ...] = getattr(self, several)
            return found
        return tuple([getattr(self, name) for name in names])


@cache
def _below(kind: type[Node]) -> tuple[str, tuple[str, ...]]:
    """Return the field of a kind of node that holds several nodes, or else the fields that hold one."""
    held = [f for f in fields(kind) if f.type not in LEAVES]
    return "".join(f.name for f in held if f.type != "Node"), tuple(f.name for f in held)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number with the text it was written as: 820000000000 and "8.20e11"."""

    value: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Quantity(Node):
    """A number (or a power of one) with a unit: `33.3 %`, `10^9 FLOP/s`."""

    amount: Node
    unit: Unit


@dataclass(frozen=True, slots=True)
class Infinity(Node):
    """`oo`."""


@dataclass(frozen=True, slots=True)
class Pi(Node):
    """The number 3.14159..., which the name `pi` stands for where nothing else is called so."""


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A symbol, or a value that `let` has named."""

    name: str


@dataclass(frozen=True, slots=True)
class Sum(Node):
    terms: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Negative(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Product(Node):
    factors: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Quotient(Node):
    above: Node
    below: Node


@dataclass(frozen=True, slots=True)
class Power(Node):
    base: Node
    exponent: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A function of the table in functions.py with its arguments; a value or a proposition, as the table says."""

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Reference(Node):
    """An argument that names something: `kind` is "op", "chip", "resource" or "word"."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Choices(Node):
    """`{1, 2, 4}`, the last argument of argmin and its like."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """A chain `a < b <= c`: one relation fewer than operands. Relations: == != < <= > >= ~= ->."""

    operands: tuple[Node, ...]
    relations: tuple[str, ...]

    @property
    def links(self) -> tuple[Comparison, ...]:
        """The chain taken apart: `a < b` and `b <= c`."""
        if len(self.relations) == 1:
            return (self,)
        pairs = zip(self.operands, self.relations, self.operands[1:], strict=False)
        return tuple(Comparison((a, b), (r,), span=(a.span[0], b.span[1])) for a, r, b in pairs)


@dataclass(frozen=True, slots=True)
class Negation(Node):
    operand: Node


@dataclass(frozen=True, slots=True)
class Conjunction(Node):
    members: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Disjunction(Node):
    members: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Implication(Node):
    premise: Node
    conclusion: Node


@dataclass(frozen=True, slots=True)
class Equivalence(Node):
    """`a <=> b <=> c`: all members hold together or none does."""

    members: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Quantified(Node):
    """`exists t: ...` or `for all n, m integer: ...`: `quantifier` is "exists" or "for all", `kinds` what names are."""

    quantifier: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    body: Node


def is_proposition(node: Node) -> bool:
    """Tell whether a node states something, rather than being a value.

    >>> is_proposition(Name("B"))
    False
    """
    if isinstance(node, Call):
        return FUNCTIONS[node.function].proposition
    joined = Negation | Conjunction | Disjunction | Implication | Equivalence | Quantified
    return isinstance(node, Comparison | joined)


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, from left to right.

    >>> [n.name for n in walk(Sum((Name("a"), Negative(Name("b"))))) if isinstance(n, Name)]
    ['a', 'b']
    """
    todo = [node]
    while todo:
        node = todo.pop()
        yield node
        todo += node.parts[::-1]


def with_parts(node: Node, changed: Callable[[Node], Node]) -> Node:
    """Return a node with what `changed` makes of each node directly below it.

    >>> with_parts(Sum((Name("a"), Name("b"))), lambda part: Negative(part))
    Sum(terms=(Negative(operand=Name(name='a')), Negative(operand=Name(name='b'))))
    """

    def settled(value: object) -> object:
        if isinstance(value, tuple):
            return tuple(map(settled, value))
        return changed(value) if isinstance(value, Node) else value

    fields = [name for name in node.__dataclass_fields__ if name != "span"]
    settings: dict[str, Any] = {name: settled(getattr(node, name)) for name in fields}
    return replace(node, **settings)


def names_in(node: Node) -> tuple[str, ...]:
    """Return every name in a node once, in order of appearance.

    >>> names_in(Sum((Name("b"), Name("a"), Name("b"))))
    ('b', 'a')
    """
    return tuple(dict.fromkeys(n.name for n in walk(node) if isinstance(n, Name)))


def walk_with_values(roots: Iterable[Node], let: Mapping[str, Node]) -> list[Node]:
    """Return nodes and all below them, with the values of the names among them, and of the names in these in turn.

    >>> let = {"a": Name("b"), "b": Name("x"), "c": Name("y")}
    >>> [n.name for n in walk_with_values([Name("a")], let) if isinstance(n, Name)]
    ['a', 'b', 'x']
    """
    found = list(roots)
    for node in found:  # which grows
        found += [v for n in names_in(node) if (v := let.get(n)) is not None and v not in found]
    return [node for root in found for node in walk(root)]


def bound_names(node: Node) -> tuple[str, ...]:
    """Return the names that `exists` and `for all` bind, each as often as it is bound.

    >>> bound_names(Quantified("exists", ("t",), (), Comparison((Name("t"), Name("M")), (">",))))
    ('t',)
    """
    return tuple(name for n in walk(node) if isinstance(n, Quantified) for name in n.names)


def introduced_names(nodes: Iterable[Node]) -> set[str]:
    """Return the names that nodes themselves say are names: those they bind, and those that functions are about.

    >>> x, e = Name("x"), Name("e")
    >>> introduced_names([Call("solve", (Comparison((x, e), ("==",)), x))])
    {'x'}
    """
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Quantified):
            found.update(node.names)
        elif isinstance(node, Call):
            kinds = FUNCTIONS[node.function].kinds(len(node.arguments)) or ()
            about = (argument for kind, argument in zip(kinds, node.arguments, strict=True) if kind == "name")
            found.update(argument.name for argument in about if isinstance(argument, Name))
    return found


def begins_with_power_of_ten(node: Node) -> bool:
    """Tell whether a factor is a power of ten, be it of a unit or beside other factors: `10^11 B/s`.

    >>> eleven, number = Number(Fraction(11), "11"), Number(Fraction(10), "10")
    >>> begins_with_power_of_ten(Power(number, eleven)), begins_with_power_of_ten(Power(Name("n"), eleven))
    (True, False)
    """
    match node:
        case Quantity(amount=first) | Product(factors=(first, *_)):
            return begins_with_power_of_ten(first)
        case Power(base=Number(value=base)):
            return base == 10
    return False


def name_of(node: object) -> str:
    """Return the name that an argument is; raise RoofproofError for anything else."""
    if not isinstance(node, Name):
        raise RoofproofError("expected a name")
    return node.name
