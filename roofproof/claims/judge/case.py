"""One claim under judgement: what its words mean, the domain of its names, and the evidence gathered on the way."""

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
STEPS = 6 * MILLION  # for one claim, and half as many for the slip in it
_JOINS = {"and": sympy.And, "or": sympy.Or, "=>": sympy.Implies, "<=>": Iff}


@dataclass(frozen=True)
class Linked:
    """What a limit, or two numbers that agree to their digits, say inside a statement, and what that rests on."""

    says: Boolean
    known: tuple[Known, ...] = ()
    note: str = ""
    coarse: bool = False  # right to its digits, and that by more than a percent


@dataclass
class Case:
    """One claim under judgement: its words' meaning, the domain of its names, and the evidence gathered."""

    claim: Claim
    env: Environment
    given: Domain
    oracle: str = "z3"
    quick: bool = False  # no search for side conditions or the right answer, few steps for the oracle
    budget: Budget = field(default_factory=lambda: Budget(STEPS))
    settled: set[Tree] = field(default_factory=set)  # parts of the claim that were decided as they are written
    where: list[Formula] = field(default_factory=list)  # that words have values
    links: dict[Comparison, Linked] = field(default_factory=dict)  # limits and numbers inside the statement

    def written(self, node: Tree) -> Formula | None:
        """Return the formula of a statement as its tree has it; None where the kernel has no words for a part of it."""
        try:
            return self.env.terms.formula(node)
        except (RoofproofError, KernelError):
            return None

    def as_written(self, values: Iterable[Tree]) -> tuple[Known, ...]:
        """Prove that values which SymPy worked with are those that are written."""
        return () if self.quick else as_written(self.env, self.domain, values)

    @property
    def domain(self) -> Domain:
        """The domain that is given, where the words met so far have values."""
        whole = dict.fromkeys(f for value in self.env.believed() for f in value.found.whole)
        return self.given.where(*whole, *self.where)

    def rests(self, settled: bool, alone: Collection[Tree]) -> Iterator[Known]:
        """Yield what the words and the links that were met rest on, all of it where the verdict is `settled`.

        Of a call that stands `alone` one value of the parameters at which it fails is enough.
        """
        for value in self.env.believed():
            if settled or not callable(value.found.proofs):
                yield from value.rests
            if value.call not in alone:
                yield from value.found.partly
        for link in self.links.values():
            yield from link.known

    @property
    def notes(self) -> Iterator[str]:
        """What is to be said of the words and the links that were met."""
        yield from (note for value in self.env.believed() for note in value.found.notes)
        yield from (link.note for link in self.links.values() if link.note)

    def keep_to(self, node: Tree) -> None:
        """Judge a statement where the words in it have values; in a regime that is seen far out.

        Raises Undecided where there is no such point.
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
    def late(self) -> bool:
        """Tell whether the steps for the claim are spent; what is not judged by then is undecided."""
        return not self.budget.left

    @property
    def steps(self) -> int:
        """The steps that the oracle gets for one question."""
        return min(300_000 if self.quick else 3 * MILLION, max(100_000, self.budget.left))

    @cached_property
    def sizes(self) -> frozenset[str]:
        """The sizes of the operations that the claim names: of a part of it, too, that names none."""
        assert self.claim.proposition is not None
        return sizes_in(self.env, self.claim.proposition)

    @cached_property
    def whole_parts(self) -> tuple[Formula, ...]:
        """What the operations that the claim names ask to be whole: what they divide by what divides it."""
        assert self.claim.proposition is not None
        return in_whole_sizes(self.env, self.claim.proposition)

    @contextmanager
    def explaining(self) -> Iterator[None]:
        """Go on after a failure to explain a verdict, with what it rests on as it was before."""
        before, done = (dict(self.env._values), dict(self.links), [*self.where]), False
        with explaining():
            yield
            done = True
        if not done:
            self.env._values, self.links, self.where = before

    def over_sizes(self, domain: Domain, parts: bool = True) -> Domain:
        """Return a domain in which the sizes of the operations that the claim names are whole, and so their parts.

        With `parts` false it holds what divides no other size, too: between the multiples the formulas have values.
        """
        whole = replace(domain, integers=domain.integers | self.sizes)
        return whole.where(*self.whole_parts) if parts else whole

    def boolean(self, node: Tree) -> Boolean:
        """Return the condition that a statement comes to.

        `f -> v` is the condition that the limit of f is v; `~=` between numbers is true or false.
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
        """Return the limit of f in `f -> v`, the value v, and what the limit rests on."""
        if self.claim.regime is None:
            raise Undecided("a limit needs a regime, such as regime = 'N -> oo'")
        expr, value = (self.env.to_sympy(o) for o in link.operands)
        found, known = proved_limit(expr, self.claim.regime, self.env)
        return found, value, known


def proved_limit(expr: sympy.Expr, regime: Regime, env: Environment) -> tuple[Limit, tuple[Known, ...]]:
    """Return a limit and what it rests on; raises Undecided where there is none, or it is outside what is solved."""
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
    """Return what a limit rests on; rather than on leading terms, on bounds that bring the expression to its value."""
    known = found.value_proofs()
    if weakest(known) == ByLeadingTerms.trust and found.value.is_finite and value.is_finite:
        known = prove_limit(expr, value, domain, found.regime) or known
    return known


def in_other_orders(expr: sympy.Expr, several: OrderMatters) -> tuple[Sentence, tuple[Known, ...]]:
    """Return that an expression tends to nothing, as it has other limits in other orders of growth."""
    known = (k for order, _ in several.orders for k in limit(expr, order).value_proofs())
    return Sentence("it has no limit: <orders>", orders=in_words(several.orders)), tuple(known)
