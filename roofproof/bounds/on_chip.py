"""The memory of a chip that is nearest to its engines: where no schedule is compute-bound with that memory alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import sympy

from roofproof.bounds.lower import ONE, Terms, fraction, powers_between, times
from roofproof.bounds.nests import Nest, nest_of
from roofproof.bounds.regions import Regions, regions_of
from roofproof.derive.roofline.compute_bound import Ceiling
from roofproof.errors import RoofproofError
from roofproof.hardware import Capacity, Chip
from roofproof.ops import Operation
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByKernel, Known
from roofproof.proofs.statement import Statement

NEAREST = ("smem", "vmem", "l1-smem", "l1", "sram", "cmem", "l2", "l3")  # in which a kernel keeps blocks
WITHIN = 2  # times the ridge point that the memory allows: beyond that, blocks are meant to be kept elsewhere
FINE = 1 << 40


@dataclass(frozen=True, slots=True)
class FallsShort:
    """A memory with which no schedule is compute-bound from so many products on, and what says so.

    `at_most` are FLOPs a byte that no schedule exceeds for sizes without end, a little less than the ridge point.
    """

    nest: Nest
    memory: Capacity
    ridge: Fraction
    at_most: Fraction
    products: int
    known: Known


def falls_short(op: Operation, ceiling: Ceiling, chip: Chip) -> FallsShort | None:
    """Return the memory nearest to the engines if the ridge point is less than twice what it allows; None elsewhere.

    >>> from roofproof import chip, op
    >>> from roofproof.derive.roofline.compute_bound import ceilings
    >>> h100, matmul = chip("h100-sxm"), op("matmul")
    >>> found = falls_short(matmul, ceilings(matmul, h100)[0], h100)
    >>> found.memory.resource, found.memory.value, f"{float(found.at_most):.2f}"    # sqrt(228 KiB/8) FLOP/B
    ('smem', Fraction(233472, 1), '170.83')
    >>> found.products, found.known.trust
    (94661000, 'kernel')
    """
    memory = nearest(chip)
    if memory is None or ceiling.ridge is None or ceiling.share is not None or ceiling.channel != "memory":
        return None
    try:
        nest = nest_of(op)
    except RoofproofError:
        return None
    if sympy.expand(ceiling.flops - nest.per_point * nest.points) != 0:
        return None  # its FLOPs are those of another way to the result
    regions, ridge = regions_of(nest), Fraction(ceiling.ridge)
    if regions.bound is None or memory.value < sum((a.width for a in nest.arrays), Fraction(0)):
        return None
    at_most = regions.never_from(sympy.Rational(memory.value))
    if at_most is None or not at_most < ceiling.ridge < WITHIN * at_most:
        return None
    return _proved(regions, memory, ridge)


def nearest(chip: Chip) -> Capacity | None:
    """Return the capacity of the level nearest to the engines in which a kernel keeps blocks.

    >>> from roofproof import chip
    >>> nearest(chip("h100-sxm")).resource, nearest(chip("tpu-v5e")).resource, nearest(chip("a30"))
    ('smem', 'vmem', None)
    """
    held = {c.resource: c for c in chip.capacities}
    return next((held[level] for level in NEAREST if level in held), None)


def _proved(regions: Regions, memory: Capacity, ridge: Fraction) -> FallsShort | None:
    """Return from which number of products on `R moved >= FLOPs`, in numbers for the memory and the ridge point.

    With u for what moves a product, just below the leading term, r >= u products as u^k M^(a - k) is no more than what
    r^k M^(a - k) is; so R moved >= R (r - X) >= FLOPs + products (R u - f) - R X.
    """
    assert regions.bound is not None
    terms, bound, f = Terms(regions.bound), regions.bound, regions.per_product
    k, room = terms.k, Fraction(memory.value)
    falling = room ** (terms.a - k)
    constant = terms.constant
    full = Fraction(constant[1], constant[2]) / falling  # u^k
    u = _root_below(full, k)
    X = room * k / (terms.a - k)
    if ridge * u <= f:
        return None
    products = _rounded_up(ridge * X / (ridge * u - f))
    M, r = terms.M, terms.r
    N: Term = terms.points
    least: Term = times(u, N)
    known = bound.known.theorem
    assert known is not None
    here: Formula = ("=", M, fraction(room))
    denied: Formula = (">", least, r)
    names = terms.names
    scale = fraction(falling)
    put = kernel.arith(  # M^(a - k) at the memory
        ("=", terms.falling, scale),
        [kernel.assume(here)],
        [(powers_between(M, fraction(room), terms.a - k), [0])],
        names,
    )
    premises = [kernel.assume(denied), kernel.assume(terms.root), put]
    signs = [
        (("*", scale, powers_between(least, r, k)), [0]),
        (ONE, [1]),
        (("*", ("q", -1, 1), ("^", r, k)), [2]),
        (("*", fraction((full - u**k) * falling), ("^", N, k)), []),
    ]
    false = kernel.arith(("false",), premises, signs, names)
    above = kernel.propositional((">=", r, least), [kernel.discharge(false, denied)])
    many: Formula = (">=", N, ("q", products, 1))
    goal: Formula = (">=", times(ridge, terms.moved), ("*", ("q", f, 1), N))
    rest = ridge * u - f
    signs = [
        (fraction(ridge), [0]),
        (fraction(ridge), [1]),
        (fraction(rest), [2]),
        (("*", fraction(-ridge * Fraction(k, terms.a - k)), ONE), [3]),
        (fraction(rest * products - ridge * X), []),
    ]
    theorem = kernel.arith(goal, [known, above, kernel.assume(many), kernel.assume(here)], signs, names)
    assumed = (*terms.hypotheses, terms.root, here, many)
    shown = Known(Statement("", assumed, goal, "no-schedule"), ByKernel(theorem))
    return FallsShort(regions.nest, memory, ridge, Fraction(f) / u, products, shown)


def _root_below(value: Fraction, k: int) -> Fraction:
    """Return a fraction just below a root.

    >>> root = _root_below(Fraction(2), 2)
    >>> root**2 <= 2 < (root + Fraction(1, FINE)) ** 2
    True
    """
    target = value * FINE**k
    low, high = 0, 1 << (target.numerator.bit_length() // k + 2)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**k <= target else (low, middle)
    return Fraction(low, FINE)


def _rounded_up(value: Fraction) -> int:
    """Return a whole number of at most five digits before its zeros, no less than a value.

    >>> _rounded_up(Fraction(94660715)), _rounded_up(Fraction(7, 2))
    (94661000, 4)
    """
    whole = -(-value.numerator // value.denominator)
    unit = 10 ** max(0, len(str(whole)) - 5)
    return -(-whole // unit) * unit
