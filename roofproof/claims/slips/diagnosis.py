"""Which slip reproduces a wrong answer: single slips first, then pairs; "none fits" rather than a guess."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, islice
from typing import Any

import sympy

from roofproof.claims.judging.verdict import Verdict
from roofproof.claims.language import Claim
from roofproof.claims.language.environment import Environment
from roofproof.claims.language.nodes import (
    Call,
    Comparison,
    Name,
    Negation,
    Node,
    Quantity,
    Reference,
    walk,
    with_values,
)
from roofproof.claims.numbers.significant_digits import NEAREST
from roofproof.claims.slips.catalogue import CATALOGUE
from roofproof.claims.slips.slip import Slip
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip
from roofproof.ops import Operation

MAX_TRIES = 120
Judge = Callable[["Claim"], "Verdict"]


@dataclass
class Varied(Environment):
    """An environment in which operations and chips are the ones a slip makes of them."""

    op_changes: tuple[Callable[[Any], Any], ...] = ()
    chip_changes: tuple[Callable[[Any], Any], ...] = ()

    def operation(self, reference: Node) -> Operation:
        op = Environment.operation(self, reference)
        for change in self.op_changes:
            op = change(op)
        return op

    def chip(self, reference: Node) -> Chip:
        chip = Environment.chip(self, reference)
        for change in self.chip_changes:
            chip = change(chip)
        return chip


def diagnose(claim: Claim, judge: Judge) -> str | None:
    """Return the name of the slip that makes a refuted claim come true, `a+b` for a pair, or None.

    >>> from roofproof.claims.language.book import book_from_text
    >>> from roofproof.claims.judging.judge import judge_quietly
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "bytes(matmul) == 2 B D + 2 D F"').claims
    >>> diagnose(c, judge_quietly)                                 # 2 B F of the result are missing
    'write-back'
    """
    if isinstance(claim.proposition, Negation) or "!=" in getattr(claim.proposition, "relations", ()):
        return None  # any change would make it true
    claim = replace(claim, tolerance=NEAREST)  # a few digits fit by chance
    mentioned = [n for n in _nodes(claim) if isinstance(n, Reference)]
    kinds = {"operation": any(n.kind == "op" for n in mentioned), "chip": any(n.kind == "chip" for n in mentioned)}
    tries = iter(range(MAX_TRIES))
    single = [s for s in CATALOGUE.values() if kinds.get(s.acts_on, True)]
    for slip in single:
        for variant in _variants(claim, slip):
            if next(tries, None) is None:
                return None
            if _comes_true(variant, slip, judge):
                return slip.name
    pairs = [s for s in single if s.acts_on in ("operation", "chip")]
    for first, second in combinations(pairs, 2):
        for one in _variants(claim, first):
            for both in _variants(one, second):
                if next(tries, None) is None:
                    return None
                if _comes_true(both, second, judge):
                    return f"{first.name}+{second.name}"
    return None


def _nodes(claim: Claim) -> list[Node]:
    """Return every node of the claim, and of the values that it names or uses."""
    roots = with_values([claim.proposition or Node(), *claim.let.values()], claim.environment.let)
    return [n for root in roots for n in walk(root)]


def _comes_true(variant: Claim, slip: Slip, judge: Judge) -> bool:
    verdict = judge(variant)
    return verdict.holds and not (slip.name == "limit-outside-regime" and verdict.kind == "verified")


def _variants(claim: Claim, slip: Slip) -> Iterator[Claim]:
    if slip.acts_on == "claim":
        yield from slip.change(claim)
    elif slip.acts_on == "value":
        yield from _value_variants(claim, slip)
    else:
        for k in range(8):  # the k-th thing the slip makes of whatever operation or chip is asked for
            if (changed := _kth(claim, slip, k)) is None:
                return
            yield changed


def _kth(claim: Claim, slip: Slip, k: int) -> Claim | None:
    used = False

    def change(original: Any) -> Any:
        nonlocal used
        made = next(islice(slip.change(original), k, None), None)
        used = used or made is not None
        return original if made is None else made

    env = claim.environment
    fields = {name: getattr(env, name) for name in ("given", "let", "ops", "chips", "functions")}
    ops, chips = getattr(env, "op_changes", ()), getattr(env, "chip_changes", ())
    varied = Varied(
        **fields,
        op_changes=(*ops, change) if slip.acts_on == "operation" else ops,
        chip_changes=(*chips, change) if slip.acts_on == "chip" else chips,
    )
    for node in _nodes(claim):
        if isinstance(node, Reference):
            try:
                if node.kind == "op" and slip.acts_on == "operation":
                    varied.operation(node)
                elif node.kind == "chip" and slip.acts_on == "chip":
                    varied.chip(node)
            except RoofproofError:
                return None
    return replace(claim, environment=varied) if used else None


def _value_variants(claim: Claim, slip: Slip) -> Iterator[Claim]:
    """Yield claims in which the side that is worked out has the value that the slip makes of it."""
    node = claim.proposition
    if not isinstance(node, Comparison) or node.relations not in (("==",), ("~=",)):
        return
    from roofproof.claims.functions.functions import table
    from roofproof.claims.judging.case import Evidence
    from roofproof.claims.numbers.claimed_side import readings

    if not _could_be(slip, claim):
        return
    env = replace(claim.environment, functions=table(Evidence(claim.regime)), _values={})
    names = {*claim.let, *(n.name for n in _nodes(claim) if isinstance(n, Name))}
    try:
        context = {name: env.value(name) for name in names}
        for read in readings(node, env.let):
            worked = env.to_sympy(read.operands[0])
            for wrong in slip.change(worked, context) if worked.is_finite is not False and worked != 0 else ():
                yield replace(claim, environment=_with_value(claim, "wrong!", wrong), proposition=_put(read))
    except RoofproofError:
        return


def _could_be(slip: Slip, claim: Claim) -> bool:
    """Tell whether a bare factor can be this slip: a factor of 8 needs bytes, one of 1000 needs a unit."""
    parts = _nodes(claim)
    units = [n.unit for n in parts if isinstance(n, Quantity)]
    if slip.name == "halved-twice":
        return any(isinstance(n, Call) for n in parts)
    if slip.name in ("bits-for-bytes", "binary-prefix"):
        return any(u.dimension[1] for u in units) or any(isinstance(n, Call) and n.function == "bytes" for n in parts)
    return bool(units) if slip.name == "unit-prefix" else True


def _put(node: Comparison) -> Comparison:
    return replace(node, operands=(Name("wrong!"), *node.operands[1:]))


def _with_value(claim: Claim, name: str, value: sympy.Expr) -> Environment:
    @dataclass
    class WithValue(Environment):
        def value(self, asked: str) -> sympy.Expr:
            return value if asked == name else Environment.value(self, asked)

    env = claim.environment
    fields = {key: getattr(env, key) for key in ("given", "let", "ops", "chips", "functions")}
    return WithValue(**fields)
