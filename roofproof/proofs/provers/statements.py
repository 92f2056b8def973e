"""Proofs of single statements: by the kernel, else by an oracle, else by samples or not at all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import MILLION, Budget, in_words, remembered
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError
from roofproof.proofs.assumptions import NUMBERS, positive, rooted
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, term_of, variables
from roofproof.proofs.known import ByKernel, ByOracle, BySamples, Known, Unproved, Unwarranted, by_kernel, holds
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import near
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.search.short_proofs import without_search
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula

if TYPE_CHECKING:
    from roofproof.proofs.search.tactics import Search

MAX_ASKED = 5_000  # most parts of a condition that an oracle is asked about
FEW, MANY = 400, 4_000  # points tried (an equation that fails at the first few rarely holds at a later one)


class Refuted(RoofproofError):
    """A statement to be proved is false at a point, its `counterexample`.

    >>> raise Refuted("B > 240", {"B": Fraction(241), "D": Fraction(1)})
    Traceback (most recent call last):
    roofproof.proofs.provers.statements.Refuted: B > 240: false at B = 241, D = 1
    """

    def __init__(self, says: str, counterexample: dict[str, Fraction]) -> None:
        point = ", ".join(f"{k} = {v}" for k, v in counterexample.items())
        super().__init__(f"{says}: false at {point}")
        self.counterexample = counterexample


def prove_statement(statement: Statement, hints: Sequence[Formula] = (), signs: Sequence[Theorem] = ()) -> Known:
    """Prove one statement: by the kernel, else by z3, else report samples or a reason.

    `signs` are the signs of divisors. Raises Refuted with a point at which the statement is false.
    """
    if signs and (known := _by_theorem(statement, without_search(statement.goal, statement.assumptions, (), signs))):
        return known
    [known] = prove_statements([statement], hints=hints)
    return known


def prove_statements(
    due: Sequence[Statement], oracle: str = "z3", budget: Budget | None = None, hints: Sequence[Formula] = ()
) -> tuple[Known, ...]:
    """Prove statements about the same formulas: first by the kernel, then the remaining ones by an oracle.

    The statements share one step budget, so the cheap proofs are tried first. `hints` are comparisons with the powers
    of two that logarithms in the statements lead to.
    """
    known = {s: k for s in due if (k := _by_theorem(s, without_search(s.goal, s.assumptions))) is not None}
    if left := [s for s in due if s not in known]:
        known |= zip(left, _searched(left, oracle, budget, hints), strict=True)
    return tuple(known[s] for s in due)


def _by_theorem(statement: Statement, theorem: Theorem | None) -> Known | None:
    return None if theorem is None else by_kernel(statement, theorem, witness_of(statement))


def _searched(
    due: Sequence[Statement], oracle: str, budget: Budget | None, hints: Sequence[Formula]
) -> tuple[Known, ...]:
    from roofproof.proofs.search.tactics import Search

    formulas = list(dict.fromkeys(f for s in due for f in (s.goal, *s.assumptions)))
    lemmas = list[Theorem]()
    if hints or terms_with(("log2",), *formulas):
        lemmas += _of_logarithms(formulas, hints)
    formulas += [f for t in lemmas for f in (t.conclusion, *t.hypotheses)]
    search = Search(formulas, budget, named=not lemmas)
    known = [_by_search(s, search, lemmas) for s in due]
    return tuple(k or _otherwise(s, oracle, search) for s, k in zip(due, known, strict=True))


def _of_logarithms(formulas: Sequence[Formula], hints: Sequence[Formula]) -> Iterator[Theorem]:
    from roofproof.proofs.search.logarithms import compared_numbers, logarithm_lemmas, number_bounds, power_bounds

    if terms_with(("log2",), *formulas, *hints):
        yield from (*logarithm_lemmas([*formulas, *hints]), *number_bounds(formulas))
    if hints:
        yield from power_bounds([*formulas, *hints], compared_numbers(formulas))


def _look_for_counterexample(statement: Statement, tries: int = 10) -> None:
    denied = [*statement.assumptions, Formula("not", statement.goal)]
    if (wrong := sampling.find(denied, tries=tries)) is not None:
        raise Refuted(statement.says, sampling.simpler(denied, wrong))


def _by_search(statement: Statement, search: Search, lemmas: Sequence[Theorem] = ()) -> Known | None:
    return _by_theorem(statement, (_by_lemmas if lemmas else _by_itself)(statement, search, lemmas))


def _by_itself(statement: Statement, search: Search, lemmas: Sequence[Theorem]) -> Theorem | None:
    look = partial(_look_for_counterexample, statement)
    theorem = search.prove(statement.goal, statement.assumptions, lemmas, look)
    if theorem is not None or not terms_with(("sqrt",), statement.goal):
        return theorem
    from roofproof.proofs.search.squares import prove_squared

    def proved(goal: Formula, given: Sequence[Formula]) -> Theorem | None:
        return type(search)([goal, *given], search.budget).prove(goal, given)

    return prove_squared(statement.goal, statement.assumptions, proved)


def _by_lemmas(statement: Statement, search: Search, lemmas: Sequence[Theorem]) -> Theorem | None:
    from roofproof.proofs.search.logarithms import logarithm_lemmas

    theorem = _by_itself(statement, search, lemmas)
    own = [] if theorem else logarithm_lemmas([statement.goal, *statement.assumptions])
    for fewer in (own, [t for t in own if _upward(t)]):  # all lemmas may be too many for one truth table
        if theorem is None and len(fewer) < len(lemmas):
            theorem = _by_itself(statement, search, fewer)
    return theorem


def _upward(lemma: Theorem) -> bool:
    """Return whether a lemma is not an equivalence, or says when a logarithm is above a bound."""
    said = lemma.conclusion
    return bool(said[0] != "<=>" or said[2][1][0] == "log2")


def _otherwise(statement: Statement, oracle: str, search: Search) -> Known:
    spent = f"no proof within {in_words(search.budget.steps)}"
    if not search.budget.left:
        return Known(statement, Unproved(spent))
    _look_for_counterexample(statement, tries=2_000)
    witness = witness_of(statement)
    from roofproof.proofs.oracles import smt

    answer = smt.refute(*statement.oracle_query(), steps=min(smt.STEPS, search.budget.left), oracle=oracle)
    if answer.said == "unsat":
        try:
            return Known(statement, ByOracle(statement.smtlib(), oracle, smt.version(oracle)), witness)
        except KernelError as unsaid:  # the statement has no SMT-LIB script
            return Known(statement, Unproved(str(unsaid)), witness)
    if answer.point is not None and all(holds(f, answer.point) for f in statement.negation()):
        raise Refuted(statement.says, answer.point)
    if answer.said == "unknown" and witness is not None and (points := samples(statement)):
        return Known(statement, BySamples(points), witness)
    return Known(statement, Unproved(answer.reason or "z3 gave no point that can be checked"), witness)


def by_rule(statement: Statement, signs: Sequence[Theorem] = ()) -> Known:
    """Prove an equation of equal normal forms, or a limit, by the kernel's rule for it, or return it as open."""
    goal = statement.goal
    try:
        if goal[0] == "tends":
            theorem = kernel.tends(goal[1], goal[2], goal[3], sorted(statement.names.union(goal[2])))
        else:
            theorem = kernel.identity(goal[1], goal[2], sorted(statement.names), signs)
        return Known(statement, ByKernel(theorem))
    except (KernelError, Unwarranted) as refused:
        return Known(statement, Unproved(str(refused)))


def samples(statement: Statement, count: int = 100) -> tuple[dict[str, Fraction], ...]:
    """Return points at which the assumptions and the goal hold."""
    tried = islice(sampling.points(sorted(statement.names)), 20 * count)
    found = (p for p in tried if all(holds(f, p) for f in (*statement.assumptions, statement.goal)))
    return tuple(islice(found, count))


def witness_of(statement: Statement) -> dict[str, Fraction] | None:
    """Return a point at which the assumptions hold, or None if none was found."""
    if any(f[0] == "=" and rooted(f) for f in statement.assumptions):
        return None  # a root of a polynomial is not a rational number
    if not statement.assumptions:
        names = sorted(variables(statement.goal))
        return next(islice(sampling.points(names), 1)) if names else {}
    point = possible(statement.assumptions)[1]
    return point if point is None or all(holds(f, point) for f in statement.assumptions) else None


@remembered(maxsize=1_000)
def possible(formulas: tuple[Formula, ...]) -> tuple[bool, dict[str, Fraction] | None]:
    """Return whether formulas can hold together for positive variables, and a point at which they do, if found.

    >>> x = ("v", "x")
    >>> possible(((">", x, ("q", 1, 1)), (">", ("q", 1, 1), x)))
    (False, None)
    >>> possible(((">", x, ("v", "π")), (">", ("q", 3, 1), x)))                                    # pi > 3
    (False, None)
    """
    point = _on_an_equation(formulas) or sampling.find(formulas, tries=FEW)
    if point is not None:
        return True, point
    from roofproof.proofs.oracles import smt
    from roofproof.proofs.oracles.intervals import bounds_of

    mentioned = frozenset[str]().union(*map(variables, formulas))
    names = sorted(mentioned - NUMBERS)
    formulas += tuple(bound for n in sorted(mentioned & NUMBERS) for bound in bounds_of(Term("v", n)))
    whole = [f[1][1] for f in formulas if f[0] == "int" and f[1][0] == "v"]
    point = near(formulas, names, whole, FEW)
    if point is not None:
        return True, point
    if sum(map(sampling.size, formulas)) > MAX_ASKED:
        return True, None  # not worth the time of writing it out for an oracle
    answer = smt.refute([*positive(names), *formulas], steps=MILLION)
    if answer.said == "unsat":
        return False, None
    if answer.point is None and any(f[0] == "=" for f in sampling.conjuncts(formulas)):
        return True, None
    point = None if answer.point is None else {n: v for n, v in answer.point.items() if n not in NUMBERS}
    if point is not None and terms_with(("log2", "power"), *formulas) and not all(holds(f, point) for f in formulas):
        point = None  # the oracle treats these functions as arbitrary
    return True, point or sampling.find(formulas, tries=MANY)


def _on_an_equation(formulas: Sequence[Formula]) -> dict[str, Fraction] | None:
    """Return a point at which all formulas hold, by moving one coordinate to solve the only equation, or None."""
    equations = [f for f in sampling.conjuncts(formulas) if f[0] == "="]
    if len(equations) != 1 or sum(map(sampling.size, formulas)) > MAX_ASKED:
        return None
    from roofproof.proofs.oracles import smt

    others = [f for f in sampling.conjuncts(formulas) if f[0] != "="]
    names = sorted(frozenset[str]().union(*map(variables, formulas)))
    near = sampling.find(others, tries=FEW) or smt.refute([*positive(names), *others], steps=MILLION).point
    try:
        side = term_of(kernel.polynomial(equations[0], names))
        for name in names if near else ():
            point = dict.fromkeys(names, Fraction(1)) | (near or {})
            at_0, at_1 = (sampling.value(side, point | {name: Fraction(k)}) for k in (0, 1))
            if at_0 * at_1 != at_0**2:  # the line through both values is zero at this coordinate
                point[name] = at_0 / (at_0 - at_1)
                if point[name] > 0 and all(holds(f, point) for f in formulas):
                    return point
    except (KernelError, sampling.Inexact):
        pass
    return None


def refuse_contradictory(assume: Sequence[Boolean]) -> None:
    """Raise RoofproofError for assumptions that cannot hold together: anything could be "proved" from them."""
    if assume and not possible(tuple(to_formula(a) for a in assume))[0]:
        raise RoofproofError(f"the assumptions contradict each other: {'; '.join(plain(a) for a in assume)}")
