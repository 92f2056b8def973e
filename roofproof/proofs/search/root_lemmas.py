"""The square root of a product as a product of square roots, so that two forms of one value look alike."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from functools import lru_cache

import sympy

from roofproof.derive.algebra.exact_comparison import by_small_primes
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, KernelError, Polynomial, Term, normal, variables
from roofproof.proofs.powers import multiplied
from roofproof.proofs.search.equations import by_equations
from roofproof.proofs.search.lemmas import cut, root_facts
from roofproof.proofs.search.radicals import root_product

ONE = Term("q", 1, 1)
MINUS = Term("q", -1, 1)
MAX_POWER = 12


@lru_cache(maxsize=500)
def root_lemmas(root: Term) -> tuple[Theorem, ...]:
    """Prove that the root of a product is a product of roots, and what each of these squares to.

    >>> inside = Term("/", Term("*", Term("q", 12, 1), Term("v", "W")), Term("v", "K"))
    >>> root_lemmas(Term("sqrt", inside))[0]
    K > 0, W > 0 |- sqrt((12*W)/K) = (2*sqrt(3)*sqrt(W)*sqrt(K))/K

    Returns () where the root is of a sum, or of a name or prime alone.
    """
    try:
        above, below = normal(root[1], [])
        made = _taken_apart(above, below)
        if made is None or made == root:
            return ()
        apart, roots = made
        names = sorted(variables(root))
        known = [root_facts(r, kernel.arith(Formula(">", r[1], ZERO), positive=names)) for r in (root, *roots)]
        product = root_product(apart)
        if product is None:
            return ()
        facts = [*known[0], *product.facts, kernel.identity(product.square, root[1], names)]
        values = {"r": root, "p": apart, "s": root[1], "q": product.square}
        squares = [_squared(r, squared) for r, (_, squared) in zip(roots, known[1:], strict=True)]
        return cut(kernel.instantiate(_one_root(), values), facts), *(s for s in squares if s is not None)
    except KernelError:
        return ()


def root_sign(root: Term) -> Theorem | None:
    """Prove that a root is positive, where what stands under it is by its signs.

    >>> root_sign(Term("sqrt", Term("v", "x")))
    x > 0 |- sqrt(x) > 0
    """
    with suppress(KernelError):
        return root_facts(root, kernel.arith(Formula(">", root[1], ZERO), positive=sorted(variables(root))))[0]
    return None


def _squared(root: Term, squared: Theorem) -> Theorem | None:
    return by_equations(Formula("=", Term("^", root, 2), root[1]), [squared])


def _taken_apart(above: Polynomial, below: Polynomial) -> tuple[Term, list[Term]] | None:
    """Return the root of a quotient of two monomials as a product, and the roots in it; None for sums."""
    if len(above) != 1 or len(below) > 1:
        return None
    ((top, c),), (bottom, d) = above.items(), next(iter(below.items()), ((), 1))
    ratio = Fraction(c) / Fraction(d)
    if ratio <= 0 or any(a[0] != "v" or e > MAX_POWER for a, e in (*top, *bottom)):
        return None
    outside, roots = Fraction(1, ratio.denominator), list[Term]()
    for prime, power in by_small_primes(sympy.Integer(ratio.numerator * ratio.denominator)).items():
        outside *= int(prime) ** (power // 2)
        roots += [Term("sqrt", Term("q", int(prime), 1))] * (power % 2)
    first: list[Term] = [Term("q", outside.numerator, 1)] if outside.numerator > 1 else []
    second: list[Term] = [Term("q", outside.denominator, 1)] if outside.denominator > 1 else []
    for factors, monomial, up in ((first, top, 0), (second, bottom, 1)):
        for atom, e in monomial:
            if (whole := (e + up * (e % 2)) // 2) > 0:  # sqrt(x^-3) = sqrt(x)/x^2
                factors += [atom] * whole
            if e % 2:
                roots.append(Term("sqrt", atom))
    first += roots
    if not roots or (not second and first == [roots[0]]):
        return None
    return (Term("/", multiplied(first), multiplied(second)) if second else multiplied(first)), roots


@lru_cache(maxsize=1)
def _one_root() -> Theorem:
    """Prove that positive r and p with r r = s and p p = q, where q = s, are equal."""
    r, p, s, q = (Term("v", n) for n in "rpsq")
    given: list[Formula] = [
        Formula(">", r, ZERO),
        Formula("=", Term("*", r, r), s),
        Formula(">", p, ZERO),
        Formula("=", Term("*", p, p), q),
        Formula("=", q, s),
    ]
    facts = list(map(kernel.assume, given))
    cases: list[Theorem] = [kernel.trichotomy(r, p)]
    for more, less, sign, turned in ((r, p, MINUS, ONE), (p, r, ONE, MINUS)):
        larger = Formula(">", more, less)
        parts = [(ONE, [5, 0]), (ONE, [5, 2]), (sign, [1]), (turned, [3]), (turned, [4])]
        false = kernel.arith(Formula("false"), [*facts, kernel.assume(larger)], parts, [])
        cases.append(kernel.discharge(false, larger))
    return kernel.propositional(Formula("=", r, p), [*cases, *facts])
