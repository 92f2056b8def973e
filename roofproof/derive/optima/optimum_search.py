"""The minimum of a function of one unknown: candidates from its sign chart, compared exactly, by cases."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.polynomial import Ring, undone, whole_powers
from roofproof.derive.algebra.text import plain
from roofproof.derive.extrema import pieces
from roofproof.derive.optima.constraints import Domain, signs_of
from roofproof.derive.optima.extremum import Approached, Attained, Empty, Outcome, Point, Unbounded, with_exprs
from roofproof.derive.optima.sign_chart import SlopeChart, Stretch
from roofproof.derive.signs import ANY, Key, Signs
from roofproof.derive.tree import Branch, branches, by_condition
from roofproof.derive.values import compare_values, value_at
from roofproof.errors import RoofproofError, quoted

MAX_TRIES = 120
OutcomeCases = list[tuple[Boolean, Outcome]]


def univariate(f: sympy.Expr, domain: Domain, assume: Sequence[Boolean]) -> OutcomeCases:
    """Return the cases of the minimum over one unknown."""
    search = Search(f, domain, assume)
    return grouped_cases(search.ring, search.outcome, search.given, search.back)


def grouped_cases(
    ring: Ring, outcome: Callable[[Signs], Outcome], given: Signs, back: dict[sympy.Symbol, sympy.Expr]
) -> OutcomeCases:
    """Return each outcome once, with the condition under which it holds."""
    cases = [
        (with_powers(when, back), with_exprs(result, lambda e: e.xreplace(back)))
        for when, result in by_condition(ring, merged_boundaries(ring, branches(outcome, given)), given)
    ]
    cases.sort(key=lambda c: (c[1].kind == "empty", isinstance(c[0], sympy.Or), c[0] != sympy.true))
    return cases


def merged_boundaries(ring: Ring, found: list[Branch[Outcome]]) -> list[Branch[Outcome]]:
    """Merge a boundary such as b = c into a neighbouring branch whose outcome agrees with it there.

    If b = c, sqrt(a*c) and sqrt(a*b) are the same value, so only one of them is needed.
    """
    out = list(found)
    for k, branch in enumerate(found):
        for key, allowed in branch.signs.items():
            if allowed != frozenset((0,)) or isinstance(key, sympy.Expr):
                continue
            table = _solved(ring, key)
            for other in found:
                alike = all(other.signs.get(p, ANY) & s for p, s in branch.signs.items() if p != key)
                near = other is not branch and 0 not in other.signs.get(key, ANY) and alike
                if table and near and _same(branch.result, other.result, table):
                    out[k] = Branch(branch.signs, other.result)
                    break
    return out


def _solved(ring: Ring, key: Key) -> dict[sympy.Symbol, sympy.Expr]:
    """Return {symbol: its value} for a symbol in which a zero polynomial is linear, or an empty dict."""
    poly = ring.context.from_dict(dict(key))
    for atom in ring.atoms:
        rows = ring.coefficients(poly, atom) if atom.is_Symbol else []
        if len(rows) == 2:
            value = ring.factored(-rows[0]) / ring.factored(rows[1])
            if value.is_positive:
                return {atom: value}
    return {}


def _same(a: Outcome, b: Outcome, table: dict[sympy.Symbol, sympy.Expr]) -> bool:
    if type(a) is not type(b) or isinstance(a, Empty) or isinstance(b, Empty):
        return type(a) is type(b)
    if isinstance(a, Attained) and isinstance(b, Attained) and not (a.unique and b.unique):
        return False
    left, right = (o.at if isinstance(o, Attained) else o.towards for o in (a, b))
    pairs = [(a.value, b.value), *((u, v) for (_, u), (_, v) in zip(left, right, strict=True))]
    rest = ((u - v).xreplace(table) for u, v in pairs if u != v)
    return all(e == 0 or (not e.has(sympy.oo, sympy.nan) and sympy.simplify(e) == 0) for e in rest)


def with_powers(when: Boolean, back: dict[sympy.Symbol, sympy.Expr]) -> Boolean:
    """Return a condition in the original symbols, with sqrt(a) > sqrt(b) as a > b."""
    if isinstance(when, sympy.And | sympy.Or):
        return type(when)(*(with_powers(a, back) for a in when.args))
    if not when.free_symbols & set(back):
        return when
    sides = [side.xreplace(back) for side in when.args]
    indices = [f.exp.q for s in sides for f in sympy.Mul.make_args(s) if f.is_Pow and f.exp.is_Rational]
    n = int(sympy.lcm([sympy.Integer(1), *indices])) if indices else 1
    if not any(s.is_Add for s in sides):
        sides = [s**n for s in sides]
    return when.func(*sides, evaluate=False)


class Search:
    """The search for the minimum of one function, on one domain, under given signs."""

    def __init__(self, f: sympy.Expr, domain: Domain, assume: Sequence[Boolean]) -> None:
        [self.x] = domain.free
        every = [f, *domain.expressions, *assume]
        table = whole_powers(every)
        self.back = undone(table)
        f, *bounds = (e.xreplace(table) for e in (f, *domain.expressions))
        self.t = table[self.x].base if self.x in table else self.x
        self.power = table[self.x].exp if self.x in table else sympy.Integer(1)
        made_of = pieces(f, frozenset([self.t.name]))
        self.ring = Ring.of(*made_of[1], *bounds, self.t, *(a.xreplace(table) for a in assume))
        for atom in self.ring.atoms:
            if not atom.is_Symbol and self.t in atom.free_symbols:
                raise RoofproofError(
                    "<expr> is not a rational function of <name>: the optimum is not found",
                    expr=quoted(plain(atom)),
                    name=self.x,
                )
        self.given = signs_of(self.ring, [a.xreplace(table) for a in assume])
        self.domain = domain.changed(self.t, lambda e: e.xreplace(table), 1 / self.power)
        self.chart = SlopeChart(self.ring, self.t, made_of)
        self.tries = 0

    def outcome(self, signs: Signs) -> Outcome:
        """Return the minimum and its point under these signs, or raise Split for a missing sign."""
        self.tries += 1
        if self.tries > MAX_TRIES:
            raise RoofproofError(
                f"more than {MAX_TRIES} sign patterns to look at; give values or assumptions for some parameters"
            )
        bounds = self.domain.ends(self.ring, signs)
        if bounds is None:
            return Empty()
        low, high = bounds
        stretches = self.chart.stretches(signs, low, high)
        if not stretches:  # the ends meet
            return Attained(self.value(0 if len(self.chart.functions) == 1 else self._top(low.at, signs), low.at),
                            self._at(low.at))  # fmt: skip
        found = [c for c in self._candidates(stretches, low.closed, high.closed, signs)]
        for c in found:
            if isinstance(c, Unbounded):
                return Unbounded(c.value, c.towards)
        best = [found[0]]
        for c in found[1:]:
            order = compare_values(self.ring, signs, c.value, best[0].value)
            best = [c] if order < 0 else [*best, c] if order == 0 else best
        attained = [c for c in best if isinstance(c, Attained)]
        if not attained:
            return best[0]
        flat = any(s.slope == 0 and attained[0].at[0][1] ** (1 / self.power) in (s.low, s.high) for s in stretches)
        alone = len(attained) == 1 and attained[0].unique and not flat
        return Attained(attained[0].value, attained[0].at, alone)

    def _candidates(self, stretches: list[Stretch], low: bool, high: bool, signs: Signs) -> list[Outcome]:
        out: list[Outcome] = []
        first, last = stretches[0], stretches[-1]
        if first.slope >= 0:
            out.append(self._end(first, first.low, low, signs))
        for left, right in pairwise(stretches):
            if left.slope <= 0 <= right.slope:
                out.append(Attained(self.value(right.piece, right.low), self._at(right.low)))
        if last.slope <= 0:
            out.append(self._end(last, last.high, high, signs))
        if first is last and first.slope == 0 and not any(isinstance(c, Attained) for c in out):
            middle = 2 * first.low if first.high == sympy.oo else (first.low + first.high) / 2  # a constant function
            out = [Attained(out[0].value, self._at(middle or sympy.Integer(1)), False)]
        return out

    def _end(self, s: Stretch, at: sympy.Expr, closed: bool, signs: Signs) -> Outcome:
        if at in (0, sympy.oo):
            value, _ = self.chart.at_end(s.piece, at == sympy.oo, signs)
            kind = Unbounded if value == -sympy.oo else Approached
            return kind(value, ((self.x, at),))
        value = self.value(s.piece, at)
        return Attained(value, self._at(at)) if closed else Approached(value, self._at(at))

    def value(self, piece: int, at: sympy.Expr) -> sympy.Expr:
        """Return the value of a piece at a point."""
        return value_at(self.ring, *self.chart.functions[piece], self.t, at)

    def _top(self, at: sympy.Expr, signs: Signs) -> int:
        best = 0
        for k in range(1, len(self.chart.functions)):
            order = compare_values(self.ring, signs, self.value(k, at), self.value(best, at))
            best = k if order == (1 if self.chart.head == "max" else -1) else best
        return best

    def _at(self, t: sympy.Expr) -> Point:
        return ((self.x, t**self.power),)
