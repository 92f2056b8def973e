"""Mistakes about communication between chips."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction

import sympy

from roofproof.hardware import Chip
from roofproof.hardware.resources import LINKS
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY
from roofproof.ops.roles import shared_over


def one_direction(thing: Chip | Operation) -> Iterator[tuple[Chip | Operation, str]]:
    """Yield the chip with one link twice and half as fast, or the operation with twice and half the bytes on a link.

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
    """Yield the operation with the FLOPs of all chips instead of one chip, then with the bytes of all chips.

    >>> from roofproof import op
    >>> [(str(v.flops), str(v.bytes("ici"))) for v, _ in per_chip(op("tensor-parallel"))]        # of Y chips
    [('4*B*D*F', '4*B*D*(Y - 1)/Y'), ('4*B*D*F/Y', '4*B*D*(Y - 1)')]
    """
    for axis in chips_of(op):
        compute = {name: amount * axis for name, amount in op.compute.items()}
        yield op.as_one_kernel(work=compute, exact=None), axis.name
    for name in (n for n in op.traffic if n != MEMORY):
        shared = sympy.denom(sympy.together(op.traffic[name])).free_symbols
        for axis in (s for s in op.dims if s in shared):
            yield with_traffic(op, name, axis), axis.name


def own_part(op: Operation) -> Iterator[Operation]:
    """Yield the operation with n parts sent over a link instead of n - 1: each of the n chips already has its own.

    >>> from roofproof import op
    >>> [str(v.bytes("ici")) for v in own_part(op("all-gather"))]                                # V (n - 1)/n
    ['V']
    """
    yield from _with_steps(op, lambda n: n)


def one_step(op: Operation) -> Iterator[Operation]:
    """Yield the operation with the bytes of a single step of a ring, which has n - 1 steps.

    >>> from roofproof import op
    >>> [str(v.bytes("ici")) for v in one_step(op("all-gather"))]                                # V (n - 1)/n
    ['V/n']
    """
    yield from _with_steps(op, lambda n: sympy.Integer(1))


def _with_steps(op: Operation, steps: Callable[[sympy.Symbol], sympy.Expr]) -> Iterator[Operation]:
    """Yield the operation with another number of steps over its links, if it takes n - 1 steps for a size n."""
    factored = {name: sympy.factor(bytes_) for name, bytes_ in op.traffic.items() if name != MEMORY}
    for n in op.dims:
        if factored and all(bytes_.has(n - 1) for bytes_ in factored.values()):
            changed = {name: bytes_.subs(n - 1, steps(n)) for name, bytes_ in factored.items()}
            yield op.as_one_kernel(links={**op.traffic, **changed}, steps={})


def chips_of(op: Operation) -> tuple[sympy.Symbol, ...]:
    """Return the sizes that are numbers of chips: the ones that work is shared over, if a link is used."""
    return shared_over(op) if any(name in LINKS for name in op.demands) else ()


def with_traffic(op: Operation, name: str, factor: sympy.Expr) -> Operation:
    """Return the operation with its bytes over a link, or other bytes outside of tensors, multiplied by a factor."""
    return op.as_one_kernel(links={**op.traffic, name: op.traffic[name] * factor})
