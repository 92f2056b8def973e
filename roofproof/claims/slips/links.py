"""Slips about what crosses from chip to chip."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import sympy

from roofproof.hardware import Chip
from roofproof.hardware.resources import LINKS
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY
from roofproof.ops.roles import shared_over


def one_direction(thing: Chip | Operation) -> Iterator[tuple[Chip | Operation, str]]:
    """Yield the chip with each of its links twice as fast, and half; the operation with twice the bytes, and half.

    >>> from roofproof import op
    >>> [(str(v.bytes("ici")), about) for v, about in one_direction(op("all-gather"))]          # V (n - 1)/n one way
    [('2*V*(n - 1)/n', 'ici'), ('V*(n - 1)/(2*n)', 'ici')]
    """
    for factor in (2, Fraction(1, 2)):
        if isinstance(thing, Operation):
            for name in (n for n in thing.traffic if n != MEMORY):
                yield with_traffic(thing, name, sympy.Rational(factor)), name
        else:
            for link in (f for f in thing.channels if f.resource in LINKS):
                changed = replace(link, value=link.value * factor)
                supplies = tuple(changed if f == link else f for f in thing.supplies)
                yield replace(thing, supplies=supplies), link.resource


def per_chip(op: Operation) -> Iterator[tuple[Operation, str]]:
    """Yield the operation with the FLOPs of all chips for those of one, then with the bytes over a link.

    >>> from roofproof import op
    >>> [(str(v.flops), str(v.bytes("ici"))) for v, _ in per_chip(op("tensor-parallel"))]        # of Y chips
    [('4*B*D*F', '4*B*D*(Y - 1)/Y'), ('4*B*D*F/Y', '4*B*D*(Y - 1)')]
    """
    for axis in chips_of(op):
        compute = {name: amount * axis for name, amount in op.compute.items()}
        yield replace(op, compute=compute, exact_compute=None, parts=()), axis.name
    for name in (n for n in op.traffic if n != MEMORY):
        shared = sympy.denom(sympy.together(op.traffic[name])).free_symbols
        for axis in (s for s in op.dims if s in shared):
            yield with_traffic(op, name, axis), axis.name


def chips_of(op: Operation) -> tuple[sympy.Symbol, ...]:
    """Return the sizes that are numbers of chips: those that work is shared over, where something crosses a link."""
    return shared_over(op) if any(name in LINKS for name in op.demands) else ()


def with_traffic(op: Operation, name: str, factor: sympy.Expr) -> Operation:
    """Return the operation with so many times the bytes over a channel that no tensor explains."""
    return replace(op, traffic={**op.traffic, name: op.traffic[name] * factor}, parts=())
