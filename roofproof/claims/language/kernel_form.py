"""Between trees and the kernel's formulas, with no algebra system in between: nothing cancels, nothing is reordered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from roofproof.claims.language import nodes
from roofproof.claims.language.nodes import Node
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.kernel.terms import (
    MAX_EXPONENT,
    ONE,
    OPAQUE,
    Formula,
    KernelError,
    Polynomial,
    Term,
    mul,
    normal,
    term_of,
)

_HEADS = ("max", "min", "floor", "ceil", "sqrt", "log2")
_JOINS: dict[type[Node], str] = {nodes.Conjunction: "and", nodes.Disjunction: "or"}
_SAID = {"and": nodes.Conjunction, "or": nodes.Disjunction}

Value = Callable[[Node], Term]
"""The term of what the engine works out, such as `flops(mm)`; raises Undecided where there is none."""


def _no_value(node: Node) -> Term:
    raise Undecided("a value that the engine works out")


def to_formula(
    node: Node, let: Mapping[str, Term] | None = None, value: Value = _no_value, said: Value = _no_value
) -> Formula:
    """Return the kernel's formula for a proposition, part by part as it is written.

    >>> from roofproof.claims.language import read_proposition
    >>> to_formula(read_proposition("(x - y)/(x - y) < 1"))[2]
    ('/', ('+', ('v', 'x'), ('*', ('q', -1, 1), ('v', 'y'))), ('+', ('v', 'x'), ('*', ('q', -1, 1), ('v', 'y'))))

    `let` has the terms of names that stand for values, `value` and `said` give those of calls. Raises Undecided for
    what the kernel has no words for: `~=`, `->`, functions of the engine, exponents that are no whole numbers.
    """
    known = let or {}

    def formula(node: Node) -> Formula:
        match node:
            case nodes.Comparison():
                links = [_link(term(k.operands[0]), term(k.operands[1]), k.relations[0]) for k in node.links]
                return links[0] if len(links) == 1 else ("and", *links)
            case nodes.Negation(operand=operand):
                return ("not", formula(operand))
            case nodes.Conjunction(members=members) | nodes.Disjunction(members=members):
                return (_JOINS[type(node)], *map(formula, members))
            case nodes.Implication(premise=premise, conclusion=conclusion):
                return ("=>", formula(premise), formula(conclusion))
            case nodes.Equivalence(members=[first, *others]):
                links = [("<=>", formula(first), formula(other)) for other in others]
                return links[0] if len(links) == 1 else ("and", *links)
        return said(node)

    def term(node: Node) -> Term:
        match node:
            case nodes.Number(value=number):
                return _number(number)
            case nodes.Quantity(amount=amount, unit=unit):
                return ("*", term(amount), _number(unit.factor))
            case nodes.Name(name=name):
                return known.get(name, ("v", name))
            case nodes.Sum(terms=terms):
                return ("+", *map(term, terms))
            case nodes.Negative(operand=operand):
                return ("*", ("q", -1, 1), term(operand))
            case nodes.Product(factors=factors):
                return ("*", *map(term, factors))
            case nodes.Quotient(above=above, below=below):
                return ("/", term(above), term(below))
            case nodes.Power(base=base, exponent=exponent):
                return _power(term(base), term(exponent))
            case nodes.Call(function="abs", arguments=[inside]):
                return ("max", term(inside), ("*", ("q", -1, 1), term(inside)))
            case nodes.Call(function=function, arguments=arguments) if function in _HEADS:
                return (function, *map(term, arguments))
        return value(node)

    return formula(node)


def _number(value: Fraction) -> Term:
    return ("q", value.numerator, value.denominator)


def _link(a: Term, b: Term, relation: str) -> Formula:
    made: dict[str, Formula] = {
        ">": (">", a, b), ">=": (">=", a, b), "<": (">", b, a), "<=": (">=", b, a), "==": ("=", a, b),
        "!=": ("not", ("=", a, b)),
    }  # fmt: skip
    if relation not in made:
        raise Undecided("no relation of the kernel")
    return made[relation]


def _power(base: Term, exponent: Term) -> Term:
    turned = exponent[0] == "*" and exponent[1] == ("q", -1, 1) and len(exponent) == 3
    size = exponent[2] if turned else exponent
    if size[0] != "q" or size[2] != 1 or not 0 <= size[1] <= MAX_EXPONENT:
        raise Undecided("an exponent that is no whole number")
    raised: Term = ("^", base, size[1])
    return ("/", ("q", 1, 1), raised) if turned else raised


def from_formula(f: Formula) -> Node:
    """Return a formula of the kernel as a proposition in the claim language.

    >>> from roofproof.claims.language import to_text
    >>> to_text(from_formula(("=>", (">", ("v", "x"), ("q", 1, 2)), ("not", ("=", ("^", ("v", "x"), 2), ("q", 0, 1))))))
    'x > 1/2 => x^2 != 0'

    Raises Undecided for what the language has no words for, such as names made for roots and logarithms.
    """
    match f:
        case (">" | ">=" | "=" as relation, a, b):
            said = "==" if relation == "=" else relation
            return nodes.Comparison((_value(a), _value(b)), (said,))
        case ("not", ("=", a, b)):
            return nodes.Comparison((_value(a), _value(b)), ("!=",))
        case ("not", part):
            return nodes.Negation(from_formula(part))
        case ("and" | "or" as head, *parts) if parts:
            kind = _SAID[head]
            members = [m for p in map(from_formula, parts) for m in (p.parts if isinstance(p, kind) else (p,))]
            return members[0] if len(members) == 1 else kind(tuple(members))
        case ("=>", a, b):
            return nodes.Implication(from_formula(a), from_formula(b))
        case ("<=>", a, b):
            return nodes.Equivalence((from_formula(a), from_formula(b)))
    raise Undecided("the claim language has no words for it")


def _value(t: Term) -> Node:
    match t:
        case ("q", p, q):
            size = nodes.Number(Fraction(abs(p)), str(abs(p)))
            whole: Node = size if q == 1 else nodes.Quotient(size, nodes.Number(Fraction(q), str(q)))
            return nodes.Negative(whole) if p < 0 else whole
        case ("v", name) if name.isascii() and name.isidentifier():
            return nodes.Name(name)
        case ("+", *parts) if parts:
            return _joined(nodes.Sum, [_value(p) for p in parts])
        case ("*", ("q", -1, 1), part):
            return nodes.Negative(_value(part))
        case ("*", *parts) if parts:
            return _joined(nodes.Product, [_value(p) for p in parts])
        case ("/", a, b):
            return nodes.Quotient(_value(a), _value(b))
        case ("^", base, power):
            return nodes.Power(_value(base), nodes.Number(Fraction(power), str(power)))
        case (str(head), *parts) if head in _HEADS:
            return nodes.Call(head, tuple(map(_value, parts)))
        case ("power", base, exponent):
            return nodes.Power(_value(base), _value(exponent))
    raise Undecided("the claim language has no words for it")


def _joined(kind: type[nodes.Sum] | type[nodes.Product], members: list[Node]) -> Node:
    flat = [m for p in members for m in (p.parts if isinstance(p, kind) else (p,))]
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def same(f: Formula, g: Formula) -> bool | None:
    """Tell whether two formulas say the same link by link: sides that are equal as quotients of polynomials.

    >>> x, one = ("v", "x"), ("q", 1, 1)
    >>> same((">", ("+", x, x), one), (">", ("*", ("q", 2, 1), x), one)), same((">", x, one), (">", one, x))
    (True, False)

    None where that is not told: of roots, roundings, maxima and logarithms, and of what is too large.
    """
    f, g = _unequal(f), _unequal(g)
    if f == g:
        return True
    if f[0] in (">", ">=", "=") and g[0] == f[0]:
        try:
            told = [_equal(a, b) for a, b in zip(f[1:], g[1:], strict=True)]
        except KernelError:
            return None
        return None if None in told else all(told)
    if f[0] != g[0]:
        return False
    if f[0] in ("not", "=>"):
        return _all([same(a, b) for a, b in zip(f[1:], g[1:], strict=True)])
    if f[0] not in ("and", "or", "<=>"):
        return None
    ours, theirs = _members(f), _members(g)  # and, or, <=>: in any order
    if len(ours) != len(theirs):
        return None
    table = [[same(a, b) for b in theirs] for a in ours]
    return _all([_any(row) for row in (*table, *map(list, zip(*table, strict=True)))])


def _unequal(f: Formula) -> Formula:
    """Return `a > b or b > a`, which is how `a != b` is proved where it may be undefined, as `not a = b`."""
    match f:
        case ("or", (">", a, b), (">", c, d)) if (a, b) == (d, c):
            return ("not", ("=", a, b))
    return f


def _all(told: list[bool | None]) -> bool | None:
    return False if False in told else None if None in told else True


def _any(told: list[bool | None]) -> bool | None:
    return True if True in told else None if None in told else False


def _members(f: Formula) -> list[Formula]:
    return [m for part in f[1:] for m in (_members(part) if part[0] == f[0] != "<=>" else [part])]


def _equal(a: Term, b: Term) -> bool | None:
    (above, below), (over, under) = normal(_in_order(a), []), normal(_in_order(b), [])
    if mul(above, under) == mul(over, below):
        return True
    return None if any(map(_opaque, (above, below, over, under))) else False


def _in_order(t: Term) -> Term:
    """Return a term with what stands in maxima, roots and the like as quotients of polynomials, in one order."""
    if t[0] in ("q", "v"):
        return t
    if t[0] not in OPAQUE or t[0] == "power":
        return (t[0], *(_in_order(p) if isinstance(p, tuple) else p for p in t[1:]))
    inside = []
    for part in t[1:]:
        above, below = (term_of(dict(sorted(p.items()))) for p in normal(_in_order(part), []))
        inside.append(above if below == term_of(ONE) else ("/", above, below))
    return (t[0], *(sorted(inside) if t[0] in ("max", "min") else inside))


def _opaque(p: Polynomial) -> bool:
    return any(atom[0] in OPAQUE for monomial in p for atom, _ in monomial)


def let_terms(let: Mapping[str, Node], value: Value) -> dict[str, Term]:
    """Return the terms of values with names, those before them put in; what the kernel has no words for is left out."""
    found: dict[str, Term] = {}
    for name, node in let.items():
        try:
            [_, term, _] = to_formula(nodes.Comparison((node, nodes.Number(Fraction(0), "0")), ("==",)), found, value)
        except (RoofproofError, KernelError):
            continue
        found[name] = term
    return found
