"""The tree of a formula: nine kinds of frozen nodes, each with the span of text it was read from.

A span is a pair of offsets that count from 0. It plays no part in equality. Sums and products are flat (`a + (b + c)`
is one sum of three), a difference is a sum with a negative, and brackets leave no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeGuard

from roofproof.errors import RoofproofError
from roofproof.formula.functions import FUNCTIONS

if TYPE_CHECKING:
    from roofproof.formula.units import Unit

Span = tuple[int, int]
JOINS = ("and", "or", "not", "=>", "<=>")  # heads of an Op that states something


@dataclass(frozen=True, slots=True)
class Tree:
    """The base of all nodes: the span they were read from, and the nodes directly below them."""

    span: Span = field(default=(0, 0), compare=False, repr=False, kw_only=True)

    @property
    def parts(self) -> tuple[Tree, ...]:
        """The nodes directly below this one, in order."""
        return ()


@dataclass(frozen=True, slots=True)
class Number(Tree):
    """A number with the text it was written as: 820000000000 and "8.20e11"."""

    value: Fraction
    text: str


@dataclass(frozen=True, slots=True)
class Quantity(Tree):
    """An amount with a unit: `33.3 %`, `10^9 FLOP/s`, `8 n byte`."""

    amount: Tree
    unit: Unit

    @property
    def parts(self) -> tuple[Tree, ...]:
        return (self.amount,)


@dataclass(frozen=True, slots=True)
class Name(Tree):
    """A symbol, or a value that `let` has named."""

    name: str


@dataclass(frozen=True, slots=True)
class Constant(Tree):
    """`oo`, or `pi` if nothing else is named so."""

    name: str


@dataclass(frozen=True, slots=True)
class Op(Tree):
    """An operator with its operands. The heads are those of the proof checker.

    Values: `+` and `*` of several, `/` and `^` of two, `-` of one (a negative), `set` of any number (`{1, 2, 4}`).
    Statements: `and`, `or` and `<=>` of several, `=>` of two, `not` of one.
    """

    head: str
    args: tuple[Tree, ...]

    @property
    def parts(self) -> tuple[Tree, ...]:
        return self.args


@dataclass(frozen=True, slots=True)
class Comparison(Tree):
    """A chain `a < b <= c`: one relation fewer than operands. Relations: == != < <= > >= ~= ->."""

    operands: tuple[Tree, ...]
    relations: tuple[str, ...]

    @property
    def parts(self) -> tuple[Tree, ...]:
        return self.operands

    @property
    def links(self) -> tuple[Comparison, ...]:
        """The chain as single comparisons: `a < b` and `b <= c`."""
        if len(self.relations) == 1:
            return (self,)
        pairs = zip(self.operands, self.relations, self.operands[1:], strict=False)
        return tuple(Comparison((a, b), (r,), span=(a.span[0], b.span[1])) for a, r, b in pairs)


@dataclass(frozen=True, slots=True)
class Call(Tree):
    """A call of a function in the table of functions.py, which makes it a value or a statement."""

    function: str
    arguments: tuple[Tree, ...]

    @property
    def parts(self) -> tuple[Tree, ...]:
        return self.arguments


@dataclass(frozen=True, slots=True)
class Reference(Tree):
    """An argument that names something: `kind` is "op", "chip", "resource" or "word"."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Quantified(Tree):
    """A statement such as `for all n, m integer: ...`. The `quantifier` is "exists" or "for all"."""

    quantifier: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    body: Tree

    @property
    def parts(self) -> tuple[Tree, ...]:
        return (self.body,)


def is_statement(tree: Tree) -> bool:
    """Return whether a tree is a statement, not a value.

    >>> is_statement(Name("B"))
    False
    """
    match tree:
        case Call(function=function):
            return FUNCTIONS[function].proposition
        case Op(head=head):
            return head in JOINS
    return isinstance(tree, Comparison | Quantified)


def is_op(tree: object, *heads: str) -> TypeGuard[Op]:
    """Return whether a tree is an operator with one of these heads.

    >>> is_op(Op("-", (Name("B"),)), "-"), is_op(Name("B"), "-", "+")
    (True, False)
    """
    return isinstance(tree, Op) and tree.head in heads


def literal(value: int) -> Number:
    """Return the node of an integer.

    >>> literal(2)
    Number(value=Fraction(2, 1), text='2')
    """
    return Number(Fraction(value), str(value))


def flat(head: str, members: Iterable[Tree], span: Span = (0, 0)) -> Tree:
    """Return members joined by an operator. Members that it joins itself are flattened.

    >>> a, b, c = map(Name, "abc")
    >>> flat("+", [flat("+", [a, b]), c]) == Op("+", (a, b, c)), flat("*", [a]) == a
    (True, True)
    """
    joined = tuple(p for m in members for p in (m.args if isinstance(m, Op) and m.head == head else (m,)))
    return joined[0] if len(joined) == 1 else Op(head, joined, span=span)


def walk(tree: Tree) -> Iterator[Tree]:
    """Yield a tree and all nodes below it, from left to right.

    >>> [n.name for n in walk(Op("+", (Name("a"), Op("-", (Name("b"),))))) if isinstance(n, Name)]
    ['a', 'b']
    """
    todo = [tree]
    while todo:
        tree = todo.pop()
        yield tree
        todo += tree.parts[::-1]


def rebuild(tree: Tree, changed: Callable[[Tree], Tree]) -> Tree:
    """Return a node with `changed` applied to each node directly below it.

    >>> rebuild(Op("+", (Name("a"), Name("b"))), lambda part: Op("-", (part,)))
    Op(head='+', args=(Op(head='-', args=(Name(name='a'),)), Op(head='-', args=(Name(name='b'),))))
    """
    parts = tuple(map(changed, tree.parts))
    match tree:
        case Quantity():
            return replace(tree, amount=parts[0])
        case Quantified():
            return replace(tree, body=parts[0])
        case Op():
            return replace(tree, args=parts)
        case Comparison():
            return replace(tree, operands=parts)
        case Call():
            return replace(tree, arguments=parts)
    return tree


def names_in(tree: Tree) -> tuple[str, ...]:
    """Return every name in a tree once, in order of appearance.

    >>> names_in(Op("+", (Name("b"), Name("a"), Name("b"))))
    ('b', 'a')
    """
    return tuple(dict.fromkeys(n.name for n in walk(tree) if isinstance(n, Name)))


def walk_with_values(roots: Iterable[Tree], let: Mapping[str, Tree]) -> list[Tree]:
    """Return all nodes of trees, of the values of their names in `let`, and of the names in these in turn.

    >>> let = {"a": Name("b"), "b": Name("x"), "c": Name("y")}
    >>> [n.name for n in walk_with_values([Name("a")], let) if isinstance(n, Name)]
    ['a', 'b', 'x']
    """
    found = list(roots)
    for tree in found:  # grows in the loop
        found += [v for n in names_in(tree) if (v := let.get(n)) is not None and v not in found]
    return [node for root in found for node in walk(root)]


def bound_names(tree: Tree) -> tuple[str, ...]:
    """Return the names that `exists` and `for all` bind, each as often as it is bound.

    >>> bound_names(Quantified("exists", ("t",), (), Comparison((Name("t"), Name("M")), (">",))))
    ('t',)
    """
    return tuple(name for n in walk(tree) if isinstance(n, Quantified) for name in n.names)


def introduced_names(trees: Iterable[Tree]) -> set[str]:
    """Return the names that nodes introduce: those that they bind, and those that are arguments of kind "name".

    >>> x, e = Name("x"), Name("e")
    >>> introduced_names([Call("solve", (Comparison((x, e), ("==",)), x))])
    {'x'}
    """
    found: set[str] = set()
    for tree in trees:
        if isinstance(tree, Quantified):
            found.update(tree.names)
        elif isinstance(tree, Call):
            kinds = FUNCTIONS[tree.function].kinds(len(tree.arguments)) or ()
            about = (argument for kind, argument in zip(kinds, tree.arguments, strict=True) if kind == "name")
            found.update(argument.name for argument in about if isinstance(argument, Name))
    return found


def name_of(tree: object) -> str:
    """Return the name that an argument is. Raises RoofproofError for anything else."""
    if not isinstance(tree, Name):
        raise RoofproofError("expected a name")
    return tree.name


def text_of(tree: Tree) -> str:
    """Return the text of an argument that names an operation, a chip or a resource."""
    assert isinstance(tree, Reference)
    return tree.text.strip()
