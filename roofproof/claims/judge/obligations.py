"""The obligations of a statement: conditions on its parts, as written, for it to have a value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.language.environment import Environment
from roofproof.errors import Undecided
from roofproof.formula.conditions import constant
from roofproof.formula.functions import ARITHMETIC, FUNCTIONS
from roofproof.formula.tree import Call, Comparison, Name, Op, Tree, literal, names_in, rebuild, walk_with_values

BEHAVIOUR = ("increasing", "decreasing", "independent")  # these handle names that are not positive, by steps
FEW = 64  # terms of a sum that are checked one by one
MAX_TERMS = 5_000  # of a sum of numbers, added one by one
VALUE = "value"  # the obligation that a function has a value
EACH = "_any"  # ends the name of an arbitrary index of a sum
Obligation = tuple[tuple[Tree, ...], str, Tree]  # under the premises, the node has this relation to zero, or, if the
# relation is VALUE, it has a value


def obligations(node: Tree, let: Mapping[str, Tree], under: tuple[Tree, ...] = ()) -> Iterator[Obligation]:
    """Yield the obligations on the parts of a claim for it to be defined, each with the premises that may be used.

    >>> from roofproof.formula.reader import read_statement
    >>> from roofproof.formula.printing import to_text
    >>> claim = read_statement("x > 1 => sqrt(x - 1) / (x - 1) > 0")
    >>> [(relation, to_text(part), [to_text(p) for p in under]) for under, relation, part in obligations(claim, {})]
    [('!=', 'x - 1', ['x > 1']), ('>=', 'x - 1', ['x > 1'])]
    """
    match node:
        case Op("=>", (premise, conclusion)):
            yield from obligations(premise, let, under)
            yield from obligations(conclusion, let, (*under, premise))
            return
        case Op("and", members):
            for member in members:
                yield from obligations(member, let, (*under, *(m for m in members if m is not member)))
            return
        case Name(name=name) if name in let:
            yield from obligations(let[name], {n: v for n, v in let.items() if n != name}, under)
        case Op("/", (_, below)):
            yield under, "!=", below
        case Op("^", (base, exponent)):
            power = constant(exponent)
            if power is not None and power.denominator % 2 == 0:
                yield under, ">=" if power > 0 else ">", base
            elif power is not None and power < 0:
                yield under, "!=", base
        case Call(function="sqrt", arguments=[inside]):
            yield under, ">=", inside
        case Call(function="log2" | "log", arguments=[inside]):
            yield under, ">", inside
        case Call(function="sum", arguments=[term, Name(name=name), first, last]):
            yield under, VALUE, node
            yield from (o for bound in (first, last) for o in obligations(bound, let, under))
            for premises, relation, part in obligations(term, let, under):
                yield from _each_term(premises, relation, part, name, first, last, let)
            return
    bound = _bound(node) if isinstance(node, Call) else set()
    asks = isinstance(node, Call) and node.function not in ARITHMETIC  # its VALUE covers that of its arguments
    if asks:
        yield under, VALUE, node
    for part in node.parts:
        for found in obligations(part, let, under):
            if not (asks and found[1] == VALUE) and (not bound or not bound & _names((*found[0], found[2]), let)):
                yield found


def _each_term(
    under: tuple[Tree, ...], relation: str, part: Tree, i: str, first: Tree, last: Tree, let: Mapping[str, Tree]
) -> Iterator[Obligation]:
    """Yield an obligation on the terms of a sum: for each term if there are few and their number is known."""
    names = _names((part,), let)
    if i not in names:
        yield under, relation, part
        return
    low, high = constant(first), constant(last)
    if low is not None and high is not None and high - low < (MAX_TERMS if names == {i} else FEW):
        for k in range(math.ceil(low), math.floor(high) + 1):
            yield under, relation, _substituted(part, i, literal(k), let)
        return
    each, one = Name(f"{i}{EACH}"), literal(1)  # counted from one, as names are positive
    place = each if low == 1 else Op("+", (each, first, Op("-", (one,))))
    within = Comparison((one, each), ("<=",)), Comparison((place, last), ("<=",))
    yield (*under, *within), relation, _substituted(part, i, place, let)


def _names(nodes: Iterable[Tree], let: Mapping[str, Tree]) -> set[str]:
    return {n.name for n in walk_with_values(nodes, let) if isinstance(n, Name)} - {*let}


def _substituted(node: Tree, name: str, value: Tree, let: Mapping[str, Tree]) -> Tree:
    """Return a tree with a value substituted for a name, also in the values of `let`."""
    if isinstance(node, Name):
        if node.name not in let:
            return value if node.name == name else node
        return _substituted(let[node.name], name, value, {n: v for n, v in let.items() if n != node.name})
    if isinstance(node, Call) and name in _bound(node):
        return node
    return rebuild(node, lambda part: _substituted(part, name, value, let))


def _bound(call: Call) -> set[str]:
    """Return the names that a function binds, such as `x` in `limit(1/x, x)`."""
    kinds = FUNCTIONS[call.function].kinds(len(call.arguments)) or ()
    if call.function in (*ARITHMETIC, *BEHAVIOUR):
        return set()
    return {a.name for a, kind in zip(call.arguments, kinds, strict=False) if kind == "name" and isinstance(a, Name)}


def of_each(under: Iterable[Tree], part: Tree) -> bool:
    """Return whether an obligation is about an arbitrary term of a sum."""
    return any(n.endswith(EACH) for node in (*under, part) for n in names_in(node))


def needs(env: Environment, node: Tree, plainly: Callable[[str, Tree], bool] | None = None) -> tuple[Boolean, ...]:
    """Return the conditions under which a statement has a value, except those that follow from the signs of its names.

    `plainly` decides whether an obligation follows from the signs. Conditions of inner parts come first.

    >>> from roofproof.formula.reader import read_statement
    >>> needs(Environment(), read_statement("sqrt(a - 5) > 9 or 1/a > 2"))
    (a - 5 >= 0,)

    Raises Undecided for a condition on each term of a sum.
    """
    found: dict[Boolean, None] = {}
    plainly = plainly or partial(_by_signs, env)
    for under, relation, part in obligations(node, env.let):
        due: Iterable[Boolean] = ()
        if relation == VALUE:
            due = env.where(part)
        elif not plainly(relation, part):
            due = (sympy.Rel(env.to_sympy(part), 0, relation, evaluate=False),)
        if due and of_each(under, part):
            raise Undecided("the condition of each term of a sum does not depend only on the names of the claim")
        found |= dict.fromkeys(due)
    return tuple(reversed(found))


def _by_signs(env: Environment, relation: str, part: Tree) -> bool:
    return bool(sympy.Rel(env.to_sympy(part), 0, relation) == sympy.true)
