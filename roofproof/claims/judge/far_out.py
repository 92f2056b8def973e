"""Truth in a regime: for every fixed value of the names that do not grow, the statement holds beyond some bound."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.decide_formula import Finding, decide
from roofproof.claims.judge.domain import Domain
from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.derive.algebra.logic import related
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, Undecided
from roofproof.proofs.asymptotics.decide import EventualForm, Growth, Stages, eventually
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, substitute, variables
from roofproof.proofs.known import ByKernel, Known, by_kernel, holds, weakest
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import Point
from roofproof.proofs.search.logarithms import exponents_apart, logarithms_apart, logarithms_compared
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_condition, to_formula, to_term
from roofproof.sentences import Sentence
from roofproof.symbols import quantity

POWERS = (10, 14, 20, 30, 40, 60)  # exponents of two that are tried for the growing names of a counterexample

TRUE = Formula("true")
UNKNOWN = "?"  # ends the names of symbols for values of functions
MAX_ORDER = 12  # of a root
_KNOWN = (sympy.Max, sympy.Min, sympy.floor, sympy.ceiling, sympy.Abs)


@dataclass(frozen=True, slots=True)
class EventualFinding:
    """Whether a statement holds eventually. `limit_condition` is its eventual form, about the names that do not grow.

    `beyond` gives the bounds beyond which the two are equivalent, if these are short.
    """

    status: str  # proved, refuted, open
    known: tuple[Known, ...] = ()
    counterexample: Mapping[str, Fraction] | None = None
    reason: str = ""
    limit_condition: Boolean = sympy.true
    beyond: str = ""
    formula: Formula = TRUE
    domain: Domain = field(default_factory=Domain)


def decide_far_out(
    condition: Boolean, domain: Domain, regime: Regime, oracle: str = "z3", steps: int = MILLION
) -> EventualFinding:
    """Return whether a condition holds in a regime. A counterexample has fixed values and large growing values.

    >>> B, N = sympy.symbols("B N", positive=True)
    >>> near = sympy.Gt(B*N, 8*N + 5, evaluate=False)
    >>> found = decide_far_out(near, Domain(), Regime("N >> B"))
    >>> found.status, found.counterexample, found.limit_condition              # N < 8 N + 5, however large N is
    ('refuted', {'B': Fraction(1, 1), 'N': Fraction(1024, 1)}, B > 8)
    >>> decide_far_out(sympy.Implies(B > 8, near), Domain(), Regime("N >> B")).status
    'proved'

    If several names grow independently, the statement must hold however fast each of them grows.
    """
    budget = Budget(max(steps, MILLION))
    try:
        text = _EventualProblem(condition, domain, regime)
        far = text.growth.eventually(text.goal, budget=budget)
    except Undecided as reason:
        return EventualFinding("open", reason=str(reason))
    stay = text.stay(domain.integers - set(regime.growing))
    found = _decided(far.limit_condition, stay, oracle, steps)
    made = EventualFinding(
        "open",
        found.known,
        None,
        found.reason,
        text.condition(far.limit_condition),
        text.beyond(far),
        far.limit_condition,
        stay,
    )
    if found.status == "proved":
        known = found.known
        if far.goal != far.limit_condition:
            beyond = tuple(f for f in (*text.given, far.limit_condition, *far.bounds) if f != ("true",))
            whole = tuple(Formula("int", Term("v", n)) for n in sorted(stay.integers & variables(far.goal)))
            known = (*known, Known(Statement("", (*whole, *beyond), far.goal), ByKernel(far.theorem)))
        return replace(made, status="proved", known=known)
    for stages in text.growth.paths():
        try:
            if stages != regime.stages:
                with_rates = text.growth.eventually(text.goal, stages, budget)
                found = _decided(with_rates.limit_condition, text.stay(domain.integers), oracle, steps)
            failing = text.failing(found.counterexample or {}, stages, budget) if found.status == "refuted" else None
        except Undecided:
            continue
        if failing is not None:
            return replace(made, status="refuted", known=failing[:1], counterexample=failing[1])
    return replace(made, reason=made.reason or Sentence("it depends on how fast the names grow against each other"))


def _decided(limit_condition: Formula, domain: Domain, oracle: str, steps: int) -> Finding:
    """Return whether an eventual form holds. It stays open if only an unknown value of a function would refute it."""
    found = decide(limit_condition, domain, oracle, steps)
    said = frozenset[str]().union(*map(variables, (limit_condition, *domain.assumptions)))
    if found.status == "refuted" and any(name.endswith(UNKNOWN) for name in said):
        return Finding("open", reason="it depends on values of functions that roofproof cannot compute")
    return found


def refuse_failing_assumptions(domain: Domain, regime: Regime, given: str) -> None:
    """Raise RoofproofError for assumptions that fail in the limit of the regime, where every claim would hold.

    >>> N, hundred = Term("v", "N"), Term("q", 100, 1)
    >>> refuse_failing_assumptions(Domain(assumptions=(Formula(">", hundred, N),)), Regime("N -> oo"), "N < 100")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: given: N < 100 does not hold in the regime N -> oo
    """
    moving = [f for f in domain.assumptions if variables(f).intersection(regime.growing)]
    if not moving:
        return
    rest = replace(domain, assumptions=tuple(f for f in domain.assumptions if f not in moving))
    denied = to_condition(Formula("not", Formula("and", *moving)))
    if decide_far_out(denied, rest, regime, steps=MILLION // 5).status == "proved":
        raise RoofproofError("given: <given> does not hold in the regime <regime>", given=given, regime=regime.text)


def eventual_form(condition: Boolean, domain: Domain, regime: Regime) -> Boolean:
    """Return the eventual form of a condition, which is about the names that do not grow.

    >>> B, N = sympy.symbols("B N", positive=True)
    >>> eventual_form(sympy.Gt(B + 1/N, 8, evaluate=False), Domain(), Regime("N >> B"))
    B >= 8

    Raises Undecided if it cannot be computed.
    """
    text = _EventualProblem(condition, domain, regime)
    return text.condition(text.growth.eventually(text.goal).limit_condition)


def prove_limit(expr: sympy.Expr, value: sympy.Expr, domain: Domain, regime: Regime) -> tuple[Known, ...]:
    """Return theorems that an expression is within any e > 0 of a value beyond some bound, or () if none is found.

    >>> n = sympy.Symbol("n", positive=True, integer=True)
    >>> [k.trust for k in prove_limit(sympy.floor(n/2)/n, sympy.Rational(1, 2), Domain(), Regime("n -> oo"))][-1]
    'kernel'
    """
    e = sympy.Symbol("ε", positive=True)
    near = sympy.And(*(related(">=", e, d) for d in (expr - value, value - expr)))
    try:
        found = decide_far_out(near, domain, regime, steps=MILLION // 5)
    except (RoofproofError, KernelError):
        return ()
    return found.known if found.status == "proved" and weakest(found.known) == ByKernel.trust else ()


class _EventualProblem:
    """A condition as formulas, prepared for the growth of the names of each stage of a regime."""

    def __init__(self, condition: Boolean, domain: Domain, regime: Regime) -> None:
        self.regime, self.domain = regime, domain
        growing = set(regime.growing)
        if whole := [n for n in regime.shrinking if n in domain.integers]:
            raise Undecided("<name> is a size, at least 1; it cannot tend to 0", name=whole[0])
        if both := [n for n in regime.shrinking if domain.signs.get(n, "positive") not in ("positive", "nonnegative")]:
            raise Undecided(
                "<name> may approach 0 from either side; say which, as in given = '<name> > 0'", name=both[0]
            )
        ties = {t.name: (sympy.Rational(t.factor), t.driver, t.power) for t in regime.ties}
        self.symbols = symbols = {s.name: s for s in condition.free_symbols}
        tied = {symbols[n]: k * symbols.get(d, quantity(d)) ** p for n, (k, d, p) in ties.items() if n in symbols}
        named = _with_unknowns(condition.xreplace(tied))
        unknown = " ".join(s.name for s in named.free_symbols if s.name.endswith(UNKNOWN))
        if any(re.search(rf"\b{n}\b", unknown) for n in growing):
            raise Undecided("logarithms and powers of growing sizes are not compared in the limit")
        self.roots = _names_under_roots(named, replace(domain, integers=domain.integers - growing))
        self.said = to_formula(named.xreplace({s: root**n for s, (root, n) in self.roots.items()}))
        self.order = {s.name: (root.name, n) for s, (root, n) in self.roots.items()}
        self.growth = Growth(regime, self.order)
        moved: dict[str, Term] = {n: Term("^", Term("v", root), k) for n, (root, k) in self.order.items()}
        moved |= {n: substitute(to_term(k * quantity(d) ** p), moved) for n, (k, d, p) in ties.items()}
        given = [(f, substitute(_rational(f), moved)) for f in domain.assumptions]
        self.given = tuple(f for was, f in given if not variables(was) & growing)
        self.moving = tuple(f for was, f in given if variables(was) & growing)
        self.goal: Formula = Formula("=>", Formula("and", *self.moving), self.said) if self.moving else self.said
        self.signs = {n: s for n, s in domain.signs.items() if n not in growing}
        if loose := [n for n, s in self.signs.items() if s != "positive" and n in variables(self.said)]:
            raise Undecided("<name> may be zero or negative", name=loose[0])

    def condition(self, formula: Formula) -> Boolean:
        """Return an eventual form as a condition in the names of the claim."""
        back = {quantity(root): quantity(n) ** sympy.Rational(1, k) for n, (root, k) in self.order.items()}
        made, said = to_condition(formula), to_condition(self.said).atoms(Relational)
        return made.xreplace({r: without_factor(r) for r in made.atoms(Relational) - said}).xreplace(back)

    def beyond(self, far: EventualForm) -> str:
        """Return the bounds in words, if they are few and in the names of the claim."""
        plainly = all(len(g) == 1 and g[0][1] > 0 and g[0][0] not in self.order for s in self.regime.stages for g in s)
        bounds = list(sampling.conjuncts(far.bounds))
        named = not any(n.endswith(UNKNOWN) for f in bounds for n in variables(f))
        if not (plainly and named) or len(bounds) > 3 or any(f[0] == "=>" for f in bounds):
            return ""
        return " and ".join(plain(to_condition(f)) for f in bounds)

    def stay(self, integers: frozenset[str]) -> Domain:
        """Return the domain of the names that do not grow, with `integers` as integers."""
        return Domain(self.signs, integers - set(self.order), self.given)

    def failing(self, point: Point, stages: Stages, budget: Budget) -> tuple[Known, dict[str, Fraction]] | None:
        """Prove that the statement eventually fails at fixed values, and return values for the growing names, too."""
        growing = {n for names in self.growth.names(stages) for n in names}
        goal = self.growth.put(self.goal, stages)
        fixed = {n: v for n in variables(goal) - growing if isinstance(v := point.get(n, Fraction(1)), Fraction)}
        there = substitute(goal, {n: Term.rational(v) for n, v in fixed.items()})
        far = eventually(Formula("not", there), self.growth.names(stages), budget)
        known = by_kernel(Statement("", far.bounds, far.goal), far.met())
        if known is None or (at := self._values_at(fixed, far, stages)) is None:
            return None
        return known, at

    def _values_at(
        self, fixed: Mapping[str, Fraction], far: EventualForm, stages: Stages
    ) -> dict[str, Fraction] | None:
        names = self.growth.names(stages)
        values = self.growth.values(stages)
        for powers in product(POWERS, repeat=len(names)):
            point = dict(fixed)
            for stage, power in zip(names, powers, strict=True):
                point |= {n: Fraction(2) ** power for n in stage}
            if not all(holds(f, point) for f in (*far.bounds, far.goal)):
                continue
            at = {n: sampling.value(term, point) for n, term in values.items() if variables(term) <= set(point)}
            at = {**{n: v for n, v in point.items() if n in fixed and n not in at}, **at}
            for name, (root, order) in self.order.items():
                if root in at:
                    at[name] = at.pop(root) ** order
            at |= {t.name: t.factor * at[t.driver] ** t.power for t in self.regime.ties if t.driver in at}
            at = {n: v for n, v in at.items() if n in self.symbols}
            if all(v.denominator == 1 for n, v in at.items() if n in self.domain.integers):
                return dict(sorted(at.items()))
        return None


def _names_under_roots(condition: Boolean, domain: Domain) -> dict[sympy.Symbol, tuple[sympy.Symbol, int]]:
    """Return the positive names under roots, each with a symbol for its root and the order of the root."""
    found: dict[sympy.Symbol, int] = {}
    for power in sorted(condition.atoms(sympy.Pow), key=sympy.default_sort_key):
        base, order = power.base, power.exp.q if power.exp.is_Rational else 1
        if order > 1 and base.is_Symbol and base.is_positive and base.name not in domain.integers:
            found[base] = int(sympy.ilcm(found.get(base, 1), order))
    return {s: (sympy.Symbol(f"{s}^(1/{n})", positive=True), n) for s, n in found.items() if n <= MAX_ORDER}


def _with_unknowns(condition: Boolean) -> Boolean:
    """Return a condition with symbols for functions that have no rules in a limit, such as 2^n and log2(n).

    >>> from roofproof.formula.logarithm import log2
    >>> x = sympy.Symbol("x", positive=True)
    >>> _with_unknowns(sympy.Gt(log2(x), 2**(x + 1), evaluate=False))
    log2(x)+? - log2(x)-? > 2*2**x?

    Variables of the proof checker are positive, so a logarithm becomes a difference of two symbols. The function is
    part of their names, so that two conditions share them. A statement for all their values holds for the function.
    """
    apart = exponents_apart(logarithms_apart(logarithms_compared(condition)))
    powers = {p for p in apart.atoms(sympy.Pow) if p.exp.free_symbols and p.base.is_positive}
    apart = apart.xreplace({p: sympy.Symbol(f"{p}{UNKNOWN}", positive=True) for p in powers})
    functions = {f for f in apart.atoms(sympy.Function, sympy.log) if not isinstance(f, _KNOWN)}
    sides = {f: [sympy.Symbol(f"{f}{sign}{UNKNOWN}", positive=True) for sign in "+-"] for f in functions}
    return apart.xreplace({f: above - below for f, (above, below) in sides.items()})


def _rational(assumption: Formula) -> Formula:
    """Return an assumption with the same symbols for functions."""
    if not terms_with(("log2", "power"), assumption):
        return assumption
    return to_formula(_with_unknowns(to_condition(assumption)))


def without_factor(link: Relational) -> Relational:
    """Return a comparison divided by the numeric factor of its left side.

    >>> B = sympy.Symbol("B", positive=True)
    >>> without_factor(25*B > 6006)
    B > 6006/25
    """
    factor, _ = link.lhs.as_coeff_Mul()
    return related(link.rel_op, link.lhs / factor, link.rhs / factor) if factor > 0 else link
