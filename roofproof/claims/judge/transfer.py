"""What was proved of one form of a statement, told of the form in which it was written.

SymPy works with the values of a claim before it is proved, and may cancel and reorder. So the theorem is carried over
to the formula that the tree of the claim says, by the proof kernel; where that fails the two forms are the same on the
word of SymPy only, and the trust of the verdict says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product

from roofproof.claims.judge.decide_formula import Finding, decide, refutation
from roofproof.claims.judge.domain import Domain, defined_where
from roofproof.proofs import Theorem
from roofproof.proofs.assumptions import NUMBERS
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, substitute, variables
from roofproof.proofs.known import ByAlgebra, ByExactValue, Known, by_kernel, given_numbers, holds, warranted
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import Point, Surd
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import equivalent, power_lemmas, put, restate, without
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement

TRIED = 27  # points at which names are tried that only the written form has
DIFFERENT = "what was proved is not what the claim says"


def carry_over(
    written: Formula, found: Finding, domain: Domain, meaning: Mapping[str, Term], lemmas: Sequence[Theorem] = ()
) -> Finding:
    """Carry a finding about one form of a statement over to the form that is written.

    >>> from roofproof.claims.judge.decide_formula import decide
    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> written = Formula(">", Term("/", Term("+", x, y), y), Term("q", 1, 1))
    >>> found = carry_over(written, decide(Formula(">", x, Term("q", 0, 1)), Domain()), Domain(), {})
    >>> print(found.known[0].theorem)
    x > 0, y > 0 |- (x + y)/y > 1
    >>> carry_over(Formula(">", x, y), decide(Formula(">", x, Term("q", 0, 1)), Domain()), Domain(), {}).reason
    'what was proved is not what the claim says'

    `meaning` says what the names stand for that were given to roots, powers and logarithms; `lemmas` were used on the
    way from one form to the other.
    """
    if not variables(written) - NUMBERS and found.status != "open":
        goal: Formula = written if found.status == "proved" else Formula("not", written)
        if (value := warranted(Statement("", (), goal), ByExactValue({}))) is not None:
            return replace(found, known=(value,))
    if found.status == "refuted" and found.counterexample is not None:
        if (known := _refuted(written, domain, found.counterexample)) is not None:
            return replace(found, known=(known,))
        if any(holds(Formula("not", f), found.counterexample) for f in _defined(written)):
            return decide(written, domain.where(*_defined(written)))  # where it is not defined it does not fail
        [_, form] = _said(found.known[0], meaning)  # not P, somewhere
        same = _same_form(written, form, domain.assumptions)
        return replace(found, known=(*found.known, same)) if same else Finding("open", reason=DIFFERENT)
    if found.status != "proved":
        return found
    parts = list(domain.parts([written]))
    if len(parts) != len(found.known):
        return _unlike(found, written, domain)
    told: list[Known] = []
    for (_, [*given, goal]), known in zip(parts, found.known, strict=True):
        carried = _carried(known, goal, given, domain, meaning, lemmas) or _in_numbers(goal, given)
        if carried is not None:
            told.append(carried)
            continue
        same = _same_form(goal, _said(known, meaning), (*given, *_defined(goal)), known.theorem is None)
        if same is None:
            return Finding("open", reason=DIFFERENT)
        told += [known, same]
    return replace(found, known=tuple(told))


def _in_numbers(goal: Formula, given: Sequence[Formula]) -> Known | None:
    """Return the goal by its exact value, where what is given says which number every name in it is."""
    numbers = tuple(f for f in given if given_numbers([f]).keys() & variables(goal))
    return warranted(Statement("", numbers, goal), ByExactValue(given_numbers(numbers)))


def _refuted(written: Formula, domain: Domain, point: Point) -> Known | None:
    """Prove that the formula fails at a point, with values for names that the other form has not."""
    names = variables(written).union(*map(variables, domain.assumptions)) - NUMBERS
    if names <= set(point):
        return refutation(written, domain, point)
    missing = sorted(names - set(point))
    for values in islice(product(map(Fraction, (1, 2, 3)), repeat=len(missing)), TRIED):
        known = refutation(written, domain, {**dict(zip(missing, values, strict=True)), **point})
        if known is not None:
            return known
    if terms_with(("power", "log2"), written) or any(isinstance(v, Surd) for v in point.values()):
        return None
    fixed = {n: Term.rational(v) for n, v in point.items() if isinstance(v, Fraction)}
    there = [substitute(f, fixed) for f in (*domain.assumptions, Formula("not", written))]
    found = sampling.find(there, sorted(domain.integers & names - set(point)))
    return None if found is None else refutation(written, domain, {**found, **point})


def _unlike(found: Finding, written: Formula, domain: Domain) -> Finding:
    same = _same_form(written, Formula("true"), domain.assumptions)
    return replace(found, known=(*found.known, same)) if same else Finding("open", reason=DIFFERENT)


def _carried(
    known: Known,
    goal: Formula,
    given: Sequence[Formula],
    domain: Domain,
    meaning: Mapping[str, Term],
    lemmas: Sequence[Theorem],
) -> Known | None:
    """Return the statement that is written as known by a theorem, or by the word of a solver on the other form."""
    if known.statement.goal == goal:
        return known
    whole = [f for n in sorted(variables(goal) & domain.integers) for f in _whole(n)]
    own = (*given, *whole, *_defined(goal))
    try:
        if known.theorem is not None:
            made = _in_its_names(known.theorem, meaning)
            lemmas = (*lemmas, *power_lemmas(goal, made.conclusion))
            theorem = restate(made, goal, own, lemmas) or tactics.prove(goal, own)
        else:
            theorem = tactics.prove(goal, own) if known.trust == ByExactValue.trust else None
        if theorem is None:
            return None
        theorem = without(theorem, own, lemmas)
    except KernelError:
        return None
    assumed = tuple(f for f in own if f in theorem.hypotheses or f in given)
    return by_kernel(Statement("", assumed, goal), theorem)


def _in_its_names(theorem: Theorem, meaning: Mapping[str, Term]) -> Theorem:
    """Return a theorem with what names stand for that were given to roots, powers and logarithms."""
    names = variables(theorem.conclusion).union(*map(variables, theorem.hypotheses))
    used = {n: t for n, t in meaning.items() if n in names}
    return put(theorem, used) if used else theorem


def _whole(name: str) -> tuple[Formula, Formula]:
    return Formula("int", Term("v", name)), Formula(">=", Term("v", name), Term("q", 1, 1))


def _defined(goal: Formula) -> tuple[Formula, ...]:
    return defined_where(goal, variables(goal))


def _said(known: Known, meaning: Mapping[str, Term]) -> Formula:
    """Return a statement in the names of the claim."""
    made: Formula = substitute(known.statement.goal, dict(meaning))
    return made


def _same_form(written: Formula, form: Formula, given: tuple[Formula, ...], search: bool = False) -> Known | None:
    """Prove that two forms say the same, by the kernel or on the word of SymPy; None where at some point they do not.

    What a solver has proved is worth a `search` for a theorem.
    """
    statement = Statement("", given, Formula("<=>", written, form))
    theorem = equivalent(written, form, given) if search else None
    return by_kernel(statement, theorem) or warranted(statement, ByAlgebra())
