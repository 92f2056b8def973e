"""From `I > R` to one side of the unknown: the lines that all cases share, for one channel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy.core.relational import Relational

from roofproof.derive.algebra.polynomial import Poly, Ring, sign, surely_positive
from roofproof.derive.inequalities.roots import Factors
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.steps.lines import TURNED, Relation
from roofproof.proofs.steps.reasons import proved, stepped
from roofproof.proofs.steps.step import Reason, Step


@dataclass(frozen=True, slots=True)
class Collected:
    """The lines for one channel up to `x A > C`, with the coefficients of x, lowest degree first, of the difference.

    `rows` are those of `left - right`, whatever the sign between them; `parts` writes polynomials for the eye.
    """

    steps: tuple[Step, ...]
    rows: tuple[Poly, ...]
    factors: Factors

    @property
    def line(self) -> Relation:
        """The last of the lines."""
        line = self.steps[-1].line
        assert isinstance(line, Relation)
        return line


def collected(
    ceiling: Ceiling,
    x: sympy.Symbol,
    also: tuple[sympy.Basic, ...] = (),
    given: tuple[Formula, ...] = (),
    told: bool = False,
) -> Collected:
    """Return the lines from the intensity above the ridge point to one side of the unknown.

    `also` is whatever else polynomials are about: assumptions, and what is asked of other channels; `told` says which
    engine and channel are compared, where there are several.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> matmul = op("matmul")
    >>> for step in collected(ceilings(matmul)[0], matmul.dims[0]).steps:
    ...     print(step.line, "by", step.reason.value)
    B*D*F/(B*D + B*F + D*F) > R by compute-bound
    B*D*F > R*(B*D + B*F + D*F) by times
    B*(D*F - R*(D + F)) > R*D*F by collect

    Raises RoofproofError where nothing is compared.
    """
    condition = ceiling.symbolic
    if not isinstance(condition, Relational):
        raise RoofproofError("nothing is compared")
    ring = Ring.of(condition, x, *also)
    factors = Factors(ring, x)
    named = (sympy.Symbol(ceiling.compute), sympy.Symbol(ceiling.channel)) if told else ()
    steps = list(_compared(ceiling, condition, given, named))
    num, den = ring.fraction(condition.lhs - condition.rhs)
    rows = tuple(ring.coefficients(num, x)) if den.is_one() else ()
    now = steps[-1].line
    assert isinstance(now, Relation)
    if len(rows) in (2, 3):
        line = _one_side(factors, rows, x, now.sign)
        if (line.left, line.right) != (now.left, now.right):
            steps.append(stepped(now, line, Reason.COLLECT, (x,), given))
    return Collected(tuple(steps), rows, factors)


def _compared(
    ceiling: Ceiling, condition: Relational, given: tuple[Formula, ...], named: tuple[sympy.Symbol, ...]
) -> Iterator[Step]:
    """Yield that the intensity is above the ridge point, where it is plain that there is one, and without fractions."""
    sign = condition.rel_op
    whole = Relation(condition.lhs, sign, condition.rhs)
    first = whole
    if not ceiling.moved.is_zero:
        quotient = Relation(ceiling.intensity, sign, ceiling.symbol)
        if surely_positive(1 / sympy.denom(ceiling.intensity)) and surely_positive(ceiling.moved):
            first = quotient
    yield compared(ceiling, first, given, named)
    if first != whole:
        factor = sympy.cancel(whole.left / first.left)
        if factor != 1:
            yield stepped(first, whole, Reason.TIMES, (factor,), given)


def compared(ceiling: Ceiling, first: Relation, given: Sequence[Formula], named: tuple[sympy.Symbol, ...] = ()) -> Step:
    """Return that a line says that computing takes longer: FLOPs over the peak, more than bytes over the bandwidth.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> [c] = ceilings(op("matmul"))
    >>> print(compared(c, Relation(c.intensity, ">", c.symbol), ()).line)
    B*D*F/(B*D + B*F + D*F) > R
    """
    raw = Relation(ceiling.flops, first.sign, ceiling.symbol * ceiling.moved)
    known = proved(Formula("<=>", raw.formula, first.formula), given, (*raw.shows, *first.shows))
    return Step(first, Reason.KEPT if ceiling.share else Reason.COMPUTE_BOUND, (known,), "<=>", raw, named)


def _one_side(factors: Factors, rows: tuple[Poly, ...], x: sympy.Symbol, compared: str) -> Relation:
    """Return the terms with the unknown on the left, the others on the right, no plain sign negative."""
    turn = -1 if all(sign(row) in (-1, 0) for row in rows[1:]) else 1
    rest, *above = (turn * row for row in rows)
    if len(above) == 1:
        left = x * factors.balanced(above[0])
    else:
        left = x * (x * factors.balanced(above[1]) + _signed(factors, above[0]))
        if not rows[1]:
            left = x**2 * factors.balanced(above[1])
    right = _signed(factors, -rest)
    return Relation(left, compared if turn > 0 else TURNED[compared], right)


def _signed(factors: Factors, poly: Poly) -> sympy.Expr:
    return sympy.Integer(0) if poly.is_zero() else factors.balanced(poly)
