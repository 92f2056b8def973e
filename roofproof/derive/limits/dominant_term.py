"""The leading part of a function as symbols grow, one stage after the other.

Exponents decide which terms lead: a term is dropped if another has at least its power of every growing symbol, and a
larger power of one. If one group of symbols grows at a time, roots of sums, logarithms and exponentials are expanded.
Each stage is a theorem (`theorems.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import lcm

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Poly, Ring, factored_fraction, sign
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.regime import OPEN_SIGN, Group
from roofproof.errors import RoofproofError
from roofproof.formula.logarithm import log2
from roofproof.sentences import Sentence, joined
from roofproof.symbols import quantity

Degrees = tuple[int, ...]
MAX_ORDERED = 4  # groups whose orders of growth are compared


class NoJointLimit(Exception):
    """Raised if the value depends on the relative growth of the groups."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage: as the groups grow, `before` / `after` tends to 1, and `before` tends to `value`.

    `value` is `after` itself, or 0 or an infinity. In the last two cases `after` is the rate.
    """

    groups: tuple[Group, ...]
    before: sympy.Expr
    after: sympy.Expr
    value: sympy.Expr
    exact: bool = True  # False if `after` may be zero, so that the ratio may be undefined
    rational: bool = True  # False if it was found by an expansion


@dataclass(frozen=True, slots=True)
class Approach:
    """The stages in which a function tends to its limit, the value, and the rate if the value is 0 or infinite.

    >>> from roofproof.symbols import quantity
    >>> d, r, L = map(quantity, "drL")
    >>> found = approach(L*d/(L + d + r), [((("L", 1),),), ((("d", 1),),)])     # first L, then d
    >>> found.stages[0].after, found.value, found.growth
    (d, oo, d)
    """

    expr: sympy.Expr
    stages: tuple[Stage, ...]
    value: sympy.Expr
    growth: sympy.Expr | None

    @property
    def settling(self) -> tuple[Stage, ...]:
        """The stages at which something grows, up to the one that gives the value."""
        made: tuple[Stage, ...] = ()
        for stage in self.stages:
            if stage.groups:
                made += (stage,)
                if stage.value != stage.after:
                    break
        return made


Orders = tuple[tuple[str, Approach], ...]  # regimes as text, each with the approach to its limit


def approach(expr: sympy.Expr, stages: Sequence[Sequence[Group]], assume: Iterable[Boolean] = ()) -> Approach:
    """Return the limit of `expr`, and the rate, as the groups of each stage grow, one stage after the other.

    Raises NoJointLimit if the limit depends on the order of growth within a stage, and RoofproofError if the sign of a
    leading term is not known.
    """
    done: list[Stage] = []
    value, growth = None, expr
    for groups in stages:
        try:
            stage = _stage(growth, _present(growth, groups), tuple(assume))
        except NoJointLimit:
            if value is None:
                raise
            break  # the limit is known, and the rate found so far is kept
        done.append(stage)
        if stage.value.is_infinite or (stage.value == 0 and stage.after != 0):
            value = stage.value if value is None else value
        if not stage.exact:
            return Approach(expr, tuple(done), stage.value if value is None else value, None)
        growth = stage.after
    return Approach(expr, tuple(done), growth if value is None else value, None if value is None else growth)


def orders(expr: sympy.Expr, groups: Sequence[Group], fixed: Sequence[str] = ()) -> Orders:
    """Return each possible limit once, with the first order of growth (or growth at one rate) that gives it.

    >>> from roofproof.symbols import quantity
    >>> D, F = map(quantity, "DF")
    >>> [(text, found.value) for text, found in orders(D/(D + F), [(("D", 1),), (("F", 1),)], ["B"])]
    [('D >> F >> B', 1), ('F >> D >> B', 0), ('D ~ F >> B', D/(D + F))]
    """
    groups = _present(expr, groups)
    end = f" >> {', '.join(fixed)}" if fixed else " -> oo"
    ways: list[tuple[str, list[list[Group]]]] = []
    if 1 < len(groups) <= MAX_ORDERED and all(rate > 0 for group in groups for _, rate in group):
        for order in permutations(groups):
            ways.append((" >> ".join(map(_said, order)) + end, [[g] for g in order]))
        if all(len(g) == 1 for g in groups):
            ways.append((" ~ ".join(map(_said, groups)) + end, [[tuple(m for g in groups for m in g)]]))
    first: dict[sympy.Expr, tuple[str, Approach]] = {}
    for text, stages in ways:
        try:
            found = approach(expr, stages)
        except (NoJointLimit, RoofproofError):
            continue
        first.setdefault(found.value, (text, found))
    return tuple(first.values())


def in_words(found: Orders, most: int = 4) -> str:
    """Return the values of `orders`, each with one order that gives it."""
    shown: dict[str, str] = {}
    for regime, way in found:
        shown.setdefault(Sentence("infinity") if way.value.is_infinite else plain(way.value), regime)
    said = [Sentence("<value> when <regime>", value=value, regime=f"'{regime}'") for value, regime in shown.items()]
    return joined("<first>, <second>", said[:most] + ["..."] * (len(said) > most))


def _said(group: Group) -> str:
    top = max(rate for _, rate in group)
    powers = [(name, sympy.Rational(top, rate)) for name, rate in group]
    scale = lcm(*(int(p.q) for _, p in powers))
    return " ~ ".join(name if (p := power * scale) == 1 else f"{name}^{p}" for name, power in powers)


def _present(expr: sympy.Expr, groups: Sequence[Group]) -> tuple[Group, ...]:
    names = {s.name for s in expr.free_symbols}
    kept = (tuple((n, rate) for n, rate in group if n in names) for group in groups)
    return tuple(group for group in kept if group)


def _stage(expr: sympy.Expr, groups: tuple[Group, ...], assume: Sequence[Boolean]) -> Stage:
    if not groups:
        return Stage(groups, expr, expr, expr)
    try:
        return _rational_stage(expr, groups)
    except RoofproofError as refused:
        if len(groups) > 1:
            raise
        try:
            return _expanded_stage(expr, groups, assume)
        except RoofproofError as problem:
            names = {n for n, _ in groups[0]}
            opaque = {s.name for a in Ring.of(expr).atoms if not a.is_Symbol for s in a.free_symbols}
            raise (problem if names & opaque else refused) from None


def fresh(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken, made from another by adding primes.

    >>> fresh("t", {"t", "t'"})
    "t''"
    """
    while name in taken:
        name += "'"
    return name


def on_one_variable(expr: sympy.Expr, group: Group, taken: Iterable[str] = ()) -> tuple[sympy.Expr, sympy.Symbol]:
    """Return an expression with one growing variable in place of a group of growing symbols, and that variable.

    >>> D, F, x = map(quantity, "DFx")
    >>> on_one_variable(D**2/F, (("D", 1), ("F", 2))), on_one_variable(2/x, (("x", -1),))
    ((D**2/F, t), (2*t, t))
    """
    names = {s.name: s for s in expr.free_symbols}
    alone = len(group) == 1
    t = quantity(group[0][0] if alone and group[0][1] == 1 else fresh("t", {*names, *taken}))
    table = {names[n]: (1 if alone else names[n]) * t**rate for n, rate in group if n in names}
    return expr.subs(table, simultaneous=True), t


def _expanded_stage(expr: sympy.Expr, groups: tuple[Group, ...], assume: Sequence[Boolean]) -> Stage:
    """Return a stage from the leading term of an expansion."""
    from roofproof.derive.limits.expansion import CONSTANT, leading_term

    [group] = groups
    moved, t = on_one_variable(expr, group)
    c, order, sign = leading_term(moved, t, assume)
    if len(group) > 1 and (order.base or order.logs):
        raise RoofproofError(
            "<order> is not a product of powers of <what>",
            order=plain(order.of(t)),
            what=", ".join((n for n, _ in group)),
        )
    after = c
    if len(group) == 1:
        x = next(s for s in expr.free_symbols if s.name == group[0][0])
        after = c * order.of(t).subs(t, x ** sympy.Rational(1, group[0][1]))
    if order == CONSTANT:
        return Stage(groups, expr, after, after, sign is not None, rational=False)
    if order.sign < 0:
        return Stage(groups, expr, after, sympy.Integer(0), sign is not None, rational=False)
    if sign is None:
        raise RoofproofError(OPEN_SIGN, term=plain(after))
    return Stage(groups, expr, after, sympy.oo * sign, rational=False)


def _rational_stage(expr: sympy.Expr, groups: tuple[Group, ...]) -> Stage:
    ring = Ring.of(expr)
    for atom in ring.atoms:  # the ring treats them as positive
        if (atom.is_Pow or isinstance(atom, log2 | sympy.log)) and not atom.is_positive:
            raise RoofproofError("<what> may be zero or change its sign; the limit is not settled", what=plain(atom))
    num, den = ring.fraction(expr)
    if num.is_zero():
        return Stage(groups, expr, sympy.Integer(0), sympy.Integer(0))
    rows = _rows(ring, groups)
    (top, above), (bottom, below) = _leading(num, rows), _leading(den, rows)
    s, t = sign(top), sign(bottom)
    common = top.gcd(bottom)
    top, bottom = top / common, bottom / common
    after = factored_fraction(ring, top, bottom)
    if t is None or (s is None and len(above) > 1):
        raise _may_be_zero(ring, top, bottom)
    if len({_degrees(m, rows) for p in (top, bottom) for m in p.monoms()}) == 1:
        return Stage(groups, expr, after, after)
    if all(any(exceeds(b, a) for b in below) for a in above):
        return Stage(groups, expr, after, sympy.Integer(0), exact=s is not None)
    if s is None:
        raise _may_be_zero(ring, top, bottom)
    if all(any(exceeds(a, b) for a in above) for b in below):
        return Stage(groups, expr, after, sympy.oo * s * t)
    raise NoJointLimit


def _may_be_zero(ring: Ring, top: Poly, bottom: Poly) -> RoofproofError:
    lead = plain(factored_fraction(ring, top, bottom))
    return RoofproofError(OPEN_SIGN, term=lead)


def _rows(ring: Ring, groups: Sequence[Group]) -> list[list[tuple[int, int]]]:
    """Return, for each group, the generators in it with their rates."""
    index = {a.name: i for i, a in enumerate(ring.atoms) if a.is_Symbol}
    growing = {name for group in groups for name, _ in group}
    for atom in ring.atoms:
        if not atom.is_Symbol and (found := sorted(s.name for s in atom.free_symbols if s.name in growing)):
            raise RoofproofError(
                "<atom> contains <found>, which grows; limits are supported for rational functions, roots "
                "of products, and max or min where one argument outgrows the others",
                atom=plain(atom),
                found=found[0],
            )
    return [[(index[name], rate) for name, rate in group] for group in groups]


def _degrees(monomial: Sequence[int], rows: Sequence[Sequence[tuple[int, int]]]) -> Degrees:
    return tuple(sum(int(monomial[i]) * rate for i, rate in row) for row in rows)


def exceeds(a: Degrees, b: Degrees) -> bool:
    """Tell whether no degree is smaller than the other's, and one is larger.

    >>> exceeds((2, 1), (1, 1)), exceeds((2, 0), (1, 1)), exceeds((1, 1), (1, 1))
    (True, False, False)
    """
    return a != b and all(x >= y for x, y in zip(a, b, strict=True))


def _leading(poly: Poly, rows: Sequence[Sequence[tuple[int, int]]]) -> tuple[Poly, set[Degrees]]:
    """Return the terms that no other term outgrows, and their degrees."""
    terms = poly.to_dict()
    degrees = {m: _degrees(m, rows) for m in terms}
    top = {d for d in degrees.values() if not any(exceeds(e, d) for e in set(degrees.values()))}
    return poly.context().from_dict({m: c for m, c in terms.items() if degrees[m] in top}), top
