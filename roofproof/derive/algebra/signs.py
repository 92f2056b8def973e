"""Signs of polynomials over positive symbols: decided by structure, or split into cases where they are not."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Generic, TypeVar

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import MILLION, Budget, spend
from roofproof.derive.algebra.logic import joined, related
from roofproof.derive.algebra.polynomial import Poly, Ring, content, sign, terms
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, TooManyCases, Undecided
from roofproof.formula.logarithm import exp2

T = TypeVar("T")
# A primitive polynomial as sorted (exponents, coefficient), or a difference that holds roots.
Key = Any  # tuple[tuple[tuple[int, ...], int], ...] | sympy.Expr
Signs = dict[Key, frozenset[int]]  # the signs each may have
ANY = frozenset((-1, 0, 1))
ALLOWED = {
    ">": frozenset((1,)), ">=": frozenset((0, 1)), "<": frozenset((-1,)), "<=": frozenset((-1, 0)),
    "==": frozenset((0,)), "!=": frozenset((-1, 1)),
}  # fmt: skip
RELATIONS = {signs: relation for relation, signs in ALLOWED.items()}
MAX_CASES = 200
STEPS = 4 * MILLION
CASE, COMPARISON = 4_000, 150  # steps


class Split(Exception):
    """The sign of this polynomial must be known to go on."""

    def __init__(self, key: Key) -> None:
        self.key = key


@dataclass(frozen=True)
class Branch(Generic[T]):
    """The result of a computation where the given signs hold."""

    signs: Signs
    result: T


def sign_of(ring: Ring, poly: Poly, signs: Signs) -> int:
    """Return the sign of `poly` where `signs` hold, or raise Split on a factor that does not tell."""
    found = sign(poly)
    if found is not None:
        return found
    spend(50 + 10 * len(poly))
    product, undecided = _undecided(ring, poly)
    for key, turn, power in undecided:
        allowed = signs.get(key, ANY)
        if len(allowed) > 1 and not (power % 2 == 0 and 0 not in allowed):
            raise Split(key)
        product *= (max(allowed) * turn) ** power  # one sign, or an even power of something not zero
    return product


def _undecided(ring: Ring, poly: Poly) -> tuple[int, list[tuple[Key, int, int]]]:
    """Return the sign of all factors that tell it, and of the others (p, s, power), where the factor is s p."""
    text = str(poly)
    if (known := ring.undecided.get(text)) is None:
        constant, factors = poly.factor()
        turn, found = 1 if constant > 0 else -1, list[tuple[Key, int, int]]()
        for factor, power in factors:
            if (s := sign(factor)) is None:
                found.append((*primitive(factor), int(power)))
            else:
                turn *= s ** int(power)
        known = ring.undecided[text] = turn, found
    return known


def primitive(poly: Poly) -> tuple[Key, int]:
    """Return (p, s) with coprime integer coefficients, a fixed leading sign, and poly = c s p for some c > 0."""
    s = 1 if poly.leading_coefficient() > 0 else -1
    scaled = poly / (content(poly) * s)
    return tuple(sorted((tuple(map(int, m)), int(c.p)) for m, c in terms(scaled).items())), s


def branches(compute: Callable[[Signs], T], signs: Signs, budget: Budget | None = None) -> list[Branch[T]]:
    """Return the results of `compute` over all sign patterns it asks about, equal neighbours merged.

    Raises TooManyCases for more than 200 of them, and RoofproofError when the budget is spent.
    """
    budget = budget or Budget(STEPS)
    leaves: list[Branch[T]] = []
    todo = [signs]
    while todo:
        budget.check("cases")
        spend(CASE)
        known = todo.pop()
        try:
            leaves.append(Branch(known, compute(known)))
        except Split as split:
            allowed = known.get(split.key, ANY)
            todo.extend({**known, split.key: frozenset((s,))} for s in sorted(allowed))
        if len(todo) + len(leaves) > MAX_CASES:
            raise TooManyCases("more than <most> cases; give sizes or assumptions for some parameters", most=MAX_CASES)
    return _merged(leaves)


def _merged(leaves: list[Branch[T]]) -> list[Branch[T]]:
    """Join leaves with equal results whose signs differ in one polynomial only."""
    for a, b in combinations(leaves, 2):
        if a.result == b.result and sum(a.signs.get(k, ANY) != b.signs.get(k, ANY) for k in a.signs | b.signs) <= 1:
            either = {k: s | b.signs.get(k, ANY) for k, s in a.signs.items()}
            joined = Branch({k: s for k, s in either.items() if s != ANY}, a.result)
            return _merged([*(leaf for leaf in leaves if leaf is not a and leaf is not b), joined])
    return leaves


def assumed(ring: Ring, assume: Iterable[Boolean]) -> Signs:
    """Return the signs that assumptions settle; one whose denominator has no certain sign settles none.

    Raises RoofproofError for assumptions that cannot hold for positive symbols.
    """
    signs: Signs = {}
    for relation in (r for a in assume for r in sympy.And.make_args(a) if isinstance(r, Relational)):
        num, den = ring.fraction(relation.lhs - relation.rhs)
        turn, known = sign(den), sign(num)
        if turn is None:
            continue
        if known is not None:
            if known * turn not in ALLOWED[relation.rel_op]:
                raise RoofproofError(
                    "the assumption <relation> cannot hold for positive symbols", relation=plain(relation)
                )
            continue
        key, s = primitive(num)
        signs[key] = signs.get(key, ANY) & frozenset(s * turn * a for a in ALLOWED[relation.rel_op])
        if not signs[key]:
            raise RoofproofError("the assumptions contradict each other: <relation>", relation=plain(relation))
    return signs


def decided(ring: Ring, signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b where `signs` hold, or raise Split."""
    if a == b:
        return 0
    if a.is_number and b.is_number:
        from roofproof.derive.algebra.exact_comparison import numbers_compared

        return numbers_compared(a, b)
    spend(COMPARISON)
    if (a - b).has(sympy.CRootOf):
        raise Undecided(
            "whether <one> or <other> is larger is not told with symbols; give the other symbols values", one=a, other=b
        )
    opaque = (a - b).atoms(sympy.Max, sympy.Min, exp2) | {
        p for p in (a - b).atoms(sympy.Pow) if p.exp.is_Rational and not p.exp.is_Integer
    }
    if opaque - set(ring.atoms):
        scale, rest = (a - b).as_coeff_Mul()
        if rest.is_Pow and rest.exp.is_Rational and rest.exp.q == 2:  # as between the roots of a quadratic,
            return 1 if scale > 0 else -1  # which are named only where they differ
        return known_sign(signs, a, b)
    return rational_sign(ring, signs, a - b)


def rational_sign(ring: Ring, signs: Signs, value: sympy.Expr) -> int:
    """Return the sign of a quotient of polynomials where `signs` hold, or raise Split."""
    num, den = ring.fraction(value)
    return sign_of(ring, num, signs) * sign_of(ring, den, signs)


def known_sign(signs: Signs, a: sympy.Expr, b: sympy.Expr) -> int:
    """Return the sign of a - b that `signs` hold for this very difference, or raise Split."""
    key, turn = (a - b, 1) if sympy.default_sort_key(a) < sympy.default_sort_key(b) else (b - a, -1)
    allowed = signs.get(key, ANY)
    if len(allowed) > 1:
        raise Split(key)
    return next(iter(allowed)) * turn


@dataclass(frozen=True, slots=True)
class Order:
    """How values compare where some signs hold.

    >>> from roofproof.symbols import quantity
    >>> a, b = quantity("a"), quantity("b")
    >>> order = Order(Ring([a, b]), {})
    >>> order(2*a, a), order.plain(a, b)
    (1, None)
    """

    ring: Ring
    signs: Signs

    def __call__(self, a: sympy.Expr, b: sympy.Expr) -> int:
        """Return the sign of a - b, or raise Split."""
        return decided(self.ring, self.signs, a, b)

    def plain(self, a: sympy.Expr, b: sympy.Expr) -> int | None:
        """Return the sign of a - b where it is the same for all values, else None."""
        try:
            return decided(self.ring, {}, a, b)
        except Split:
            return None


def grouped(found: list[Branch[T]]) -> list[tuple[T, list[Signs]]]:
    """Return each result once, with the sign patterns under which it holds, none longer than needed.

    A sign may go from a pattern when the wider pattern still meets no pattern of another result.
    """
    groups: list[tuple[T, list[Signs]]] = []
    for branch in found:
        others = [b.signs for b in found if b.result != branch.result]
        signs = dict(branch.signs)
        for key in list(signs):
            wider = {k: v for k, v in signs.items() if k != key}
            if all(any(not wider[k] & o[k] for k in wider if k in o) for o in others) and (wider or not others):
                signs = wider
        same = next((patterns for result, patterns in groups if result == branch.result), None)
        if same is None:
            groups.append((branch.result, [signs]))
        elif signs not in same:
            same.append(signs)
    return groups


def by_condition(ring: Ring, found: list[Branch[T]], given: Signs) -> Iterator[tuple[Boolean, T]]:
    """Yield each result once, with the condition under which it holds beyond what is given."""
    bare = [Branch({k: v for k, v in b.signs.items() if v != given.get(k)}, b.result) for b in found]
    for result, patterns in grouped(bare):
        yield joined(sympy.Or, [condition_of(ring, signs) for signs in patterns]), result


def condition_of(ring: Ring, signs: Signs) -> Boolean:
    """Return the signs as a condition a person would write, such as `1/D + 1/F < 1/R`."""
    parts = []
    for key, allowed in signs.items():
        if isinstance(key, sympy.Expr):
            left = sympy.Add(*(t for t in sympy.Add.make_args(key) if not t.could_extract_minus_sign()))
            parts.append(related(RELATIONS[allowed], left, left - key))
        else:
            parts.append(readable(ring, ring.context.from_dict(dict(key)), allowed))
    return joined(sympy.And, parts)


def readable(ring: Ring, poly: Poly, allowed: frozenset[int]) -> Boolean:
    """Return `poly` compared with zero, one side a single fraction where that is possible.

    >>> from roofproof.symbols import quantity
    >>> D, F, R = map(quantity, "DFR")
    >>> ring = Ring([D, F, R])
    >>> readable(ring, ring.fraction(D*F - R*D - R*F)[0], frozenset((1,)))    # divide by D F R
    1/F + 1/D < 1/R
    """
    parts = terms(poly)
    plus = {m: c for m, c in parts.items() if c > 0}
    minus = {m: -c for m, c in parts.items() if c < 0}
    flipped = frozenset(-s for s in allowed)
    if len(minus) == 1 and len(plus) > 1:
        return readable(ring, -poly, flipped)
    left, right = ring.context.from_dict(plus), ring.context.from_dict(minus)
    if len(plus) == 1 and len(minus) > 1:  # minus < plus, divided by plus and by the common factor of minus
        common = right.term_content()
        scale = ring.constant(content(right / common)) * common
        bottom = ring.expr(left / left.leading_coefficient())
        parts = sympy.Add(*(t / bottom for t in sympy.Add.make_args(ring.expr(right / scale))))
        return related(
            RELATIONS[flipped], parts, ring.expr(ring.constant(left.leading_coefficient())) / ring.expr(scale)
        )
    if len(plus) == 1 and len(minus) == 1:
        common = left.gcd(right)
        left, right = left / common, right / common
        for one, other, signs in ((left, right, allowed), (right, left, flipped)):
            side = ring.expr(one)
            c = one.leading_coefficient()
            if side / ring.expr(ring.constant(c)) in ring.atoms:  # a single symbol stands alone on the left
                return related(RELATIONS[signs], ring.expr(one / c), ring.expr(other / c))
    return related(RELATIONS[allowed], ring.factored(left), ring.factored(right))
