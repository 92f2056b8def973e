"""The integers in a solution: the smallest or largest, exactly, found by a search if there is no closed form."""

from typing import Final

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.exact_comparison import floor_of
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Threshold
from roofproof.derive.regions import Interval, region_of, threshold_of
from roofproof.errors import Undecided
from roofproof.proofs.oracles.whole_numbers import runs
from roofproof.proofs.translate import to_formula, with_functions

LAST: Final = 2**30  # the largest integer searched
DIGITS: Final = 4_000  # the most binary digits of a power with the unknown in its exponent


def smallest_integer(threshold: Threshold, multiple_of: int = 1) -> int | None:
    """Return the smallest positive integer in a solution with numeric bounds, or None if there is none.

    >>> from roofproof.derive.inequalities.cases import Above
    >>> smallest_integer(Above(sympy.Rational(78800, 9)))                 # 8755.56
    8756
    >>> smallest_integer(Above(sympy.Integer(240))), smallest_integer(Above(sympy.Integer(240), strict=False))
    (241, 240)
    >>> smallest_integer(Above(sympy.Rational(9850, 41)), multiple_of=128)   # 240.24: 2 * 128
    256
    """
    found = []
    for p in region_of(threshold):
        first = multiple_of if p.low is None else max(multiple_of, _next(p.low, multiple_of, not p.low_closed))
        if p.high is None or first < p.high or (first == p.high and p.high_closed):
            found.append(first)
    return min(found, default=None)


def largest_integer(threshold: Threshold, multiple_of: int = 1) -> int | None:
    """Return the largest positive integer in a solution with numeric bounds, or None if there is none or no end.

    >>> from roofproof.derive.inequalities.cases import Below, Between
    >>> largest_integer(Below(sympy.Rational(100, 7)))                    # 14.28...
    14
    >>> largest_integer(Between(sympy.Integer(3), sympy.Integer(16)), multiple_of=8)    # 16 is excluded
    8
    """
    found = []
    for p in region_of(threshold):
        if p.high is None:
            return None
        last = -_next(-p.high, multiple_of, not p.high_closed)
        if last >= multiple_of and (p.low is None or last > p.low or (last == p.low and p.low_closed)):
            found.append(last)
    return max(found, default=None)


def integer_answer(threshold: Threshold, multiple_of: int = 1) -> int | None:
    """Return the integer answer of a threshold: the largest below an upper bound, else the smallest.

    >>> from roofproof.derive.inequalities.cases import Above, Below
    >>> integer_answer(Below(sympy.Rational(100, 7))), integer_answer(Above(sympy.Rational(100, 7)))
    (14, 15)
    """
    return (largest_integer if threshold.kind == "below" else smallest_integer)(threshold, multiple_of)


def among_whole_numbers(condition: Boolean, unknown: sympy.Symbol, last: int = LAST) -> tuple[Threshold, int]:
    """Return the integers from 1 that satisfy a condition, as a threshold, and the last integer checked.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> among_whole_numbers(N > 100 * sympy.ceiling(N / 128), N)               # 128 by 128: 100 < N, 200 < N, ...
    (Several(parts=(Between(low=101, high=128, strict=False), Between(low=201, high=256, strict=False), \
Between(low=301, high=384, strict=False), Above(at=401, strict=False)), join='or'), 1073741824)
    >>> among_whole_numbers(N * (1 - sympy.Rational(1, 2)**N) > 3, N)[0]       # 3 * 7/8 is less, 4 * 15/16 more
    Above(at=4, strict=False)

    A threshold that reaches the last integer checked has no upper bound. Raises Undecided if none can be checked.
    """
    for power in sorted(condition.atoms(sympy.Pow), key=sympy.count_ops):  # inner powers first
        while last > 1 and unknown in power.exp.free_symbols:
            base, exponent = (part.xreplace({unknown: sympy.Integer(last)}) for part in power.args)
            if not (base.is_Rational and base > 1) or int(base.p).bit_length() * exponent <= DIGITS:
                break
            last //= 2
    found, known = runs(to_formula(condition, with_functions), unknown.name, last)
    if not known:
        raise Undecided("cannot decide <condition> even at <unknown> = 1", condition=plain(condition), unknown=unknown)
    region = tuple(
        Interval(
            None if first == 1 else sympy.Integer(first), None if end == known else sympy.Integer(end),
            first != 1, end != known,
        )
        for first, end in found
    )  # fmt: skip
    return threshold_of(region), known


def _next(bound: sympy.Expr, m: int, excluded: bool) -> int:
    """Return the smallest multiple of m above a bound, or at it if the bound is not excluded."""
    scaled = bound / m
    return m * (floor_of(scaled) + 1 if excluded else -floor_of(-scaled))
