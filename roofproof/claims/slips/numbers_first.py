"""Numbers first: a variant of a claim that fails at sizes met at once is not judged at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from roofproof.claims.functions.functions import table
from roofproof.claims.judging.as_written import Reading
from roofproof.claims.judging.case import Case, Evidence
from roofproof.claims.judging.comparing import numbers_apart
from roofproof.claims.judging.decide_formula import refutation
from roofproof.claims.judging.domain import domain_of_given
from roofproof.claims.language import Claim, nodes
from roofproof.claims.language.assumed_sizes import assuming
from roofproof.claims.language.nodes import Node
from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import Formula, KernelError
from roofproof.proofs.oracles import sampling
from roofproof.proofs.search.root_comparisons import squared_point, squares_of

TRIES = 150  # most wrong statements fail soon


def fails(variant: Claim, alike: Mapping[Node, Formula] | None = None) -> bool:
    """Tell whether a claim is seen to fail at sizes that its operations have; what does not may fail elsewhere.

    >>> from roofproof.claims.language.book import book_from_text
    >>> claims = 'flops(matmul) <= B D F', 'flops(matmul) <= 2 B D F', 'flops(matmul) == B D F'
    >>> [fails(c) for says in claims for c in book_from_text(f"[[claim]]\\nid = 'a'\\nsays = '{says}'").claims]
    [True, False, False]

    An equation of numbers may hold to its digits. `alike` are parts of the claim that were read.
    """
    node = variant.proposition
    if node is None or variant.environment.signs or nodes.bound_names(node):
        return False
    if _of_numbers(variant, node):
        return True
    if variant.regime is not None:
        return False
    joined = isinstance(node, nodes.Equivalence | nodes.Implication | nodes.Disjunction)  # of equations: exact ones
    loose = {"~=", "->"} if joined else {"==", "~=", "->"}
    if any(loose & set(getattr(part, "relations", ())) for part in nodes.walk(node)):
        return False
    try:
        claim = assuming(variant)
        env = replace(claim.environment, functions={}, _values={})  # of the engine only what its definitions say
        case = Case(claim, env, domain_of_given(env), Evidence())
        domain, goal = case.over_sizes(case.domain), Reading(env, alike or {}).formula(node)
        denied = (*domain.assumptions, Formula("not", goal))
        if domain.signs:
            return False
        point = sampling.find(denied, sorted(domain.integers), TRIES)
        if point is None:
            point = squared_point(denied, squares_of(denied) or denied, domain.integers, 2 * TRIES)
        return point is not None and refutation(goal, domain, point) is not None
    except (RoofproofError, KernelError):
        return False


def _of_numbers(variant: Claim, node: Node) -> bool:
    """Tell whether numbers that the claim, or a part of it, says to be equal are not, not even to their digits."""
    env = replace(variant.environment, functions=table(Evidence(variant.regime, quick=True)), _values={})
    parts = node.members if isinstance(node, nodes.Conjunction) else (node,)
    try:
        return any(isinstance(part, nodes.Comparison) and numbers_apart(env, part, variant.tolerance) for part in parts)
    except (RoofproofError, KernelError, TypeError):
        return False


def unchanged(claim: Claim) -> dict[Node, Formula]:
    """Return the comparisons in a claim that name no operation and no chip, which no slip changes, as they are read.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "intensity(matmul) > 240 <=> B > 240"').claims
    >>> unchanged(c).values()
    dict_values([('>', ('v', 'B'), ('q', 240, 1))])
    """
    reading, found = Reading(claim.environment), dict[Node, Formula]()
    for part in nodes.walk(claim.proposition or Node()):
        if not isinstance(part, nodes.Comparison) or {*nodes.names_in(part)} & claim.environment.let.keys():
            continue  # a slip may give a name another value
        if not any(isinstance(n, nodes.Call | nodes.Reference) for n in nodes.walk(part)):
            try:
                found[part] = reading.formula(part)
            except (RoofproofError, KernelError):
                continue
    return found
