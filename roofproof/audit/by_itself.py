"""The values of a function with nothing of the audit beside it: what was said of it must be what it returns there.

A function reaches all that runs in its process, the audit too. So what it was found to be is looked at once more from
another process, at a few sizes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import Chip
from roofproof.ops import Operation

LARGEST, MOST = 128, 2**18  # sizes, and products of them, over which a function may loop
COUNT = 40


def sizes_to_try(op: Operation, chip: Chip | None = None) -> list[dict[str, int]]:
    """Return sizes of an operation at which a function is looked at by itself.

    >>> from roofproof.ops import parse_operation
    >>> sizes_to_try(parse_operation("matmul"))[1]
    {'B': 2, 'D': 2, 'F': 2}
    """
    from roofproof.audit.existing import Existing
    from roofproof.audit.whole_numbers import points

    names, sizes = [s.name for s in op.dims], Existing.of(op, chip)
    there = (sizes.near(op.dims, p) for p in points(len(names)))
    small = [p for p in there if p is not None and max(p) <= LARGEST and prod(p) <= MOST]
    return [dict(zip(names, p, strict=True)) for p in small[:: max(1, len(small) // COUNT)]]


def returned(function: Callable[..., Any], sizes: Sequence[Mapping[str, int]]) -> list[str]:
    """Return what a function returns at some sizes, each as a fraction; nothing where it fails or gives no number.

    >>> returned(lambda B, F: B/F, [{"B": 3, "D": 5, "F": 4}])
    ['3/4']
    """
    names = list(inspect.signature(function).parameters)
    return [_as_fraction(function, [at[n] for n in names]) for at in sizes]


def _as_fraction(function: Callable[..., Any], arguments: Sequence[int]) -> str:
    try:
        value = function(*arguments)
        ratio = getattr(value, "as_integer_ratio", None)
        above, below = ratio() if ratio is not None else (value.numerator, value.denominator)
        return f"{int(above)}/{int(below)}"
    except Exception:  # whatever somebody's function raises
        return ""


def refuse_other_values(
    function: str,
    op: Operation,
    quantity: str,
    chip: Chip | None,
    sizes: Sequence[Mapping[str, int]],
    said: Sequence[str],
) -> None:
    """Raise RoofproofError where a function that was found to be what is derived returns something else by itself.

    >>> from roofproof.ops import parse_operation
    >>> refuse_other_values("m:f", parse_operation("matmul"), "flops", None, [{"B": 3, "D": 4, "F": 5}], ["180/1"])
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'm:f' returns 180 at B = 3, D = 4, F = 5 by itself, where 120 is derived, \
and something else beside the audit; expected a function of its sizes alone
    """
    from roofproof.audit.closed_forms import NEAR, value_at
    from roofproof.audit.quantities import derived_forms

    forms = derived_forms(op, quantity, chip)
    symbols = {s.name: s for s in op.dims}
    for at, text in zip(sizes, said, strict=True):
        due = max(value_at(form, {symbols[n]: k for n, k in at.items()}) for form in forms.values())
        value = Fraction(text) if text else None
        if value is None or abs(value - due) > due * NEAR:
            place = ", ".join(f"{n} = {k}" for n, k in at.items())
            seen = "no number" if value is None else str(value)[:20]
            raise RoofproofError(
                f"{quoted(function)} returns {seen} at {place} by itself, where {due} is derived, "
                "and something else beside the audit; expected a function of its sizes alone"
            )
