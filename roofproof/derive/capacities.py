"""Does it fit: bytes against the memory of a chip, and the smallest number of chips, an exact integer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy

from roofproof.derive.inequality import solve
from roofproof.derive.integers import smallest_integer
from roofproof.errors import RoofproofError
from roofproof.symbols import dimension

if TYPE_CHECKING:
    from roofproof.derive.cases import Cases
    from roofproof.hardware import Chip, Rate
    from roofproof.ops.network import Footprint


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a footprint asks of n chips, and how many chips hold it.

    `cases` solve bytes on each chip <= capacity for n; `chips` is the smallest n, None where parameters are
    symbols.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops.network import footprint
    >>> capacity(footprint(8 * 10**9), chip("tpu-v5e")).chips              # 1.6e10 B fill 1.6e10 B
    1
    """

    cases: Cases
    chips: int | None
    rests_on: Rate

    @property
    def power_of_two(self) -> int | None:
        """The smallest power of two that is enough."""
        return None if self.chips is None else 1 << (self.chips - 1).bit_length()


def capacity(footprint: Footprint, chip: Chip, reserve: int = 0) -> Capacity:
    """Return how many chips hold a footprint, with `reserve` bytes of each kept free.

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops.network import footprint
    >>> found = capacity(footprint(70 * 10**9), chip("tpu-v5e"))
    >>> print(found.cases, found.chips, found.power_of_two)    # 1.4e11 / 1.6e10 = 8.75
    n >= 35/4 9 16

    Raises RoofproofError where no number of chips is enough, because what each holds whole exceeds its memory.

    Source: Austin et al., How to Scale Your Model (2025), ch. 5 and 7.
    """
    rate = chip.rate(f"capacity-{chip.memory}")
    room = sympy.Rational(rate.value.numerator, rate.value.denominator) - reserve
    n = dimension("n")
    while n in footprint.total.free_symbols:
        n = dimension(n.name + "_")
    whole = footprint.per_chip(n).subs(n, sympy.oo) if not footprint.total.free_symbols else None
    if room <= 0 or (whole is not None and whole > room):
        raise RoofproofError(
            f"each chip holds {whole if room > 0 else reserve} bytes whole; {chip.name} has {rate}, so no number of "
            f"chips is enough"
        )
    cases = solve(sympy.Le(footprint.per_chip(n), room), n)
    numbers = not footprint.total.free_symbols
    chips = smallest_integer(cases.at({})) if numbers else None
    if numbers and chips is None:
        raise RoofproofError(f"what each chip holds whole fills the memory of {chip.name} ({rate})")
    return Capacity(cases, chips, rate)
