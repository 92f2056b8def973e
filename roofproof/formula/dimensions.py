"""Dimensions of values, and contradictions between units, specs of chips and values of operations.

A symbol, or a number without a unit, has no dimension of its own. It takes the one that is needed, so
`ridge(edge, fp16) == 25` means `== 25 FLOP/B`. Only two known dimensions can contradict each other.
"""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise

from roofproof.channels import TRAITS
from roofproof.errors import quoted
from roofproof.formats import ALIASES, BITS
from roofproof.formula.conditions import constant
from roofproof.formula.functions import FUNCTIONS
from roofproof.formula.printing import to_text
from roofproof.formula.tokens import error_at
from roofproof.formula.tree import Call, Comparison, Name, Number, Op, Quantity, Reference, Tree, is_op
from roofproof.formula.units import BYTE, FLOP, PLAIN, SECOND, Dimension, counted_by, dimension_text, per, unit_of

_COMPUTE = frozenset((*BITS, *ALIASES, "exp"))  # beginnings of resources in FLOP/s: bf16, fp32-vector

Known = Mapping[str, Dimension | None]


def dimension_of(node: Tree, known: Known | None = None) -> Dimension | None:
    """Return the dimension of a value, or None if it is open. `known` has the dimensions of names.

    >>> from roofproof.formula.reader import read_statement, read_value
    >>> dimension_text(dimension_of(read_value("14 GB / (50 GB/s)")))
    's'
    >>> dimension_of(read_statement("14 GB / (50 GB/s) == 280 GB"))
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: column 1: '14 GB / (50 GB/s)' (s) and '280 GB' (byte) cannot be compared

    Raises RoofproofError with the column if two known dimensions contradict each other.
    """
    known = {} if known is None else known
    match node:
        case Quantity(amount=amount, unit=unit):
            inner = dimension_of(amount, known)
            return unit.dimension if inner in (None, PLAIN) else _product([inner, unit.dimension])
        case Name(name=text) | Number(text=text):  # a number by itself may have any dimension
            return known.get(text)
        case Op("+", terms):
            return _common(terms, known, "<left> (<one>) and <right> (<other>) cannot be added")
        case Op("-", (operand,)):
            return dimension_of(operand, known)
        case Op("*", factors):
            return _product([dimension_of(f, known) for f in factors])
        case Op("/", (above, below)):
            return _product([dimension_of(above, known), _power(dimension_of(below, known), Fraction(-1))])
        case Op("^", (base, exponent)):
            dimension_of(exponent, known)
            return _power(dimension_of(base, known), constant(exponent))
        case Call():
            return _call(node, known)
        case Comparison(operands=operands):
            _common(operands, known, COMPARED)
        case _:
            for part in node.parts:
                dimension_of(part, known)
    return None


COMPARED = "<left> (<one>) and <right> (<other>) cannot be compared"


def _common(operands: tuple[Tree, ...], known: Known, said: str) -> Dimension | None:
    _refuse_other_counts(operands, said)
    first: tuple[Tree, Dimension] | None = None
    for node in operands:
        found = dimension_of(node, known)
        if found is None:
            continue
        if first is None:
            first = node, found
        elif first[1] != found:
            raise error_at(
                first[0].span[0],
                said,
                left=quoted(to_text(first[0])),
                one=dimension_text(first[1]),
                right=quoted(to_text(node)),
                other=dimension_text(found),
            )
    return first[1] if first else None


def _refuse_other_counts(operands: tuple[Tree, ...], said: str) -> None:
    """Raise RoofproofError if one value counts tokens and the next one GPUs. A bare number counts anything."""
    counts = [(node, words) for node in operands if (words := sorted(n for n, e in _counted(node).items() if e))]
    for (one, left), (other, right) in pairwise(counts):
        if not {*left} & {*right}:
            raise error_at(
                one.span[0],
                said,
                left=quoted(to_text(one)),
                one=" ".join(left),
                right=quoted(to_text(other)),
                other=" ".join(right),
            )


def _counted(node: Tree) -> Counter[str]:
    """Return the things that a value counts, with their powers: tokens per GPU are {token: 1, GPU: -1}."""
    found = Counter[str]()
    match node:
        case Quantity(amount=amount, unit=unit):
            found.update(_counted(amount))
            for place, word in enumerate(unit.text.split("/")):
                found.update({name: -1 if place else 1 for name in filter(None, [counted_by(word)])})
        case Op("*", factors):
            for each in factors:
                found.update(_counted(each))
        case Op("/", (above, below)):
            found.update(_counted(above))
            found.subtract(_counted(below))
        case Op("-", (operand,)):
            return _counted(operand)
        case Op("+", terms):
            return _counted(terms[0])
    return found


def _product(dimensions: list[Dimension | None]) -> Dimension | None:
    known = [each for each in dimensions if each is not None]
    return tuple(sum(e, Fraction(0)) for e in zip(*known, strict=True)) if len(known) == len(dimensions) else None


def _power(base: Dimension | None, exponent: Fraction | None) -> Dimension | None:
    if base is None or base == PLAIN:
        return base
    return None if exponent is None else tuple(e * exponent for e in base)


def _call(node: Call, known: Known) -> Dimension | None:
    function = FUNCTIONS[node.function]
    if node.function in ("min", "max"):
        return _common(node.arguments, known, COMPARED)
    found = [None if is_op(a, "set") else dimension_of(a, known) for a in node.arguments]
    due = per(FLOP, BYTE)
    if node.function == "attainable" and len(found) > 2 and (intensity := found[2]) not in (None, due):
        argument = node.arguments[2]
        raise error_at(
            argument.span[0],
            "<what> is in <unit>; argument 3 of attainable is in <due>",
            what=quoted(to_text(argument)),
            unit=dimension_text(intensity),
            due=dimension_text(due),
        )
    if node.function == "sqrt":
        return _power(found[0], Fraction(1, 2))
    resource = node.arguments[-1]
    if node.function in ("rate", "ceiling") and isinstance(resource, Reference) and resource.kind == "resource":
        return per(FLOP if resource.text.partition("-")[0] in _COMPUTE else BYTE, SECOND)
    if node.function == "trait" and isinstance(resource, Reference):
        return _of_trait(resource.text.lower().replace("_", "-"))
    if function.dimension == "first":
        return found[0]
    return function.dimension if isinstance(function.dimension, tuple) else None


def _of_trait(name: str) -> Dimension | None:
    if name.endswith("-latency"):
        return SECOND
    unit = unit_of(TRAITS.get(name, ""), letters=True)
    return PLAIN if TRAITS.get(name) == "count" else unit.dimension if unit else None
