"""Slips of students: edits of the derivation, each made where it applies, and derived again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

import sympy

from roofproof.claims.answers.question import Key, Question, worked_out
from roofproof.derive.inequalities.cases import bounds, with_bounds
from roofproof.derive.roofline.ridges import supplier
from roofproof.errors import RoofproofError
from roofproof.hardware import Chip, Rate, chip_names
from roofproof.hardware import chip as chip_of
from roofproof.hardware.resources import LINKS, MAIN_MEMORIES
from roofproof.ops import Operation, Tensor
from roofproof.ops.resources import MEMORY
from roofproof.ops.roles import shared_over

Result = Callable[[sympy.Expr], sympy.Expr]
WIDTHS = ("int8", "bf16", "fp32")
QUOTED = ("h100-sxm", "a100-80gb-sxm", "tpu-v5e", "tpu-v5p", "b200")  # chips that everybody quotes
ROUGH = 3  # digits that another chip's figure must be reproduced to
ON_CHIP = ("ridge", "time", "threshold", "smallest", "largest", "rule")  # what rests on the figures of a chip


@dataclass(frozen=True, slots=True)
class Edit:
    """One mistake in the derivation: its name, what it is about, and the question as the student took it.

    `result` is what is done to the result; `digits` is how many the answer must have to be explained by it. A slip
    of two edits is named `a+b`.
    """

    slip: str
    about: str
    asked: Question
    result: Result | None = None
    digits: int = 1

    @property
    def name(self) -> str:
        """The slip, with the tensor that it is about."""
        return self.whole if self.slip == "dropped-tensor" else self.slip

    @property
    def whole(self) -> str:
        """The slip, with what it is about: a tensor, a format, a figure."""
        return f"{self.slip}:{self.about}" if self.about else self.slip

    @property
    def plainly(self) -> Question:
        """The question with the tolerance of digits, by which an answer is explained."""
        return self.asked if self.asked.tolerance == "digits" else replace(self.asked, tolerance="digits")

    def key(self) -> Key | None:
        """Return what comes out, or None where the derivation does not go through."""
        try:
            found = worked_out(self.asked)
        except RoofproofError:
            return None
        if self.result is None:
            return found
        found = replace(found, limit=None)
        if found.value is not None:
            changed = self.result(found.value)
            return None if changed.is_finite is False else replace(found, value=changed)  # 1/0 is no answer
        if found.threshold is None or not bounds(found.threshold) or 0 in bounds(found.threshold):
            return None
        whole = None if found.integer is None else int(self.result(sympy.Integer(found.integer)))
        return replace(found, threshold=with_bounds(found.threshold, self.result), bare=None, integer=whole)


def times(factor: sympy.Expr | int) -> Result:
    """Return what multiplies a result.

    >>> times(8)(sympy.Integer(3))                                                     # 3 bytes are 24 bits
    24
    """
    return lambda value: value * factor


def plus(step: int) -> Result:
    """Return what adds to a result.

    >>> plus(-1)(sympy.Integer(273))
    272
    """
    return lambda value: value + step


def edits(asked: Question) -> Iterator[Edit]:
    """Yield every edit that applies to a question, the likeliest first.

    >>> from roofproof import chip, op
    >>> found = {(e.slip, e.about) for e in edits(Question(op("matmul"), chip("tpu-v5e"), asks="ridge"))}
    >>> ("other-figure", "int8") in found, any(slip == "dropped-tensor" for slip, _ in found)   # a ridge has no tensors
    (True, False)
    """
    if asked.asks == "bound":
        return
    for make in (of_operation, of_chip, of_result):
        yield from make(asked)


def of_operation(asked: Question) -> Iterator[Edit]:
    """Yield the question with the operation counted otherwise: tensors dropped, other widths, a multiply-add once."""
    op = asked.op
    if asked.asks in ("smallest", "largest"):
        yield from (Edit("off-by-one", "", asked, plus(d)) for d in (1, -1))
    if asked.asks == "ridge":
        return
    if asked.asks not in ("flops", "share"):
        yield from (Edit("bytes-per-element", "", q) for q in _asking(asked, _at_width(op, "int8")))
        yield from (
            Edit("dropped-tensor", about, q) for about, o in _dropped(op, op.writes) for q in _asking(asked, [o])
        )
    if asked.asks != "bytes" and _has_multiply_adds(op):
        yield Edit("multiply-add-once", "", replace(asked, op=_scaled(op, sympy.Rational(1, 2))))
    if asked.asks == "flops":
        for factor in (sympy.Rational(1, 3), sympy.Integer(3)):
            yield Edit("forward-for-training", "", replace(asked, op=_scaled(op, factor)))
    elif asked.asks != "share":
        yield from (
            Edit("dropped-tensor", about, q) for about, o in _dropped(op, op.reads) for q in _asking(asked, [o])
        )
        for width in WIDTHS:
            yield from (Edit("other-width", width, q) for q in _asking(asked, _at_width(op, width)))
        formats = {t.dtype for t in op.tensors}
        for t in op.tensors if len(formats) > 1 else ():
            for width in sorted(formats - {t.dtype}):  # one tensor in the format of another
                changed = _at_width(op, width, t.name)
                yield from (Edit("other-width", f"{t.name}:{width}", q) for q in _asking(asked, changed))
    for axis in _chips(op):
        with suppress(RoofproofError):  # the size that is asked for is gone, and nothing is left to ask
            yield Edit("per-chip-total", str(axis), replace(asked, op=_scaled(op, axis)))


def _dropped(op: Operation, tensors: Iterable[Tensor]) -> Iterator[tuple[str, Operation]]:
    """Yield the operation without each of these tensors, or without one of its two passes."""
    for name in dict.fromkeys(t.name for t in tensors):
        reads, writes = (tuple(t for t in ts if t.name != name) for ts in (op.reads, op.writes))
        options = [(reads, writes)]
        if len(reads) < len(op.reads) and len(writes) < len(op.writes):
            options += [(op.reads, writes), (reads, op.writes)]
        yield from ((name, replace(op, reads=r, writes=w, parts=())) for r, w in options if r or w or op.traffic)


def _asking(asked: Question, ops: Iterable[Operation]) -> Iterator[Question]:
    """Yield the question about other operations, without the sizes that they do not have."""
    for op in ops:
        names = {s.name for s in (*op.dims, *(asked.whole.dims if asked.whole else ()))}
        with suppress(RoofproofError):  # the size that is solved for is gone
            yield replace(asked, op=op, at={name: size for name, size in asked.at.items() if name in names})


def _at_width(op: Operation, width: str, only: str | None = None) -> Iterator[Operation]:
    """Yield the operation with its tensors, or one of them, in a format of so many bytes, where that changes any."""

    def put(t: Tensor) -> Tensor:
        return replace(t, dtype=width) if only in (None, t.name) else t

    changed = replace(op, reads=tuple(map(put, op.reads)), writes=tuple(map(put, op.writes)), parts=())
    if sympy.expand(changed.bytes() - op.bytes()) != 0:
        yield changed


def _has_multiply_adds(op: Operation) -> bool:
    """Tell whether FLOPs come in pairs: every coefficient is even, or sums run over a third size."""
    if op.exact_compute is not None:
        return True
    terms = [t.as_coeff_Mul() for t in sympy.Add.make_args(sympy.expand(op.flops))]
    return all((c.is_Integer and c % 2 == 0) or len(rest.free_symbols) > 2 for c, rest in terms)


def _chips(op: Operation) -> tuple[sympy.Symbol, ...]:
    """Return the sizes that are numbers of chips: those that work is shared over, where something crosses a link."""
    return tuple(shared_over(op)) if any(name in LINKS for name in op.demands) else ()


def _scaled(op: Operation, factor: sympy.Expr) -> Operation:
    compute = {name: amount * factor for name, amount in op.compute.items()}
    return replace(op, compute=compute, exact_compute=None, parts=())


def of_chip(asked: Question) -> Iterator[Edit]:
    """Yield the question with another figure of the same chip: another format's peak, another source's bandwidth."""
    chip = asked.chip
    if chip is None or asked.asks not in ON_CHIP:
        return
    peak, *rates = _figures(asked.op, chip)
    for rate in rates:
        if rate is not None and rate.resource not in MAIN_MEMORIES:
            yield Edit("one-direction", rate.resource, replace(asked, chip=_with(chip, rate, 2 * rate.value)))
    for figure in (peak, *rates):
        if figure is None:
            continue
        for about, value in _others(chip, figure):
            yield Edit("other-figure", about, replace(asked, chip=_with(chip, figure, value)), digits=2)
    for name in chip.variants:
        yield Edit("other-figure", name, replace(asked, chip=chip.variant(name)), digits=2)
    for digits in (1, 2, 3):
        rounded = chip
        for figure in (peak, *rates):
            if figure is not None:
                rounded = _with(rounded, figure, _rounded(figure.value, digits))
        if rounded != chip:
            yield Edit("rounded-input", "", replace(asked, chip=rounded), digits=2)
        for figure in (peak, *rates):
            if figure is not None and (value := _rounded(figure.value, digits)) != figure.value:
                edited = replace(asked, chip=_with(chip, figure, value))
                yield Edit("rounded-input", figure.resource, edited, digits=2)
    rate = rates[0] if rates else None
    if peak is not None and rate is not None and asked.asks != "ridge":
        for digits in (2, 3, 4):
            ridge = _rounded(peak.value / rate.value, digits)
            edited = replace(asked, chip=_with(chip, peak, ridge * rate.value))
            yield Edit("rounded-input", "ridge", edited, digits=2)


def _figures(op: Operation, chip: Chip) -> tuple[Rate | None, ...]:
    """Return the peak and the bandwidths that a question rests on."""
    engines = [name for name, amount in op.compute.items() if not amount.is_zero]
    channels = [name for name in op.demands if name not in op.compute]
    peak = chip.peak(engines[0]) if len(engines) == 1 else None
    return peak, *(chip.bandwidth(supplier(chip, channel)) for channel in channels)


def _others(chip: Chip, figure: Rate) -> Iterator[tuple[str, Fraction]]:
    seen = {figure.value}
    alternatives: list[tuple[str, Fraction]] = [
        (o.variant, o.value) for o in chip.alternatives(figure) if not o.both_directions
    ]
    if figure.unit == "FLOP/s":
        every = [f for f in (*chip.supplies, *chip.others) if isinstance(f, Rate) and f.unit == "FLOP/s"]
        alternatives += [(f.resource, f.value) for f in every if f.resource != figure.resource]
    elif figure.resource in MAIN_MEMORIES:
        alternatives += [(f.resource, f.value) for f in chip.channels if f.resource in LINKS]
    for about, value in alternatives:
        if value not in seen:
            seen.add(value)
            yield about, value


def _with(chip: Chip, figure: Rate, value: Fraction) -> Chip:
    supplies = tuple(replace(f, value=value) if f is figure or f == figure else f for f in chip.supplies)
    try:
        return replace(chip, supplies=supplies)
    except RoofproofError:  # an absurd ridge point
        return chip


def _rounded(value: Fraction, digits: int) -> Fraction:
    return Fraction(f"{Decimal(value.numerator) / Decimal(value.denominator):.{digits - 1}e}")


def of_result(asked: Question) -> Iterator[Edit]:
    """Yield what is done to the result: a prefix, bits for bytes, one direction for two, the reciprocal."""
    asks, channel = asked.asks, asked.channel
    if channel != MEMORY and asks in ("bytes", "time"):
        yield from (Edit("one-direction", channel, asked, times(f)) for f in (2, sympy.Rational(1, 2)))
    if channel != MEMORY and asks == "bytes":
        shared = sympy.denom(sympy.together(asked.op.bytes(channel))).free_symbols
        for name in (n for n in asked.op.dims if n in shared):
            yield Edit("per-chip-total", str(name), asked, times(asked.at.get(name.name, name)))
    if asks == "time":
        yield from (Edit("seconds-milliseconds", "", asked, times(f)) for f in (1000, sympy.Rational(1, 1000)))
    if asks == "share":  # what is over the rest, not over the whole
        yield Edit("ratio-for-share", "", asked, lambda value: sympy.cancel(value / (1 - value)))
    if asks in ("intensity", "ridge", "threshold", "rule", "share"):
        yield Edit("reciprocal", "", asked, lambda value: 1 / value)
    if asks in ("intensity", "ridge", "bytes", "time"):
        yield from (Edit("bits", "", asked, times(f)) for f in (8, sympy.Rational(1, 8)))
    if asks == "threshold" and any(s.name == asked.unknown for s in _chips(asked.op)):
        yield from (Edit("off-by-one", "", asked, plus(d)) for d in (-1, 1))
    if asks in ("flops", "bytes", "time") or (asks in ("ridge", "threshold", "rule") and asked.chip):
        for k in (1, 2, 3):
            yield from (Edit("prefix", "", asked, times(f)) for f in (1000**k, sympy.Integer(1000) ** -k))
        if asks in ("flops", "bytes"):
            value = asked.key.value
            if value is not None and value.is_number and (power := (len(str(int(value))) - 1) // 3):
                yield Edit("prefix", "", asked, times(sympy.Rational(1000, 1024) ** power))  # 34 MiB called 34 MB
    if asks == "intensity":  # FLOPs over FLOPs and bytes together; near 1, where it is large, it says nothing
        yield Edit("share-for-ratio", "", asked, lambda value: value / (1 + value), digits=2)
    if asks not in ("smallest", "largest"):
        yield Edit("halved-twice", "", asked, times(sympy.Rational(1, 2)))


def of_other_chips(asked: Question) -> Iterator[Edit]:
    """Yield the question on the other chips of the same family, then on those that everybody quotes.

    Of all chips some one has nearly any ridge point: a number that fits a chip from elsewhere tells nothing.
    """
    if asked.chip is None or asked.asks not in ON_CHIP:
        return
    base = asked.chip.name.partition("@")[0]
    others = [name for name in chip_names() if name != base]
    alike = [name for name in others if _family(name) == _family(base)]
    for name in (*alike, *(n for n in others if n in QUOTED and n not in alike)):
        other = chip_of(name)
        yield Edit("other-chip", other.title or other.name, replace(asked, chip=other), digits=ROUGH)


def _family(name: str) -> str:
    """Return the letters that a name begins with: h of h100-sxm and h200-sxm, tpu of tpu-v5e."""
    return name[: next((i for i, c in enumerate(name) if not c.isalpha()), len(name))]
