"""The leading terms of a function of one growing variable: powers, roots of sums, logarithms, exponentials.

A function is expanded into terms c * b^t * t^a * log2(t)^k, largest first, with an upper bound on the order of the
rest. If the leading terms cancel, more terms are computed: sqrt(t^2 + 6 t) - t = 3 - 9/(2 t) + ...

Source: D. Gruntz, On Computing Limits in a Symbolic Manipulation System, 1996, chapter 3, for one fixed scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from math import lcm, prod

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.exact_comparison import sign_of_number
from roofproof.derive.algebra.polynomial import Ring, lowest_terms, whole_powers
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.regime import OPEN_SIGN
from roofproof.derive.signs import Split, assumed
from roofproof.derive.values import rational_sign
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2

TERMS = (4, 10, 24)  # numbers of terms to keep, tried in turn if fewer terms all cancel
PRODUCT = 2_000  # steps
MAX_BASE = 10**12
LN2 = sympy.log(2)
Base = tuple[tuple[int, Fraction], ...]  # the base of an exponential: primes with their exponents


@dataclass(frozen=True, slots=True)
class Order:
    """The growth b^t t^a log2(t)^k of a term."""

    base: Base = ()
    power: Fraction = Fraction(0)
    logs: int = 0

    def __mul__(self, other: Order) -> Order:
        base = {p: e + dict(other.base).get(p, Fraction(0)) for p, e in self.base} | {
            p: e for p, e in other.base if p not in dict(self.base)
        }
        kept = tuple(sorted((p, e) for p, e in base.items() if e))
        return Order(kept, self.power + other.power, self.logs + other.logs)

    def __pow__(self, n: Fraction | int) -> Order:
        if (self.logs * Fraction(n)).denominator != 1:
            raise RoofproofError("a root of a logarithm of a growing size is not supported")
        base = tuple((p, e * n) for p, e in self.base) if n else ()
        return Order(base, self.power * n, int(self.logs * Fraction(n)))

    @property
    def sign(self) -> int:
        """1 if it grows, -1 if it tends to zero, 0 if it is constant."""
        scale = lcm(*(e.denominator for _, e in self.base))
        above, below = (prod(p ** int(s * e * scale) for p, e in self.base if s * e > 0) for s in (1, -1))
        return (above > below) - (above < below) or (self.power > 0) - (self.power < 0) or (
            (self.logs > 0) - (self.logs < 0)
        )  # fmt: skip

    def of(self, t: sympy.Symbol) -> sympy.Expr:
        """Return the growth as an expression in t."""
        base = sympy.Mul(*(sympy.Integer(p) ** sympy.Rational(e) for p, e in self.base))
        made: sympy.Expr = sympy.Pow(base, t) * t ** sympy.Rational(self.power) * log2(t) ** self.logs
        return made


CONSTANT = Order()


def _compared(a: Order, b: Order) -> int:
    return (b * a**-1).sign


_largest_first = cmp_to_key(_compared)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The leading terms, largest first and none of them zero, and the order of the rest, or None without a rest."""

    terms: tuple[tuple[Order, sympy.Expr], ...]
    rest: Order | None = None

    def __add__(self, other: Expansion) -> Expansion:
        return _gathered([*self.terms, *other.terms], [r for r in (self.rest, other.rest) if r is not None])

    def __mul__(self, other: Expansion) -> Expansion:
        spend(PRODUCT)
        rests = [a.rest * b.size for a, b in ((self, other), (other, self)) if a.rest is not None and b.some]
        return _gathered([(m * n, c * d) for m, c in self.terms for n, d in other.terms], rests)

    def times(self, c: sympy.Expr, order: Order = CONSTANT) -> Expansion:
        return self * Expansion(((order, c),))

    @property
    def some(self) -> bool:
        return bool(self.terms) or self.rest is not None

    @property
    def size(self) -> Order:
        """The largest order in it, which bounds its growth."""
        return self.terms[0][0] if self.terms else self.rest or CONSTANT


class MoreTerms(Exception):
    """Raised if all the terms kept have cancelled."""


def _gathered(terms: Iterable[tuple[Order, sympy.Expr]], rests: Iterable[Order]) -> Expansion:
    rest = min(rests, key=_largest_first, default=None)
    found: dict[Order, sympy.Expr] = {}
    for order, c in terms:
        if rest is None or (order * rest**-1).sign > 0:
            found[order] = found.get(order, sympy.Integer(0)) + c
    kept = [(m, made) for m in sorted(found, key=_largest_first) if not _zero(made := _plainly(found[m]))]
    return Expansion(tuple(kept), rest)


def _plainly(c: sympy.Expr) -> sympy.Expr:
    return sympy.expand(c) if c.is_Add or c.is_Mul else c


def _zero(c: sympy.Expr) -> bool:
    if c.is_Rational:
        return bool(c == 0)
    if c.is_number:
        return sign_of_number(c) == 0
    return bool(sympy.expand(sympy.numer(sympy.together(c))) == 0)


class Expander:
    """Expands functions of one growing variable to `count` terms, under assumptions on the parameters."""

    def __init__(self, t: sympy.Symbol, assume: Iterable[Boolean], count: int) -> None:
        parts = (part for a in assume for part in (a.args if isinstance(a, sympy.And) else (a,)))
        self.t, self.assume, self.count = t, tuple(p for p in parts if isinstance(p, Relational)), count

    def sign(self, c: sympy.Expr) -> int:
        """Return the sign of a coefficient, or raise RoofproofError if it is not known."""
        if c.is_number:
            return sign_of_number(c)
        if c.is_positive or c.is_negative:
            return 1 if c.is_positive else -1
        table = whole_powers([c, *self.assume])
        changed, *given = (e.xreplace(table) for e in (c, *self.assume))
        ring = Ring.of(changed, *given)
        if all(a.is_positive for a in ring.atoms):
            try:
                return rational_sign(ring, assumed(ring, given), changed)
            except Split:
                pass
        raise RoofproofError(OPEN_SIGN, term=plain(c))

    def lead(self, e: Expansion) -> tuple[Order, sympy.Expr]:
        """Return the leading term, or raise MoreTerms if all have cancelled."""
        if not e.terms:
            raise MoreTerms
        return e.terms[0]

    def __call__(self, e: sympy.Expr) -> Expansion:
        """Return the expansion of an expression, or raise RoofproofError if it has none on this scale."""
        if self.t not in e.free_symbols:
            return Expansion(((CONSTANT, e),) if e != 0 else ())
        if e == self.t:
            return Expansion(((Order(power=Fraction(1)), sympy.Integer(1)),))
        if e.is_Add or e.is_Mul:
            first, *others = map(self, e.args)
            for other in others:
                first = self.cut(first + other if e.is_Add else first * other)
            return first
        if e.is_Pow and e.exp.is_Rational:
            return self.power(self(e.base), Fraction(int(e.exp.p), int(e.exp.q)))
        if e.is_Pow and self.t not in e.base.free_symbols:
            return self.exponential(e.base, self(e.exp))
        made: Callable[[list[Expansion]], Expansion] | None = {
            log2: lambda a: self.logarithm(a[0]),
            sympy.log: lambda a: self.logarithm(a[0]).times(LN2),
            sympy.Max: lambda a: self.extreme(a, 1),
            sympy.Min: lambda a: self.extreme(a, -1),
            sympy.Abs: lambda a: self.extreme([a[0], a[0].times(sympy.Integer(-1))], 1),
            sympy.floor: lambda a: self.rounded(a[0], 1),
            sympy.ceiling: lambda a: self.rounded(a[0], -1),
        }.get(e.func)
        if made is None:
            raise RoofproofError(
                "cannot expand <value>: only powers, logarithms and exponentials are supported", value=plain(e)
            )
        return made([self(a) for a in e.args])

    def cut(self, e: Expansion) -> Expansion:
        if len(e.terms) <= self.count:
            return e
        return Expansion(e.terms[: self.count], e.terms[self.count][0])

    def power(self, e: Expansion, n: Fraction) -> Expansion:
        if n.denominator == 1 and n > 0 and not (len(e.terms) > 1 and n > self.count):
            made = e
            for _ in range(int(n) - 1):
                made = self.cut(made * e)
            return made
        if not e.some:
            if n > 0:
                return e
            raise RoofproofError("a division by zero")
        order, c = self.lead(e)
        if (sign := self.sign(c)) < 0 and n.denominator > 1:
            raise RoofproofError(
                "the root is undefined for large arguments: <value> is negative", value=plain(c * order.of(self.t))
            )
        if sign == 0:
            raise MoreTerms
        small = self.relative(e)
        k = sympy.Rational(n.numerator, n.denominator)
        return self.series(small, lambda j: sympy.binomial(k, j)).times(c**k, order**n)

    def relative(self, e: Expansion) -> Expansion:
        """Return e divided by its leading term, less 1."""
        order, c = e.terms[0]
        back = Expansion(e.terms[1:], e.rest)
        return back.times(1 / c, order**-1)

    def series(self, small: Expansion, coefficient: Callable[[int], sympy.Expr]) -> Expansion:
        """Return the sum of the coefficients times the powers of `small`, which tends to zero."""
        made = power = Expansion(((CONSTANT, sympy.Integer(1)),))
        made = made.times(coefficient(0)) if coefficient(0) != 0 else Expansion(())
        if not small.some:
            return made
        if small.size.sign >= 0:
            raise MoreTerms
        for j in range(1, self.count + 1):
            power = self.cut(power * small)
            made = made + power.times(coefficient(j))
        return self.cut(made + Expansion((), small.size ** (self.count + 1)))

    def logarithm(self, e: Expansion) -> Expansion:
        order, c = self.lead(e)
        if self.sign(c) <= 0:
            raise RoofproofError(
                "a logarithm of a value that is not positive in the limit, as <value>",
                value=plain(c * order.of(self.t)),
            )
        if order.logs:
            raise RoofproofError("a logarithm of a logarithm of a growing size is not supported")
        slope = sympy.Add(*(sympy.Rational(x) * log2(sympy.Integer(p)) for p, x in order.base))
        parts = [(Order(power=Fraction(1)), slope), (Order(logs=1), sympy.Rational(order.power)), (CONSTANT, log2(c))]
        whole = _gathered([p for p in parts if p[1] != 0], [])
        return whole + self.series(self.relative(e), lambda j: (-1) ** (j + 1) / (j * LN2) if j else sympy.Integer(0))

    def exponential(self, base: sympy.Expr, e: Expansion) -> Expansion:
        """Return base^e: growing terms of e go into the order, constants into the factor, the rest into a series."""
        if not base.is_Rational or base <= 0:
            raise RoofproofError("whether <base> is above or below 1 is not known; give it a value", base=plain(base))
        if base == 1:
            return Expansion(((CONSTANT, sympy.Integer(1)),))
        if e.rest is not None and e.rest.sign >= 0:
            raise MoreTerms
        if max(base.p, base.q) > MAX_BASE:
            raise RoofproofError("the base <base> is too large to factor", base=plain(base))
        primes = {**sympy.factorint(base.p), **{p: -k for p, k in sympy.factorint(base.q).items()}}
        order, factor = CONSTANT, sympy.Integer(1)
        for m, c in e.terms:
            if m == CONSTANT:
                factor *= base**c
            elif m.sign > 0 and not c.is_Rational:
                grows = plain(base ** (c * m.of(self.t)))
                raise RoofproofError(
                    "how fast <grows> grows is not known; give <value> a value", grows=grows, value=plain(c)
                )
            elif m == Order(power=Fraction(1)):
                order *= Order(tuple(sorted((p, k * Fraction(int(c.p), int(c.q))) for p, k in primes.items())))
            elif m == Order(logs=1) and set(primes) == {2}:
                order *= Order(power=primes[2] * Fraction(int(c.p), int(c.q)))
            elif m.sign > 0:
                grows = plain(base ** (c * m.of(self.t)))
                raise RoofproofError(
                    "cannot expand <value>: only powers, logarithms and exponentials are supported", value=grows
                )
        small = Expansion(tuple((m, c) for m, c in e.terms if m.sign < 0), e.rest)
        rate = log2(base) * LN2
        return self.series(small, lambda j: rate**j / sympy.factorial(j)).times(factor, order)

    def extreme(self, parts: list[Expansion], side: int) -> Expansion:
        best = parts[0]
        for other in parts[1:]:
            gap = other + best.times(sympy.Integer(-1))
            if gap.some and side * self.sign(self.lead(gap)[1]) > 0:
                best = other
        return best

    def rounded(self, e: Expansion, side: int) -> Expansion:
        """Return the floor (side 1) or ceiling (side -1), with a bounded error if the argument grows, else exactly."""
        if not e.terms or e.size.sign > 0:
            return _gathered(e.terms, [CONSTANT, *([] if e.rest is None else [e.rest])])
        if e.rest is not None and e.rest.sign >= 0:
            raise MoreTerms
        c = e.terms[0][1] if e.size == CONSTANT else sympy.Integer(0)
        if not c.is_number:
            raise RoofproofError("cannot tell between which whole numbers <value> lies; give values", value=plain(c))
        near = sympy.floor(c) if side > 0 else sympy.ceiling(c)
        near = next((k for k in (near, near - 1, near + 1) if _zero(c - k)), near)
        if _zero(c - near):
            past = Expansion(e.terms[1:] if e.size == CONSTANT else e.terms, e.rest)
            if past.some and side * self.sign(self.lead(past)[1]) < 0:
                near -= side
        return Expansion(((CONSTANT, near),) if near != 0 else ())


def leading_term(
    expr: sympy.Expr, t: sympy.Symbol, assume: Iterable[Boolean] = ()
) -> tuple[sympy.Expr, Order, int | None]:
    """Return the leading coefficient as t grows, the order of its term, and its sign, or None if that is not known.

    >>> from roofproof.symbols import quantity
    >>> t = quantity("t")
    >>> c, order, sign = leading_term(sympy.sqrt(t**2 + 6*t) - t, t)                        # 3 - 9/(2 t) + ...
    >>> c, order.of(t), sign
    (3, 1, 1)
    >>> c, order, sign = leading_term(t*log2(t)/2**t, t)
    >>> order.of(t), order.sign                                                            # it tends to zero
    (t*log2(t)/2**t, -1)

    Zero has the coefficient 0. Raises RoofproofError outside the scale, and if the leading terms cancel.
    """
    for expander in (Expander(t, assume, count) for count in TERMS):
        try:
            found = expander(expr)
            if not found.some:
                return sympy.Integer(0), CONSTANT, 0
            order, c = expander.lead(found)
        except MoreTerms:
            continue
        c = sympy.radsimp(c) if c.is_number else lowest_terms(c)
        try:
            return c, order, expander.sign(c)
        except RoofproofError:
            return c, order, None
    raise RoofproofError("the leading terms of <expr> cancel; cannot tell whether it is zero", expr=plain(expr))


def vanishes(expr: sympy.Expr, t: sympy.Symbol, assume: Iterable[Boolean] = ()) -> bool:
    """Tell whether an expansion shows that a function tends to zero as t grows.

    >>> from roofproof.symbols import quantity
    >>> t = quantity("t")
    >>> vanishes(sympy.floor(t/6)/t - sympy.Rational(1, 6), t), vanishes(log2(t)/9, t)      # at most 1/t; it grows
    (True, False)

    Raises RoofproofError outside the scale.
    """
    for expander in (Expander(t, assume, count) for count in TERMS):
        try:
            found = expander(expr)
        except MoreTerms:
            continue
        if not found.some or found.size.sign < 0:
            return True
        if found.terms:
            return False
    return False
