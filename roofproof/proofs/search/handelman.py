"""Searching for the sums of products that contradict each other, with FLINT and, last, a linear program."""

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from operator import add, sub

from flint import fmpq

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.polynomial import terms
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.search.polynomials import Monomial, Poly, Ring, Row

Weight = tuple[Monomial, fmpq]
Key = tuple[tuple[Monomial, tuple[int, int]], ...]
Column = tuple[tuple[int, ...], Monomial, Poly]  # facts multiplied, shift, their product
MAX_COLUMNS = 400
MAX_UNITS = 500_000  # of z3 for one linear program
SHORT = 12  # bits of a coefficient; with longer ones a unit takes longer
MAX_SHIFTS = 100_000  # beyond this the search costs more than the oracle


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
        """Return a theorem of `false` from u p_i + v p_j with monomials u, v, or None."""
        strict = ">" in (self.kinds[i], self.kinds[j])
        turns = [(1, -1) if self.kinds[k] == "=" else (1,) for k in (i, j)]
        for s, t in product(*turns):
            p, q = self.polys[i] * s, self.polys[j] * t
            if (weights := self.opposed(p, q)) is not None:
                u, v = weights
                whole = u * p + v * q
                if strict or not whole.is_zero():
                    return self.finish([(self.ring.term(u * s), [i]), (self.ring.term(v * t), [j])], -whole)
        return None

    def _alignments(self, p: Row, q: Row) -> Iterator[tuple[Weight, Weight]]:
        """Yield weights (monomial, number) with which p and q add up to nothing above zero.

        What stands in front of the first positive term of p must be cancelled by a negative term of q, which
        says how the monomials lie; then each monomial bounds the ratio of the two numbers.
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

    def opposed(self, p: Poly, q: Poly) -> tuple[Poly, Poly] | None:
        """Return monomials (u, v) with which u p + v q has no positive coefficient, or None."""
        spend(20 * (len(p) + len(q)))
        for weights in self._alignments(terms(p), terms(q)):
            u, v = (self.ring.context.from_dict({m: c}) for m, c in weights)
            return u, v
        return None

    def finish(self, chosen: Sequence[tuple[Term, Sequence[int]]], rest: Poly) -> Theorem | None:
        """Return the theorem of `false` from products of facts, each times a multiplier, that add up to -rest."""
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
        """Return a theorem of `false` by a linear program: of the facts, with squares beside them, of their products.

        `effort` says which: 0, 1 or 2. None where there is none of that kind.
        """
        if effort != 1:
            return self.linear_program(degree=1 + effort // 2)
        squares = self.squares()
        return Facts([*self.theorems, *squares], self.names, self.ring).linear_program() if squares else None

    def squares(self) -> list[Theorem]:
        """Return `t t >= 0` for t = 2 a x + b wherever a fact is a x^2 + b x + c, to complete the square."""
        found = {}
        for p in self.polys:
            for k, degree in enumerate(p.degrees()):
                if degree == 2 and len(p) > 2:
                    slope = p.derivative(k)
                    found[str(slope)] = kernel.square(self.ring.term(slope))
        return list(found.values())

    def linear_program(self, degree: int = 1) -> Theorem | None:
        """Return a theorem of `false` with monomial multipliers of products of up to `degree` facts, or None."""
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
    """Return (q, c) with p = c q and c > 0: two polynomials with one q differ by a positive number."""
    c = abs(p.leading_coefficient()) if not p.is_zero() else fmpq(1)
    return tuple(sorted((m, ((n := d / c).p, n.q)) for m, d in terms(p).items())), c


def _solve(columns: Sequence[Column], kinds: Sequence[str], ring: Ring) -> dict[int, fmpq] | None:
    """Return the weights, other than zero, of columns whose sum is negative; z3 only as a linear program.

    The program goes to z3 as text, which it reads faster than Python can build its terms; what it returns is
    checked by the kernel.
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
    """Return a rational as SMT-LIB writes it."""
    p, q = int(value.p), int(value.q)
    size = f"{abs(p)}.0" if q == 1 else f"(/ {abs(p)}.0 {q}.0)"
    return size if p >= 0 else f"(- {size})"
