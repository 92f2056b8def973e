"""Hints for a wrong answer: its ratio to the right one, the missing terms, both sides at a point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import sympy

from roofproof.claims.answers.evaluated_answer import rational
from roofproof.claims.answers.grade import Grade
from roofproof.claims.answers.question import SOLVED, Key, Question, right_value
from roofproof.claims.mistakes.catalogue import slip_of
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import plain_threshold, substitute
from roofproof.derive.limits.limits import limit
from roofproof.derive.roofline.critical_size import checked_point
from roofproof.errors import RoofproofError, explaining
from roofproof.ops.roles import role_of
from roofproof.sentences import Sentence

_BY_QUESTION = {"flops": "flops", "bytes": "bytes", "intensity": "quotient", "ridge": "figures", "memory": "figures",
                "time": "figures", "bound": "times"}  # fmt: skip
FACTORS = tuple(map(Fraction, (2, 3, 4, 5, 6, 8, 10, 12, 16, 100, 1000)))


AtPoint = tuple[dict[str, int], sympy.Expr, sympy.Expr]
"""Sizes, the value of the answer there, and the right value."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A hint: the key of its sentence in the catalogue, and the texts for the gaps in it."""

    key: str
    parts: dict[str, str]


def solution(asked: Question) -> str:
    """Return the right answer as text.

    >>> from roofproof import chip, op
    >>> solution(Question(op("matmul"), chip("tpu-v5e"), "B", "D, F >> B", asks="rule"))       # 1.97e14 / 8.19e11
    'B > 197000/819'
    """
    return _key_text(asked.key, asked)


def _key_text(key: Key, asked: Question) -> str:
    if asked.asks in ("smallest", "largest") and key.integer is not None:
        return str(key.integer)
    if asked.asks in SOLVED and key.allowed_threshold is not None:
        x = next(s for s in asked.op.dims if s.name == asked.unknown)
        there = plain_threshold(x, key.allowed_threshold)
        if key.when == sympy.true:
            return there
        return Sentence("<what> when <condition>", what=there, condition=plain(key.when))
    return key.label or plain(key.value)


def part_of(found: Grade, asked: Question) -> str:
    """Return the part of the derivation with the mistake: bytes, flops, figures, units, limit, relation, quotient."""
    slip = slip_of(found.slip.partition("+")[0])
    return (slip.part if slip else "") or _BY_QUESTION.get(asked.asks, "quotient")


def observations(found: Grade, asked: Question) -> Iterator[Observation]:
    """Yield hints on a wrong answer that do not reveal the right one.

    >>> from roofproof import op
    >>> from roofproof.claims.answers.grade import grade
    >>> asked = Question(op("matmul"), asks="bytes")
    >>> [(o.key, o.parts) for o in observations(grade(asked, "2BD + 2DF"), asked)]               # 2 B F of the result
    [('terms-missing', {'terms': '2*B*F'})]
    """
    said, right = found.said, right_value(asked.key, asked)
    if found.grade == "wrong" and said is None and found.read_as in ("never", "always"):
        yield Observation(f"not-{found.read_as}", {})
    if said is None or found.grade not in ("wrong", "close", "limit") or found.unitless:
        return
    if found.slip != "reversed" and _points_away(found, asked):
        yield Observation("other-way", {})
    if right is None or right == 0:  # no ratio to zero
        return
    ratio = sympy.cancel(said.value / right)
    if ratio.is_number:
        yield from _compared(rational(ratio))
        return
    difference = sympy.expand(right - said.value)
    terms = sympy.Add.make_args(difference)
    own = set(sympy.Add.make_args(sympy.expand(said.value))) & set(sympy.Add.make_args(sympy.expand(right)))
    if asked.asks in ("flops", "bytes") and difference.is_polynomial() and len(terms) <= 3:
        signs = {t.as_coeff_Mul()[0] > 0 for t in terms}
        if len(signs) == 1 and own:  # without a right term, the missing terms would reveal the answer
            yield Observation(
                "terms-missing" if signs == {True} else "terms-extra",
                {"terms": plain(difference if signs == {True} else -difference)},
            )
            return
    theirs, ours = (sorted(s.name for s in e.free_symbols & {*asked.op.dims}) for e in (said.value, right))
    for key, names in (("no-such-size", {*theirs} - {*ours}), ("size-missing", {*ours} - {*theirs})):
        if names:
            yield Observation(key, {"names": ", ".join(sorted(names))})
    for name in sorted(s.name for s in ratio.free_symbols):
        with suppress(RoofproofError):
            if _may_tend_to_one(ratio, name) and limit(ratio, f"{name} -> oo").value == 1:
                yield Observation("agree", {"name": name})


def _may_tend_to_one(ratio: sympy.Expr, name: str) -> bool:
    """Return whether a ratio may tend to 1 as a size grows: polynomials need equal leading terms.

    >>> B, D = sympy.symbols("B D", positive=True)
    >>> _may_tend_to_one((B + D) / (B + 2), "B"), _may_tend_to_one((2 * B + D) / (B + D), "B")
    (True, False)
    """
    ring = Ring.of(ratio)
    if not all(a.is_Symbol for a in ring.atoms):
        return True
    above, below = ring.fraction(ratio)
    size = next(a for a in ring.atoms if a.name == name)
    degrees = [len(ring.coefficients(p, size)) for p in (above - below, below)]
    return above == below or degrees[0] < degrees[1]


def _points_away(found: Grade, asked: Question) -> bool:
    """Return whether an inequality has the wrong direction, regardless of its number."""
    there, relation = asked.key.allowed_threshold, found.said.relation if found.said else "="
    return there is not None and {"above": "<", "below": ">"}.get(there.kind) == relation[0]


def _compared(ratio: Fraction) -> Iterator[Observation]:
    """Yield a hint on the ratio of a number to the right one."""
    if ratio <= 0:
        return
    for factor in FACTORS:
        for times, key in ((ratio, "times-as-large"), (1 / ratio, "times-too-small")):
            if abs(times / factor - 1) < Fraction(1, 200):
                yield Observation(key, {"factor": str(factor)})
                return
    off = ratio - 1
    if abs(off) < Fraction(1, 2):
        yield Observation("too-large-by" if off > 0 else "too-small-by", {"share": _short(abs(off) * 100)})
    else:
        yield Observation("too-large" if off > 0 else "too-small", {})


def _short(value: Fraction) -> str:
    """Return a number as text with two digits."""
    return f"{Decimal(value.numerator) / Decimal(value.denominator):.2g}"


@explaining()
def at_a_point(found: Grade, asked: Question) -> AtPoint | None:
    """Return sizes at which a wrong formula differs from the right one, with both values.

    Sizes at which the values differ by at least a percent are preferred, so that the error is visible.

    >>> from roofproof import op
    >>> from roofproof.claims.answers.grade import grade
    >>> asked = Question(op("matmul"), asks="flops")
    >>> at_a_point(grade(asked, "BDF"), asked)                        # B D F and 2 B D F
    ({'B': 256, 'D': 4096, 'F': 4096}, 4294967296, 8589934592)
    """
    said, right = found.said, right_value(asked.key, asked)
    if said is None or right is None or not right.free_symbols:
        return None  # a right answer without sizes would be revealed
    names = [
        s.name for s in asked.op.dims if s in said.value.free_symbols | right.free_symbols and s.name not in asked.at
    ]
    near: AtPoint | None = None
    for scale in (1, 4, 16, 256):
        usual = {name: role_of(asked.op, name) for name in names}
        sizes = {name: role.usual * (scale if role.grows else 1) for name, role in usual.items()}
        try:
            checked_point(asked.op, {**asked.at, **sizes}, None)
            theirs, ours = substitute(said.value, sizes), substitute(right, sizes)
        except RoofproofError:  # sizes that the operation does not allow, or numbers that are too long
            continue
        when = substitute(asked.key.when, sizes)
        if not (theirs.is_number and ours.is_number):  # R remains if no chip is named
            return None
        if too_long(theirs) or too_long(ours):
            continue
        theirs, ours = theirs.rewrite(sympy.Pow), ours.rewrite(sympy.Pow)  # powers of two written out
        if when == sympy.true and theirs != ours and theirs.is_finite and ours.is_finite and ours > 0:
            near = near or ({**asked.at, **sizes}, theirs, ours)
            if 100 * abs(theirs - ours) >= ours:
                return {**asked.at, **sizes}, theirs, ours
    return near
