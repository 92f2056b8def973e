"""Waves: blocks of a tiled operation over the SMs or cores of a chip, and the SMs that the last wave leaves idle."""

import sympy

from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import Chip
from roofproof.ops import Operation


def waves(op: Operation, chip: Chip) -> sympy.Expr:
    """Return the number of waves of an operation's blocks, with one block per SM or core at a time: ceil(blocks/SMs).

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import at, parse_operation
    >>> tiled = at(parse_operation("tiled-matmul:b=128,f=256,d=64"), B=4096, D=4096, F=4096)
    >>> tiled.grid, waves(tiled, chip("h100-sxm"))             # 32 x 16 blocks over 132 SMs: 3.88
    (512, 4)

    Raises RoofproofError for an operation without blocks, and for a chip without a number of SMs.

    Source: NVIDIA, Matrix Multiplication Background User's Guide, section "Wave Quantization".
    """
    return sympy.ceiling(blocks(op) / sms(chip))


def wave_efficiency(op: Operation, chip: Chip) -> sympy.Expr:
    """Return the share of the SMs that have a block, over all waves: blocks / (SMs x waves).

    >>> from roofproof.hardware import chip
    >>> from roofproof.ops import at, parse_operation
    >>> tiled = at(parse_operation("tiled-matmul:b=128,f=256,d=64"), B=4096, D=4096, F=4096)
    >>> wave_efficiency(tiled, chip("h100-sxm"))               # 512 / (132 x 4)
    32/33
    """
    return blocks(op) / (sms(chip) * waves(op, chip))


def blocks(op: Operation) -> sympy.Expr:
    """Return the number of blocks that can run at the same time, or raise RoofproofError if there are none."""
    if op.grid is None:
        cure = "take one that is, such as tiled-matmul:b=128,f=128,d=64 or flash-attention:block=128,keys=128"
        raise RoofproofError(f"operation {quoted(op.name)} is not in blocks; {cure}")
    return op.grid


def sms(chip: Chip) -> sympy.Rational:
    """Return the number of SMs, CUs or cores, or raise RoofproofError if the chip has no such spec."""
    found = chip.trait("sms")
    if found is None:
        lacks = f"chip {quoted(chip.name)} has no spec 'sms', its number of SMs or cores"
        raise RoofproofError(f"{lacks}; {chip.with_figure('sms', 'count')}")
    return sympy.Rational(found.value)
