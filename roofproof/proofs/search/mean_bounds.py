"""A sum of monomials is at most k times the largest of its leading ones; every step is given to the kernel.

A monomial m that never leads is a weighted geometric mean of leading ones, m^k = a_1 ... a_k. Were m larger than
each a_i, then m^k - a_1 ... a_k = sum of m^(i-1) (m - a_i) a_(i+1) ... a_k would be positive, and it is zero.
"""

import sympy

from roofproof.derive.algebra.cones import Vector, mean
from roofproof.derive.limits.newton_polytope import Polynomial
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.translate import to_term

LARGEST, SCALE = "M'", "s'"  # no symbol has such a name
M = Term("v", LARGEST)
S = sympy.Symbol(SCALE, positive=True)


def sum_bound(p: Polynomial) -> tuple[sympy.Rational, Theorem] | None:
    """Return (k, theorem): from `M >= s u` for every leading term u, and s > 0, follows `k M >= s p`.

    Sizes are 1 at least. None where a coefficient that matters is no number, or powers become too large.

    >>> from roofproof.derive.limits.newton_polytope import regimes
    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> k, theorem = sum_bound(regimes((x + y)**2).above)      # 2 x y <= 2 max(x^2, y^2)
    >>> k, theorem.conclusion[1]
    (4, ('*', ('q', 4, 1), ('v', "M'")))
    """
    premises = [kernel.assume(_at_most(u)) for u, _ in p.leading]
    names = sorted({s.name for t in p.terms for s in t.free_symbols})
    k = sympy.Integer(len(premises))
    try:
        for term, exponents in p.rest:
            found = _rest_bound(p, term, exponents)
            if found is None:
                return None
            k += found[0]
            premises.append(found[1])
        whole = Formula(">=", Term("*", to_term(k), M), Term("*", Term("v", SCALE), total(p)))
        certificate = [(Term("q", 1, 1), [i]) for i in range(len(premises))]
        return k, kernel.arith(whole, premises, certificate, [*names, SCALE])
    except KernelError:
        return None


def total(p: Polynomial) -> Term:
    """Return the polynomial as a term."""
    return Term("+", Term("q", 0, 1), *map(to_term, p.terms))


def _at_most(u: sympy.Expr) -> Formula:
    return Formula(">=", M, Term("*", Term("v", SCALE), to_term(u)))


def _rest_bound(p: Polynomial, term: sympy.Expr, exponents: Vector) -> tuple[sympy.Rational, Theorem] | None:
    """Return (c, `c M >= s term`), from `M >= s u` for the leading terms u."""
    monomials = [sympy.Mul(*(x**e for x, e in zip(p.symbols, es, strict=True))) for _, es in p.leading]
    coefficients = [u / m for (u, _), m in zip(p.leading, monomials, strict=True)]
    m = sympy.Mul(*(x**e for x, e in zip(p.symbols, exponents, strict=True)))
    own = term / m
    found = mean(exponents, [es for _, es in p.leading], [bool(x.is_integer) for x in p.symbols])
    if found is None or not all(c.is_Rational for c in (own, *coefficients)):
        return None
    times, over = found
    least = min(coefficients)
    factor = own / least
    denied = Formula(">", Term("*", Term("v", SCALE), to_term(term)), Term("*", to_term(factor), M))
    premises = [kernel.assume(denied), *(kernel.assume(_at_most(u)) for u, _ in p.leading)]
    sequence = [i for i, n in enumerate(times) for _ in range(n)]
    certificate: list[tuple[sympy.Expr, list[int]]] = []
    for done, i in enumerate(sequence):  # s m - s a = (s term - factor M)/own + ((M - s u) + s (u - least a))/least
        rest = sympy.Mul(*(S * monomials[j] for j in sequence[done + 1 :]))
        weight = (S * m) ** done * rest
        certificate.append((weight / own, [0]))
        certificate.append((weight / least, [1 + i]))
        certificate.append((weight * S * (coefficients[i] - least) * monomials[i] / least, []))
    common = (S * m) ** len(sequence)
    for x, power in zip(p.symbols, over, strict=True):  # m^k x^o y^q = a_1 ... a_k, and x^o y^q >= 1
        if power:
            premises.append(kernel.assume(Formula(">=", to_term(x), Term("q", 1, 1))))
            certificate.append((common * sympy.Add(*(x**r for r in range(power))), [len(premises) - 1]))
            common *= x**power
    names = sorted({s.name for t in p.terms for s in t.free_symbols})
    made = [(to_term(c), chosen) for c, chosen in certificate if c != 0]
    theorem = kernel.arith(Formula("false"), premises, made, [*names, SCALE])
    theorem = kernel.discharge(theorem, denied)
    return factor, kernel.propositional(Formula(">=", denied[2], denied[1]), [theorem])
