"""Numbers first: a slip that does not give an answer at sizes picked for it is not derived at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from itertools import zip_longest
from math import lcm

import sympy

from roofproof.claims.answers.edits import Edit
from roofproof.claims.answers.grading import Said, rational
from roofproof.claims.answers.question import SOLVED, Question, counted
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.critical_size import default_regime
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula, KernelError, Polynomial, Term
from roofproof.proofs.oracles.points import holds

Point = Mapping[str, sympy.Expr]
Pair = tuple[int, int]  # a size of the unknown, which is their quotient
Test = Callable[[Pair], bool]  # whether an engine takes longer than a channel there
EXACTLY = Fraction(1, 10**9)
PRINTED = Fraction(1, 50)  # further off than any digits are read
FAR = 10**24
RIDGE = 241  # where no chip is named


class Trial:
    """An answer at sizes that are picked for it: large ones, and in the regime of the question far larger ones.

    >>> from roofproof import op
    >>> asked = Question(op("matmul"), asks="flops")
    >>> from roofproof.claims.answers.edits import edits
    >>> said = Said("=", asked.key.value / 2)
    >>> [e.slip for e in edits(asked) if Trial(asked, said).may_give(e)]                   # of 2 B D F
    ['multiply-add-once']
    """

    def __init__(self, asked: Question, said: Said) -> None:
        self.asked, self.said, self.number = asked, said, said.number()
        self.off = EXACTLY if said.printed is None else PRINTED
        *large, small = ((k, point, _number(said.value, point)) for k, point in enumerate(_points(asked)))
        met = [each for each in large if each[2] is not None] or [small]
        self.points = tuple((k, v) for k, _, v in met if v is not None)
        self.about: dict[tuple[int, int, bool], tuple[Pair, Pair]] = {}

    def may_give(self, edit: Edit) -> bool:
        """Tell whether an edit may give the answer: at one of the sizes it does, nearly; or this is not easily seen."""
        if not self.points or (edit.changes and self.said.low is not None):
            return True
        asked = edit.asked
        if not edit.changes and asked.asks in ("smallest", "largest") and asked.allowed.whole:
            return True
        try:
            return any([self._near(edit, k, v) for k, v in self.points])
        except RoofproofError:
            return True

    def _near(self, edit: Edit, k: int, v: Fraction) -> bool:
        asked = edit.asked
        if asked.asks not in SOLVED:
            found, some = _made_of(edit, self.asked, k)
            return some if found is None else abs(v - found) <= abs(found) * self.off
        if edit.changes:  # bounds less than one apart may hold for the same integers
            if self.number is not None and edit.end is not None and edit.end.free_symbols:
                return False  # no formula with sizes in it
            end = _end_of(edit, self.asked, k)
            return end is None or abs(v - end) <= max(Fraction(1), abs(end) * self.off)
        step = asked.allowed.multiple_of if asked.asks in ("smallest", "largest") else 0
        if (ends := self.about.get((k, step, edit.rounds))) is None:
            low = v * (1 - self.off) - step - 2 * edit.rounds  # B >= 242 is B > 241, which is B > 240.5 rounded up
            high = v * (1 + self.off) + step + edit.rounds
            ends = self.about[k, step, edit.rounds] = low.as_integer_ratio(), high.as_integer_ratio()
        channels = _engines(asked, self.asked, k)
        return _is_above(channels, ends[0]) != _is_above(channels, ends[1])


@lru_cache(maxsize=1 << 15)
def _made_of(edit: Edit, asked: Question, k: int) -> tuple[Fraction | None, bool]:
    """Return the value that an edit gives at the sizes picked for a question, None where it is no number, and whether
    it is anything: the same for all answers."""
    point = _points(asked)[k]
    value = substitute(counted(edit.asked, point), point)
    value = value if edit.result is None else edit.result(value)
    return _number(value, {}), value is not sympy.nan


@lru_cache(maxsize=1 << 15)
def _end_of(edit: Edit, asked: Question, k: int) -> Fraction | None:
    """Return the bound or the integer that an edit gives at the sizes picked, None where it gives none there."""
    point = _points(asked)[k]
    if edit.key is None or edit.end is None or substitute(edit.key.when, point) != sympy.true:
        return None
    return _number(edit.end, point)


@lru_cache(maxsize=256)
def _points(asked: Question) -> tuple[Point, ...]:
    """Return sizes: large ones, then those of the regime, last small ones, at which a tower of powers is worked out."""
    return tuple(_sizes(asked))


def _sizes(asked: Question) -> Iterator[Point]:
    regime = Regime(asked.regime) if asked.regime else None
    if regime is None and asked.asks in SOLVED:
        regime = default_regime(asked.op, asked.unknown, asked.chip)
    names = dict.fromkeys([*asked.names, *(regime.growing if regime else ())])
    raised = {size.name for amount in asked.op.demands.values() for power in amount.atoms(sympy.Pow)
              for size in power.exp.free_symbols}  # fmt: skip
    near = {
        name: sympy.Integer((0 if name in raised else 10**6) + 37 * (k + 1) ** 2) for k, name in enumerate(names)
    }  # a power whose exponent is a million nobody works out
    ridges = {
        name: v if v.is_Rational else sympy.Integer(RIDGE) for name, v in asked.symbols.items() if name not in near
    }
    near |= ridges | {name: sympy.Integer(size) for name, size in asked.at.items()}
    yield near
    if regime is not None and asked.asks in SOLVED and not (regime.ties or regime.shrinking):
        stages = enumerate(reversed(regime.stages), 1)
        grown = {name: place * rate for place, stage in stages for group in stage for name, rate in group}
        yield near | {name: near[name] * FAR**power for name, power in grown.items()}
    small = {name: sympy.Integer(k) for k, name in enumerate(names, 3) if name not in ridges and name not in asked.at}
    yield near | small


@lru_cache(maxsize=256)
def _exact(asked: Question) -> tuple[Mapping[str, Fraction], ...]:
    return tuple([{name: rational(size) for name, size in point.items()} for point in _points(asked)])


def _number(value: sympy.Expr, point: Point) -> Fraction | None:
    """Return a value at sizes, None where it is no number there, or has a power that nobody works out."""
    try:
        there = substitute(value, point)
    except RoofproofError:
        return None
    return rational(there) if there.is_number and there.is_real and there.is_finite and not too_long(there) else None


def _is_above(channels: tuple[tuple[Test, ...], ...], size: Pair) -> bool:
    """Tell whether it is compute-bound: for every channel, some engine takes longer."""
    return all([any([takes_longer(size) for takes_longer in engines]) for engines in channels])


@lru_cache(maxsize=1 << 15)
def _engines(asked: Question, of: Question, k: int) -> tuple[tuple[Test, ...], ...]:
    """Return for each channel whether engines take longer, at the sizes picked for a question, the unknown left open:
    the same for all answers."""
    assert asked.unknown is not None
    channels: dict[str, list[Test]] = {}
    for c in asked.ceilings:
        ridge = c.symbol if c.ridge is None else sympy.sympify(c.ridge, strict=True)
        flops, least, moved = map(Term.of, (c.flops, ridge, c.moved))
        one, times, two = (_coefficients(t, asked.unknown, of, k) for t in (flops, least, moved))
        if one is None or times is None or two is None:
            above = Formula(">", flops, Term("*", least, moved))
            test: Test = partial(_holds, above, _exact(of)[k], asked.unknown)
        else:
            rest = [a - times[0] * b for a, b in zip_longest(one, two, fillvalue=Fraction(0))]
            whole = lcm(*(c.denominator for c in rest))
            test = partial(_is_positive, [int(c * whole) for c in reversed(rest)])
        channels.setdefault(c.channel, []).append(test)
    return tuple(map(tuple, channels.values()))


def _holds(above: Formula, point: Mapping[str, Fraction], unknown: str, size: Pair) -> bool:
    return holds(above, {**point, unknown: Fraction(*size)})


def _is_positive(coefficients: list[int], size: Pair) -> bool:
    """Tell whether a polynomial, its highest power first, is above zero at a size."""
    top, bottom = size
    total, below = 0, 1
    for c in coefficients:
        total, below = total * top + c * below, below * bottom
    return total > 0


@lru_cache(maxsize=4096)
def _coefficients(term: Term, unknown: str, of: Question, k: int) -> tuple[Fraction, ...] | None:
    """Return the coefficients of a polynomial in the unknown at the sizes picked, None for what is no polynomial."""
    point = _exact(of)[k]

    def put(polynomial: Polynomial) -> tuple[Fraction, ...]:
        found: dict[int, Fraction] = defaultdict(Fraction)
        for monomial, c in polynomial.items():
            power = 0
            for atom, e in monomial:
                if atom == ("v", unknown):
                    power = e
                else:
                    c *= point[atom[1]] ** e  # of a maximum or a root there is none
            found[power] += c
        return tuple([found[n] for n in range(max(found, default=0) + 1)])

    try:
        above, below, divisors = term.normal_form
        [under], *rest = map(put, (below, *divisors))
        defined = under and all(len(d) == 1 and any(d) for d in rest)
        return tuple([c / under for c in put(above)]) if defined else None
    except (KeyError, KernelError, ValueError):
        return None
