"""What an audit compares with: the FLOPs, the bytes or a time of an operation, by name."""

from __future__ import annotations

from contextlib import suppress

import sympy

from roofproof.derive import time, upper
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.errors import RoofproofError, unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.resources import channel


def derived_forms(op: Operation, quantity: str, chip: Chip | None) -> dict[str, sympy.Expr]:
    """Return the derived quantity as the expressions of which it is the maximum, by resource.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> op = parse_operation("flops bf16 = 6 N; bytes memory = 4 N")
    >>> derived_forms(op, "lower", chip_from_text("bf16=2 FLOP/s, hbm=1 B/s"))     # max(6 N/2, 4 N/1)
    {'bf16': 3*N, 'memory': 4*N}

    Raises RoofproofError for another quantity, and for a time without a chip or with one that lacks a figure.
    """
    kind, colon, resource = quantity.partition(":")
    if kind not in ("flops", "bytes", "lower", "upper", "time") or (colon and (kind != "time" or not resource)):
        raise unknown("quantity", quantity, ("flops", "bytes", "lower", "upper", *(f"time:{r}" for r in op.demands)))
    if kind in ("flops", "bytes"):
        if chip is not None:
            raise RoofproofError(f"{kind} are the same on every chip; --chip requires lower, upper or time:RESOURCE")
        amount = op.flops if kind == "flops" else op.bytes()
        if amount == 0:
            raise RoofproofError(f"{op.name} has no {'FLOPs' if kind == 'flops' else 'bytes'} to compare with")
        return {kind: amount}
    if chip is None:
        raise RoofproofError(f"{kind} is a time on a chip; name it, such as --chip tpu-v5e")
    if kind == "upper":
        return {kind: upper(op, chip)}
    if kind == "lower":
        return time(on_one_engine(op, chip)[0], chip)  # what formats on one engine take adds up
    times = time(op, chip)
    if not colon and len(times) > 1:
        listed = ", ".join(f"time:{r}" for r in times)
        raise RoofproofError(f"{op.name} has a time for each resource: {listed}; lower is the longest, upper the sum")
    if colon and resource not in times:
        with suppress(RoofproofError):  # no channel either: it is told below what there is
            resource = channel(resource)
    wanted = resource if colon else next(iter(times), "")
    if wanted not in times:
        raise unknown("quantity", quantity, ("lower", "upper", *(f"time:{r}" for r in times)))
    return {wanted: times[wanted]}
