"""Limits of rational functions in a regime, with the exact relative error of taking the limit for the function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy

from roofproof.derive.derivation import Derivation, Step
from roofproof.derive.polynomial import Poly, Ring, content, factored_fraction, sign
from roofproof.derive.regime import Regime
from roofproof.errors import RoofproofError


@dataclass(frozen=True, slots=True)
class Limit:
    """The value a function tends to, and by how much that value misses the function.

    `relative_error` is |value - f| / f in closed form; None where the limit is zero or infinite. `growth` is the
    leading term where the limit is zero or infinite.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> found = limit(N/(2*N + 1), "N -> oo")                  # |1/2 - I| / I = (2 N + 1)/(2 N) - 1
    >>> found.value, found.relative_error, limit(N**2/(N + 1), "N -> oo").growth
    (1/2, 1/(2*N), N)
    """

    expr: sympy.Expr
    regime: Regime
    value: sympy.Expr
    relative_error: sympy.Expr | None
    growth: sympy.Expr | None
    derivation: Derivation


def limit(expr: sympy.Expr, regime: Regime | str) -> Limit:
    """Return the limit of a rational function as the growing symbols grow, each at its own rate.

    >>> from roofproof.symbols import dimension
    >>> B, D, F, N = map(dimension, "BDFN")
    >>> found = limit(B*D*F/(B*D + D*F + B*F), "D, F >> B")
    >>> found.value, found.relative_error                  # B / (1 + B/D + B/F): off by B/D + B/F of the truth
    (B, B/F + B/D)
    >>> limit((2*N - 1)/(4*N + 2), "N -> oo").relative_error
    2/(2*N - 1)

    Raises RoofproofError when a symbol of the regime does not occur, and when the limit depends on how fast
    the symbols grow against each other.
    """
    if isinstance(regime, str):
        regime = Regime(regime)
    ring = Ring.of(expr)
    names = {s.name: s for s in expr.free_symbols}
    growing = [names[n] for n in regime.growing if n in names]
    num, den = ring.fraction(expr)
    value, growth, because = _tends(ring, num, den, growing)
    error = None
    if growth is None:
        error = _relative_error(ring, value, num, den)
    tends = sympy.Symbol(f"lim({regime.text})")
    steps = [Step(sympy.Eq(tends, value), because, "limit")]
    if error is not None:
        steps.append(Step(sympy.Eq(sympy.Symbol("relative_error"), error), "|limit - I| / I, exactly", "error"))
    return Limit(expr, regime, value, error, growth, Derivation(tuple(steps)))


def _tends(
    ring: Ring, num: Poly, den: Poly, growing: Sequence[sympy.Symbol]
) -> tuple[sympy.Expr, sympy.Expr | None, str]:
    """Return (limit, leading term where the limit is 0 or infinite, reason)."""
    grow = [ring.context.variable_to_index(str(ring.gen(s))) for s in growing]
    if not grow or num.is_zero():
        return factored_fraction(ring, num, den), None, "free of what grows"
    top, bottom = _leading(num, grow), _leading(den, grow)
    if top is None or bottom is None:
        if _dominates(den, num, grow):
            return sympy.Integer(0), factored_fraction(ring, num, den), "the denominator outgrows every term"
        if _dominates(num, den, grow):
            return sympy.oo, factored_fraction(ring, num, den), "the numerator outgrows every term"
        raise _depends(ring, growing)
    (p, up), (q, down) = top, bottom
    if sign(q) is None or sign(p) is None:
        raise RoofproofError(
            f"the leading term of {ring.factored(p)}/{ring.factored(q)} may be zero; the limit is not settled"
        )
    steps = [up[i] - down[i] for i in grow]
    lead = factored_fraction(ring, p, q)
    terms = f"leading terms: {ring.factored(p)} over {ring.factored(q)}"
    if not any(steps):
        return lead, None, terms
    if all(s <= 0 for s in steps):
        return sympy.Integer(0), lead, terms
    if all(s >= 0 for s in steps):
        return sympy.oo * (sign(p) or 0) * (sign(q) or 0), lead, terms
    raise _depends(ring, growing)


def _depends(ring: Ring, growing: Sequence[sympy.Symbol]) -> RoofproofError:
    names = " and ".join(s.name for s in growing)
    return RoofproofError(
        f"the limit depends on how fast {names} grow against each other; let one of them grow at a time"
    )


def _leading(poly: Poly, grow: Sequence[int]) -> tuple[Poly, tuple[int, ...]] | None:
    """Return the terms with the highest power of every growing symbol, or None if no term has all of them."""
    terms = poly.to_dict()
    top = {i: max(m[i] for m in terms) for i in grow}
    lead = {m: c for m, c in terms.items() if all(m[i] == top[i] for i in grow)}
    return (poly.context().from_dict(lead), next(iter(lead))) if lead else None


def _dominates(larger: Poly, smaller: Poly, grow: Sequence[int]) -> bool:
    """Tell whether every term of `smaller` is outgrown by a term of `larger`, whose terms are all positive."""
    if sign(larger) != 1:
        return False
    return all(
        any(all(m[i] >= n[i] for i in grow) and any(m[i] > n[i] for i in grow) for m in larger.monoms())
        for n in smaller.monoms()
    )


def _relative_error(ring: Ring, value: sympy.Expr, num: Poly, den: Poly) -> sympy.Expr:
    """Return |value - num/den| / (num/den), as a sum of simple fractions where the numerator is one term."""
    p, q = ring.fraction(value)
    top, bottom = p * den - q * num, q * num
    common = top.gcd(bottom)
    if top.is_zero():
        return sympy.Integer(0)
    top, bottom = top / common, bottom / common
    top, bottom = top / (scale := content(top, bottom)), bottom / scale
    if sign(bottom) == -1 or (sign(top) == -1 and sign(bottom) != -1):
        top = -top if sign(top) == -1 else top
        bottom = -bottom if sign(bottom) == -1 else bottom
    if len(bottom) == 1:
        below = ring.expr(bottom)
        return sympy.Add(*(ring.expr(ring.context.from_dict({m: c})) / below for m, c in top.to_dict().items()))
    return factored_fraction(ring, top, bottom)
