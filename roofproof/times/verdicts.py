"""Verdicts: the minimum time at given sizes, and measured times compared with it, as exact rational inequalities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import nextafter
from typing import Final

import sympy
from sympy.core.evalf import PrecisionExhausted

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.floors import COLD, ONE_ALGORITHM, WARM, Floor, FloorTerm, cache_of, floor
from roofproof.derive.roofline.memory_fit import fits
from roofproof.errors import RoofproofError
from roofproof.formula.magnitudes import prefixed
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.known import ByExactValue, Known, Unproved, warranted
from roofproof.proofs.oracles.points import holds
from roofproof.proofs.oracles.ratios import Inexact
from roofproof.proofs.oracles.sampling import value
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import with_functions
from roofproof.times.tables import Times

POSSIBLE, IMPOSSIBLE, BEYOND = "possible", "impossible", "beyond the model"
LONGEST = 10**300  # seconds: larger times do not fit a JSON float
ZERO: Final[Term] = Term("q", 0, 1)


def cut_off(value: Fraction) -> float:  # float: JSON
    """Return a lower bound as a JSON number, rounded down.

    >>> cut_off(Fraction(1, 10)) <= Fraction(1, 10) < Fraction(0.1), cut_off(Fraction(1, 4))
    (True, 0.25)
    """
    near = float(value)  # float: JSON
    return near if Fraction(near) <= value else nextafter(near, 0)


def minimum(
    op: Operation,
    chip: Chip,
    caches: str = "",
    tf32: bool = True,
    as_written: bool = False,
    with_all_experts: Operation | None = None,
    times: Times | None = None,
) -> Floor:
    """Return the minimum time of an operation on a chip with `cold`, `warm` or ("") unspecified caches.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> made = chip_from_text("fp16=24 FLOP/s, hbm=1 B/s, l2=2 B")
    >>> found = minimum(parse_operation("fp16[m,k], fp16[k,n] -> fp16[m,n]"), made)
    >>> found.form, str(found.sure[1])                         # 2 m n k / 24; bytes over 1 B/s, 2 of them in the cache
    ('max(2*k*m*n/24, (2*k*m + 2*k*n + 2*m*n)/1)', 'max(2*k*m + 2*k*n + 2*m*n - 2, 0)/1')

    Unspecified caches count as cold. Since they may have been warm, a time is impossible only if warm caches exclude it
    too. If the bytes of `times` were counted at the memory, no cache held any of them.
    """
    caches = COLD if times is not None and times.at_memory else caches
    found = floor(op, chip, caches or COLD, tf32, as_written, with_all_experts)
    if caches or not any(part.name == MEMORY for part in found.parts):
        return found
    if cache_of(chip) is None:
        return replace(found, sure=tuple(part for part in found.sure if part.name != MEMORY))
    return replace(found, sure=floor(op, chip, WARM, tf32, as_written, with_all_experts).sure)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a time: possible, impossible, or beyond the model with the reason `why`.

    `known` is the inequality between the time and the minimum time at the sizes `at`. `floor` is that minimum in
    seconds, rounded down if it is irrational. `line` is the line in the table.
    """

    time: Fraction
    verdict: str
    known: Known
    floor: Fraction
    binds: str
    at: Mapping[str, int]
    line: int = 0
    why: str = ""

    def to_dict(self) -> dict[str, object]:
        """Return the verdict as `time --json` prints it."""
        found: dict[str, object] = {
            "time_s": float(self.time),  # float: JSON
            "verdict": self.verdict,
            "floor_s": cut_off(self.floor),
            "binds": self.binds,
            "theorem": self.known.statement.says,
            "trust": self.known.trust,
        }
        if self.line:
            found |= {"line": self.line, "at": dict(self.at)}
        return found | ({"why": self.why} if self.why else {})


class FloorAtSizes:
    """A minimum time as kernel terms, which are evaluated at sizes.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> made = chip_from_text("fp16=24 FLOP/s, hbm=1 B/s, l2=2 B")
    >>> held = FloorAtSizes(minimum(parse_operation("fp16[m,k], fp16[k,n] -> fp16[m,n]"), made, "warm"))
    >>> at = {"m": 1, "n": 2, "k": 3}
    >>> held.seconds(at)                                       # max(2*1*2*3/24, 2 (3 + 6 + 2) - 2)
    (Fraction(20, 1), 'memory')
    >>> [held.verdict(Fraction(t), at).verdict for t in (19, 20)]
    ['impossible', 'possible']
    """

    def __init__(self, floor: Floor) -> None:
        self.floor = floor
        self.names = tuple(s.name for s in floor.op.dims)
        self._parts = [(part.name, seconds_of(part)) for part in floor.parts]
        self._term = _longest([term for _, term in self._parts])
        self._sure = _longest([seconds_of(part) for part in floor.sure])

    @cached_property
    def _stored(self) -> Term | None:
        return None if self.floor.stored is None else with_functions(self.floor.stored)

    def seconds(self, at: Mapping[str, int]) -> tuple[Fraction, str]:
        """Return the minimum time at sizes, rounded down if it is irrational, and the limiting resource."""
        point = _point(at)
        try:
            found = [(value(term, point), name) for name, term in self._parts]
        except (Inexact, KernelError):
            found = [(_rounded_down(part, at), part.name) for part in self.floor.parts]
        longest = max(found, key=lambda each: each[0], default=(Fraction(0), ""))
        if longest[0] > LONGEST:
            raise RoofproofError("a minimum time above 10^300 s")
        return longest

    def known(self, at: Mapping[str, int]) -> Known:
        """Prove by exact arithmetic that the minimum time equals its value at sizes, or is at least a rounded value."""
        seconds, _ = self.seconds(at)
        given, exactly = _given(at), ByExactValue(_point(at))
        equal, least = (Statement("", given, Formula(sign, self._term, Term.rational(seconds))) for sign in ("=", ">="))
        return warranted(equal, exactly) or Known(least, exactly)

    def fits(self, at: Mapping[str, int]) -> bool | None:
        """Return whether the tensors fit in memory at sizes, or None if that is unknown."""
        if self._stored is None or self.floor.room is None:
            return None
        return holds(Formula(">=", Term.rational(self.floor.room.value), self._stored), _point(at))

    def outside(self, at: Mapping[str, int]) -> str:
        """Return why the model does not apply at these sizes, or ""."""
        if not self.floor.parts:
            return ONE_ALGORITHM
        point = _point(at)
        sizes = {s: sympy.Integer(at[s.name]) for s in self.floor.op.dims}
        for condition in self.floor.op.conditions:
            if condition.xreplace(sizes) != sympy.true:
                return f"assumes that {plain(condition)}, which does not hold here"
        if not fits(self.floor.op, self.floor.chip, at):
            return f"the blocks of {self.floor.op.name} do not fit on {self.floor.chip.name}"
        if self.fits(at) is False and self._stored is not None and self.floor.room is not None:
            stored, room = value(self._stored, point), self.floor.room
            return f"{prefixed(stored, 'B')} do not fit into the {prefixed(room.value, 'B')} of {room.resource}"
        return ""

    def verdict(self, time: Fraction, at: Mapping[str, int], line: int = 0) -> Verdict:
        """Return the verdict on a time at sizes. Raises RoofproofError for a size that is missing."""
        if missing := [name for name in self.names if name not in at]:
            raise RoofproofError("no size <missing> of <name>", missing=missing[0], name=self.floor.op.name)
        at = {name: at[name] for name in self.names}
        seconds, binds = self.seconds(at)
        given, exactly, said = _given(at), ByExactValue(_point(at)), Term.rational(time)
        why = self.outside(at)
        known = warranted(Statement("", given, Formula(">=", said, self._term)), exactly)
        if known is not None:
            return Verdict(time, BEYOND if why else POSSIBLE, known, seconds, binds, at, line, why)
        known = warranted(Statement("", given, Formula(">", self._sure, said)), exactly)
        if known is not None:
            return Verdict(time, BEYOND if why else IMPOSSIBLE, known, seconds, binds, at, line, why)
        below = Statement("", given, Formula(">", self._term, said))
        known = warranted(below, exactly)
        if known is not None:
            why = why or self._unsure(binds)
            return Verdict(time, BEYOND, known, seconds, binds, at, line, why)
        why = "time and floor are too close to be told apart"
        return Verdict(time, BEYOND, Known(below, Unproved(why)), seconds, binds, at, line, why)

    def _unsure(self, binds: str) -> str:
        """Return why a time below the minimum may still be possible."""
        if binds != MEMORY:
            return "only the FLOPs as written take longer; a program with the same results may do fewer"
        cache = cache_of(self.floor.chip)
        held = "a cache" if cache is None else f"the {prefixed(cache.value, 'B')} of {cache.resource}"
        return f"only cold caches take longer, and {held} may have held some of the bytes; --cold says that none did"


def seconds_of(part: FloorTerm) -> Term:
    """Return the seconds of one part of a minimum time, as a term."""
    terms: list[Term] = []
    for amount, rate in part.demands:
        asked = with_functions(amount - part.hidden)
        terms.append(Term("/", Term("max", asked, ZERO) if part.hidden else asked, Term.rational(rate.value)))
    return terms[0] if len(terms) == 1 else Term("+", *terms)


def _rounded_down(part: FloorTerm, at: Mapping[str, int]) -> Fraction:
    """Return the approximate seconds of a part, reduced by a relative 1e-12."""
    whole = sympy.Add(
        *((substitute(amount, at) - part.hidden) / sympy.Rational(rate.value) for amount, rate in part.demands)
    )
    try:
        near = Fraction(str(sympy.N(whole, 25)))  # float: the rounded value is checked afterwards
    except PrecisionExhausted:
        raise RoofproofError("a minimum time with no known digits") from None
    return max(near * (1 - Fraction(1, 10**12)), Fraction(0))


def _longest(terms: list[Term]) -> Term:
    return terms[0] if len(terms) == 1 else Term("max", *terms) if terms else ZERO


def _given(at: Mapping[str, int]) -> tuple[Formula, ...]:
    return tuple(Formula("=", Term("v", name), Term("q", size, 1)) for name, size in at.items())


def _point(at: Mapping[str, int]) -> dict[str, Fraction]:
    return {name: Fraction(size) for name, size in at.items()}
