"""Square roots, and products of them, as named positive variables: `r > 0` and `r*r = a` say all there is to say.

With names in their place a statement is one about polynomials in positive variables. Its proof is carried back by
putting the roots in for their names, which the kernel checks. SymPy takes the root of a product of symbols apart:
what `t = sqrt(3)*sqrt(M)/(3*sqrt(s))` needs is that t > 0 and t*t = 3 M/(9 s).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import (
    OPAQUE,
    ZERO,
    Formula,
    KernelError,
    Polynomial,
    Term,
    add,
    atoms_of,
    mul,
    variables,
)
from roofproof.proofs.search.polynomials import polynomial_term

ONE: Term = ("q", 1, 1)


@dataclass(frozen=True, slots=True)
class RootProduct:
    """A positive product of square roots: what it squares to, and the theorems `t > 0` and `t*t = square`."""

    square: Term
    facts: tuple[Theorem, Theorem]


@lru_cache(maxsize=200)
def root_product(term: Term) -> RootProduct | None:
    """Return what is known of a square root of a positive term, or of a product or quotient with some, or None.

    >>> root_product(("/", ("sqrt", ("v", "M")), ("q", 2, 1))).facts[1]          # (sqrt(M)/2)^2 = M/4
    M > 0 |- (sqrt(M)/2)*(sqrt(M)/2) = M/(2*2)
    """
    top, bottom = (term[1], term[2]) if term[0] == "/" else (term, ONE)
    sides = [part[1:] if part[0] == "*" else (part,) for part in (top, bottom)]
    roots = [[f for f in side if f[0] == "sqrt"] for side in sides]
    plain = [[f for f in side if f[0] != "sqrt"] for side in sides]
    if not any(roots) or any(map(_opaque, (*plain[0], *plain[1]))):
        return None
    names = sorted(variables(term))
    try:
        positive = {r: _root(r) for side in roots for r in side}
        below = [_product(positive, roots[1], names)] if len(roots[1]) > 1 else []
        premises = [*(positive[r] for r in (*roots[1], *roots[0])), *below]
        chosen = [len(roots[1]) + k for k in range(len(roots[0]))]
        above = kernel.arith((">", term, ZERO), premises, [(_times(plain[0]), chosen)], names)
        square: Term = ("/", *(_times([*[f for p in parts for f in (p, p)], *(r[1] for r in rs)])
                               for parts, rs in zip(plain, roots, strict=True)))  # fmt: skip
        if bottom == ONE:
            square = square[1]
        equal = _equal(("=", ("*", term, term), square), list(positive), [*positive.values(), *below], names)
    except KernelError:
        return None
    return RootProduct(square, (above, equal))


class NamedSquares:
    """The square roots in some formulas, by name.

    >>> x, M = ("v", "x"), ("v", "M")
    >>> named = NamedSquares([(">", x, ("/", ("sqrt", M), ("q", 2, 1)))])
    >>> named.formula((">", x, ("/", ("sqrt", M), ("q", 2, 1)))), named.squares
    (('>', ('v', 'x'), ('v', 'square1!')), {('v', 'square1!'): ('/', ('v', 'M'), ('*', ('q', 2, 1), ('q', 2, 1)))})
    """

    def __init__(self, formulas: Sequence[Formula]) -> None:
        self.names: dict[Term, Term] = {}
        self.found: dict[Term, RootProduct] = {}
        atoms: list[Formula] = []
        for f in formulas:
            if next(_sqrts(f), None) is not None:
                atoms_of(f, atoms)
        sides = dict.fromkeys(side for a in atoms for side in a[1:] if isinstance(side, tuple))
        for side in sides:  # as a whole, if nothing in it occurs elsewhere
            inside = set(_sqrts(side))
            if inside and not any(inside.intersection(_sqrts(other)) for other in sides if other != side):
                self._name(side)
        for root in dict.fromkeys(r for f in atoms for r in _sqrts(self.formula(f))):
            self._name(root)

    def _name(self, term: Term) -> None:
        if (known := root_product(term)) is not None:
            self.names[term] = ("v", f"square{len(self.names) + 1}!")
            self.found[term] = known

    @property
    def squares(self) -> dict[Term, Term]:
        """What each name squares to."""
        return {name: self.found[t].square for t, name in self.names.items()}

    def formula(self, f: Formula) -> Formula:
        """Return a formula with names for roots."""
        if f in self.names:
            return self.names[f]
        return tuple([self.formula(p) if isinstance(p, tuple) else p for p in f])

    def equations(self, formulas: Sequence[Formula]) -> list[Formula]:
        """Return what the names in some formulas square to."""
        used = frozenset[str]().union(*map(variables, formulas if self.names else ()))
        return [("=", ("*", v, v), square) for v, square in self.squares.items() if v[1] in used]

    def restored(self, theorem: Theorem) -> Theorem:
        """Return a theorem with the roots in place of their names, what defines them being proved."""
        if not self.names:
            return theorem
        made = kernel.instantiate(theorem, {name[1]: t for t, name in self.names.items()})
        goal, facts = made.conclusion, [fact for known in self.found.values() for fact in known.facts]
        for fact in facts:
            if fact.conclusion in made.hypotheses:
                made = kernel.discharge(made, fact.conclusion)
        used = []
        step = made.conclusion
        while step != goal:
            used.append(next(fact for fact in facts if fact.conclusion == step[1]))
            step = step[2]
        return kernel.propositional(goal, [made, *used]) if used else made


def _sqrts(f: object) -> Iterator[Term]:
    if isinstance(f, tuple):
        if f and f[0] == "sqrt":
            yield f
        for part in f:
            yield from _sqrts(part)


def _root(root: Term) -> Theorem:
    from roofproof.proofs.search.lemmas import positive_root

    return positive_root(root, kernel.arith((">", root[1], ZERO), positive=sorted(variables(root))))


def _squared(root: Term) -> Theorem:
    inside = kernel.arith((">=", root[1], ZERO), positive=sorted(variables(root)))
    return kernel.propositional(("=", ("*", root, root), root[1]), [kernel.definition(root), inside])


def _product(positive: dict[Term, Theorem], roots: Sequence[Term], names: Sequence[str]) -> Theorem:
    facts = [positive[r] for r in roots]
    return kernel.arith((">", ("*", *roots), ZERO), facts, [(ONE, range(len(facts)))], names)


def _equal(goal: Formula, roots: Sequence[Term], signs: Sequence[Theorem], names: Sequence[str]) -> Theorem:
    """Return `t*t = square`: the square of each root is replaced by what it is the root of."""
    rest = kernel.polynomial(goal, names, [kernel.polynomial(f.conclusion, names) for f in signs])
    certificate = []
    for k, root in enumerate(roots):
        inside = kernel.polynomial((">", root[1], ZERO), names)
        cofactor: Polynomial = {}
        while (found := next((m for m in rest if dict(m).get(root, 0) > 1), None)) is not None:
            c = rest[found]
            left: Polynomial = {tuple((a, e - 2 * (a == root)) for a, e in found if e > 2 or a != root): c}
            rest = add(add(rest, {found: c}, -1), mul(left, inside))
            cofactor = add(cofactor, left)
        certificate.append((polynomial_term(cofactor), [len(signs) + k]))
    return kernel.arith(goal, [*signs, *map(_squared, roots)], certificate, names)


def _times(factors: Sequence[Term]) -> Term:
    return factors[0] if len(factors) == 1 else ("*", *factors) if factors else ONE


def _opaque(term: object) -> bool:
    return isinstance(term, tuple) and bool(term) and (term[0] in OPAQUE or any(map(_opaque, term[1:])))
