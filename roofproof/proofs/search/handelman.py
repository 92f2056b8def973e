"""Searching for the sums of products that contradict each other, with FLINT and, last, a linear program."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from operator import add, sub
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.polynomial import sign, terms
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, V, variables
from roofproof.proofs.oracles import smt

Poly = Any
Monomial = tuple[int, ...]
Row = dict[Monomial, fmpq]
Weight = tuple[Monomial, fmpq]
Factored = tuple[Any, tuple[tuple[Poly, int], ...]]  # a constant, and irreducible factors with their powers
Key = tuple[tuple[Monomial, tuple[int, int]], ...]
Column = tuple[tuple[int, ...], Monomial, Poly]  # facts multiplied, shift, their product
UNIT = Term("q", 1, 1)
MAX_COLUMNS = 400
MAX_UNITS = 500_000  # of z3 for one linear program
SHORT = 12  # bits of a coefficient; with longer ones a unit takes longer
MAX_SHIFTS = 100_000  # beyond this the search costs more than the oracle


class Ring:
    """FLINT polynomials in the atoms of the kernel's polynomials: positive variables, and terms of any sign.

    >>> x = Term("v", "x")
    >>> ring = Ring([], ["x"], [x, Term("sqrt", x)])
    >>> ring.sign(ring.poly({((x, 1),): 2})), ring.sign(ring.poly({((Term("sqrt", x), 1),): 2}))     # 2 x, 2 sqrt(x)
    (1, 0)
    """

    def __init__(self, ps: Iterable[Polynomial], positive: Iterable[str], atoms: Iterable[Term] = ()) -> None:
        self.names = frozenset(positive)
        self.atoms = sorted({*atoms, *(a for p in ps for m in p for a, _ in m)})
        self.context = fmpq_mpoly_ctx.get(tuple(f"g{i}" for i in range(len(self.atoms))), Ordering.degrevlex)
        self.unsafe = [i for i, a in enumerate(self.atoms) if a[0] != "v" or a[1] not in self.names]
        self.index = {a: i for i, a in enumerate(self.atoms)}
        self.known: dict[Theorem, Poly] = {}
        self._factors: dict[str, Factored] = {}

    def poly(self, p: Polynomial) -> Poly:
        rows = {}
        for m, c in p.items():
            exponents = [0] * len(self.atoms)
            for a, e in m:
                exponents[self.index[a]] = e
            rows[tuple(exponents)] = fmpq(c.numerator, c.denominator)
        return self.context.from_dict(rows)

    def read(self, fact: Theorem) -> Poly:
        """Return the polynomial that a fact compares with zero."""
        if fact not in self.known:
            self.known[fact] = self.poly(kernel.polynomial(fact.conclusion, sorted(self.names)))
        return self.known[fact]

    def term(self, p: Poly) -> Term:
        parts = []
        for m, c in terms(p).items():
            powers = [Term("^", a, int(e)) if e > 1 else a for a, e in zip(self.atoms, m, strict=True) if e]
            parts.append(Term("*", Term("q", int(c.p), int(c.q)), *powers))
        return parts[0] if len(parts) == 1 else Term("+", *parts) if parts else ZERO

    def monomial_is_positive(self, exponents: Sequence[int]) -> bool:
        return not self.unsafe or not any(exponents[i] for i in self.unsafe)

    def sign(self, p: Poly) -> int:
        if self.unsafe and not all(map(self.monomial_is_positive, p.monoms())):
            return 0
        return sign(p) or 0

    def rows(self, p: Poly, k: int) -> dict[int, Poly]:
        """Return {exponent: coefficient} of a polynomial in the atom of that number."""
        rows: dict[int, Row] = {}
        for m, c in terms(p).items():
            rows.setdefault(int(m[k]), {})[(*m[:k], 0, *m[k + 1 :])] = c
        return {e: self.context.from_dict(row) for e, row in rows.items()}

    def divided(self, p: Poly, rule: Poly, k: int) -> tuple[Poly, Poly, Poly]:
        """Return (c, r, h) with c p = r + h rule, where r has a lower degree in the atom k than the rule."""
        scale, multiple = self.context.constant(1), self.context.constant(0)
        degree = rule.degrees()[k]
        if degree < 1:  # the rule is 0 = 0, or says nothing of the atom
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
        """Return (c, q) with p = c q, where c holds all factors that are positive for sure."""
        one = self.context.constant(1)
        if p.is_zero():
            return one, p
        if (s := self.sign(p)) != 0:  # no factor need be known, of which there may be thousands of terms
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

    def factors(self, p: Poly) -> Factored:
        """Return a constant and the irreducible factors of a polynomial with their powers.

        A comparison and its denial differ in their sign alone, so that those are found once for both.

        >>> ring = Ring([], ["x", "y"], [Term("v", "x"), Term("v", "y")])
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


def terms_with(heads: Collection[str], *formulas: Formula | Term) -> list[Term]:
    """Return the terms with one of these heads in some formulas, each once, the outer ones first.

    >>> root = Term("sqrt", Term("v", "x"))
    >>> terms_with(("sqrt",), Formula(">", Term("*", root, root), Term("v", "x"))) == [root]
    True
    """
    found: dict[Term, None] = {}
    leaves = {"v", "q"}.difference(heads)

    def walk(f: Any) -> None:
        if f and f[0] in heads:
            found[f] = None
        for part in f:
            if isinstance(part, tuple) and part and part[0] not in leaves:
                walk(part)

    for formula in formulas:
        walk(formula)
    return list(found)


def exchanged(t: V, table: Mapping[Term, Term] | Mapping[Formula, Formula]) -> V:
    """Return a term or formula with some of its parts replaced throughout.

    >>> exchanged(Formula(">", Term("v", "x"), Term("q", 1, 1)), {Term("v", "x"): Term("q", 2, 1)})
    ('>', ('q', 2, 1), ('q', 1, 1))
    """
    return table[t] if t in table else t.mapped(lambda part: exchanged(part, table))  # type: ignore[index,return-value]


def core(fact: Theorem, signs: Sequence[Theorem], positive: Iterable[str], ring: Ring | None = None) -> Theorem:
    """Return the fact with fractions cleared and factors of known sign divided out; `false` if it is that.

    Where nothing is to be divided out it comes back as it is.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> core(kernel.assume(Formula(">", Term("*", x, y), y)), [], ["x", "y"]).conclusion     # y (x - 1) > 0
    ('>', ('+', ('*', ('q', 1, 1), ('v', 'x')), ('*', ('q', -1, 1))), ('q', 0, 1))
    """
    relation = fact.conclusion[0]
    names = sorted(frozenset[str]().union(*(variables(t.conclusion) for t in (fact, *signs))).intersection(positive))
    known = [kernel.polynomial(t.conclusion, names) for t in signs]
    p = kernel.polynomial(fact.conclusion, names, known)
    spend(200 + 60 * len(p))
    ring = ring or Ring([p], names)
    whole = ring.poly(p)
    if not signs:
        ring.known[fact] = whole
    outer, inner = ring.split(whole)
    premises = [*signs, fact]
    last = len(signs)
    if inner.is_constant():  # the fact is decided by its signs
        c = next(iter(inner.coeffs()), fmpq(0))
        if (c < 0) or (c == 0 and relation == ">") or (c != 0 and relation == "="):
            rest = [(UNIT if c <= 0 else Term("q", -1, 1), [last])]
            if c != 0:
                rest.append((ring.term(outer * abs(c)), []))
            return kernel.arith(Formula("false"), premises, rest, names)
        return fact
    if not signs and outer.is_constant():
        return fact
    goal: Formula = Formula(relation, ring.term(inner), ZERO)
    made = kernel.arith(goal, premises, [(UNIT, [last])], names, ring.term(outer))
    ring.known[made] = inner
    return made


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
