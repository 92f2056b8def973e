"""The truth of a claim at a point, computed without the proofs of roofproof: the second opinion of the campaign."""

from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from random import Random
from typing import Any

import sympy

from roofproof.claims.language import Claim
from roofproof.errors import RoofproofError
from roofproof.formula import tree as n

TINY = Fraction(1, 10**40)  # beyond the precision of the roots
Path_ = tuple[tuple[str, int | None], ...]


class Skip(Exception):
    """A value that is undefined at this point, or that this evaluator does not support."""


def places(node: n.Tree, path: Path_ = ()) -> Iterator[tuple[Path_, n.Tree]]:
    yield path, node
    for field in fields(node):
        value = getattr(node, field.name)
        if isinstance(value, n.Tree):
            yield from places(value, (*path, (field.name, None)))
        elif isinstance(value, tuple):
            for k, item in enumerate(value):
                if isinstance(item, n.Tree):
                    yield from places(item, (*path, (field.name, k)))


class Evaluator:
    """Evaluator of the truth of a claim at points."""

    def __init__(self, claim: Claim, random: Random) -> None:
        self.claim, self.random = claim, random
        self.env = claim.scope()
        parts = [claim.proposition, *claim.let.values()]
        inside = [s for root in parts if root is not None for _, s in places(root)]
        self.printed = sorted({s.value for s in inside if isinstance(s, n.Number) and s.value < 10**7})
        made = [self.env.operation(s) for s in inside if isinstance(s, n.Reference) and s.kind == "op"]
        self.sizes = {size.name for each in made for size in each.dims}
        self.supposed = [condition for each in made for condition in each.conditions]
        self.worked: dict[n.Tree, Any] = {}
        self.point: dict[str, Fraction] = {}
        self.far, self.reach = False, 9

    def holds_at(self, far: bool, loose: bool, point: dict[str, Fraction] | None = None, reach: int = 9) -> bool | None:
        """Return the truth at a random point, or None if it is undefined there or the point violates `given`.

        Names in `point` keep their values. Growing names are about 10^reach for each stage of the regime.
        """
        self.point, self.far, self.loose, self.reach = dict(point or {}), far, loose, reach
        try:
            if not all(self.true(c) for c in self.claim.given.conditions) or not all(map(self.met, self.supposed)):
                return None
            return self.true(self.claim.proposition)
        except (Skip, ZeroDivisionError):
            return None

    def met(self, condition: sympy.Basic) -> bool:
        """Return whether the sizes meet a condition of an operation."""
        let = self.env.let
        values = {s: self.value(let[s.name]) if s.name in let else self.at(s.name) for s in condition.free_symbols}
        return bool(condition.subs({s: self._rational(v) for s, v in values.items()}))

    def at(self, name: str) -> Fraction:
        if name not in self.point:
            self.point[name] = self._far(name) if self.far else self._near(name)
        return self.point[name]

    def _near(self, name: str) -> Fraction:
        domain = self.claim.given.domain(name)
        whole = domain.integer or name in self.sizes
        pool = [Fraction(k) for k in (1, 1, 2, 3, 4, 5, 7, 8, 16, 64, 500, 4096, 10**6)]
        pool += [p + d for p in self.printed[:12] for d in (-1, 0, 1)]
        if not whole:
            pool += [Fraction(1, 2), Fraction(1, 3), Fraction(7, 5), Fraction(1, 1000), Fraction(99, 100)]
        if domain.sign != "positive":
            pool += [Fraction(0)] * 4
        if domain.sign == "real":
            pool += [-p for p in pool]
        allowed = [p for p in pool if (p > 0 or domain.sign != "positive") and (not whole or p.denominator == 1)]
        return self.random.choice(allowed)

    def _far(self, name: str) -> Fraction:
        regime = self.claim.regime
        assert regime is not None
        for tie in regime.ties:
            if tie.name == name:
                return tie.factor * self.at(tie.driver) ** tie.power
        for k, stage in enumerate(regime.stages):
            for group in stage:
                for member, rate in group:
                    if member == name:
                        return (
                            Fraction(10 ** (self.reach * (len(regime.stages) - k)) * self.random.randint(1, 9)) ** rate
                        )
        return Fraction(self.random.randint(1, 300))

    def true(self, node: n.Tree | None) -> bool:
        match node:
            case n.Op("and", members):
                return all([self.true(m) for m in members])
            case n.Op("or", members):
                return any([self.true(m) for m in members])
            case n.Op("not", (n.Call(function="increasing" | "decreasing" | "independent"),)):
                raise Skip  # one pair of points proves nothing
            case n.Op("not", (operand,)):
                return not self.true(operand)
            case n.Op("=>", (premise, conclusion)):
                return not self.true(premise) or self.true(conclusion)
            case n.Op("<=>", members):
                return len({self.true(m) for m in members}) == 1
            case n.Comparison():
                return all(self.compared(link) for link in node.links)
            case n.Call(function="compute_bound"):
                said = self.env.to_boolean(node)
                values = {s: self.at(s.name) for s in said.free_symbols}
                return bool(said.subs({s: self._rational(v) for s, v in values.items()}).doit())
            case n.Call(function="increasing" | "decreasing" as which, arguments=(f, n.Name(name=x))):
                first, start = self.value(f), self.at(x)
                steps = Fraction(1) if self.claim.given.domain(x).integer or x in self.sizes else Fraction(1, 7)
                self.point[x] = start + steps
                second, self.point[x] = self.value(f), start
                return second > first if which == "increasing" else second < first
            case n.Call(function="independent", arguments=(f, *names)):
                first = self.value(f)
                kept = dict(self.point)
                for name in names:
                    assert isinstance(name, n.Name)
                    self.point[name.name] = self.at(name.name) + 1
                second, self.point = self.value(f), kept
                return self.same(first, second, False)
        raise Skip

    def compared(self, node: n.Comparison) -> bool:
        (relation,) = node.relations
        if relation == "->":
            if not self.far or node.operands[1] == n.Constant("oo"):
                raise Skip
            left, right = map(self.value, node.operands)
            digits = self.loose and not self._varies(node.operands[1])
            return abs(left - right) <= max(abs(right), Fraction(1, 100)) / (20 if digits else 1000)
        left, right = map(self.value, node.operands)
        if relation in ("==", "~="):
            return self.same(left, right, self.loose, node)
        if abs(left - right) <= TINY * max(abs(left), abs(right)):
            return relation in ("<=", ">=")
        return {"<": left < right, "<=": left < right, ">": left > right, ">=": left > right, "!=": True}[relation]

    def same(self, a: Fraction, b: Fraction, loose: bool, node: n.Comparison | None = None) -> bool:
        if not loose:
            return abs(a - b) <= TINY * max(abs(a), abs(b))
        if a * b <= 0:
            return a == b
        varying = [self._varies(o) for o in node.operands] if isinstance(node, n.Comparison) else [True]
        if isinstance(node, n.Comparison) and not (all if node.relations == ("~=",) else any)(varying):
            return a * a <= 10 * b * b and b * b <= 10 * a * a  # printed digits may agree in order of magnitude only
        bound = Fraction(1, 500) if self.far else Fraction(1, 2)
        return abs(a - b) <= bound * max(abs(a), abs(b))

    def value(self, node: n.Tree) -> Fraction:
        match node:
            case n.Number(value=value):
                return value
            case n.Quantity(amount=amount, unit=unit):
                return self.value(amount) * unit.factor
            case n.Name(name=name):
                let = self.env.let
                return self.value(let[name]) if name in let else self.at(name)
            case n.Op("+", terms):
                return sum((self.value(t) for t in terms), Fraction(0))
            case n.Op("*", factors):
                out = Fraction(1)
                for factor in factors:
                    out *= self.value(factor)
                return out
            case n.Op("/", (above, below)):
                return self.value(above) / self.value(below)
            case n.Op("-", (operand,)):
                return -self.value(operand)
            case n.Op("^", (base, exponent)):
                b, e = self.value(base), self.value(exponent)
                if e.denominator != 1 or abs(e) > 64:
                    raise Skip
                return b ** int(e)
            case n.Call(function="floor", arguments=(a,)):
                return Fraction(self.value(a).__floor__())
            case n.Call(function="ceil", arguments=(a,)):
                return Fraction(self.value(a).__ceil__())
            case n.Call(function="max" | "min" as which, arguments=arguments):
                return (max if which == "max" else min)(map(self.value, arguments))
            case n.Call(function="abs", arguments=(a,)):
                return abs(self.value(a))
            case n.Call(function="sqrt", arguments=(a,)):
                return self.exact(sympy.sqrt(self._rational(self.value(a))))
            case n.Call(function="sum", arguments=(f, n.Name(name=i), low, high)):
                first, last = self.value(low), self.value(high)
                if first.denominator != 1 or last.denominator != 1 or last - first > 3000:
                    raise Skip
                total, kept = Fraction(0), self.point.get(i)
                for k in range(int(first), int(last) + 1):
                    self.point[i] = Fraction(k)
                    total += self.value(f)
                self._restore(i, kept)
                return total
            case n.Call(function="smallest" | "largest" as which, arguments=(n.Name(name=x), condition)):
                kept = self.point.get(x)
                fitting = []
                for k in range(1, 2001):
                    self.point[x] = Fraction(k)
                    if self.true(condition):
                        fitting.append(k)
                        if which == "smallest":
                            break
                self._restore(x, kept)
                if not fitting or (which == "largest" and fitting[-1] == 2000):
                    raise Skip
                return Fraction(fitting[-1])
            case n.Call():
                if node not in self.worked:
                    self.worked[node] = self.env.to_sympy(node)
                expr = self.worked[node]
                values = {s: self._rational(self.at(s.name)) for s in expr.free_symbols}
                return self.exact(expr.subs(values))
        raise Skip

    @staticmethod
    def _varies(node: n.Tree) -> bool:
        """Return whether a value depends on names. Chip specs are numbers."""
        return any(isinstance(s, n.Name) or getattr(s, "kind", "") == "op" for _, s in places(node))

    def _restore(self, name: str, value: Fraction | None) -> None:
        """Restore a bound name. Names assigned in the meantime keep their values."""
        self.point.pop(name, None)
        if value is not None:
            self.point[name] = value

    @staticmethod
    def _rational(value: Fraction) -> sympy.Rational:
        return sympy.Rational(value.numerator, value.denominator)

    @staticmethod
    def exact(value: sympy.Expr) -> Fraction:
        """Return a number as a fraction, exact if rational, otherwise to sixty digits."""
        if not value.is_number or not value.is_real or value.is_infinite:
            raise Skip
        close = value if value.is_Rational else sympy.Rational(str(value.evalf(60)))
        return Fraction(int(close.p), int(close.q))


def false_point(claim: Claim, kind: str, random: Random, tries: int) -> dict[str, Fraction] | None:
    """Return a point at which an accepted claim is wrong, or None."""
    try:
        evaluator = Evaluator(claim, random)
        for k in range(tries):
            far = claim.regime is not None and (kind != "verified" or k % 2 == 1)
            if evaluator.holds_at(far, loose=kind != "verified") is False:
                point = evaluator.point
                near = kind == "rounded" and _near_a_number(evaluator)
                if kind == "verified" or not (near or _only_not_far_enough(evaluator)):
                    return point
            if k > 5 and not evaluator.point:
                break  # no names: one point is enough
    except RoofproofError:
        return None
    return None


def _near_a_number(evaluator: Evaluator) -> bool:
    """Return whether a name is near a number printed in the claim, which may be rounded."""
    return any(abs(v - p) <= Fraction(2, 5) * p for v in evaluator.point.values() for p in evaluator.printed if p > 20)


def _only_not_far_enough(evaluator: Evaluator) -> bool:
    """Return whether a claim that is false at a point holds much further out, because a limit need not hold soon."""
    regime = evaluator.claim.regime
    if regime is None or not evaluator.far:
        return False
    kept = {n: v for n, v in evaluator.point.items() if n not in regime.growing}
    return evaluator.holds_at(True, loose=True, point=kept, reach=90) is not False
