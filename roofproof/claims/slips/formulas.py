"""Slips in the statement itself: what the author may have meant."""

from collections.abc import Iterator
from dataclasses import replace

from roofproof.claims.functions.functions import table
from roofproof.claims.judging.case import Evidence
from roofproof.claims.language import Claim
from roofproof.claims.language.nodes import (
    Call,
    Comparison,
    Equivalence,
    Implication,
    Node,
    Number,
    Reference,
    names_in,
    walk,
    with_values,
)
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError

_TURNED = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}


def strictness(claim: Claim) -> Iterator[Claim]:
    """Yield the claim with one bound of an equivalence or implication strict where it was not, or the reverse."""
    node = claim.proposition
    assert node is not None
    if isinstance(node, Equivalence):
        for k, member in enumerate(node.members):
            for changed in _turned(member):
                members = (*node.members[:k], changed, *node.members[k + 1 :])
                yield replace(claim, proposition=replace(node, members=members))
    if isinstance(node, Implication):
        for changed in _turned(node.conclusion):
            yield replace(claim, proposition=replace(node, conclusion=changed))


def _turned(node: Node) -> Iterator[Node]:
    if isinstance(node, Comparison) and len(node.relations) == 1 and node.relations[0] in _TURNED:
        yield replace(node, relations=(_TURNED[node.relations[0]],))


def limit_for_exact(claim: Claim) -> Iterator[Claim]:
    """Yield the claim as one about a regime, in which every size that one side leaves out grows.

    Sizes of operations to which `let` gives values are taken for names again, all of which grow.
    """
    if claim.regime is not None:
        return
    free, fixed = _with_free_sizes(_with_threshold(claim))
    node = free.proposition
    if isinstance(node, Comparison | Equivalence | Implication):
        growing = fixed or _left_out(free, node)
        bounded = {name for condition in claim.given.conditions for name in names_in(condition)}
        if growing and not bounded.intersection(growing):
            yield replace(free, regime=Regime.of(tuple(growing)))


def _left_out(claim: Claim, node: Comparison | Equivalence | Implication) -> list[str]:
    """Return the names on one side only; a number leaves out every name."""
    sides = node.operands if isinstance(node, Comparison) else node.parts
    if len(sides) != 2:
        return []
    env = replace(claim.environment, functions=table(Evidence()), _values={})
    convert = env.to_sympy if isinstance(node, Comparison) else env.to_boolean
    try:
        first, second = ({s.name for s in convert(side).free_symbols} for side in sides)
    except RoofproofError:  # a call that only the judge can work out
        first, second = (set(names_in(side)) for side in sides)
    equation = isinstance(node, Comparison) and node.relations[0] in ("==", "~=")
    if not first & second and (not equation or (first and second)):
        return []
    return sorted(first - second) or sorted(second - first)


def _with_free_sizes(claim: Claim) -> tuple[Claim, list[str]]:
    """Return the claim without values for sizes of its operations, and the names of these sizes."""
    env = claim.environment
    roots = with_values([claim.proposition or Node()], env.let)
    sizes: set[str] = set()
    for reference in (n for root in roots for n in walk(root) if isinstance(n, Reference) and n.kind == "op"):
        try:
            sizes |= {s.name for s in env.operation(reference).dims}
        except RoofproofError:
            continue
    fixed = sorted(n for n in sizes if isinstance(env.let.get(n), Number))
    if not fixed:
        return claim, []
    kept, own = ({n: v for n, v in values.items() if n not in fixed} for values in (env.let, claim.let))
    return replace(claim, environment=replace(env, let=kept, _values={}), let=own), fixed


def _with_threshold(claim: Claim) -> Claim:
    """Return `smallest(x, c) == k` as `c <=> x >= k`, which has a limit; other claims as they are."""
    node = claim.proposition
    if isinstance(node, Comparison) and node.relations == ("==",):
        for called, number in (node.operands, node.operands[::-1]):
            if isinstance(called, Call) and called.function in ("smallest", "largest") and isinstance(number, Number):
                x, condition = called.arguments
                bound = Comparison((x, number), (">=" if called.function == "smallest" else "<=",))
                return replace(claim, proposition=Equivalence((condition, bound)))
    return claim
