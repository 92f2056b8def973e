"""Which whole numbers meet a condition that has no closed form: searched in blocks, by bounds of both sides on each.

Search, not proof: what is found here is proved by the `proofs` room, by bounds of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, Final

import sympy
from mpmath import libmp
from mpmath.ctx_iv import MPIntervalContext
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.inequalities.cases import Threshold
from roofproof.derive.regions import Interval, threshold_of
from roofproof.errors import Undecided
from roofproof.formula.logarithm import exp2, log2

LAST: Final = 2**30  # the largest number looked at
BLOCKS: Final = 5_000  # of which bounds are taken; what lies beyond stays open
RUNS: Final = 24  # of numbers that meet the condition, told one by one
BITS: Final = (80, 640)  # of the bounds; of a single number they are taken once more
WRITTEN: Final = 4_096  # exponents up to which what is too close is worked out exactly

DIGITS: Final = 4_000  # binary ones of a power that grows with the number

Bounds = tuple[Any, Any]


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
    runs: list[list[int]] = []
    known, left = 0, BLOCKS
    todo = [(2**k, min(2 ** (k + 1) - 1, last)) for k in range(last.bit_length() - 1, -1, -1)]
    while todo and left:
        low, high = todo.pop()
        left -= 1
        held = _on_block(condition, unknown, low, high)
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


def _on_block(condition: Boolean, x: sympy.Symbol, low: int, high: int) -> bool | None:
    """Tell whether a condition holds on a whole block, or nowhere there; None where that is not told."""
    for bits in BITS if low == high else BITS[:1]:
        if (held := _truth(condition, _Bounds(x, low, high, bits).of)) is not None:
            return held
    if low == high and (low <= WRITTEN or not any(x in power.exp.free_symbols for power in condition.atoms(sympy.Pow))):
        said = condition.xreplace({x: sympy.Integer(low)})
        return bool(said) if said in (sympy.true, sympy.false) else None
    return None


def _truth(condition: Boolean, bounds: Callable[[sympy.Expr], Bounds | None]) -> bool | None:
    if condition in (sympy.true, sympy.false):
        return bool(condition)
    if isinstance(condition, Relational):
        left, right = bounds(condition.lhs), bounds(condition.rhs)
        if left is None or right is None or condition.rel_op not in ("<", "<=", ">", ">="):
            return None
        if condition.rel_op in ("<", "<="):
            left, right = right, left
        strict = condition.rel_op in ("<", ">")
        if left[0] > right[1] or (not strict and left[0] == right[1]):
            return True
        return False if left[1] < right[0] or (strict and left[1] == right[0]) else None
    parts: Iterator[bool | None] = (_truth(part, bounds) for part in condition.args)
    if isinstance(condition, sympy.Not):
        held = next(parts)
        return None if held is None else not held
    decisive, open_ = isinstance(condition, sympy.Or), False
    for held in parts:
        if held is decisive:
            return decisive
        open_ = open_ or held is None
    return None if open_ else not decisive


@lru_cache(maxsize=8)
def _context(bits: int) -> MPIntervalContext:
    made = MPIntervalContext()
    made.prec = bits
    return made


class _Bounds:
    """Numbers below and above the value of an expression, where one name lies between two whole numbers."""

    def __init__(self, x: sympy.Symbol, low: int, high: int, bits: int) -> None:
        self.context = _context(bits)
        self.known: dict[sympy.Expr, Any] = {x: self.context.mpf([low, high])}

    def of(self, expr: sympy.Expr) -> Bounds | None:
        """Return the bounds; None where there are none."""
        try:
            found = self._value(expr)
        except (ZeroDivisionError, ValueError, NotImplementedError):
            return None
        return None if found is None else (found.a, found.b)

    def _value(self, expr: sympy.Expr) -> Any:
        if expr not in self.known:
            self.known[expr] = self._made(expr)
        return self.known[expr]

    def _made(self, expr: sympy.Expr) -> Any:
        iv = self.context
        if expr.is_Rational:
            return iv.mpf(int(expr.p)) / int(expr.q)
        if isinstance(expr, sympy.floor | sympy.ceiling):  # of n/3 at a multiple of 3 it is that, no more and no less
            above, below = sympy.fraction(sympy.together(expr.args[0]))
            args = [self._value(above)]
            args = [args[0] if None in args else args[0] / self._value(below)]
        else:
            args = [self._value(each) for each in expr.args]
        if None in args or not args:
            return None
        if expr.is_Add:
            return sum(args[1:], args[0])
        if expr.is_Mul:
            made = args[0]
            for each in args[1:]:
                made = made * each
            return made
        if isinstance(expr, sympy.Max | sympy.Min):
            choose = max if isinstance(expr, sympy.Max) else min
            return iv.mpf([choose(each.a for each in args), choose(each.b for each in args)])
        if isinstance(expr, sympy.floor | sympy.ceiling):
            rounded = libmp.mpf_floor if isinstance(expr, sympy.floor) else libmp.mpf_ceil
            return iv.mpf([libmp.to_int(rounded(end)) for end in args[0]._mpi_])
        if isinstance(expr, log2 | sympy.log):
            if not args[0].a > 0:
                return None
            if isinstance(expr, log2):
                return iv.mpf([self._log2(end)[k] for k, end in enumerate(args[0]._mpi_)])
            return iv.log(args[0])
        if isinstance(expr, exp2):
            return iv.exp(args[0] * iv.log(iv.mpf(2)))
        if expr.is_Pow:
            base, exponent = args
            if expr.exp.is_Integer:
                return None if expr.exp.is_negative and base.a <= 0 <= base.b else base ** int(expr.exp)
            if expr.exp == sympy.Rational(1, 2):
                return iv.sqrt(base) if base.a >= 0 else None
            return iv.exp(exponent * iv.log(base)) if base.a > 0 else None
        return None

    def _log2(self, end: Any) -> Bounds:
        """Return numbers below and above the logarithm of the end of an interval, which of a power of two is whole."""
        _, mantissa, exponent, _ = end
        if mantissa == 1:
            return exponent, exponent
        at = self.context.make_mpf((end, end))
        found = self.context.log(at) / self.context.log(self.context.mpf(2))
        return found.a, found.b
