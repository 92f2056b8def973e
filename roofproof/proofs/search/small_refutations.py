"""Contradictions among few facts, seen before any linear program is asked: by signs of factors, a root or bounds.

A polynomial whose factors are positive for sure or facts themselves has a known sign. It contradicts a fact, or lets a
variable be eliminated from two facts that bound it from both sides.

A polynomial whose coefficients change sign once has one positive root: below it negative, above it positive. With
p(y) = 0 and p = sum of c_k x^k, p(x) = (x - y) * sum over j of x^(j-1) H_j(y) for H_j(y) = sum over k >= j of
c_k y^(k-j). Where H_j has a negative coefficient, y^j H_j(y) = p(y) - sum over k < j of c_k y^k, which has none. So
y^m p(x) is (x - y) times a polynomial with positive coefficients, up to a multiple of p(y). (Descartes' rule.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from math import prod

from flint import fmpq

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.search.handelman import Facts, primitive
from roofproof.proofs.search.polynomials import Poly

Part = tuple[Poly, tuple[int, ...]]  # a positive multiplier and the facts it multiplies


def combined(facts: Facts) -> Theorem | None:
    """Return a theorem of `false` from facts whose factors have known signs, or None.

    >>> from roofproof.proofs.kernel import kernel
    >>> x, n, r = (("v", v) for v in "xnr")
    >>> given = [(">", n, r), (">", ("*", x, n), ("*", x, n, n)), (">", n, ("q", 1, 1))]      # x n (1 - n) > 0
    >>> combined(Facts(list(map(kernel.assume, given)), ["n", "r", "x"])).conclusion
    ('false',)
    """
    return _Combiner(facts).found()


class _Combiner:
    def __init__(self, facts: Facts) -> None:
        self.facts, self.ring, self.polys = facts, facts.ring, facts.polys
        spend(200 * sum(map(len, self.polys)))
        self.one = self.ring.context.constant(1)
        self.table: dict[object, tuple[int, fmpq]] = {}
        for i, p in enumerate(self.polys):
            if facts.kinds[i] != "=" and not p.is_zero():
                key, scale = primitive(p)
                if key not in self.table or facts.kinds[i] == ">":
                    self.table[key] = (i, scale)
        # every fact, an equation both ways
        self.ways = [(i, p * turn, turn) for i, p in enumerate(self.polys)
                     for turn in ((1, -1) if facts.kinds[i] == "=" else (1,))]  # fmt: skip

    def found(self) -> Theorem | None:
        for parts, total in self.products():
            if self.contradicts(parts, total):
                return self.theorem(parts, total)
        for parts, total in self.eliminations():
            if self.contradicts(parts, total):
                return self.theorem(parts, total)
            for i, p, turn in self.ways:
                if (weights := self.facts.opposed(total, p)) is not None:
                    u, v = weights
                    more = [*((m * u, chosen) for m, chosen in parts), (v * turn, (i,))]
                    whole = total * u + p * v
                    if self.contradicts(more, whole):
                        return self.theorem(more, whole)
        return None

    def sign(self, p: Poly, turns: tuple[int, int] = (1, -1)) -> tuple[int, Part] | None:
        """Return (s, (m, facts)) with p = s m times the product of the facts, or None where a sign is open.

        Where facts give both signs of a factor, the first of `turns` is taken.
        """
        if (s := self.ring.sign(p)) != 0:
            return s, (p * s, ())
        spend(100 + 40 * len(p))
        constant, factors = self.ring.factors(p)
        turn, outer, chosen = 1 if constant > 0 else -1, self.one * abs(constant), list[int]()
        for factor, power in factors:
            s = self.ring.sign(factor)
            if s == 0:
                for s in turns:
                    key, scale = primitive(factor * s)
                    if key in self.table:
                        i, by = self.table[key]
                        outer *= (scale / by) ** power
                        chosen += [i] * power
                        break
                else:
                    return None
            else:
                outer *= (factor * s) ** power
            turn *= s**power
        return turn, (outer, tuple(chosen))

    def products(self) -> Iterator[tuple[list[Part], Poly]]:
        """Yield each fact with the product of others that says the opposite."""
        for i, p, turn in self.ways:
            known = self.sign(p) if not p.is_zero() else None
            if known is not None and known[0] < 0 and i not in known[1][1]:
                yield [(self.one * turn, (i,)), known[1]], p * 0

    def eliminations(self) -> Iterator[tuple[list[Part], Poly]]:
        """Yield sums of two facts that are linear in a variable, with opposite signs, and hold it no more."""
        bounds: dict[int, tuple[list[tuple[int, int, Poly, Poly, Part]], ...]] = {}
        unsigned: dict[int, list[tuple[int, int, Poly, Poly]]] = {}
        for i, p, turn in self.ways:
            for k, rows in self.rows(p):
                if set(rows) == {0, 1}:
                    slope = rows[1]
                    known = self.sign(slope)
                    if known is None:
                        unsigned.setdefault(k, []).append((i, turn, p, slope))
                    elif i not in known[1][1]:
                        sides = bounds.setdefault(k, ([], []))
                        sides[known[0] > 0].append((i, turn, p, slope * known[0], known[1]))
        for down, up in bounds.values():
            for (i, s, p, a, (a_by, a_facts)), (j, t, q, b, (b_by, b_facts)) in product(down, up):
                if i != j:
                    common = a.gcd(b)
                    if (c := self.ring.sign(common)) != 0:
                        common = common * c
                        a, b, a_by, b_by = a / common, b / common, a_by / common, b_by / common
                    parts = [(b_by * s, (i, *b_facts)), (a_by * t, (j, *a_facts))]
                    yield parts, p * b + q * a
        for ways in unsigned.values():
            for (i, s, p, a), (j, t, q, b) in combinations(ways, 2):
                common = a.gcd(b)  # what has no known sign is in both
                over, under = self.sign(a / common), self.sign(b / common)
                if i != j and over is not None and under is not None and over[0] != under[0]:
                    (m, over_facts), (n, under_facts) = over[1], under[1]
                    if i not in under_facts and j not in over_facts:
                        parts = [(n * s, (i, *under_facts)), (m * t, (j, *over_facts))]
                        yield parts, p * (b / common) * under[0] + q * (a / common) * over[0]

    def rows(self, p: Poly) -> Iterator[tuple[int, dict[int, Poly]]]:
        """Yield (variable, {exponent: its coefficient in p}) for the positive variables."""
        for k, degree in enumerate(p.degrees()):
            if degree and k not in self.ring.unsafe:
                yield k, self.ring.rows(p, k)

    def total(self, parts: list[Part]) -> Poly:
        out = self.one - self.one
        for m, chosen in parts:
            for i in chosen:
                m = m * self.polys[i]
            out += m
        return out

    def contradicts(self, parts: list[Part], total: Poly) -> bool:
        """Tell whether a sum of facts that is at least zero is negative, or zero though one of its parts is not."""
        if total.is_zero():
            return any(all(self.facts.kinds[i] == ">" for i in chosen) for _, chosen in parts)
        return self.ring.sign(total) < 0

    def theorem(self, parts: list[Part], total: Poly) -> Theorem | None:
        return self.facts.finish([(self.ring.term(m), chosen) for m, chosen in parts], -total)


def beside_the_root(facts: Facts) -> Theorem | None:
    """Return `false` from p(r) = 0, a bound of x by a multiple of r, and a sign of p there that is wrong, or None.

    >>> from roofproof.proofs.kernel import kernel
    >>> x, r = ("v", "x"), ("v", "r")
    >>> p = lambda t: ("+", ("^", t, 3), ("*", ("q", -1, 1), t), ("q", -2, 1))              # t^3 - t - 2
    >>> given = [("=", p(r), ("q", 0, 1)), (">", x, r), (">", ("q", 0, 1), p(x))]
    >>> beside_the_root(Facts(list(map(kernel.assume, given)), ["r", "x"])).conclusion
    ('false',)
    """
    roots = [(i, k, e) for i, e in enumerate(facts.polys) if facts.kinds[i] == "=" for k in _only(e)]
    for i, r, e in roots:
        for j, x, t, above, size in _bounds(facts, r):
            for n, p in enumerate(facts.polys):
                if facts.kinds[n] != "=" and list(_only(p)) == [x]:
                    found = _contradiction(facts, (i, e), (j, t, above, size), (n, p), x, r)
                    if found is not None:
                        return found
    return None


def _only(p: Poly) -> Iterator[int]:
    """Yield the variable of a polynomial in one variable, of degree two at least."""
    used = [k for k, d in enumerate(p.degrees()) if d]
    if len(used) == 1 and p.degrees()[used[0]] > 1:
        yield used[0]


def _bounds(facts: Facts, r: int) -> Iterator[tuple[int, int, fmpq, bool, fmpq]]:
    """Yield (fact, x, t, whether x is above t r, c) for facts c (x - t r) or c (t r - x) compared with zero."""
    for j, p in enumerate(facts.polys):
        rows = {tuple(m).index(1): c for m, c in p.to_dict().items() if sum(m) == 1}
        if len(rows) == len(p) == 2 and r in rows and facts.kinds[j] != "=":
            [x] = set(rows) - {r}
            if (rows[x] > 0) != (rows[r] > 0):
                yield j, x, -rows[r] / rows[x], rows[x] > 0, abs(rows[x])


def _contradiction(
    facts: Facts, root: tuple[int, Poly], bound: tuple[int, fmpq, bool, fmpq], fact: tuple[int, Poly], x: int, r: int
) -> Theorem | None:
    (i, e), (j, t, above, size), (n, whole) = root, bound, fact
    ring = facts.ring
    one, gens = ring.context.constant(1), ring.context.gens()
    p = -whole if above else whole  # to be positive above the root
    c = [fmpq(0)] * (p.degrees()[x] + 1)
    for m, value in p.to_dict().items():
        c[m[x]] = value
    changes = [k for k in range(1, len(c)) if c[k] > 0 > min(c[:k])]
    if c[-1] <= 0 or not changes or any(value < 0 for value in c[changes[0] :]) or any(v > 0 for v in c[: changes[0]]):
        return None
    u, y = gens[x], gens[r] * t
    at = sum((value * y**k for k, value in enumerate(c)), one * 0)
    if at.is_zero() or at * e.leading_coefficient() != e * at.leading_coefficient():
        return None
    lower = [k for k in range(1, len(c)) if min(c[k:]) < 0]
    m = max(lower, default=0)
    factor, rest = y**m, one * 0
    for k in range(1, len(c)):
        if k in lower:
            factor += (u - y) * u ** (k - 1) * y ** (m - k)
            rest -= u ** (k - 1) * y ** (m - k) * sum((c[h] * y**h for h in range(k)), one * 0)
        else:
            rest += u ** (k - 1) * y**m * sum((c[h] * y ** (h - k) for h in range(k, len(c))), one * 0)
    turn = 1 if above else -1
    scale = at.leading_coefficient() / e.leading_coefficient()
    parts = [(y**m, [n]), (factor * (scale * turn), [i]), (rest / size, [j])]
    return facts.finish([(ring.term(q), chosen) for q, chosen in parts], one * 0)


MAX_TERMS = 400  # of a polynomial in what is above the bounds


def above_bounds(facts: Facts) -> Theorem | None:
    """Return a theorem of `false` from a fact `p > 0` where `-p` has no negative term in `x - c`, for facts `x >= c`.

    >>> from roofproof.proofs.kernel import kernel
    >>> x, y, one = ("v", "x"), ("v", "y"), ("q", 1, 1)
    >>> product = ("*", ("+", x, y, ("q", -1, 1)), ("+", x, ("q", -1, 1)))                      # (x + y - 1) (x - 1)
    >>> given = [(">=", x, one), (">=", y, one), (">", ("q", 0, 1), ("+", product, one))]
    >>> above_bounds(Facts(list(map(kernel.assume, given)), ["x", "y"])).conclusion
    ('false',)

    None where there is no such fact.
    """
    ring = facts.ring
    bounds: dict[int, tuple[int, fmpq]] = {}
    for i, p in enumerate(facts.polys):
        if facts.kinds[i] != "=" and (found := _bound(p)) is not None and ring.monomial_is_positive(p.monoms()[0]):
            k, at = found
            if k not in bounds or bounds[k][1] < at:
                bounds[k] = i, at
    for i, p in enumerate(facts.polys) if bounds else ():
        if facts.kinds[i] != "=" and i not in {b for b, _ in bounds.values()}:
            theorem = _refuted(facts, i, -p, bounds)
            if theorem is not None:
                return theorem
    return None


def _bound(p: Poly) -> tuple[int, fmpq] | None:
    """Return (k, c) of a polynomial that is a positive number times the k-th variable less c > 0."""
    rows = p.to_dict()
    if len(rows) != 2 or p.total_degree() != 1:
        return None
    linear, rest = (next((m for m in rows if sum(m) == degree), None) for degree in (1, 0))
    if linear is None or rest is None or not rows[linear] > 0 > rows[rest]:
        return None
    return linear.index(1), -rows[rest] / rows[linear]


def _refuted(facts: Facts, i: int, p: Poly, bounds: dict[int, tuple[int, fmpq]]) -> Theorem | None:
    """Return `false` from the fact `-p > 0` where what `p` is above the bounds has no negative coefficient."""
    ring, rows = facts.ring, p.to_dict()
    moved = [k for k in bounds if any(c < 0 and m[k] for m, c in rows.items())]
    if not moved or not any(c < 0 for c in rows.values()) or len(rows) * prod(_powers(p, moved)) > 100 * MAX_TERMS:
        return None
    spend(50 * len(rows))
    shift = [x + bounds[k][1] if k in moved else x for k, x in enumerate(ring.context.gens())]
    above = p.compose(*shift, ctx=ring.context)
    if len(above) > MAX_TERMS or ring.sign(above) != 1:
        return None
    chosen, rest = [(ring.term(ring.context.constant(1)), [i])], ring.context.constant(0)
    for m, c in above.to_dict().items():
        used = [bounds[k][0] for k in moved for _ in range(int(m[k]))]
        left = ring.context.from_dict({tuple(0 if k in moved else e for k, e in enumerate(m)): c})
        if used:
            scale = prod(_scale(facts.polys[j]) for j in used)
            chosen.append((ring.term(left / scale), used))
        else:
            rest += left
    return facts.finish(chosen, rest)


def _powers(p: Poly, moved: Iterable[int]) -> list[int]:
    return [int(p.degrees()[k]) + 1 for k in moved]


def _scale(bound: Poly) -> fmpq:
    """Return the coefficient of the variable that a bound is about."""
    return next(c for m, c in bound.to_dict().items() if any(m))
