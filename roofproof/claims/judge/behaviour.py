"""The functions increasing, decreasing and independent of the claim language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.domain import domain_of_given, formula_of
from roofproof.claims.judge.preconditions import in_whole_sizes
from roofproof.claims.judge.words import FALSE
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import STEP, Found, Requirement, Word
from roofproof.derive.optima import monotone
from roofproof.derive.optima.monotone import Monotone
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.logarithm import log2
from roofproof.formula.tree import Call, name_of
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, substitute, variables
from roofproof.proofs.known import PROVED, ByCounterexample, BySamples, Known, Unproved, holds, stated, warranted
from roofproof.proofs.oracles.points import Point, coordinate
from roofproof.proofs.provers.monotone_proofs import monotone_statements, prove_independent, prove_monotone
from roofproof.proofs.search.logarithms import exponents_apart, rises
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.sentences import Sentence
from roofproof.symbols import quantity

NOT_AT_SIZES = Sentence("it fails between whole sizes; no failure at a whole size was found")
PAIRS = ((1, 2), (1, 3), (2, 3), (1, 100), (10**6, 10**7))


@dataclass(frozen=True)
class _Question:
    """The question whether f(x + h) is larger than f(x), smaller or equal, for all x and every h > 0."""

    what: str
    expr: sympy.Expr
    x: sympy.Symbol
    env: Environment
    where: tuple[Boolean, ...] = ()  # where the function has values
    rests: list[Known] = field(default_factory=list)  # facts that the answer depends on
    hint: list[Any] = field(default_factory=list)  # data for the requirements on the answer
    notes: list[str] = field(default_factory=list)
    partly: list[Known] = field(default_factory=list)  # facts that it fails for some values of the parameters
    point: dict[str, Any] = field(default_factory=dict)  # a point at which it fails

    def relation(self, near: sympy.Expr, far: sympy.Expr) -> Boolean:
        if self.what == "independent":
            return sympy.Eq(near, far, evaluate=False)
        return (sympy.Gt if self.what == "increasing" else sympy.Lt)(far, near, evaluate=False)

    @cached_property
    def given(self) -> list[Boolean]:
        """The given conditions, and those under which the function has values."""
        return [*self.env.assumed(), *self.where]

    @property
    def parameters(self) -> set[str]:
        """The other names in the function."""
        return {s.name for s in self.expr.free_symbols - {self.x}}

    @property
    def about_x(self) -> list[Boolean]:
        """The conditions among `given` that are about x."""
        return [c for c in self.given if self.x in c.free_symbols]

    def answer(self) -> Boolean:
        """Return true, false, or the condition on the parameters under which the function increases (decreases)."""
        if self.through_a_rising_function():
            return sympy.true
        cases = self.by_cases()
        if cases is None:
            return self.by_steps()
        found, denied = cases
        several = found != sympy.true and self.parameters
        if several and (found != sympy.false or not self.nowhere()):
            self.partly.extend(_sampled(known, self.parameters) for known in denied)
        return found

    def through_a_rising_function(self) -> bool:
        """Return whether the relation is proved in y, if x occurs only in y = log2(x) or in y = b^x with b > 1."""
        apart, x = exponents_apart(self.expr), self.x
        powers = {p for p in apart.atoms(sympy.Pow) if p.exp == x and p.base.is_Rational}
        inner = log2(x) if self.expr.has(log2(x)) else next((p for p in powers if p.base > 1), None)
        if inner is None or self.about_x or (rises := _rises(inner, x)) is None:
            return False
        sign = "real" if isinstance(inner, log2) else "positive"
        y = sympy.Symbol("y!", **{sign: True})
        changed = apart.xreplace({inner: y})
        if x in changed.free_symbols:
            return False
        domain = domain_of_given(self.env)
        domain = replace(domain, signs={**domain.signs, **({y.name: sign} if sign == "real" else {})})
        further = changed.xreplace({y: y + sympy.Symbol(STEP, positive=True)})
        found = decide_condition(Formula.of(self.relation(changed, further)), domain)
        if found.status == "proved":
            self.rests.extend([*found.known, rises])
            self.hint.append((True, self.relation(changed, further), ()))
            self.notes.append(Sentence("<inner> increases with <x>", inner=inner, x=x))
        return found.status == "proved"

    def by_cases(self) -> tuple[Boolean, tuple[Known, ...]] | None:
        """Return the condition from the sign of the slope, and the facts that it fails.

        Returns None for integers, signs and rounding, which need `by_steps`.
        """
        symbols = {s for c in (self.expr, *self.given) for s in c.free_symbols}
        if not all(s.is_positive for s in symbols):
            return None
        others = [c for c in self.given if c not in self.about_x]
        find = monotone.increasing if self.what == "increasing" else monotone.decreasing
        try:
            found = find(self.expr, self.x, self.about_x, others)
            proved = prove_monotone(found)
        except RoofproofError:
            return None
        if (found.holds is not True and any(s.is_integer for s in symbols)) or proved.trust not in PROVED:
            return None
        self.rests.extend([*proved.derivation, *proved.denied])
        self.hint.append(found)
        if found.holds is not True:
            self.say(proved.counterexamples[0], "h!" if self.expr.has(quantity("h")) else "h")
        return sympy.Or(*(when for when, holds in found.cases if holds)), proved.denied

    def by_steps(self) -> Boolean:
        """Return whether the relation holds between f(x) and f(x + h) for every h > 0, an integer if x is one."""
        x = self.x
        step = sympy.Symbol(STEP, positive=True, **({"integer": True} if x.is_integer else {}))
        domain = domain_of_given(self.env).where(*(formula_of(c.xreplace({x: x + step})) for c in self.given))
        there = replace(domain, integers=domain.integers | ({STEP} if x.is_integer else set()))
        relation = self.relation(self.expr, self.expr.subs(x, x + step))
        found = decide_condition(Formula.of(relation), there)
        self.hint.append((found.status == "proved", relation, there.assumptions))
        if found.status == "open":
            raise Undecided("<what> in <x>: <reason>", what=self.what, x=x, reason=found.reason)
        if found.status == "refuted":
            self.say(found.counterexample or {}, STEP)
        self.rests.extend(found.known)
        if found.status == "refuted" and self.parameters and not self.nowhere():
            everywhere = replace(found.known[0].statement, about=f"nowhere {self.what} in {x}", somewhere=False)
            for_others = Unproved("it fails for some values of the other names, and may hold for others")
            self.partly.append(Known(everywhere, for_others))
        return sympy.true if found.status == "proved" else sympy.false

    def nowhere(self) -> bool:
        """Return whether the relation fails between the same two values of x for all values of the parameters."""
        for pair in PAIRS:
            if any(c.subs(self.x, value) != sympy.true for c in self.about_x for value in pair):
                continue
            values = (self.expr.subs(self.x, value) for value in pair)
            denied = sympy.Not(self.relation(*values), evaluate=False)
            found = decide_condition(Formula.of(denied), domain_of_given(self.env), steps=500_000)
            if found.status == "proved":
                self.rests.extend(found.known)
                return True
        return False

    def fails_at_sizes(self, parts: Sequence[Formula]) -> None:
        """Record a failure between two sizes that satisfy these conditions, or raise Undecided if none is found."""
        names = sorted(s.name for s in self.expr.free_symbols | {self.x} if s != self.x)
        names += sorted({n for f in parts for n in variables(f)} - {*names, self.x.name})
        for n, (low, high) in product((4, 8, 64), ((1, 2), (2, 4), (1, 4), (8, 16), (64, 128))):
            sizes = {name: Fraction(n) for name in names}
            ends = [{**sizes, self.x.name: Fraction(end)} for end in (low, high)]
            given = (*parts, *domain_of_given(self.env).assumptions)
            values = [self.expr.subs({s: int(end[s.name]) for s in self.expr.free_symbols}) for end in ends]
            if self.relation(*values).doit() == sympy.false and all(holds(f, end) for f in given for end in ends):
                del self.notes[-1:]
                self.say(ends[0] | {STEP: Fraction(high - low)}, STEP)
                return
        raise Undecided("<what> in <x>: <reason>", what=self.what, x=self.x, reason=NOT_AT_SIZES)

    def say(self, point: Point, step: str) -> None:
        """Record the two values of x between which the relation fails, and the values of the other names."""
        x, here = self.x.name, {k: v for k, v in sorted(point.items()) if k != step}
        near = here.setdefault(x, Fraction(1))
        others = ", ".join(f"{k} = {v}" for k, v in here.items() if k != x)
        self.point.update(here)
        said: str = Sentence(
            "not <what> from <x> = <low> to <x> = <high>", what=self.what, x=x, low=near, high=near + point.get(step, 1)
        )
        self.notes.append(Sentence("<said> at <sizes>", said=said, sizes=others) if others else said)


def _sampled(denied: Known, parameters: set[str]) -> Known:
    """Return the unproved statement that it fails between two values of x for all parameters, sampled at one point."""
    point = denied.warrant.point if isinstance(denied.warrant, ByCounterexample) else {}
    between = {n: coordinate(v) for n, v in point.items() if n not in parameters}
    goal, *given = (substitute(f, between) for f in (denied.statement.goal, *denied.statement.assumptions))
    statement = Statement(f"{denied.statement.says}, whatever {' and '.join(sorted(parameters))}", tuple(given), goal)
    seen = BySamples(({n: v for n, v in point.items() if n in parameters},))
    return warranted(statement, seen) or Known(statement, Unproved("it was seen at no point"))


def _rises(inner: sympy.Expr, x: sympy.Symbol) -> Known | None:
    """Return a proof by the proof checker that log2(x) or b^x increases on the domain of x."""
    here, further = Term("v", x.name), Term("v", STEP)
    base = None if isinstance(inner, log2) else with_functions(inner.base)
    found = rises(here, further, base)
    signs = {Formula(">", here, ZERO)} if x.is_positive and base is None else set[Formula]()
    return stated(found) if found.hypotheses <= {Formula(">", further, here), *signs} else None


def _found(found: Boolean, questions: Sequence[_Question]) -> Found:
    def each(name: str) -> tuple[Any, ...]:
        return tuple(part for q in questions for part in getattr(q, name))

    where, point = tuple(dict.fromkeys(each("where"))), questions[-1].point if questions else {}
    return Found(found, where, each("rests"), each("hint"), each("notes"), partly=each("partly"), point=point)


def find_monotone(env: Environment, call: Call) -> Found:
    expr, x = env.to_sympy(call.arguments[0]), env.symbol(name_of(call.arguments[1]))
    question = _Question(call.function, expr, x, env, env.where(call.arguments[0]))
    found = question.answer()
    parts = in_whole_sizes(env, call.arguments[0])
    if found == sympy.false and any(x.name in variables(f) for f in parts):
        question.fails_at_sizes(parts)
    return _found(found, [question])


def find_independent(env: Environment, call: Call) -> Found:
    """Find whether f(x) = f(y) for all x and y, for each given name."""
    expr = env.to_sympy(call.arguments[0])
    out: Boolean = sympy.true
    asked: list[_Question] = []
    for x in (env.symbol(name_of(argument)) for argument in call.arguments[1:]):
        if x not in expr.free_symbols:
            continue
        asked.append(question := _Question("independent", expr, x, env, env.where(call.arguments[0])))
        try:
            if all(s.is_positive for s in expr.free_symbols) and monotone.independent(expr, x):
                question.rests.append(prove_independent(expr, x))
                question.hint.append((True, question.relation(expr, expr.subs(x, quantity(f"{x}2"))), ()))
                continue
        except RoofproofError:
            pass
        out = sympy.And(out, question.by_steps())
    return _found(out, asked)


def due(env: Environment, call: Call, found: Found) -> Iterator[Requirement]:
    """Yield the requirements: the relation holds in each case found to hold, and fails somewhere in each other case."""
    said: list[Boolean] = []
    for question in found.hint:
        if isinstance(question, Monotone):
            said.append(sympy.Or(*(when for when, holds in question.cases if holds)))
            for holds, statement, _ in monotone_statements(question):
                goal: Formula = statement.goal if holds else Formula("not", statement.goal)
                yield Requirement((goal,), statement.assumptions, somewhere=not holds)
        else:
            holds, step, given = question
            said.append(sympy.true if holds else sympy.false)
            told = step if holds else sympy.Not(step, evaluate=False)
            goals = [formula_of(told)]
            with suppress(RoofproofError):
                goals.append(to_formula(told, with_functions))
            yield Requirement(tuple(goals), given, told, somewhere=not holds)
    if found.value != sympy.And(*said):
        yield FALSE


WORDS = {
    **dict.fromkeys(("increasing", "decreasing"), Word(find_monotone, due)),
    "independent": Word(find_independent, due),
}
