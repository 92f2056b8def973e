"""Calls of a function at integers, some of them twice. The results must agree with each other and its closed form."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import prod
from random import Random
from types import ModuleType
from typing import Any

import sympy

from roofproof.audit.closed_forms import NEAR, ClosedForm, called, place, value_at
from roofproof.audit.remote_function import RemoteFunction
from roofproof.audit.size_constraints import EVERY, SizeConstraints
from roofproof.errors import RoofproofError

USUAL = (1, 2, 3, 7, 12, 100, 128, 512, 768, 1000, 1024, 2048, 4096, 5120, 8192, 14336, 28672, 32768, 65536)
SMALL, MOST = 128, 2**18  # the largest size, and the largest product of sizes, over which a function may loop
LOOPED = 2**20  # the largest single size over which it may loop, if the others are 1
NAMED, LARGEST = 20, 10**18  # the number of constants taken from a function's code, and the largest one
MIXED = 60  # points with random sizes


def tells_apart(
    function: Callable[..., Any], symbols: Sequence[sympy.Symbol], found: ClosedForm, existing: SizeConstraints = EVERY
) -> bool:
    """Return whether a function returns values at integers that differ from its closed form.

    >>> from roofproof.audit.closed_forms import closed_form
    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> two_faced = lambda N: 3*N if isinstance(N, int) else 2*N
    >>> tells_apart(two_faced, [N], closed_form(two_faced, [N]))
    True

    Raises RoofproofError for a function that returns two values at one point, because it is random or has state.
    """
    apart = False
    seen: list[Seen] = []
    named = named_in(function)
    tried = [p for p in (existing.near(symbols, p) for p in points(len(symbols), named)) if p is not None]
    if found.how != "symbols":  # a function that counts in loops takes long for large sizes
        tried = [p for p in tried if max(p) <= SMALL or (found.forms and prod(p) <= MOST)]
        apart = not set(named) <= {n for point in tried for n in point}  # it may compare with untried sizes
    for point in tried:
        value = called(function, symbols, point)
        seen.append((point, value))
        sizes = dict(zip(symbols, point, strict=True))
        said = max((value_at(form, sizes) for form in found.forms), default=None)
        if said is None:
            continue
        rounded = isinstance(value, float) or said.denominator > value.denominator == 1  # float: to a whole one, too
        inexact = found.decimals or rounded
        if abs(Fraction(value) - said) > (said * NEAR if inexact else 0):
            apart = True
    for earlier in seen[:: max(1, len(seen) // 10)]:
        refuse_unsteady(function, symbols, earlier)
    return apart


Seen = tuple[tuple[int, ...], Fraction | float]


def first_value(
    function: Callable[..., Any], symbols: Sequence[sympy.Symbol], existing: SizeConstraints = EVERY
) -> Seen | None:
    """Return a point and the value there, as the first call of a function, or None if it fails.

    >>> from roofproof.symbols import dimension
    >>> first_value(lambda N: 2*N, [dimension("N")])
    ((3,), Fraction(6, 1))
    """
    if (point := existing.near(symbols, range(3, 3 + len(symbols)))) is None:
        return None
    try:
        return point, called(function, symbols, point)
    except RoofproofError:
        return None  # a later call reports the error


def refuse_unsteady(function: Callable[..., Any], symbols: Sequence[sympy.Symbol], earlier: Seen | None) -> None:
    """Raise RoofproofError if a function returns a different value than it did earlier at the same point."""
    if earlier is None:
        return
    point, value = earlier
    again = called(function, symbols, point)
    if again != value:
        both = f"{str(value)[:20]} and {str(again)[:20]}"
        raise RoofproofError(
            "the function returned two values at <place>, <both>: it is random, or keeps state",
            place=place(symbols, point),
            both=both,
        )


def named_in(function: Callable[..., Any]) -> list[int]:
    """Return the integer constants in the code of a function, with which it may compare sizes.

    Constants of functions in its module that it calls, and of classes and modules that it uses, are included.

    >>> named_in(lambda N: 2*N if N > 777 else 0)
    [2, 777]
    """
    if isinstance(function, RemoteFunction):
        return list(function.named)
    found: set[int] = set()
    seen: set[int] = set()
    own = inspect.unwrap(function)
    codes, around = [getattr(own, "__code__", None)], getattr(own, "__globals__", {})
    while codes:
        code = codes.pop()
        if id(code) in seen:
            continue
        seen.add(id(code))
        if isinstance(code, tuple | frozenset):  # `(B, D) == (777, 777)`
            constants = [*code]
        else:
            names = getattr(code, "co_names", ())
            held = [around.get(n) for n in names]
            within = [vars(thing) for thing in held if isinstance(thing, type | ModuleType)]
            constants = [*getattr(code, "co_consts", ()), *held, *(d.get(n) for d in within for n in names)]
        for constant in constants:
            if isinstance(constant, type(points)):  # a function that it calls, if it is in the same module
                codes.append(constant.__code__ if constant.__globals__ is around else None)
            elif isinstance(constant, type(points.__code__) | tuple | frozenset):
                codes.append(constant)
            elif type(constant) in (int, float) and 0 < constant <= LARGEST and constant == int(constant):
                found.add(int(constant))  # float: `B < 1e6` compares with a whole number
    return sorted(found)[:NAMED]


def sizes_near_constants(count: int, named: Sequence[int], compares: bool) -> Iterator[tuple[int, ...]]:
    """Yield sizes next to the constants of a function: one such size with the others 1, or all alike if it compares.

    Sizes over which a function that only counts in loops would never end are left out.

    >>> list(sizes_near_constants(2, [777], False))[:2], (778, 778) in sizes_near_constants(2, [777], True)
    ([(776, 1), (1, 776)], True)
    """
    for n in sorted({n + d for n in named for d in (-1, 0, 1)} - {0}):
        if n <= LOOPED or compares:
            yield from (tuple(n if i == k else 1 for i in range(count)) for k in range(count))
        if compares:
            yield (n,) * count


def points(count: int, named: Sequence[int] = ()) -> Iterator[tuple[int, ...]]:
    """Yield points with usual sizes, those `named`, and their neighbors: all equal, one of them large, and mixed.

    >>> sizes = list(points(2, [777]))
    >>> (4096, 4096) in sizes, (4097, 3) in sizes, (778, 3) in sizes
    (True, True, True)
    """
    for n in sorted({n + d for n in named for d in (-1, 0, 1)} - {0}):
        yield (n,) * count
        yield from (tuple(n if i == k else 3 for i in range(count)) for k in range(count if count > 1 else 0))
    near = sorted({n + d for n in USUAL for d in (-1, 0, 1) if n + d > 0} | set(range(8, 4097, 504)))
    for n in USUAL:
        yield (n,) * count
    for k in range(count if count > 1 else 0):
        for n in near[-40:]:
            yield tuple(n if i == k else 3 for i in range(count))
    random = Random(2)
    for _ in range(MIXED):
        yield tuple(random.choice(near) for _ in range(count))
