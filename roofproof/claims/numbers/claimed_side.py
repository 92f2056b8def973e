"""Which side of an equation is what somebody states, and which is to be worked out."""

from collections.abc import Mapping
from dataclasses import replace

from roofproof.claims.numbers.printed import printed_number
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.tree import Call, Comparison, Name, Tree, names_in, walk


def stated_last(node: Comparison, let: Mapping[str, Tree]) -> Comparison:
    """Return an equation with the side that is stated, or printed, on the right, the one to be worked out on the left.

    >>> from roofproof.formula.reader import read_statement
    >>> from roofproof.formula.printing import to_text
    >>> to_text(stated_last(read_statement("240 == ridge(tpu-v5e, bf16)"), {}))
    'ridge("tpu-v5e", bf16) == 240'
    >>> to_text(stated_last(read_statement("2 x == x + y"), {}))
    '2 x == x + y'

    A number as it stands, or a bare name, is stated; what calls the engine or uses a defined name is worked out. Of
    two numbers the right one is stated: `1 GiB ~= 1.07 GB`.
    """
    return readings(node, let)[0]


def readings(node: Comparison, let: Mapping[str, Tree]) -> tuple[Comparison, ...]:
    """Return the equation with the stated side on the right; two numbers may be meant either way round."""
    turned = replace(node, operands=node.operands[::-1])
    left, right = (_work(side, let) for side in node.operands)
    if left == right and not names_in(node):
        return node, turned
    return (node,) if left >= right else (turned,)


def both_worked_out(node: Comparison, let: Mapping[str, Tree]) -> bool:
    """Tell whether neither side is simply stated, as where two answers are said to agree."""
    return all(_work(side, let) == 3 for side in node.operands)


def _work(node: Tree, let: Mapping[str, Tree]) -> int:
    if printed_number(node) is not None:
        return 0
    if isinstance(node, Name) and node.name not in let:
        return 1
    for part in walk(node):
        if isinstance(part, Call) and part.function not in ARITHMETIC:
            return 3
        if isinstance(part, Name) and part.name in let:
            return 3
    return 2
