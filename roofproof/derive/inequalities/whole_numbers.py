"""Which whole numbers meet a condition that has no closed form: searched in blocks, by bounds of both sides on each."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Threshold
from roofproof.derive.regions import Interval, threshold_of
from roofproof.errors import Undecided
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.oracles.enclosure import holds
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.whole_numbers import on_block
from roofproof.proofs.translate import to_formula, with_functions

LAST: Final = 2**30  # the largest number looked at
BLOCKS: Final = 5_000  # of which bounds are taken; what lies beyond stays open
RUNS: Final = 24  # of numbers that meet the condition, told one by one
DIGITS: Final = 4_000  # binary ones of a power that grows with the number


def among_whole_numbers(condition: Boolean, unknown: sympy.Symbol, last: int = LAST) -> tuple[Threshold, int]:
    """Return where a condition on whole numbers from 1 holds, and up to which number this is said.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> among_whole_numbers(N > 100 * sympy.ceiling(N / 128), N)               # 128 by 128: 100 < N, 200 < N, ...
    (Several(parts=(Between(low=101, high=128, strict=False), Between(low=201, high=256, strict=False), \
Between(low=301, high=384, strict=False), Above(at=401, strict=False)), join='or'), 1073741824)
    >>> among_whole_numbers(N * (1 - sympy.Rational(1, 2)**N) > 3, N)[0]       # 3 * 7/8 is less, 4 * 15/16 more
    Above(at=4, strict=False)

    Bounds of the sides are taken on blocks of numbers, which are halved until both are told apart. A threshold that
    reaches the last number said has no upper bound. Raises Undecided where nothing can be said.
    """
    for power in sorted(condition.atoms(sympy.Pow), key=sympy.count_ops):  # one within another first
        if power.base.is_Rational and power.base > 1 and unknown in power.exp.free_symbols:
            digits = int(power.base.p).bit_length()
            while last > 1 and not digits * power.exp.xreplace({unknown: sympy.Integer(last)}) <= DIGITS:
                last //= 2
    formula = to_formula(condition, with_functions)
    runs: list[list[int]] = []
    known, left = 0, BLOCKS
    todo = [(2**k, min(2 ** (k + 1) - 1, last)) for k in range(last.bit_length() - 1, -1, -1)]
    while todo and left:
        low, high = todo.pop()
        left -= 1
        held = _held(formula, unknown.name, low, high)
        if held is None and low < high:
            middle = (low + high) // 2
            todo += [(middle + 1, high), (low, middle)]
            continue
        if held is None or (held and (not runs or runs[-1][1] < known) and len(runs) == RUNS):
            break
        if held and runs and runs[-1][1] == known:
            runs[-1][1] = high
        elif held:
            runs.append([low, high])
        known = high
    if not known:
        raise Undecided("<condition>: not even <unknown> = 1 is decided", condition=condition, unknown=unknown)
    region = tuple(
        Interval(
            None if first == 1 else sympy.Integer(first), None if end == known else sympy.Integer(end),
            first != 1, end != known,
        )
        for first, end in runs
    )  # fmt: skip
    return threshold_of(region), known


def _held(formula: Formula, name: str, low: int, high: int) -> bool | None:
    """Tell whether a formula holds on a whole block, or nowhere there; None where that is not told."""
    held = on_block(formula, name, low, high)
    if held is not None or low < high:
        return held
    try:
        return holds(formula, {name: Fraction(low)})
    except Inexact:
        return None
