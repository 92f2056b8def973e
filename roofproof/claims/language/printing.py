"""Printing a tree as text that reads back as the same tree."""

import re
from itertools import pairwise

from roofproof.claims.language import nodes
from roofproof.claims.language.nodes import Node
from roofproof.formula.functions import FUNCTIONS
from roofproof.formula.units import near_unit, unit_of

# How tightly a node holds together; a looser one stands in parentheses.
_EQUIVALENCE, _IMPLICATION, _OR, _AND, _NOT, _COMPARISON = range(6)
_SUM, _PRODUCT, _SIGNED, _JUXTAPOSED, _POWER, _ATOM = range(6, 12)

_JOINED: dict[type[Node], tuple[str, int, int]] = {  # the least of its members, its own
    nodes.Conjunction: (" and ", _NOT, _AND),
    nodes.Disjunction: (" or ", _AND, _OR),
    nodes.Equivalence: (" <=> ", _IMPLICATION, _EQUIVALENCE),
}


def to_text(node: Node) -> str:
    """Return a tree as text in the notation it is read from.

    >>> from roofproof.claims.language import read_proposition
    >>> to_text(read_proposition("intensity(mm)≈ 2*B*D/(B+D) ∧ B≤240"))
    'intensity(mm) ~= 2 B D / (B + D) and B <= 240'
    """
    return _text(node)[0]


def _within(node: Node, least: int) -> str:
    text, level = _text(node)
    return text if level >= least else f"({text})"


def _text(node: Node) -> tuple[str, int]:
    match node:
        case nodes.Number(text=text):
            return text, _ATOM
        case nodes.Quantity(amount=amount, unit=unit):
            match amount:  # 1/2 GB is half a gigabyte
                case nodes.Quotient(above=nodes.Number(text=top), below=nodes.Number(text=bottom)):
                    return f"{top}/{bottom} {unit.text}", _JUXTAPOSED
            return f"{_within(amount, _POWER)} {unit.text}", _JUXTAPOSED
        case nodes.Infinity():
            return "oo", _ATOM
        case nodes.Pi():
            return "pi", _ATOM
        case nodes.Name(name=name):
            return name, _ATOM
        case nodes.Reference(text=text):
            plain = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", text)
            quote = "'" if '"' in text else '"'
            return text if plain else quote + text + quote, _ATOM
        case nodes.Choices(items=items):
            return "{" + ", ".join(_within(item, _SUM) for item in items) + "}", _ATOM
        case nodes.Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(to_text, arguments))})", _ATOM
        case nodes.Sum(terms=terms):
            return _sum(terms), _SUM
        case nodes.Product(factors=factors):
            return _product(factors)
        case nodes.Quotient(above=above, below=below):
            gap = "" if isinstance(above, nodes.Number) and isinstance(below, nodes.Number) else " "
            return f"{_within(above, _PRODUCT)}{gap}/{gap}{_tight(below)}", _PRODUCT
        case nodes.Negative(operand=operand):
            return f"-{_within(operand, _SIGNED)}", _SIGNED
        case nodes.Power(base=base, exponent=exponent):
            return f"{_within(base, _ATOM)}^{_tight(exponent)}", _POWER
        case nodes.Comparison(operands=operands, relations=relations):
            text = _within(operands[0], _SUM)
            for relation, operand in zip(relations, operands[1:], strict=True):
                text += f" {relation} {_within(operand, _SUM)}"
            return text, _COMPARISON
        case nodes.Negation(operand=operand):
            return f"not {_within(operand, _NOT)}", _NOT
        case nodes.Implication(premise=premise, conclusion=conclusion):
            return f"{_within(premise, _OR)} => {_within(conclusion, _IMPLICATION)}", _IMPLICATION
        case nodes.Quantified(quantifier=quantifier, names=names, kinds=kinds, body=body):
            bound = " ".join([", ".join(names), *kinds])
            return f"{quantifier} {bound}: {to_text(body)}", _EQUIVALENCE
        case nodes.Conjunction() | nodes.Disjunction() | nodes.Equivalence():
            sign, least, level = _JOINED[type(node)]
            return sign.join(_within(m, least) for m in node.members), level
        case _:
            raise TypeError(f"no node of a proposition: {node!r}")


def _sum(terms: tuple[Node, ...]) -> str:
    text = _within(terms[0], _PRODUCT)
    for term in terms[1:]:
        sign, part = ("-", term.operand) if isinstance(term, nodes.Negative) else ("+", term)
        text += f" {sign} {_within(part, _PRODUCT)}"
    return text


def _product(factors: tuple[Node, ...]) -> tuple[str, int]:
    if all(_can_stand_beside(a, b) for a, b in pairwise(factors)) and not isinstance(
        factors[0], nodes.Negative | nodes.Quotient
    ):
        written = (_within(f, _JUXTAPOSED if isinstance(f, nodes.Quantity) else _POWER) for f in factors)
        return " ".join(written), _JUXTAPOSED
    first, *rest = factors
    split = isinstance(first, nodes.Quotient) and isinstance(first.below, nodes.Number)  # a / 8 * 10^3 is refused
    least = _SIGNED if split and nodes.begins_with_power_of_ten(rest[0]) else _PRODUCT
    return " * ".join([_within(first, least), *(_factor(f) for f in rest)]), _PRODUCT


def _factor(node: Node) -> str:
    return f"({_text(node)[0]})" if isinstance(node, nodes.Product) else _within(node, _SIGNED)


def _can_stand_beside(left: Node, right: Node) -> bool:
    """Tell whether `left right` reads as a product, rather than as a unit, a call or two readings."""
    base = right.base if isinstance(right, nodes.Power) else right
    if isinstance(base, nodes.Number | nodes.Quantity | nodes.Negative | nodes.Quotient):
        return False
    if isinstance(left, nodes.Quantity) and not isinstance(left.amount, nodes.Number | nodes.Power):
        return False
    if isinstance(base, nodes.Name) and unit_of(base.name) is not None:
        return False
    if isinstance(base, nodes.Name) and isinstance(left, nodes.Number | nodes.Power | nodes.Quantity):
        return near_unit(base.name) is None
    opens = not isinstance(base, nodes.Name | nodes.Call | nodes.Infinity | nodes.Pi)
    return not (opens and isinstance(left, nodes.Name) and left.name in FUNCTIONS)


def _tight(node: Node) -> str:
    """Return a divisor or an exponent, which may begin with signs."""
    return f"-{_tight(node.operand)}" if isinstance(node, nodes.Negative) else _within(node, _POWER)
