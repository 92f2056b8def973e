"""From `I > R` to a comparison without fractions, and to one side of the unknown: what all cases share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Poly, Ring, sign, surely_positive
from roofproof.derive.charts import Factors
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.steps.lines import TURNED, Relation
from roofproof.proofs.steps.reasons import Conversion, converted, proved, stepped
from roofproof.proofs.steps.step import Reason, Step


@dataclass(frozen=True, slots=True)
class Collected:
    """The lines from a comparison to `x A > C`, with the coefficients of x, lowest degree first, of the difference.

    `rows` are those of `left - right`, whatever the sign between them; `factors` writes polynomials for the eye.
    """

    whole: Relation
    steps: tuple[Conversion, ...]
    rows: tuple[Poly, ...]
    factors: Factors
    scale: Poly  # times which the rows have whole coefficients

    def quotient(self, above: Poly, below: Poly) -> sympy.Expr:
        """Return a quotient of polynomials as the answer prints it."""
        return self.factors.quotient(above * self.scale, below * self.scale)

    @property
    def line(self) -> Relation:
        """The last of the lines."""
        line = self.steps[-1].line if self.steps else self.whole
        assert isinstance(line, Relation)
        return line


def collected(
    condition: Boolean, x: sympy.Symbol, also: tuple[sympy.Basic, ...] = (), given: tuple[Formula, ...] = ()
) -> Collected:
    """Return the lines from a comparison to one side of the unknown.

    `also` is whatever else polynomials are about: assumptions, and what is asked of other channels.

    >>> from roofproof.symbols import quantity
    >>> x, a, b = map(quantity, "xab")
    >>> for step in collected(x > a*x + b, x).steps:
    ...     print(step.line, "by", step.reason.value)
    x*(1 - a) > b by collect

    Raises RoofproofError where nothing is compared.
    """
    if not isinstance(condition, Relational):
        raise RoofproofError("nothing is compared")
    ring = Ring.of(condition, x, *also)
    factors = Factors(ring, x)
    whole = Relation(condition.lhs, condition.rel_op, condition.rhs)
    num, den = ring.fraction(condition.lhs - condition.rhs)
    rows = tuple(ring.coefficients(num / den, x)) if den.is_constant() else ()
    line = _one_side(factors, rows, x, whole.sign) if len(rows) in (2, 3) else whole
    same = (line.left, line.right) == (whole.left, whole.right)
    return Collected(whole, () if same else (converted(whole, line, Reason.COLLECT, (x,), given),), rows, factors, den)


def compared_steps(ceiling: Ceiling, given: tuple[Formula, ...] = (), told: bool = False) -> Iterator[Step]:
    """Yield that the intensity is above the ridge point, where it is plain that there is one, and without fractions.

    `told` says which engine and channel are compared, where there are several.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> for step in compared_steps(ceilings(op("matmul"))[0]):
    ...     print(step.line, "by", step.reason.value)
    B*D*F/(B*D + B*F + D*F) > R by compute-bound
    B*D*F > R*(B*D + B*F + D*F) by times
    """
    named = (sympy.Symbol(ceiling.compute), sympy.Symbol(ceiling.channel)) if told else ()
    condition = ceiling.symbolic
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
    """Return the line that says that computing takes longer: FLOPs over the peak, more than bytes over the bandwidth.

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
