"""Claims in terms of Coq definitions: FLOPs, bytes, intensity, ridge point, compute-bound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import REFUTED
from roofproof.claims.language import Claim
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.terms import Terms
from roofproof.claims.meaning import NAMED, STEP, Amount, CallTerms, flops_of, named_ceilings
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.compute_bound import Ceiling, by_channel
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.printing import to_text
from roofproof.formula.tree import Call, Comparison, Op, Quantified, Quantity, Tree, name_of, text_of, walk_with_values
from roofproof.hardware import Figure
from roofproof.proofs.kernel.clearing import proportional
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, substitute, variables
from roofproof.proofs.known import ByCounterexample, ByExactValue, ByKernel, Known, by_kernel, holds, warranted
from roofproof.proofs.oracles import sampling
from roofproof.proofs.oracles.points import coordinate
from roofproof.proofs.provers.statements import by_rule
from roofproof.proofs.replay.vocabulary import Vocabulary
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import matches_link_by_link, rewrite_theorem
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import takes_longer_than_each, with_functions

MAX_NAME = 40
PLAIN = 1_000  # integers below this are not replaced by a defined term with that value


def in_definitions(claim: Claim, verdict: Verdict, words: Vocabulary) -> Iterator[Known]:
    """Yield the parts of a claim that its verdict decides, as written, with the definitions of a vocabulary.

    >>> from roofproof.claims.judge.judge import judge
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "intensity(matmul) < B"').claims
    >>> words = Vocabulary()
    >>> [known] = in_definitions(c, judge(c), words)
    >>> known.trust, [*words.definitions][:2]
    ('kernel', ['flops_of_matmul', 'bytes_of_matmul_x'])

    Each part follows from a known statement by a theorem that the two are equivalent. A part that uses no function of
    the claim language is skipped, because the known statements already say it as written.
    """
    said, spoken = set[Formula](), _DefinedTerms(_environment(claim), words)
    for _, stated in _by_part(claim, verdict, spoken):
        said.update(known.statement.goal for known in stated)
        yield from stated
    numbers = {} if claim.environment.signs else spoken.numbers(claim)
    for known in {id(k): k for k in verdict.known}.values():  # statements about plain numbers, such as rounded specs
        if (made := _with(known, numbers)) is not None and made.statement.goal not in said:
            yield made


def unstated(claim: Claim, verdict: Verdict) -> list[str]:
    """Return the parts of a claim that use functions of the claim language and that no theorem states by definitions.

    >>> from roofproof.claims.judge.judge import judge
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "increasing(intensity(fft), N)"').claims
    >>> unstated(c, judge(c))
    ['increasing(intensity(fft), N)']
    """
    spoken = _ExpandedTerms(_environment(claim))
    parts = [*_by_part(claim, verdict, spoken, in_words=True)]
    if verdict.kind == REFUTED and any(_denied(spoken, p, k) for p, known in parts for k in known):
        return []  # one failing part is enough
    return [to_text(p) for p, known in parts if not known]


def _denied(spoken: _ExpandedTerms, part: Tree, known: Known) -> bool:
    """Return whether a known statement shows that a part of a claim fails: it is the negation, or another limit."""
    goal = known.statement.goal
    try:
        said = spoken.formula(part)
    except RoofproofError:  # a part without a single formula: a limit, printed digits, the behaviour of a function
        return goal[0] in ("not", "tends")
    return bool(goal[0] == "not" and (said[0] != "not" or goal[1][0] == "not"))


def _in_words(env: Environment, part: Tree) -> bool:
    return any(isinstance(n, Call) and n.function not in ARITHMETIC for n in walk_with_values([part], env.let))


def _environment(claim: Claim) -> Environment:
    return claim.scope()


def _by_part(
    claim: Claim, verdict: Verdict, spoken: _ExpandedTerms, in_words: bool = False
) -> Iterator[tuple[Tree, tuple[Known, ...]]]:
    """Yield each part of a claim (`in_words`: only parts with functions of the language) with the statements of it."""
    for part in () if claim.proposition is None else _parts(claim.proposition):
        if in_words and not _in_words(spoken.env, part):
            continue
        stated: tuple[Known, ...] = ()
        with suppress(RoofproofError, KernelError, ArithmeticError, KeyError):
            stated = () if claim.environment.signs else tuple(_stated(spoken, part, claim.regime, verdict))
        yield part, stated


def _stated(spoken: _ExpandedTerms, part: Tree, regime: Regime | None, verdict: Verdict) -> Iterator[Known]:
    """Yield a part of a claim in terms of definitions, if it has any and is known."""
    match part:
        case Comparison(relations=("->" | "~=" as relation,)):
            left, right = (spoken.side(o) for o in part.operands)
            if not (spoken.of(left) or spoken.of(right)):
                return
            if regime is not None and variables(left) | variables(right):
                yield from _tends(left, right, part, regime, verdict)
                return
            found = list(_rounded(left, right, part, verdict)) if relation == "~=" else []
            equation = Formula("=", left, right)
            alone = _of_part(equation, to_text(part), verdict) or _at_once(equation, part, verdict)
            yield from found or filter(None, [alone])
        case Call(function="increasing" | "decreasing" | "independent" as what, arguments=(f, *names)):
            for name in map(name_of, names):
                yield from _behaves(spoken, what, f, name, part, verdict)
        case Op("not", (Call(function="increasing" | "decreasing", arguments=(f, x)) as fails,)):
            if variables(spoken.side(f)) <= {name_of(x)}:  # else it may increase for some values of the others
                yield from _stated(spoken, fails, regime, verdict)
        case _:
            goal = spoken.formula(part)
            if not spoken.of(goal):
                return
            if (made := _of_part(goal, to_text(part), verdict) or _at_once(goal, part, verdict)) is not None:
                yield made
            elif regime is not None:
                yield from _far_out(spoken, goal, part, regime, verdict)


def _far_out(spoken: _ExpandedTerms, goal: Formula, part: Tree, regime: Regime, verdict: Verdict) -> Iterator[Known]:
    """Yield that a part of a claim fails for all large enough t, with t for every growing size of the regime."""
    fixed = {n: coordinate(v) for n, v in (verdict.counterexample or {}).items() if n not in regime.growing}
    for t in sorted({n for k in verdict.known if k.statement.goal[0] == "not" for n in k.statement.names}):
        there: dict[str, Term] = {**fixed, **{n: Term("v", t) for n in regime.growing}}
        if (made := _of_part(substitute(goal, there), to_text(part), verdict)) is not None:
            spoken.moved.append(there)
            yield made
            return


def _behaves(spoken: _ExpandedTerms, what: str, f: Tree, x: str, part: Tree, verdict: Verdict) -> Iterator[Known]:
    """Yield that a function at x + h, for every h > 0, is greater than at x, less, or equal."""
    near, used = spoken.side(f), {n for k in verdict.known for n in k.statement.names}
    for h in (h for h in ("h", "h!", STEP) if h in used or what == "independent"):
        there: dict[str, Term] = {x: Term("+", Term("v", x), Term("v", h))}
        spoken.moved.append(there)
        far: Term = substitute(near, there)
        goals: dict[str, Formula] = {"increasing": Formula(">", far, near), "decreasing": Formula(">", near, far)}
        goal: Formula = goals.get(what, Formula("=", far, near))
        if (made := _of_part(goal, to_text(part), verdict) or _at_once(goal, part, verdict)) is not None:
            yield made
            return


def _at_once(goal: Formula, part: Tree, verdict: Verdict) -> Known | None:
    """Return a part of a claim as known, by exact arithmetic if it has no names, else by a proof for positive names.

    The proof is skipped if the part fails at the counterexample of the verdict.
    """
    statement = Statement(to_text(part), (), goal)
    if not variables(goal):
        return warranted(statement, ByExactValue({})) or warranted(
            replace(statement, goal=Formula("not", goal), about=f"not ({statement.about})"), ByExactValue({})
        )
    point = verdict.counterexample or {}
    if variables(goal) <= point.keys() and holds(Formula("not", goal), point):
        return None
    theorem = tactics.prove(goal)
    return None if theorem is None else by_kernel(statement, theorem)


def _tends(left: Term, right: Term, part: Comparison, regime: Regime, verdict: Verdict) -> Iterator[Known]:
    """Yield the limit of a side in the regime, or, for `~=`, the limit of the ratio of both sides."""
    of_two: list[Term] = [Term("/", left, right), Term("/", right, left)]
    functions, value = ([left], right) if part.relations == ("->",) else (of_two, Term("q", 1, 1))
    others = [k.statement.goal[3] for k in verdict.known if k.statement.goal[0] == "tends"]
    for v, f in product((value, *others), functions):
        growing = tuple(n for n in regime.growing if n in variables(f) | variables(v))
        made = by_rule(Statement(to_text(part) if v == value else "", (), Formula("tends", f, growing, v)))
        if made.theorem is not None and not regime.shrinking:
            yield made
            return


def _rounded(left: Term, right: Term, part: Comparison, verdict: Verdict) -> Iterator[Known]:
    """Yield that a side lies in the interval given by the digits of the number on the other side."""
    for side, printed in ((left, part.operands[1]), (right, part.operands[0])):
        number = proportional(*side.normal_form[:2]) if variables(side) else sampling.value(side, {})
        if number is None:
            continue
        unit = printed.unit.factor if isinstance(printed, Quantity) else Fraction(1)
        value = Fraction(number) / unit
        numbers: dict[Term, Term] = {Term.rational(value): _over(side, unit)}
        for known in verdict.known:
            if (made := _with(known, numbers)) is not None:
                yield made


def _with(known: Known, numbers: dict[Term, Term]) -> Known | None:
    """Restate a known statement about numbers for the terms that evaluate to them, or None if no such number occurs."""
    goal = (
        _with_terms(known.statement.goal, numbers) if isinstance(known.warrant, ByExactValue) else known.statement.goal
    )
    if goal == known.statement.goal or (goal[0] == "=" and goal[1] == goal[2]):
        return None
    statement = replace(known.statement, goal=goal)
    return warranted(statement, known.warrant) or by_kernel(statement, tactics.prove(goal))


def _over(term: Term, unit: Fraction) -> Term:
    return term if unit == 1 else Term("/", term, Term.rational(unit))


def _parts(node: Tree) -> Iterator[Tree]:
    match node:
        case Quantified(quantifier="for all", body=body):
            yield from _parts(body)
        case Op("and", members):
            for member in members:
                yield from _parts(member)
        case Comparison():
            yield from node.links
        case _:
            yield node


def _of_part(goal: Formula, says: str, verdict: Verdict) -> Known | None:
    """Return a part of a claim, or its negation, as known from the statement that decides it."""
    fails = Formula("not", goal)
    for known in verdict.known:
        s = known.statement
        if s.reals or s.meaning or s.goal[0] == "tends":
            continue
        made = None
        match known.warrant:
            case ByKernel(theorem) if matches_link_by_link(goal, s.goal) is not False:
                made = by_kernel(replace(s, goal=goal, about=says), rewrite_theorem(theorem, goal, s))
            case ByKernel(theorem) if s.goal[0] == "not" and matches_link_by_link(goal, s.goal[1]) is not False:
                made = by_kernel(replace(s, goal=fails, about=f"not ({says})"), rewrite_theorem(theorem, fails, s))
            case ByCounterexample() if s.goal[0] == "not" and matches_link_by_link(goal, s.goal[1]) is not False:
                made = warranted(replace(s, goal=fails, about=f"not ({says}) somewhere"), known.warrant)
            case ByExactValue() if matches_link_by_link(goal, s.goal) is not False:
                made = warranted(replace(s, goal=goal, about=says), known.warrant)
        if made is not None:
            return made
    return None


def _with_terms(f: Any, numbers: dict[Term, Term]) -> Any:
    """Return a formula in which every number, or expression with that value, is replaced by its term in `numbers`."""
    if not isinstance(f, Term | Formula):
        return f
    with suppress(RoofproofError, KernelError, ArithmeticError, KeyError):
        value = Fraction(sampling.value(f, {}))  # type: ignore[arg-type]
        if (number := Term.rational(value)) in numbers:
            return numbers[number]
    return f.mapped(lambda part: _with_terms(part, numbers))


class _ExpandedTerms(Terms):
    """The formulas of a claim, with each call replaced by the term that its definition or a theorem gives."""

    def __init__(self, env: Environment) -> None:
        super().__init__(env)
        self.moved = list[dict[str, Term]]()
        self.side = self.term

    def of(self, _: object) -> bool:
        return True  # the caller passes only parts that use functions of the claim language

    def _found(self, call: Call) -> Term:
        return _proved(self.env, call)

    def _said(self, node: Tree) -> Formula:
        if not isinstance(node, Call) or node.function != "compute_bound":
            raise Undecided("a statement that has no term")
        return super()._said(node)


def _proved(env: Environment, call: Call) -> Term:
    """Return the term that a theorem gives as the value of a call."""
    if (found := env.proved_value(call)) is None:
        raise Undecided("a value that has no term")
    return found.known.statement.goal[2]  # type: ignore[no-any-return]


class _DefinedTerms(_ExpandedTerms, CallTerms):
    """The formulas of a claim, with each call such as `flops(mm)` replaced by a defined term."""

    def __init__(self, env: Environment, words: Vocabulary) -> None:
        _ExpandedTerms.__init__(self, env)
        self.value, self.words, self.moved = self.term, words, words.moved
        self.marked: dict[str, Term] = {}
        self.named: dict[str, Tree] = {}

    def of(self, f: object) -> bool:
        """Return whether a formula contains a defined term."""
        return f in self.marked.values() or (isinstance(f, tuple) and any(map(self.of, f)))

    def numbers(self, claim: Claim) -> dict[Term, Term]:
        """Return the values of the calls and sides in a claim, in the units of the claim, each with its term."""
        found: dict[Term, Term] = {}
        held = [claim.proposition or Tree(), *claim.let.values()]
        for node in walk_with_values(held, self.env.let):
            if not isinstance(node, Call | Comparison):
                continue
            sides = node.operands if isinstance(node, Comparison) else (node,)
            units = {n.unit.factor for n in sides if isinstance(n, Quantity)} | {Fraction(1)}
            for side, unit in product(sides, sorted(units)):
                with suppress(RoofproofError, KernelError, ArithmeticError, KeyError):
                    term = self.side(side)
                    value = Fraction(sampling.value(term, {})) / unit
                    if self.of(term) and (value.denominator > 1 or abs(value) >= PLAIN):
                        found.setdefault(Term.rational(value), _over(term, unit))
        return found

    def _value(self, node: Tree) -> Term:
        """Return the term of a call: its definition, or the value that theorems in the same file prove."""
        if not isinstance(node, Call):
            raise Undecided("a value that has no term")
        if node.function in NAMED:
            return NAMED[node.function](self, node, *node.arguments)
        if (figured := CallTerms(self.env, self.value).term_of(node)) is not None:
            return self._defined(_name(to_text(node)), figured, f"{to_text(node)}, of the figures that it rests on")
        found = _proved(self.env, node)
        name = _name(to_text(node))
        if self.named.setdefault(name, node) != node:  # solve(x + a == 3, x) and solve(x a == 3, x)
            name = f"{name}_{len(self.marked)}"
            self.named[name] = node
        return self._defined(name, found, f"{to_text(node)}, by the theorems on this page")

    def _compute_bound(self, node: Call) -> Formula:
        """Return `compute_bound(op, chip)` as a formula: some compute unit takes longer than each level or link."""
        if len(node.arguments) < 2:
            raise Undecided("a statement that has no term")
        op, chip, *resources = node.arguments
        found = named_ceilings(self.env, op, chip, *resources)
        return takes_longer_than_each(by_channel((c, self._exceeds(op, chip, c)) for c in found))

    def _exceeds(self, op: Tree, chip: Tree, c: Ceiling) -> Formula:
        flops, moved = self.flops(op, c.compute)[1], self.bytes(op, c.channel)[1]
        ridge = Term("/", *(self.figure(chip, rate)[1] for rate in c.rests_on))
        above = Formula(">", Term("/", flops, moved), ridge)
        self.words.bound[above] = (flops, moved, ridge)
        return above

    def flops(self, op: Tree, engine: str, said: str = "") -> Amount:
        held = self.env.operation(op)
        engines = [r for r, amount in held.compute.items() if not amount.is_zero]
        engine = engine if len(engines) > 1 else ""
        made = with_functions(self.env.bound(flops_of(held, engine)))
        says = f"FLOPs of {held.name}{f' in {engine}' if engine else ''}: {held.convention or 'as given'}"
        return self._amount(_name("flops_of", text_of(op), engine), made, says)

    def _amount(self, name: str, value: Term, says: str, parts: Sequence[str] = ()) -> Amount:
        defined = self._defined(name, value, says, parts)
        return defined, defined

    def _defined(self, name: str, value: Term, says: str, parts: Sequence[str] = ()) -> Term:
        """Return a term with its own definition, marked to differ from any other term and from a number as written."""
        if name not in self.marked:
            made = value
            for _ in range(len(self.marked) + 1):
                made = Term("+", made)  # a sum of one term equals the term, for the proof checker and for Coq
            self.marked[name] = made
            self.words.define(name, made, says, parts)
        return self.marked[name]

    def bytes(self, op: Tree, over: str, said: str = "") -> Amount:
        held, name = self.env.operation(op), text_of(op)
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
        return self._amount(_name("bytes", name, over), Term("+", *parts), f"bytes of {held.name} over {over}", of)

    def figure(self, chip: Tree, figure: Figure) -> Amount:
        kind = "capacity" if figure.unit == "B" else "peak" if figure.unit == "FLOP/s" else "bandwidth"
        name, value = _name(kind, text_of(chip), figure.resource), Term.rational(figure.value)
        return self._amount(name, value, f"{text_of(chip)}: {figure}")

    def over(self, above: Term, below: Term, kind: str) -> Term:
        return self.words.apply(kind, above, below) if kind else super().over(above, below, kind)


def _name(*parts: str) -> str:
    """Return an identifier of letters, digits and underscores made from texts."""
    return re.sub(r"[^A-Za-z0-9]+", "_", "_".join(p[:MAX_NAME] for p in parts if p)).rstrip("_")
