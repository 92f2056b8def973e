"""The search for the mistake in a wrong answer: it changes the question, and with it the key, or only the key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import islice

import sympy

from roofproof.claims.answers.question import SOLVED, Key, Question, right_value
from roofproof.claims.mistakes.catalogue import CATALOGUE, Slip
from roofproof.claims.mistakes.links import chips_of
from roofproof.claims.mistakes.search import Mistake, Search
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.inequalities.cases import bounds, substitute, with_bounds
from roofproof.derive.roofline.ridges import ridge, supplier
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY

Result = Callable[[sympy.Expr], sympy.Expr]
WRITTEN_UP = 10**12  # larger bounds are not rounded up
OF_CHIPS = (*SOLVED, "ridge", "memory", "time")


@dataclass(frozen=True, eq=False)
class Edit(Mistake[Question]):
    """A mistake in the derivation of a key. `result` is a change to the resulting key."""

    result: Result | None = None

    @property
    def changes(self) -> bool:
        """Whether the result is changed by more than rounding up."""
        return self.result not in (None, _rounded_up)

    @cached_property
    def asked(self) -> Question:
        """The question with tolerance `digits`, which is the tolerance for explaining an answer."""
        return self.taken if self.taken.tolerance == "digits" else replace(self.taken, tolerance="digits")

    @cached_property
    def key(self) -> Key | None:
        """The wrong key, computed once for all answers, or None if the derivation fails."""
        with suppress(RoofproofError):
            return self.taken.key if self.result is None else self._changed(self.taken.key, self.result)
        return None

    def _changed(self, key: Key, result: Result) -> Key | None:
        """Return a key with changed value, bounds and integer, or None if one of them no longer exists."""
        if key.value is not None:
            value = result(key.value)
            value = sympy.cancel(value) if self.taken.whole else value
            return replace(key, value=value, limit=None) if _is_some(value) else None
        if key.threshold is None or not bounds(key.threshold) or 0 in bounds(key.threshold):
            return None
        there = with_bounds(key.threshold, result)
        whole = sympy.Integer(0) if key.integer is None else result(sympy.Integer(key.integer))
        if not all(map(_is_some, (whole, *bounds(there)))):
            return None
        return replace(key, threshold=there, bare=None, limit=None, integer=key.integer and int(whole))

    @cached_property
    def end(self) -> sympy.Expr | None:
        """The single value of the wrong key, or None if it has none."""
        return None if self.key is None else right_value(self.key, self.taken)

    @cached_property
    def there(self) -> tuple[Fraction, ...]:
        """The values of the wrong key and of its limit at some sizes, or none if one of them has no value."""
        keys = (self.key, self.key.limit) if self.key and self.taken.asks in SOLVED else (self.key,)
        ends = [right_value(key, self.taken) for key in keys if key is not None]
        found = [at_sizes(end) for end in ends if end is not None]
        values = tuple(v for v in found if v is not None)
        return values if len(values) == len(ends) else ()


def at_sizes(value: sympy.Expr) -> Fraction | None:
    """Return a value at unusual sizes, different for each name, or None if it cannot be evaluated.

    >>> B, D = sympy.symbols("B D")
    >>> at_sizes(B / D) == at_sizes(2 * B / (2 * D)), at_sizes(2**B)
    (True, None)
    """
    if any(p.exp.free_symbols for p in value.atoms(sympy.Pow)):
        return None  # a power of sizes may be too large to evaluate
    sizes = {s.name: 10**6 + 37 * int.from_bytes(s.name.encode()) ** 2 for s in value.free_symbols}
    there = substitute(value, sizes)
    if not (there.is_number and there.is_real and there.is_finite) or too_long(there):
        return None
    near = there if there.is_Rational else sympy.Rational(str(sympy.N(there, 30)))  # float: compared to a percent
    return Fraction(int(near.p), int(near.q))


class InAnswer(Search[Question, Edit]):
    """The search for the mistake in an answer. `gives` returns whether the key of an edit is that answer."""

    together = ("question", "operation", "value", "chip")

    def __init__(self, asked: Question, gives: Callable[[Edit], bool], digits: int | None = None) -> None:
        """Leave out mistakes that need more digits than the answer has, such as the specs of other chips."""
        enough = (s for s in CATALOGUE.values() if digits is None or s.digits <= digits)
        super().__init__(asked, enough)
        self._gives = gives

    def gives(self, mistake: Edit) -> bool:
        return self._gives(mistake)

    def made(self, slip: Slip, of: Question) -> tuple[Edit, ...]:
        return made_of(slip, of)

    def is_another(self, mistake: Edit) -> bool:
        return mistake.result is not None

    def moves(self, of: Question) -> Hashable:
        return of.op.tensors

    def rests_on(self, of: Question) -> Hashable | None:
        return _rests_on(of)


def edits(asked: Question) -> Iterator[Edit]:
    """Yield every single mistake that changes the key of a question, the likeliest first.

    >>> from roofproof import chip, op
    >>> found = {(e.of.name, e.about) for e in edits(Question(op("matmul"), chip("tpu-v5e"), asks="ridge"))}
    >>> ("other-figure", "int8") in found, any(name == "dropped-tensor" for name, _ in found)   # a ridge has no tensors
    (True, False)
    """
    return InAnswer(asked, lambda edit: True).single() if asked.asks != "bound" else iter(())


@lru_cache(maxsize=4096)
def made_of(slip: Slip, asked: Question) -> tuple[Edit, ...]:
    """Return the edits of a question by one kind of mistake, computed once for all answers."""
    named_chips = asked.asks == "threshold" and any(s.name == asked.unknown for s in chips_of(asked.op))
    if slip.asks and asked.asks not in slip.asks and not (named_chips and "chips" in slip.asks):
        return ()
    return tuple(e for acts_on in slip.acts_on.split() for e in _MADE.get(acts_on, _nothing)(slip, asked))


def _nothing(slip: Slip, asked: Question) -> Iterator[Edit]:
    yield from ()


def _of_operation(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield the question with each changed operation. The `whole` of a share is changed in the same way."""
    others = [op for op, _ in slip.made(asked.whole)] if asked.whole and asked.asks != "ridge" else []
    for k, (op, about) in enumerate(slip.made(asked.op) if asked.asks != "ridge" else ()):
        whole = others[k] if k < len(others) else asked.whole
        names = {s.name for each in (op, whole) if each for s in each.dims}
        if asked.unknown is not None and asked.unknown not in names:
            continue  # the unknown is gone
        with suppress(RoofproofError):
            sizes = {name: size for name, size in asked.at.items() if name in names}
            yield Edit(slip, about, replace(asked, op=op, whole=whole, at=sizes))


def _of_chip(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield the question with each changed chip, except if the change is in a link that the operation does not use."""
    chip = asked.chip
    if chip is None or asked.asks not in OF_CHIPS:
        return
    for made, told in slip.made(chip):
        about, _, over = told.partition(":")
        if not over or (asked.asks != "ridge" and over in [supplier(chip, c) for c in _channels(asked.op)]):
            yield Edit(slip, about, replace(asked, chip=made))


def _of_question(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield the changed question, also with its bound rounded up (B > 296 for 295.2), or a wrong value for the key."""
    for made, about in slip.made(asked):
        if isinstance(made, Question):
            yield Edit(slip, about, made)
            yield Edit(slip, about, made, result=_rounded_up)
        else:
            yield Edit(slip, about, asked, result=partial(_instead, made))


def _of_value(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield each change of the value. A size of one letter is not taken for a number of layers."""
    sizes = {s.name: sympy.sympify(asked.at.get(s.name, s), strict=True) for s in asked.dims if len(s.name) > 1}
    many = sum(1 for _ in slip.change(sympy.Integer(10**9), sizes))  # as many as for a large integer
    for k in range(many):
        yield Edit(slip, "", asked, result=partial(_kth, slip, sizes, k))


_MADE = {"operation": _of_operation, "chip": _of_chip, "question": _of_question, "value": _of_value}


def _is_some(value: sympy.Expr) -> bool:
    """Return whether a changed value exists: 1/0 is not an answer."""
    return not value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)


def _kth(slip: Slip, sizes: dict[str, sympy.Expr], k: int, value: sympy.Expr) -> sympy.Expr:
    return next(islice(slip.change(value, sizes), k, None), sympy.nan)


def _instead(value: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    return value


def _rounded_up(bound: sympy.Expr) -> sympy.Expr:
    """Return a bound rounded up to an integer if it is an algebraic number below WRITTEN_UP, else the bound itself."""
    return sympy.ceiling(bound) if bound.is_number and bound.is_algebraic and bound < WRITTEN_UP else bound


def _channels(op: Operation) -> list[str]:
    links = [name for name in op.traffic if name != MEMORY]
    return [MEMORY, *links] if op.tensors or MEMORY in op.traffic else links


@lru_cache(maxsize=1024)
def _rests_on(asked: Question) -> Hashable | None:
    op, chip = asked.op, asked.chip
    try:
        match asked.asks:
            case "flops":
                return "flops", op.flops
            case "bytes":
                return "bytes", op.bytes(asked.channel)
            case "intensity":
                return "intensity", op.flops, op.bytes(asked.channel)
            case "share" if asked.whole is not None:
                return "share", sympy.cancel(op.flops / asked.whole.flops)
            case "time" if chip is not None:
                return "time", *time(op, chip).items()
        found = [ridge(chip, unit, channel) for unit in op.compute for channel in _channels(op)] if chip else []
        if asked.asks == "ridge":
            return "ridge", *found[:1]
        return asked.asks, asked.kept, *found, *op.compute.items(), op.bytes(), *op.traffic.items()
    except RoofproofError:
        return None
