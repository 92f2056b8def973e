"""Which slip reproduces a wrong answer: single slips first, then pairs; "none fits" rather than a guess."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from itertools import islice
from typing import Any

import sympy

from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import VERIFIED
from roofproof.claims.language import Claim
from roofproof.claims.language.environment import Environment
from roofproof.claims.printed import EXACTLY, NEAREST, either_way
from roofproof.claims.slips.catalogue import CATALOGUE, FIRST, Slip
from roofproof.claims.slips.chips import is_model, is_rounded
from roofproof.claims.slips.numbers_first import WRONG, fails, unchanged
from roofproof.errors import RoofproofError, explaining
from roofproof.formula.tree import Call, Comparison, Name, Op, Quantity, Reference, Tree, is_op, walk, walk_with_values
from roofproof.hardware import Chip
from roofproof.ops import Operation

MAX_TRIES = 120
EACH = 12  # things that one slip may make of an operation or a chip
QUANTITIES = ("flops", "bytes", "intensity", "ridge", "time", "threshold", "smallest", "largest")
Judge = Callable[[Claim], Verdict]


@dataclass
class Varied(Environment):
    """An environment in which operations and chips are the ones that slips make of them, or a name is a wrong value."""

    op_changes: tuple[Callable[[Any], Any], ...] = ()
    chip_changes: tuple[Callable[[Any], Any], ...] = ()
    wrong: Mapping[str, sympy.Expr] = field(default_factory=dict)
    _things: dict[Any, Any] = field(default_factory=dict, repr=False)  # operations and chips, once changed

    @classmethod
    def of(cls, env: Environment, **changes: Any) -> Varied:
        """Return an environment with further changes."""
        names = ("given", "let", "ops", "chips", "functions", "op_changes", "chip_changes")
        return cls(**{name: getattr(env, name) for name in names if hasattr(env, name)} | changes)

    def operation(self, reference: Tree) -> Operation:
        made: Operation = self._changed(reference, Environment.operation, self.op_changes)
        return made

    def chip(self, reference: Tree) -> Chip:
        made: Chip = self._changed(reference, Environment.chip, self.chip_changes)
        return made

    def _changed(self, reference: Tree, named: Callable[..., Any], changes: Iterable[Callable[..., Any]]) -> Any:
        key = named, reference
        if key not in self._things:
            self._things[key] = reduce(lambda thing, change: change(thing), changes, named(self, reference))
        return self._things[key]

    def value(self, asked: str) -> sympy.Expr:
        return self.wrong[asked] if asked in self.wrong else Environment.value(self, asked)


def diagnose(claim: Claim, judge: Judge, exactly: bool = False) -> str | None:
    """Return the slip that makes a refuted claim come true, with what it is about, `a+b` for a pair, or None.

    With `exactly`, one slip alone that gives what is said to the last digit; figures of other models are so many that
    one of them is near anything, and a figure that was rounded is no slip where rounding is what was done.

    >>> from roofproof.claims.language.book import book_from_text
    >>> from roofproof.claims.judge.judge import judge_quietly
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "bytes(matmul) == 2 B D + 2 D F"').claims
    >>> diagnose(c, judge_quietly)                                 # 2 B F of the result are missing
    'dropped-tensor:z'
    """
    if is_op(claim.proposition, "not") or "!=" in getattr(claim.proposition, "relations", ()):
        return None  # any change would make it true
    claim = replace(claim, tolerance=EXACTLY if exactly else NEAREST)  # a few digits fit by chance
    mentioned = {n for n in _nodes(claim) if isinstance(n, Reference)}
    kinds = [{"op": "operation"}.get(n.kind, n.kind) for n in mentioned]
    things = {"claim", "value", *kinds}
    asked = _quantities(claim)
    single = [s for s in CATALOGUE.values() if things.intersection(s.acts_on.split())
              and (not s.asks or asked.intersection(s.asks))
              and not (exactly and s.name in ("other-chip", "other-figure", "rounded-input"))]  # fmt: skip
    calls = [n for n in _nodes(claim) if isinstance(n, Call)]
    alike, asked_before = unchanged(claim), {_rests_on(claim.environment, calls)}
    for name, slip, variant in islice(_tried(claim, single, 1 if exactly else 2), MAX_TRIES):
        if name != slip.name and slip.acts_on != "chip" and kinds.count("operation") > 1:
            continue  # what is about a tensor is about one of the operations
        with explaining():  # a claim that cannot be worked out with a mistake is not explained by it
            if variant == claim:  # but for what its words stand for
                if (rests_on := _rests_on(variant.environment, calls)) in asked_before:
                    continue  # fewer bytes change no FLOPs
                asked_before.add(rests_on)
            if fails(variant, alike):
                continue
            verdict = judge(variant)
            if not verdict.holds or (slip.name == "limit-for-exact" and verdict.kind == VERIFIED):
                continue
            if (gives := _equations(variant.proposition)) and not any(
                judge(replace(variant, proposition=each)).holds for each in gives
            ):
                continue  # the inequality holds by far: the mistake does not give its number
            return name
    return None


def _equations(node: Tree | None) -> list[Tree]:
    """Return what has to hold of a mistake that gives what an inequality says, not only makes it true.

    Nothing where both sides are worked out, `threshold(a, c, m) < threshold(b, c, m)`: no number is said.
    """
    match node:
        case Comparison() if {"==", "~=", "->"}.isdisjoint(node.relations):
            return [replace(link, relations=("~=",)) for link in node.links if any(map(_is_said, link.operands))]
        case Op("=>", sides) if any(map(_is_said, sides)):
            return [Op("<=>", sides)]
        case Op("and", members) if all(map(_equations, members)):
            return [each for member in members for each in _equations(member)]
    return []


def _is_said(node: Tree) -> bool:
    return not any(isinstance(n, Call) for n in walk(node))


def _rests_on(env: Environment, calls: Iterable[Call]) -> tuple[Hashable, ...]:
    """Return what words of a claim take from its operations and chips: of FLOPs alone what is computed."""
    found: list[Hashable] = []
    for call in calls:
        for n in call.arguments:
            if isinstance(n, Reference) and n.kind == "op":
                op = env.operation(n)
                found.append((*op.compute.items(),) if call.function == "flops" else op)
            elif isinstance(n, Reference) and n.kind == "chip":
                found.append(env.chip(n))
    return tuple(found)


def _quantities(claim: Claim) -> set[str]:
    """Return the quantity that a side of the claim asks for, in the catalogue's words; `plain` for a formula."""
    sides = getattr(claim.proposition, "operands", ())
    values = [claim.environment.let.get(n.name, n) if isinstance(n, Name) else n for n in sides]
    found = {n.function for n in values if isinstance(n, Call)}
    return found.intersection(QUANTITIES) | ({"time"} if found & {"lower", "upper"} else set()) or {"plain"}


def _tried(claim: Claim, single: Sequence[Slip], most: int) -> Iterator[tuple[str, Slip, Claim]]:
    """Yield what to try: its name, the last slip, and the claim that it makes."""
    named = [n for n in _nodes(claim) if isinstance(n, Reference)]
    for slip in single:
        for variant, about in _variants(claim, slip, named):
            yield slip.told(about), slip, variant
    counted = [s for s in single if s.name in FIRST] if most > 1 else []
    for first in counted:
        later = single[single.index(first) + 1 :]
        for second in (s for s in later if s.rare < 2 and {"operation", "chip"}.intersection(s.acts_on.split())):
            for one, whose in _variants(claim, first, named):
                for both, about in _variants(one, second, named):
                    yield f"{first.told(whose)}+{second.told(about)}", second, both


def _nodes(claim: Claim) -> list[Tree]:
    """Return every node of the claim, and of the values that it names or uses."""
    return walk_with_values([claim.proposition or Tree(), *claim.let.values()], claim.environment.let)


def _variants(claim: Claim, slip: Slip, named: Sequence[Reference]) -> Iterator[tuple[Claim, str]]:
    for acts_on in slip.acts_on.split():
        if acts_on == "claim":
            yield from slip.made(claim)
        elif acts_on == "value":
            yield from ((changed, "") for changed in _value_variants(claim, slip))
        elif acts_on == "operation":
            ops = dict[Operation, None]()
            with suppress(RoofproofError):
                ops = dict.fromkeys(claim.environment.operation(n) for n in named if n.kind == "op")
            yield from _each(claim, slip, "op", ops)
        elif acts_on == "chip":
            chips = dict.fromkeys(claim.environment.chip(n) for n in named if n.kind == "chip")
            peaks = {f.resource for c in chips for f in c.compute}
            for changed, about in (each for c in chips for each in _each(claim, slip, "chip", [c])):
                if len(chips) == 1 or about in peaks:  # of several one has the peak of another format
                    yield changed, about


def _each(claim: Claim, slip: Slip, kind: str, things: Collection[Any]) -> Iterator[tuple[Claim, str]]:
    """Yield the claim with the first, second, ... thing that the slip makes of its operations, or of a chip."""
    made = [_made(slip.name, thing) for thing in things]
    for k in range(EACH):
        about = [of[k][1] for of, _ in made if k < len(of)]
        if not about or any(problem is not None and k >= len(of) for of, problem in made):
            return

        def change(original: Any, k: int = k) -> Any:
            changed = _kth_made(slip, original, k) if original in things else None
            return original if changed is None else changed[0]

        changes = (*getattr(claim.environment, f"{kind}_changes", ()), change)
        varied = Varied.of(claim.environment, **{f"{kind}_changes": changes})
        yield replace(claim, environment=varied), about[0]


def _kth_made(slip: Slip, original: Chip | Operation, k: int) -> tuple[Any, str] | None:
    made, problem = _made(slip.name, original)
    if k < len(made):
        return made[k]
    if problem is not None:
        raise problem
    return None


@lru_cache(maxsize=1024)
def _made(slip: str, original: Chip | Operation) -> tuple[tuple[tuple[Any, str], ...], RoofproofError | None]:
    """Return what a slip makes of a chip or an operation, and why one of them, which ends these, cannot be made.

    It is asked for again with every word of a claim.
    """
    made: list[tuple[Any, str]] = []
    try:
        made.extend(islice(_makes(CATALOGUE[slip], original), EACH))
    except RoofproofError as problem:
        return tuple(made), problem
    return tuple(made), None


def _makes(slip: Slip, original: Chip | Operation) -> Iterator[tuple[Any, str]]:
    """Yield what a slip makes of a chip or an operation, each with what it is about, but for what is no such slip."""
    for made, about in slip.made(original):
        if slip.name == "other-chip" and not is_model(made.name, original.name):
            continue  # whoever writes of a chip by name does not take just any other
        if isinstance(original, Chip) and slip.name == "other-figure" and is_rounded(original, made, about):
            continue  # which is a slip of its own
        yield made, about


def _value_variants(claim: Claim, slip: Slip) -> Iterator[Claim]:
    """Yield claims in which the side that is worked out has the value that the slip makes of it."""
    node = claim.proposition
    if not isinstance(node, Comparison) or node.relations not in (("==",), ("~=",)):
        return
    if not _could_be(slip, claim):
        return
    env = claim.scope()
    names = {*claim.let, *(n.name for n in _nodes(claim) if isinstance(n, Name))}
    try:
        context = {name: env.value(name) for name in names}
        for read in either_way(node, env.let):
            worked = env.to_sympy(read.operands[0])
            for wrong in slip.change(worked, context) if worked.is_finite is not False and worked != 0 else ():
                put = replace(read, operands=(Name(WRONG), *read.operands[1:]))
                yield replace(claim, environment=Varied.of(claim.environment, wrong={WRONG: wrong}), proposition=put)
    except RoofproofError:
        return


def _could_be(slip: Slip, claim: Claim) -> bool:
    """Tell whether a bare factor can be this slip: a factor of 8 needs bytes, one of 1000 needs a unit."""
    parts = _nodes(claim)
    units = [n.unit for n in parts if isinstance(n, Quantity)]
    if slip.name == "off-by-one":  # a number that was typed was not counted
        return any(isinstance(n, Call) for n in parts)
    if slip.name in ("bits", "prefix:binary"):
        called = [n.function for n in parts if isinstance(n, Call)]
        return any(u.dimension[1] for u in units) or "bytes" in called
    return bool(units) if slip.name == "prefix" else True
