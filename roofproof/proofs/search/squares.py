"""What one comparison with one square root says of squares: `u > w sqrt(q)` is that u is positive and `u^2 > w^2 q`."""

from __future__ import annotations

from dataclasses import dataclass

from roofproof.proofs.kernel.clearing import difference, sign
from roofproof.proofs.kernel.terms import ZERO, Formula, Polynomial, Term, minus, normal_form, term_of, variables
from roofproof.proofs.powers import content


@dataclass(frozen=True, slots=True)
class Squares:
    """A comparison `u + v r > 0` with one square root r as what it says of squares: `u > w sqrt(q)`, or that it is not.

    `denied` says which; `changed` has no root.
    """

    relation: str
    u: Term
    w: Term
    root: Term
    denied: bool

    @property
    def short(self) -> Formula:
        """The comparison of the squares, `u^2 > w^2 q`, a polynomial against zero."""
        parts = Term("*", self.u, self.u), Term("*", self.w, self.w, self.root[1])
        return Formula(self.relation, whole_multiple(minus(*parts)), ZERO)

    @property
    def changed(self) -> Formula:
        return self._told(Formula("and", Formula(">", self.u, ZERO), self.short))

    @property
    def compared(self) -> Formula:
        return self._told(Formula(self.relation, self.u, Term("*", self.w, self.root)))

    def _told(self, said: Formula) -> Formula:
        return Formula("not", said) if self.denied else said


def squares(atom: Formula) -> Squares | None:
    """Return what a comparison with one square root says of squares, not proved; None for any other.

    >>> x, one = Term("v", "x"), Term("q", 1, 1)
    >>> print(squares(Formula(">", Term("q", 2, 1), Term("sqrt", Term("+", x, one)))).changed)       # 2^2 > x + 1
    0 + 2 > 0 and 0 + 3 + -1*x^1 > 0
    """
    above, below, _ = difference(*atom.sides)
    roots = {a for p in (above, below) for m in p for a, _ in m if a[0] == "sqrt"}
    positive = frozenset[Term]([*(Term("v", n) for n in variables(atom)), *roots])
    if len(roots) != 1 or sign(below, positive) != 1:
        return None
    [root] = roots
    split = _split(above, root)
    if split is None or (side := sign(split[1], positive - roots)) == 0:
        return None
    u, v = (term_of({m: c * turn for m, c in p.items()}) for p, turn in zip(split, (-side, side), strict=True))
    return Squares(">" if side < 0 else ">=", u, v, root, side > 0)


def whole_multiple(term: Term) -> Term:
    """Return a positive multiple of a term, a polynomial with whole coefficients that have no factor in common.

    >>> print(whole_multiple(Term("/", Term("+", Term("v", "x"), Term("q", 1, 2)), Term("q", 4, 1))))    # (x + 1/2)/4
    0 + 2*x^1 + 1
    """
    above = normal_form(term)[0]
    unit = content(above.values()) or 1
    return term_of({m: int(c / unit) for m, c in above.items()})


def _split(p: Polynomial, root: Term) -> tuple[Polynomial, Polynomial] | None:
    """Return u and v of a polynomial u + v r; None for a higher power of r, or another root in them."""
    u, v = dict[object, object](), dict[object, object]()
    for monomial, c in p.items():
        powers = dict(monomial)
        e = powers.pop(root, 0)
        if e > 1:
            return None
        (v if e else u)[tuple((a, k) for a, k in monomial if a != root)] = c
    return u, v  # type: ignore[return-value]
