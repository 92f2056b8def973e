"""The minimum time of an operation on a chip: a lower bound in seconds for any run, and its assumptions.

The bound errs on the low side. Arithmetic runs on the fastest compute unit that may do it. A demand without a spec, or
one that another unit can do, is left out. Bytes between chips count only if every algorithm moves them. With warm
caches, the bytes that fit in the last-level cache need not cross the main memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import sympy

from roofproof.channels import BETWEEN_CHIPS
from roofproof.derive.algebra.text import plain
from roofproof.derive.roofline.engines import compute_unit
from roofproof.derive.roofline.ridges import supply
from roofproof.errors import MissingFigure, RoofproofError, quoted
from roofproof.formats import BITS, element_format
from roofproof.formula.magnitudes import decimal, prefixed
from roofproof.hardware import Chip, Figure
from roofproof.hardware.resources import MAIN_MEMORIES
from roofproof.ops import Operation
from roofproof.ops.resources import MEMORY
from roofproof.sentences import Resource, Sentence

CACHES: Final = ("l3", "l2")  # the last-level cache is the first of these that a chip has
COLD, WARM = "cold", "warm"
WIDER: Final = {  # formats that represent every value of a narrower one, so that their units can compute its products
    "int4": ("int8", "fp8", "bf16", "fp16"), "fp4": ("fp8", "bf16", "fp16"), "fp6": ("fp8", "bf16", "fp16"),
    "int8": ("bf16", "fp16"), "fp8": ("bf16", "fp16"), "bf16": ("tf32",), "fp16": ("tf32",),
}  # fmt: skip
PACKED: Final = ("fp16-vector", "bf16-vector")  # formats so narrow that a vector unit does two at a time
ONE_ALGORITHM: Final = Sentence("bytes between chips are those of one algorithm, which another may beat")
BY_ALL: Final = Sentence(", of the bytes that every algorithm moves over its links in both directions")
FEWER: Final = re.compile("conv|fft")  # operations with algorithms of fewer FLOPs: Winograd, split radix


@dataclass(frozen=True, slots=True)
class FloorTerm:
    """One term of a minimum time: the formats of one compute unit, whose times add up, or the bytes over one channel.

    A channel is a memory level or a link. The `hidden` bytes need not cross it.

    >>> from roofproof.hardware import chip_from_text
    >>> hbm = chip_from_text("fp16=24 FLOP/s, hbm=2 B/s").rate("hbm")
    >>> print(FloorTerm("memory", ((sympy.Symbol("n"), hbm),), 3))
    max(n - 3, 0)/2
    """

    name: str
    demands: tuple[tuple[sympy.Expr, Figure], ...]
    hidden: int = 0

    @property
    def compute(self) -> bool:
        """Whether the term is a compute time."""
        return self.demands[0][1].unit == "FLOP/s"

    def __str__(self) -> str:
        """The closed form in seconds."""
        return " + ".join(f"{self._amount(amount)}/{decimal(rate.value)}" for amount, rate in self.demands)

    def _amount(self, amount: sympy.Expr) -> str:
        if self.hidden:
            return f"max({plain(amount)} - {self.hidden}, 0)"
        return plain(amount) if amount.is_Atom or (amount.is_Mul and amount.is_polynomial()) else f"({plain(amount)})"


@dataclass(frozen=True, slots=True)
class Floor:
    """The minimum time of an operation on a chip, in seconds: the longest of its parts.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> made = chip_from_text("fp16=24 FLOP/s, hbm=1 B/s, l2=2 B")
    >>> product = parse_operation("fp16[m,k], fp16[k,n] -> fp16[m,n]")
    >>> floor(product, made, WARM).form                             # 2 m n k / 24; all bytes but 2 over 1 B/s
    'max(2*k*m*n/24, max(2*k*m + 2*k*n + 2*m*n - 2, 0)/1)'

    `sure` are the parts that other algorithms with fewer FLOPs cannot beat either. `stored` bytes must be in the memory
    at the same time, or None if the operation does not determine them.
    """

    op: Operation
    chip: Chip
    parts: tuple[FloorTerm, ...]
    sure: tuple[FloorTerm, ...]
    assumptions: tuple[str, ...]
    stored: sympy.Expr | None
    room: Figure | None

    @property
    def form(self) -> str:
        """The closed form, in seconds."""
        return f"max({', '.join(map(str, self.parts))})" if len(self.parts) > 1 else str((*self.parts, 0)[0])


def floor(
    op: Operation,
    chip: Chip,
    caches: str = COLD,
    tf32: bool = True,
    as_written: bool = False,
    with_all_experts: Operation | None = None,
) -> Floor:
    """Return the minimum time of an operation on a chip with `cold` or `warm` caches.

    `as_written` makes all parts `sure`. `with_all_experts` is the operation with all tensors that must be in the
    memory, if `op` reads only a part of them.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> found = floor(parse_operation("fp32[m,k], fp32[k,n] -> fp32[m,n]"), chip("h100-sxm"))
    >>> [(part.name, str(part)) for part in found.parts][0]          # tf32 takes products of fp32, and is the fastest
    ('fp32', '2*k*m*n/4.947e14')
    >>> found.assumptions[1]
    'fp32 at 494.7 TFLOP/s of tf32, in which products of fp32 may be done'

    Raises RoofproofError if the chip has no spec for any demand of the operation, or no last cache for `warm`.
    """
    hidden = last_cache(chip) if caches == WARM and MEMORY in op.demands else None
    told: list[str] = []
    if not op.demands:
        raise RoofproofError(f"{op.name}: no FLOPs and no bytes, so it has no minimum time")
    parts = tuple(_parts(op, chip, hidden, tf32, told))
    if not parts and not any(name in BETWEEN_CHIPS for name in op.demands):
        raise RoofproofError(f"{op.name}: chip {quoted(chip.name)} has no spec for {', '.join(op.demands)}")
    memory: list[str] = [Sentence("cold caches: every byte crosses the main memory")]
    if hidden is not None:
        form = "warm caches: the <size> that <level> holds need not cross the main memory"
        memory = [Sentence(form, size=prefixed(hidden.value, "B"), level=hidden.resource)]
    convention = [] if op.convention in ("", "as given") else [op.convention]
    sure = parts
    if getattr(op, "model", "") or FEWER.match(op.name):
        convention.append(Sentence("FLOPs as written (a program with the same results may do fewer)"))
        sure = parts if as_written else tuple(part for part in parts if not part.compute)
    given = [Sentence("only where <condition>", condition=plain(condition)) for condition in op.conditions]
    return Floor(
        op,
        chip,
        parts,
        sure,
        (*(memory if MEMORY in op.demands else ()), *dict.fromkeys(told), *convention, *given),
        *stored_bytes(with_all_experts or op, chip),
    )


def last_cache(chip: Chip) -> Figure:
    """Return the capacity of the last-level cache of a chip, over all its cores.

    >>> from roofproof.hardware import chip
    >>> print(last_cache(chip("h100-sxm")))
    l2 = 52428800 B

    Raises RoofproofError if the chip has no such spec.
    """
    if (found := cache_of(chip)) is not None:
        return found
    raise RoofproofError(
        f"--warm needs the size of the last cache ({', '.join(CACHES)}) of chip {quoted(chip.name)}; add "
        f'--chip "..., l2=NUMBER MiB", or use --cold'
    )


def cache_of(chip: Chip) -> Figure | None:
    """Return the result of `last_cache`, or None if the chip has no such spec.

    >>> from roofproof.hardware import chip_from_text
    >>> cache_of(chip_from_text("bf16=1 TFLOP/s, hbm=1 GB/s"))
    """
    for level in CACHES:
        if held := [c for c in chip.capacities if c.resource in (level, f"{level}-total")]:
            return max(held, key=lambda c: c.value)
    return None


def _parts(op: Operation, chip: Chip, hidden: Figure | None, tf32: bool, told: list[str]) -> Iterator[FloorTerm]:
    engines: dict[str, list[tuple[str, sympy.Expr, Figure]]] = {}
    for name, amount in op.compute.items():
        if amount.is_zero:
            continue
        rates = [] if _elsewhere(name) else list(_rates(op, name, chip, tf32))
        if not rates:
            lacks = Sentence("<chip> has no spec for it", chip=chip.name)
            told.append(Sentence("<name> left out: <why>", name=name, why=_elsewhere(name) or lacks))
            continue
        best = max(rates, key=lambda rate: rate.value)
        form = "<name> at <rate>" if best.resource == name else "<name> at <rate> of <other>"
        if best.resource == "tf32" != name:
            form = "<name> at <rate> of tf32, in which products of fp32 may be done"
        told.append(Sentence(form, name=name, rate=prefixed(best.value, "FLOP/s"), other=best.resource))
        engines.setdefault(compute_unit(best.resource), []).append((name, amount, best))
    for together in engines.values():
        yield FloorTerm(
            " + ".join(name for name, *_ in together), tuple((amount, rate) for _, amount, rate in together)
        )
    for name, amount in op.demands.items():
        if name in op.compute:
            continue
        between = name in BETWEEN_CHIPS
        amount = op.least.get(name, sympy.Integer(0)) if between else amount
        if amount.is_zero:
            told.append(Sentence("<name> left out: <why>", name=name, why=ONE_ALGORITHM))
            continue
        try:
            rate = supply(chip, name)
        except MissingFigure:
            lacks = Sentence("<chip> has no rate of it", chip=chip.name)
            told.append(Sentence("<name> left out: <why>", name=name, why=lacks))
            continue
        form = "<name> at <rate><more>" if between else "<name> at <rate>"
        told.append(Sentence(form, name=Resource(name), rate=prefixed(rate.value, "B/s"), more=BY_ALL))
        yield FloorTerm(name, ((amount, rate),), int(hidden.value) if hidden is not None and name == MEMORY else 0)


def _elsewhere(name: str) -> str:
    """Return the reason why a demand is left out of the minimum time, or an empty text."""
    if name == "exp":
        return Sentence("the vector unit can compute it as well")
    if re.match("int.*-vector", name):
        return Sentence("integers can be packed, and addresses computed in parallel")
    return ""


def _rates(op: Operation, name: str, chip: Chip, tf32: bool) -> Iterator[Figure]:
    """Yield the rates of the compute units that may serve a demand of an operation.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> slow = chip_from_text("int8=3 FLOP/s, bf16=40 FLOP/s, hbm=1 B/s")
    >>> str(max(_rates(parse_operation("matmul:int8"), "int8", slow, tf32=True), key=lambda rate: rate.value))
    'bf16 = 40 FLOP/s'

    A wider format is used only if the chip has a spec for the requested one.
    """
    names = [name]
    if name in BITS:
        names += [f"{name}-tensor", f"{name}-vector", *(["tf32"] if name == "fp32" and tf32 else [])]
    elif name == "fp32-vector" and any(BITS[element_format(t.dtype)] <= 16 for t in op.tensors):
        names += PACKED
    own = [figure for each in names if (figure := _peak(chip, each)) is not None]
    wider = (_peak(chip, each) for each in WIDER.get(name, ()) if own)
    yield from (*own, *(figure for figure in wider if figure is not None))


def _peak(chip: Chip, name: str) -> Figure | None:
    with suppress(MissingFigure):
        return chip.peak(name)
    return None


def stored_bytes(op: Operation, chip: Chip) -> tuple[sympy.Expr | None, Figure | None]:
    """Return the bytes of all tensors of an operation, and the largest spec of the memory that must hold them.

    A tensor in a pass of a model stands for those of all its layers, each of which moves once.
    """
    held = next((c for c in chip.capacities if c.resource in MAIN_MEMORIES), None)
    if held is None or any(name != MEMORY for name in op.traffic) or not op.tensors:  # other chips may hold a part
        return None, None
    layers = "traffic fused" in op.convention and not getattr(op, "model", "")
    bytes_: dict[str, sympy.Expr] = {}
    for tensor in op.tensors:
        many = layers and (tensor.times - 1).is_positive
        bytes_.setdefault(tensor.name, tensor.traffic if many else tensor.bytes)
    return sympy.Add(*bytes_.values()), max((held, *chip.alternatives(held)), key=lambda c: c.value)
