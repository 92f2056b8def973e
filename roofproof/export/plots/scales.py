"""Ticks: few, round, and never closer than their texts are wide."""

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise, starmap
from math import ceil, floor, log2, log10

from roofproof.export.plots.scene import HEIGHT, WIDTH, Axis
from roofproof.export.plots.texts import Text, box, power
from roofproof.formula.magnitudes import LARGE


def decades(title: Text, low: float, high: float, upright: bool = False) -> Axis:
    """Return a logarithmic axis with ticks at powers of ten.

    >>> [at for at, _ in decades(("FLOP/B",), 2.0, 3000.0).ticks]
    [10.0, 100.0, 1000.0]
    """
    exponents = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)
    ticks = [(10.0**e, (power(10, e),)) for e in exponents]
    return thinned(Axis(title, low, high, True, tuple(ticks)), upright)


def doublings(title: Text, low: float, high: float, upright: bool = False) -> Axis:
    """Return a logarithmic axis of sizes with ticks at powers of two.

    >>> [at for at, _ in doublings(("B",), 1.0, 16.0).ticks]
    [1.0, 2.0, 4.0, 8.0, 16.0]
    """
    exponents = range(ceil(log2(low) - 1e-9), floor(log2(high) + 1e-9) + 1)
    written = 2.0 ** exponents[-1] < (1e4 if upright else 1e5) if exponents else True
    ticks = [(2.0**e, ((f"{2**e}" if e >= 0 else f"1/{2**-e}") if written else power(2, e),)) for e in exponents]
    return thinned(Axis(title, low, high, True, tuple(ticks)), upright)


def around(title: Text, sizes: Collection[float], below: int, above: int, upright: bool = False) -> Axis:
    """Return an axis that is so many doublings wider than where some sizes lie, 8 at least; to 2^16 where none are.

    >>> axis = around(("B",), [240.5, 300.0], 2, 5)
    >>> axis.low, axis.high                                    # 2^7 / 2^2, 2^9 * 2^5
    (32.0, 16384.0)
    """
    if not sizes:
        return doublings(title, 1.0, 2.0**16, upright)
    high = 2.0 ** (ceil(log2(max(sizes))) + above)
    low = max(1.0, high / 2.0**40, 2.0 ** (floor(log2(min(sizes))) - below))
    return doublings(title, low, max(high, low * 2.0**8), upright)


def steps(title: Text, high: float, upright: bool = False, unit: float = 1) -> Axis:
    """Return a linear axis from 0 with ticks at 1, 2 or 5 times a power of ten of a unit.

    >>> [at for at, _ in steps(("B",), 700.0).ticks]
    [0.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0]
    """
    rough = high / unit / 7
    power = 10.0 ** floor(log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    count = floor(high / unit / step + 1e-9)
    ticks = tuple((i * step * unit, (f"{i * step:.12g}",)) for i in range(count + 1))
    return thinned(Axis(title, 0.0, high, False, ticks), upright)


def thinned(axis: Axis, upright: bool) -> Axis:
    """Keep every second, third... tick until their texts keep apart."""
    side, room, gap = (1, HEIGHT, 0.1) if upright else (0, WIDTH, 0.25)  # in centimetres

    def apart(a: tuple[float, Text], b: tuple[float, Text]) -> bool:
        needed = (box((a[1],))[side] + box((b[1],))[side]) / 2 + gap
        return (axis.share(b[0]) - axis.share(a[0])) * room >= needed

    thinner = (axis.ticks[::every] for every in range(1, len(axis.ticks) + 1))
    return replace(axis, ticks=next((kept for kept in thinner if all(starmap(apart, pairwise(kept)))), axis.ticks))


def prefixed(high: float) -> tuple[float, str]:
    """Return the prefix that suits a figure, with its factor.

    >>> prefixed(1.97e14)
    (1000000000000.0, 'T')
    """
    return next(((10.0**ten, sign) for sign, ten in reversed(LARGE.items()) if high >= 10**ten), (1.0, ""))


def amount(value: float, unit: str, digits: int = 4) -> str:
    """Return a figure with its unit and the prefix that suits it.

    >>> amount(1.97e14, "FLOP/s"), amount(8.19e11, "B/s")
    ('197 TFLOP/s', '819 GB/s')
    """
    factor, sign = prefixed(value)
    return f"{value / factor:.{digits}g} {sign}{unit}"
