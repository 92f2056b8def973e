"""The case tree: branches of assumed signs, merged if their results are equal, and proofs that combine the leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, Generic, TypeVar

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.budget import MILLION, Budget, spend
from roofproof.derive.algebra.logic import joined, related
from roofproof.derive.algebra.polynomial import Ring
from roofproof.derive.signs import ANY, RELATIONS, Facts, Key, Proof, Refute, Signs, Split, comparisons, readable
from roofproof.errors import RoofproofError, TooManyCases
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula, KernelError

T = TypeVar("T")
MAX_CASES = 200
STEPS = 4 * MILLION
CASE = 4_000  # steps


@dataclass(frozen=True)
class Branch(Generic[T]):
    """The result of a computation under the given signs."""

    signs: Signs
    result: T


def branches(compute: Callable[[Signs], T], signs: Signs, budget: Budget | None = None) -> list[Branch[T]]:
    """Return the results of `compute` for all sign patterns it asks about, with equal neighbours merged.

    Raises TooManyCases for more than 200 patterns, and RoofproofError if the budget is spent.
    """
    budget = budget or Budget(STEPS)
    leaves: list[Branch[T]] = []
    todo = [signs]
    while todo:
        budget.check("cases")
        spend(CASE)
        known = todo.pop()
        try:
            leaves.append(Branch(known, compute(known)))
        except Split as split:
            allowed = known.get(split.key, ANY)
            todo.extend({**known, split.key: frozenset((s,))} for s in sorted(allowed))
        if len(todo) + len(leaves) > MAX_CASES:
            raise TooManyCases("more than <most> cases; give sizes or assumptions for some parameters", most=MAX_CASES)
    return _merged(leaves)


def _merged(leaves: list[Branch[T]]) -> list[Branch[T]]:
    """Join leaves with equal results whose signs differ in one polynomial only."""
    for a, b in combinations(leaves, 2):
        if a.result == b.result and sum(a.signs.get(k, ANY) != b.signs.get(k, ANY) for k in a.signs | b.signs) <= 1:
            either = {k: s | b.signs.get(k, ANY) for k, s in a.signs.items()}
            joined = Branch({k: s for k, s in either.items() if s != ANY}, a.result)
            return _merged([*(leaf for leaf in leaves if leaf is not a and leaf is not b), joined])
    return leaves


def grouped(found: list[Branch[T]]) -> list[tuple[T, list[Signs]]]:
    """Return each result once, with the sign patterns under which it holds, each as short as possible.

    A sign is dropped from a pattern if the wider pattern still overlaps no pattern of another result.
    """
    groups: list[tuple[T, list[Signs]]] = []
    for branch in found:
        others = [b.signs for b in found if b.result != branch.result]
        signs = dict(branch.signs)
        for key in list(signs):
            wider = {k: v for k, v in signs.items() if k != key}
            if all(any(not wider[k] & o[k] for k in wider if k in o) for o in others) and (wider or not others):
                signs = wider
        same = next((patterns for result, patterns in groups if result == branch.result), None)
        if same is None:
            groups.append((branch.result, [signs]))
        elif signs not in same:
            same.append(signs)
    return groups


def by_condition(ring: Ring, found: list[Branch[T]], given: Signs) -> Iterator[tuple[Boolean, T]]:
    """Yield each result once, with the condition it needs in addition to the given signs."""
    bare = [Branch({k: v for k, v in b.signs.items() if v != given.get(k)}, b.result) for b in found]
    for result, patterns in grouped(bare):
        yield joined(sympy.Or, [condition_of(ring, signs) for signs in patterns]), result


def condition_of(ring: Ring, signs: Signs) -> Boolean:
    """Return the signs as a condition a person would write, such as `1/D + 1/F < 1/R`."""
    parts = []
    for key, allowed in signs.items():
        if isinstance(key, sympy.Expr):
            left = sympy.Add(*(t for t in sympy.Add.make_args(key) if not t.could_extract_minus_sign()))
            parts.append(related(RELATIONS[allowed], left, left - key))
        else:
            parts.append(readable(ring, ring.context.from_dict(dict(key)), allowed))
    return joined(sympy.And, parts)


@dataclass
class Leaf:
    """The end of a path of the tree: its signs, the region where the condition holds, and the proof."""

    facts: Facts
    region: object
    proof: Proof
    parts: Mapping[Relational, Any] = field(default_factory=dict)  # the lines of each comparison
    _made: dict[str, Theorem | KernelError] = field(default_factory=dict)

    def theorem(self) -> Theorem:
        """Return the theorem that the condition holds exactly in the region, proved once, or raise KernelError."""
        return self._once("region", self.proof)

    def impossible(self, refute: Refute) -> Theorem:
        """Return the theorem that the signs of the path contradict each other, or raise KernelError."""

        def contradiction() -> Theorem:
            if (theorem := refute(list(self.supposed()))) is None:
                raise KernelError("these signs are not known to contradict each other")
            return theorem

        return self._once("impossible", contradiction)

    def _once(self, what: str, make: Proof) -> Theorem:
        if what not in self._made:
            try:
                self._made[what] = make()
            except (KernelError, RoofproofError, Split) as problem:  # not proved, no term for it, or a missing sign
                self._made[what] = KernelError(str(problem))
        found = self._made[what]
        if isinstance(found, KernelError):
            raise KernelError(str(found))
        return found

    @cached_property
    def path(self) -> list[Key]:
        """The polynomials whose signs were assumed along the path."""
        given = self.facts.space.given
        return [k for k, s in self.facts.signs.items() if s != given.get(k)]

    def supposed(self) -> Iterator[Formula]:
        """Yield the formulas that the path assumes and those that are given."""
        space = self.facts.space
        for key, signs in self.facts.signs.items():
            if signs == space.given.get(key):
                yield from space.formulas.get(key, [])
            else:
                yield space.atom(key, next(iter(signs)))

    def about(self, *formulas: Formula) -> Iterator[Theorem]:
        """Yield the path's assumptions about the comparisons in some formulas, and that signs exclude each other."""
        space = self.facts.space
        mentioned = {a for f in formulas for a in comparisons(f)}
        for key, signs in self.facts.signs.items():
            if mentioned.isdisjoint(space.atom(key, s) for s in (1, 0, -1)):
                continue
            if signs == space.given.get(key):
                yield from map(kernel.assume, space.formulas.get(key, []))
            else:
                yield kernel.assume(space.atom(key, next(iter(signs))))
            yield from space.exclusive(key)


def by_tree(goal: Formula, leaves: Sequence[Leaf], at_leaf: Callable[[Leaf], Theorem]) -> Theorem:
    """Prove a goal that holds at every leaf: node by node, the branches are joined and their assumptions discharged."""
    return _joined(goal, leaves, at_leaf, frozenset())


def _joined(goal: Formula, leaves: Sequence[Leaf], at_leaf: Callable[[Leaf], Theorem], done: frozenset[Key]) -> Theorem:
    open_ = [k for k in leaves[0].path if k not in done]
    if len(leaves) == 1 and not open_:
        return at_leaf(leaves[0])
    key = next((k for k in open_ if all(k in leaf.path for leaf in leaves)), None)
    if key is None:
        raise KernelError("no tree of cases")
    space = leaves[0].facts.space
    split = kernel.trichotomy(*space.sides(key)[2][1:])
    signs = {space.atom(key, s): s for s in (1, 0, -1)}
    branches = []
    for s in (signs[atom] for atom in split.conclusion[1:]):
        under = [leaf for leaf in leaves if leaf.facts.signs[key] == frozenset((s,))]
        made = _joined(goal, under, at_leaf, done | {key}) if under else None
        branches.append(made or kernel.propositional(goal, [space.refute_sign(key, s)]))
    return kernel.cases(split, branches)
