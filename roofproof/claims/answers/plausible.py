"""Numbers first: a slip that does not give an answer at sizes picked for it is not derived at all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache

import sympy

from roofproof.claims.answers.edits import Edit
from roofproof.claims.answers.grading import Said, rational
from roofproof.claims.answers.question import SOLVED, Question, counted
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.critical_size import default_regime
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.oracles.points import holds

Point = Mapping[str, sympy.Expr]
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
    ['multiply-add-once', 'halved-twice']
    """

    def __init__(self, asked: Question, said: Said) -> None:
        self.asked, self.said = asked, said
        self.off = EXACTLY if said.printed is None else PRINTED
        *large, small = ((k, point, _number(said.value, point)) for k, point in enumerate(_points(asked)))
        met = [each for each in large if each[2] is not None] or [small]
        self.points = tuple((k, point, v) for k, point, v in met if v is not None)

    def may_give(self, edit: Edit) -> bool:
        """Tell whether an edit may give the answer: at one of the sizes it does, nearly; or this is not easily seen."""
        asked = edit.asked
        if asked.asks in SOLVED and (edit.result or (asked.asks in ("smallest", "largest") and asked.allowed.whole)):
            return True
        if not self.points:
            return True
        try:
            return any(self._near(edit, k, point, v) for k, point, v in self.points)
        except RoofproofError:
            return True

    def _near(self, edit: Edit, k: int, point: Point, v: Fraction) -> bool:
        asked = edit.asked
        if asked.asks not in SOLVED:
            found, some = _made_of(edit, self.asked, k)
            return some if found is None else abs(v - found) <= abs(found) * self.off
        whole = asked.asks in ("smallest", "largest")
        step = asked.allowed.multiple_of if whole else 0
        low, high = v * (1 - self.off) - step, v * (1 + self.off) + step
        assert asked.unknown is not None
        there = {name: rational(size) for name, size in point.items()}
        sides = [_is_above(asked, {**there, asked.unknown: end}) for end in (low, high)]
        return sides[0] != sides[1]


@lru_cache(maxsize=1 << 15)
def _made_of(edit: Edit, asked: Question, k: int) -> tuple[Fraction | None, bool]:
    """Return the value that an edit gives at the sizes picked for a question, None where it is no number, and whether
    it is anything: the same for all answers."""
    point = _points(asked)[k]
    value = substitute(counted(edit.asked, point), point)
    value = value if edit.result is None else edit.result(value)
    return _number(value, {}), value is not sympy.nan


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


def _number(value: sympy.Expr, point: Point) -> Fraction | None:
    """Return a value at sizes, None where it is no number there, or has a power that nobody works out."""
    try:
        there = substitute(value, point)
    except RoofproofError:
        return None
    return rational(there) if there.is_number and there.is_real and there.is_finite and not too_long(there) else None


def _is_above(asked: Question, point: Mapping[str, Fraction]) -> bool:
    """Tell whether it is compute-bound at sizes."""
    channels: dict[str, list[bool]] = {}
    for c in asked.ceilings:
        ridge = c.symbol if c.ridge is None else sympy.sympify(c.ridge, strict=True)
        flops, least, moved = map(Term.of, (c.flops, ridge, c.moved))
        channels.setdefault(c.channel, []).append(holds(Formula(">", flops, Term("*", least, moved)), point))
    return all(map(any, channels.values()))
