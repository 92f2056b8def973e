"""Whether a condition is worth stating: it leaves a region of the domain, and the statement fails outside of it.

A region has a point at which the condition and all assumptions hold strictly, so it contains an open set. A region of
integers has unboundedly many, or at least two that are more than a tenth of those in the domain. If `x <= 1` is given,
`x >= 1` leaves one point, which is not a region.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from roofproof.claims.judge.domain import Domain
from roofproof.proofs.kernel.terms import Formula, Term, minus, variables
from roofproof.proofs.known import holds
from roofproof.proofs.oracles.sampling import conjuncts
from roofproof.proofs.search.polynomials import terms_with

TRUE = Formula("true")
FAR = 2**20  # an integer this large counts as unbounded
FEW = 256  # integers that are counted, evenly spaced if there are more
SHARE = Fraction(1, 10)
BEYOND = tuple(map(Fraction, ("64", "4", "1", "7/8", "1/2", "1/16")))  # distances tried outside of a condition


def is_region(domain: Domain, condition: Formula, assumed: Formula = TRUE) -> bool:
    """Return whether a condition leaves a region of a domain, in which `assumed` can hold.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> unit = Domain(assumptions=(Formula(">=", one, x),))                                       # 0 < x <= 1
    >>> is_region(unit, Formula(">=", x, one)), is_region(unit, Formula(">=", x, Term("q", 1, 2)))
    (False, True)
    >>> few = Domain(integers=frozenset("x"), assumptions=(Formula(">=", Term("q", 2, 1), x),))       # 1 or 2
    >>> is_region(few, Formula("not", Formula("=", x, one))), is_region(few, Formula(">=", x, one))
    (False, True)
    >>> many = replace(few, assumptions=(Formula(">=", Term("q", 90_000, 1), x),))
    >>> [is_region(many, Formula(">=", x, Term("q", least, 1))) for least in (8_756, 89_000)]
    [True, False]
    """
    if of_whole := bool(terms_with(("floor", "ceil"), condition)):  # such a condition is about integers
        domain = replace(domain, integers=domain.integers | variables(condition))
    whole = sorted(variables(condition) & domain.integers)
    inside = replace(domain, assumptions=tuple(map(strictly, domain.assumptions)))
    inside = inside if inside.can_hold() else domain  # the assumptions may describe a curve
    alone = len(variables(condition)) == 1 and bool(whole)
    discrete = alone or of_whole  # no open set is needed
    equations = not discrete and any(f[0] == "=" for f in conjuncts((condition,)))
    point = None if equations else inside.witness(strictly(condition), assumed)
    if point is None and discrete:
        point = domain.witness(condition, assumed)
    if point is None or not whole:
        return point is not None
    if any(
        domain.witness(condition, assumed, Formula(">=", Term("v", n), Term("q", FAR, 1))) is not None for n in whole
    ):
        return True
    if alone:
        return _has_a_share(domain, condition, assumed, whole[0])
    return domain.witness(condition, assumed, Formula("not", _is_at({n: point[n] for n in whole}))) is not None


def _has_a_share(domain: Domain, condition: Formula, assumed: Formula, name: str) -> bool:
    """Return whether a condition on one bounded integer holds for enough of the integers in the domain."""
    own = [f for f in domain.assumptions if variables(f) <= {name}]
    alone = own == [*domain.assumptions] and variables(assumed) <= {name}
    above = (2**k for k in range(FAR.bit_length() - 1, FEW.bit_length() - 1, -1))
    least = next((n for n in above if domain.can_hold(Formula(">=", Term("v", name), Term("q", n, 1)))), FEW // 2)
    step = 2 * least // FEW // 30 * 30 + 1  # so that multiples of 2, 3 and 5 are met evenly
    given = met = 0
    for k in range(1, 2 * least + 1, step):
        at = {name: Fraction(k)}
        if all(holds(f, at) for f in own) and (alone or domain.can_hold(_is_at(at))):
            given += 1
            met += holds(condition, at) and (holds(assumed, at) if alone else domain.can_hold(_is_at(at), assumed))
    return met > 1 and met > SHARE * given


def is_weakest(domain: Domain, condition: Formula, goal: Formula, assumed: Formula = TRUE) -> bool:
    """Return whether a statement can fail at every point that is tried outside of a condition.

    >>> m, n = Term("v", "m"), Term("v", "n")
    >>> pell = ("not", ("=", ("+", ("^", n, 2), ("*", ("q", -7, 1), ("^", m, 2))), ("q", 1, 1)))
    >>> is_weakest(Domain(), Formula(">=", m, n), pell)                                 # 9 - 7 is not 1 either
    False
    >>> is_weakest(Domain(), Formula(">=", n, Term("q", 1, 1)), Formula(">=", Term("*", m, n), m))
    True
    """
    if variables(goal) <= variables(condition) and goal[0] != "=":  # no other names: no region outside may do
        beyond = Domain(domain.signs, domain.integers, tuple(map(strictly, domain.assumptions)))
        if beyond.witness(strictly(Formula("not", condition)), strictly(assumed), strictly(goal)) is not None:
            return False
    outside = _outside(domain, condition)
    return all(domain.can_hold(assumed, Formula("not", goal), _is_at(there)) for there in outside)


def _outside(domain: Domain, condition: Formula) -> Iterator[dict[str, Fraction]]:
    """Yield points outside of a condition, far from its boundary and near it, in its names."""
    names = variables(condition)
    _, left, right = condition
    found = False
    for far in BEYOND:
        apart = minus(right, left), Term.rational(far)
        if (
            point := domain.witness(Formula(">", *apart), Formula(">", Term("*", Term("q", 2, 1), apart[1]), apart[0]))
        ) is not None:
            found = True
            yield {n: v for n, v in point.items() if n in names}
    if not found and (point := domain.witness(Formula("not", condition))) is not None:
        yield {n: v for n, v in point.items() if n in names}


def _is_at(point: dict[str, Fraction]) -> Formula:
    return Formula("and", *(Formula("=", Term("v", n), Term.rational(v)) for n, v in point.items()))


def strictly(formula: Formula) -> Formula:
    """Return a formula with strict comparisons. Without equations, it then holds all around a point of it.

    >>> strictly(("and", (">=", ("v", "x"), ("q", 1, 1)), ("not", (">", ("v", "y"), ("q", 2, 1)))))
    ('and', ('>', ('v', 'x'), ('q', 1, 1)), ('>', ('q', 2, 1), ('v', 'y')))
    """
    match formula:
        case (">=", left, right):
            return Formula(">", left, right)
        case ("not", (">" | ">=", left, right)):
            return Formula(">", right, left)
        case ("not", ("not", inner)):
            return strictly(inner)
        case ("and" | "or" as joint, *parts):
            return Formula(joint, *map(strictly, parts))
    return formula
