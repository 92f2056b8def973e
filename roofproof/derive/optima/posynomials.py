"""Posynomials in several unknowns: the weighted AM-GM inequality gives the minimum in closed form."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import lcm

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import surely_positive
from roofproof.derive.algebra.text import plain
from roofproof.derive.optima.constraints import Domain
from roofproof.derive.optima.extremum import Approached, Attained, Outcome, Point
from roofproof.errors import RoofproofError, quoted

MAX_POSYNOMIAL = 10


@dataclass(frozen=True, slots=True)
class Posynomial:
    """A sum of terms c * x^p * y^q ... with positive coefficients, and a constant free of the unknowns.

    >>> from roofproof.symbols import quantity
    >>> a, b, x, y = map(quantity, "abxy")
    >>> posynomial(a*x/y + b*y**2 + 3, (x, y)).exponents
    ((1, -1), (0, 2))
    """

    unknowns: tuple[sympy.Symbol, ...]
    coefficients: tuple[sympy.Expr, ...]
    exponents: tuple[tuple[sympy.Rational, ...], ...]
    constant: sympy.Expr

    def weights(self) -> list[dict[int, sympy.Rational]]:
        """Return the basic solutions w > 0 of sum w_i = 1, sum w_i a_i = 0, each over as few terms as possible."""
        found = []
        for size in range(2, len(self.unknowns) + 2):
            for chosen in combinations(range(len(self.exponents)), size):
                rows = [[self.exponents[i][k] for i in chosen] for k in range(len(self.unknowns))]
                system = sympy.Matrix([*rows, [1] * size])
                if system.rank() < size:
                    continue
                right = sympy.Matrix([0] * len(rows) + [1])
                if system.row_join(right).rank() > size:
                    continue
                solution = (system.T * system).LUsolve(system.T * right)
                if all(w > 0 for w in solution):
                    found.append(dict(zip(chosen, solution, strict=True)))
        return found


def posynomial(f: sympy.Expr, unknowns: tuple[sympy.Symbol, ...]) -> Posynomial:
    """Return an expression as a posynomial in the unknowns.

    Raises RoofproofError if it is not one, or if a coefficient is not known to be positive.
    """
    terms: dict[tuple[sympy.Rational, ...], sympy.Expr] = {}
    for term in sympy.Add.make_args(sympy.expand(f)):
        coefficient, powers = term.as_independent(*unknowns, as_Add=False)
        table = powers.as_powers_dict()
        if not all(base in unknowns and e.is_Rational for base, e in table.items() if base != 1):
            raise RoofproofError(
                f"{quoted(plain(term))} is not a product of powers of {', '.join(map(str, unknowns))}; in several "
                "unknowns the optimum is found for sums of such products"
            )
        key = tuple(sympy.Rational(table.get(x, 0)) for x in unknowns)
        terms[key] = terms.get(key, sympy.Integer(0)) + coefficient
    constant = terms.pop((sympy.Integer(0),) * len(unknowns), sympy.Integer(0))
    for coefficient in terms.values():
        if not (surely_positive(coefficient) or coefficient.is_positive):
            raise RoofproofError(
                "the coefficient <coefficient> is not known to be positive", coefficient=quoted(plain(coefficient))
            )
    if len(terms) > MAX_POSYNOMIAL:
        raise RoofproofError(
            "a sum of <count> products in several unknowns; the limit is <most>", count=len(terms), most=MAX_POSYNOMIAL
        )
    order = sorted(terms, reverse=True)
    return Posynomial(unknowns, tuple(terms[k] for k in order), tuple(order), constant)


def several(f: sympy.Expr, domain: Domain, assume: Sequence[Boolean]) -> list[tuple[Boolean, Outcome]]:
    """Return the minimum over several unknowns: by weighted AM-GM, or over one unknown after the other.

    >>> from roofproof.derive.optima.optima import minimum
    >>> from roofproof.symbols import quantity
    >>> a, b, x, y = map(quantity, "abxy")
    >>> print(minimum(a*x + b/x + 1/y, (x, y)))                # 1/y -> 0
    2*sqrt(a)*sqrt(b), approached as x -> sqrt(b)/sqrt(a), y -> oo, not attained

    Raises RoofproofError if neither gives a closed form.

    Source: Boyd and Vandenberghe, Convex Optimization, section 4.5; Duffin, Peterson and Zener, Geometric
    Programming: with one term more than unknowns the weights of the terms at the optimum do not depend on the
    coefficients.
    """
    outcome = None if f.has(sympy.Max, sympy.Min) else _by_weights(posynomial(f, domain.free))
    return one_by_one(f, domain, assume) if outcome is None else [(sympy.true, outcome)]


def _by_weights(p: Posynomial) -> Outcome | None:
    basic = p.weights()
    if not basic:
        return Approached(p.constant, _drift(p, []))
    w, *others = basic
    if others:
        return None
    used = sorted(w)
    value = product_of_powers([(p.coefficients[i] / w[i], w[i]) for i in used])
    if len(used) < len(p.exponents):
        return Approached(value + p.constant, (*_kept(p, w), *_drift(p, used)))
    # Every term is its weight's share of the value, which gives linear equations for the logarithms of the unknowns.
    _, pivots = sympy.Matrix([p.exponents[i] for i in used]).rref()
    at = {x: sympy.Integer(1) for x in p.unknowns} | _point(p, w, pivots)  # unknowns that they leave open are 1
    return Attained(value + p.constant, tuple(at.items()), unique=len(pivots) == len(p.unknowns))


def product_of_powers(parts: Sequence[tuple[sympy.Expr, sympy.Rational]]) -> sympy.Expr:
    """Return the product of base**exponent, with the numbers under one root.

    >>> from roofproof.symbols import quantity
    >>> a, third = quantity("a"), sympy.Rational(1, 3)
    >>> product_of_powers([(3*a, third), (sympy.Integer(9), third)])           # (27 a)^(1/3)
    3*a**(1/3)
    """
    n = lcm(*(int(e.q) for _, e in parts))
    number, rest = sympy.Integer(1), sympy.Integer(1)
    for base, e in parts:
        c, symbolic = base.as_coeff_Mul()
        number *= c ** (e * n)
        rest *= symbolic**e
    return number ** sympy.Rational(1, n) * rest


def _shares(p: Posynomial, w: dict[int, sympy.Rational], row: Sequence[sympy.Rational]) -> sympy.Expr:
    """Return the product of (w_i V / c_i)^row_i for the value V = product of (c_j / w_j)^w_j."""
    used = sorted(w)
    return product_of_powers([(p.coefficients[i] / w[i], w[i] * sum(row) - row[j]) for j, i in enumerate(used)])


def _point(p: Posynomial, w: dict[int, sympy.Rational], chosen: Sequence[int]) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the point where each term is its weight's share of the value, for the `chosen` unknowns."""
    system = sympy.Matrix([[p.exponents[i][k] for k in chosen] for i in sorted(w)])
    inverse = (system.T * system).inv() * system.T
    return {p.unknowns[k]: _shares(p, w, list(inverse.row(j))) for j, k in enumerate(chosen)}


def _kept(p: Posynomial, w: dict[int, sympy.Rational]) -> Point:
    """Return the point that minimises the terms that do not vanish, if they determine their unknowns."""
    inside = [k for k in range(len(p.unknowns)) if any(p.exponents[i][k] for i in w)]
    settled = sympy.Matrix([[p.exponents[i][k] for k in inside] for i in sorted(w)]).rank() == len(inside)
    return tuple(_point(p, w, inside).items()) if settled else ()


def _drift(p: Posynomial, kept: Sequence[int]) -> Point:
    """Return the unknowns that must go to 0 or infinity for the other terms to vanish, only one if that is enough."""
    rest = [i for i in range(len(p.exponents)) if i not in kept]
    for k, x in enumerate(p.unknowns):
        if any(p.exponents[i][k] for i in kept):
            continue
        for turn, end in ((-1, sympy.oo), (1, sympy.Integer(0))):
            if all(p.exponents[i][k] * turn > 0 for i in rest):
                return ((x, end),)
    free = [k for k in range(len(p.unknowns)) if not any(p.exponents[i][k] for i in kept)]
    out = []
    for k in free:
        turns = {sympy.sign(p.exponents[i][k]) for i in rest} - {0}
        if len(turns) == 1:
            out.append((p.unknowns[k], sympy.oo if turns == {-1} else sympy.Integer(0)))
    covered = all(any(p.exponents[i][p.unknowns.index(x)] for x, _ in out) for i in rest)
    return tuple(out) if covered else ()


def one_by_one(f: sympy.Expr, domain: Domain, assume: Sequence[Boolean]) -> list[tuple[Boolean, Outcome]]:
    """Return the minimum over the last unknown with the others fixed, minimised over the others.

    Raises RoofproofError if an inner minimum has cases, is not attained, or has no closed form.
    """
    from roofproof.derive.optima.optimum_search import univariate

    *others, last = domain.free
    inner = univariate(f, Domain((last,)), assume)
    found = inner[0][1]
    if len(inner) != 1 or not isinstance(found, Attained):
        said = "; ".join(str(outcome) for _, outcome in inner)
        raise RoofproofError(
            f"in {len(domain.free)} unknowns the optimum of {quoted(plain(f))} has no closed form here: "
            f"over {last} alone it is {said}"
        )
    rest = Domain(tuple(others))
    cases = univariate(found.value, rest, assume) if len(others) == 1 else several(found.value, rest, assume)
    out: list[tuple[Boolean, Outcome]] = []
    for when, outcome in cases:
        if isinstance(outcome, Attained):
            inside = found.at[0][1].xreplace(dict(outcome.at))
            at = (*outcome.at, (last, sympy.powsimp(sympy.powdenest(sympy.radsimp(inside), force=True))))
            outcome = Attained(outcome.value, at, outcome.unique and found.unique)
        out.append((when, outcome))
    return out
