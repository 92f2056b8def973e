"""Time of an operation on a chip: one time per resource, three kinds of overlap, and the attainable FLOP/s."""

import sympy

from roofproof.derive.algebra.largest import largest
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.ridges import supply
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY


def time(op: Operation, chip: Chip, warm: bool = False) -> dict[str, sympy.Expr]:
    """Return the time of each resource, demand / supply, in seconds.

    With `warm` caches, the bytes that fit in the last-level cache, if there is one, do not cross the main memory.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> time(parse_operation("flops bf16 = 1e12"), chip("h100-sxm"))   # 1e12 / 9.89e14 s = 1.011 ms
    {'bf16': 1/989}

    Raises RoofproofError for a spec the chip lacks.
    """
    held = None
    if warm:
        from roofproof.derive.roofline.floors import cache_of

        held = cache_of(chip)
    demands = op.demands
    if held is not None and MEMORY in demands:
        demands[MEMORY] = sympy.Max(demands[MEMORY] - sympy.Rational(held.value), 0)
    return {resource: demand / sympy.Rational(supply(chip, resource).value) for resource, demand in demands.items()}


def lower(op: Operation, chip: Chip, warm: bool = False) -> sympy.Expr:
    """Return the time if everything overlaps perfectly: the maximum of the resources' times, in seconds.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> op = parse_operation("flops bf16 = 6; bytes memory = 4")
    >>> lower(op, chip_from_text("bf16=2 FLOP/s, hbm=1 B/s"))          # max(6/2, 4/1)
    4
    >>> both = parse_operation("flops bf16 = 6; flops int8 = 8; bytes memory = 4")
    >>> lower(both, chip_from_text("bf16=2 FLOP/s, int8=4 FLOP/s, hbm=1 B/s"))    # one unit: max(6/2 + 8/4, 4/1)
    5
    >>> small = chip_from_text("bf16=2 FLOP/s, hbm=1 B/s, l2=3 B")
    >>> lower(op, small), lower(op, small, warm=True)                  # max(6/2, (4 - 3)/1)
    (4, 3)
    """
    return largest(*time(merge_shared_formats(op, chip)[0], chip, warm).values())


def sequential(op: Operation, chip: Chip) -> sympy.Expr:
    """Return the time if the parts of a sequence run one after another and the resources within each part overlap.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation, then
    >>> both = then(parse_operation("flops bf16 = 6; bytes memory = 1"), parse_operation("bytes memory = 4"))
    >>> chip = chip_from_text("bf16=2 FLOP/s, hbm=1 B/s")
    >>> sequential(both, chip)                                         # max(6/2, 1/1) + max(0, 4/1)
    7
    >>> lower(both, chip), upper(both, chip)                           # max(6/2, (1 + 4)/1); 6/2 + (1 + 4)/1
    (5, 8)

    It is the sum of the parts' lower bounds, while `lower` is the maximum of the sums over the parts. The difference is
    the time saved by reading for one part while another computes. Without parts, as after `fuse`, the two are equal.
    Raises RoofproofError for a spec the chip lacks.
    """
    return sympy.Add(*(lower(part, chip) for part in op.parts or (op,)))


def upper(op: Operation, chip: Chip) -> sympy.Expr:
    """Return the time if no two resources overlap: the sum of their times, in seconds.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> op = parse_operation("flops bf16 = 6; bytes memory = 4")
    >>> upper(op, chip_from_text("bf16=2 FLOP/s, hbm=1 B/s"))          # 6/2 + 4/1
    7
    """
    return sympy.Add(*time(op, chip).values())


def attainable(peak: sympy.Expr, bandwidth: sympy.Expr, intensity: sympy.Expr) -> sympy.Expr:
    """Return the roofline min(peak, I * bandwidth), in FLOP/s.

    >>> attainable(sympy.Integer(1200), sympy.Integer(48), sympy.Integer(15))     # min(1200, 15 * 48)
    720

    Raises SympifyError for text, which SymPy would evaluate.
    """
    at_most, along, sloped = (sympy.sympify(n, strict=True) for n in (peak, bandwidth, intensity))
    return sympy.Min(at_most, sloped * along)
