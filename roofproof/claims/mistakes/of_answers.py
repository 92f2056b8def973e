"""What a slip makes of a question: another one, with the key that its answer then has, or something done to the key."""

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
WRITTEN_UP = 10**12  # bounds below it are rounded up
OF_CHIPS = (*SOLVED, "ridge", "memory", "time")


@dataclass(frozen=True, eq=False)
class Edit(Mistake[Question]):
    """A mistake in the derivation of a key; `result` is what is done to the key that comes out."""

    result: Result | None = None

    @property
    def changes(self) -> bool:
        """Whether more is done to the result than to round it up."""
        return self.result not in (None, _rounded_up)

    @cached_property
    def asked(self) -> Question:
        """The question with the tolerance of digits, by which an answer is explained."""
        return self.taken if self.taken.tolerance == "digits" else replace(self.taken, tolerance="digits")

    @cached_property
    def key(self) -> Key | None:
        """The key that comes out, worked out once for all answers; None where the derivation does not go through."""
        with suppress(RoofproofError):
            return self.taken.key if self.result is None else self._changed(self.taken.key, self.result)
        return None

    def _changed(self, key: Key, result: Result) -> Key | None:
        """Return a key to whose value, bounds and integer something is done; None where nothing is left of one."""
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
        """The one value of the key that comes out; None where it has none."""
        return None if self.key is None else right_value(self.key, self.taken)

    @cached_property
    def there(self) -> tuple[Fraction, ...]:
        """The values that come out, also in the limit, at some sizes; none where one of them is not worked out."""
        keys = (self.key, self.key.limit) if self.key and self.taken.asks in SOLVED else (self.key,)
        ends = [right_value(key, self.taken) for key in keys if key is not None]
        found = [at_sizes(end) for end in ends if end is not None]
        values = tuple(v for v in found if v is not None)
        return values if len(values) == len(ends) else ()


def at_sizes(value: sympy.Expr) -> Fraction | None:
    """Return a value at sizes that nobody has, each name another one; None where none is worked out.

    >>> B, D = sympy.symbols("B D")
    >>> at_sizes(B / D) == at_sizes(2 * B / (2 * D)), at_sizes(2**B)
    (True, None)
    """
    if any(p.exp.free_symbols for p in value.atoms(sympy.Pow)):
        return None  # a tower of powers nobody works out
    sizes = {s.name: 10**6 + 37 * int.from_bytes(s.name.encode()) ** 2 for s in value.free_symbols}
    there = substitute(value, sizes)
    if not (there.is_number and there.is_real and there.is_finite) or too_long(there):
        return None
    near = there if there.is_Rational else sympy.Rational(str(sympy.N(there, 30)))  # float: told apart by a percent
    return Fraction(int(near.p), int(near.q))


class InAnswer(Search[Question, Edit]):
    """The search for the mistake behind an answer; `gives` tells whether the key of an edit is that answer."""

    together = ("question", "operation", "value", "chip")

    def __init__(self, asked: Question, gives: Callable[[Edit], bool], digits: int | None = None) -> None:
        """Leave out the slips that explain no number of so many digits: the figures of all other chips, say."""
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
    """Yield every single mistake that changes what a question rests on, the likeliest first; what cancels is none.

    >>> from roofproof import chip, op
    >>> found = {(e.of.name, e.about) for e in edits(Question(op("matmul"), chip("tpu-v5e"), asks="ridge"))}
    >>> ("other-figure", "int8") in found, any(name == "dropped-tensor" for name, _ in found)   # a ridge has no tensors
    (True, False)
    """
    return InAnswer(asked, lambda edit: True).single() if asked.asks != "bound" else iter(())


@lru_cache(maxsize=4096)
def made_of(slip: Slip, asked: Question) -> tuple[Edit, ...]:
    """Return what a slip makes of a question, once for all answers."""
    named_chips = asked.asks == "threshold" and any(s.name == asked.unknown for s in chips_of(asked.op))
    if slip.asks and asked.asks not in slip.asks and not (named_chips and "chips" in slip.asks):
        return ()
    return tuple(e for acts_on in slip.acts_on.split() for e in _MADE.get(acts_on, _nothing)(slip, asked))


def _nothing(slip: Slip, asked: Question) -> Iterator[Edit]:
    yield from ()


def _of_operation(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield the question about each operation that the slip makes of that one, with the whole made alike."""
    others = [op for op, _ in slip.made(asked.whole)] if asked.whole and asked.asks != "ridge" else []
    for k, (op, about) in enumerate(slip.made(asked.op) if asked.asks != "ridge" else ()):
        whole = others[k] if k < len(others) else asked.whole
        names = {s.name for each in (op, whole) if each for s in each.dims}
        if asked.unknown is not None and asked.unknown not in names:
            continue  # nothing is left to ask
        with suppress(RoofproofError):
            sizes = {name: size for name, size in asked.at.items() if name in names}
            yield Edit(slip, about, replace(asked, op=op, whole=whole, at=sizes))


def _of_chip(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield the question on each chip that the slip makes, but for one that differs where no bytes of it move."""
    chip = asked.chip
    if chip is None or asked.asks not in OF_CHIPS:
        return
    for made, told in slip.made(chip):
        about, _, over = told.partition(":")
        if not over or (asked.asks != "ridge" and over in [supplier(chip, c) for c in _channels(asked.op)]):
            yield Edit(slip, about, replace(asked, chip=made))


def _of_question(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield the other question, whose bound may be rounded up (B > 296 for 295.2), or the value that it comes to."""
    for made, about in slip.made(asked):
        if isinstance(made, Question):
            yield Edit(slip, about, made)
            yield Edit(slip, about, made, result=_rounded_up)
        else:
            yield Edit(slip, about, asked, result=partial(_instead, made))


def _of_value(slip: Slip, asked: Question) -> Iterator[Edit]:
    """Yield each of the things that the slip does to a value; a size of one letter is no number of layers."""
    sizes = {s.name: sympy.sympify(asked.at.get(s.name, s), strict=True) for s in asked.dims if len(s.name) > 1}
    many = sum(1 for _ in slip.change(sympy.Integer(10**9), sizes))  # as of a large integer
    for k in range(many):
        yield Edit(slip, "", asked, result=partial(_kth, slip, sizes, k))


_MADE = {"operation": _of_operation, "chip": _of_chip, "question": _of_question, "value": _of_value}


def _is_some(value: sympy.Expr) -> bool:
    """Tell whether a slip leaves a value: 1/0 is no answer."""
    return not value.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)


def _kth(slip: Slip, sizes: dict[str, sympy.Expr], k: int, value: sympy.Expr) -> sympy.Expr:
    return next(islice(slip.change(value, sizes), k, None), sympy.nan)


def _instead(value: sympy.Expr, right: sympy.Expr) -> sympy.Expr:
    return value


def _rounded_up(bound: sympy.Expr) -> sympy.Expr:
    """Return the next whole number, where somebody would write that down; exp2(32) stays as it is."""
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
