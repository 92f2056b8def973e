"""The meaning of the words in a claim: symbols, values, operations, chips, and functions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.meaning import DIRECT, Value
from roofproof.derive.algebra.largest import largest
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formula.conditions import Given
from roofproof.formula.to_sympy import NO_FUNCTIONS, Functions, Names, called, joined, to_value
from roofproof.formula.tokens import error_at
from roofproof.formula.tree import (
    Call,
    Comparison,
    Name,
    Op,
    Quantified,
    Reference,
    Tree,
    is_statement,
    text_of,
    walk,
    walk_with_values,
)
from roofproof.hardware import Chip, chip, chip_names
from roofproof.hardware.resources import canonical_resource
from roofproof.ops import Operation, parse_operation
from roofproof.ops.library import entries
from roofproof.symbols import quantity

if TYPE_CHECKING:
    from roofproof.claims.language.terms import Terms

T = TypeVar("T")
Function = Callable[["Environment", Call], Any]
Where = Callable[[Tree], tuple[Boolean, ...]]


@dataclass
class Environment:
    """The meaning of names, references and calls in one claim. `judge.words.table` has all functions.

    >>> from roofproof.formula.reader import read_value
    >>> from roofproof.formula.conditions import read_conditions
    >>> env = Environment(given=read_conditions("n integer"), let={"R": read_value("1.97e14 / 8.2e11")})
    >>> env.to_sympy(read_value("R / 2"))                 # 197/0.82 / 2
    4925/41
    >>> env.to_sympy(read_value("flops(matmul)"))
    2*B*D*F
    >>> env.value("n").is_integer
    True

    A size of an operation is the symbol of the same name, or the value that `let` gives it.
    """

    given: Given = field(default_factory=Given)
    let: Mapping[str, Tree] = field(default_factory=dict)
    ops: Mapping[str, Operation] = field(default_factory=dict)
    chips: Mapping[str, Chip] = field(default_factory=dict)
    functions: Mapping[str, Function] = field(default_factory=lambda: DIRECT)
    signs: Mapping[str, int] = field(default_factory=dict)  # 0 for a name that is zero, -1 for a negative name
    regime: Regime | None = None  # of limits that name no regime
    _values: dict[str | Call, Any] = field(default_factory=dict, repr=False)
    _asked: set[Tree] = field(default_factory=set, repr=False)  # the given conditions that are being evaluated

    def symbol(self, name: str) -> sympy.Symbol:
        """Return the symbol of a name in its domain: positive and real unless `given` says otherwise."""
        domain = self.given.domain(name)
        return sympy.Symbol(name, **{domain.sign: True}, **({"integer": True} if domain.integer else {}))

    def value(self, name: str) -> sympy.Expr:
        """Return the value that `let` gives a name, or its symbol if there is none."""
        if name not in self.let:
            return self.symbol(name) * self.signs.get(name, 1)
        if name not in self._values:
            self._values[name] = None  # being evaluated
            try:
                self._values[name] = self.to_sympy(self.let[name])
            finally:
                if self._values[name] is None:
                    del self._values[name]
        value: sympy.Expr | None = self._values[name]
        if value is None:
            raise RoofproofError("the definition of <name> uses <name>; remove the cycle", name=name)
        return value

    def to_sympy(self, node: Tree) -> sympy.Expr:
        """Return the exact SymPy expression of a value."""
        return to_value(node, self.value, self._table)

    def to_relation(self, node: Tree) -> sympy.core.relational.Relational:
        """Return the SymPy relation of a comparison with one link."""
        return to_relation(node, self.value, self._table)

    def to_boolean(self, node: Tree) -> sympy.logic.boolalg.Boolean:
        """Return the SymPy condition of a proposition."""
        return to_boolean(node, self.value, self._table)

    @cached_property
    def terms(self) -> "Terms":
        """The translation of trees to terms and formulas of the proof checker."""
        from roofproof.claims.language.terms import Terms

        return Terms(self)

    def conditions(self) -> Iterator[Tree]:
        """Yield the given conditions, except those that are being evaluated or depend on a value being evaluated.

        >>> from roofproof.formula.conditions import read_conditions
        >>> env = Environment(given=read_conditions("n < 8; m > 2"))
        >>> [sum(1 for _ in env.conditions()) for _ in env.conditions()]
        [1, 1]
        """
        for condition in self.given.conditions:
            named = (n.name for n in walk_with_values([condition], self.let) if isinstance(n, Name))
            if condition in self._asked or any(self._values.get(name, name) is None for name in named):
                continue
            self._asked.add(condition)
            try:
                yield condition
            finally:
                self._asked.discard(condition)

    def given_about(self, x: sympy.Symbol) -> tuple[list[Boolean], list[Boolean]]:
        """Return the given conditions that contain a name, and the others.

        >>> from roofproof.formula.conditions import read_conditions
        >>> env = Environment(given=read_conditions("n < 8; n < m; m > 2"))
        >>> env.given_about(env.symbol("n"))
        ([n < 8, n < m], [m > 2])
        """
        conditions = self.assumed()
        return [c for c in conditions if x in c.free_symbols], [c for c in conditions if x not in c.free_symbols]

    def assumed(self) -> list[Boolean]:
        """Return the given conditions, and the conditions under which the calls in them have values."""
        found = chain.from_iterable((self.to_boolean(c), *self.where(c)) for c in self.conditions())
        return [part for said in found for part in _conjuncts(said) if part != sympy.true]

    @cached_property
    def _table(self) -> dict[str, Callable[[Call], Any]]:
        return dict.fromkeys(self.functions, self._called)

    def _called(self, call: Call) -> Any:
        """Return the value of a call, from the cache if it was found before."""
        if call not in self._values:
            self._values[call] = self.functions[call.function](self, call)
        found = self._values[call]
        return found.expr if isinstance(found, Value) else found

    def proved_value(self, call: Tree) -> Value | None:
        """Return the proved value of a call, or None for arithmetic and for a call that has a definition."""
        if not isinstance(call, Call) or call.function not in self.functions:
            return None
        called(call, {call.function: self._called})
        found = self._values[call]
        return found if isinstance(found, Value) else None

    def proved_values(self) -> list[Value]:
        """Return the proved values of the calls evaluated so far."""
        return [found for found in self._values.values() if isinstance(found, Value)]

    def where(self, node: Tree) -> tuple[Boolean, ...]:
        """Return the conditions under which the calls in a statement have values.

        >>> from roofproof.claims.judge.words import table
        >>> from roofproof.formula.reader import read_statement
        >>> env = Environment(functions=table())
        >>> env.where(read_statement("solve(x + a == 3, x) < 1 or a > 2"))
        (a < 3,)
        """
        if (found := self.proved_value(node)) is not None:
            return found.where
        parts = node.parts
        if isinstance(node, Name) and node.name in self.let:
            self.value(node.name)  # raises an error for a cyclic definition
            parts = (self.let[node.name],)
        return tuple(dict.fromkeys(w for part in parts for w in self.where(part)))

    def condition_of(self, node: Tree, true: bool = True, where: Where | None = None) -> Boolean:
        """Return the condition that a statement is true (or false), and that the calls it depends on have values.

        `where` returns the conditions for a part to have a value, by default those of the calls in it.

        >>> from roofproof.claims.judge.words import table
        >>> from roofproof.formula.reader import read_statement
        >>> env = Environment(functions=table())
        >>> sorted(map(str, env.condition_of(read_statement("a > 2 => solve(x + a == 3, x) < 1")).args))
        ['(a < 3) & (3 - a < 1)', 'a <= 2']
        """
        where = where or self.where
        if not (needed := where(node)):
            said = self.to_boolean(node)
            return said if true else said.negated if isinstance(said, Relational) else sympy.Not(said, evaluate=False)
        match node:
            case Op("not", (operand,)):
                return self.condition_of(operand, not true, where)
            case Op("and" | "or" as head, members):
                parts = [self.condition_of(m, true, where) for m in members]
                return (sympy.And if (head == "and") is true else sympy.Or)(*parts, evaluate=False)
            case Op("=>", (premise, conclusion)):
                parts = [self.condition_of(premise, not true, where), self.condition_of(conclusion, true, where)]
                return (sympy.Or if true else sympy.And)(*parts, evaluate=False)
            case Op("<=>", [first, *others]):  # if it is false, some member differs from the first
                links = [
                    Op("or", (Op("and", (first, m)), Op("and", (Op("not", (first,)), Op("not", (m,))))))
                    for m in (others if true else (Op("not", (m,)) for m in others))
                ]
                return self.condition_of(Op("and", tuple(links)) if true else Op("or", tuple(links)), where=where)
            case Comparison(relations=[_, _, *_], links=links):
                return self.condition_of(Op("and", tuple(links)), true, where)
        said = self.to_boolean(node)
        return sympy.And(*needed, said if true else sympy.Not(said, evaluate=False), evaluate=False)

    def operation(self, reference: Tree) -> Operation:
        """Return the operation that an argument names: one of the claims file, or any that the library can parse."""
        swapped = "<name> is a chip; expected an operation", lambda: (*self.chips, *chip_names())
        return _of_book("operation", reference, self.ops, parse_operation, entries, swapped)

    def chip(self, reference: Tree) -> Chip:
        """Return the chip that an argument names, in the claims file or the package. `@` separates a variant."""
        name, at, variant = text_of(reference).partition("@")
        if at and name in self.chips:
            return self.chips[name].variant(variant)
        swapped = "<name> is an operation; expected a chip", lambda: (*self.ops, *entries())
        return _of_book("chip", reference, self.chips, chip, chip_names, swapped)

    def bound(self, expr: sympy.Expr) -> sympy.Expr:
        """Return an expression of an operation with the values of its sizes substituted."""
        moved = {s: value for s in expr.free_symbols if (value := self.value(s.name)) != s}
        if not moved:
            return expr  # an empty substitution would still recompute every maximum
        maxima = {m: largest(*(part.xreplace(moved) for part in m.args)) for m in expr.atoms(sympy.Max)}
        return expr.xreplace({**moved, **maxima})

    def check(self, node: Tree) -> None:
        """Raise RoofproofError, with the column, for an unknown operation, chip or resource."""
        for each in walk(node):
            if isinstance(each, Reference):
                try:
                    if each.kind == "op":
                        self.operation(each)
                    elif each.kind == "chip":
                        self.chip(each)
                    elif each.kind == "resource" and each.text != "memory":
                        canonical_resource(each.text)
                except RoofproofError as problem:
                    raise error_at(each.span[0], problem.said) from None


def _conjuncts(condition: Boolean) -> Iterator[Boolean]:
    if isinstance(condition, sympy.And):
        for part in condition.args:
            yield from _conjuncts(part)
    else:
        yield condition


_RELATIONS = {"==": sympy.Eq, "!=": sympy.Ne, "<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge}
_JOINING = {"and": sympy.And, "or": sympy.Or, "=>": sympy.Implies, "<=>": Iff}


def to_relation(node: Tree, names: Names = quantity, functions: Functions = NO_FUNCTIONS) -> Relational:
    """Return the SymPy relation of a comparison with one link, neither evaluated nor reordered.

    >>> from roofproof.formula.reader import read_statement
    >>> to_relation(read_statement("B > -1"))
    B > -1
    """
    if not isinstance(node, Comparison) or len(node.relations) != 1:
        raise error_at(node.span[0], "expected a comparison of two values")
    (relation,) = node.relations
    if relation not in _RELATIONS:
        raise error_at(
            node.span[0], "<relation> does not compare numbers; expected == != < <= > >=", relation=quoted(relation)
        )
    left, right = (to_value(operand, names, functions) for operand in node.operands)
    return _RELATIONS[relation](left, right, evaluate=False)


def to_boolean(node: Tree, names: Names = quantity, functions: Functions = NO_FUNCTIONS) -> Boolean:
    """Return the SymPy condition of a proposition as it was written, neither evaluated nor reordered.

    >>> from roofproof.formula.reader import read_statement
    >>> to_boolean(read_statement("x < 1 and x >= 1"))
    (x < 1) & (x >= 1)

    Chains become conjunctions. Raises RoofproofError for ~= and ->, which are not conditions between numbers.
    """
    if isinstance(node, Comparison):
        return joined(sympy.And, [to_relation(link, names, functions) for link in node.links])
    if isinstance(node, Op) and node.head == "not":
        return sympy.Not(to_boolean(node.args[0], names, functions), evaluate=False)
    if isinstance(node, Op) and node.head in _JOINING:
        return joined(_JOINING[node.head], [to_boolean(part, names, functions) for part in node.parts])
    if isinstance(node, Call) and is_statement(node):
        return called(node, functions)
    if isinstance(node, Quantified):
        raise error_at(
            node.span[0],
            "<quantifier> is allowed in the claim itself, not in a call",
            quantifier=quoted(node.quantifier),
        )
    raise error_at(node.span[0], "expected a proposition, got a value")


def _of_book(
    what: str,
    reference: Tree,
    own: Mapping[str, T],
    read: Callable[[str], T],
    others: Callable[[], Iterable[str]],
    swapped: tuple[str, Callable[[], Iterable[str]]],
) -> T:
    """Resolve a reference: a name of the claims file, or a text that the library can parse.

    `swapped` is the error message for a name of the other kind, with a function that returns those names.
    """
    text = text_of(reference)
    if text in own:
        return own[text]
    try:
        return read(text)
    except RoofproofError as problem:
        if not str(problem).startswith(f"unknown {what}"):
            raise
        if text in swapped[1]():
            raise RoofproofError(swapped[0], name=quoted(text)) from None
        if own:
            raise unknown(what, text, [*own, *others()]) from None
        raise
