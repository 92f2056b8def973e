"""Kernel polynomials in FLINT: clears fractions in comparisons, and substitutes equations into them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.polynomial import Poly as Poly
from roofproof.derive.algebra.polynomial import Polynomials, terms
from roofproof.proofs.assumptions import ONE
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, V, atoms_of, normal, variables

Monomial = tuple[int, ...]
Row = dict[Monomial, fmpq]


def poly_over(context: fmpq_mpoly_ctx, numbers: Mapping[Term, int], p: Polynomial) -> Poly:
    """Return a kernel polynomial in FLINT. `numbers` maps atoms to FLINT variables. Raises KeyError for other atoms."""
    rows = {}
    for m, c in p.items():
        exponents = [0] * len(numbers)
        for atom, e in m:
            exponents[numbers[atom]] = e
        rows[tuple(exponents)] = fmpq(c.numerator, c.denominator)
    return context.from_dict(rows)


def term_over(atoms: Sequence[Term], p: Poly) -> Term:
    """Return a FLINT polynomial as a term in these atoms."""
    parts = []
    for m, c in terms(p).items():
        powers = [Term("^", a, int(e)) if e > 1 else a for a, e in zip(atoms, m, strict=True) if e]
        parts.append(Term("*", Term("q", int(c.p), int(c.q)), *powers))
    return parts[0] if len(parts) == 1 else Term("+", *parts) if parts else ZERO


class Ring(Polynomials[Term]):
    """A ring of kernel polynomials in positive variables and in terms of any sign.

    >>> x = Term("v", "x")
    >>> ring = Ring([], ["x"], [x, Term("sqrt", x)])
    >>> ring.sign(ring.poly({((x, 1),): 2})), ring.sign(ring.poly({((Term("sqrt", x), 1),): 2}))     # 2 x, 2 sqrt(x)
    (1, 0)
    """

    def __init__(self, ps: Iterable[Polynomial], positive: Iterable[str], atoms: Iterable[Term] = ()) -> None:
        self.names = frozenset(positive)
        found = sorted({*atoms, *(a for p in ps for m in p for a, _ in m)})
        super().__init__(found, [i for i, a in enumerate(found) if a[0] != "v" or a[1] not in self.names])
        self.known: dict[Theorem, Poly] = {}
        self._rows: dict[Theorem, Row] = {}

    def poly(self, p: Polynomial) -> Poly:
        return poly_over(self.context, self.index, p)

    def read(self, fact: Theorem) -> Poly:
        """Return the polynomial that a fact compares with zero."""
        if fact not in self.known:
            self.known[fact] = self.poly(kernel.polynomial(fact.conclusion, sorted(self.names)))
        return self.known[fact]

    def row(self, fact: Theorem) -> Row:
        """Return the coefficients of that polynomial by monomial."""
        if fact not in self._rows:
            self._rows[fact] = terms(self.read(fact))
        return self._rows[fact]

    def term(self, p: Poly) -> Term:
        return term_over(self.atoms, p)


def terms_with(heads: Collection[str], *formulas: Formula | Term) -> list[Term]:
    """Return the terms with one of these heads in some formulas, each once, outer terms first.

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


def atoms_in(*formulas: Formula) -> list[Formula]:
    """Return the atoms of some formulas for a truth table, each once.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> print(*atoms_in(Formula("not", Formula(">=", x, one)), Formula("=", x, one)))
    1 > x x = 1
    """
    found: list[Formula] = []
    for f in formulas:
        atoms_of(f, found)
    return found


def exchanged(t: V, table: Mapping[Term, Term] | Mapping[Formula, Formula]) -> V:
    """Return a term or formula with some of its parts replaced throughout.

    >>> exchanged(Formula(">", Term("v", "x"), Term("q", 1, 1)), {Term("v", "x"): Term("q", 2, 1)})
    ('>', ('q', 2, 1), ('q', 1, 1))
    """
    return table[t] if t in table else t.mapped(lambda part: exchanged(part, table))  # type: ignore[index,return-value]


def core(fact: Theorem, signs: Sequence[Theorem], positive: Iterable[str], ring: Ring | None = None) -> Theorem:
    """Return the fact with fractions cleared and factors of known sign divided out, or `false` if it is contradictory.

    If nothing can be divided out, the fact is returned unchanged.

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
            rest = [(ONE if c <= 0 else Term("q", -1, 1), [last])]
            if c != 0:
                rest.append((ring.term(outer * abs(c)), []))
            return kernel.arith(Formula("false"), premises, rest, names)
        return fact
    if not signs and outer.is_constant():
        return fact
    goal: Formula = Formula(relation, ring.term(inner), ZERO)
    made = kernel.arith(goal, premises, [(ONE, [last])], names, ring.term(outer))
    ring.known[made] = inner
    return made


# --- substituting equations -------------------------------------------------------------------------------------------

MAX_DEGREE = 8


def by_equations(
    goal: Formula, equations: Sequence[Theorem], premise: Theorem | None = None, signs: Sequence[Theorem] = ()
) -> Theorem | None:
    """Prove a comparison from `premise`, or an equation without one, by equations that define names.

    >>> r = Term("v", "r")
    >>> by_equations(("=", ("/", ("q", 2, 1), r), r), [kernel.assume(("=", ("^", r, 2), ("q", 2, 1)))])
    r > 0, r^2 = 2 |- 2/r = r

    Each equation has only the defined term on its left side, and later equations do not contain that term. `signs` give
    the signs of divisors. Returns None if the equations do not imply the goal, or if a sign is unknown.
    """
    facts = [*signs, *equations, *([premise] if premise is not None else [])]
    names = sorted(variables(goal).union(*(variables(t.conclusion) for t in facts)))
    try:
        settled = [kernel.polynomial(t.conclusion, names) for t in signs]
        wanted, *read = (kernel.polynomial(f, names, settled) for f in (goal, *(t.conclusion for t in facts)))
        ring = Ring([wanted, *read], names)
        ring.known = dict(zip(facts, map(ring.poly, read), strict=True))
        rest = ring.poly(wanted) - (ring.read(premise) if premise is not None else 0)
        scale, rest, cofactors = reduced(ring, rest, equations)
        if not rest.is_zero():
            return None
        common = reduce(lambda a, b: a.gcd(b), cofactors, scale)  # its sign may be unknown
        scale, cofactors = scale / common, [h / common for h in cofactors]
        if ring.sign(scale) == -1:
            scale, cofactors = -scale, [-h for h in cofactors]
        if ring.sign(scale) != 1:
            return None
        certificate = [(ring.term(h), [len(signs) + k]) for k, h in enumerate(cofactors) if not h.is_zero()]
        if premise is not None:
            certificate.append((ring.term(scale), [len(facts) - 1]))
        return kernel.arith(goal, facts, certificate, names, ring.term(scale))
    except KernelError:
        return None


def defining(relations: Sequence[Formula]) -> list[Theorem]:
    """Return the equations among some relations, each before the equations that define its names."""
    return [kernel.assume(f) for f in reversed(relations) if f[0] == "="]


def reduced(ring: Ring, p: Poly, equations: Sequence[Theorem]) -> tuple[Poly, Poly, list[Poly]]:
    """Divide p by each equation in turn. Return (c, r, h) with c p = r + the sum of h times its equation."""
    scale, cofactors = ring.context.constant(1), list[Poly]()
    for equation in equations:
        [defined] = {a for m in normal(equation.conclusion[1], [])[0] for a, _ in m}
        if defined not in ring.index:  # the equation is 0 = 0, and the defined term occurs nowhere else
            cofactors.append(ring.context.constant(0))
            continue
        by, p, cofactor = ring.divided(p, ring.read(equation), ring.index[defined])
        scale, cofactors = scale * by, [*(h * by for h in cofactors), cofactor]
    return scale, p, cofactors


Replaced = dict[tuple[Theorem, Theorem, Term], Theorem]  # (fact, equation, term): the fact without the term


def eliminate_extrema(facts: Sequence[Theorem], names: Sequence[str], made: Replaced | None = None) -> list[Theorem]:
    """Return the facts with each maximum or minimum replaced by its value, if an equation among them gives it.

    >>> a, b = Term("v", "a"), Term("v", "b")
    >>> m = Term("max", a, b)
    >>> facts = [kernel.assume(Formula("=", m, a)), kernel.assume(Formula(">", Term("*", b, m), Term("*", a, b)))]
    >>> eliminate_extrema(facts, ["a", "b"])[-1].conclusion              # b a > a b
    ('false',)

    The facts are rewritten as comparisons of a polynomial with zero. `made` caches earlier replacements for the same
    names.
    """
    made = {} if made is None else made
    known, used = list(facts), set[Term]()
    while True:
        ring = Ring([kernel.polynomial(t.conclusion, names) for t in known], names)
        spend(300 * len(known))
        extrema = [a for a in ring.atoms if a[0] in ("max", "min") and a not in used]
        solved = ((t, a) for t in known if t.conclusion[0] == "=" for a in extrema if _slope(ring, t, a))
        equation, atom = next(solved, (None, ZERO))
        if equation is None:
            return known
        used.add(atom)
        for t in known:
            if t is not equation and (t, equation, atom) not in made:
                made[t, equation, atom] = _replaced(ring, t, equation, atom)
        known = [t if t is equation else made[t, equation, atom] for t in known]
        if false := [t for t in known if t.conclusion == ("false",)]:
            return false


def _slope(ring: Ring, equation: Theorem, atom: Term) -> int:
    """Return the sign of c in an equation c m = r, where neither c nor r contains m, or 0 if the sign is unknown."""
    rows = ring.rows(ring.read(equation), ring.index[atom])
    return ring.sign(rows[1]) if max(rows, default=0) == 1 else 0


def _replaced(ring: Ring, fact: Theorem, equation: Theorem, atom: Term) -> Theorem:
    """Return the fact times a power of c, minus a multiple of the equation, which eliminates the atom."""
    p, k, turn = ring.read(fact), ring.index[atom], _slope(ring, equation, atom)
    if not 0 < p.degrees()[k] <= MAX_DEGREE:
        return fact
    scale, rest, multiple = ring.divided(p, ring.read(equation) * turn, k)
    goal: Formula = Formula(fact.conclusion[0], ring.term(rest), ZERO)
    weights = [(ring.term(scale), [0]), (ring.term(multiple * -turn), [1])]
    try:
        return core(kernel.arith(goal, [fact, equation], weights, sorted(ring.names)), [], sorted(ring.names))
    except KernelError:
        return fact
