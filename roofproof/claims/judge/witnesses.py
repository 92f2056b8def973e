"""Candidate values for `exists t`, from the roots of its statement, and points at which they are tried."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, islice, product

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.domain import Domain
from roofproof.derive.algebra.text import plain
from roofproof.proofs.kernel.terms import Formula, Term, variables
from roofproof.proofs.known import holds

_POINTS = (1, 2, Fraction(1, 2), 3, 10, 100, Fraction(1, 10))
MAX_ROOTS, MAX_NAMES, MAX_DEGREE = 6, 4, 8
_NUMBERS = tuple(map(sympy.Rational, (1, 2, "1/2", 3, 0, -1)))
_LARGE = tuple(map(sympy.Integer, (100, 2_048, 10**6)))


def witnesses(symbol: sympy.Symbol, said: list[Boolean], allowed: frozenset[sympy.Symbol]) -> Iterator[sympy.Expr]:
    """Yield candidate values for a name, made of the allowed names: those from roots first, then simple ones.

    >>> t, R = sympy.symbols("t R", positive=True)
    >>> next(witnesses(t, [t > R, t < R + 2], frozenset([R])))                   # between R and R + 2
    R + 1
    """
    met = (root for leaf in said for root in _roots(symbol, leaf))
    roots = list(dict.fromkeys(r for r in met if r.free_symbols <= allowed and r.is_real is not False))[:MAX_ROOTS]
    names = sorted(allowed, key=str)[:MAX_NAMES]
    ones = [*_NUMBERS, *names, *(v for n in names for v in (n + 1, 2 * n, (n + 1) ** 2)), *_LARGE]
    if symbol.is_integer:
        down = [sympy.floor(r) + k for r in roots for k in (1, 0)]
        up = [sympy.ceiling(r) + k for r in roots for k in (0, -1)]
        tried = [v for v in (*down, *up, *ones) if v.is_integer]
    else:
        between = [(a + b) / 2 for a, b in combinations(roots, 2)]
        beside = [v for r in roots for v in (r + 1, r / 2, r, 2 * r, r - 1)]
        beyond = [sympy.Max(*roots) + 1, sympy.Min(*roots) / 2] if len(roots) > 1 else []
        tried = [*between, *beside, *beyond, *ones]
    if symbol.is_positive:  # a root may be below all sizes
        tried += [sympy.Max(v, 1) for v in tried[:8] if not v.is_positive]
    yield from dict.fromkeys(v for v in tried if v.is_real is not False and v.is_finite is not False)


def lies_there(symbol: sympy.Symbol, value: sympy.Expr) -> Boolean:
    """Return the condition that a value is in the range of a name. Only integers are chosen for an integer.

    >>> lies_there(sympy.Symbol("t", positive=True), sympy.Symbol("R") + 1)
    R + 1 > 0
    """
    if not symbol.is_nonnegative:
        return sympy.true
    if symbol.is_positive and not symbol.is_integer:
        return sympy.Gt(value, 0, evaluate=False)
    return sympy.Ge(value, 1 if symbol.is_positive else 0, evaluate=False)


def witness_text(value: sympy.Expr) -> str:
    """Return a witness in the claim language.

    >>> witness_text(sympy.ceiling(sympy.Symbol("R")))
    'ceil(R)'
    """
    return re.sub(r"\b(ceil)ing\b|\b(Abs|Max|Min)\b", lambda found: (found[1] or found[2]).lower(), plain(value))


def _roots(symbol: sympy.Symbol, leaf: Boolean) -> Iterator[sympy.Expr]:
    """Yield the values at which the two sides of a comparison are equal, as far as roots give these."""
    for each in sorted(leaf.atoms(Relational), key=sympy.default_sort_key):
        if symbol not in each.free_symbols:
            continue
        above = _squared(symbol, sympy.together(each.lhs - each.rhs).as_numer_denom()[0])
        try:
            found = sympy.Poly(above, symbol)
        except sympy.PolynomialError:
            continue
        if found.degree() == 1:
            a, b = found.all_coeffs()
            yield sympy.cancel(-b / a)
        elif 2 < found.degree() <= MAX_DEGREE and not found.free_symbols_in_domain:
            yield from (root for root in sympy.roots(found) if root.is_real)
        elif found.degree() > 2 and len(found.terms()) == 2 and found.eval(0) != 0:
            yield (-found.eval(0) / found.LC()) ** sympy.Rational(1, found.degree())
        elif found.degree() == 2:
            a, b, c = found.all_coeffs()
            under = b * b - 4 * a * c
            if under.is_nonnegative is not False:
                yield from ((-b + sign * sympy.sqrt(under)) / (2 * a) for sign in (1, -1))


def _squared(symbol: sympy.Symbol, above: sympy.Expr) -> sympy.Expr:
    """Return an expression without the one square root that contains a name, with the same root.

    >>> x = sympy.Symbol("x", positive=True)
    >>> _squared(x, 2*sympy.sqrt(x - 10) - 8)                                        # sqrt(x - 10) = 4
    x - 26
    """
    held = [p for p in above.atoms(sympy.Pow) if p.exp == sympy.Rational(1, 2) and symbol in p.free_symbols]
    root = sympy.Dummy()
    slope = sympy.diff(above.xreplace({held[0]: root}), root) if len(held) == 1 else sympy.S.Zero
    if slope.is_zero or {symbol, root} & slope.free_symbols:
        return above
    rest = above.xreplace({held[0]: sympy.S.Zero})
    return above if symbol in rest.free_symbols else held[0].base - (rest / slope) ** 2


def points(symbols: list[sympy.Symbol], domain: Domain) -> Iterator[dict[str, Fraction]]:
    """Yield points of the domain with simple coordinates.

    >>> x = sympy.Symbol("x", positive=True)
    >>> next(points([x], Domain(assumptions=(Formula(">", Term("v", "x"), Term("q", 2, 1)),))))["x"] > 2
    True
    """
    choices: list[list[Fraction]] = []
    for s in symbols:
        numbers = [Fraction(v) for v in _POINTS if not s.is_integer or Fraction(v).denominator == 1]
        loose = [Fraction(0)] if s.is_positive is None and s.is_negative is not True else []
        choices.append([*numbers[:3], *loose, *([Fraction(-1)] if s.is_nonnegative is None else []), *numbers[3:]])
    tried = islice(product(*choices), 5_000)
    for values in sorted(tried, key=lambda v: max((choices[k].index(x) for k, x in enumerate(v)), default=0)):
        point = {s.name: v for s, v in zip(symbols, values, strict=True)}
        if _lies_in(domain, point):
            yield point


def _lies_in(domain: Domain, point: Mapping[str, Fraction]) -> bool:
    """Return whether a point lies in a domain for some values of the names that it leaves out."""
    if any(point[n].denominator != 1 for n in domain.integers & point.keys()):
        return False
    told = [f for f in domain.assumptions if variables(f) <= point.keys()]
    here = (Formula("=", Term("v", n), Term.rational(v)) for n, v in point.items())
    return all(holds(f, point) for f in told) and (len(told) == len(domain.assumptions) or domain.can_hold(*here))
