"""Proofs that the values and statements used by SymPy equal the claim as written.

A statement about all sizes is decided from its tree. Limits, optima and eventual truth are computed by SymPy, which
cancels and reorders. A theorem states that the result is the same. If there is none, the trust of the verdict says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from roofproof.claims.judge.domain import Domain, defined_where
from roofproof.claims.language.environment import Environment
from roofproof.derive.algebra.budget import MILLION, Budget
from roofproof.errors import RoofproofError, Undecided
from roofproof.formula.functions import ARITHMETIC
from roofproof.formula.printing import to_text
from roofproof.formula.tree import (
    Call,
    Comparison,
    Constant,
    Name,
    Number,
    Quantity,
    Reference,
    Tree,
    is_op,
    is_statement,
    walk,
)
from roofproof.proofs import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.known import ByAlgebra, Known, by_kernel, warranted
from roofproof.proofs.search import tactics
from roofproof.proofs.search.equivalence import equal, equivalent, match_forms, power_lemmas
from roofproof.proofs.search.integers import integer_conditions, prove_whole
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_formula, with_functions

DIFFERENT = "what was proved is not what the claim says"


def as_written(env: Environment, domain: Domain, nodes: Iterable[Tree]) -> tuple[Known, ...]:
    """Prove that the values and statements used by SymPy equal the written ones.

    Raises Undecided if one of them differs at some point.
    """
    made: list[Known] = []
    for node in dict.fromkeys(nodes):
        if is_statement(node):
            made += _statement(env, domain, node)
        elif not isinstance(node, Number | Quantity) and node != Constant("oo"):
            made += _value(env, domain, node)
    return tuple(made)


def _statement(env: Environment, domain: Domain, node: Tree) -> tuple[Known, ...]:
    """Return such proofs for a whole statement, or else for the values that it compares."""
    try:
        written = env.terms.formula(node)
        form = match_forms(to_formula(env.to_boolean(node)), written)
    except (RoofproofError, KernelError):
        return as_written(env, domain, values(node))
    loose = domain.loose & variables(written)
    if loose and not any(isinstance(part, Call) and is_statement(part) for part in walk(node)):
        return as_written(env, domain, values(node))
    return () if written == form else (_same(Formula("<=>", written, form), domain),)


def _value(env: Environment, domain: Domain, node: Tree) -> tuple[Known, ...]:
    try:
        form = with_functions(env.to_sympy(node))
    except (RoofproofError, TypeError):
        return ()  # no finite value was computed from it
    try:
        written = env.terms.term(node)
        form = match_forms(form, written)
    except (RoofproofError, KernelError):
        return (Known(Statement(to_text(node), (), Formula("=", form, form)), ByAlgebra()),)
    return () if written == form else (same_value(written, form, domain),)


def same_value(written: Term, form: Term, domain: Domain) -> Known:
    """Prove that two terms are equal where both are defined, with the proof checker or else with SymPy only.

    >>> x, y = Term("v", "x"), Term("v", "y")
    >>> apart = Term("+", x, Term("*", Term("q", -1, 1), y))
    >>> same_value(Term("/", Term("*", apart, x), apart), x, Domain()).theorem
    not(0 + 1*x^1 + -1*y^1 = 0), x > 0, y > 0 |- ((x + -1*y)*x)/(x + -1*y) = x

    Raises Undecided if they differ at some point.
    """
    return _same(Formula("=", written, form), domain)


def _same(goal: Formula, domain: Domain) -> Known:
    """Prove that the two sides of an equation or an equivalence are the same."""
    names = variables(goal)
    loose = domain.loose & names
    given = (*domain.assumptions, *defined_where(goal, names - domain.loose))
    if (theorem := _theorem(goal, given, names, loose)) is not None:
        used = tuple(f for f in given if f in theorem.hypotheses)
        if (known := by_kernel(Statement("", used, goal, reals=loose), theorem)) is not None:
            return known
    same = warranted(Statement("", given, goal, reals=loose), ByAlgebra())
    if same is None and not loose:  # floor(n) = n
        integers = sorted(names & domain.integers)
        found = prove_whole(goal, given, integers, Budget(MILLION), lambda: None)
        same = by_kernel(Statement("", (*given, *integer_conditions(integers)), goal), found)
    if same is None:
        raise Undecided(DIFFERENT)
    return same


def _theorem(goal: Formula, given: Sequence[Formula], names: frozenset[str], loose: frozenset[str]) -> Theorem | None:
    if goal[0] == "<=>":
        return equivalent(goal[1], goal[2], given)
    theorem = equal(goal[1], goal[2], given, sorted(names - loose))
    return tactics.prove(goal, given, power_lemmas(goal)) if theorem is None and not loose else theorem


def values(node: Tree) -> Iterator[Tree]:
    """Yield the values that a statement compares."""
    for part in walk(node):
        if isinstance(part, Comparison):
            yield from part.operands


def arguments(nodes: Iterable[Tree]) -> Iterator[Tree]:
    """Yield the arguments of the claim-language functions among some nodes, except names, references and sets."""
    for node in nodes:
        if isinstance(node, Call) and node.function not in ARITHMETIC:
            for argument in node.arguments:
                if not (isinstance(argument, Name | Reference) or is_op(argument, "set")):
                    yield argument
