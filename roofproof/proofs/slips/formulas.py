"""Slips in the statement itself: what the author may have meant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from roofproof.errors import RoofproofError
from roofproof.proofs.language.nodes import Comparison, Equivalence, Implication, Node

if TYPE_CHECKING:
    from roofproof.proofs.language import Claim

_TURNED = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}


def strictness(claim: Claim) -> Iterator[Claim]:
    """Yield the claim with one bound of an equivalence or implication strict where it was not, or the reverse."""
    node = claim.proposition
    assert node is not None
    if isinstance(node, Equivalence):
        for k, member in enumerate(node.members):
            for changed in _turned(member):
                yield replace(
                    claim, proposition=replace(node, members=(*node.members[:k], changed, *node.members[k + 1 :]))
                )
    if isinstance(node, Implication):
        for changed in _turned(node.conclusion):
            yield replace(claim, proposition=replace(node, conclusion=changed))


def _turned(node: Node) -> Iterator[Node]:
    if isinstance(node, Comparison) and len(node.relations) == 1 and node.relations[0] in _TURNED:
        yield replace(node, relations=(_TURNED[node.relations[0]],))


def limit_for_exact(claim: Claim) -> Iterator[Claim]:
    """Yield the claim as one about a regime, in which every size that one side leaves out grows."""
    from roofproof.derive.regime import Regime
    from roofproof.proofs.language.nodes import names_in

    node = claim.proposition
    if claim.regime is not None or not isinstance(node, Comparison | Equivalence | Implication):
        return
    env = claim.environment
    sides = node.operands if isinstance(node, Comparison) else node.parts
    if len(sides) != 2:
        return
    try:
        symbols = [
            {
                s.name
                for s in (env.to_sympy(side) if isinstance(node, Comparison) else env.to_boolean(side)).free_symbols
            }
            for side in sides
        ]
    except RoofproofError:  # a call that only the judge can work out
        symbols = [set(names_in(side)) for side in sides]
    growing = sorted(symbols[0] - symbols[1]) or sorted(symbols[1] - symbols[0])
    if growing and symbols[0] & symbols[1]:
        yield replace(claim, regime=Regime.of(tuple(growing)))
