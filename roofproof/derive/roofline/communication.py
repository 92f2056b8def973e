"""Collectives and sharded layers on a chip: the figures of its links, times, and where compute hides the links."""

from dataclasses import dataclass

import sympy

from roofproof.derive.inequalities.cases import Cases
from roofproof.derive.inequalities.inequality import solve
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.hardware import Chip, Figure, parse_quantity
from roofproof.ops import Operation
from roofproof.ops.network import Collective
from roofproof.symbols import quantity


@dataclass(frozen=True, slots=True)
class CollectiveTime:
    """The time of a collective on a chip, in seconds, and the figures it rests on.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops.network import all_reduce
    >>> collective_time(all_reduce(2, 9 * 10**10), chip("tpu-v5e"), "1 us").upper   # 9e10/4.5e10 + 2 hops
    1000001/500000
    """

    collective: Collective
    bandwidth: sympy.Expr
    latency: sympy.Expr
    lower: sympy.Expr
    upper: sympy.Expr
    crossover: sympy.Expr | None  # bytes V at which the two are equal, over one link with a latency
    rests_on: tuple[Figure, ...]


def collective_time(collective: Collective, chip: Chip, latency: str | None = None) -> CollectiveTime:
    """Return the time of a collective over a chip's links.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops.network import BidirectionalRing, all_gather
    >>> found = collective_time(all_gather(16, 2**30, BidirectionalRing()), chip("tpu-v5e"), "1 us")
    >>> found.bandwidth, found.latency                        # 15/16 * 2^30 / (2 * 4.5e10) s; 8 hops
    (65536/5859375, 1/125000)
    >>> found.crossover                                       # 8 hops * 1e-6 s * 4.5e10 B/s / (15/32), in bytes
    768000

    `latency` is that of a hop with its unit ("1 us"), where the chip has no figure LINK-latency; without either
    the symbol t stays. Raises RoofproofError for a figure the chip lacks or that is not per direction.

    Source: Austin et al., How to Scale Your Model (2025), ch. 3.
    """
    values: dict[sympy.Symbol, sympy.Rational] = {}
    rests: list[Figure] = []
    for link in collective.links:
        rate = supply(chip, link)
        rests.append(rate)
        values[collective.bandwidth_of(link)] = sympy.Rational(rate.value)
        hop = None
        if latency is not None:
            hop = parse_quantity(latency, "s")
        elif (known := chip.trait(f"{link}-latency")) is not None:
            rests.append(known)
            hop = known.value
        if hop is not None:
            values[collective.latency_of(link)] = sympy.Rational(hop)
    one = len(collective.links) == 1 and collective.demand[collective.links[0]] != 0
    found = (collective.bandwidth, collective.latency, collective.lower, collective.upper)
    bandwidth, hops, lower, upper = (e.subs(values) for e in found)
    crossover = collective.crossover.subs(values) if one else None
    return CollectiveTime(collective, bandwidth, hops, lower, upper, crossover, tuple(rests))


@dataclass(frozen=True, slots=True)
class Hidden:
    """Where a chip computes for longer than its links are busy, as cases for one dimension.

    `cases` have the chip's figures, `symbolic` the peak P over the bandwidth W as the symbol R; they are equal
    where no chip was named. The cases are exhaustive for sizes of at least 1.

    >>> from roofproof.ops.network import tensor_parallel
    >>> print(hidden(tensor_parallel().operation(), None, "Y").cases)      # F/Y > R (Y - 1)/Y
    Y < (R + F)/R
    """

    unknown: sympy.Symbol
    cases: Cases
    symbolic: Cases


def hidden(op: Operation, chip: Chip | None, unknown_name: str) -> Hidden:
    """Return where compute takes longer than the link, so that communication can be hidden: the main memory aside.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation, shard
    >>> found = hidden(shard(parse_operation("matmul"), D=4), chip("tpu-v5e"), "D")
    >>> print(found.symbolic)                                  # D > 2 (n - 1) P/W, n = 4
    D > 6*R
    >>> print(found.cases)                                     # 6 * 1.97e14 / 4.5e10 = 26266.7
    D > 78800/3

    Raises RoofproofError for a dimension the operation lacks, no link or several, or several compute resources.

    Source: Austin et al., How to Scale Your Model (2025), ch. 1 and 5.
    """
    dims = {s.name: s for s in op.dims}
    refuse_unknown("dimension", unknown_name, dims)
    compute = [name for name, amount in op.compute.items() if not amount.is_zero]
    # Not as a quotient: one chip moves no bytes, and then its intensity is not defined.
    links = [name for name, amount in op.traffic.items() if name != "memory" and not amount.is_zero]
    if len(compute) != 1 or len(links) != 1:
        raise RoofproofError(
            f"{op.name}: hiding a link behind compute needs one of each; it has {', '.join(compute) or 'no FLOPs'} "
            f"and {', '.join(links) or 'no link'}"
        )
    [link] = links
    x = dims[unknown_name]
    flops, moved = op.compute[compute[0]], op.traffic[link]
    ridge = quantity("R" if "R" not in dims else "R_")
    # Sizes are whole numbers; the solver is told that none lies between 0 and 1, where n - 1 would be negative.
    sizes = [sympy.Ge(s, 1) for s in op.dims if s.is_integer and s != x]
    symbolic = solve(sympy.Gt(flops, ridge * moved), x, sizes)
    if chip is None:
        return Hidden(x, symbolic, symbolic)
    value = sympy.Rational(chip.peak(compute[0]).value / supply(chip, link).value)
    return Hidden(x, solve(sympy.Gt(flops, value * moved), x, sizes), symbolic)
