"""A claim about one size, at every whole number up to 2^30: by bounds on blocks of them, where nothing else tells."""

from __future__ import annotations

from fractions import Fraction

from roofproof.claims.judging.case import Case
from roofproof.claims.judging.decide_formula import refutation
from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.kinds import CONDITIONAL, REFUTED, VERIFIED
from roofproof.derive.inequalities.whole_numbers import LAST
from roofproof.proofs.kernel.terms import OPAQUE, Formula, Term, variables
from roofproof.proofs.known import ByEveryInteger, warranted
from roofproof.proofs.oracles.whole_numbers import fails_at
from roofproof.proofs.search.polynomials import terms_with
from roofproof.proofs.statement import Statement


def at_whole_sizes(case: Case, written: Formula | None) -> Verdict | None:
    """Return the verdict on a statement about one size of an operation that rounds, or has a power or a logarithm.

    Where it holds at every whole number up to 2^30, that is the condition, unless what is given says as much. None for
    other statements, and where bounds do not tell.
    """
    if case.quick or written is None or case.claim.regime is not None or not terms_with(OPAQUE, written):
        return None
    domain = case.over_sizes(case.domain)
    names = frozenset[str]().union(*map(variables, (written, *domain.assumptions)))
    if len(names) != 1 or not names <= case.sizes:
        return None
    [name] = names
    size = Term("v", name)
    goal = Formula("=>", Formula("and", *domain.assumptions), written) if domain.assumptions else written
    _, at = fails_at(goal, name, 1, LAST)
    if at is not None:
        point = {name: Fraction(at)}
        refuted = refutation(written, domain, point)
        return None if refuted is None else Verdict(REFUTED, (refuted,), counterexample=point, claimed=written)
    last = Formula(">=", Term("q", LAST, 1), size)
    between = (Formula("int", size), Formula(">=", size, Term("q", 1, 1)), last)
    known = warranted(Statement("", between, goal), ByEveryInteger(name, 1, LAST))
    if known is None:
        return None
    if not domain.can_hold(Formula("not", last)):
        return Verdict(VERIFIED, (known,), claimed=written)
    return Verdict(CONDITIONAL, (known,), condition=f"{name} <= {LAST}")
