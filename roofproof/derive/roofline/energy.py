"""Energy of an operation on a chip: joules per operation and joules per byte, with their own balance point."""

import sympy

from roofproof.derive.roofline.ridges import supplier
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import Chip, Figure
from roofproof.ops import Operation


def energy(op: Operation, chip: Chip) -> sympy.Expr:
    """Return the energy of the FLOPs and bytes of an operation, in joules, without the idle power of the chip.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.ops import parse_operation
    >>> mine = chip_from_text("bf16=1 PFLOP/s, hbm=3 TB/s, energy-bf16=0.5 pJ/FLOP, energy-hbm=31 pJ/B")
    >>> energy(parse_operation("flops bf16 = 6e12; bytes hbm = 1e12"), mine)   # 6e12 x 0.5e-12 + 1e12 x 31e-12 J
    34

    Raises RoofproofError for a spec the chip lacks.

    Source: Choi, Bedard, Fowler, Vuduc, A roofline model of energy (2013), section 2.
    """
    return sympy.Add(*(amount * sympy.Rational(each(chip, name).value) for name, amount in op.demands.items()))


def balance(chip: Chip, compute: str, channel: str = "memory") -> sympy.Rational:
    """Return the intensity at which bytes take as much energy as FLOPs, in FLOP/B: J/B over J/FLOP.

    >>> from roofproof.hardware import chip_from_text
    >>> balance(chip_from_text("bf16=1 PFLOP/s, hbm=3 TB/s, energy-bf16=0.5 pJ/FLOP, energy-hbm=31 pJ/B"), "bf16")
    62

    Raises RoofproofError for a spec the chip lacks.

    Source: Choi, Bedard, Fowler, Vuduc, A roofline model of energy (2013), section 2.
    """
    return sympy.Rational(each(chip, channel).value) / sympy.Rational(each(chip, compute).value)


def each(chip: Chip, resource: str) -> Figure:
    """Return the energy of one operation of a compute unit, or of one byte over a memory level or link."""
    name = f"energy-{supplier(chip, resource)}"
    if (found := chip.trait(name)) is not None:
        return found
    unit = "J/FLOP" if resource not in ("memory", "ici") and _is_engine(name) else "J/B"
    cure = chip.with_figure(name, f"p{unit}")
    raise RoofproofError(f"chip {quoted(chip.name)} has no spec {quoted(name)}; {cure}")


def _is_engine(name: str) -> bool:
    from roofproof.hardware.resources import units_of_resources

    return units_of_resources().get(name) == ("J/FLOP",)
