"""Formulas at points: exact numbers put in for names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, KernelError
from roofproof.proofs.oracles import sampling

if TYPE_CHECKING:
    from roofproof.proofs.oracles.enclosure import Point

PARTS: Final = tuple(Fraction(k, 8) for k in (10, 9, 8, 12, 7, 4, 16))  # of a number, near it
LARGE: Final = 2**20


def given_numbers(assumptions: Iterable[Formula]) -> dict[str, Fraction]:
    """Return the numbers that assumptions say names to be.

    >>> given_numbers([("=", ("v", "n"), ("q", 3, 2)), (">", ("v", "n"), ("q", 1, 1))])
    {'n': Fraction(3, 2)}
    """
    return {f[1][1]: Fraction(*f[2][1:]) for f in assumptions if f[0] == "=" and f[1][0] == "v" and f[2][0] == "q"}


def holds(formula: object, point: Point) -> bool:
    """Tell whether a formula holds at a point, exactly; not where it is not defined or too close to tell.

    >>> holds((">", ("sqrt", ("v", "x")), ("q", 7, 5)), {"x": Fraction(2)})                         # 49/25 < 2
    True
    """
    try:
        if all(isinstance(value, int | Fraction) for value in point.values()):
            return sampling.holds(formula, point)  # type: ignore[arg-type]
    except (ArithmeticError, KernelError, KeyError):  # no rational value; log(2) is a number that no point names
        pass
    from roofproof.proofs.oracles import enclosure

    try:
        return enclosure.holds(formula, point)  # type: ignore[arg-type]
    except (ArithmeticError, KeyError):
        return False


def irrational(f: object) -> bool:
    """Tell whether a formula or term has roots, powers, logarithms or pi: hardly any point makes its value rational."""
    return f in NUMBERS or (
        isinstance(f, tuple) and (f[:1] in (("sqrt",), ("power",), ("log2",)) or any(map(irrational, f)))
    )


def near(
    formulas: Sequence[Formula], names: Sequence[str], integers: Collection[str], tries: int
) -> dict[str, Fraction] | None:
    """Return a point where formulas of irrational values hold, from so many: the least ones, then those they speak of.

    >>> more = (">", ("sqrt", ("+", ("v", "x"), ("q", 1, 1))), ("q", 100, 1))                    # x > 9999
    >>> print(near([more], ["x"], (), 40)["x"])
    16384
    """
    if not any(map(irrational, formulas)):
        return None
    found = candidates(names, sampling.constants(formulas), integers)
    return next((p for p in islice(found, tries if names else 1) if all(holds(f, p) for f in formulas)), None)


def candidates(
    names: Sequence[str], hints: Sequence[Fraction], integers: Collection[str]
) -> Iterator[dict[str, Fraction]]:
    """Yield points without end: the least ones, then those about numbers that formulas speak of, then any.

    >>> print(*(point["x"] for point in islice(candidates(["x"], [Fraction(8)], ["x"]), 6)))        # 8 * 10/8, 8 * 9/8
    1 2 3 10 10 9
    """
    some = sampling.points(names, hints)
    for point in chain(islice(some, 3 ** len(names)), _around(names, hints), some):
        yield point | {n: Fraction(max(1, round(point[n]))) for n in integers if n in point}


def _around(names: Sequence[str], hints: Iterable[Fraction]) -> Iterator[dict[str, Fraction]]:
    """Yield points where one name is about a number that formulas speak of, or a ratio of two; others large or 1."""
    numbers = list(dict.fromkeys(hints))
    about = dict.fromkeys(h for h in (*numbers, *(a / b for a in numbers for b in numbers if b)) if 1 < h < LARGE)
    for part in PARTS:
        for hint in about:
            for name in names:
                for rest in (LARGE, 1):
                    yield {**dict.fromkeys(names, Fraction(rest)), name: hint * part}
