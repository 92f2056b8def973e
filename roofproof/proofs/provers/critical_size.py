"""The main entry point: derive and prove the threshold of an operation on a chip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from typing import TYPE_CHECKING

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.answer import Answer
from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Case, Cases
from roofproof.derive.inequalities.cases import substitute as put_in
from roofproof.derive.limits.limits import check_assumptions, limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.critical_size import CriticalSize, among, default_regime, searched_for, solve_at_sizes
from roofproof.derive.roofline.critical_size import threshold as derive_threshold
from roofproof.derive.roofline.memory_fit import fitting
from roofproof.derive.solve import solved
from roofproof.derive.trace import by_plain_signs, prove_restated
from roofproof.errors import RoofproofError, Undecided, quoted, refuse_unknown
from roofproof.ops.roles import Role, role_of, usual_sizes
from roofproof.proofs.assumptions import rooted
from roofproof.proofs.derivation import Derivation, Row
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, show, substitute, variables
from roofproof.proofs.known import PROVED, ByEveryInteger, Known, Unproved, Unwarranted, by_kernel, warranted, weakest
from roofproof.proofs.provers.roofline import (
    bounded,
    cancelled,
    compared,
    counted_within,
    counts,
    figure,
    ridge,
    would_bind,
)
from roofproof.proofs.provers.statements import prove_statement, witness_of
from roofproof.proofs.provers.thresholds import cases_of, certify, drop_infeasible, powers_met, refuted, statements_of
from roofproof.proofs.search.lemmas import cut
from roofproof.proofs.search.short_proofs import prove
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import formula_if_defined, to_formula, with_functions

if TYPE_CHECKING:
    from roofproof.derive.inequalities.cases import Threshold
    from roofproof.derive.limits.limits import Limit
    from roofproof.derive.roofline.other_sources import OtherFigure
    from roofproof.derive.roofline.share import Share
    from roofproof.hardware import Chip, Figure
    from roofproof.ops import Operation
    from roofproof.proofs.provers.specialize import Values
    from roofproof.proofs.provers.times import Partition

SEARCH, ALL = 8 * MILLION, 32 * MILLION  # steps of one search, and of all proofs of the cases


@dataclass(frozen=True, slots=True)
class Rule:
    """A proved limit of an intensity, and, in the first rule, the rule of thumb for the threshold.

    If nobody named the regime, `by_letter` are the sizes that are taken as constant only because of their letters.
    """

    limit: Limit
    channel: str
    known: tuple[Known, ...] = ()
    by_letter: Mapping[str, Role] = field(default_factory=dict)

    @property
    def threshold(self) -> Cases | None:
        """The rule of thumb, as stated by the known statements."""
        return cases_of(self.known) if self.known else None

    @property
    def condition(self) -> Formula:
        """The condition that the rule of thumb solves: the eventual form of the whole condition."""
        return next(k.statement.goal.parts[0] for k in self.known if isinstance(k.statement.about, tuple))


@dataclass(frozen=True, repr=False)
class ProvedThreshold(Answer):
    """A threshold with its proofs and the weakest trust among them.

    `solved` are the cases with the specs of the chip, `symbolic` those with the ridge point as a symbol. Raises
    Unwarranted if the cases found are not the ones proved, or if the proofs assume something that the answer omits.

    >>> from roofproof import chip, op
    >>> proved = threshold(op("matmul"), chip("tpu-v5e@scaling-book"), "B", {"D": 4096, "F": 4096})
    >>> proved.trust, [str(figure) for figure in proved.figures]
    ('kernel', ['bf16 = 1.97e14 FLOP/s', 'hbm = 8.2e11 B/s'])
    >>> for known in proved.derivation.of("intensity", "ridge", "at-point", "integer")[:4]:    # then other specs
    ...     print(known.statement.says, "by", known.trust)
    I = B*D*F/(B*D + B*F + D*F) by kernel
    R = 1.97e14 / 8.2e11 = 9850/41 by kernel
    B > 10086400/37059 by kernel
    smallest integer B = 273 by kernel
    """

    found: CriticalSize
    chip: Chip | None
    solved: Derivation
    symbolic: Derivation
    regime: Regime | str | None

    def __post_init__(self) -> None:
        if self.regime:
            self.rules  # noqa: B018  (a requested regime must have a limit)
        found = self.found
        for known, cases in ((self.solved, found.cases), (self.symbolic, found.symbolic)):
            if cases_of(known) != cases:
                raise Unwarranted(f"{str(cases)!r} is not what is proved")
        told = {to_formula(a, with_functions) for a in (*found.assume, *found.facts)}
        told |= {Formula("int", Term("v", found.unknown.name))} if found.searched else set()
        for statement in (k.statement for k in (*self.solved, *self.symbolic) if k.statement.kind == "case"):
            own = {to_formula(statement.about[1].when, with_functions)}
            if more := set(statement.assumptions) - told - own - {f for f in statement.assumptions if rooted(f)}:
                raise Unwarranted(f"{statement.says!r} is proved where {show(min(more))}, which is not said")

    @property
    def trust(self) -> str:
        return weakest((*self.solved, *self.symbolic))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The datasheet specs that the answer relies on."""
        ceilings, shared = self.found.ceilings, self.found.shared
        return tuple(dict.fromkeys([r for c in ceilings for r in c.rests_on] + [r for s in shared for r in s.peaks]))

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """The limit of each intensity, with the rule of thumb (computed on first access)."""
        return rules(self.found.op, self.found, self.regime, self.chip)

    @cached_property
    def symbolic_rules(self) -> tuple[Rule, ...]:
        """The rules with ridge points as symbols."""
        found = replace(self.found, condition=self.found.symbolic_condition, cases=self.found.symbolic)
        return rules(self.found.op, found, self.regime, self.chip)

    @cached_property
    def regions(self) -> Partition | None:
        """The regions in which each resource takes longest, at the sizes if all are given, or None for one unit."""
        found = self.found
        if self.chip is None or len({c.compute for c in found.ceilings}) < 2:
            return None
        from roofproof.proofs.provers.times import partition

        others = {s.name for s in found.op.dims} - {found.unknown.name}
        try:
            return partition(found.op, self.chip, found.unknown.name, found.point if others <= set(found.point) else {})
        except Unwarranted:
            raise
        except RoofproofError:
            return None  # the regions cannot be solved, but the threshold is valid without them

    @cached_property
    def derivation(self) -> Derivation:
        """All statements of the answer, from the specs to the smallest integer (computed on first access)."""
        return Derivation.of_rows(self._rows())

    def _rows(self) -> Iterator[Row]:
        found, op = self.found, self.found.op
        yield from (Row("figure", (figure(rate),), rate) for rate in self.figures)
        yield from counts(op)
        for s in found.shared:
            yield Row("shared", tuple(k for k in counted_within(s) if k.statement.kind != "figure"), s)
        for c in found.ceilings:
            yield Row("intensity", (cancelled(c.flops, c.moved, c.intensity, c.label),), c)
            yield Row("compared", tuple(compared(c)), c)
        for rule in self.rules:
            yield Row("limit", tuple(rule.limit.derivation), rule)
        yield Row("cases", tuple(self.symbolic), found.symbolic)
        if self.solved is not self.symbolic:
            yield Row("cases", tuple(self.solved), found.cases)
        for left in found.left_out:
            yield Row("left-out", tuple(would_bind(left)), left)
        for part in self.regions.derivation.rows("region", "apart") if self.regions is not None else ():
            kinds = ((k, replace(k.statement, kind=f"region-{k.statement.kind}")) for k in part.known)
            yield replace(part, known=tuple(replace(k, statement=statement) for k, statement in kinds))
        if found.cases.never and len({c.compute for c in found.ceilings}) == 1:
            yield from (Row("bound", (k,), c) for c in found.ceilings if (k := bounded(c)) is not None)
        for rule in self.rules:
            yield Row("rule", rule.known, rule)
        if found.at_point is not None:
            there = at_sizes(found.condition, found, found.point, found.at_point, found.integer)
            yield Row("point", tuple(there), found)
        if started := started_at(found):
            yield Row("started", started, found)
        if self.chip is not None:
            from roofproof.derive.roofline.other_sources import other_figures

            yield from (Row("other", tuple(with_other_spec(found, o)), o) for o in other_figures(found, self.chip))
            if all(s.name in found.point for s in op.dims):
                from roofproof.proofs.provers.times import timed

                yield Row("time", tuple(timed(op, self.chip, found.point)), op)

    @property
    def cases(self) -> Cases:
        """The cases with the specs of the chip, exhaustive and disjoint."""
        return self.found.cases

    @property
    def integer(self) -> int | None:
        """The smallest (or largest) integer that meets the threshold at the given sizes, or None if there is none."""
        return self.found.integer

    def __repr__(self) -> str:
        left = [f"left out, as the chip has no spec: {g.amount} on {g.resource}" for g in self.found.left_out]
        return "\n".join([str(self.cases), f"proved by {self.trust}", *left])


def started_at(found: CriticalSize) -> tuple[Known, ...]:
    """Return the threshold and integer at the given sizes with the start-up time of an estimate, or () without one."""
    if (started := found.started()) is None:
        return ()
    condition, there, last = started
    assume = among(found.unknown, last) if last else () if found.searched else found.assume
    found = replace(found, condition=condition, searched=last, assume=assume)
    return tuple(at_sizes(condition, found, {}, there, found.allowed.integer(there)))


def at_sizes(
    condition: Boolean | Formula, found: CriticalSize, values: Values, threshold: Threshold, integer: int | None
) -> Iterator[Known]:
    """Yield the threshold of a condition with numbers for all other names, and its integer answer."""
    from roofproof.proofs.provers.integers import prove_integer
    from roofproof.proofs.provers.specialize import as_terms

    terms = as_terms(values)
    given = [substitute(to_formula(a, with_functions), terms) for a in found.assume]
    said = condition if isinstance(condition, Formula) else formula_if_defined(condition)
    cases, holds = Cases(found.unknown, (Case(sympy.true, threshold),)), substitute(said, terms)
    [statement] = statements_of(holds, cases, [f for f in given if variables(f)])
    met = [] if found.searched else powers_met(found.condition, found.unknown, found.assume)
    hints = [substitute(h, terms) for h in met]
    statement = replace(statement, kind="at-point")
    solved = (
        at_every_integer(statement, found)
        if found.searched
        else _by_solver(statement, found, condition, values) or prove_statement(statement, hints)
    )
    yield solved
    if threshold.kind == "never" and integer is None:
        return
    allowed, x = found.allowed, found.unknown
    within = allowed.within(threshold) if allowed.bounds else threshold
    if allowed.bounds:
        both = Formula("and", holds, *map(to_formula, allowed.bounds))
        inside = Cases(x, (Case(sympy.true, within),))
        asked = list(map(to_formula, allowed.bounds))
        [statement] = statements_of(both, inside, [f for f in given if variables(f) and f not in asked])
        statement = replace(statement, kind="within", label=" and ".join(map(plain, allowed.bounds)))
        if found.searched:
            solved = at_every_integer(statement, found)
        else:
            solved = _cut_short(statement, solved, asked) or prove_statement(statement, hints)
        yield solved
    yield prove_integer(
        solved, x, within, integer, allowed.multiple_of, allowed.whole, largest=threshold.kind == "below"
    )


def _by_solver(statement: Statement, found: CriticalSize, condition: Boolean | Formula, values: Values) -> Known | None:
    """Prove a threshold with numbers for all other names by the solver's sign tree for them, or return None."""
    if isinstance(condition, Formula):  # not a condition that the solver can take
        return None
    assume = [put for a in found.assume if (put := put_in(a, values)) != sympy.true]
    try:
        there = solved(put_in(condition, values), found.unknown, tuple(assume))
    except RoofproofError:
        return None
    [case, *others] = there.cases
    theorem = None if others else there.theorem(statement.goal, case, refuted, prove_restated)
    if not there.leaves:  # SymPy solved it alone, without a sign tree
        theorem = by_plain_signs(found.unknown, statement.goal)
    return by_kernel(statement, theorem, witness_of(statement))


def _cut_short(statement: Statement, solved: Known, limits: Sequence[Formula]) -> Known | None:
    """Prove that a condition and limits are equivalent to the threshold restricted by them, or return None."""
    _, _, inside = statement.goal
    theorem = solved.theorem and prove(Formula("<=>", Formula("and", solved.statement.goal[2], *limits), inside))
    if solved.theorem is None or theorem is None:
        return None
    with suppress(KernelError):
        within = reduce(kernel.discharge, [f for f in limits if f in solved.theorem.hypotheses], solved.theorem)
        joined = kernel.propositional(statement.goal, [within, theorem])
        return by_kernel(statement, joined, witness_of(statement))
    return None


def with_other_spec(found: CriticalSize, other: OtherFigure) -> Iterator[Known]:
    """Yield a spec from another source, the resulting ridge points, and the resulting integer answer."""
    yield figure(other.rate)
    for c in found.ceilings:
        if c.symbol in other.ridges:
            changed = [other.rate if r.resource == other.rate.resource else r for r in c.rests_on]
            yield ridge(replace(c, ridge=other.ridges[c.symbol], rests_on=tuple(changed)))
    if found.at_point is not None:
        ridges = {c.symbol.name: other.ridges.get(c.symbol, c.ridge) for c in found.ceilings}
        values = {**found.point, **ridges}
        try:
            there = found.threshold_at(values)
        except RoofproofError:
            return  # the condition lacks a size only with the chip's own specs
        yield from at_sizes(found.symbolic_condition, found, values, there, other.integer)


def threshold(
    op: Operation,
    chip: Chip | None,
    unknown: str,
    at: Mapping[str, int] | None = None,
    regime: Regime | str | None = None,
    multiple_of: int = 1,
    oracle: str = "z3",
    share: Share | None = None,
) -> ProvedThreshold:
    """Return the proved threshold at which `op` is compute-bound on `chip`, or keeps a share of its peak.

    >>> from roofproof import chip, op
    >>> threshold(op("bf16[B,D], bf16[D,F] -> bf16[B,F]"), None, "B")        # BDF/(BD + DF + BF) > R
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise
    proved by kernel
    >>> threshold(op("matmul"), chip("tpu-v5e@scaling-book"), "B", {"D": 1024, "F": 1024}).found.integer
    453

    The threshold is solved for the dimension `unknown`. The integer answer is a multiple of `multiple_of`. `oracle`
    (z3) is used for statements that the kernel does not prove. Raises RoofproofError for invalid input and for
    inequalities outside the solved fragment.
    """
    found = derive_threshold(op, chip, unknown, at, multiple_of, share)
    made = _proved(found, chip, oracle, regime)
    if chip is None or made.trust in PROVED or not {s.name for s in op.dims} <= {unknown, *found.point}:
        return made
    for another in (solve_at_sizes, searched_for):  # the closed form has no proof, but at numbers, other proofs exist
        with suppress(Undecided):
            if (there := _proved(another(found), chip, oracle, regime)).trust in PROVED:
                return there
    return made


def threshold_given(
    op: Operation,
    chip: Chip | None,
    unknown: str,
    at: Mapping[str, int],
    regime: Regime | str | None = None,
    multiple_of: int = 1,
    oracle: str = "z3",
    share: Share | None = None,
) -> tuple[Operation, Mapping[str, int], ProvedThreshold]:
    """Return a threshold with its operation and sizes, which go into the operation if the threshold stays a formula.

    >>> from roofproof import chip, op
    >>> print(threshold_given(op("matmul"), chip("tpu-v5e@scaling-book"), "B", {"D": 1970})[2].found.symbolic)
    B > 1970*R*F/(1970*F - R*(F + 1970))    when 1970/F + 1 < 1970/R
    never                                   otherwise
    """
    how = (regime, multiple_of, oracle, share)
    made = threshold(op, chip, unknown, at, *how)
    if not made.found.is_partly_given:
        return op, at, made
    from roofproof.ops.combine import at as at_sizes

    for name in at:
        if re.search(rf"\b{name}\b", str(regime or "")):
            said = "<size> grows in the regime and has a value; leave one of them out"
            raise RoofproofError(said, size=quoted(name))
    op = at_sizes(op, **at)
    return op, {}, threshold(op, chip, unknown, {}, *how)


def _proved(found: CriticalSize, chip: Chip | None, oracle: str, regime: Regime | str | None) -> ProvedThreshold:
    """Return a threshold with the proofs of its cases, both with the specs of a chip and with symbols."""
    given = (*found.assume, *found.facts)
    cases, symbolic_cases = (drop_infeasible(c, given) for c in (found.cases, found.symbolic))
    found = replace(found, cases=cases, symbolic=symbolic_cases)

    whole = Budget(ALL)

    def proved(condition: Boolean, cases: Cases) -> Derivation:
        if found.searched:
            return Derivation((at_every_integer(statements_of(formula_if_defined(condition), cases)[0], found),))
        return without_facts(certify(condition, cases, given, oracle, SEARCH, whole), found.facts, found.assume)

    solved = symbolic = proved(found.condition if found.at_sizes_only else found.symbolic_condition, symbolic_cases)
    if chip is not None and not found.at_sizes_only:
        solved = proved(found.condition, cases)
    return ProvedThreshold(found, chip, solved, symbolic, regime)


def at_every_integer(statement: Statement, found: CriticalSize) -> Known:
    """Return a statement checked at every integer up to the last one searched."""
    x = found.unknown.name
    given = (Formula("int", Term("v", x)), *(to_formula(a) for a in found.assume))
    statement = replace(statement, assumptions=given)
    known = warranted(statement, ByEveryInteger(x, 1, found.searched), {x: Fraction(1)})
    return known or Known(statement, Unproved("could not be checked at every integer"))


def without_facts(derivation: Derivation, facts: Sequence[Boolean], given: Sequence[Boolean]) -> Derivation:
    """Return statements without the assumptions in `facts` that the kernel proves from those in `given`.

    >>> from roofproof.derive.inequalities.cases import Above
    >>> from roofproof.symbols import dimension
    >>> B, P = map(dimension, "BP")
    >>> assumed = [sympy.Ge(P, 1, evaluate=False), sympy.Gt(P + 1, 1, evaluate=False)]
    >>> found = certify(B * P > 2, Cases(B, (Case(sympy.true, Above(2 / P)),)), assumed)
    >>> [len(each.known[0].statement.assumptions) for each in (found, without_facts(found, assumed[1:], assumed[:1]))]
    [2, 1]
    """
    used, kept = ([to_formula(f, with_functions) for f in each] for each in (facts, given))
    follow = [made for f in used if (made := prove(f, kept)) is not None]
    gone = {made.conclusion for made in follow}

    def shorter(known: Known) -> Known:
        left = tuple(a for a in known.statement.assumptions if a not in gone)
        theorem = known.theorem and cut(known.theorem, follow)
        return by_kernel(replace(known.statement, assumptions=left), theorem) or known

    return Derivation(tuple(map(shorter, derivation))) if follow else derivation


def rules(
    op: Operation, found: CriticalSize, regime: Regime | str | None, chip: Chip | None = None
) -> tuple[Rule, ...]:
    """Return the limit of each intensity in the requested regime, or in that of the usual rule of thumb.

    The first also has the rule of thumb, over all memory levels and links, if it is proved. Without a requested regime,
    the rule is omitted if it contradicts the exact answer at the given sizes, with usual values for the other sizes.
    """
    asked = Regime(regime) if isinstance(regime, str) else regime
    names = [s.name for s in op.dims]
    for name in (*asked.growing, *asked.fixed) if asked else ():
        refuse_unknown("dimension", name, names)
    if asked:
        check_assumptions(fitting(op, chip), asked)
    wanted = None if found.at_sizes_only else asked or default_regime(op, found.unknown.name, chip)
    if wanted is None:
        return ()
    from roofproof.proofs.provers.rule_of_thumb import rule_of_thumb, worth_saying

    out = []
    given = background_assumptions(op, found)
    for ceiling in found.ceilings:
        present = {s.name for s in ceiling.intensity.free_symbols}
        if not (asked or present & set(wanted.growing)):
            continue
        try:
            reached = limit(ceiling.intensity, wanted, given)
        except RoofproofError as problem:
            if asked or isinstance(problem, Unwarranted):
                raise
            continue  # this limit was not requested, and it does not exist
        alone = not asked and found.unknown.name in wanted.growing and len(names) > 1
        if alone and reached.growth_error == 0:
            continue  # not requested either: the limit of a power of the unknown, whatever the other sizes
        stay = {n: role_of(op, n) for n in sorted(present - {found.unknown.name} - set(op.roles)) if not asked}
        out.append(Rule(reached, ceiling.label, (), {n: role for n, role in stay.items() if not role.grows}))
    if out and (thumb := rule_of_thumb(found.condition, found.unknown, wanted, found.assume)):
        cases, known = thumb
        if not asked and not worth_saying(
            cases, wanted, found.cases, usual_sizes(op, found.point) if found.point else {}
        ):
            return tuple(out)
        told = tuple(replace(k, statement=replace(k.statement, kind="rule")) for k in known)
        out[0] = replace(out[0], known=told)
    return tuple(out)


def background_assumptions(op: Operation, found: CriticalSize) -> tuple[Boolean, ...]:
    """Return the background assumptions for the limit of an intensity: those of the threshold, and size comparisons.

    >>> from roofproof import op
    >>> background_assumptions(window := op("sliding-window-attention"), derive_threshold(window, None, "L"))
    (W >= 1, W <= L)
    """
    return (*found.assume, *(c for c in op.conditions if isinstance(c, Relational) and not c.has(sympy.Mod)))
