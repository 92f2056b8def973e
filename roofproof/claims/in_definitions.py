"""What a claim says of operations and chips, in definitions: FLOPs, bytes, intensity, ridge point, compute-bound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from roofproof.claims.functions.functions import table
from roofproof.claims.judging.case import Evidence
from roofproof.claims.judging.value import Value
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.judging.words import Amount, Words, text
from roofproof.claims.language import Claim, nodes
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.kernel_form import let_terms, same, to_formula, to_term
from roofproof.claims.language.nodes import Call, Node, walk_with_values
from roofproof.claims.language.printing import to_text
from roofproof.derive.roofline.compute_bound import Ceiling, by_channel, ceilings
from roofproof.errors import RoofproofError, Undecided
from roofproof.hardware import Capacity, Rate
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.known import ByCounterexample, ByExactValue, ByKernel, Known, by_kernel, warranted
from roofproof.proofs.oracles import sampling
from roofproof.proofs.replay.coq.vocabulary import Vocabulary
from roofproof.proofs.search import tactics
from roofproof.proofs.search.rewording import equivalent
from roofproof.proofs.translate import over_each_channel, with_functions

MAX_NAME = 40
PLAIN = 1_000  # numbers below this are not taken for figures


def in_definitions(claim: Claim, verdict: Verdict, words: Vocabulary) -> Iterator[Known]:
    """Yield the parts of a claim that its verdict decides, as they are written, in the names of a vocabulary.

    >>> from roofproof.claims.judging.judge import judge
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "intensity(matmul) < B"').claims
    >>> words = Vocabulary()
    >>> [known] = in_definitions(c, judge(c), words)
    >>> known.trust, [*words.definitions][:2]
    ('kernel', ['flops_of_matmul', 'bytes_of_matmul_x'])

    Each follows from what is known by a theorem that both say the same. What is not told so, such as limits, is left
    out, and so is a part that speaks of no operation and no chip.
    """
    if claim.proposition is None or claim.environment.signs:
        return
    env = replace(claim.environment, functions=table(Evidence(claim.regime)), _values={})
    spoken = _Spoken(env, words)
    for part in _parts(claim.proposition):
        with suppress(RoofproofError, KernelError):
            goal = spoken.formula(part)
            if spoken.of(goal) and (made := _of_part(goal, to_text(part), verdict)) is not None:
                yield made
    numbers = spoken.numbers(claim)
    for known in {id(k): k for k in verdict.known}.values():  # rounded figures, put down as numbers
        goal = _put(known.statement.goal, numbers) if isinstance(known.warrant, ByExactValue) else known.statement.goal
        if goal != known.statement.goal:
            made = warranted(replace(known.statement, goal=goal), known.warrant)
            if made is not None:
                yield made


def _parts(node: Node) -> Iterator[Node]:
    match node:
        case nodes.Quantified(quantifier="for all", body=body):
            yield from _parts(body)
        case nodes.Conjunction(members=members):
            for member in members:
                yield from _parts(member)
        case nodes.Comparison():
            yield from node.links
        case _:
            yield node


def _of_part(goal: Formula, says: str, verdict: Verdict) -> Known | None:
    """Return a part of a claim, or its negation, as known by what decides it."""
    for known in verdict.known:
        s = known.statement
        if s.reals or s.meaning or s.goal[0] == "tends":
            continue
        made = None
        match known.warrant:
            case ByKernel(theorem) if same(goal, s.goal) is not False:
                equal = tactics.prove(("<=>", goal, s.goal), s.assumptions) or equivalent(goal, s.goal, s.assumptions)
                if equal is not None:
                    again = kernel.propositional(goal, [theorem, equal])
                    made = by_kernel(replace(s, goal=goal, about=says), again)
            case ByCounterexample() if s.goal[0] == "not" and same(goal, s.goal[1]) is not False:
                made = warranted(replace(s, goal=("not", goal), about=f"not ({says}) somewhere"), known.warrant)
            case ByExactValue() if same(goal, s.goal) is not False:
                made = warranted(replace(s, goal=goal, about=says), known.warrant)
        if made is not None:
            return made
    return None


def _put(f: Any, numbers: dict[Term, Term]) -> Any:
    """Return a formula with terms in place of the numbers that they come to, worked out there or not."""
    if not isinstance(f, tuple):
        return f
    with suppress(RoofproofError, KernelError, ArithmeticError, KeyError):
        value = Fraction(sampling.value(f, {}))
        if (number := ("q", value.numerator, value.denominator)) in numbers:
            return numbers[number]
    return tuple(_put(p, numbers) for p in f)


class _Spoken(Words):
    """The formulas of a claim, in which a call such as `flops(mm)` is the term that a definition stands for."""

    def __init__(self, env: Environment, words: Vocabulary) -> None:
        super().__init__(env, lambda node: to_term(node, self.name, self.term))
        self.words = words
        self.let: dict[str, Term] | None = None
        self.marked: dict[str, Term] = {}
        self.calls: dict[str, Node] = {}

    def formula(self, node: Node) -> Formula:
        if self.let is None:
            self.let = let_terms(self.env.let, self.term)
        return to_formula(node, self.name, self.term, self.bound)

    def name(self, name: str) -> Term:
        """Return the term of a name: that of its value where `let` names one."""
        return (self.let or {}).get(name, ("v", name))

    def of(self, f: object) -> bool:
        """Tell whether a formula holds a term with a definition."""
        return f in self.marked.values() or (isinstance(f, tuple) and any(map(self.of, f)))

    def numbers(self, claim: Claim) -> dict[Term, Term]:
        """Return what comes to a number in a claim, by this number, in the unit of what it is compared with."""
        found: dict[Term, Term] = {}
        held = [claim.proposition or nodes.Node(), *claim.let.values()]
        for node in walk_with_values(held, self.env.let):
            if not isinstance(node, Call | nodes.Comparison):
                continue
            sides = node.operands if isinstance(node, nodes.Comparison) else (node,)
            units = {n.unit.factor for n in sides if isinstance(n, nodes.Quantity)} | {Fraction(1)}
            for side, unit in product(sides, sorted(units)):
                with suppress(RoofproofError, KernelError, ArithmeticError, KeyError):
                    term = self.formula(nodes.Comparison((side, side), ("==",)))[1]
                    value = Fraction(sampling.value(term, {})) / unit
                    if self.of(term) and (value.denominator > 1 or abs(value) >= PLAIN):
                        shown: Term = term if unit == 1 else ("/", term, ("q", unit.numerator, unit.denominator))
                        found.setdefault(("q", value.numerator, value.denominator), shown)
        return found

    def term(self, node: Node) -> Term:
        """Return the term of a call: of its definition, or of the value that theorems on the page say it has."""
        if not isinstance(node, Call):
            raise Undecided("a value that the engine works out")
        if (made := self.word(node)) is not None:
            return made
        found = self.env.valued(node)
        if not isinstance(found, Value):
            raise Undecided("a value that the engine works out")
        name = _name(to_text(node))
        if self.calls.setdefault(name, node) != node:  # solve(x + a == 3, x) and solve(x a == 3, x)
            name = f"{name}_{len(self.marked)}"
            self.calls[name] = node
        return self._defined(name, found.known.statement.goal[2], f"{to_text(node)}, by the theorems on this page")

    def bound(self, node: Node) -> Formula:
        """Return `compute_bound(op, chip)`: over each channel some engine takes longer."""
        if not isinstance(node, Call) or node.function != "compute_bound" or len(node.arguments) != 2:
            raise Undecided("a statement of the engine")
        op, chip = node.arguments
        found = ceilings(self.env.operation(op), self.env.chip(chip))
        return over_each_channel(by_channel((c, self._exceeds(op, chip, c)) for c in found))

    def _exceeds(self, op: Node, chip: Node, c: Ceiling) -> Formula:
        _, flops = self.flops(op, c.compute)
        _, moved = self.bytes(op, c.channel)
        ridge: Term = ("/", *(self.figure(chip, rate)[1] for rate in c.rests_on))
        above: Formula = (">", ("/", flops, moved), ridge)
        self.words.bound[above] = (flops, moved, ridge)
        return above

    def flops(self, op: Node, engine: str, said: str = "") -> Amount:
        held = self.env.operation(op)
        engines = [r for r, amount in held.compute.items() if not amount.is_zero]
        engine = engine if len(engines) > 1 else ""
        made = with_functions(self.env.bound(held.compute[engine] if engine else held.flops))
        says = f"FLOPs of {held.name}{f' in {engine}' if engine else ''}: {held.convention or 'as given'}"
        return said, self._defined(_name("flops_of", text(op), engine), made, says)

    def _defined(self, name: str, value: Term, says: str, parts: Sequence[str] = ()) -> Term:
        """Return a term with a definition of its own, marked so that no other, and no number as written, is it."""
        if name not in self.marked:
            made = value
            for _ in range(len(self.marked) + 1):
                made = ("+", made)  # a sum of one term is this term, for the kernel and for Coq
            self.marked[name] = made
            self.words.define(name, made, says, parts)
        return self.marked[name]

    def bytes(self, op: Node, over: str, said: str = "") -> Amount:
        held, name = self.env.operation(op), text(op)
        parts, of = [], []
        for tensor in held.tensors if over == "memory" else ():
            of.append(_name("bytes_of", name, tensor.name))
            parts.append(self._defined(of[-1], with_functions(self.env.bound(tensor.traffic)), f"bytes of {tensor}"))
        if over in held.traffic:
            of.append(_name("bytes_over", name, over))
            given = with_functions(self.env.bound(held.traffic[over]))
            parts.append(self._defined(of[-1], given, f"bytes over {over}, as given"))
        if not parts:
            raise Undecided("nothing is moved")
        return said, self._defined(_name("bytes", name, over), ("+", *parts), f"bytes of {held.name} over {over}", of)

    def figure(self, chip: Node, figure: Rate | Capacity) -> Amount:
        if not isinstance(figure, Rate):
            raise Undecided("a capacity")
        kind = "peak" if figure.unit == "FLOP/s" else "bandwidth"
        value: Term = ("q", figure.value.numerator, figure.value.denominator)
        name = _name(kind, text(chip), figure.resource)
        return figure.resource, self._defined(name, value, f"{text(chip)}: {figure}")

    def quotient(self, call: Call, above: Amount, below: Amount, kind: str = "") -> Term:
        return self.words.apply(kind, above[1], below[1]) if kind else ("/", above[1], below[1])

    def seconds_of_all(self, call: Call, op: Node, chip: Node) -> Term:
        demands = self.env.operation(op).demands
        times = [self.words.apply("seconds", a[1], b[1]) for a, b in (self.time(op, chip, r) for r in demands)]
        return ("max" if call.function == "lower" else "+", *times)


def _name(*parts: str) -> str:
    """Return a name of letters, digits and underscores for what parts say."""
    return re.sub(r"[^A-Za-z0-9]+", "_", "_".join(p[:MAX_NAME] for p in parts if p)).rstrip("_")
