"""The kernel's polynomials as terms."""

from roofproof.proofs.kernel.terms import ZERO, Polynomial, Term


def polynomial_term(p: Polynomial) -> Term:
    """Return a polynomial as a term without needless zeros and first powers.

    >>> from fractions import Fraction
    >>> polynomial_term({((("v", "x"), 2),): Fraction(3)})
    ('*', ('q', 3, 1), ('^', ('v', 'x'), 2))
    """
    parts: list[Term] = []
    for m, c in p.items():
        powers = [("^", a, e) if e > 1 else a for a, e in m]
        parts.append(("*", ("q", c.numerator, c.denominator), *powers))
    return parts[0] if len(parts) == 1 else ("+", *parts) if parts else ZERO
