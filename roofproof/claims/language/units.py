"""Units that may follow a number: a closed list of spellings that cannot be mistaken for symbols.

A bare `B`, `s`, `b` is always a symbol; `GB`, `B/s`, `FLOP`, `byte`, `bit`, `ms` are units. Prefixes are exact:
k M G T P E are powers of 1000, Ki Mi Gi Ti Pi Ei powers of 1024.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

Dimension = tuple[Fraction, Fraction, Fraction]
"""Exponents of FLOP, byte and second."""

PLAIN: Dimension = (Fraction(0), Fraction(0), Fraction(0))
FLOP: Dimension = (Fraction(1), Fraction(0), Fraction(0))
BYTE: Dimension = (Fraction(0), Fraction(1), Fraction(0))
SECOND: Dimension = (Fraction(0), Fraction(0), Fraction(1))


def per(above: Dimension, below: Dimension) -> Dimension:
    """Return the dimension of a quotient.

    >>> described(per(FLOP, BYTE))
    'FLOP/byte'
    """
    return (above[0] - below[0], above[1] - below[1], above[2] - below[2])


def described(dimension: Dimension) -> str:
    """Return a dimension in words.

    >>> described(per(BYTE, SECOND)), described(PLAIN), described(per(PLAIN, SECOND))
    ('byte/s', 'a plain number', '1/s')
    """
    above: list[str] = []
    below: list[str] = []
    for unit, exponent in zip(("FLOP", "byte", "s"), dimension, strict=True):
        if exponent:
            size = abs(exponent)
            power = "" if size == 1 else f"^{size}" if size.denominator == 1 else f"^({size})"
            (above if exponent > 0 else below).append(unit + power)
    if not above and not below:
        return "a plain number"
    bottom = " ".join(below) if len(below) < 2 else f"({' '.join(below)})"
    return (" ".join(above) or "1") + (f"/{bottom}" if below else "")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as it was written, with what one of it is in FLOP, byte and second.

    >>> unit = units()["GB/s"]
    >>> unit.text, unit.factor, described(unit.dimension)
    ('GB/s', Fraction(1000000000, 1), 'byte/s')
    """

    text: str
    factor: Fraction
    dimension: Dimension


@cache
def units() -> dict[str, Unit]:
    """Return every unit by its spelling.

    >>> units()["Gbit/s"].factor                      # 10^9 bits of 1/8 byte
    Fraction(125000000, 1)
    >>> units()["%"].factor, "B" in units(), "s" in units()
    (Fraction(1, 100), False, False)
    """
    si = {p: Fraction(1000) ** n for n, p in enumerate(("", "k", "M", "G", "T", "P", "E"))}
    binary = {p: Fraction(1024) ** n for n, p in enumerate(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))}
    found: dict[str, tuple[Fraction, Dimension]] = {"%": (Fraction(1, 100), PLAIN)}
    counts: dict[str, tuple[Fraction, Dimension]] = {}
    sizes: dict[str, tuple[Fraction, Dimension]] = {"B": (Fraction(1), BYTE)}  # alone a symbol; below: B/s, FLOP/B
    times = {"s": (Fraction(1), SECOND)}
    for prefix, factor in si.items():
        for word in ("FLOP", "FLOPs", "OP", "OPs"):
            counts[prefix + word] = (factor, FLOP)
        for word in ("FLOPS", "OPS"):
            found[prefix + word] = (factor, per(FLOP, SECOND))
    for prefix, factor in (si | binary).items():
        for word, size in (("B", Fraction(1)), ("byte", Fraction(1)), ("bytes", Fraction(1)),
                           ("bit", Fraction(1, 8)), ("bits", Fraction(1, 8))):  # fmt: skip
            sizes[prefix + word] = (factor * size, BYTE)
        if prefix:
            found[prefix + "bps"] = (factor / 8, per(BYTE, SECOND))
    for number, prefix in enumerate(("m", "u", "n"), 1):
        times[prefix + "s"] = (Fraction(1, 1000**number), SECOND)
    times["µs"] = times["μs"] = times["us"]  # micro sign, Greek letter
    for above, (p, top) in (counts | sizes).items():
        for below, (q, bottom) in times.items():
            found[f"{above}/{below}"] = (p / q, per(top, bottom))
    for above, (p, top) in counts.items():
        for below in ("B", "byte", "bytes"):
            found[f"{above}/{below}"] = (p, per(top, BYTE))
    found |= counts | sizes | times
    del found["B"], found["s"]
    return {text: Unit(text, factor, dimension) for text, (factor, dimension) in found.items()}


@cache
def _by_small_letters() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in units():
        if len(text) > 2 or text[-1] == "B":
            found.setdefault(text.lower(), []).append(text)
    return found


def near_unit(word: str) -> str | None:
    """Return the units that a word after a number may have been meant to be, or None.

    >>> near_unit("KB"), near_unit("gflops"), near_unit("BD")
    ('kB or KiB', 'GFLOPS or GFLOPs', None)
    """
    if word in ("KB", "KB/s"):
        return word.replace("K", "k") + " or " + word.replace("K", "Ki")
    if word in units():
        return None
    return " or ".join(_by_small_letters().get(word.lower(), ())) or None
