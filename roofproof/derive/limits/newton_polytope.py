"""All regimes of a rational function with positive coefficients: its leading terms, and where each of them leads.

Let every symbol grow as a power of one t, x = t^w. The term of a polynomial that leads is the one whose exponents a
have the largest a . w: a vertex of the Newton polytope. Of a fraction it is one vertex above and one below, for the
rates w in the cone that both share. Source: Gelfand, Kapranov, Zelevinsky, Discriminants, Resultants, and
Multidimensional Determinants, 1994, chapter 6.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy

from roofproof.derive.algebra.cones import Vector, dot, facets, interior, primitive
from roofproof.derive.algebra.polynomial import Poly, Ring, sign
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, refuse_unknown

MAX_MONOMIALS = 40


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A polynomial with positive coefficients: the terms that lead somewhere, and the rest, with their exponents."""

    symbols: tuple[sympy.Symbol, ...]
    leading: tuple[tuple[sympy.Expr, Vector], ...]
    rest: tuple[tuple[sympy.Expr, Vector], ...]

    @property
    def terms(self) -> tuple[sympy.Expr, ...]:
        """Every term, leading ones first."""
        return tuple(t for t, _ in (*self.leading, *self.rest))


@dataclass(frozen=True, slots=True)
class Leading:
    """A leading term, and the cone of rates where it leads: `larger >> smaller` for each pair of `cone`.

    `rates` lie inside the cone. `above` and `below` are the terms of the numerator and of the denominator, those
    that lead first.

    >>> from roofproof.symbols import quantity
    >>> N = quantity("N")
    >>> first, second = regimes(N/(2*N + 1))
    >>> print(first, "|", second)
    1/2 when N >> 1 | N when 1 >> N
    >>> first.leads({"N": 1}), first.leads({"N": -1})
    (True, False)
    """

    term: sympy.Expr
    cone: tuple[tuple[sympy.Expr, sympy.Expr], ...]
    rates: tuple[tuple[str, int], ...]
    above: tuple[sympy.Expr, ...]
    below: tuple[sympy.Expr, ...]
    vectors: tuple[Vector, ...]

    def leads(self, rates: Mapping[str, Fraction | int]) -> bool:
        """Tell whether the term leads where each symbol grows as t to its rate, and no other term keeps up."""
        point = [rates.get(name, 0) for name, _ in self.rates]
        return all(dot(v, point) > 0 for v in self.vectors)

    @property
    def regime(self) -> str:
        """The cone in words: `D, F >> B`."""
        larger = sorted({plain(a) for a, _ in self.cone})
        smaller = sorted({plain(b) for _, b in self.cone})
        if len(smaller) == 1 or len(larger) == 1:
            return f"{', '.join(larger)} >> {', '.join(smaller)}"
        return " and ".join(sorted(f"{plain(a)} >> {plain(b)}" for a, b in self.cone))

    def __str__(self) -> str:
        return f"{plain(self.term)} when {self.regime}" if self.cone else f"{plain(self.term)} always"


@dataclass(frozen=True, slots=True)
class Regimes:
    """All leading terms of a function f, and `low * envelope <= f <= high * envelope` everywhere.

    `sizes` are the symbols that are 1 at least; they never shrink.

    >>> from roofproof.symbols import quantity
    >>> T, D = quantity("T"), quantity("D")
    >>> found = regimes(T/(T + 6*D))                           # the share of one of two costs
    >>> found.low * found.envelope, found.high * found.envelope
    (Min(1, T/(6*D))/2, Min(1, T/(6*D)))
    """

    expr: sympy.Expr
    terms: tuple[Leading, ...]
    envelope: sympy.Expr
    low: sympy.Expr
    high: sympy.Expr
    above: Polynomial
    below: Polynomial
    sizes: tuple[sympy.Symbol, ...]

    def __iter__(self) -> Iterator[Leading]:
        return iter(self.terms)

    def __len__(self) -> int:
        return len(self.terms)

    def __str__(self) -> str:
        low, high = (self.envelope if c == 1 else c * self.envelope for c in (self.low, self.high))
        bound = f"{plain(low)} <= {plain(self.expr)} <= {plain(high)}"
        return "\n".join([*map(str, self.terms), bound])


def regimes(expr: sympy.Expr, over: Sequence[str] | None = None) -> Regimes:
    """Return every leading term of a rational function with positive coefficients, and the bound that they give.

    >>> from roofproof.symbols import dimension
    >>> B, D, F = map(dimension, "BDF")
    >>> print(regimes(B*D*F/(B*D + D*F + B*F)))                # three terms below: a third of the least, at least
    B when D, F >> B
    D when B, F >> D
    F when B, D >> F
    Min(B, D, F)/3 <= B*D*F/(B*D + B*F + D*F) <= Min(B, D, F)

    `over` names the symbols that may grow or shrink (all, if it is left out); the others are parameters. Integer
    symbols are sizes, 1 at least, and never shrink. Raises RoofproofError where a coefficient is negative, and for
    functions of more than 40 terms.
    """
    ring = Ring.of(expr)
    names = {s.name for s in expr.free_symbols}
    for name in over or ():
        refuse_unknown("symbol", name, names)
    growing = names if over is None else set(over)
    for atom in ring.atoms:
        if not atom.is_Symbol and (held := sorted(s.name for s in atom.free_symbols if s.name in growing)):
            raise RoofproofError(
                "<atom> holds <held>, which may grow; regimes are found of rational functions",
                atom=plain(atom),
                held=held[0],
            )
    chosen = [i for i, a in enumerate(ring.atoms) if a.is_Symbol and a.name in growing]
    symbols = tuple(ring.atoms[i] for i in chosen)
    num, den = (_Terms(ring, p, chosen) for p in ring.fraction(expr))
    n = len(chosen)
    floors = [tuple(int(k == j) for j in range(n)) for k, s in enumerate(symbols) if s.is_integer]
    found = []
    for a in num.vertices(floors):
        for b in den.vertices(floors):
            vectors = tuple(dict.fromkeys((*num.over(a), *den.over(b))))
            rates = interior([*vectors, *floors], n)
            if rates is not None:
                needed = [v for v in facets([*floors, *vectors], n) if any(v == primitive(u) for u in vectors)]
                cone = tuple(_pair(symbols, v) for v in needed)
                above, below = num.led_by(a), den.led_by(b)
                pace = tuple((s.name, w) for s, w in zip(symbols, rates, strict=True))
                found.append(Leading(above[0] / below[0], cone, pace, above, below, vectors))
    found.sort(key=lambda f: (plain(f.term), f.regime))
    tops = tuple(dict.fromkeys(f.above[0] for f in found))
    bottoms = tuple(dict.fromkeys(f.below[0] for f in found))
    envelope = extreme(sympy.Max, [extreme(sympy.Min, [u / v for v in bottoms]) for u in tops])
    low, high = 1 / den.factor(bottoms), num.factor(tops)
    sizes = tuple(s for s in symbols if s.is_integer)
    return Regimes(expr, tuple(found), envelope, low, high, num.split(tops), den.split(bottoms), sizes)


def extreme(kind: type[sympy.Max] | type[sympy.Min], parts: Sequence[sympy.Expr]) -> sympy.Expr:
    """Return the max or min as it stands: SymPy would move one into the other."""
    parts = list(dict.fromkeys(parts))
    return kind(*parts, evaluate=False) if len(parts) > 1 else parts[0]


def _pair(symbols: Sequence[sympy.Symbol], v: Vector) -> tuple[sympy.Expr, sympy.Expr]:
    larger = sympy.Mul(*(s**x for s, x in zip(symbols, v, strict=True) if x > 0))
    smaller = sympy.Mul(*(s**-x for s, x in zip(symbols, v, strict=True) if x < 0))
    return larger, smaller


class _Terms:
    """A polynomial as terms by their exponents in the symbols that may grow; the rest is the coefficient."""

    def __init__(self, ring: Ring, poly: Poly, chosen: Sequence[int]) -> None:
        if sign(poly) != 1:
            raise RoofproofError(
                "regimes are found of positive coefficients only, and <what> has another", what=plain(ring.expr(poly))
            )
        rows: dict[Vector, dict[Vector, object]] = {}
        for m, c in poly.to_dict().items():
            rest = tuple(0 if i in chosen else int(e) for i, e in enumerate(m))
            rows.setdefault(tuple(int(m[i]) for i in chosen), {})[rest] = c
        if len(rows) > MAX_MONOMIALS:
            raise RoofproofError(
                "<count> terms; regimes are found of at most <most>", count=len(rows), most=MAX_MONOMIALS
            )
        self.coefficient = {e: ring.factored(poly.context().from_dict(part)) for e, part in rows.items()}
        self.symbols = tuple(ring.atoms[i] for i in chosen)
        monomials = {e: sympy.Mul(*(s**x for s, x in zip(self.symbols, e, strict=True))) for e in rows}
        self.term = {e: c * monomials[e] for e, c in self.coefficient.items()}

    def over(self, e: Vector) -> list[Vector]:
        """Return by which exponents the term exceeds each other one."""
        return [tuple(x - y for x, y in zip(e, other, strict=True)) for other in self.term if other != e]

    def vertices(self, floors: Sequence[Vector]) -> list[Vector]:
        """Return the exponents that lead at some rates."""
        return [e for e in self.term if interior([*self.over(e), *floors], len(self.symbols)) is not None]

    def led_by(self, e: Vector) -> tuple[sympy.Expr, ...]:
        return (self.term[e], *(t for other, t in self.term.items() if other != e))

    def split(self, leading: Sequence[sympy.Expr]) -> Polynomial:
        """Return the terms, parted into those that lead and the rest."""
        parts = [[(t, e) for e, t in self.term.items() if (t in leading) is side] for side in (True, False)]
        return Polynomial(self.symbols, tuple(parts[0]), tuple(parts[1]))

    def factor(self, leading: Sequence[sympy.Expr]) -> sympy.Expr:
        """Return k with: the sum of all terms is at most k times the largest leading one.

        A term that never leads is a weighted geometric mean of leading monomials, so at most the largest of these:
        c m <= c max(m_i) <= c / min(c_i) max(c_i m_i).
        """
        tops = [self.coefficient[e] for e, t in self.term.items() if t in leading]
        rest = [self.coefficient[e] for e, t in self.term.items() if t not in leading]
        if not rest:
            return sympy.Integer(len(tops))
        least = 1 / min(tops) if all(c.is_Rational for c in tops) else sympy.Add(*(1 / c for c in dict.fromkeys(tops)))
        return len(tops) + least * sympy.Add(*rest)
