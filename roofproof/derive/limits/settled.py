"""Simplification far out in a regime: max, min and roots are resolved, so that a rational function is left."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from math import gcd, lcm

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.polynomial import surely_positive
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.dominant_term import Approach, NoJointLimit, approach
from roofproof.derive.limits.regime import Group, Regime
from roofproof.errors import RoofproofError

Stages = tuple[tuple[Group, ...], ...]
Roots = tuple[tuple[sympy.Symbol, sympy.Expr], ...]


@dataclass(frozen=True, slots=True)
class Settled:
    """A simplified expression that equals the given one under `where`, which is true far out.

    `roots` are new symbols with the roots of growing symbols that they stand for, and `stages` are the regime's stages
    in them. `smaller` shows for each pair that was decided that its smaller-to-larger ratio tends to a number below 1.
    """

    expr: sympy.Expr
    stages: Stages
    where: Boolean
    roots: Roots
    smaller: tuple[Approach, ...]

    def back(self, expr: sympy.Expr) -> sympy.Expr:
        """Return an expression with the roots in place of their symbols."""
        return expr.subs(dict(self.roots)) if self.roots else expr


def settle(expr: sympy.Expr, regime: Regime) -> Settled:
    """Simplify an expression far out in a regime: name the roots of growing symbols, and decide max and min.

    >>> from roofproof.symbols import quantity
    >>> B, D = map(quantity, "BD")
    >>> found = settle(sympy.Max(B, D)*sympy.sqrt(B*D), Regime("D >> B"))     # D sqrt(B) sqrt(D), sqrt(D) = r
    >>> found.expr, found.stages, found.where
    (sqrt(B)*D^(1/2)**3, (((('D^(1/2)', 1),),),), D >= B)

    Raises RoofproofError if the largest argument depends on parameters or on the relative rates.
    """
    if not expr.has(sympy.Max, sympy.Min) and all(p.exp.is_Integer for p in expr.atoms(sympy.Pow)):
        return Settled(expr, regime.stages, sympy.true, (), ())
    expr, stages, roots = _named_roots(expr, regime)
    chooser = _Chooser(stages)
    made = Settled(chooser.choose(expr), stages, sympy.true, roots, tuple(chooser.smaller))
    return replace(made, where=sympy.And(*(related(">=", *map(made.back, pair)) for pair in chooser.larger)))


def _named_roots(expr: sympy.Expr, regime: Regime) -> tuple[sympy.Expr, Stages, Roots]:
    """Substitute x = r^q for every growing x under a root, so that the root disappears."""
    from roofproof.derive.algebra.polynomial import undone, whole_powers

    growing = {*regime.growing}
    table = {s: power for s, power in whole_powers([expr]).items() if s.name in growing}
    order = {s.name: int(power.exp) for s, power in table.items()}
    renamed = {s.name: power.base.name for s, power in table.items()}
    stages = []
    for stage in regime.stages:
        groups = []
        for group in stage:
            scale = lcm(*(order.get(n, 1) for n, _ in group))
            powers = [(renamed.get(n, n), rate * scale // order.get(n, 1)) for n, rate in group]
            common = gcd(*(p for _, p in powers))
            groups.append(tuple((n, p // common) for n, p in powers))
        stages.append(tuple(groups))
    named, roots = expr.xreplace(table), undone(table)
    for power in sorted(named.atoms(sympy.Pow), key=sympy.default_sort_key):
        left = sorted(s.name for s in power.free_symbols if s.name in growing_names(stages))
        if left and not power.exp.is_Integer:
            raise RoofproofError(
                "<power> contains a growing size; only roots of products of powers are expanded",
                power=plain(power.subs(roots)),
            )
    return named, tuple(stages), tuple(roots.items())


@dataclass
class _Chooser:
    stages: Stages
    smaller: list[Approach] = field(default_factory=list)
    larger: list[tuple[sympy.Expr, sympy.Expr]] = field(default_factory=list)

    def choose(self, expr: sympy.Expr) -> sympy.Expr:
        """Return the expression with every max and min of growing arguments decided."""
        if not expr.has(sympy.Max, sympy.Min):
            return expr
        args = [self.choose(a) for a in expr.args]
        names = growing_names(self.stages)
        if not isinstance(expr, sympy.Max | sympy.Min) or not any(s.name in names for s in expr.free_symbols):
            return expr.func(*args)
        kept: list[sympy.Expr] = []
        for a in args:
            for b in list(kept):
                first = self.first_larger(a, b)
                if first is None:
                    continue
                self.note(*((a, b) if first else (b, a)))
                if first != isinstance(expr, sympy.Max):
                    break  # b is kept, not a
                kept.remove(b)
            else:
                kept.append(a)
        if len(kept) > 1 and any(s.name in names for k in kept for s in k.free_symbols):
            raise RoofproofError(
                "the regime does not settle which argument of <expr> wins; give the relative rates, or values",
                expr=plain(expr.func(*kept, evaluate=False)),
            )
        return expr.func(*kept)

    def first_larger(self, a: sympy.Expr, b: sympy.Expr) -> bool | None:
        """Tell whether a exceeds b far out, or return None if their ratio has no limit, or the limit 1."""
        if not (surely_positive(a) and surely_positive(b)):
            return None
        try:
            ratio = approach(a / b, self.stages).value
        except (NoJointLimit, RoofproofError):
            return None
        if ratio.is_infinite or (ratio.is_Rational and ratio != 1):
            return bool(ratio > 1)
        return None

    def note(self, large: sympy.Expr, small: sympy.Expr) -> None:
        if (large, small) not in self.larger:
            self.larger.append((large, small))
            self.smaller.append(approach(small / large, self.stages))


def growing_names(stages: Iterable[Iterable[Group]]) -> frozenset[str]:
    """Return every symbol that grows at some stage."""
    return frozenset(name for stage in stages for group in stage for name, _ in group)
