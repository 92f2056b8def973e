"""Points beside which comparisons change: where a name is held against a number, and along each name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice, pairwise
from math import ceil, floor
from typing import Final

from roofproof.proofs.kernel.terms import Formula, atoms_of
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.ratios import At, Inexact, ratios, truth_of

GRID: Final = tuple(Fraction(2**k) for k in range(21))  # of a name along which comparisons change
RESTS: Final = (2**20, 4096, 1)  # the other names meanwhile
CLOSE: Final = 2**12
PLACES: Final = 9  # of the other names, where one is held against a number
STEPS: Final = tuple(Fraction(1, 2**k) for k in range(0, 11, 2))  # from that number, the first of them to a whole one


def beside(
    formulas: Sequence[Formula], names: Sequence[str], integers: Collection[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield points where a name is a number that it is held against, or close to it."""
    atoms = list[Formula]()
    for f in formulas:
        atoms_of(f, atoms)
    for atom in atoms:
        match atom.sides:
            case (("v", str(name)), ("q", int(p), int(q))) | (("q", int(p), int(q)), ("v", str(name))) if name in names:
                at = Fraction(p, q)
                near = [at, *(at + turn * step for step in STEPS for turn in (1, -1))]
                near = [Fraction(n) for x in near[:3] for n in (floor(x), ceil(x))] if name in integers else near
                others = list(islice(sampling.points(names), min(PLACES, 3 ** (len(names) - 1))))
                yield from ({**rest, name: x} for x in dict.fromkeys(near) if x > 0 for rest in others)


def between(
    formulas: Sequence[Formula], names: Sequence[str], integers: Collection[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield points beside where comparisons change along one name, and between two such, all other names the same.

    >>> from roofproof.proofs.kernel.terms import Term
    >>> x = Term("v", "x")
    >>> both = [Formula(">", x, Term("q", 590, 1)), Formula(">", Term("q", 600, 1), x)]
    >>> print(*(point["x"] for point in between(both, ["x"], ["x"])))
    590 591 595 599 600
    """
    atoms = list[Formula]()
    for f in formulas:
        atoms_of(f, atoms)
    tests = [truth_of(atom) for atom in atoms if atom[0] == ">"]
    for rest in RESTS if len(names) > 1 else RESTS[:1]:
        for name in names:
            others, whole = dict.fromkeys(names, Fraction(rest)), name in integers
            ends = sorted({x for test in tests for x in _changes(test, others, name, whole)})
            middles = [(a + b) / 2 for a, b in pairwise(ends)]
            for x in sorted({*ends, *(Fraction(floor(x)) if whole else x for x in middles)}):
                yield {**others, name: x}


def _changes(test: Callable[[At], bool], others: Mapping[str, Fraction], name: str, whole: bool) -> Iterator[Fraction]:
    """Yield values of a name close below and above where a comparison changes."""

    def told(x: Fraction) -> bool | None:
        with suppress(Inexact):
            return test(ratios({**others, name: x}))
        return None

    for low, high in pairwise(GRID):
        below = told(low)
        if None in (below, told(high)) or below == told(high):
            continue
        while high - low > (1 if whole else low / CLOSE):
            middle = Fraction((low + high) // 2) if whole else (low + high) / 2
            low, high = (middle, high) if told(middle) == below else (low, middle)
        yield from (low, high)
