"""Regions by the resource that takes longest: the plane of two sizes is compute-, memory- or network-bound."""

from collections.abc import Mapping
from dataclasses import dataclass

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.inequalities.cases import Cases, substitute
from roofproof.derive.roofline.engines import merge_shared_formats
from roofproof.derive.roofline.times import time
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation


@dataclass(frozen=True, slots=True)
class BoundRegion:
    """The region where one resource takes longer than every other, solved for one size."""

    resource: str
    time: sympy.Expr
    condition: Boolean
    cases: Cases


def bound_regions(
    op: Operation, chip: Chip, across: str, at: Mapping[str, int] | None = None
) -> tuple[BoundRegion, ...]:
    """Return, for each resource, the region where it is the bottleneck, solved for the size `across`.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> small = chip_from_text("bf16=100 FLOP/s, hbm=10 B/s, ici=1 B/s")
    >>> op = parse_operation("flops bf16 = 2 B D^2; bytes memory = 2 D^2; bytes ici = B D")
    >>> for region in bound_regions(op, small, "B"):           # B D^2/50 s against D^2/5 s and B D s
    ...     print(region.resource, "|", str(region.cases).replace(chr(10), "; "))
    bf16 | B > 10    when D > 50; never     otherwise
    memory | B < min(10, D/5)
    ici | B > D/5    when D < 50; never      otherwise

    Sizes in `at` are substituted first. The regions are open and do not overlap. Only their boundaries remain, where
    two resources take equally long. Raises RoofproofError for an unknown dimension, and for an operation that uses a
    single resource.
    """
    names = {s.name: s for s in op.dims}
    for name in (across, *(at or {})):
        refuse_unknown("dimension", name, names)
    op, _ = merge_shared_formats(op, chip)
    times = {resource: substitute(t, at or {}) for resource, t in time(op, chip).items()}
    if len(times) < 2:
        raise RoofproofError(f"{op.name} uses {', '.join(times) or 'no resource'} only; nothing to compare it with")
    out = []
    for resource, longest in times.items():
        condition = sympy.And(*(related(">", longest, t) for other, t in times.items() if other != resource))
        out.append(BoundRegion(resource, longest, condition, solve(condition, names[across])))
    return tuple(out)
