"""From one side of the unknown to the bound, in one case: divide, complete the square, or see that the signs decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.derive.algebra.signs import ANY, Signs, assumed, primitive
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Above, Always, Never, Threshold
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, minus
from roofproof.proofs.search.short_proofs import prove
from roofproof.proofs.steps.collecting import Collected
from roofproof.proofs.steps.lines import Both, Bound, Relation
from roofproof.proofs.steps.reasons import Conversion, converted
from roofproof.proofs.steps.rules import decided, roots
from roofproof.proofs.steps.step import Reason
from roofproof.proofs.translate import to_formula, with_functions

SIGNS = {
    frozenset((1,)): ">", frozenset((0, 1)): ">=", frozenset((0,)): "=",
    frozenset((-1, 0)): "<=", frozenset((-1,)): "<",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """A case without `or`: its condition, and what it says of the signs of polynomials."""

    when: Boolean
    given: tuple[Formula, ...]
    signs: Signs

    @classmethod
    def of(cls, when: Boolean, assume: tuple[Boolean, ...], found: Collected, facts: tuple[Boolean, ...] = ()) -> Case:
        """Return the case of a condition, where the assumptions hold too, and the facts that follow from them."""
        said = () if when == sympy.true else (when,)
        given = tuple(to_formula(each) for each in (*assume, *said))
        ring = found.factors.ring  # a root in the condition, of another comparison, is in no factor of this one
        told = [r for each in (*assume, *facts, *said) for r in sympy.And.make_args(each)]
        here = [r for r in told if isinstance(r, Relational) and set(Ring.of(*r.args).atoms) <= set(ring.atoms)]
        return cls(when, given, assumed(ring, here))

    def sign(self, poly: Poly) -> frozenset[int]:
        """Return the signs that a polynomial may have."""
        if (plain := sign(poly)) is not None:
            return frozenset((plain,))
        constant, factors = poly.factor()
        may = frozenset((1 if constant > 0 else -1,))
        for factor, power in factors:
            each = sign(factor)
            key, turn = primitive(factor)
            known = frozenset((each,)) if each is not None else frozenset(turn * s for s in self.signs.get(key, ANY))
            may = frozenset(a * b ** int(power) for a, b in product(may, known))
        return may


def bounded(found: Collected, x: sympy.Symbol, case: Case, wanted: Threshold | None) -> tuple[Conversion, ...]:
    """Return the lines of one case; `wanted` is the threshold as the answer prints it, where there is one channel.

    >>> from roofproof import op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> from roofproof.proofs.steps.collecting import collected
    >>> matmul = op("matmul")
    >>> B, D, F = matmul.dims
    >>> [c] = ceilings(matmul)
    >>> found, R = collected(c.symbolic, B), c.symbol
    >>> enough, too_few = 1/D + 1/F < 1/R, 1/D + 1/F >= 1/R
    >>> for when in (enough, too_few):
    ...     for step in bounded(found, B, Case.of(when, (), found), None):
    ...         print(step.line, "by", step.reason.value)
    B > R*D*F/(D*F - R*(D + F)) by divide
    B*(D*F - R*(D + F)) <= 0 and R*D*F > 0 by signs
    never by decided

    Raises RoofproofError where these reasons do not do.
    """
    rows, line = found.rows, found.line
    if len(rows) == 3:
        return tuple(_quadratic(found, x, case, wanted))
    if len(rows) < 2:  # the unknown does not occur
        return (_decided(line, x, case, wanted),)
    if len(rows) > 2:
        raise RoofproofError("a bound by roots that are isolated is told in one line")
    rest, slope = rows
    may, turned = case.sign(slope), line.sign[0] == "<"
    if (decided := _by_signs(found, x, case, wanted)) is not None:
        return decided
    if may not in ({1}, {-1}):
        raise RoofproofError("the sign of the factor of <x> is not known where <when>", x=x, when=plain(case.when))
    factor, rises = line.left / x, may == {1}
    at = found.quotient(-rest, slope) if rises else found.quotient(rest, -slope)
    after = Relation(x, (">" if rises else "<") + line.sign[1:], at)
    last = after if wanted is None else Bound(x, wanted)
    if factor == 1 and last.formula == line.formula:
        return () if case.when == sympy.true else (converted(line, last, Reason.STANDS, (), case.given),)
    reason = Reason.TURN if rises == turned else Reason.DIVIDE
    return (converted(line, last, reason, (factor,), case.given),)


def _decided(line: Relation, x: sympy.Symbol, case: Case, wanted: Threshold | None) -> Conversion:
    """Prove that a line without the unknown holds always or never, which the case says."""
    for threshold in (t for t in (Always(), Never()) if wanted in (None, t)):
        with suppress(RoofproofError):
            return converted(line, Bound(x, threshold), Reason.CASE, (), case.given)
    raise RoofproofError("<line> is open where <when>", line=line, when=plain(case.when))


def _by_signs(found: Collected, x: sympy.Symbol, case: Case, wanted: Threshold | None) -> tuple[Conversion, ...] | None:
    """Prove that the signs of both sides decide, where they do."""
    line, (rest, slope) = found.line, found.rows
    sides = (slope, -rest) if line.sign[0] == ">" else (-slope, rest)
    left, right = (case.sign(side) for side in sides)
    high, low = (left, right) if line.sign[0] == ">" else (right, left)  # the line says: high > low, or >=
    apart, reached = 0 not in high or 0 not in low, line.sign.endswith("=")
    never = max(high) <= 0 <= min(low) and (apart or not reached)
    if not never and not (min(high) >= 0 >= max(low) and (apart or reached)):
        return None
    threshold: Threshold = Never() if never else Always()
    if wanted is not None and wanted.kind != threshold.kind:
        return None
    signs = [(side, SIGNS[may]) for side, may in ((line.left, left), (line.right, right)) if side != 0]
    parts = tuple(Relation(side, sign, sympy.Integer(0)) for side, sign in signs)
    said = converted(None, Both(parts) if len(parts) > 1 else parts[0], Reason.SIGNS, (), case.given)
    last = Bound(x, threshold)
    rule = decided(line, [part.formula for part in parts], never)
    lemmas = [kernel.propositional(Formula("<=>", line.formula, last.formula), [rule, said.theorems[0]])]
    return said, converted(line, last, Reason.DECIDED, (), case.given, lemmas=lemmas)


def _quadratic(found: Collected, x: sympy.Symbol, case: Case, wanted: Threshold | None) -> Iterator[Conversion]:
    """Yield the lines that complete the square, where the square is all but a positive number."""
    rest, middle, top = found.rows
    if case.sign(top) != {1} or case.sign(rest) != {-1} or not isinstance(wanted, Above) or found.line.sign != ">":
        raise RoofproofError("this square is not completed")
    given, now = case.given, found.line
    factors = found.factors
    a, half = factors.balanced(top), found.quotient(-middle, 2 * top) if not middle.is_zero() else sympy.Integer(0)
    root = wanted.at - half
    alone = Relation(x * (x - 2 * half), ">", found.quotient(-rest, top))
    squared, rooted = Relation((x - half) ** 2, ">", root**2), Relation(x - half, ">", root)
    lemmas = _claimed(rooted, alone.right, half, squared.right, x, given)
    if a != 1:
        yield converted(now, alone, Reason.DIVIDE, (a,), given)
        now = alone
    if half != 0:
        yield converted(now, squared, Reason.SQUARE, (half**2,), given)
        now = squared
    if half == 0:
        yield converted(now, Bound(x, wanted), Reason.ROOT, (), given, lemmas=lemmas)
        return
    yield converted(now, rooted, Reason.ROOT, (), given, lemmas=lemmas)
    yield converted(rooted, Bound(x, wanted), Reason.ADD, (half,), given)


def _claimed(
    rooted: Relation, more: sympy.Expr, half: sympy.Expr, squared: sympy.Expr, x: sympy.Symbol, given: Sequence[Formula]
) -> list[Theorem]:
    """Return the claims of taking the root, where squared = more + half^2 and more > 0; RoofproofError elsewhere."""
    m, p, s, t, itself = map(with_functions, (half, more, rooted.left, squared, x))
    equal = Formula("=", t, Term("+", p, Term("*", m, m))), Formula("=", s, minus(itself, m))
    facts = [prove(f, given) for f in (*equal, Formula(">", p, ZERO))]
    if None in facts or rooted.right != sympy.sqrt(squared):
        raise RoofproofError("this square is not completed")
    return roots({"m!": m, "p!": p, "s!": s, "t!": t, "x!": itself}, [f for f in facts if f is not None])
