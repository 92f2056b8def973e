"""Proved statements as Coq theorems, each with a proof: a checked certificate or exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, Term, substitute, variables
from roofproof.proofs.known import ByCounterexample, ByEveryInteger, ByExactValue, ByKernel, Known
from roofproof.proofs.oracles.points import Point, coordinate
from roofproof.proofs.replay.certificate import LONG, before
from roofproof.proofs.replay.coq import words
from roofproof.proofs.replay.coq.data import Node, Pool, formula_node, rule_argument_terms, steps
from roofproof.proofs.replay.coq.decided import holds_at
from roofproof.proofs.replay.coq.words import Names, comment, coq_names, listed
from roofproof.proofs.replay.vocabulary import Vocabulary
from roofproof.proofs.search import tactics
from roofproof.proofs.statement import Statement

BREAK = ";\n  "
ONE_BY_ONE = 20_000  # limit of integers that Coq checks one by one


@dataclass(frozen=True, slots=True)
class Stated:
    """A theorem as Coq states it: its variables, its assumptions and its goal.

    >>> x = Term("v", "x")
    >>> more = Stated.of(Statement("", (), Formula(">", Term("+", x, Term("q", 1, 1)), x)))
    >>> more.text({"x": "x"})
    'forall x : real, (x > 0) -> (x + 1 > x)'
    """

    names: tuple[str, ...]
    given: tuple[Formula, ...]
    goal: Formula
    somewhere: bool = False

    @classmethod
    def of(cls, statement: Statement) -> Stated:
        """Spell out a statement: substitutes the names of roots, and binds growing names in their limits."""
        positive, assumed = (
            [statement.spelled_out(f) for f in fs] for fs in (statement.positive(), statement.assumptions)
        )
        goal = statement.spelled_out(statement.goal)
        free = frozenset[str]().union(*map(_free, (*assumed, goal)))
        given = dict.fromkeys(f for f in (*positive, *assumed) if f in assumed or variables(f) <= free)
        return cls(tuple(sorted(free)), tuple(given), goal, statement.somewhere)

    def text(self, names: Names) -> str:
        """Return the theorem in Coq's notation."""
        bound = " ".join(names[n] for n in self.names)
        parts = [words.formula(f, names) for f in (*self.given, self.goal)]
        said = (r" /\ " if self.somewhere else " -> ").join(f"({p})" for p in parts)
        return f"{'exists' if self.somewhere else 'forall'} {bound} : real, {said}" if bound else said


def _free(f: Any) -> frozenset[str]:
    if f[0] in ("not", "and", "or", "=>", "<=>"):
        return frozenset[str]().union(*map(_free, f[1:]))
    return variables(f) - frozenset(f[2]) if f[0] == "tends" else variables(f)


@dataclass(frozen=True, slots=True)
class CoqScript:
    """Theorems and proofs as text, the statement of each theorem by its name, and the Coq names of variables."""

    text: str
    stated: Mapping[str, str]
    names: Mapping[str, str]


def script(known: Iterable[Known], answers: Iterable[Known] = (), vocabulary: Vocabulary | None = None) -> CoqScript:
    """Return proved statements as theorems, and answers as theorems with the definitions of a vocabulary.

    >>> from roofproof.proofs import ByKernel, prove
    >>> x = Term("v", "x")
    >>> more = Statement("x + 1 > x", (), Formula(">", Term("+", x, Term("q", 1, 1)), x))
    >>> made = script([Known(more, ByKernel(prove(more.goal)))])
    >>> made.stated
    {'theorem_1': 'forall x : real, (x > 0) -> (x + 1 > x)'}

    A statement without a proof for Coq, such as one proved by a solver, becomes a comment.
    """
    entries = [(f"{k}", one, False) for k, one in enumerate(known, 1)]
    entries += [(f"{k}", one, True) for k, one in enumerate(answers, len(entries) + 1)]
    vocabulary = vocabulary or Vocabulary()
    taken = [n for d in vocabulary.definitions.values() for n in d.takes]
    theorems = {number: _theorem_behind(one) for number, one, _ in entries}
    used = (n for number, one, _ in entries for n in _names_of(one, theorems[number]))
    names = coq_names(dict.fromkeys([*taken, *used]))
    pool = Pool(names)
    for theorem in theorems.values():
        for node in () if theorem is None else _nodes_of(theorem):
            pool.count(node)
    said = _names_with_definitions(vocabulary, names)
    lines, stated = _defined(vocabulary, names), dict[str, str]()
    for number, one, answer in entries:
        lines += _theorem(number, one, theorems[number], said if answer else names, pool, stated)
    return CoqScript("\n".join(lines), stated, names)


def _called(name: str, takes: Iterable[str], names: Names, at: Mapping[str, Term] | None = None) -> str:
    put = (words.term(at[n], names, words.ATOM) if at and n in at else names[n] for n in takes)
    return " ".join([name, *put])


def _names_with_definitions(vocabulary: Vocabulary, names: Names) -> Names:
    """Return the names extended by the terms and formulas that are written with definitions."""
    said: dict[Any, str] = dict(names)
    for at in ({}, *vocabulary.moved):
        for d in vocabulary.definitions.values():
            said.setdefault(substitute(d.value, at), _called(d.name, d.takes, names, at))
        for d in vocabulary.definitions.values():  # a sum of definitions, such as bytes, has priority
            if d.parts:
                said[substitute(d.value, at)] = _called(d.name, d.takes, names, at)
        for quotient, name in vocabulary.applied.items():
            there = substitute(quotient, at)
            said[there] = " ".join([name, *(words.term(t, said, words.ATOM) for t in there[1][1:])])
        for above, (flops, moved, ridge) in vocabulary.bound.items():
            of = [words.term(substitute(t, at), said, words.ATOM) for t in (flops, moved)]
            last = f"(ridge {' '.join(words.term(t, said, words.ATOM) for t in ridge[1:])})" if ridge[0] == "/" else ""
            said[substitute(above, at)] = f"compute_bound {' '.join(of)} {last or words.term(ridge, names, words.ATOM)}"
    return said


def _defined(vocabulary: Vocabulary, names: Names) -> list[str]:
    lines = []
    for d in vocabulary.definitions.values():
        takes = f" ({' '.join(names[n] for n in d.takes)} : real)" if d.takes else ""
        of = (vocabulary.definitions[part] for part in d.parts)
        body = " + ".join(_called(p.name, p.takes, names) for p in of) or words.term(d.value, names)
        lines += [f"(** {comment(d.says)} *)", f"Definition {d.name}{takes} : real := ({body})%R.", ""]
    return lines


def _theorem_behind(known: Known) -> Theorem | None:
    """Return the theorem behind a statement. At a point that the Coq library cannot evaluate, search for one."""
    match known.warrant:
        case ByKernel(theorem):
            return theorem
        case ByExactValue(point) | ByCounterexample(point):
            goal = _at(Stated.of(known.statement), point)
            return None if holds_at(goal, {}) else tactics.prove(goal)
    return None


def _at(stated: Stated, point: Point) -> Formula:
    """Return a statement at a point. Irrational coordinates are substituted as exact terms."""
    values = {n: coordinate(v) for n, v in point.items()}
    made: Formula = substitute(Formula("and", *stated.given, stated.goal) if stated.somewhere else stated.goal, values)
    return made


def _names_of(known: Known, theorem: Theorem | None) -> Iterator[str]:
    yield from Stated.of(known.statement).names
    yield from sorted(known.statement.names)
    if theorem is not None:
        every = (f for step in before(theorem) for f in (step.conclusion, *step.hypotheses))
        yield from sorted(frozenset[str]().union(*map(variables, every), *_names_in_rule_arguments(theorem)))


def _names_in_rule_arguments(theorem: Theorem) -> Iterator[frozenset[str]]:
    """Yield the variables in rule arguments: substitutions, weights and positive names."""
    for step in before(theorem):
        if step.rule == "instantiate":
            yield frozenset(n for n, _ in step.certificate)
            yield from (variables(t) for _, t in step.certificate)
        if step.rule == "arith":
            entries, positive, multiplier = step.certificate
            yield from (variables(m) for m, _ in entries)
            yield variables(multiplier) | {n for _, n in positive}
        if step.rule == "tends":
            yield frozenset(n for _, n in step.certificate[0])


def _nodes_of(theorem: Theorem) -> Iterator[Node]:
    yield from rule_argument_terms(theorem)
    yield from map(formula_node, steps(theorem, None)[0])


def _theorem(
    number: str, known: Known, theorem: Theorem | None, names: Names, pool: Pool, said: dict[str, str]
) -> list[str]:
    stated = Stated.of(known.statement)
    if theorem is not None and any(_long((step.conclusion, step.certificate)) for step in before(theorem)):
        return [_not_proved(number, known, "with numbers too long to be proved here"), ""]  # for Coq's stack
    match known.warrant:
        case ByKernel() if theorem is not None:
            data, proof = _by_certificate(number, theorem, stated, known.statement, names, pool)
        case ByExactValue(point) | ByCounterexample(point) if made := _at_point(
            number, point, stated, theorem, names, pool
        ):
            data, proof = made
        case ByEveryInteger(name, first, last) if made := _every_integer(number, name, first, last, stated, pool):
            data, proof = made
        case _:
            return [_not_proved(number, known), ""]
    text = said[f"theorem_{number}"] = stated.text(names)
    lines = [f"(** {number}: {comment(known.statement.says)} *)", *pool.taken(), *data]
    return [*lines, f"Theorem theorem_{number} :\n  ({text})%R.", f"Proof. {proof} Qed.", ""]


def _not_proved(number: str, known: Known, why: str = "not proved here") -> str:
    return f"(* {number}: {comment(known.statement.says)}: by {known.trust}, {why} *)"


def _long(f: Any) -> bool:
    """Return whether a formula contains an integer that is too long for Python's decimals."""
    return any(map(_long, f)) if isinstance(f, tuple | frozenset) else isinstance(f, int) and f.bit_length() > LONG


def _checked(number: str, test: str) -> str:
    return f"Lemma checked_{number} : {test} = true. Proof. vm_cast_no_check (eq_refl true). Qed."


def _by_certificate(
    number: str, theorem: Theorem, stated: Stated, statement: Statement, names: Names, pool: Pool
) -> tuple[list[str], str]:
    formulas, made = steps(theorem, pool)
    assumed = sorted(theorem.hypotheses, key=repr)
    written = [pool.text(formula_node(f)) for f in formulas]
    hypotheses = [pool.text(formula_node(f)) for f in assumed]
    data = [
        f"Definition formulas_{number} := {listed(written, BREAK)}.",
        f"Definition steps_{number} := {listed(made, BREAK)}.",
        f"Definition hypotheses_{number} : list formula := {listed(hypotheses)}.",
        f"Definition goal_{number} := {pool.text(formula_node(theorem.conclusion))}.",
        _checked(number, f"proves formulas_{number} steps_{number} hypotheses_{number} goal_{number}"),
    ]
    meaning = dict(statement.meaning)
    own = set(stated.names)
    values = [
        names[n] if n in own else words.term(root, names) if n in meaning and variables(root) <= own else "1"
        for n, root in ((n, statement.spelled_out(Term("v", n))) for n in pool.places)
    ]
    # A name that does not occur in the statement gets the value 1, which is positive.
    arguments = {f: f"h_{k}" for k, f in enumerate(stated.given, 1)}
    reasons = [arguments.get(statement.spelled_out(h), "Checker.one_positive") for h in assumed]
    every = "".join(f"(Logic.conj {r} " for r in reasons) + "Logic.I" + ")" * len(reasons)
    binders = " ".join([*(names[n] for n in stated.names), *arguments.values()])
    intros = f"intros {binders}. " if binders else ""
    checked = f"Checker.sound formulas_{number} steps_{number} hypotheses_{number} goal_{number} checked_{number}"
    return data, f"{intros}exact_no_check ({checked} (Meaning.env {listed(values)}%R) {every})."


def _at_point(
    number: str, point: Point, stated: Stated, theorem: Theorem | None, names: Names, pool: Pool
) -> tuple[list[str], str] | None:
    """Return the proof at a point, or None if Coq has none."""
    goal = _at(stated, point)
    if theorem is not None:
        data, proof = _by_certificate(number, theorem, Stated((), (), goal), Statement("", (), goal), names, pool)
    elif holds_at(goal, {}):
        written = pool.text(formula_node(goal))
        data = [f"Definition goal_{number} := {written}.", _checked(number, f"true_at [] goal_{number}")]
        proof = f"exact_no_check (Numbers.true_at_ok [] goal_{number} checked_{number})."
    else:
        return None
    if not stated.somewhere:
        binders = " ".join([*(names[n] for n in stated.names), *(f"h_{k}" for k, _ in enumerate(stated.given, 1))])
        return data, f"{f'intros {binders}; ' if binders else ''}subst; {proof}"
    chosen = (words.term(coordinate(point.get(n, Fraction(1))), names) for n in stated.names)
    return data, "".join(f"exists ({c})%R. " for c in chosen) + proof


def _every_integer(
    number: str, name: str, first: int, last: int, stated: Stated, pool: Pool
) -> tuple[list[str], str] | None:
    if last - first >= ONE_BY_ONE or not all(
        holds_at(stated.goal, {name: Fraction(k)}) for k in range(first, last + 1)
    ):
        return None
    others = listed(["1 # 1"] * (pool.places[name] - 1))
    x = Term("v", name)
    needed = [Formula("int", x), Formula(">=", x, Term("q", first, 1)), Formula(">=", Term("q", last, 1), x)]
    arguments = {f: f"h_{k}" for k, f in enumerate(stated.given, 1)}
    data = [
        f"Definition goal_{number} := {pool.text(formula_node(stated.goal))}.",
        _checked(number, f"from ({others}%Q) {first} (Z.to_nat ({last} - {first} + 1)) goal_{number}"),
    ]
    all_ = " ".join(["x_", *arguments.values()])
    reasons = " ".join(arguments[f] for f in needed)
    lemma = f"Numbers.every_integer ({others}%Q) {first} {last} goal_{number} checked_{number} x_ {reasons}"
    return data, f"intros {all_}. exact_no_check ({lemma})."
