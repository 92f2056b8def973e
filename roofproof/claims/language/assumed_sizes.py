"""Conditions that the operations of a claim impose on their sizes: hypotheses, as if they were in `given`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.claims.language.environment import Environment
from roofproof.derive.algebra.logic import divided
from roofproof.derive.roofline.memory_fit import no_larger, requirements
from roofproof.formula.tree import (
    Call,
    Comparison,
    Op,
    Quantified,
    Reference,
    Tree,
    bound_names,
    is_op,
    rebuild,
    walk_with_values,
)
from roofproof.hardware import Chip
from roofproof.proofs.from_tree import from_formula, from_term
from roofproof.proofs.translate import to_formula, to_term

if TYPE_CHECKING:
    from roofproof.claims.language.book import Claim

Assumed = tuple[str, Boolean]  # the operation, as written in the claim, and a condition on its sizes


def assumed(env: Environment, nodes: Iterable[Tree]) -> Iterator[Assumed]:
    """Yield the conditions on the sizes of the operations in nodes, and in the values of their names.

    If a chip is named with the operation, blocks must fit into its memories.

    >>> from roofproof.formula.reader import read_statement
    >>> claim = read_statement('compute_bound("tiled-matmul:b=t,f=t,d=64", tpu-v5e)')
    >>> [str(condition) for _, condition in assumed(Environment(), [claim])][2:]
    ['Eq(Mod(D, 64), 0)', '2*t**2 + 256*t <= 134217728']
    """
    seen: set[Assumed] = set()
    for call in walk_with_values(nodes, env.let):
        if not isinstance(call, Call):
            continue
        named = [a for a in call.arguments if isinstance(a, Reference)]
        chips: list[Chip | None] = [env.chip(a) for a in named if a.kind == "chip"]
        for op in (a for a in named if a.kind == "op"):
            for condition in dict.fromkeys(
                c for chip in chips or [None] for c in requirements(env.operation(op), chip)
            ):
                if (each := (op.text, condition)) not in seen:
                    seen.add(each)
                    yield each


def assuming(claim: Claim) -> Claim:
    """Return a claim whose `given` includes the conditions of its operations, except those on bound names.

    >>> from roofproof.claims.language.book import book_from_text
    >>> from roofproof.formula.printing import to_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "flops(sliding-window-attention) > 0"').claims
    >>> [to_text(condition) for condition in assuming(c).given.conditions]
    ['W <= L']

    If one size must divide another, only "is not larger" is added, because the sizes in a claim are real numbers.
    """
    if claim.proposition is None:
        return claim
    env, bound = claim.environment, {*bound_names(claim.proposition)}
    said = list(claim.given.conditions)
    for _, condition in assumed(env, [claim.proposition, *said]):
        if not bound & {s.name for s in condition.free_symbols} and (node := _least(condition)) is not None:
            said += [] if node in said else [node]
    if len(said) == len(claim.given.conditions):
        return claim
    given = replace(claim.given, conditions=tuple(said))
    return replace(claim, given=given, environment=replace(env, given=given, _values={}))


def where_assumed(env: Environment, node: Tree) -> Tree:
    """Return a statement whose names bound by `exists` and `for all` are limited to sizes that its operations allow.

    >>> from roofproof.formula.reader import read_statement
    >>> from roofproof.formula.printing import to_text
    >>> said = read_statement("exists W: flops(sliding-window-attention) < 0")
    >>> to_text(where_assumed(Environment(), said))
    'exists W: W <= L and flops("sliding-window-attention") < 0'
    """
    if not isinstance(node, Quantified):
        return rebuild(node, lambda part: where_assumed(env, part))
    body, deeper = where_assumed(env, node.body), {*bound_names(node.body)}
    here: dict[Tree, None] = {}
    for _, condition in assumed(env, [node.body]):
        names = {s.name for s in condition.free_symbols}
        if names & {*node.names} and not names & deeper:
            here |= dict.fromkeys(c for c in (_least(condition), _whole(condition)) if c is not None)
    return replace(node, body=_under(tuple(here), body, node.quantifier) if here else body)


def _under(conditions: tuple[Tree, ...], body: Tree, quantifier: str) -> Tree:
    if quantifier == "exists":
        return Op("and", (*conditions, *(body.args if is_op(body, "and") else (body,))))
    return Op("=>", (conditions[0] if len(conditions) == 1 else Op("and", conditions), body))


def _least(condition: Boolean) -> Tree | None:
    """Return a condition relaxed to real sizes, as a tree, or None if it becomes trivial."""
    said = no_larger(condition)
    if isinstance(said, Relational):
        return Comparison(tuple(from_term(to_term(side)) for side in said.args), (said.rel_op,))
    return None if said in (sympy.true, sympy.false) else from_formula(to_formula(said))


def _whole(condition: Boolean) -> Tree | None:
    """Return a divisibility condition as a tree, floor(quotient) == quotient, or None for any other condition."""
    if (pair := divided(condition)) is None:
        return None
    quotient = Op("/", tuple(from_term(to_term(size)) for size in pair))
    return Comparison((Call("floor", (quotient,)), quotient), ("==",))
