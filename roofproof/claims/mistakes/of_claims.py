"""The search for the mistake in a refuted claim: with it, an operation, a chip, a value or the statement changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, reduce
from itertools import islice, zip_longest
from typing import Any

import sympy

from roofproof.claims.judge.domain import domain_of_given
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import VERIFIED
from roofproof.claims.language import Claim
from roofproof.claims.language.assumed_sizes import assumed
from roofproof.claims.language.environment import Environment
from roofproof.claims.mistakes.catalogue import CATALOGUE, Slip
from roofproof.claims.mistakes.chips import is_model, is_rounded
from roofproof.claims.mistakes.search import Mistake, Search, worth_trying
from roofproof.claims.printed import EXACTLY, NEAREST, both_orders, printed_number, significant
from roofproof.derive.limits.regime import Regime
from roofproof.errors import RoofproofError, explaining
from roofproof.formula.tree import (
    Call,
    Comparison,
    Name,
    Op,
    Quantity,
    Reference,
    Tree,
    is_op,
    names_in,
    walk,
    walk_with_values,
)
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.proofs.kernel.terms import Formula, KernelError, Term, variables
from roofproof.proofs.known import holds
from roofproof.proofs.oracles import sampling

EACH = 12  # variants of an operation or a chip that are tried for one mistake
QUANTITIES = ("flops", "bytes", "intensity", "ridge", "time", "threshold", "smallest", "largest")
WRONG = "wrong!"  # the name of the value that a mistake gives
FIT_ANYTHING = ("other-chip", "other-figure", "rounded-input")  # among so many specs, one is near any number
MULTIPLE = 5040  # sizes are multiples of it, because it has many divisors
APART = Fraction(9, 8)  # numbers with a larger ratio share no digits
FAR = Fraction(2**300)  # the value of a growing size
TRIES = 150
Change = Callable[[Any], Any]


@dataclass
class ChangedEnvironment(Environment):
    """An environment with operations and chips as changed by mistakes, or with a wrong value for a name."""

    changes: tuple[Change, ...] = ()
    wrong: Mapping[str, sympy.Expr] = field(default_factory=dict)

    @classmethod
    def of(cls, env: Environment, **more: Any) -> ChangedEnvironment:
        """Return an environment with further changes and without cached values."""
        kept = ("given", "let", "ops", "chips", "functions", "changes")
        return cls(**{name: getattr(env, name) for name in kept if hasattr(env, name)} | more)

    def operation(self, reference: Tree) -> Operation:
        made: Operation = self._changed(("op", reference), super().operation)
        return made

    def chip(self, reference: Tree) -> Chip:
        made: Chip = self._changed(("chip", reference), super().chip)
        return made

    def _changed(self, key: tuple[str, Tree], named: Callable[[Tree], Any]) -> Any:
        if key not in self._things:
            self._things[key] = reduce(lambda thing, change: change(thing), self.changes, named(key[1]))
        return self._things[key]

    @property
    def _things(self) -> dict[Any, Any]:
        found: dict[Any, Any] = self.__dict__.setdefault("_made", {})
        return found

    def value(self, asked: str) -> sympy.Expr:
        return self.wrong[asked] if asked in self.wrong else super().value(asked)


def diagnose(claim: Claim, judge: Callable[[Claim], Verdict], exactly: bool = False) -> str | None:
    """Return the mistake that makes a refuted claim true, with its object, `a+b` for a pair, or None.

    With `exactly`, the mistake must be a single one and give every digit of the claim. It is then not one of
    FIT_ANYTHING: the specs of other models are so many that one is near any number, and rounding is not a mistake here.

    >>> from roofproof.claims.language.book import book_from_text
    >>> from roofproof.claims.judge.judge import judge_quietly
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "bytes(matmul) == 2 B D + 2 D F"').claims
    >>> diagnose(c, judge_quietly)                                 # 2 B F of the result are missing
    'dropped-tensor:z'
    """
    if is_op(claim.proposition, "not") or "!=" in getattr(claim.proposition, "relations", ()):
        return None  # any change would make it true
    search = InClaim(replace(claim, tolerance=EXACTLY if exactly else NEAREST), judge, exactly)  # one digit fits all
    first = next(search.found(0 if exactly else _pairs(claim)), None)
    return None if first is None else first.full_name


class InClaim(Search[Claim, Mistake[Claim]]):
    """The search for the mistake in a claim. `judge` returns the verdict on each changed claim."""

    together = ("operation", "chip")

    def __init__(self, claim: Claim, judge: Callable[[Claim], Verdict], exactly: bool = False) -> None:
        self.judge, nodes = judge, _nodes(claim)
        self.named = list(dict.fromkeys(n for n in nodes if isinstance(n, Reference)))
        self.calls = [n for n in nodes if isinstance(n, Call)]
        kinds, asked = {"claim", "value", *map(_kind, self.named)}, _quantities(claim)
        slips = (s for s in CATALOGUE.values() if kinds.intersection(s.acts_on.split()))
        slips = (s for s in slips if (not s.asks or asked.intersection(s.asks)))
        super().__init__(claim, (s for s in slips if not (exactly and s.name in FIT_ANYTHING)))

    def made(self, slip: Slip, of: Claim) -> Iterator[Mistake[Claim]]:
        for acts_on in slip.acts_on.split():
            if acts_on == "claim":
                yield from (Mistake(slip, about, other) for other, about in slip.made(of))
            elif acts_on == "value":
                yield from (Mistake(slip, "", other) for other in _with_wrong_value(slip, of))
            elif things := self._things(of, acts_on):
                yield from _with_other_things(slip, of, things)

    def _things(self, claim: Claim, kind: str) -> list[list[Operation | Chip]]:
        """Return the groups of things that a mistake changes together: all operations, or a single chip."""
        env, found = claim.environment, [n for n in self.named if _kind(n) == kind]
        if kind == "operation":
            with suppress(RoofproofError):
                return [list(dict.fromkeys(map(env.operation, found)))]
            return []
        return [[chip] for chip in dict.fromkeys(map(env.chip, found))]

    def is_another(self, mistake: Mistake[Claim]) -> bool:
        return mistake.taken != self.of

    def moves(self, of: Claim) -> Hashable:
        return tuple(of.environment.operation(n).tensors for n in self.named if n.kind == "op")

    def rests_on(self, of: Claim) -> Hashable | None:
        """Return the operations and chips in the calls of a claim (for `flops`, only its FLOPs)."""
        env, found = of.environment, list[Hashable]()
        with suppress(RoofproofError):
            for call in self.calls:
                for n in (n for n in call.arguments if isinstance(n, Reference)):
                    if n.kind == "op":
                        op = env.operation(n)
                        found.append(tuple(op.compute.items()) if call.function == "flops" else op)
                    elif n.kind == "chip":
                        found.append(env.chip(n))
            return tuple(found)
        return None

    def gives(self, mistake: Mistake[Claim]) -> bool:
        """Return whether the claim is true with the mistake. An inequality must also give its number."""
        if mistake.about and mistake.of.acts_on != "chip" and sum(n.kind == "op" for n in self.named) > 1:
            return False  # a mistake about a tensor concerns only one of the operations
        if is_ruled_out(mistake.taken):
            return False
        with explaining():  # a mistake with which the claim cannot be evaluated does not explain it
            verdict = self.judge(mistake.taken)
            if not verdict.holds or (mistake.of.name == "limit-for-exact" and verdict.kind == VERIFIED):
                return False
            said = _equations(mistake.taken.proposition)
            return not said or any(self.judge(replace(mistake.taken, proposition=each)).holds for each in said)
        return False


def is_ruled_out(claim: Claim) -> bool:
    """Return whether a quick test with numbers refutes a claim, even to its digits.

    >>> from roofproof.claims.language.book import book_from_text
    >>> says = ("flops(matmul) == 3 B D F", "flops(matmul) == 2.1 B D F", "1/3 ~= 0.3", "flops(matmul) > D")
    >>> claims = book_from_text("\\n".join(f'[[claim]]\\nid = "{k}"\\nsays = "{s}"' for k, s in enumerate(says))).claims
    >>> [is_ruled_out(claim) for claim in claims]
    [True, False, False, False]
    """
    node, env = claim.proposition, claim.scope()
    if node is None or any(d.sign != "positive" for d in claim.given.domains.values()):
        return False
    with suppress(RoofproofError, KernelError, ArithmeticError):
        if any(assumed(env, [node])):
            return False  # the test may pick sizes that an operation does not allow
        given = domain_of_given(env).assumptions
        if isinstance(node, Comparison) and node.relations in (("==",), ("~=",)):
            left, right = map(env.terms.term, node.operands)
            return claim.regime is None and _are_apart(left, right, given)
        denied = [*given, Formula("not", env.terms.formula(node))]
        if claim.regime is None:
            return sampling.find(denied, sorted(variables(Formula("and", *denied))), TRIES) is not None
        return any(holds(Formula("and", *denied), point) for point in _beside_bounds(node, env, claim.regime))
    return False


def _are_apart(left: Term, right: Term, given: Sequence[Formula]) -> bool:
    """Return whether two values share no digits at some sizes that the claim covers."""
    names = sorted(variables(Formula("and", Formula("=", left, right), *given)))
    sizes = {name: Fraction(MULTIPLE * (2 * k + 3)) for k, name in enumerate(names)}
    a, b = (Fraction(sampling.value(side, sizes)) for side in (left, right))
    apart = not 1 / APART <= a / b <= APART if a * b > 0 else a != b
    return apart and all(holds(f, sizes) for f in given)


def _beside_bounds(node: Tree, env: Environment, regime: Regime) -> Iterator[dict[str, Fraction]]:
    """Yield points with large growing sizes, and other names just below and just above the numbers that bound them."""
    one_by_one = len(regime.stages) == 1 and all(len(group) == 1 for group in regime.stages[0])
    if regime.shrinking or regime.ties or not one_by_one or not is_op(node, "=>", "<=>"):
        return
    far = dict.fromkeys(regime.growing, FAR)
    for link in (link for link in walk(node) if isinstance(link, Comparison)):
        for name, bound in ((link.operands[0], link.operands[-1]), (link.operands[-1], link.operands[0])):
            if isinstance(name, Name) and name.name not in {*env.let, *far}:
                number = env.terms.term(bound)
                value = Fraction(0) if variables(number) else Fraction(sampling.value(number, {}))
                yield from ({**far, name.name: beside} for beside in (value / APART, value * APART) if value > 0)


def _kind(n: Reference) -> str:
    return "operation" if n.kind == "op" else n.kind


def _nodes(claim: Claim) -> list[Tree]:
    """Return every node of the claim and of the values that it defines or uses."""
    return walk_with_values([claim.proposition or Tree(), *claim.let.values()], claim.environment.let)


def _equations(node: Tree | None) -> list[Tree]:
    """Return statements that test whether a mistake gives the bound of an inequality. One of them must hold.

    Return none if both sides are computed, `threshold(a, c, m) < threshold(b, c, m)`: the claim states no number.
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


def _pairs(claim: Claim) -> int:
    """Return how many pairs of mistakes to try: few for a number, and none if all sides are computed."""
    sides = [o for n in walk(claim.proposition or Tree()) if isinstance(n, Comparison) for o in n.operands]
    said = [side for side in sides if _is_said(side)]
    digits = [0 if (n := printed_number(side)) is None else significant(Decimal(n.digits), "." in n.digits)[1]
              for side in said if not names_in(side)]  # fmt: skip
    return worth_trying(min(digits, default=None)) if said else 0


def _quantities(claim: Claim) -> set[str]:
    """Return the quantities on the sides of the claim by their names in the catalogue, `plain` for a formula."""
    sides = getattr(claim.proposition, "operands", ())
    values = [claim.environment.let.get(n.name, n) if isinstance(n, Name) else n for n in sides]
    found = {n.function for n in values if isinstance(n, Call)}
    return found.intersection(QUANTITIES) | ({"time"} if found & {"lower", "upper"} else set()) or {"plain"}


def _with_other_things(slip: Slip, claim: Claim, groups: list[list[Any]]) -> Iterator[Mistake[Claim]]:
    """Yield the claim with the first, second, ... changed version of all things in a group.

    With several chips, only a change to a peak of another number format is tried.
    """
    peaks = {f.resource for group in groups for c in group if isinstance(c, Chip) for f in c.compute}
    for group in groups:
        for made in zip_longest(*(_made(slip.name, thing) for thing in group)):
            other = {thing: m[0] for thing, m in zip(group, made, strict=True) if m is not None}
            about = next(m[1] for m in made if m is not None)
            if len(groups) == 1 or about in peaks:
                changes = (*getattr(claim.environment, "changes", ()), lambda t, other=other: other.get(t, t))
                yield Mistake(
                    slip, about, replace(claim, environment=ChangedEnvironment.of(claim.environment, changes=changes))
                )


@lru_cache(maxsize=1024)
def _made(name: str, original: Chip | Operation) -> tuple[tuple[Any, str], ...]:
    """Return the versions of a chip or an operation with a mistake, at most EACH, up to the first error."""
    found: list[tuple[Any, str]] = []
    with suppress(RoofproofError):
        found.extend(islice((m for m in CATALOGUE[name].made(original) if _is_slip(name, original, *m)), EACH))
    return tuple(found)


def _is_slip(name: str, original: Any, made: Any, about: str) -> bool:
    """Return whether a changed chip is plausible: an author who names a chip does not take the specs of just any."""
    if name == "other-chip":
        return is_model(made.name, original.name)
    return name != "other-figure" or not is_rounded(original, made, about)  # rounding is a separate mistake


def _with_wrong_value(slip: Slip, claim: Claim) -> Iterator[Claim]:
    """Yield claims in which the computed side has the wrong value that the mistake gives."""
    node, env = claim.proposition, claim.scope()
    if not isinstance(node, Comparison) or node.relations not in (("==",), ("~=",)) or not _could_be(slip, claim):
        return
    with suppress(RoofproofError):
        names = {*claim.let, *(n.name for n in _nodes(claim) if isinstance(n, Name))}
        known = {name: env.value(name) for name in names}
        for read in both_orders(node, env.let):
            right = env.to_sympy(read.operands[0])
            if right == 0 or right.is_finite is False:
                continue
            put = replace(read, operands=(Name(WRONG), *read.operands[1:]))
            for wrong in slip.change(right, known):
                yield replace(
                    claim, environment=ChangedEnvironment.of(claim.environment, wrong={WRONG: wrong}), proposition=put
                )


def _could_be(slip: Slip, claim: Claim) -> bool:
    """Return whether a plain factor can be this mistake: a factor of 8 needs bytes, a factor of 1000 needs a unit."""
    parts = _nodes(claim)
    units = [n.unit for n in parts if isinstance(n, Quantity)]
    called = {n.function for n in parts if isinstance(n, Call)}
    match slip.name:
        case "off-by-one":  # a number in the text is not the result of counting
            return bool(called)
        case "bits" | "prefix:binary":
            return "bytes" in called or any(u.dimension[1] for u in units)
        case "prefix":
            return bool(units)
    return True
