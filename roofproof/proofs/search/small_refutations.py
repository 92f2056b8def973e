"""Contradictions among three or four facts, seen from signs of coefficients, before any linear program is asked.

A polynomial whose factors are positive for sure or facts themselves has a known sign. Coefficients with known
signs add up to a contradiction, or let a variable be eliminated from two facts that bound it from both sides.
"""

from collections.abc import Iterator
from itertools import combinations, product

from flint import fmpq

from roofproof.derive.algebra.budget import spend
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.search.handelman import Facts, primitive
from roofproof.proofs.search.polynomials import Poly

Part = tuple[Poly, tuple[int, ...]]  # a positive multiplier and the facts it multiplies


def combined(facts: Facts) -> Theorem | None:
    """Return a theorem of `false` from facts whose coefficients have known signs, or None.

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
        for parts, total in (*self.products(), *self.coefficients()):
            if self.contradicts(parts, total):
                return self.theorem(parts, total)
        if (square := self.completed_square()) is not None:
            return square
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

    def coefficients(self) -> Iterator[tuple[list[Part], Poly]]:
        """Yield each fact with what cancels its coefficients in one variable, where all of them are negative."""
        for i, p, turn in self.ways:
            for k, rows in self.rows(p):
                if len(rows) > 1:
                    x = self.ring.context.gen(k)
                    known = [self.sign(row * x**e) for e, row in rows.items()]
                    if all(found is not None and found[0] < 0 for found in known):
                        parts = [found[1] for found in known if found is not None and found[1][1]]
                        if not any(i in chosen for _, chosen in parts):
                            yield [(self.one * turn, (i,)), *parts], p + self.total(parts)

    def completed_square(self) -> Theorem | None:
        """Return `false` from a fact about p = a x^2 + b x + c whose square completed says the opposite, or None.

        4 a p = (2 a x + b)^2 - D with D = b^2 - 4 a c: p <= 0 where a < 0 and D <= 0, and also where a > 0, D >= 0
        and the square is zero, which two facts say. One of the signs is strict.
        """
        for i, p, turn in self.ways:
            for k, rows in self.rows(p):
                x = self.ring.context.gen(k)
                a, b, c = (rows.get(e, p * 0) for e in (2, 1, 0))
                known = self.sign(a) if len(rows) > 1 and max(rows) == 2 else None
                if known is None or i in known[1][1]:
                    continue
                s, (by, chosen) = known
                facts, square = self.square(a * x * 2 + b, -s)
                rest = self.signed(b * b - a * c * 4, s)
                if square is not None and rest is not None:
                    parts = [(by * 4 * turn, (i, *chosen)), square, *rest]
                    if any(all(facts.kinds[j] == ">" for j in used) for _, used in parts):
                        return facts.finish([(self.ring.term(m), used) for m, used in parts], p * 0)
        return None

    def square(self, p: Poly, turn: int) -> tuple[Facts, Part | None]:
        """Return a nonnegative part equal to p^2, or -p^2, beside the facts that it is made of."""
        plus, minus = self.sign(p), self.sign(p, (-1, 1))
        if turn < 0:
            if plus is None or minus is None or plus[0] == minus[0]:
                return self.facts, None
            return self.facts, (plus[1][0] * minus[1][0], (*plus[1][1], *minus[1][1]))
        if plus is not None:
            return self.facts, (plus[1][0] ** 2, plus[1][1] * 2)
        made = kernel.square(self.ring.term(p))
        more = Facts([*self.facts.theorems, made], self.facts.names, self.ring)
        return more, (self.one, (len(self.polys),))

    def signed(self, p: Poly, s: int) -> list[Part] | None:
        """Return nonnegative parts that add up to p, or -p, or None."""
        if p.is_zero():
            return []
        if (known := self.sign(p, (s, -s))) is not None:
            return [known[1]] if known[0] == s else None
        for i, q in enumerate(self.polys):
            if self.facts.kinds[i] == "=" and not q.is_zero():
                quotient, rest = divmod(p, q)
                if rest.is_zero():
                    return [(quotient * s, (i,))]
        return None

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
