"""Mistakes in the statement itself: each function yields statements that the author may have meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import sympy

from roofproof.derive.algebra.polynomial import lowest_terms
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.intensities import intensity
from roofproof.errors import RoofproofError
from roofproof.formula.tree import (
    Call,
    Comparison,
    Number,
    Op,
    Reference,
    Tree,
    is_op,
    literal,
    names_in,
    rebuild,
    walk_with_values,
)

if TYPE_CHECKING:
    from roofproof.claims.language import Claim

_TURNED = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_OTHER = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


def strictness(claim: Claim) -> Iterator[Claim]:
    """Yield the claim with one bound of an equivalence or implication made strict, or made not strict."""
    yield from _related_by(claim, _TURNED)


def reversed_relation(claim: Claim) -> Iterator[Claim]:
    """Yield the claim with one bound of an equivalence or implication reversed."""
    yield from _related_by(claim, _OTHER)


def _related_by(claim: Claim, other: Mapping[str, str]) -> Iterator[Claim]:
    def put(node: Tree) -> Iterator[Tree]:
        if isinstance(node, Comparison) and len(node.relations) == 1 and node.relations[0] in other:
            yield replace(node, relations=(other[node.relations[0]],))

    node = claim.proposition
    if is_op(node, "<=>"):
        for k, member in enumerate(node.args):
            for changed in put(member):
                yield replace(claim, proposition=replace(node, args=(*node.args[:k], changed, *node.args[k + 1 :])))
    if is_op(node, "=>"):
        premise, conclusion = node.args
        for changed in put(conclusion):
            yield replace(claim, proposition=replace(node, args=(premise, changed)))


def _is_question(thing: Any) -> bool:
    return not hasattr(thing, "proposition")


def exact_for_limit(thing: Any) -> Iterator[Any]:
    """Yield the claim without its `limit` calls, or a question about the exact threshold for a rule of thumb."""
    if _is_question(thing):
        if thing.asks == "rule":
            yield replace(thing, asks="threshold")
        return
    node = thing.proposition
    if isinstance(node, Comparison):
        of = [n.arguments[0] if isinstance(n, Call) and n.function == "limit" else n for n in node.operands]
        if tuple(of) != node.operands:
            yield replace(thing, proposition=replace(node, operands=tuple(of)))


def ridge_for_share(thing: Any) -> Iterator[Any]:
    """Yield the claim with compute-bound instead of a share of the peak, or the question without the share."""
    if _is_question(thing):
        if thing.kept is not None:
            yield replace(thing, kept=None)
        return

    def put(node: Tree, longer: Callable[[Tree, Tree], Tree]) -> Tree:
        match node:
            case Comparison(operands=[Call(function="share", arguments=[op, chip, *_]), _], relations=[r]):
                return longer(op, chip) if r in (">", ">=") else node
            case Op("<=>" | "=>"):
                return rebuild(node, lambda part: put(part, longer))
        return node

    for longer in (_bound, _no_shorter):
        if thing.proposition is not None and (changed := put(thing.proposition, longer)) != thing.proposition:
            yield replace(thing, proposition=changed)


def _bound(op: Tree, chip: Tree) -> Tree:
    return Call("compute_bound", (op, chip))


def _no_shorter(op: Tree, chip: Tree) -> Tree:
    """Return the statement that computing takes at least as long as moving data: the share of the maximum is 1."""
    longest = Call("share", (op, chip, Reference("word", "max")))
    return Comparison((longest, literal(1)), (">=",))


def sum_of_times(thing: Any) -> Iterator[Any]:
    """Yield the claim with the sum of the times instead of the maximum, or the value of the sum for a question."""
    if _is_question(thing):
        if thing.asks == "time":
            from roofproof.derive.roofline.times import upper

            yield substitute(upper(thing.op, thing.chip), thing.at)
        return

    def put(node: Tree) -> Tree:
        match node:
            case Call(function="lower"):
                return replace(node, function="upper")
            case Comparison():
                return replace(node, operands=tuple(map(put, node.operands)))
        return node

    if thing.proposition is not None and (changed := put(thing.proposition)) != thing.proposition:
        yield replace(thing, proposition=changed)


def limit_for_exact(thing: Any) -> Iterator[Any]:
    """Yield the limit instead of an exact statement.

    A claim becomes one in the regime where the sizes missing on one side grow. Sizes of operations with values in
    `let` become names again, and all of them grow. A question about a threshold becomes one about the rule of thumb,
    and a question about an intensity gets its limits.
    """
    if _is_question(thing):
        if thing.asks in ("threshold", "smallest", "largest"):
            yield replace(thing, asks="rule")
        if thing.asks == "intensity" and not thing.regime:
            yield from dict.fromkeys(_limits(thing))
        return
    claim = thing
    if claim.regime is not None:
        return
    free, fixed = _with_free_sizes(_with_threshold(claim))
    node = free.proposition
    if isinstance(node, Comparison) or is_op(node, "<=>", "=>"):
        growing = fixed or _left_out(free, node)
        bounded = {name for condition in claim.given.conditions for name in names_in(condition)}
        if growing and not bounded.intersection(growing):
            if isinstance(node, Comparison):  # a side tends to its limit, it is not equal to it
                node = replace(node, relations=tuple("~=" if r == "==" else r for r in node.relations))
            yield replace(free, regime=Regime.of(tuple(growing)), proposition=node)


def _limits(asked: Any) -> Iterator[sympy.Expr]:
    """Yield the limits of an intensity in the regimes of its sizes: B, D and F for a matrix product."""
    from roofproof.derive.roofline.critical_size import default_regime

    exact = intensity(asked.op, asked.channel).value
    for size in asked.op.dims:
        regime = default_regime(asked.op, size.name)
        with suppress(RoofproofError):  # there is no single limit if the order of growth matters
            tends = limit(exact, regime).leading_value if regime else exact
            if tends.is_finite and tends != 0 and lowest_terms(tends - exact) != 0:
                yield substitute(tends, asked.at)


def _left_out(claim: Claim, node: Tree) -> list[str]:
    """Return the names that occur on one side only. If the other side is a number, these are all names."""
    sides = node.operands if isinstance(node, Comparison) else node.parts
    if len(sides) != 2:
        return []
    env = claim.scope()
    convert = env.to_sympy if isinstance(node, Comparison) else env.to_boolean
    try:
        first, second = ({s.name for s in convert(side).free_symbols} for side in sides)
    except RoofproofError:  # a call that cannot be evaluated here
        first, second = (set(names_in(side)) for side in sides)
    equation = isinstance(node, Comparison) and node.relations[0] in ("==", "~=")
    if not first & second and (not equation or (first and second)):
        return []
    return sorted(first - second) or sorted(second - first)


def _with_free_sizes(claim: Claim) -> tuple[Claim, list[str]]:
    """Return the claim without the values of its operations' sizes, and the names of these sizes."""
    env = claim.environment
    sizes: set[str] = set()
    for held in walk_with_values([claim.proposition or Tree()], env.let):
        if isinstance(held, Reference) and held.kind == "op":
            with suppress(RoofproofError):
                sizes |= {s.name for s in env.operation(held).dims}
    fixed = sorted(n for n in sizes if isinstance(env.let.get(n), Number))
    if not fixed:
        return claim, []
    kept, own = ({n: v for n, v in values.items() if n not in fixed} for values in (env.let, claim.let))
    return replace(claim, environment=replace(env, let=kept, _values={}), let=own), fixed


def _with_threshold(claim: Claim) -> Claim:
    """Return `smallest(x, c) == k` as `c <=> x >= k`, which has a limit. Return other claims unchanged."""
    node = claim.proposition
    if isinstance(node, Comparison) and node.relations == ("==",):
        for called, number in (node.operands, node.operands[::-1]):
            match called, number:
                case Call(function="smallest" | "largest" as which, arguments=[x, condition]), Number():
                    bound = Comparison((x, number), (">=" if which == "smallest" else "<=",))
                    return replace(claim, proposition=Op("<=>", (condition, bound)))
    return claim
