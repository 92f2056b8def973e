"""Exact polynomial arithmetic (FLINT) behind a small interface that converts SymPy expressions in both directions.

A `Ring` holds the generators: symbols, and square roots, maxima and other terms opaque to polynomial arithmetic. It
shares its polynomial methods with the ring of the proof kernel's terms.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import gcd, lcm
from typing import Any, Generic, TypeVar

import sympy
from flint import Ordering, fmpq, fmpq_mpoly_ctx

from roofproof.errors import RoofproofError

T = TypeVar("T")
A = TypeVar("A")
Poly = Any  # flint.fmpq_mpoly, as python-flint ships no types
Factored = tuple[Any, tuple[tuple[Poly, int], ...]]  # a constant, and irreducible factors with their powers
MAX_TERMS = 1_000
MAX_ROOT = 24
MAX_KEPT = 2_000  # conversions that are cached for the same atoms


class Polynomials(Generic[A]):
    """FLINT's polynomials over the rationals in some atoms, which are positive except the `unsafe` ones.

    >>> ring = Polynomials("xyz", [2])
    >>> x, y, z = ring.context.gens()
    >>> ring.sign(2*x), ring.sign(x - y), ring.sign(z), ring.rows(x*y - 3*y, 0)
    (1, 0, 0, {1: g1, 0: -3*g1})
    """

    def __init__(self, atoms: Iterable[A], unsafe: Iterable[int] = ()) -> None:
        self.atoms, self.unsafe = tuple(atoms), tuple(unsafe)
        self.context = fmpq_mpoly_ctx.get(tuple(f"g{i}" for i in range(len(self.atoms))), Ordering.degrevlex)
        self.index = {a: i for i, a in enumerate(self.atoms)}
        self._factors: dict[str, Factored] = {}

    def monomial_is_positive(self, exponents: Sequence[int]) -> bool:
        """Tell whether a monomial contains no `unsafe` atom."""
        return not self.unsafe or not any(exponents[i] for i in self.unsafe)

    def sign(self, p: Poly) -> int:
        """Return the sign of a polynomial if its coefficients decide it, else 0."""
        if self.unsafe and not all(map(self.monomial_is_positive, p.monoms())):
            return 0
        return sign(p) or 0

    def rows(self, p: Poly, k: int) -> dict[int, Poly]:
        """Return {exponent: coefficient} of a polynomial in atom number k."""
        rows: dict[int, dict[tuple[int, ...], Any]] = {}
        for m, c in terms(p).items():
            rows.setdefault(int(m[k]), {})[(*m[:k], 0, *m[k + 1 :])] = c
        return {e: self.context.from_dict(row) for e, row in rows.items()}

    def factors(self, p: Poly) -> Factored:
        """Return a constant and the irreducible factors of a polynomial with their powers, from a cache.

        A comparison and its negation differ only in sign, so they share the factors.

        >>> ring = Polynomials("xy")
        >>> x, y = ring.context.gens()
        >>> ring.factors(x*y - x), ring.factors(x - x*y)
        ((1, ((g1 - 1, 1), (g0, 1))), (-1, ((g1 - 1, 1), (g0, 1))))
        """
        negative = not p.is_zero() and p.leading_coefficient().p < 0
        p = -p if negative else p
        text = str(p)
        if text not in self._factors:
            constant, found = p.factor()
            self._factors[text] = constant, tuple((factor, int(power)) for factor, power in found)
        constant, factors = self._factors[text]
        return (-constant if negative else constant), factors

    def divided(self, p: Poly, rule: Poly, k: int) -> tuple[Poly, Poly, Poly]:
        """Return (c, r, h) with c p = r + h rule, where r has a lower degree in the atom k than the rule."""
        scale, multiple = self.context.constant(1), self.context.constant(0)
        degree = rule.degrees()[k]
        if degree < 1:  # the rule is 0 = 0, or does not contain the atom
            return scale, p, multiple
        lead, x = self.rows(rule, k)[degree], self.context.gen(k)
        while not p.is_zero() and (over := p.degrees()[k] - degree) >= 0:
            step = self.rows(p, k)[over + degree] * x**over
            if lead.is_constant():
                step = step / lead
            else:
                p, multiple, scale = p * lead, multiple * lead, scale * lead
            p, multiple = p - step * rule, multiple + step
        return scale, p, multiple

    def split(self, p: Poly) -> tuple[Poly, Poly]:
        """Return (c, q) with p = c q, where c contains all factors that are surely positive."""
        one = self.context.constant(1)
        if p.is_zero():
            return one, p
        if (s := self.sign(p)) != 0:  # avoids factoring, which may involve thousands of terms
            return p * s, one * s
        constant, factors = self.factors(p)
        outer, inner = one * abs(constant), one if constant > 0 else -one
        for factor, power in factors:
            if (s := self.sign(factor)) != 0:
                outer *= (factor * s) ** power
                inner *= s**power
            else:
                inner *= factor**power
        return outer, inner


class Ring(Polynomials[sympy.Expr]):
    """Polynomials in the given symbols and opaque terms of SymPy, all of them positive.

    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> ring = Ring([B, D, F])
    >>> num, den = ring.fraction(2*B*D*F / (2*B*D + 2*D*F + 2*B*F))   # the common factor 2 cancels
    >>> ring.expr(num), ring.expr(den)
    (B*D*F, B*D + B*F + D*F)
    """

    def __init__(self, atoms: Iterable[sympy.Expr]) -> None:
        super().__init__(atoms)
        self._gens = dict(zip(self.atoms, self.context.gens(), strict=True))
        self._by_name = {a.name: g for a, g in self._gens.items() if isinstance(a, sympy.Symbol)}
        self._read, self._written = _known_over(self.atoms)

    @classmethod
    def of(cls, *exprs: sympy.Basic) -> Ring:
        """Return the ring of all symbols and opaque terms in the expressions, with one generator per name."""
        found: dict[str, sympy.Expr] = {}
        for expr in exprs:
            _collect(expr, found)
        return cls(found[k] for k in sorted(found))

    def gen(self, atom: sympy.Expr) -> Poly:
        """Return the generator of a symbol (by name) or of an opaque term."""
        if isinstance(atom, sympy.Symbol):
            return self._by_name[atom.name]
        return self._gens[atom]

    def constant(self, value: Any) -> Poly:
        """Return a rational number as a polynomial."""
        if isinstance(value, fmpq):
            return self.context.constant(value)
        return self.context.constant(fmpq(int(value.numerator), int(value.denominator)))

    def fraction(self, expr: sympy.Expr) -> tuple[Poly, Poly]:
        """Return (numerator, denominator) in lowest terms, with integer coefficients that share no factor.

        Raises RoofproofError for a division by zero and for expressions beyond the size limit.
        """
        num, den = self._fraction(expr)
        common = num.gcd(den)
        if not common.is_one():
            num, den = num / common, den / common
        scale = content(num, den) * (-1 if all(c < 0 for c in den.coeffs()) else 1)
        return num / scale, den / scale

    def _fraction(self, expr: sympy.Expr) -> tuple[Poly, Poly]:
        if (found := self._read.get(expr)) is None:
            found = _kept(self._read, expr, self._quotient(expr))
        return found

    def _quotient(self, expr: sympy.Expr) -> tuple[Poly, Poly]:
        one = self.context.constant(1)
        if expr.is_Symbol:
            return self._by_name[expr.name], one
        if expr.is_Rational:
            return self.constant(expr), one
        if expr.is_Add:
            num, den = self._fraction(expr.args[0])
            for arg in expr.args[1:]:
                n, d = self._fraction(arg)
                num, den = (num + n, den) if d == den else (num * d + n * den, den * d)
                _bounded(num, den)
            return num, den
        if expr.is_Mul:
            num, den = one, one
            for arg in expr.args:
                n, d = self._fraction(arg)
                num, den = num * n, den * d
                _bounded(num, den)
            return num, den
        if expr.is_Pow and expr.exp.is_Integer:
            num, den = self._fraction(expr.base)
            power = int(expr.exp)
            if power < 0:
                num, den = den, num
                if den.is_zero():
                    raise RoofproofError("division by zero")
            _bounded(num, den, abs(power))
            return num ** abs(power), den ** abs(power)
        if expr not in self._gens:  # SymPy wrote one power both as (1/2)**n and as 2**(-n)
            raise RoofproofError("not a rational expression: <expr>", expr=expr)
        return self._gens[expr], one

    def expr(self, poly: Poly) -> sympy.Expr:
        """Return a polynomial as an expanded SymPy expression."""
        key = tuple(terms(poly).items())
        if (found := self._written.get(key)) is None:
            found = _kept(self._written, key, sympy.Add(*(self._monomial(m, c) for m, c in key)))
        return found

    def _monomial(self, exponents: tuple[int, ...], c: Any) -> sympy.Expr:
        powers = [a if e == 1 else a ** int(e) for a, e in zip(self.atoms, exponents, strict=True) if e]
        if c != 1 or not powers:
            powers.insert(0, sympy.Rational(int(c.p), int(c.q)))
        return sympy.Mul(*powers)

    def factored(self, poly: Poly) -> sympy.Expr:
        """Return a polynomial as a product of its irreducible factors.

        >>> from roofproof.symbols import quantity
        >>> x, y = quantity("x"), quantity("y")
        >>> ring = Ring([x, y])
        >>> ring.factored(ring.fraction(x**2*y + x*y**2)[0])    # x y (x + y)
        x*y*(x + y)
        """
        if len(poly) == 1:
            return self.expr(poly)
        constant, factors = self.factors(poly)
        parts = [self.expr(f) ** e for f, e in factors]
        return sympy.Mul(sympy.Rational(int(constant.p), int(constant.q)), *parts)

    def coefficients(self, poly: Poly, atom: sympy.Expr) -> list[Poly]:
        """Return the coefficients of `poly` as a polynomial in one generator, lowest degree first."""
        k = self.context.variable_to_index(str(self.gen(atom)))
        if poly.degrees()[k] < 1:
            return [poly]
        rows = self.rows(poly, k)
        return [rows.get(e, self.context.constant(0)) for e in range(max(rows) + 1)]


@lru_cache(maxsize=256)
def _known_over(atoms: tuple[sympy.Expr, ...]) -> tuple[dict[sympy.Expr, tuple[Poly, Poly]], dict[Any, sympy.Expr]]:
    """Return the caches of expressions read and written over some atoms, whose rings share one FLINT context."""
    return {}, {}


def _kept(known: dict[Any, T], key: object, found: T) -> T:
    if len(known) >= MAX_KEPT:
        known.clear()
    known[key] = found
    return found


def factored_fraction(ring: Ring, num: Poly, den: Poly) -> sympy.Expr:
    """Return num/den with both factored."""
    return ring.factored(num) / ring.factored(den)


def lowest_terms(expr: sympy.Expr) -> sympy.Expr:
    """Return a rational expression as one fraction in lowest terms, top and bottom factored.

    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> lowest_terms((x**2 + x)/(2*x))
    x/2 + 1/2
    """
    ring = Ring.of(expr)
    return factored_fraction(ring, *ring.fraction(expr))


def sign(poly: Poly) -> int | None:
    """Return 1, -1 or 0 if the coefficients decide the sign over positive generators, else None."""
    found = {c.p > 0 for c in poly.coeffs()}  # none is zero
    if len(found) == 2:
        return None
    return 0 if not found else 1 if True in found else -1


def terms(poly: Poly) -> dict[tuple[int, ...], Any]:
    """Return {exponents: coefficient} of a polynomial, twice as fast as `to_dict`.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> terms(Ring([x, y]).fraction(x*y - 3*y)[0])
    {(1, 1): 1, (0, 1): -3}
    """
    return dict(zip(poly.monoms(), poly.coeffs(), strict=True))


def surely_positive(expr: sympy.Expr) -> bool:
    """Tell whether the coefficients show that a quotient of polynomials is positive.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> surely_positive((x + 1)/y), surely_positive(x - y)
    (True, False)
    """
    return [sign(part) for part in Ring.of(expr).fraction(expr)] == [1, 1]


def content(*polys: Poly) -> Any:
    """Return the positive rational c such that the polynomials divided by c have coprime integer coefficients."""
    values = [c for poly in polys for c in poly.coeffs()]
    if not values:
        return fmpq(1)
    return fmpq(gcd(*[int(c.p) for c in values]), lcm(*[int(c.q) for c in values]))


def bounded(poly: Poly) -> Poly:
    """Return a polynomial, or raise RoofproofError if it is too large.

    >>> from roofproof.symbols import quantity
    >>> ring = Ring([quantity("x")])
    >>> bounded(ring.gen(quantity("x")) + 1)
    g0 + 1
    """
    _bounded(poly, poly)
    return poly


def _bounded(num: Poly, den: Poly, power: int = 1) -> None:
    if (len(num) + len(den)) * power > MAX_TERMS or power > 64:
        raise RoofproofError("expression too large: more than <most> terms when expanded", most=MAX_TERMS)


def _collect(expr: sympy.Basic, found: dict[str, sympy.Expr]) -> None:
    if expr.is_Symbol:
        known = found.setdefault(expr.name, expr)
        if known != expr and not known.is_integer:
            found[expr.name] = expr  # one generator per name, and the integer symbol says more
    elif (
        expr.is_Add
        or expr.is_Mul
        or (expr.is_Pow and expr.exp.is_Integer)
        or expr.is_Relational
        or (expr.is_Boolean and not expr.is_Atom)
    ):
        for arg in expr.args:
            _collect(arg, found)
    elif not expr.is_Rational and not expr.is_Boolean:
        if not expr.is_Pow and expr != sympy.pi and not isinstance(expr, sympy.Max | sympy.Min | sympy.Function):
            raise RoofproofError("not a rational expression: <expr>", expr=expr)
        name = f"~{expr}"
        while found.setdefault(name, expr) != expr:  # two terms that print alike, such as `exp2(x)` and a power
            name += "~"


def whole_powers(exprs: Iterable[sympy.Basic]) -> dict[sympy.Symbol, sympy.Expr]:
    """Return x -> y**q for every symbol with a fractional power, so that only integer powers are left.

    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> table = whole_powers([a*sympy.sqrt(x) + 1/x])
    >>> table, (a*sympy.sqrt(x) + 1/x).xreplace(table)
    ({x: x^(1/2)**2}, a*x^(1/2) + x^(1/2)**(-2))

    Raises RoofproofError for roots of an index above 24.
    """
    roots: dict[sympy.Symbol, int] = {}
    for expr in exprs:
        for power in sorted(expr.atoms(sympy.Pow), key=sympy.default_sort_key):
            if power.base.is_Symbol and power.exp.is_Rational and not power.exp.is_Integer:
                roots[power.base] = lcm(roots.get(power.base, 1), int(power.exp.q))
    for s, q in roots.items():
        if q > MAX_ROOT:
            raise RoofproofError(
                "a root of <value> of index <index>; the limit is <most>", value=s, index=q, most=MAX_ROOT
            )
    return {
        s: sympy.Symbol(f"{s.name}^(1/{q})", positive=True) ** q
        for s, q in sorted(roots.items(), key=lambda pair: str(pair[0]))
    }


def undone(table: Mapping[sympy.Symbol, sympy.Expr]) -> dict[sympy.Symbol, sympy.Expr]:
    """Return y -> x**(1/q), the inverse of `whole_powers`."""
    return {power.base: s ** (1 / power.exp) for s, power in table.items()}
