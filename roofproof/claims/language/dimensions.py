"""Dimensions of values: contradictions between units, figures of chips and what operations amount to.

A number without a unit and a symbol have no dimension of their own: they take the one that is needed, so
`ridge(edge, fp16) == 25` says the same as `== 25 FLOP/B`. Only two known dimensions can contradict each other.
"""

from collections.abc import Mapping
from fractions import Fraction

from roofproof.claims.language import nodes
from roofproof.claims.language.functions import FUNCTIONS
from roofproof.claims.language.nodes import Node
from roofproof.claims.language.printing import to_text
from roofproof.claims.language.units import BYTE, FLOP, PLAIN, SECOND, Dimension, described, per
from roofproof.errors import quoted
from roofproof.ops.notation.arithmetic import error_at

Known = Mapping[str, Dimension | None]

# Arguments that have a dimension: function, number of the argument.
_TAKES: dict[tuple[str, int], Dimension] = {("attainable", 2): per(FLOP, BYTE)}


def dimension_of(node: Node, known: Known | None = None) -> Dimension | None:
    """Return the dimension of a value, None where it is open; `known` has those of names.

    >>> from roofproof.claims.language import read_expression, read_proposition
    >>> described(dimension_of(read_expression("14 GB / (50 GB/s)")))
    's'
    >>> dimension_of(read_proposition("14 GB / (50 GB/s) == 280 GB"))
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 1: '14 GB / (50 GB/s)' is in s, '280 GB' is in byte; they cannot be compared

    Raises RoofproofError with the column where two known dimensions contradict each other.
    """
    known = known or {}
    match node:
        case nodes.Quantity(amount=amount, unit=unit):
            inner = dimension_of(amount, known)
            return unit.dimension if inner in (None, PLAIN) else _product([inner, unit.dimension])
        case nodes.Name(name=name):
            return known.get(name)
        case nodes.Sum(terms=terms):
            return _common(terms, known, "added")
        case nodes.Negative(operand=operand):
            return dimension_of(operand, known)
        case nodes.Product(factors=factors):
            return _product([dimension_of(f, known) for f in factors])
        case nodes.Quotient(above=above, below=below):
            top, bottom = dimension_of(above, known), dimension_of(below, known)
            return None if top is None or bottom is None else per(top, bottom)
        case nodes.Power(base=base, exponent=exponent):
            dimension_of(exponent, known)
            return _power(dimension_of(base, known), constant(exponent))
        case nodes.Call():
            return _call(node, known)
        case nodes.Comparison(operands=operands):
            _common(operands, known, "compared")
        case _:
            for part in node.parts:
                dimension_of(part, known)
    return None


def constant(node: Node) -> Fraction | None:
    """Return the value of a number, of its negative or of a quotient of numbers; None for anything else.

    >>> from roofproof.claims.language import read_expression
    >>> constant(read_expression("-1/2")), constant(read_expression("n"))
    (Fraction(-1, 2), None)
    """
    match node:
        case nodes.Number(value=value):
            return value
        case nodes.Negative(operand=operand):
            value_below = constant(operand)
            return None if value_below is None else -value_below
        case nodes.Quotient(above=above, below=below):
            top, bottom = constant(above), constant(below)
            return top / bottom if top is not None and bottom else None
        case nodes.Quantity(amount=amount, unit=unit) if unit.dimension == PLAIN:
            value_below = constant(amount)
            return None if value_below is None else value_below * unit.factor
        case _:
            return None


def _common(operands: tuple[Node, ...], known: Known, what: str) -> Dimension | None:
    first: tuple[Node, Dimension] | None = None
    for node in operands:
        found = dimension_of(node, known)
        if found is None:
            continue
        if first is None:
            first = node, found
        elif first[1] != found:
            raise error_at(
                first[0].span[0],
                f"{quoted(to_text(first[0]))} is in {described(first[1])}, {quoted(to_text(node))} is in "
                f"{described(found)}; they cannot be {what}",
            )
    return first[1] if first else None


def _product(dimensions: list[Dimension | None]) -> Dimension | None:
    total = PLAIN
    for each in dimensions:
        if each is None:
            return None
        total = tuple(a + b for a, b in zip(total, each, strict=True))
    return total


def _power(base: Dimension | None, exponent: Fraction | None) -> Dimension | None:
    if base is None or base == PLAIN:
        return base
    return None if exponent is None else tuple(e * exponent for e in base)


def _call(node: nodes.Call, known: Known) -> Dimension | None:
    function = FUNCTIONS[node.function]
    if node.function in ("min", "max"):
        return _common(node.arguments, known, "compared")
    found = [
        dimension_of(a, known) if not isinstance(a, nodes.Reference | nodes.Choices) else None for a in node.arguments
    ]
    for i, dimension in enumerate(found):
        due = _TAKES.get((node.function, i))
        if due is not None and len(found) > i and dimension not in (None, due):
            argument = node.arguments[i]
            assert dimension is not None
            raise error_at(
                argument.span[0],
                f"{quoted(to_text(argument))} is in {described(dimension)}; "
                f"argument {i + 1} of {node.function} is in {described(due)}",
            )
    if node.function == "sqrt":
        return _power(found[0], Fraction(1, 2))
    if node.function == "rate":
        return _rate(node.arguments[1])
    if function.dimension == "first":
        return found[0]
    return function.dimension if isinstance(function.dimension, tuple) else None


def _rate(resource: Node) -> Dimension | None:
    from roofproof.hardware.resources import is_compute

    if not isinstance(resource, nodes.Reference):
        return None
    return per(FLOP if is_compute(resource.text) else BYTE, SECOND)
