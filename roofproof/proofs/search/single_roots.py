"""A polynomial whose coefficients change sign once has one positive root: below it negative, above it positive.

With p(y) = 0 and p = sum of c_k x^k, p(x) = (x - y) * sum over j of x^(j-1) H_j(y) for H_j(y) = sum over k >= j of
c_k y^(k-j). Where H_j has a negative coefficient, y^j H_j(y) = p(y) - sum over k < j of c_k y^k, which has none. So
y^m p(x) is (x - y) times a polynomial with positive coefficients, up to a multiple of p(y). (Descartes' rule.)
"""

from collections.abc import Iterator

from flint import fmpq

from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.search.handelman import Facts
from roofproof.proofs.search.polynomials import Poly


def beside_the_root(facts: Facts) -> Theorem | None:
    """Return `false` from p(r) = 0, a bound of x by a multiple of r, and a sign of p there that is wrong, or None.

    >>> from roofproof.proofs.kernel import kernel
    >>> x, r = ("v", "x"), ("v", "r")
    >>> p = lambda t: ("+", ("^", t, 3), ("*", ("q", -1, 1), t), ("q", -2, 1))              # t^3 - t - 2
    >>> given = [("=", p(r), ("q", 0, 1)), (">", x, r), (">", ("q", 0, 1), p(x))]
    >>> beside_the_root(Facts(list(map(kernel.assume, given)), ["r", "x"])).conclusion
    ('false',)
    """
    roots = [(i, k, e) for i, e in enumerate(facts.polys) if facts.kinds[i] == "=" for k in _only(e)]
    for i, r, e in roots:
        for j, x, t, above, size in _bounds(facts, r):
            for n, p in enumerate(facts.polys):
                if facts.kinds[n] != "=" and list(_only(p)) == [x]:
                    found = _contradiction(facts, (i, e), (j, t, above, size), (n, p), x, r)
                    if found is not None:
                        return found
    return None


def _only(p: Poly) -> Iterator[int]:
    """Yield the variable of a polynomial in one variable, of degree two at least."""
    used = [k for k, d in enumerate(p.degrees()) if d]
    if len(used) == 1 and p.degrees()[used[0]] > 1:
        yield used[0]


def _bounds(facts: Facts, r: int) -> Iterator[tuple[int, int, fmpq, bool, fmpq]]:
    """Yield (fact, x, t, whether x is above t r, c) for facts c (x - t r) or c (t r - x) compared with zero."""
    for j, p in enumerate(facts.polys):
        rows = {tuple(m).index(1): c for m, c in p.to_dict().items() if sum(m) == 1}
        if len(rows) == len(p) == 2 and r in rows and facts.kinds[j] != "=":
            [x] = set(rows) - {r}
            if (rows[x] > 0) != (rows[r] > 0):
                yield j, x, -rows[r] / rows[x], rows[x] > 0, abs(rows[x])


def _contradiction(
    facts: Facts, root: tuple[int, Poly], bound: tuple[int, fmpq, bool, fmpq], fact: tuple[int, Poly], x: int, r: int
) -> Theorem | None:
    (i, e), (j, t, above, size), (n, whole) = root, bound, fact
    ring = facts.ring
    one, gens = ring.context.constant(1), ring.context.gens()
    p = -whole if above else whole  # to be positive above the root
    c = [fmpq(0)] * (p.degrees()[x] + 1)
    for m, value in p.to_dict().items():
        c[m[x]] = value
    changes = [k for k in range(1, len(c)) if c[k] > 0 > min(c[:k])]
    if c[-1] <= 0 or not changes or any(value < 0 for value in c[changes[0] :]) or any(v > 0 for v in c[: changes[0]]):
        return None
    u, y = gens[x], gens[r] * t
    at = sum((value * y**k for k, value in enumerate(c)), one * 0)
    if at.is_zero() or at * e.leading_coefficient() != e * at.leading_coefficient():
        return None
    lower = [k for k in range(1, len(c)) if min(c[k:]) < 0]
    m = max(lower, default=0)
    factor, rest = y**m, one * 0
    for k in range(1, len(c)):
        if k in lower:
            factor += (u - y) * u ** (k - 1) * y ** (m - k)
            rest -= u ** (k - 1) * y ** (m - k) * sum((c[h] * y**h for h in range(k)), one * 0)
        else:
            rest += u ** (k - 1) * y**m * sum((c[h] * y ** (h - k) for h in range(k, len(c))), one * 0)
    turn = 1 if above else -1
    scale = at.leading_coefficient() / e.leading_coefficient()
    parts = [(y**m, [n]), (factor * (scale * turn), [i]), (rest / size, [j])]
    return facts.finish([(ring.term(q), chosen) for q, chosen in parts], one * 0)
