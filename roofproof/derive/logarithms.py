"""Unknowns inside a binary logarithm: conditions on the logarithm, and bounds as powers of two, with proofs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import parts_of
from roofproof.derive.algebra.polynomial import Poly, Ring, bounded, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.charts import Chart, Factors, unproved
from roofproof.derive.regions import Interval, Region
from roofproof.derive.signs import Facts, Signs, Space, comparisons, sign_of
from roofproof.errors import Undecided
from roofproof.formula.logarithm import log2, power_of_two
from roofproof.proofs.assumptions import MINUS, ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Term
from roofproof.proofs.search.lemmas import cut, trichotomy_exclusions


@dataclass(frozen=True, slots=True)
class Logarithm:
    """The only logarithm that contains the unknown, log2(slope x + start), and a real symbol for it.

    >>> from roofproof.symbols import quantity
    >>> x, R = quantity("x"), quantity("R")
    >>> condition, u = in_logarithm(3*x*log2(4*x**2) > R*x, x)
    >>> condition, u.region((Interval(low=R),))                # log2(4 x^2) = 2 + 2 log2(x)
    (3*x*(2*log2(x) + 2) > R*x, (Interval(low=2**R, high=None, low_closed=False, high_closed=False),))
    """

    unknown: sympy.Symbol
    inside: sympy.Expr
    symbol: sympy.Symbol

    def region(self, found: Region) -> Region:
        """Return the region of the unknown for a region of its logarithm."""
        return tuple(Interval(self._end(p.low), self._end(p.high), p.low_closed, p.high_closed) for p in found)

    def _end(self, end: sympy.Expr | None) -> sympy.Expr | None:
        slope, start = (self.inside.coeff(self.unknown, power) for power in (1, 0))
        return None if end is None else (power_of_two(end) - start) / slope

    def alone(self, ring: Ring, *polys: Poly) -> bool:
        """Tell whether each factor with the unknown outside the logarithm is positive and free of the logarithm."""
        for poly in polys:
            for factor, _ in ring.factors(poly)[1]:
                outside = len(ring.coefficients(factor, self.unknown)) > 1
                if outside and (sign(factor) != 1 or len(ring.coefficients(factor, self.symbol)) > 1):
                    return False
        return True


class RealFactors(Factors):
    """The factors of a condition on a logarithm, which may be any real number: regions extend to minus infinity.

    For the logarithm of a size, which is at least 1, negative roots of nonlinear factors do not count.

    >>> from roofproof.symbols import quantity
    >>> u, R = sympy.Symbol("u", real=True), quantity("R")
    >>> ring = Ring.of(u, R)
    >>> RealFactors(ring, u).region(*ring.fraction(u + R), frozenset((1,)), {})[0]            # u > -R
    (Interval(low=-R, high=None, low_closed=False, high_closed=False),)
    """

    def __init__(self, ring: Ring, unknown: sympy.Symbol, of_size: bool = False, space: Space | None = None) -> None:
        super().__init__(ring, unknown, space)
        self.of_size = of_size

    def has_known_sign(self, factor: Poly) -> bool:
        return self.of_size and super().has_known_sign(factor) and bool(factor.coeffs()) and self._at_zero(factor)

    def _at_zero(self, factor: Poly) -> bool:
        return not self.ring.coefficients(factor, self.unknown)[0].is_zero()

    def counts(self, root: sympy.Expr) -> bool:
        return not self.of_size or super().counts(root)

    def linear(self, a: Poly, b: Poly, signs: Signs) -> Chart:
        slope = sign_of(self.ring, a, signs)
        at = self.quotient(-b, a) if slope > 0 else self.quotient(b, -a)
        return Chart([at], [-slope, slope], self._divided(Facts(self.space, signs), at, slope))

    def quadratic(self, a: Poly, b: Poly, c: Poly, signs: Signs) -> Chart:
        if self.of_size:
            return super().quadratic(a, b, c, signs)
        if sign_of(self.ring, a, signs) < 0:
            roots, between, _ = self.quadratic(-a, -b, -c, signs)
            return Chart(roots, [-s for s in between], unproved)
        if (turning := sign_of(self.ring, bounded(b * b - 4 * a * c), signs)) <= 0:
            return Chart(*(([self.quotient(-b, 2 * a)], [1, 1]) if turning == 0 else ([], [1])), unproved)
        return Chart([self.root(a, b, c, k) for k in (-1, 1)], [1, -1, 1], unproved)


def in_logarithm(condition: Boolean, unknown: sympy.Symbol) -> tuple[Boolean, Logarithm | None]:
    """Return a condition with all logarithms of the unknown expressed by a single one, and that one.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> in_logarithm(log2(x/y) > 3, x)[0]
    log2(x) - log2(y) > 3

    Raises Undecided for several different logarithms, and for an argument that is not linear in the unknown.
    """
    logs = sorted((f for f in parts_of(condition, log2) if unknown in f.free_symbols), key=sympy.default_sort_key)
    if not logs:
        return condition, None
    factors = {f: list(_factors(f.args[0])) for f in logs}
    inside = dict.fromkeys(base for parts in factors.values() for base, _ in parts if unknown in base.free_symbols)
    found = next(iter(inside), sympy.S.Zero)  # log2(4^x) has none, because x is in the exponent
    slope, start = (found.coeff(unknown, power) for power in (1, 0))
    if len(inside) > 1 or found != slope * unknown + start or not slope.is_positive or start.is_nonnegative is not True:
        raise Undecided("cannot solve for <unknown> inside <what>", unknown=unknown, what=plain(logs[-1]))
    symbol = sympy.Symbol(f"log2({found})", real=True)
    written = {
        f: sympy.Add(*(p * (symbol if b == found else log2(b)) for b, p in parts)) for f, parts in factors.items()
    }
    return condition.xreplace(written), Logarithm(unknown, found, symbol)


def curved(condition: Boolean, unknown: sympy.Symbol) -> bool:
    """Tell whether a comparison has a degree above one in the logarithm of the unknown.

    >>> from roofproof.symbols import quantity
    >>> x, R = quantity("x"), quantity("R")
    >>> curved(x*log2(x)*(log2(x) + 1) > R*x, x), curved(x*log2(x) > R*x, x)
    (True, False)
    """
    written, log = in_logarithm(condition, unknown)
    ring = Ring.of(written, unknown)
    if log is None or log.symbol not in ring.atoms:  # for example because it is rounded
        return False
    found = (ring.fraction(r.lhs - r.rhs) for r in written.atoms(Relational) if log.symbol in r.free_symbols)
    return any(len(ring.coefficients(poly, log.symbol)) > 2 for fraction in found for poly in fraction)


def _factors(product: sympy.Expr) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    for factor in sympy.Mul.make_args(sympy.factor(product)):
        yield factor.as_base_exp() if not factor.is_Rational else (factor, sympy.Integer(1))


def in_powers(theorem: Theorem, region: Formula, x: Term) -> Theorem:
    """Prove `whole <=> region of x` from `whole <=> region of log2(x)` by raising two to both sides."""
    logarithm, known = Term("log2", x), [theorem]
    for f in comparisons(theorem.conclusion[2]):
        if f[0] != ">" or logarithm not in f[1:]:
            raise KernelError("no bound of a logarithm")
        above = f[1] == logarithm
        known.append(kernel.instantiate(_power()[0 if above else 1], {"t!": x, "r!": f[2 if above else 1]}))
    return kernel.propositional(Formula("<=>", theorem.conclusion[1], region), known)


@cache
def _power() -> tuple[Theorem, Theorem]:
    """Return the theorems `log2(t) > r <=> t > 2^r` for t > 0, and the same with `<`."""
    t, r = Term("v", "t!"), Term("v", "r!")
    two, log = Term("q", 2, 1), Term("log2", t)
    power = Term("power", two, r)
    positive = kernel.propositional(
        Formula(">", power, ZERO), [kernel.definition(power), kernel.arith(Formula(">", two, ZERO))]
    )
    value = cut(kernel.logarithm(kernel.identity(power, power)), [positive])  # log2(2^r) = r
    more, less, equal = Formula(">", t, power), Formula(">", power, t), Formula("=", power, t)
    above = cut(kernel.rising(kernel.assume(more)), [positive])
    forth = kernel.discharge(kernel.arith(Formula(">", log, r), [above, value], [(ONE, [0]), (ONE, [1])]), more)
    below = kernel.rising(kernel.assume(less))
    back = kernel.discharge(kernel.arith(Formula(">", r, log), [below, value], [(ONE, [0]), (MINUS, [1])]), less)
    both = cut(kernel.logarithm(kernel.assume(equal)), [positive])
    same = kernel.discharge(kernel.arith(Formula("=", r, log), [both, value], [(ONE, [0]), (MINUS, [1])]), equal)
    known = [forth, back, same, kernel.trichotomy(power, t)]
    known += [kernel.instantiate(theorem, {"u!": r, "v!": log}) for theorem in trichotomy_exclusions()]
    known += [kernel.instantiate(theorem, {"u!": power, "v!": t}) for theorem in trichotomy_exclusions()]
    goals = Formula("<=>", Formula(">", log, r), more), Formula("<=>", Formula(">", r, log), less)
    return kernel.propositional(goals[0], known), kernel.propositional(goals[1], known)
