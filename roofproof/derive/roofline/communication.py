"""Collectives and sharded layers on a chip: times, and the sizes at which compute hides communication."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Case, Cases
from roofproof.derive.roofline.ridges import supply
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.symbols import quantity


def alpha_beta(op: Operation, chip: Chip | None = None, links: Collection[str] = ()) -> sympy.Expr:
    """Return the seconds of a collective: a latency for each step, and its bytes over the bandwidth of the link.

    >>> from roofproof import op
    >>> alpha_beta(op("all-reduce:algorithm=one-shot,n=8,link=nvlink"))           # 1 step, 7 V bytes
    7*V/W + t
    >>> from roofproof.hardware import chip_from_text
    >>> on = chip_from_text("bf16=1 TFLOP/s, nvlink=450 GB/s, nvlink-latency=1 us")
    >>> alpha_beta(op("all-reduce:algorithm=one-shot,n=8,V=9000000000,link=nvlink"), on)     # 1e-6 + 63e9/4.5e11
    140001/1000000

    W and t are the bandwidth and latency of the link, named W_LINK and t_LINK if there are several or `links` has
    others. The symbol t remains if the chip has no spec LINK-latency. Raises RoofproofError for an operation that is
    not a single collective, and for a link the chip lacks.
    """
    if not op.hops or not op.demands.keys() <= op.hops.keys():
        raise RoofproofError(
            "<op>: roofproof counts starts only for a single collective, such as all-reduce:n=8", op=op.name
        )
    total = sympy.Integer(0)
    for link, steps in op.hops.items():
        end = "" if len({*op.hops, *links}) == 1 else f"_{link.replace('-', '_')}"
        rate: sympy.Expr = quantity(f"W{end}") if chip is None else sympy.Rational(supply(chip, link).value)
        hop = None if chip is None else chip.trait(f"{link}-latency")
        start = quantity(f"t{end}") if hop is None else sympy.Rational(hop.value)
        total += steps * start + op.demands.get(link, sympy.Integer(0)) / rate
    return total


@dataclass(frozen=True, slots=True)
class Faster:
    """The sizes at which a collective is faster than another: a `condition` on their `times`, as cases for one size.

    The logarithm of a number of chips n is written l, and `given` says that it is at least 1 and at most n - 1. There
    are at least two nodes, and all are full: `whole` says which size divides n. The cases only need that n is larger.

    >>> from roofproof import op
    >>> found = faster(op("all-reduce:algorithm=tree,n=8"), op("all-reduce:n=8"), "V")
    >>> print(found.cases)                        # 6 (t + V/W) < 14 t + 7/4 V/W
    V < 32*W*t/17
    >>> print(faster(op("all-reduce:algorithm=two-trees"), op("all-reduce"), "V").cases)
    V < W*t*n*(n - l - 1)    when 1/n + l/n < 1
    never                    otherwise
    """

    times: tuple[sympy.Expr, sympy.Expr]
    condition: Boolean
    given: tuple[Boolean, ...]
    logarithms: tuple[tuple[sympy.Symbol, sympy.Symbol], ...]
    cases: Cases
    whole: tuple[Boolean, ...] = ()


def faster(
    op: Operation, other: Operation, unknown: str, chip: Chip | None = None, at: Mapping[str, int] | None = None
) -> Faster:
    """Return the sizes at which a collective is faster than another, solved for one size.

    Raises RoofproofError for an operation that is not a single collective, and for a size that neither has.
    """
    links = {*op.hops, *other.hops}
    sizes = {s.name: s for s in (*op.dims, *other.dims)}
    point = {sizes[name]: sympy.Integer(size) for name, size in (at or {}).items() if name in sizes and name != unknown}
    a, b = (sympy.expand_log(alpha_beta(each, chip, links).subs(point), force=True) for each in (op, other))
    refuse_unknown("dimension", unknown, sizes)
    stated = [c for each in (op, other) for c in each.conditions]
    if false := [c for c in stated if c.subs(point) == sympy.false]:
        where = ", ".join(f"{size} = {value}" for size, value in point.items())
        raise RoofproofError("at <sizes>: <condition>, which is false", sizes=where, condition=plain(false[0]))
    given = [c.subs(point) for c in stated]
    logarithms = []
    for n in sorted({s for s in (a + b).free_symbols if s.is_integer}, key=str):
        given.append(sympy.Ge(n, 2))
        if (a + b).has(sympy.log(n)):
            if n.name == unknown:
                raise RoofproofError(
                    "<op>: steps grow with log2(<size>); solve for the bytes", op=op.name, size=unknown
                )
            depth = quantity("l" if "l" not in sizes else "l_")
            a, b = (sympy.expand(each).subs(sympy.log(n), depth * sympy.log(2)) for each in (a, b))
            given += [sympy.Ge(depth, 1), sympy.Le(depth, n - 1)]
            logarithms.append((depth, n))
    whole = tuple(dict.fromkeys(c for c in given if c.has(sympy.Mod)))
    nodes = [sympy.Gt(*each.args) for c in whole for each in c.atoms(sympy.Mod)]
    said = {sympy.true, *whole, *(sympy.Ge(c.lhs, 2) for c in nodes)}  # more chips than one node has are at least 2
    given = [c for c in dict.fromkeys([*given, *nodes]) if c not in said]
    condition = related("<", a, b)
    found = solve(condition, sizes[unknown], given)
    cases = tuple(Case(_at_least_two(case.when), case.threshold) for case in found)
    cases = tuple(case for case in cases if case.when != sympy.false)
    return Faster((a, b), condition, tuple(given), tuple(logarithms), Cases(sizes[unknown], cases), whole)


def _at_least_two(condition: Boolean) -> Boolean:
    """Return a condition without the comparisons that have one value for all numbers of chips from 2.

    >>> n = sympy.Symbol("n", integer=True, positive=True)
    >>> _at_least_two((n > 1) & (n > 3)), _at_least_two(n < 2)
    (n > 3, False)
    """
    if isinstance(condition, sympy.And | sympy.Or):
        return condition.func(*map(_at_least_two, condition.args))
    names = condition.free_symbols
    if len(names) != 1 or not all(s.is_integer for s in names) or not isinstance(condition, Relational):
        return condition
    [n] = names
    moved = sympy.Symbol(f"{n.name}-2", integer=True, nonnegative=True)
    told = condition.subs(n, moved + 2)
    return told if told in (sympy.true, sympy.false) else condition


@dataclass(frozen=True, slots=True)
class Hidden:
    """The sizes at which a chip computes for longer than its links are busy, as cases for one dimension.

    `cases` contain the chip's specs, and `symbolic` has the peak P over the bandwidth W as the symbol R. Without a chip
    both are equal. The cases are exhaustive for sizes of at least 1.

    >>> from roofproof.ops.network import tensor_parallel
    >>> print(hidden(tensor_parallel().operation(), None, "Y").cases)      # F/Y > R (Y - 1)/Y
    Y < (R + F)/R
    """

    unknown: sympy.Symbol
    cases: Cases
    symbolic: Cases


def hidden(op: Operation, chip: Chip | None, unknown_name: str) -> Hidden:
    """Return the sizes at which compute takes longer than the link, so that it can hide communication.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation, shard
    >>> found = hidden(shard(parse_operation("matmul"), D=4), chip("tpu-v5e"), "D")
    >>> print(found.symbolic)                                  # D > 2 (n - 1) P/W, n = 4
    D > 6*R
    >>> print(found.cases)                                     # 6 * 1.97e14 / 4.5e10 = 26266.7
    D > 78800/3

    The main memory is ignored. Raises RoofproofError for an unknown dimension, for no link or several links, and for
    several compute resources.

    Source: Austin et al., How to Scale Your Model (2025), ch. 1 and 5.
    """
    dims = {s.name: s for s in op.dims}
    refuse_unknown("dimension", unknown_name, dims)
    compute = [name for name, amount in op.compute.items() if not amount.is_zero]
    # Not as a quotient: a single chip moves no bytes, so its intensity is not defined.
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
    # Sizes are integers. The solver must know that none lies between 0 and 1, where n - 1 would be negative.
    sizes = [sympy.Ge(s, 1) for s in op.dims if s.is_integer and s != x]
    symbolic = solve(sympy.Gt(flops, ridge * moved), x, sizes)
    if chip is None:
        return Hidden(x, symbolic, symbolic)
    value = sympy.Rational(chip.peak(compute[0]).value / supply(chip, link).value)
    return Hidden(x, solve(sympy.Gt(flops, value * moved), x, sizes), symbolic)
