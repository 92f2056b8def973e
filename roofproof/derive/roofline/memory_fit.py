"""Memory requirements: blocks in on-chip memory, tensors in the main memory, and the smallest number of chips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.algebra.logic import divided, related
from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import Cases, substitute
from roofproof.derive.limits.limits import false_in_limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.solve import solve
from roofproof.errors import RoofproofError, quoted
from roofproof.ops import Operation
from roofproof.sentences import Sentence
from roofproof.symbols import dimension, quantity

if TYPE_CHECKING:  # a threshold of one operation needs no models and no networks
    from roofproof.hardware import Chip, Figure
    from roofproof.ops.network import Footprint


KERNEL_MEMORIES = ("smem", "vmem")  # the memory for the blocks of a kernel, on GPUs and on TPUs


@dataclass(frozen=True, slots=True)
class MemoryFit:
    """The number n of chips that hold a footprint.

    `cases` solve bytes on each chip <= capacity for n. `chips` is the smallest n, or None if parameters are symbols.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops.network import footprint
    >>> capacity(footprint(8 * 10**9), chip("tpu-v5e")).chips              # 1.6e10 B fill 1.6e10 B
    1
    >>> found = capacity(footprint(43 * 10**9), chip("tpu-v5e"))           # 8.6e10 B
    >>> found.chips, [(str(rate), n) for rate, n in found.others]          # 5.375 of 1.6e10 B, exactly 5 of 1.72e10 B
    (6, [('hbm = 1.72e10 B', 5)])
    """

    cases: Cases
    chips: int | None
    rests_on: Figure
    others: tuple[tuple[Figure, int | None], ...] = ()  # specs of other sources that need another number

    @property
    def power_of_two(self) -> int | None:
        """The smallest power of two that is enough."""
        return None if self.chips is None else 1 << (self.chips - 1).bit_length()


def capacity(footprint: Footprint, chip: Chip, reserve: int = 0) -> MemoryFit:
    """Return the number of chips that hold a footprint, with `reserve` bytes of each kept free.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops.network import footprint
    >>> found = capacity(footprint(70 * 10**9), chip("tpu-v5e"))
    >>> print(found.cases, found.chips, found.power_of_two)    # 1.4e11 / 1.6e10 = 8.75
    n >= 35/4 9 16

    Raises RoofproofError if no number of chips is enough, because the data that each holds in full exceeds its memory.

    Source: Austin et al., How to Scale Your Model (2025), ch. 5 and 7.
    """
    held = chip.capacity(chip.memory)
    found = _capacity(footprint, chip, held, reserve)
    others = []
    for other in chip.alternatives(held) if found.chips is not None else ():
        try:
            chips = _capacity(footprint, chip, other, reserve).chips
        except RoofproofError:
            chips = None  # no number is enough
        if chips != found.chips:
            others.append((other, chips))
    return replace(found, others=tuple(others))


def _capacity(footprint: Footprint, chip: Chip, room: Figure, reserve: int) -> MemoryFit:
    left = sympy.Rational(room.value) - reserve
    n = dimension("n")
    while n in footprint.total.free_symbols:
        n = dimension(n.name + "_")
    whole = footprint.per_chip(n).subs(n, sympy.oo) if not footprint.total.free_symbols else None
    if left <= 0 or (whole is not None and whole > left):
        raise RoofproofError(
            f"each chip holds {whole if left > 0 else reserve} bytes whole; {chip.name} has {room}, so no number of "
            f"chips is enough"
        )
    cases = solve(sympy.Le(footprint.per_chip(n), left), n)
    numbers = not footprint.total.free_symbols
    from roofproof.derive.inequalities.integers import smallest_integer

    chips = smallest_integer(cases.at({})) if numbers else None
    if numbers and chips is None:
        raise RoofproofError(f"what each chip holds whole fills the memory of {chip.name} ({room})")
    return MemoryFit(cases, chips, room)


def requirements(op: Operation, chip: Chip | None = None) -> tuple[Boolean, ...]:
    """Return the assumptions of an operation: whole shards and tiles, and blocks that fit in the chip's memories.

    >>> from roofproof.derive.algebra.text import plain
    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> tiled = parse_operation("tiled-matmul:b=128,f=128")
    >>> [plain(r) for r in requirements(tiled, chip("tpu-v5e"))]       # a block of x, w and z, 2 bytes an element
    ['128 divides B', '128 divides F', 't divides D', '512*t + 32768 <= 134217728']

    The memory that kernels manage has the name that the chip uses for it (`kernel_memory`). A memory for which the chip
    has no capacity is skipped here, and `unchecked` warns about it.
    """
    return tuple(dict.fromkeys((*op.conditions, *fitting(op, chip))))


def fitting(op: Operation, chip: Chip | None) -> tuple[Boolean, ...]:
    """Return the conditions for the blocks of an operation to fit in the memories of a chip with known capacity.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> fitting(parse_operation("tiled-matmul:f=128,d=128"), chip("tpu-v5e"))
    (512*b + 32768 <= 134217728,)
    """
    return tuple(related("<=", held, room) for _, held, room in _rooms(op, chip))


def assumptions(op: Operation) -> tuple[Boolean, ...]:
    """Return the assumptions of an operation's formulas on any chip, with a symbol for the capacity of each memory.

    >>> from roofproof.derive.algebra.text import plain
    >>> from roofproof.ops import parse_operation
    >>> [plain(a) for a in assumptions(parse_operation("tiled-matmul:b=t,f=128,d=64"))]
    ['t divides B', '128 divides F', '64 divides D', '384*t + 16384 <= vmem']
    """
    rooms = (sympy.Le(held, quantity(place), evaluate=False) for place, held in op.footprint.items())
    return tuple(dict.fromkeys((*op.conditions, *rooms)))


def compared(op: Operation, chips: Sequence[Chip] = ()) -> tuple[Boolean, ...]:
    """Return the comparisons between an operation's sizes: blocks fit on each chip, and no part exceeds its whole.

    >>> from roofproof.ops import parse_operation
    >>> compared(parse_operation("sliding-window-attention")), compared(parse_operation("sharded-matmul:n=4"))
    ((W <= L,), (4 <= D,))

    Between the multiples of 4 the formulas have values, although not exact ones. If W exceeds L they mean nothing.
    Comparisons with numbers that no amount depends on, such as the number of microbatches, are left out.
    """
    asked = (no_larger(r) for chip in chips or (None,) for r in requirements(op, chip))
    return tuple(dict.fromkeys(r for r in asked if r != sympy.true and r.free_symbols <= {*op.dims}))


def no_larger(condition: Boolean) -> Boolean:
    """Return the order of sizes that a condition implies: a divisor is no larger than the size it divides.

    >>> B, b = dimension("B"), dimension("b")
    >>> no_larger(sympy.Eq(sympy.Mod(B, b), 0)), no_larger(b <= 8), no_larger(sympy.Eq(sympy.Mod(B, 2), 1))
    (b <= B, b <= 8, True)
    """
    if (pair := divided(condition)) is not None and pair[0].is_positive:  # everything divides zero
        return related("<=", *reversed(pair))
    return sympy.true if condition.has(sympy.Mod) else condition


def grows_alone(op: Operation, chip: Chip | None, size: sympy.Symbol) -> bool:
    """Tell whether a size can grow without bound while the others are fixed: no condition and no memory limits it.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> tiled = parse_operation("tiled-matmul")
    >>> [s.name for s in tiled.dims if grows_alone(tiled, chip("tpu-v5e"), s)]         # blocks divide B, D and F
    ['B', 'D', 'F']
    """
    return not any(false_in_limit(no_larger(asked), Regime.of((size.name,))) for asked in requirements(op, chip))


def unchecked(op: Operation, chip: Chip | None) -> tuple[str, ...]:
    """Return a warning for each on-chip memory without a known capacity, against which the blocks are not checked.

    >>> from roofproof.hardware import any_chip
    >>> from roofproof.ops import parse_operation
    >>> tiled = parse_operation("tiled-matmul:b=128,f=128,memory=smem")
    >>> print(*unchecked(tiled, any_chip("l4")), *unchecked(tiled, any_chip("l4, smem=100 KiB")))
    chip 'l4' has no capacity of 'smem', so whether the blocks fit is not checked; add it, as --chip "l4, smem=NUMBER B"
    """
    places = [kernel_memory(chip, place) for place in op.footprint] if chip else []
    said = "<where> has no capacity of <level>, so whether the blocks fit is not checked; <cure>"
    return tuple(
        Sentence(said, where=Sentence("chip <name>", name=quoted(chip.name)), level=quoted(place),
                 cure=chip.with_figure(place, "B"))
        for place in places if chip is not None and place not in {one.resource for one in chip.capacities}
    )  # fmt: skip


def outgrown(op: Operation, chip: Chip, at: Mapping[str, int]) -> tuple[str, ...]:
    """Return a warning if a single tensor is larger than the main memory of a chip at some sizes.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> print(*outgrown(parse_operation("fft"), chip("h100-sxm"), {"N": 2**64}))         # 16 bytes a point
    y alone takes 2.95e20 bytes, and hbm of h100-sxm holds 80000000000
    """
    room = next((c for c in chip.capacities if c.resource == chip.memory), None)
    if room is None:
        return ()
    taken = ((substitute(t.bytes, at), t.name) for t in op.tensors)
    over = [(size, name) for size, name in taken if size.is_number and size > sympy.Rational(room.value)]
    said = "<tensor> alone takes <bytes> bytes, and <level> of <chip> holds <room>"
    return tuple(Sentence(said, tensor=name, bytes=_in_short(size), level=chip.memory, chip=chip.name, room=room.value)
                 for size, name in sorted(over, key=lambda each: each[0])[-1:])  # fmt: skip


def _in_short(size: sympy.Expr) -> str:
    """Return a number of bytes as text, with only the first digits of a very large one, cut off."""
    digits = str(sympy.floor(size))
    return str(size) if len(digits) <= 15 else f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"


def check_requirements(op: Operation, chip: Chip | None, at: Mapping[str, int]) -> None:
    """Raise RoofproofError for sizes that violate an assumption of the operation's formulas.

    >>> from roofproof.ops import parse_operation
    >>> check_requirements(parse_operation("sharded-matmul:n=4"), None, {"D": 10})
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: at D=10: sharded-matmul assumes that 4 divides D, which is false
    """
    for assumed in op.conditions:
        if substitute(assumed, at) == False:  # noqa: E712
            raise RoofproofError(f"{_given(at, assumed)}{op.name} assumes that {plain(assumed)}, which is false")
    for place, held, room, taken in _too_large(op, chip, at):
        raise RoofproofError(
            f"{_given(at, held)}the blocks of {op.name} take {taken} bytes, and {place} of {chip.name if chip else ''} "
            f"holds {room}; give smaller blocks"
        )


def fits(op: Operation, chip: Chip, at: Mapping[str, int]) -> bool:
    """Tell whether the blocks of an operation fit in the memories of a chip, as far as the sizes determine them.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import parse_operation
    >>> tiled = parse_operation("tiled-matmul:b=512,f=512,d=64")       # 2 (2 * 512 * 64 + 512 * 512) bytes
    >>> fits(tiled, chip("tpu-v5e"), {}), fits(tiled, chip("h100-sxm"), {})
    (True, False)
    """
    return not any(_too_large(op, chip, at))


def _too_large(
    op: Operation, chip: Chip | None, at: Mapping[str, int]
) -> Iterator[tuple[str, sympy.Expr, sympy.Rational, sympy.Expr]]:
    """Yield each memory in which the blocks do not fit: (name, bytes of blocks, capacity, bytes at the sizes)."""
    for place, held, room in _rooms(op, chip):
        taken = substitute(held, at)
        if taken.is_number and taken > room:
            yield place, held, room, taken


def _given(at: Mapping[str, int], condition: sympy.Basic) -> str:
    sizes = [f"{name}={size}" for name, size in at.items() if name in {s.name for s in condition.free_symbols}]
    return f"at {', '.join(sizes)}: " if sizes else ""


def _rooms(op: Operation, chip: Chip | None) -> list[tuple[str, sympy.Expr, sympy.Rational]]:
    """Return (name, bytes of the blocks, capacity) for each on-chip memory with known capacity."""
    found: list[tuple[str, sympy.Expr, sympy.Rational]] = []
    if chip is None:
        return found
    for place, held in op.footprint.items():
        own = kernel_memory(chip, place)
        if any(one.resource == own for one in chip.capacities):
            found.append((own, held, sympy.Rational(chip.capacity(own).value)))
    return found


def kernel_memory(chip: Chip, place: str) -> str:
    """Return a chip's name for an on-chip memory: `vmem` is `smem` on a GPU, and the other way round on a TPU.

    >>> from roofproof.hardware import chip
    >>> kernel_memory(chip("h100-sxm"), "vmem"), kernel_memory(chip("tpu-v5e"), "smem")
    ('smem', 'vmem')
    """
    from roofproof.hardware.resources import canonical_resource

    name = canonical_resource(place)
    has = {one.resource for one in chip.capacities}
    if name in has or name not in KERNEL_MEMORIES:
        return name
    return next((other for other in KERNEL_MEMORIES if other in has), name)
