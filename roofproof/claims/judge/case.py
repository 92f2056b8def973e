"""One claim under verification: its environment, the domain of its names, and the evidence gathered so far."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.claims.judge.as_written import as_written
from roofproof.claims.judge.decide_condition import decide_condition
from roofproof.claims.judge.decide_formula import decide
from roofproof.claims.judge.domain import Domain, domain_of_given
from roofproof.claims.judge.far_out import prove_limit
from roofproof.claims.judge.preconditions import in_whole_sizes, sizes_in
from roofproof.claims.judge.residues import limits_by_residue
from roofproof.claims.language import Claim
from roofproof.claims.language.environment import Environment
from roofproof.claims.meaning import NoValue
from roofproof.claims.printed import known_agreement, off_by_digits, printed_agreement
from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.derive.algebra.logic import Iff
from roofproof.derive.algebra.text import plain
from roofproof.derive.limits.dominant_term import in_words
from roofproof.derive.limits.limits import Limit, OrderMatters, limit
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, Undecided, explaining
from roofproof.formula.to_sympy import joined
from roofproof.formula.tree import Comparison, Op, Tree, is_op, walk
from roofproof.proofs.kernel.terms import Formula, KernelError, Term
from roofproof.proofs.known import ByLeadingTerms, Known, weakest
from roofproof.proofs.translate import to_formula, with_functions
from roofproof.sentences import Sentence
from roofproof.sentences import joined as joined_words

NOWHERE = "it has no value under what is given; it needs <where>"
STEPS = 6 * MILLION  # for one claim, and half as many to find its mistake
_JOINS = {"and": sympy.And, "or": sympy.Or, "=>": sympy.Implies, "<=>": Iff}


@dataclass(frozen=True)
class Linked:
    """A limit, or an agreement of two numbers to their digits, as a condition inside a statement, with its proofs."""

    says: Boolean
    known: tuple[Known, ...] = ()
    note: str = ""
    coarse: bool = False  # agrees to its digits, but is off by more than a percent


@dataclass
class Case:
    """One claim under verification: its environment, the domain of its names, and the evidence gathered so far."""

    claim: Claim
    env: Environment
    given: Domain
    oracle: str = "z3"
    quick: bool = False  # no search for side conditions or the right answer, and few steps for the solver
    budget: Budget = field(default_factory=lambda: Budget(STEPS))
    settled: set[Tree] = field(default_factory=set)  # parts of the claim that were decided as written
    where: list[Formula] = field(default_factory=list)  # conditions for the functions to have values
    links: dict[Comparison, Linked] = field(default_factory=dict)  # limits and rounded numbers inside the statement

    def written(self, node: Tree) -> Formula | None:
        """Return the formula of a statement as written, or None if the proof checker cannot express a part of it."""
        try:
            return self.env.terms.formula(node)
        except (RoofproofError, KernelError):
            return None

    def as_written(self, values: Iterable[Tree]) -> tuple[Known, ...]:
        """Prove that the values used by SymPy equal the written ones."""
        return () if self.quick else as_written(self.env, self.domain, values)

    @property
    def domain(self) -> Domain:
        """The given domain, restricted to where the functions met so far have values."""
        whole = dict.fromkeys(f for value in self.env.proved_values() for f in value.found.whole)
        return self.given.where(*whole, *self.where)

    def rests(self, settled: bool, alone: Collection[Tree]) -> Iterator[Known]:
        """Yield the facts that the functions and links met so far depend on, with lazy proofs only if `settled`.

        For a call in `alone`, one value of the parameters at which it fails is enough.
        """
        for value in self.env.proved_values():
            if settled or not callable(value.found.proofs):
                yield from value.rests
            if value.call not in alone:
                yield from value.found.partly
        for link in self.links.values():
            yield from link.known

    @property
    def notes(self) -> Iterator[str]:
        """The notes on the functions and links met so far."""
        yield from (note for value in self.env.proved_values() for note in value.found.notes)
        yield from (link.note for link in self.links.values() if link.note)

    def restrict_to_defined(self, node: Tree) -> None:
        """Restrict the domain to where the functions in a statement have values. A regime checks this in the limit.

        Raises NoValue if there is no such point.
        """
        if self.claim.regime is not None or not (conditions := self.env.where(node)):
            return
        formulas = [to_formula(w, with_functions) for w in conditions]
        if not self.domain.can_hold(*formulas):
            where = joined_words("<first> and <second>", map(plain, conditions))
            nothing = decide(Formula("not", Formula("and", *formulas)), self.domain)
            raise NoValue(Sentence(NOWHERE, where=where), nothing.known)
        self.where.extend(f for f in formulas if f not in self.where)

    @property
    def out_of_steps(self) -> bool:
        """Whether the steps for the claim are used up. Parts that are not verified by then are undecided."""
        return not self.budget.left

    @property
    def steps(self) -> int:
        """The number of steps that the solver gets for one question."""
        return min(300_000 if self.quick else 3 * MILLION, max(100_000, self.budget.left))

    @cached_property
    def sizes(self) -> frozenset[str]:
        """The sizes of the operations in the whole claim, also for a part that names no operation."""
        assert self.claim.proposition is not None
        return sizes_in(self.env, self.claim.proposition)

    @cached_property
    def whole_parts(self) -> tuple[Formula, ...]:
        """The divisibility conditions of the operations in the claim."""
        assert self.claim.proposition is not None
        return in_whole_sizes(self.env, self.claim.proposition)

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Continue after a failure to explain a verdict, and restore the evidence from before."""
        before, done = (dict(self.env._values), dict(self.links), [*self.where]), False
        with explaining():
            yield
            done = True
        if not done:
            self.env._values, self.links, self.where = before

    def over_sizes(self, domain: Domain, parts: bool = True) -> Domain:
        """Return a domain in which the sizes of the claim's operations are integers and satisfy their divisibility.

        With `parts` false, the divisibility conditions are left out: the formulas have values between multiples, too.
        """
        whole = replace(domain, integers=domain.integers | self.sizes)
        return whole.where(*self.whole_parts) if parts else whole

    def boolean(self, node: Tree) -> Boolean:
        """Return a statement as a SymPy condition.

        `f -> v` becomes the condition that the limit of f is v, and `~=` between numbers is true or false.
        Raises Undecided for `~=` between formulas, which is about a regime and not about points.
        """
        if not any(isinstance(n, Comparison) and {"->", "~="} & set(n.relations) for n in walk(node)):
            return self.env.to_boolean(node)
        if isinstance(node, Comparison):
            return joined(sympy.And, [self._link(link) for link in node.links])
        if is_op(node, "not"):
            return sympy.Not(self.boolean(node.args[0]), evaluate=False)
        assert isinstance(node, Op)
        return joined(_JOINS[node.head], [self.boolean(part) for part in node.args])

    def _link(self, link: Comparison) -> Boolean:
        if not {"->", "~="} & {*link.relations}:
            return self.env.to_boolean(link)
        if link not in self.links:
            self.links[link] = self._tends(link) if link.relations == ("->",) else self._agrees(link)
        return self.links[link].says

    def _tends(self, link: Comparison) -> Linked:
        found, value, known = self.limit(link)
        if found.value.is_infinite or value.is_infinite:
            return Linked(sympy.true if found.value == value else sympy.false, known)
        return Linked(sympy.Eq(found.value, value, evaluate=False), known)

    def _agrees(self, link: Comparison) -> Linked:
        left, right = (self.env.to_sympy(o) for o in link.operands)
        if not left.is_number or not right.is_number:
            raise Undecided("'~=' between formulas must stand alone, or be joined by 'and'")
        for value, printed in ((left, link.operands[1]), (right, link.operands[0])):
            if (agreed := printed_agreement(value, printed, "~=", self.claim.tolerance)) is not None:
                note = "" if agreed.reading == "exact" else str(agreed)
                coarse = bool(note) and off_by_digits(value, printed, agreed)
                return Linked(sympy.true, (known_agreement(value, printed, agreed),), note, coarse)
        same = decide_condition(Formula("=", Term.of(left), Term.of(right)), Domain())
        if same.status == "open":
            said = "whether <left> is <right>: <reason>"
            raise Undecided(said, left=plain(left), right=plain(right), reason=same.reason)
        return Linked(sympy.true if same.status == "proved" else sympy.false, same.known)

    def limit(self, link: Comparison) -> tuple[Limit, sympy.Expr, tuple[Known, ...]]:
        """Return the limit of f in `f -> v`, the value v, and the proofs of the limit."""
        if self.claim.regime is None:
            raise Undecided("a limit needs a regime, such as regime = 'N -> oo'")
        expr, value = (self.env.to_sympy(o) for o in link.operands)
        found, known = proved_limit(expr, self.claim.regime, self.env)
        return found, value, known


def proved_limit(expr: sympy.Expr, regime: Regime, env: Environment) -> tuple[Limit, tuple[Known, ...]]:
    """Return a limit with its proofs, or raise Undecided if there is none or it cannot be computed."""
    growing = set(regime.growing)
    assume = [c for c in env.assumed() if not growing & {s.name for s in c.free_symbols}]
    try:
        found = limit(expr, regime, assume)
    except OrderMatters as several:
        raise NoValue(*in_other_orders(expr, several)) from None
    except RoofproofError as problem:
        if (apart := limits_by_residue(expr, domain_of_given(env), regime)) is not None:
            raise NoValue(*apart) from None
        raise Undecided(problem.said) from None
    return found, value_known(found, expr, found.value, domain_of_given(env))


def value_known(found: Limit, expr: sympy.Expr, value: sympy.Expr, domain: Domain) -> tuple[Known, ...]:
    """Return the proofs of a limit, by bounds around the value if the only other proof is by leading terms."""
    known = found.value_proofs()
    if weakest(known) == ByLeadingTerms.trust and found.value.is_finite and value.is_finite:
        known = prove_limit(expr, value, domain, found.regime) or known
    return known


def in_other_orders(expr: sympy.Expr, several: OrderMatters) -> tuple[Sentence, tuple[Known, ...]]:
    """Return a message, with proofs, that an expression has no limit, as its limit depends on the order of growth."""
    known = (k for order, _ in several.orders for k in limit(expr, order).value_proofs())
    return Sentence("it has no limit: <orders>", orders=in_words(several.orders)), tuple(known)
