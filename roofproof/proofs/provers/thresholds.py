"""Proving what `derive` found: every case of a threshold, and that the cases are exhaustive and disjoint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, islice
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import Budget
from roofproof.derive.algebra.logic import negation_normal
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Case, Cases, Threshold, bounds, plain_threshold, with_bounds
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.clearing import sign
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import ZERO, Formula, Polynomial, normal, term_of, variables
from roofproof.proofs.oracles import sampling, smt
from roofproof.proofs.search import tactics
from roofproof.proofs.translate import positive, to_formula

if TYPE_CHECKING:
    from roofproof.proofs.provers.instances import Values

_told = lru_cache(maxsize=1_000)(plain_threshold)  # one symbolic threshold is told again for every chip
MAX_ASKED = 5_000  # parts of a condition of which an oracle is asked whether it can hold
ROOT = "root"  # and a number: the name of a root of a polynomial
TRUST = ("kernel", "smt", "sampled", "undecided")  # strongest first


@dataclass(frozen=True, slots=True)
class Obligation:
    """One statement to prove: the assumptions imply the goal, all variables being positive.

    >>> more_than_one = Obligation("x + 1 > 1", (), (">", ("+", ("v", "x"), ("q", 1, 1)), ("q", 1, 1)))
    >>> print(more_than_one.smtlib().splitlines()[0])
    ; unsat proves the statement
    """

    about: str | tuple[sympy.Symbol, Threshold]  # in words, or the unknown and its threshold
    assumptions: tuple[Formula, ...]
    goal: Formula

    @property
    def says(self) -> str:
        """The statement in words."""
        return self.about if isinstance(self.about, str) else _told(*self.about)

    def negation(self) -> list[Formula]:
        """Return formulas that contradict each other exactly when the statement holds."""
        names = frozenset[str]().union(*(variables(f) for f in (self.goal, *self.assumptions)))
        return [*positive(sorted(names)), *self.assumptions, ("not", self.goal)]

    def smtlib(self) -> str:
        """Return the statement as an SMT-LIB 2 script; a solver that answers `unsat` has proved it."""
        return smt.script(self.negation())


@dataclass(frozen=True, slots=True)
class Proof:
    """How one obligation is known: a theorem of the kernel, an oracle's word, samples, or nothing.

    `witness` is a point at which the assumptions hold, so that the statement is not empty.

    >>> import sympy
    >>> from roofproof.derive.inequalities.cases import Above, Case, Cases
    >>> from roofproof.symbols import quantity
    >>> x = quantity("x")
    >>> [proof] = certify(2*x > 3, Cases(x, (Case(sympy.true, Above(sympy.Rational(3, 2))),))).proofs
    >>> proof.trust, proof.witness
    ('kernel', {'x': Fraction(1, 1)})
    """

    obligation: Obligation
    trust: str
    theorem: Theorem | None = None
    witness: dict[str, Fraction] | None = None
    reason: str = ""


class Refuted(RoofproofError):
    """A statement that was to be proved is false; `counterexample` is a point at which it fails.

    >>> raise Refuted("B > 240", {"B": Fraction(241), "D": Fraction(1)})
    Traceback (most recent call last):
    roofproof.proofs.provers.thresholds.Refuted: B > 240: false at B = 241, D = 1
    """

    def __init__(self, says: str, counterexample: dict[str, Fraction]) -> None:
        point = ", ".join(f"{k} = {v}" for k, v in counterexample.items())
        super().__init__(f"{says}: false at {point}")
        self.counterexample = counterexample


@dataclass(frozen=True, slots=True)
class Certificate:
    """The proofs behind a set of cases; `trust` is that of the weakest.

    >>> from roofproof.derive.inequalities.inequality import solve_inequality
    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> certificate = certify(x > a*x + 1, solve_inequality(x > a*x + 1, x))     # x > 1/(1 - a) when a < 1
    >>> for proof in certificate.proofs:
    ...     print(proof.obligation.says, "by", proof.trust)
    x > 1/(1 - a) by kernel
    never by kernel
    one of the cases applies by kernel
    no two cases apply together by kernel
    """

    proofs: tuple[Proof, ...]

    @property
    def trust(self) -> str:
        return max((p.trust for p in self.proofs), key=TRUST.index, default="kernel")

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        return tuple(p.theorem for p in self.proofs if p.theorem is not None)

    @property
    def hypotheses(self) -> frozenset[Formula]:
        """Everything the kernel's theorems assume."""
        return frozenset[Formula]().union(*(t.hypotheses for t in self.theorems))

    def at(self, values: Values) -> Certificate:
        """Return the same proofs with positive numbers for some variables; see `instances.certificate_at`."""
        from roofproof.proofs.provers.instances import certificate_at

        return certificate_at(self, values)


def certify(
    condition: Boolean,
    cases: Cases,
    assume: Sequence[Boolean] = (),
    oracle: str = "z3",
    budget: Budget | None = None,
) -> Certificate:
    """Prove that `condition` holds exactly where the cases say, or raise Refuted with a counterexample.

    >>> import sympy
    >>> from roofproof.derive.inequalities.inequality import solve_inequality
    >>> from roofproof.symbols import quantity
    >>> B, D, F, R = map(quantity, "BDFR")
    >>> compute_bound = B*D*F/(B*D + D*F + B*F) > R
    >>> certify(compute_bound, solve_inequality(compute_bound, B)).trust
    'kernel'
    >>> from roofproof.derive.inequalities.cases import Above, Case, Cases
    >>> certify(compute_bound, Cases(B, (Case(sympy.true, Above(R)),)))    # the rule of thumb, taken as exact
    Traceback (most recent call last):
    roofproof.proofs.provers.thresholds.Refuted: B > R: false at B = 2, D = 1, F = 1, R = 1

    What is not proved when the budget (six seconds where none is given) is spent is left undecided.
    """
    refuse_contradictory(assume)
    due = obligations(condition, cases, assume)
    search = tactics.Search([f for o in due for f in (o.goal, *o.assumptions)], budget)
    return Certificate(tuple(prove_obligation(o, oracle, search) for o in due))


def obligations(condition: Boolean, cases: Cases, assume: Sequence[Boolean] = ()) -> list[Obligation]:
    """Return what must be proved of the cases: each threshold, that one case always applies, and only one."""
    if not cases.cases:
        raise RoofproofError("no cases: at least one is due, if only 'never'")
    cases, roots = without_roots(cases)
    given = (*(to_formula(a) for a in assume), *roots)
    wanted = defined(to_formula(negation_normal(condition)))
    whens = [to_formula(c.when) for c in cases]
    made = []
    for case, when in zip(cases, whens, strict=True):
        conditions = given if when == ("true",) else (*given, when)
        goal = ("<=>", wanted, to_formula(case.threshold.holds(cases.unknown)))
        made.append(Obligation((cases.unknown, case.threshold), conditions, goal))
    if len(whens) > 1 or whens[0] != ("true",):
        made.append(Obligation("one of the cases applies", given, ("or", *whens)))
    for a, b in combinations(whens, 2):
        made.append(Obligation("no two cases apply together", given, ("not", ("and", a, b))))
    return made


def defined(formula: Formula) -> Formula:
    """Return the formula with every comparison false where one of its denominators is zero.

    >>> x = ("v", "x")
    >>> from roofproof.proofs.kernel.terms import show
    >>> show(defined((">", ("/", ("q", 1, 1), ("+", x, ("q", -1, 1))), x)))
    '1/(x + -1) > x and not(0 + 1*x^1 + -1 = 0)'
    """
    if formula[0] in ("and", "or", "not", "=>", "<=>"):
        return (formula[0], *(defined(f) for f in formula[1:]))
    divisors: list[Polynomial] = []
    for side in formula[1:]:
        normal(side, divisors)
    free = frozenset(("v", n) for n in variables(formula))
    zero = [("not", ("=", term_of(d), ZERO)) for d in divisors if not sign(d, free)]
    return ("and", formula, *dict.fromkeys(zero)) if zero else formula


def without_roots(cases: Cases) -> tuple[Cases, tuple[Formula, ...]]:
    """Return the cases with each root of a polynomial named, and what defines the names: p = 0 in an interval."""
    found = sorted({r for c in cases for b in bounds(c.threshold) for r in b.atoms(sympy.CRootOf)}, key=str)
    named: dict[sympy.Expr, sympy.Symbol] = {}
    defining: list[Boolean] = []
    for k, root in enumerate(found, 1):
        name = named[root] = sympy.Symbol(f"{ROOT}{k}", positive=True)
        (low, high), _ = root.poly.intervals()[root.index]
        defining += [sympy.Eq(root.poly.as_expr(name), 0, evaluate=False), name >= low, name <= high]
    if not named:
        return cases, ()
    renamed = tuple(Case(c.when, with_bounds(c.threshold, lambda b: b.xreplace(named))) for c in cases)
    return Cases(cases.unknown, renamed), tuple(to_formula(d) for d in defining if d != sympy.true)


def prove_obligation(obligation: Obligation, oracle: str = "z3", search: tactics.Search | None = None) -> Proof:
    """Prove one statement: by the kernel, else by an oracle, else report how far it is known.

    `search` holds what other proofs about the same formulas came upon. Raises Refuted with a point at which the
    statement is false.
    """
    denied = [*obligation.assumptions, ("not", obligation.goal)]

    def look_for_counterexample(tries: int = 10) -> None:
        if (wrong := sampling.find(denied, tries=tries)) is not None:
            raise Refuted(obligation.says, sampling.simpler(denied, wrong))

    search = search or tactics.Search([obligation.goal, *obligation.assumptions])
    theorem = search.prove(obligation.goal, obligation.assumptions, look_for_counterexample=look_for_counterexample)
    if theorem is not None:
        return Proof(obligation, "kernel", theorem, _witness(obligation))
    spent = f"no proof within {search.budget.milliseconds // 1000} s of processor time"
    if search.budget.left:
        look_for_counterexample(tries=2_000)
    witness = _witness(obligation)
    if not search.budget.left:
        return Proof(obligation, "undecided", None, witness, spent)
    answer = smt.refute(obligation.negation(), milliseconds=min(smt.DEFAULT_MS, search.budget.left), oracle=oracle)
    if answer.said == "unsat":
        return Proof(obligation, "smt", None, witness)
    if answer.point is not None and _fails(obligation, answer.point):
        raise Refuted(obligation.says, answer.point)
    if answer.said == "unknown" and witness is not None:
        return Proof(obligation, "sampled", None, witness, f"z3: {answer.reason}")
    return Proof(obligation, "undecided", None, witness, answer.reason or "z3 gave no point that can be checked")


def _fails(obligation: Obligation, point: dict[str, Fraction]) -> bool:
    try:
        return all(sampling.holds(f, point) for f in obligation.negation())
    except (sampling.Inexact, KeyError):
        return False


def _witness(obligation: Obligation) -> dict[str, Fraction] | None:
    """Return a point where the assumptions hold; None when none was found."""
    if any(f[0] == "=" and n.startswith(ROOT) for f in obligation.assumptions for n in variables(f)):
        return None  # a root of a polynomial is no rational number
    if not obligation.assumptions:
        names = sorted(variables(obligation.goal))
        return next(islice(sampling.points(names), 1)) if names else {}
    return possible(obligation.assumptions)[1]


def possible(formulas: Sequence[Formula]) -> tuple[bool, dict[str, Fraction] | None]:
    """Tell whether formulas can hold together for positive variables, with a point where they do if one is found.

    >>> x = ("v", "x")
    >>> possible([(">", x, ("q", 1, 1)), (">", ("q", 1, 1), x)])
    (False, None)
    """
    return _possible(tuple(formulas))


@lru_cache(maxsize=1_000)
def _possible(formulas: tuple[Formula, ...]) -> tuple[bool, dict[str, Fraction] | None]:
    point = sampling.find(formulas, tries=400)
    if point is not None:
        return True, point
    if sum(map(sampling.size, formulas)) > MAX_ASKED:
        return True, None  # to write it down for an oracle would take longer than is worth it
    names = sorted(frozenset[str]().union(*map(variables, formulas)))
    answer = smt.refute([*positive(names), *formulas], milliseconds=1_000)
    if answer.said == "unsat":
        return False, None
    return True, answer.point or sampling.find(formulas)


def refuse_contradictory(assume: Sequence[Boolean]) -> None:
    """Raise RoofproofError for assumptions that cannot hold together: of them anything could be "proved"."""
    if assume and not possible([to_formula(a) for a in assume])[0]:
        raise RoofproofError(f"the assumptions contradict each other: {'; '.join(plain(a) for a in assume)}")


def without_impossible(cases: Cases, assume: Sequence[Boolean] = ()) -> Cases:
    """Return the cases whose condition can hold at all; what is left is still proved exhaustive.

    Raises RoofproofError when the assumptions contradict each other.
    """
    given = [to_formula(a) for a in assume]
    refuse_contradictory(assume)
    kept = tuple(c for c in cases if c.when == sympy.true or possible([*given, to_formula(c.when)])[0])
    return Cases(cases.unknown, kept) if len(kept) > 1 else Cases(cases.unknown, (Case(sympy.true, kept[0].threshold),))
