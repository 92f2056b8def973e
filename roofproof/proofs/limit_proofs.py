"""Proving limits: the limit itself by the kernel's rule, the relative error as an identity."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

from roofproof.derive.limits import Limit
from roofproof.proofs import kernel, tactics
from roofproof.proofs.kernel import Theorem
from roofproof.proofs.terms import KernelError
from roofproof.proofs.translate import to_term


@dataclass(frozen=True, slots=True)
class ProvedLimit:
    """A limit with the theorems behind it: that it is the limit, and what its relative error is.

    For an infinite limit the theorem says that the reciprocal tends to zero.

    >>> from roofproof.derive.limits import limit
    >>> from roofproof.symbols import quantity
    >>> N = quantity("N")
    >>> proved = prove_limit(limit(N/(2*N + 1), "N -> oo"))     # |1/2 - I| = I / (2 N)
    >>> proved.tends.conclusion[3], proved.trust
    (('q', 1, 2), 'kernel')
    """

    limit: Limit
    tends: Theorem | None
    error: Theorem | None

    @property
    def trust(self) -> str:
        wanted = [self.tends] + ([self.error] if self.limit.relative_error is not None else [])
        return "kernel" if all(t is not None for t in wanted) else "undecided"


def prove_limit(found: Limit) -> ProvedLimit:
    """Return the limit with its theorems.

    >>> from roofproof.derive.limits import limit
    >>> from roofproof.symbols import quantity
    >>> B, D, F = map(quantity, "BDF")
    >>> proved = prove_limit(limit(B*D*F/(B*D + D*F + B*F), "D, F >> B"))
    >>> proved.trust
    'kernel'
    >>> proved.tends.conclusion[3]                             # the value B
    ('v', 'B')
    """
    expr, value = found.expr, found.value
    names = sorted({s.name for s in expr.free_symbols})
    growing = [n for n in found.regime.growing if n in names]
    tends = None
    try:
        if not growing:
            tends = kernel.identity(to_term(expr), to_term(value), names)
        elif value.is_infinite:
            tends = kernel.tends(to_term(1 / expr), growing, to_term(sympy.Integer(0)), names)
        else:
            tends = kernel.tends(to_term(expr), growing, to_term(value), names)
    except KernelError:
        pass
    error = None
    if found.relative_error is not None:
        # |value - f| = e f with e >= 0, so one of the two signs of value - f is an identity
        e, f, v = to_term(found.relative_error), to_term(expr), to_term(value)
        signs = _signs_of_denominator(found)
        for sign in (1, -1):
            difference = ("*", ("q", sign, 1), ("+", v, ("*", ("q", -1, 1), f)))
            try:
                error = kernel.identity(difference, ("*", e, f), names, signs)
                break
            except KernelError:
                continue
    return ProvedLimit(found, tends, error)


def _signs_of_denominator(found: Limit) -> list[Theorem]:
    """Return that the error's denominator is positive, which needs integers to be 1 at least: 2N - 1 > 0."""
    below = sympy.denom(sympy.together(found.relative_error))
    whole = [(">=", ("v", s.name), ("q", 1, 1)) for s in sorted(below.free_symbols, key=str) if s.is_integer]
    proved = tactics.prove((">", to_term(below), ("q", 0, 1)), whole)
    return [proved] if proved is not None else []
