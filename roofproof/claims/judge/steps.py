"""The steps behind a verdict, line by line: the value of each function, the comparison, and the derivations used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

import sympy

from roofproof.claims.judge.domain import domain_of
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import REFUTED, SILENT
from roofproof.claims.language import Claim
from roofproof.claims.language.assumed_sizes import assuming
from roofproof.claims.language.environment import Environment
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.optima.optima import maximum, minimum
from roofproof.errors import RoofproofError
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, Comparison, Name, Tree, is_op, name_of, names_in, walk, walk_with_values
from roofproof.proofs.kernel.terms import Formula, KernelError
from roofproof.proofs.known import Known, Model
from roofproof.proofs.provers.critical_size import threshold
from roofproof.proofs.provers.optimum_proofs import prove_extremum
from roofproof.proofs.provers.statements import Refuted
from roofproof.proofs.steps.limits import limit_steps, stated
from roofproof.proofs.steps.lines import Relation, line_of
from roofproof.proofs.steps.numbers import number_steps
from roofproof.proofs.steps.optima import optimum_steps
from roofproof.proofs.steps.step import NoSteps, Reason, Step, Steps, holding, stepped
from roofproof.proofs.steps.thresholds import threshold_steps
from roofproof.sentences import Sentence

SIGNS = {"==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
DENIED = {"==": ("<", ">"), "!=": ("=",), "<": (">=",), "<=": (">",), ">": ("<=",), ">=": ("<",)}
OPTIMA = {"argmin": minimum, "minimum": minimum, "argmax": maximum, "maximum": maximum}
MOST = 12  # parts of a claim that are shown


def claim_steps(claim: Claim, verdict: Verdict) -> Iterator[Steps | NoSteps]:
    """Yield the steps behind a verdict, first for each derivation in the claim, then for each comparison.

    >>> from roofproof.claims.judge.judge import judge
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "flops(matmul) == B D F"').claims
    >>> for step in next(claim_steps(c, judge(c))).common:
    ...     print(step.line, "by", step.reason.value)
    flops(matmul) = 2*B*D*F by means
    2 > 1 by sizes

    A part that cannot be shown in steps yields NoSteps with the reason.
    """
    if claim.proposition is None or verdict.kind in SILENT:
        return
    claim = assuming(claim)
    env = claim.scope()
    builder = _StepsBuilder(claim, verdict, env)
    parts = [*builder.derivations(), *builder.comparisons()]
    yield from parts or [NoSteps("claim", Sentence("this kind of claim has no derivation"))]


@dataclass
class _StepsBuilder:
    claim: Claim
    verdict: Verdict
    env: Environment

    def derivations(self) -> Iterator[Steps | NoSteps]:
        """Yield the steps of each threshold, limit and optimum that the claim names."""
        assert self.claim.proposition is not None
        calls = [n for n in walk_with_values([self.claim.proposition], self.env.let) if isinstance(n, Call)]
        for call in list(dict.fromkeys(calls))[:MOST]:
            about = to_text(call)
            if call.function in ("compute_bound", "threshold"):
                yield from self._tried("threshold", about, partial(self._threshold, call))
            elif call.function in OPTIMA:
                yield from self._tried("optimum", about, partial(self._optimum, call))
            elif call.function == "limit":
                yield from self._tried("limit", about, partial(self._limit_of, call))

    def comparisons(self) -> Iterator[Steps | NoSteps]:
        """Yield the steps of each comparison."""
        assert self.claim.proposition is not None
        node = self.claim.proposition
        sides = _two_sides(node)
        if len(sides) == 2 and all(isinstance(s, Comparison) and len(s.relations) == 1 for s in sides):
            sign = "<=>" if is_op(node, "<=>") else "=>"
            yield from self._tried("claim", to_text(node), partial(self._follows, sides, sign))
        for link in list(_asserted(node))[:MOST]:
            if link.relations == ("->",):
                yield from self._tried("limit", to_text(link), partial(self._limit, link))
            elif link.relations == ("~=",) and self.claim.regime is not None:
                yield from self._tried("limit", to_text(link), partial(self._ratio, link))
            else:
                yield from self._tried("claim", to_text(link), partial(self._compared, link))

    def _tried(self, key: str, about: str, steps: Callable[[], Steps | list[Steps]]) -> Iterator[Steps | NoSteps]:
        try:
            found = steps()
            several = found if isinstance(found, list) else [found]
            yield from (replace(made, about=about) for made in several if made.common or made.branches)
        except Refuted:  # the verdict says so, too
            yield NoSteps(key, Sentence("it does not hold everywhere, as the verdict says"), about)
        except RoofproofError as problem:
            yield NoSteps(key, problem.said, about)
        except KernelError:
            yield NoSteps(key, Sentence("a line is too large for the proof checker"), about)

    # --- derivations -----------------------------------------------------------------------------------

    def _threshold(self, call: Call) -> list[Steps]:
        op = self.env.operation(call.arguments[0])
        on = None if call.function == "threshold" and len(call.arguments) == 2 else self.env.chip(call.arguments[1])
        x = name_of(call.arguments[-1]) if call.function == "threshold" else self._unknown([s.name for s in op.dims])
        values = {s.name: self.env.value(s.name) for s in op.dims if s.name in self.env.let and s.name != x}
        proved = threshold(op, on, x, {n: int(v) for n, v in values.items() if v.is_Integer})
        there = number_steps(proved)
        return [threshold_steps(proved), *([there] if there else [])]

    def _unknown(self, dims: list[str]) -> str:
        """Return the size that the claim solves for or compares by itself, or else the first that it names."""
        assert self.claim.proposition is not None
        asked = [
            n for n in walk(self.claim.proposition) if isinstance(n, Call) and n.function in ("smallest", "largest")
        ]
        if asked:
            return name_of(asked[0].arguments[0])
        compared = [n for n in walk(self.claim.proposition) if isinstance(n, Comparison)]
        alone = [o.name for n in compared for o in n.operands if isinstance(o, Name) and o.name in dims]
        named = alone or [n for n in names_in(self.claim.proposition) if n in dims] or dims[:1]
        return named[0]

    def _optimum(self, call: Call) -> Steps:
        if len(call.arguments) > 2:
            raise RoofproofError("the optimum is over a set")
        expr, x = self.env.to_sympy(call.arguments[0]), self.env.symbol(name_of(call.arguments[1]))
        if x.is_integer:
            raise RoofproofError("the optimum is an integer")
        return optimum_steps(prove_extremum(OPTIMA[call.function](expr, x, *self.env.given_about(x))))

    def _limit_of(self, call: Call) -> Steps:
        expr, *where = call.arguments
        regime = self.claim.regime if not where else Regime(f"{name_of(where[0])} -> oo")
        if regime is None or len(where) > 1:
            raise RoofproofError("the limit is at a point")
        return limit_steps(limit(self.env.to_sympy(expr), regime), "f")

    def _limit(self, link: Comparison) -> Steps:
        if self.claim.regime is None:
            raise RoofproofError("the limit is at a point")
        return limit_steps(limit(self.env.to_sympy(link.operands[0]), self.claim.regime), "f")

    def _ratio(self, link: Comparison) -> Steps:
        left, right = map(self.env.to_sympy, link.operands)
        assert self.claim.regime is not None
        if not (left / right).free_symbols & {self.env.symbol(n) for n in self.claim.regime.growing}:
            return self._compared(link)[0]
        return limit_steps(limit(sympy.cancel(left / right), self.claim.regime), "ratio")

    # --- comparisons -----------------------------------------------------------------------------------

    def _compared(self, link: Comparison) -> list[Steps]:
        domain = domain_of(self.claim, self.env)
        if domain.signs:
            raise RoofproofError("a name may be zero or negative")
        sides = [self.env.to_sympy(o) for o in link.operands]
        if any(side.is_infinite for side in sides):  # the limit has its own steps
            return []
        lines = [self._means(o, value) for o, value in zip(link.operands, sides, strict=True) if self._worked_out(o)]
        [sign], (left, right) = link.relations, sides
        given = domain.assumptions
        if sign == "~=":
            apart = sympy.Add(right, -left, evaluate=False)
            quotient = sympy.Mul(apart, sympy.Pow(left, -1, evaluate=False), evaluate=False)
            off = Relation(quotient, "=", sympy.cancel(right / left - 1))
            lines.append(holding(off, Reason.ERROR, (right,), given))
        elif self.verdict.kind == REFUTED:
            lines += list(self._fails(left, sign, right)) or _holds(left, sign, right, given)
        else:
            lines += _holds(left, sign, right, given)
        return [Steps("claim", tuple(lines))]

    def _follows(self, sides: Sequence[Tree], link: str) -> list[Steps]:
        """Return the steps by which one comparison follows from another, or is equivalent to it."""
        domain = domain_of(self.claim, self.env)
        if domain.signs:
            raise RoofproofError("a name may be zero or negative")
        first, second = (line_of(self.env.to_boolean(side)) for side in sides)
        given = domain.assumptions
        lines = [stepped(first, first, Reason.SUPPOSED, (), given)]
        if isinstance(first, Relation) and (below := sympy.fraction(sympy.together(first.left))[1]).free_symbols:
            with suppress(Refuted):
                cleared = Relation(sympy.cancel(first.left * below), first.sign, first.right * below)
                lines.append(stepped(first, cleared, Reason.TIMES, (below,), given))
                first = cleared
        lines.append(stepped(first, second, Reason.FOLLOWS, (), given, link=link))
        return [Steps("claim", tuple(lines))]

    def _worked_out(self, node: Tree) -> bool:
        return any(
            n.function not in ARITHMETIC if isinstance(n, Call) else isinstance(n, Name) and n.name in self.env.let
            for n in walk(node)
        )

    def _means(self, node: Tree, value: sympy.Expr) -> Step:
        line = Relation(sympy.Symbol(to_text(node)), "=", value)
        return Step(line, Reason.MEANS, (Known(stated((), line), Model("what it stands for")),))

    def _fails(self, left: sympy.Expr, sign: str, right: sympy.Expr) -> Iterator[Step]:
        """Yield the step that the comparison fails at the counterexample, or nothing if it holds there."""
        found = (self.verdict.counterexample or {}).items()
        point = {n: sympy.Rational(v.numerator, v.denominator) for n, v in found if isinstance(v, Fraction)}
        symbols = sorted(left.free_symbols | right.free_symbols, key=str)
        if any(s.name not in point for s in symbols):
            return
        there = {s: point[s.name] for s in symbols}
        a, b = left.xreplace(there), right.xreplace(there)
        by = tuple(e for s, v in there.items() for e in (s, v))
        for other in DENIED[sign]:
            with suppress(Refuted):
                yield holding(Relation(a, other, b), Reason.SIZES if by else Reason.COMPARED, by)
                return


def _two_sides(node: Tree) -> tuple[Tree, ...]:
    return node.args if is_op(node, "=>", "<=>") else ()


def _asserted(node: Tree) -> Iterator[Comparison]:
    """Yield the comparisons that a claim asserts, not those that it only relates to each other."""
    if isinstance(node, Comparison):
        yield from node.links
    elif is_op(node, "and"):
        for part in node.args:
            yield from _asserted(part)


def _holds(left: sympy.Expr, sign: str, right: sympy.Expr, given: tuple[Formula, ...]) -> Iterator[Step]:
    """Yield the steps by which a comparison holds: directly, or by the sign of the factored difference."""
    if sign == "!=":
        for other in ("<", ">"):
            with suppress(Refuted):
                yield holding(Relation(left, other, right), Reason.COMPARED, (), given)
                return
        raise RoofproofError("it says that two sides differ")
    line = Relation(left, SIGNS[sign], right)
    apart = sympy.factor(line.left - line.right) if line.sign != "=" else sympy.Integer(0)
    if not apart.free_symbols or (line.left - line.right) == apart:
        yield holding(line, Reason.COMPARED, (), given)
        return
    first = Relation(line.left - line.right, "=", apart)
    second = Relation(apart, line.sign, sympy.Integer(0))
    yield holding(first, Reason.DIFFERENCE, (), given)
    yield holding(second, Reason.SIGNS, (), given)
    yield stepped(second, line, Reason.ADD, (line.right,), given)
