"""Polynomials of the kernel in FLINT, and comparisons without fractions and without factors of known sign."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from flint import fmpq, fmpq_mpoly_ctx

from roofproof.derive.algebra.budget import spend
from roofproof.derive.algebra.polynomial import Poly as Poly
from roofproof.derive.algebra.polynomial import Polynomials, terms
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Polynomial, Term, V, variables

Monomial = tuple[int, ...]
Row = dict[Monomial, fmpq]
UNIT = Term("q", 1, 1)


def poly_over(context: fmpq_mpoly_ctx, numbers: Mapping[Term, int], p: Polynomial) -> Poly:
    """Return a polynomial of the kernel in FLINT; `numbers` are those of its atoms there, KeyError for any other."""
    rows = {}
    for m, c in p.items():
        exponents = [0] * len(numbers)
        for atom, e in m:
            exponents[numbers[atom]] = e
        rows[tuple(exponents)] = fmpq(c.numerator, c.denominator)
    return context.from_dict(rows)


def term_over(atoms: Sequence[Term], p: Poly) -> Term:
    """Return a polynomial of FLINT as a term in these atoms."""
    parts = []
    for m, c in terms(p).items():
        powers = [Term("^", a, int(e)) if e > 1 else a for a, e in zip(atoms, m, strict=True) if e]
        parts.append(Term("*", Term("q", int(c.p), int(c.q)), *powers))
    return parts[0] if len(parts) == 1 else Term("+", *parts) if parts else ZERO


class Ring(Polynomials[Term]):
    """The same of the kernel's polynomials: of positive variables, and of terms of any sign.

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

    def poly(self, p: Polynomial) -> Poly:
        return poly_over(self.context, self.index, p)

    def read(self, fact: Theorem) -> Poly:
        """Return the polynomial that a fact compares with zero."""
        if fact not in self.known:
            self.known[fact] = self.poly(kernel.polynomial(fact.conclusion, sorted(self.names)))
        return self.known[fact]

    def term(self, p: Poly) -> Term:
        return term_over(self.atoms, p)


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
