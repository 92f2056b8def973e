"""Quotients of polynomials in one unknown, coefficients low to high, and their positive zeros by Sturm's theorem."""

from fractions import Fraction
from itertools import pairwise, zip_longest

from independent.numbers import Real, real

Poly = list[Fraction]


def trimmed(p: Poly) -> Poly:
    while p and p[-1] == 0:
        p = p[:-1]
    return p


def plus(p: Poly, q: Poly) -> Poly:
    return trimmed([a + b for a, b in zip_longest(p, q, fillvalue=Fraction(0))])


def times(p: Poly, q: Poly) -> Poly:
    out = [Fraction(0)] * max(0, len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            out[i + j] += a * b
    return trimmed(out)


def scaled(p: Poly, factor: Fraction | int) -> Poly:
    return trimmed([factor * a for a in p])


def slope(p: Poly) -> Poly:
    return [k * a for k, a in enumerate(p)][1:]


def at(p: Poly, x: Fraction) -> Fraction:
    out = Fraction(0)
    for a in reversed(p):
        out = out * x + a
    return out


def divided(p: Poly, q: Poly) -> tuple[Poly, Poly]:
    whole: Poly = [Fraction(0)] * max(0, len(p) - len(q) + 1)
    while len(p) >= len(q):
        factor, shift = p[-1] / q[-1], len(p) - len(q)
        whole[shift] = factor
        p = plus(p, [Fraction(0)] * shift + scaled(q, -factor))
    return trimmed(whole), p


def common(p: Poly, q: Poly) -> Poly:
    while q:
        p, q = q, divided(p, q)[1]
    return scaled(p, 1 / p[-1]) if p else p


def positive_zeros(p: Poly, bits: int) -> list[Real]:
    """Return each positive zero once, in order, as an interval of relative width at most 2^-bits."""
    p = trimmed(p)
    while p and p[0] == 0:
        p = p[1:]
    if len(p) < 2:
        return []
    p = divided(p, common(p, slope(p)))[0]
    chain = [p, slope(p)]
    while len(chain[-1]) > 1:
        chain.append(scaled(divided(chain[-2], chain[-1])[1], -1))
    bound = 1 + max(abs(a / p[-1]) for a in p)

    def changes(x: Fraction) -> int:
        signs = [v > 0 for q in chain if (v := at(q, x)) != 0]
        return sum(a != b for a, b in pairwise(signs))

    found: list[Real] = []
    spans = [(Fraction(0), bound)]
    while spans:  # half-open intervals (low, high]
        low, high = spans.pop()
        count = changes(low) - changes(high)
        if count == 1:
            found.append(_narrowed(p, low, high, bits))
        elif count:
            middle = (low + high) / 2
            spans += [(low, middle), (middle, high)]
    return sorted(found, key=lambda r: r.low)


def _narrowed(p: Poly, low: Fraction, high: Fraction, bits: int) -> Real:
    if at(p, high) == 0:
        return real(high)
    rising = at(p, high) > 0
    while low == 0 or (high - low) * 2**bits > low:
        middle = (low + high) / 2
        value = at(p, middle)
        if value == 0:
            return real(middle)
        low, high = (low, middle) if (value > 0) == rising else (middle, high)
    near = ((low + high) / 2).limit_denominator(10**8)
    return real(near) if at(p, near) == 0 else Real(low, high)
