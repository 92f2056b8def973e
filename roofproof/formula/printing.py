"""A tree as text that reads back as the same tree, with only the brackets that the reader's table needs."""

from __future__ import annotations

import re

from roofproof.formula.functions import FUNCTIONS
from roofproof.formula.reader import ATOM, BESIDE, NOT, OPERATORS, POWER, SIGN
from roofproof.formula.tree import Call, Comparison, Constant, Name, Number, Op, Quantified, Quantity, Reference, Tree
from roofproof.formula.units import MEASURES, near_unit, unit_of

_COMPARED, _SUM, _PRODUCT = (OPERATORS[sign].power for sign in ("==", "+", "*"))


def to_text(tree: Tree) -> str:
    """Return a tree as text in the notation that the reader accepts.

    >>> from roofproof.formula.reader import read
    >>> to_text(read("intensity(mm)≈ 2*B*D/(B+D) ∧ B≤240"))
    'intensity(mm) ~= 2 B D / (B + D) and B <= 240'
    """
    return _text(tree)[0]


def _within(tree: Tree, least: int) -> str:
    text, power = _text(tree)
    return text if power >= least else f"({text})"


def _text(tree: Tree) -> tuple[str, int]:
    """Return a tree as text, and its binding power."""
    match tree:
        case Number(text=text):
            return text, ATOM
        case Name(name=name) | Constant(name=name):
            return name, ATOM
        case Reference(text=text):
            plain = re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", text)
            quote = "'" if '"' in text else '"'
            return text if plain else quote + text + quote, ATOM
        case Call(function=function, arguments=arguments):
            return f"{function}({', '.join(map(to_text, arguments))})", ATOM
        case Quantity(amount=amount, unit=unit):
            match amount:  # 1/2 GB is half a gigabyte
                case Op("/", (Number(text=above), Number(text=below))):
                    return f"{above}/{below} {unit.text}", BESIDE
            return f"{_within(amount, POWER)} {unit.text}", BESIDE
        case Quantified(quantifier=quantifier, names=names, kinds=kinds, body=body):
            bound = " ".join([", ".join(names), *kinds])
            return f"{quantifier} {bound}: {to_text(body)}", 0
        case Comparison(operands=operands, relations=relations):
            signs = (f" {relation} " for relation in relations)
            values = [_within(operand, _SUM) for operand in operands]
            return values[0] + "".join(s + v for s, v in zip(signs, values[1:], strict=True)), _COMPARED
        case Op(head=head, args=args):
            return _joined(head, args)
    raise TypeError(f"no node of a formula: {tree!r}")


def _joined(head: str, args: tuple[Tree, ...]) -> tuple[str, int]:
    match head, args:
        case "set", _:
            return "{" + ", ".join(_within(item, _SUM) for item in args) + "}", ATOM
        case "not", (inner,):
            return f"not {_within(inner, NOT)}", NOT
        case "-", (inner,):
            return f"-{_within(inner, SIGN)}", SIGN
        case "^", (base, exponent):
            return f"{_within(base, ATOM)}^{_tight(exponent)}", POWER
        case "/", (above, below):
            gap = "" if isinstance(above, Number) and isinstance(below, Number) else " "
            return f"{_within(above, _PRODUCT)}{gap}/{gap}{_tight(below)}", _PRODUCT
        case "+", _:
            return _sum(args), _SUM
        case "*", _:
            return _product(args)
        case "=>", (premise, conclusion):
            power = OPERATORS["=>"].power
            return f"{_within(premise, power + 1)} => {_within(conclusion, power)}", power
    power = OPERATORS[head].power
    return f" {head} ".join(_within(member, power + 1) for member in args), power


def _sum(terms: tuple[Tree, ...]) -> str:
    text = _within(terms[0], _PRODUCT)
    for term in terms[1:]:
        negative = isinstance(term, Op) and term.head == "-"
        part = term.args[0] if isinstance(term, Op) and negative else term
        text += f" {'-' if negative else '+'} {_within(part, _PRODUCT)}"
    return text


def _product(factors: tuple[Tree, ...]) -> tuple[str, int]:
    first, *rest = factors
    signed = isinstance(first, Op) and first.head in ("-", "/")
    ends = [*[False] * (len(factors) - 2), True]
    if not signed and all(map(_can_stand_beside, factors, rest, ends)):
        written = (_within(f, BESIDE if isinstance(f, Quantity) else POWER) for f in factors)
        return " ".join(written), BESIDE
    match first:  # a / 8 * 10^3 is refused
        case Op("/", (_, Number())) if begins_with_power_of_ten(rest[0]):
            least = SIGN
        case _:
            least = _PRODUCT
    return " * ".join([_within(first, least), *map(_factor, rest)]), _PRODUCT


def _factor(tree: Tree) -> str:
    bracketed = isinstance(tree, Op) and tree.head == "*"
    return f"({_text(tree)[0]})" if bracketed else _within(tree, SIGN)


def _can_stand_beside(left: Tree, right: Tree, last: bool) -> bool:
    """Return whether `left right`, at the end of a product if `last`, reads as a product, not as a unit or a call."""
    power = isinstance(left, Op) and left.head == "^"
    base = right.args[0] if isinstance(right, Op) and right.head == "^" else right
    if isinstance(left, Quantity) or isinstance(base, Number | Quantity):
        return False
    if isinstance(base, Op) and base.head in ("-", "/"):
        return False
    if isinstance(base, Name):
        seconds = base.name in MEASURES and last and right is base  # 2 s
        unit = seconds or near_unit(base.name) is not None
        return unit_of(base.name) is None and not (unit and (power or isinstance(left, Number)))
    opens = not isinstance(base, Call | Constant)
    return not (opens and isinstance(left, Name) and left.name in FUNCTIONS)


def _tight(tree: Tree) -> str:
    """Return a divisor or an exponent, which may begin with signs."""
    return f"-{_tight(tree.args[0])}" if isinstance(tree, Op) and tree.head == "-" else _within(tree, POWER)


def begins_with_power_of_ten(tree: Tree) -> bool:
    """Return whether a factor is a power of ten, also with a unit or other factors after it: `10^11 B/s`.

    >>> from roofproof.formula.reader import read
    >>> begins_with_power_of_ten(read("10^11 B/s")), begins_with_power_of_ten(read("n^11"))
    (True, False)
    """
    match tree:
        case Quantity(amount=first) | Op("*", (first, *_)):
            return begins_with_power_of_ten(first)
        case Op("^", (Number(value=base), _)):
            return base == 10
    return False
