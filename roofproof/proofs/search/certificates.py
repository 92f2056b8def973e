"""Certificates: contradictions among facts and positivity of polynomials, as sums of products to be verified.

Facts contradict each other if a sum of products of them, with positive multipliers, is negative. The search tries pairs
of facts, signs of factors, eliminations, and substituted bounds. It tries a linear program last.

A polynomial in one unknown is written in powers of the distance to one end, or in products of the distances to both
ends (Bernstein form, with raised degree if needed). Nonnegative coefficients then prove it. A weighted sum is bounded
by its geometric mean:

    (n_1 t_1 + ... + n_r t_r)^a >= a^a t_1^n_1 ... t_r^n_r        a = n_1 + ... + n_r

The proof adds one part at a time. Let s be the sum so far and N the sum of its weights. Then
N^N (s + n t)^(N+n) - (N+n)^(N+n) s^N t^n is (s - N t)^2 times a polynomial with positive coefficients, so no search is
needed. They are positive because only one coefficient of the difference is negative: those before it accumulate from
the left, and those after it from the right.

Source: S. Bernstein 1915; G. Polya and G. Szego, Problems and Theorems in Analysis, part VI, problem 49.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod
from operator import add, sub

from flint import fmpq

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.polynomial import terms
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, minus, variables
from roofproof.proofs.search.polynomials import Monomial, Poly, Ring, Row

Weight = tuple[Monomial, fmpq]
Key = tuple[tuple[Monomial, tuple[int, int]], ...]
Column = tuple[tuple[int, ...], Monomial, Poly]  # facts multiplied, shift, their product
MAX_COLUMNS = 400
MAX_UNITS = 500_000  # z3 resource units for one linear program
SHORT = 12  # bits of a coefficient: a unit takes longer with longer ones
MAX_SHIFTS = 100_000  # beyond this the linear program costs more than the SMT solver


class Facts:
    """Theorems `p > 0`, `p >= 0`, `p = 0` over positive variables, searched for a contradiction.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> facts = Facts([kernel.assume(Formula(">", x, y)), kernel.assume(Formula(">", y, x))], ["x", "y"])
    >>> facts.pair(0, 1).conclusion                                # (x - y) + (y - x) = 0
    ('false',)
    """

    def __init__(self, theorems: Sequence[Theorem], positive: Sequence[str], ring: Ring | None = None) -> None:
        self.theorems, self.names = theorems, positive
        self.kinds = [t.conclusion[0] for t in theorems]
        self.ring = ring or Ring([kernel.polynomial(t.conclusion, positive) for t in theorems], positive)
        self.polys = list(map(self.ring.read, theorems))

    def pair(self, i: int, j: int) -> Theorem | None:
        """Return a theorem of `false` from u p_i + v p_j with monomials u and v, or None."""
        strict = ">" in (self.kinds[i], self.kinds[j])
        turns = [(1, -1) if self.kinds[k] == "=" else (1,) for k in (i, j)]
        for s, t in product(*turns):
            if (weights := self.opposed(self._row(i, s), self._row(j, t))) is not None:
                u, v = weights
                whole = u * s * self.polys[i] + v * t * self.polys[j]
                if strict or not whole.is_zero():
                    return self.finish([(self.ring.term(u * s), [i]), (self.ring.term(v * t), [j])], -whole)
        return None

    def _row(self, i: int, turn: int) -> Row:
        row = self.ring.row(self.theorems[i])
        return row if turn > 0 else {m: -c for m, c in row.items()}

    def _alignments(self, p: Row, q: Row) -> Iterator[tuple[Weight, Weight]]:
        """Yield weights (monomial, number) for which the weighted sum of p and q has no positive coefficient.

        A negative term of q must cancel the first positive term of p, which aligns the monomials. Each monomial then
        bounds the ratio of the two numbers.
        """
        first = next((m for m, c in p.items() if c > 0), None)
        if first is None:
            if any(c > 0 for c in q.values()):
                yield from ((u, v) for v, u in self._alignments(q, p))
            return
        for n, d in q.items():
            if d < 0:
                top = tuple(map(max, first, n))
                up, down = tuple(map(sub, top, first)), tuple(map(sub, top, n))
                if self.ring.monomial_is_positive(up) and self.ring.monomial_is_positive(down):
                    ratio = self._ratio(p, q, up, down)
                    if ratio is not None:
                        yield (up, fmpq(1)), (down, ratio)

    def _ratio(self, p: Row, q: Row, up: Monomial, down: Monomial) -> fmpq | None:
        """Return the least r > 0 for which no coefficient of up p + r down q is positive, or None."""
        spend(2 * (len(p) + len(q)))
        low, high = fmpq(0), None
        other = {tuple(map(add, n, down)): d for n, d in q.items()}
        for m, c in p.items():
            m = tuple(map(add, m, up))
            d = other.pop(m, 0)
            exact = not self.ring.monomial_is_positive(m)
            if d == 0:
                if c > 0 or exact:
                    return None
                continue
            bound = -c / d
            if d < 0 or exact:
                low = max(low, bound)
            if d > 0 or exact:
                high = bound if high is None else min(high, bound)
        if any(d > 0 or not self.ring.monomial_is_positive(m) for m, d in other.items()):
            return None
        return low if low > 0 and (high is None or low <= high) else None

    def opposed(self, p: Row, q: Row) -> tuple[Poly, Poly] | None:
        """Return monomials (u, v) for which u p + v q has no positive coefficient, or None."""
        spend(20 * (len(p) + len(q)))
        for weights in self._alignments(p, q):
            u, v = (self.ring.context.from_dict({m: c}) for m, c in weights)
            return u, v
        return None

    def finish(self, chosen: Sequence[tuple[Term, Sequence[int]]], rest: Poly) -> Theorem | None:
        """Return a theorem of `false` from products of facts and multipliers that add up to -rest, or None."""
        certificate = [*chosen, *([] if rest.is_zero() else [(self.ring.term(rest), [])])]
        used = sorted({i for _, indices in certificate for i in indices})
        moved = [(m, [used.index(i) for i in indices]) for m, indices in certificate]
        needed = frozenset[str]().union(*(variables(m) for m, _ in moved))
        needed = needed.union(*(variables(self.theorems[i].conclusion) for i in used))
        facts = [self.theorems[i] for i in used]
        spend(100 + 20 * sum(len(rest) + len(self.polys[i]) for i in used))
        try:
            return kernel.arith(Formula("false"), facts, moved, sorted(needed.intersection(self.names)))
        except KernelError:
            return None

    def refuted(self, effort: int) -> Theorem | None:
        """Return a theorem of `false` by a linear program, or None.

        `effort` selects its columns: the facts (0), the facts and squares (1), or also products of two facts (2).
        """
        if effort != 1:
            return self.linear_program(degree=1 + effort // 2)
        squares = self.squares()
        return Facts([*self.theorems, *squares], self.names, self.ring).linear_program() if squares else None

    def squares(self) -> list[Theorem]:
        """Return `t t >= 0` with t = 2 a x + b for each fact of the form a x^2 + b x + c, to complete the square."""
        found = {}
        for p in self.polys:
            for k, degree in enumerate(p.degrees()):
                if degree == 2 and len(p) > 2:
                    slope = p.derivative(k)
                    found[str(slope)] = kernel.square(self.ring.term(slope))
        return list(found.values())

    def linear_program(self, degree: int = 1) -> Theorem | None:
        """Return a theorem of `false` from products of up to `degree` facts with monomial multipliers, or None."""
        ring, ps = self.ring, self.polys
        products: list[tuple[tuple[int, ...], Poly]] = [((i,), p) for i, p in enumerate(ps)]
        if degree > 1:
            products += [((i, j), ps[i] * ps[j]) for i, j in combinations_with_replacement(range(len(ps)), 2)]
        targets = {m for _, p in products for m in p.monoms()}
        if len(targets) * sum(len(p) for _, p in products) > MAX_SHIFTS:
            return None
        columns: list[Column] = []
        for chosen, p in products:
            shifts = {(0,) * len(ring.atoms)}
            for m in p.monoms():
                for t in targets:
                    shift = tuple(a - b for a, b in zip(t, m, strict=True))
                    if min(shift, default=0) >= 0 and ring.monomial_is_positive(shift):
                        shifts.add(shift)
            for shift in sorted(shifts, key=lambda s: (sum(s), s))[: max(1, MAX_COLUMNS // len(products))]:
                columns.append((chosen, shift, p * ring.context.from_dict({shift: fmpq(1)})))
        spend(100 * len(columns) + 20 * sum(len(p) for _, _, p in columns))
        weights = _solve(columns, self.kinds, ring) if columns else None
        if weights is None:
            return None
        multipliers: dict[tuple[int, ...], Poly] = {}
        rest = ring.context.constant(0)
        for k, w in weights.items():
            chosen, shift, column = columns[k]
            multipliers.setdefault(chosen, ring.context.constant(0))
            multipliers[chosen] += ring.context.from_dict({shift: w})
            rest -= column * w
        return self.finish([(ring.term(m), list(i)) for i, m in multipliers.items()], rest)


def primitive(p: Poly) -> tuple[Key, fmpq]:
    """Return (q, c) with p = c q and c > 0. Two polynomials with the same q differ by a positive factor."""
    c = abs(p.leading_coefficient()) if not p.is_zero() else fmpq(1)
    return tuple(sorted((m, ((n := d / c).p, n.q)) for m, d in terms(p).items())), c


def _solve(columns: Sequence[Column], kinds: Sequence[str], ring: Ring) -> dict[int, fmpq] | None:
    """Return the nonzero weights for which the weighted sum of columns is negative, or None. Uses z3 only as an LP.

    z3 gets the program as text, which it parses faster than Python can build the terms. The proof checker verifies the
    result.
    """
    import z3

    from roofproof.proofs.oracles import smt

    rows: dict[tuple[int, ...], list[str]] = {}
    gain: list[str] = []
    lines = ["(set-logic QF_LRA)"]
    for k, (chosen, _, p) in enumerate(columns):
        lines.append(f"(declare-const c{k} Real)")
        for m, value in terms(p).items():
            rows.setdefault(m, []).append(f"(* {_decimal(value)} c{k})")
        if all(kinds[i] != "=" for i in chosen):
            lines.append(f"(assert (>= c{k} 0))")
            if all(kinds[i] == ">" for i in chosen):
                gain.append(f"c{k}")
    for m, parts in rows.items():
        total = f"(+ {' '.join(parts)} 0)"
        if ring.monomial_is_positive(m):
            lines.append(f"(assert (<= {total} 0))")
            gain.append(f"(- {total})")
        else:
            lines.append(f"(assert (= {total} 0))")
    lines.append(f"(assert (>= (+ {' '.join(gain)} 0) 1))")
    solver = z3.SimpleSolver(ctx=z3.Context())
    solver.from_string("\n".join(lines))
    bits = max(int(n).bit_length() for _, _, p in columns for c in p.coeffs() for n in (c.p, c.q))
    if smt.checked(solver, MAX_UNITS // max(1, bits // SHORT)) != "sat":
        return None
    found = {}
    model = solver.model()
    for declared in model.decls():
        v = model[declared]
        if v.numerator_as_long():
            found[int(declared.name()[1:])] = fmpq(v.numerator_as_long(), v.denominator_as_long())
    return found


def _decimal(value: fmpq) -> str:
    """Return a rational in SMT-LIB notation."""
    p, q = int(value.p), int(value.q)
    size = f"{abs(p)}.0" if q == 1 else f"(/ {abs(p)}.0 {q}.0)"
    return size if p >= 0 else f"(- {size})"


# --- few facts --------------------------------------------------------------------------------------------------------

Part = tuple[Poly, tuple[int, ...]]  # a positive multiplier and the facts it multiplies


def combined(facts: Facts) -> Theorem | None:
    """Return a theorem of `false` from facts with factors of known sign, or None.

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
        # every fact, and equations with both signs
        self.ways = [(i, p * turn, turn) for i, p in enumerate(self.polys)
                     for turn in ((1, -1) if facts.kinds[i] == "=" else (1,))]  # fmt: skip

    def found(self) -> Theorem | None:
        for parts, total in self.products():
            if self.contradicts(parts, total):
                return self.theorem(parts, total)
        rows = [terms(p) for _, p, _ in self.ways]
        for parts, total in self.eliminations():
            if self.contradicts(parts, total):
                return self.theorem(parts, total)
            sum_row = terms(total)
            for (i, p, turn), row in zip(self.ways, rows, strict=True):
                if (weights := self.facts.opposed(sum_row, row)) is not None:
                    u, v = weights
                    more = [*((m * u, chosen) for m, chosen in parts), (v * turn, (i,))]
                    whole = total * u + p * v
                    if self.contradicts(more, whole):
                        return self.theorem(more, whole)
        return None

    def sign(self, p: Poly, turns: tuple[int, int] = (1, -1)) -> tuple[int, Part] | None:
        """Return (s, (m, facts)) with p = s m times the product of the facts, or None if a sign is unknown.

        If the facts give both signs of a factor, the first of `turns` is used.
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
        """Yield each fact together with a product of others that contradicts it."""
        for i, p, turn in self.ways:
            known = self.sign(p) if not p.is_zero() else None
            if known is not None and known[0] < 0 and i not in known[1][1]:
                yield [(self.one * turn, (i,)), known[1]], p * 0

    def eliminations(self) -> Iterator[tuple[list[Part], Poly]]:
        """Yield sums of two facts that are linear in a variable with opposite signs, which eliminates the variable."""
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
                common = a.gcd(b)  # the part of unknown sign is in both
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
        """Return whether a sum of facts is negative, or zero with a strictly positive part."""
        if total.is_zero():
            return any(all(self.facts.kinds[i] == ">" for i in chosen) for _, chosen in parts)
        return self.ring.sign(total) < 0

    def theorem(self, parts: list[Part], total: Poly) -> Theorem | None:
        return self.facts.finish([(self.ring.term(m), chosen) for m, chosen in parts], -total)


MAX_TERMS = 400  # limit of terms of a polynomial in the distances to the bounds


def above_bounds(facts: Facts) -> Theorem | None:
    """Return `false` from facts `x >= c` and a fact `p > 0` if `-p` has no negative term in `x - c`.

    >>> from roofproof.proofs.kernel import kernel
    >>> x, y, one = ("v", "x"), ("v", "y"), ("q", 1, 1)
    >>> product = ("*", ("+", x, y, ("q", -1, 1)), ("+", x, ("q", -1, 1)))                      # (x + y - 1) (x - 1)
    >>> given = [(">=", x, one), (">=", y, one), (">", ("q", 0, 1), ("+", product, one))]
    >>> above_bounds(Facts(list(map(kernel.assume, given)), ["x", "y"])).conclusion
    ('false',)

    Returns None if there is no such fact.
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
    """Return (k, c) for a positive multiple of x_k - c with c > 0, or None for other polynomials."""
    rows = p.to_dict()
    if len(rows) != 2 or p.total_degree() != 1:
        return None
    linear, rest = (next((m for m in rows if sum(m) == degree), None) for degree in (1, 0))
    if linear is None or rest is None or not rows[linear] > 0 > rows[rest]:
        return None
    return linear.index(1), -rows[rest] / rows[linear]


def _refuted(facts: Facts, i: int, p: Poly, bounds: dict[int, tuple[int, fmpq]]) -> Theorem | None:
    """Return `false` from the fact `-p > 0` if `p`, shifted to the bounds, has no negative coefficient."""
    ring, rows = facts.ring, p.to_dict()
    moved = [k for k in bounds if any(c < 0 and m[k] for m, c in rows.items())]
    if (
        not moved
        or not any(c < 0 for c in rows.values())
        or len(rows) * prod(int(p.degrees()[k]) + 1 for k in moved) > 100 * MAX_TERMS
    ):
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


def _scale(bound: Poly) -> fmpq:
    """Return the coefficient of the variable in a bound."""
    return next(c for m, c in bound.to_dict().items() if any(m))


# --- between two ends -------------------------------------------------------------------------------------------------

MAX_ELEVATION = 24


def prove_between(goal: Formula, x: str, low: Fraction, high: Fraction | None) -> Theorem | None:
    """Return `x >= low, high >= x |- goal` for a goal in x only, with positive denominators, or None if not found.

    >>> x = Term("v", "x")
    >>> four = Term("q", 4, 1)
    >>> prove_between(Formula(">=", Term("+", x, Term("/", four, x)), four), "x", Fraction(3), None)
    x > 0, x >= 3 |- x + 4/x >= 4
    """
    try:
        p = kernel.polynomial(goal, [x])
    except KernelError:
        return None
    rows = [Fraction(0)] * (1 + max((e for m in p for _, e in m), default=0))
    for m, c in p.items():
        if any(a != ("v", x) for a, _ in m):
            return None
        rows[sum(e for _, e in m)] += c
    ends: list[Formula] = [Formula(">=", Term("v", x), Term.rational(low))]
    if high is not None:
        ends.append(Formula(">=", Term.rational(high), Term("v", x)))
    facts = list(map(kernel.assume, ends))
    shifted = _shifted(rows, low)
    if all(c >= 0 for c in shifted):
        return _checked(goal, facts[:1], [(c, [0] * k) for k, c in enumerate(shifted) if c], x)
    if high is None:
        return None
    width, degree = high - low, len(rows) - 1
    scaled = [c * width**k for k, c in enumerate(shifted)]  # in u = (x - low)/width
    for n in range(degree, degree + MAX_ELEVATION):
        # u^k = u^k (u + (1 - u))^(n - k): the coefficient of u^i (1 - u)^(n - i)
        bernstein = [sum(scaled[k] * comb(n - k, i - k) for k in range(min(i, degree) + 1)) for i in range(n + 1)]
        if all(c >= 0 for c in bernstein):
            weights = [(c / width**n, [0] * i + [1] * (n - i)) for i, c in enumerate(bernstein) if c]
            return _checked(goal, facts, weights, x)
    return None


def _checked(goal: Formula, facts: list[Theorem], weights: list[tuple[Fraction, list[int]]], x: str) -> Theorem | None:
    certificate: list[tuple[Term, Sequence[int]]] = [(Term.rational(c), chosen) for c, chosen in weights]
    try:
        return kernel.arith(goal, facts, certificate, [x])
    except KernelError:
        return None


def _shifted(rows: list[Fraction], by: Fraction) -> list[Fraction]:
    """Return the coefficients of p(h + by) in h."""
    out = [Fraction(0)] * len(rows)
    for k, c in enumerate(rows):
        for i in range(k + 1):
            out[i] += c * comb(k, i) * by ** (k - i)
    return out


# --- weighted means ---------------------------------------------------------------------------------------------------


def weighted_mean(parts: Sequence[tuple[int, Term]]) -> Theorem:
    """Prove the inequality of weighted arithmetic and geometric means, for parts with only positive coefficients.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> weighted_mean([(1, a), (2, b)])                                    # a b b, three numbers: 3^3 = 27
    a > 0, b > 0 |- (1*a + 2*b)^3 >= 27*a^1*b^2

    Raises KernelError for a part that may be zero or negative.
    """
    names = sorted(frozenset[str]().union(*(variables(t) for _, t in parts)))
    (weight, first), *rest = parts
    total: Term = _times(weight, first)
    product: list[Term] = [Term("^", first, weight)]
    before = kernel.arith(_mean(total, weight, product), positive=names)  # (n t)^n = n^n t^n
    for n, t in rest:
        after = weight + n
        quotient = [
            Term("*", Term("q", c, 1), Term("^", total, after - 2 - k), Term("^", t, k))
            for k, c in _quotient(weight, n)
        ]
        square = kernel.square(minus(total, _times(weight, t)))
        larger = Term("+", total, _times(n, t))
        added = [*product, Term("^", t, n)]
        scale = weight**weight
        known = [
            (Term("*", Term("q", 1, scale), Term("+", *quotient)), [0]),
            (Term("*", Term("q", after**after, scale), Term("^", t, n)), [1]),
        ]
        total, product, weight = larger, added, after
        before = kernel.arith(_mean(total, weight, product), [square, before], known, names)
    sums = Term("+", *(_times(n, t) for n, t in parts))
    flat = _mean(sums, weight, product)
    return kernel.arith(flat, [before], [(Term("q", 1, 1), [0])], names)


def _mean(total: Term, weight: int, product: Sequence[Term]) -> Formula:
    return Formula(">=", Term("^", total, weight), Term("*", Term("q", weight**weight, 1), *product))


def _times(n: int, t: Term) -> Term:
    return Term("*", Term("q", n, 1), t)


def _quotient(N: int, n: int) -> list[tuple[int, int]]:
    """Return (power of t, coefficient) pairs of (N^N (s + n t)^a - a^a s^N t^n) / (s - N t)^2, where a = N + n.

    >>> _quotient(1, 2)                                            # (s + 2 t)^3 - 27 s t^2 = (s - t)^2 (s + 8 t)
    [(0, 1), (1, 8)]
    """
    a = N + n
    left = [N**N * comb(a, k) * n**k for k in range(a + 1)]
    left[n] -= a**a
    found = list[tuple[int, int]]()
    for k in range(a - 1):
        c = left[k]
        found.append((k, c))
        left[k + 1] += 2 * N * c
        left[k + 2] -= N * N * c
    return found
