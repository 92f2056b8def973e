"""Logarithms of products as sums, and powers of sums as products, so that equal ones look alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import sympy

from roofproof.derive.algebra.budget import Budget
from roofproof.derive.algebra.exact_comparison import by_small_primes
from roofproof.errors import RoofproofError
from roofproof.ops.notation.logarithm import log2
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import MAX_EXPONENT, KernelError, Term
from roofproof.proofs.search import tactics
from roofproof.proofs.translate import positive, with_functions

STEPS = 500_000


def logarithms_apart(expr: sympy.Basic) -> sympy.Basic:
    """Return an expression or a condition with each log2 of a product as a sum, of numbers by their small primes.

    >>> n = sympy.Symbol("n", positive=True)
    >>> logarithms_apart(log2(1024*n**2)), logarithms_apart(log2(sympy.Rational(12, 5)))     # 12/5 = 2^2 * 3 / 5
    (2*log2(n) + 10, -log2(5) + log2(3) + 2)

    It stays as it is where a name may be zero or negative, or the kernel does not prove the two equal.
    """
    return expr.xreplace({f: _expanded(f) for f in expr.atoms(log2)})


def exponents_apart(expr: sympy.Basic) -> sympy.Basic:
    """Return an expression or a condition with each power of a sum as a product of powers.

    >>> n = sympy.Symbol("n", positive=True)
    >>> exponents_apart(3**(n + 2) + 1)                                          # 3^n * 3^2 + 1
    9*3**n + 1

    It stays as it is where a name in a base may be zero or negative, or the kernel does not prove the two equal.
    """
    return expr.xreplace({p: _apart(p) for p in expr.atoms(sympy.Pow) if p.exp.free_symbols})


def _expanded(logarithm: sympy.Expr) -> sympy.Expr:
    if not _all_positive(logarithm):
        return logarithm
    (inside,) = logarithm.args
    factors = list(_factors(sympy.factor(inside)))
    total = sympy.Add(*(power * log2(base) for base, power in factors))
    try:
        product: Term = ("*", *(part for base, power in factors for part in _raised(base, power)))
        equal = kernel.identity(with_functions(inside), product, _names(logarithm))
        return total if _says(kernel.logarithm(equal), total) else logarithm
    except (KernelError, RoofproofError):
        return logarithm


def _apart(power: sympy.Pow) -> sympy.Expr:
    apart = sympy.expand_power_exp(power)
    if apart == power or not _all_positive(power.base):
        return power
    try:
        exponent = with_functions(power.exp)
        same = kernel.identity(exponent, exponent, _names(power))
        return apart if _says(kernel.exponential(with_functions(power.base), same), apart) else power
    except (KernelError, RoofproofError):
        return power


def _factors(product: sympy.Expr) -> Iterator[tuple[sympy.Expr, sympy.Expr]]:
    """Yield the factors with their powers, a number by its primes."""
    for factor in sympy.Mul.make_args(product):
        base, power = factor.as_base_exp()
        if base.is_Rational and base.is_positive and power.is_Integer:
            yield from ((p, e * power) for p, e in by_small_primes(base).items())
        else:
            yield base, power


def _raised(base: sympy.Expr, power: sympy.Expr) -> Iterator[Term]:
    """Yield factors that make up a power, none with an exponent beyond what a term may have."""
    if not power.is_Integer:
        yield with_functions(sympy.Pow(base, power))
        return
    below, left = with_functions(base), abs(int(power))
    while left:
        part: Term = ("^", below, min(left, MAX_EXPONENT))
        yield part if power > 0 else ("/", ("*",), part)
        left -= part[2]


def _says(theorem: Theorem, value: sympy.Expr) -> bool:
    """Tell whether an equation has this value on its right, and what it supposes holds where names are positive."""
    _, _, right = theorem.conclusion
    kernel.identity(right, with_functions(value), _names(value))  # raises where they differ
    return where_positive(theorem, _names(value))


def where_positive(theorem: Theorem, names: Sequence[str]) -> bool:
    """Tell whether what a theorem supposes holds wherever the names are positive."""
    given = positive(names)
    search = tactics.Search([*given, *theorem.hypotheses], Budget(STEPS))
    return all(search.prove(hypothesis, given) is not None for hypothesis in theorem.hypotheses)


def _all_positive(expr: sympy.Expr) -> bool:
    return all(s.is_positive for s in expr.free_symbols)


def _names(expr: sympy.Expr) -> list[str]:
    return sorted(s.name for s in expr.free_symbols if s.is_positive)
