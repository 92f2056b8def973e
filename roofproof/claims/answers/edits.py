"""Slips of students: each of the catalogue made in the derivation where it applies, and what comes out then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import islice

import sympy

from roofproof.claims.answers.question import LABELS, SOLVED, Key, Question, right_value
from roofproof.claims.slips.catalogue import CATALOGUE, FIRST, Slip
from roofproof.claims.slips.links import chips_of
from roofproof.derive.inequalities.cases import bounds, with_bounds
from roofproof.derive.roofline.ridges import ridge, supplier
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY
from roofproof.ops.roles import role_of

Result = Callable[[sympy.Expr], sympy.Expr]
MOST = 100  # pairs that are worked out
FEWEST_DIGITS = 3
RARE = (0, 1, 2)
LARGEST = 10**12  # bound that is rounded up
_SECOND = (*FIRST, "limit-for-exact", "other-figure", "one-direction", "per-chip-total", "dropped-part", "reciprocal",
           "seconds-milliseconds", "prefix", "bits", "forward-for-training")  # fmt: skip


@dataclass(frozen=True, eq=False)
class Edit:
    """One mistake in the derivation: which slip, what it is about, and the question as the student took it.

    `result` is what is done to the result; `after` is the edit that was made before this one, of two made together.
    """

    of: Slip
    about: str
    asked: Question
    result: Result | None = None
    after: Edit | None = None

    @property
    def slip(self) -> str:
        """The name of the slip; `a+b` for two."""
        return f"{self.after.whole}+{self.of.told(self.about)}" if self.after else self.of.name

    @property
    def name(self) -> str:
        """The slip, with the tensor that it is about."""
        return self.slip if self.after else self.of.named(self.about)

    @property
    def whole(self) -> str:
        """The slip, with what it is about: a tensor, a format, a figure."""
        return self.slip if self.after else self.of.told(self.about)

    @cached_property
    def plainly(self) -> Question:
        """The question with the tolerance of digits, by which an answer is explained."""
        return self.asked if self.asked.tolerance == "digits" else replace(self.asked, tolerance="digits")

    @property
    def rounds(self) -> bool:
        """Whether all that is done to the result is to round it up."""
        return self.result is _rounded_up

    @property
    def changes(self) -> bool:
        """Whether more is done to the result than to round it up."""
        return self.result is not None and not self.rounds

    @cached_property
    def key(self) -> Key | None:
        """The resulting key, worked out once for all answers; None where the derivation does not go through."""
        try:
            found = self.asked.key
        except RoofproofError:
            return None
        if self.result is None:
            return found
        found = replace(found, limit=None)
        if found.value is not None:
            changed = self.result(found.value)
            changed = sympy.cancel(changed) if self.asked.whole else changed
            return None if _is_none(changed) else replace(found, value=changed)
        if found.threshold is None or not bounds(found.threshold) or 0 in bounds(found.threshold):
            return None
        there = with_bounds(found.threshold, self.result)
        whole = sympy.Integer(0) if found.integer is None else self.result(sympy.Integer(found.integer))
        if any(map(_is_none, (whole, *bounds(there)))):
            return None
        return replace(found, threshold=there, bare=None, integer=None if found.integer is None else int(whole))

    @property
    def end(self) -> sympy.Expr | None:
        """The one value that the resulting key has, None where there is none."""
        return None if self.key is None else right_value(self.key, self.asked)


def _is_none(value: sympy.Expr) -> bool:
    """Tell whether a slip makes nothing of a value: 1/0 is no answer."""
    return bool(value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo))


def edits(asked: Question) -> Iterator[Edit]:
    """Yield every edit that changes what a question rests on, the likeliest first; what cancels is none.

    >>> from roofproof import chip, op
    >>> found = {(e.slip, e.about) for e in edits(Question(op("matmul"), chip("tpu-v5e"), asks="ridge"))}
    >>> ("other-figure", "int8") in found, any(slip == "dropped-tensor" for slip, _ in found)   # a ridge has no tensors
    (True, False)
    """
    for rare in RARE:
        yield from as_rare(asked, rare)


@lru_cache(maxsize=256)
def as_rare(asked: Question, rare: int, digits: int | None = None) -> tuple[Edit, ...]:
    """Return the edits of the slips that are as usual as 0, 1 or 2 says; of two that come to one question the first.

    Those that explain no number of so many digits are not made: the figures of all other chips, say.
    """
    if asked.asks == "bound":
        return ()
    met = {_rests_on(asked), *(_rests_on(e.asked) for less in range(rare) for e in as_rare(asked, less, digits))}
    found: list[Edit] = []
    same: set[object] = set()  # one mistake by two names is one; two that come to one value are two
    slips = (s for s in CATALOGUE.values() if s.rare == rare and (digits is None or s.digits <= digits))
    for edit in (e for slip in slips for e in made_once(slip, asked)):
        if edit.result is None:
            rests = _rests_on(edit.asked)
            if rests is None or rests in met or (edit.of.name, rests) in same or (edit.asked.op.tensors, rests) in same:
                continue
            same |= {(edit.of.name, rests), (edit.asked.op.tensors, rests)}
        found.append(edit)
    return tuple(found)


@lru_cache(maxsize=4096)
def made_once(slip: Slip, asked: Question) -> tuple[Edit, ...]:
    """Return what a slip makes of a question, worked out once for all answers."""
    return tuple(_made(slip, asked))


def _made(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield the question as a slip has it taken."""
    of_chips = asked.asks == "threshold" and "chips" in slip.asks and _counts_chips(asked)
    if slip.asks and asked.asks not in slip.asks and not of_chips:
        return
    for acts_on in slip.acts_on.split():
        if acts_on == "operation" and asked.asks != "ridge":
            wholes = (w for w, _ in slip.made(asked.whole)) if asked.whole else iter(())
            for op, about in slip.made(asked.op):
                whole = next(wholes, asked.whole) if asked.whole else None
                names = {s.name for s in (*op.dims, *(whole.dims if whole else ()))}
                if asked.unknown not in (None, *names):  # nothing is left to ask
                    continue
                with suppress(RoofproofError):
                    at = {name: size for name, size in asked.at.items() if name in names}
                    yield Edit(slip, about, replace(asked, op=op, whole=whole, at=at))
        elif acts_on == "chip" and asked.chip is not None and asked.asks in (*SOLVED, "ridge", "memory", "time"):
            for chip, about in slip.made(asked.chip):
                about, _, over = about.partition(":")
                if not over or (asked.asks != "ridge" and over in _suppliers(asked)):  # a ridge that it rests on
                    yield Edit(slip, about, replace(asked, chip=chip))
        elif acts_on == "question":
            for each, about in slip.made(asked):
                if isinstance(each, sympy.Expr):
                    yield Edit(slip, about, asked, partial(_given, each))
                    continue
                yield from (Edit(slip, about, each, result) for result in (None, _rounded_up))  # 295.2, or B > 296
        elif acts_on == "value":
            yield from (Edit(slip, "", asked, result) for result in _results(slip, asked))


def _results(slip: Slip, asked: Question) -> Iterator[Result]:
    """Yield what a slip does to a result, one thing after another; a size of one letter is no number of layers."""
    context = {s.name: asked.at.get(s.name, s) for s in asked.dims if len(s.name) > 1}
    context = {name: sympy.sympify(size, strict=True) for name, size in context.items()}

    def kth(k: int) -> Result:
        return lambda value: next(islice(slip.change(value, context), k, None), sympy.nan)

    for k, _ in enumerate(slip.change(sympy.Integer(10**9), context)):  # as many as it makes of a large integer
        yield kth(k)


def _given(value: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    """Return what comes out instead of what is right."""
    return value


def _rounded_up(bound: sympy.Expr) -> sympy.Expr:
    """Return the next whole number, where somebody would write that down; exp2(32) stays as it is."""
    return sympy.ceiling(bound) if bound.is_number and bound.is_algebraic and bound < LARGEST else bound


def _suppliers(asked: Question) -> list[str]:
    """Return the memories and links of the chip over which the bytes of the operation move."""
    assert asked.chip is not None
    return [supplier(asked.chip, channel) for channel in _channels(asked.op)]


def _channels(op: Operation) -> list[str]:
    return [*([MEMORY] if op.tensors or MEMORY in op.traffic else []), *(c for c in op.traffic if c != MEMORY)]


def _counts_chips(asked: Question) -> bool:
    return any(s.name == asked.unknown for s in chips_of(asked.op))


@lru_cache(maxsize=1024)
def _rests_on(asked: Question) -> tuple[object, ...] | None:
    """Return the counts and specs of the chip from which the key of a question follows; None where one is missing."""
    try:
        return _counted(asked)
    except RoofproofError:
        return None


def _counted(asked: Question) -> tuple[object, ...]:
    op, chip, asks = asked.op, asked.chip, asked.asks
    if asks == "flops":
        return asks, op.flops
    if asks == "bytes":
        return asks, op.bytes(asked.channel)
    if asks == "intensity":
        return asks, op.flops, op.bytes(asked.channel)
    if asked.whole is not None:
        return asks, sympy.cancel(op.flops / asked.whole.flops)
    if asks == "time" and chip is not None:
        return asks, *time(op, chip).items()
    ridges = [ridge(chip, compute, channel) for compute in op.compute for channel in _channels(op)] if chip else []
    return (
        (asks, *ridges[:1])
        if asks == "ridge"
        else (asks, asked.kept, *ridges, *op.compute.items(), op.bytes(), *op.traffic.items())
    )


def is_ruled(label: str, asked: Question) -> bool:
    """Tell whether the rule of thumb for the smallest size that grows says what an answer says.

    >>> from roofproof import chip, op
    >>> asked = Question(op("matmul"), chip("tpu-v5e"), asks="bound", at={"B": 256, "D": 4096, "F": 4096})
    >>> asked.key.label, is_ruled("compute-bound", asked)                 # 256 > 240.5, but from 273 on
    ('memory-bound', True)
    """
    growing = [name for name in asked.names if role_of(asked.op, name).grows]
    if not growing or label == LABELS[2]:
        return False
    least = min(growing, key=asked.at.__getitem__)
    with suppress(RoofproofError):
        at = {name: size for name, size in asked.at.items() if name != least}
        ruled = replace(asked, asks="rule", unknown=least, at=at).key.there
        x = next(s for s in asked.op.dims if s.name == least)
        return ruled is not None and (ruled.holds(x).subs(x, asked.at[least]) == sympy.true) == (label == LABELS[0])
    return False


@lru_cache(maxsize=256)
def pairs(asked: Question, most: int = MOST) -> tuple[Edit, ...]:
    """Return two slips made together, the likeliest first, so many of them.

    >>> from roofproof import op
    >>> found = {e.slip: e for e in pairs(Question(op("matmul"), asks="bytes"))}
    >>> found["bytes-per-element+dropped-tensor:z"].key.value           # B F of the result is left out
    B*D + D*F
    """
    return () if asked.asks == "bound" else tuple(islice(_pairs(asked), most))


def tried(digits: int | None) -> int:
    """Return the number of pairs to try for so many digits: at most one in a hundred then fits by chance.

    >>> tried(2), tried(3), tried(4)                                      # 10^3 / 100 of three digits
    (0, 10, 100)
    >>> tried(None)                                                       # a formula fits none by chance
    100
    """
    return MOST if digits is None else 0 if digits < FEWEST_DIGITS else min(MOST, 10**digits // 100)


def _pairs(asked: Question) -> Iterator[Edit]:
    rests = (None, _rests_on(asked))
    made = (e for name in FIRST for e in made_once(CATALOGUE[name], asked))
    counted = [e for e in made if _rests_on(e.asked) not in rests]  # of two tensors of one size both, made together
    yield from (edit for first in counted for edit in _seconds(first, "question"))
    for place, first in enumerate(counted, 1):
        later = {e.whole for e in counted[place:]} - {first.whole}
        for second in _seconds(first, "operation"):
            if second.of.name not in FIRST or second.of.told(second.about) in later:
                yield second
    for acts_on in ("value", "chip"):
        for first in counted:
            yield from _seconds(first, acts_on)


def _seconds(first: Edit, acts_on: str) -> Iterator[Edit]:
    """Yield what is made after an edit by the slips that act on the same thing."""
    for slip in (CATALOGUE[name] for name in _SECOND if acts_on in CATALOGUE[name].acts_on):
        for second in made_once(slip, first.asked):
            if second.result or _rests_on(second.asked) not in (None, _rests_on(first.asked)):
                yield replace(second, after=first)
