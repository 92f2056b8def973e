"""Thresholds of random operations on several compute units agree with a scan of the integers.

The operations have memory levels, links, logarithms and conditions. No time, ridge point or integer comes from the
package: demands are sums of monomials as plain data, and times are recomputed in fractions. The long run tries two
thousand operations, fifty for each of forty seeds, and prints the counts:

    python -m pytest -q -s tests/attacks/test_soundness_engines.py -m long
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import prod
from random import Random

import mpmath
import pytest
import sympy

from roofproof import chip, op, threshold
from roofproof.derive.algebra.exact_comparison import too_long
from roofproof.derive.inequalities.cases import Threshold, bounds
from roofproof.errors import Undecided
from roofproof.hardware import Chip
from roofproof.proofs import ProvedThreshold
from roofproof.symbols import dimension

UNITS = {"bf16": "matrix", "int8": "matrix", "fp32-vector": "vector", "fp64-vector": "vector", "exp": "exp"}
ENGINES, CHANNELS = ("bf16", "fp32-vector", "exp"), ("memory", "l2", "ici")
NAMES = "xBD"
LOG = len(NAMES)  # index of the power of log2(x), if any
SIZES = (1, 2, 3, 8, 12, 60, 128, 720, 4096)
LAST = 1_500  # integers scanned
SEED = 11  # of the short run, which has every kind of answer
Sum = tuple[tuple[int, tuple[int, ...]], ...]  # monomials: coefficient, power of each name, power of log2(x)


@cache
def log2(n: int) -> Fraction:
    """Return the logarithm, or a number so close that no fraction compared here lies between."""
    if not n & (n - 1):
        return Fraction(n.bit_length() - 1)
    with mpmath.workdps(60 + n.bit_length() // 3):
        return Fraction(str(mpmath.log(n, 2)))


def value(amount: Sum, at: dict[str, int]) -> Fraction:
    return sum(
        (c * prod(at[n] ** p for n, p in zip(NAMES, powers, strict=False)) * log2(at["x"]) ** sum(powers[LOG:])
         for c, powers in amount),
        Fraction(0),
    )  # fmt: skip


def text(amount: Sum) -> str:
    return " + ".join(" ".join([str(c), *(f"{n}^{p}" for n, p in zip([*NAMES, "log2(x)"], powers, strict=False) if p)])
                      for c, powers in amount)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Demands and rates by resource, the sizes of B and D, and the conditions on x."""

    demands: tuple[tuple[str, Sum], ...]
    rates: tuple[tuple[str, int], ...]
    sizes: tuple[tuple[str, int], ...]
    divides: tuple[str, ...]  # names of sizes that x divides
    multiple: int
    fits: tuple[int, int, int] | None  # a x^2 + b x <= c

    @property
    def chip(self) -> Chip:
        return chip(", ".join(f"{r}={v} {'B/s' if r in ('hbm', 'l2', 'ici') else 'FLOP/s'}" for r, v in self.rates))

    @property
    def written(self) -> str:
        return "; ".join(f"{'bytes' if r in CHANNELS else 'flops'} {r} = {text(a)}" for r, a in self.demands)

    def times(self, n: int) -> dict[str, Fraction]:
        rates, at = {"memory" if r == "hbm" else r: v for r, v in self.rates}, {**dict(self.sizes), "x": n}
        found: dict[str, Fraction] = {}
        first: dict[str, str] = {}  # first format on each compute unit; times on one unit add up
        for r, amount in self.demands:
            if r in rates:
                name = first.setdefault(UNITS.get(r, r), r)
                found[name] = found.get(name, Fraction(0)) + value(amount, at) / rates[r]
        return found

    def compute_bound(self, n: int) -> bool:
        times = self.times(n)
        moving = [t for r, t in times.items() if r in CHANNELS]
        return all(any(t > other for r, t in times.items() if r in UNITS) for other in moving)

    def allowed(self, n: int) -> bool:
        sizes = dict(self.sizes)
        fits = self.fits is None or self.fits[0] * n * n + self.fits[1] * n <= self.fits[2]
        return fits and n % self.multiple == 0 and all(sizes[s] % n == 0 for s in self.divides)


def random_sum(random: Random, least: int) -> Sum:
    """Return one to three monomials of degree at most two in x. The first contains x if `least` is 1."""
    found = {(least, *random.choice(((0, 0), (1, 0), (0, 1), (1, 1)))): random.randrange(1, 6)}
    for _ in range(random.choice((0, 0, 0, 1, 1, 2))):
        found[random.choice((0, 0, 0, 1, 1, 1, 1, 2, 3)), random.randrange(2), 0] = random.randrange(1, 6)
    return tuple((c, powers) for powers, c in found.items())


def random_case(random: Random) -> Case:
    engines = random.sample(ENGINES, random.choice((1, 2, 2, 3)))
    channels = ["memory", *random.sample(CHANNELS[1:], random.choice((0, 0, 1, 2)))]
    demands = tuple((r, random_sum(random, int(r in engines))) for r in (*engines, *channels))
    lacks = random.random() < 0.2 and "exp" in engines and len(engines) > 1
    rates = [(r, random.choice((5, 60, 700, 4000))) for r in engines if not (lacks and r == "exp")]
    rates += [("hbm" if r == "memory" else r, random.choice((1, 7, 20, 150))) for r in channels]
    sizes = tuple((n, random.choice(SIZES)) for n in NAMES[1:])
    asked = random.random()
    divides = tuple(random.sample(NAMES[1:], random.choice((1, 2)))) if asked < 0.3 else ()
    multiple = random.choice((2, 3, 8)) if 0.3 < asked < 0.5 else 1
    fits = None
    if 0.4 < asked < 0.8:
        fits = random.randrange(3), random.randrange(1, 5), random.choice((1, 30, 500, 3_000))
    return Case(demands, tuple(rates), sizes, divides, multiple, fits)


def with_shared_formats(case: Case, random: Random) -> Case:
    """Return the case with a second format on one or two of its compute units."""
    held = {r for r, _ in case.demands}
    more = [r for r in ("int8", "fp64-vector") if any(UNITS[r] == UNITS.get(other) for other in held)]
    demands = [*case.demands, *((r, random_sum(random, 1)) for r in more)]
    random.shuffle(demands)
    rates = (*case.rates, *((r, random.choice((9, 80, 900))) for r in more))
    return replace(case, demands=tuple(demands), rates=rates)


def with_logarithms(case: Case, random: Random) -> Case:
    """Return the case with log2(x) in its FLOPs and one power of x in all demands, so that a closed form exists."""
    power = random.randrange(3)
    demands = []
    for r, amount in case.demands:
        log = int(r in ENGINES and random.random() < 0.7)
        parts = {(power, *powers[1:], log): c for c, powers in amount[: random.choice((1, 2))]}
        if log and random.random() < 0.3:
            parts[(power, 0, 0, 0)] = random.randrange(1, 6)
        demands.append((r, tuple((c, powers) for powers, c in parts.items())))
    return replace(case, demands=tuple(demands))


def says(found: Threshold, n: int) -> bool:
    at = found.holds(sympy.Integer(n))
    assert at in (sympy.true, sympy.false), (found, n, at)
    return at == sympy.true


def check(case: Case, counts: Counter[str]) -> None:
    x, sizes = dimension("x"), dict(case.sizes)
    conditions: list[sympy.Basic] = [sympy.Eq(sympy.Mod(dimension(s), x), 0) for s in case.divides]
    if case.multiple > 1:
        conditions.append(sympy.Eq(sympy.Mod(x, case.multiple), 0))
    if case.fits:
        a, b, c = case.fits
        conditions.append(sympy.Le(a * x**2 + b * x, c, evaluate=False))
    asked = replace(op(case.written), conditions=tuple(conditions))
    dims = {s.name for s in asked.dims}
    rated = {"memory" if r == "hbm" else r for r, _ in case.rates}
    if not any(powers[0] or powers[LOG:] == (1,) for r, a in case.demands if r in rated for _, powers in a):
        return  # no demand with a rate on the chip contains x
    present = {**{s: 1 for s in case.divides}, **{n: 1 for n in dims}}
    if set(case.divides) - dims:  # a size that occurs in no demand cannot be given
        return
    try:
        proved = threshold(asked, case.chip, "x", {n: s for n, s in sizes.items() if n in present})
    except Undecided:
        counts["refused"] += 1
        assert any(powers[LOG:] == (1,) for _, amount in case.demands for _, powers in amount), case
        return
    at_point, integer = proved.found.at_point, proved.found.integer
    counts[f"proved by {proved.trust}"] += 1
    if at_point is None:
        counts["too long to be written"] += 1
        assert any(map(too_long, bounds(proved.found.cases.at(sizes)))), case
        return
    counts[at_point.kind] += 1
    for n in (*range(1, 40), *SIZES, 999, 10**4, 10**7, *([] if integer is None else [integer + 1])):
        counts["points"] += 1
        assert says(at_point, n) == case.compute_bound(n), (case.written, case.rates, sizes, n)
        assert says(proved.found.cases.at(sizes), n) == case.compute_bound(n)
    does = [n for n in range(1, LAST) if case.allowed(n) and case.compute_bound(n)]
    if at_point.kind == "below":
        assert (integer or 0) >= LAST or integer == max(does, default=None), (case, integer, does[-3:])
    elif integer is None or integer < LAST:
        assert integer == min(does, default=None), (case, integer, does[:3])
    else:
        assert not does and case.allowed(integer) and case.compute_bound(integer)
    counts["no such size" if integer is None and at_point.kind != "never" else "integers"] += 1
    counts["at sizes only"] += proved.found.at_sizes_only
    trusts = [k.trust for k in proved.derivation.of("at-point", "integer", "within", "region-case", "left-out")]
    counts.update(f"parts by {t}" for t in trusts)
    assert "sampled" not in trusts
    for region in proved.regions.regions if proved.regions else ():
        counts["regions"] += 1
        for n in (1, 2, 7, 40, 1000, 10**6):
            times = case.times(n)
            longest = all(t < times[region.resource] for r, t in times.items() if r != region.resource)
            assert says(region.cases.at(sizes), n) == longest, (case.written, case.rates, region.resource, n)
    for left in proved.found.left_out:
        counts["left out"] += 1
        for other, least in left.below:
            at = {**sizes, "x": 8}
            bound = Fraction(str(least.subs({dimension(n): size for n, size in at.items()})))
            needed = Fraction(value(dict(case.demands)[left.resource], at))
            assert needed / (bound * Fraction(99, 100)) > case.times(8)[other] > needed / (bound * Fraction(101, 100))


def run(count: int, seed: int) -> Counter[str]:
    random, counts = Random(seed), Counter[str]()
    for k in range(count):
        case = random_case(random)
        if k % 4 == 1:
            case = with_shared_formats(case, random)
        if k % 4 == 2:
            case = with_logarithms(case, random)
        check(case, counts)
    return counts


@pytest.mark.slow
def test_sixteen_thresholds_of_several_engines() -> None:
    counts = run(16, seed=SEED)
    assert counts["points"] > 500 and counts["regions"] > 15 and counts["no such size"] and counts["left out"], counts


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 41))
def test_two_thousand_thresholds_of_several_engines(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    counts = run(50, seed)
    with capsys.disabled():
        print(f"\nseed {seed}: " + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))


def test_what_random_thresholds_brought_to_light() -> None:
    """Cases found by random runs: rates of ignored units, with and without logarithms, complex roots, 2^(27997/12)."""
    counts = Counter[str]()
    x, log, one, b, d = (1, 0, 0), (0, 0, 0, 1), (0, 0, 0), (0, 1, 0), (0, 0, 1)
    rates = (("fp32-vector", 60), ("hbm", 150))
    beside = (("fp32-vector", ((1, log),)), ("exp", ((2, log), (1, one))), ("memory", ((5, one),)))
    alone = (("exp", ((1, (1, 1, 0)),)), ("fp32-vector", ((3, (1, 0, 1)), (5, one))), ("memory", ((4, one), (3, x))))
    complex_roots = (
        ("fp32-vector", ((1, (1, 1, 0)),)), ("memory", ((2, one), (1, (1, 1, 0)))),
        ("l2", ((2, d), (4, (2, 1, 0)))), ("ici", ((1, d),)),
    )  # fmt: skip
    long = (("bf16", ((4, (0, 1, 0, 1)), (3, one))), ("memory", ((5, (0, 1, 1)), (4, one))))
    levels = (*rates, ("l2", 20), ("ici", 1))
    for demands, given, sizes in (
        (beside, rates, (("B", 3), ("D", 3))), (alone, rates, (("B", 12), ("D", 128))),
        (complex_roots, levels, (("B", 8), ("D", 12))), (long, (("bf16", 4000), ("hbm", 7)), (("B", 3), ("D", 3))),
        ((("fp32-vector", ((8, log),)), ("memory", ((4, b),))), (("fp32-vector", 7), ("hbm", 7)), (("B", 2), ("D", 3))),
    ):  # fmt: skip
        check(Case(demands, given, sizes, (), 1, None), counts)
    left_out = (("exp", ((2, b),)), ("fp32-vector", ((1, (0, 0, 0, 1)),)), ("memory", ((1, one),)))
    check(Case(left_out, rates, (("B", 3), ("D", 12)), ("B",), 1, None), counts)  # above 2^(2/5), and x divides B = 3
    assert counts["left out"] == 3 and counts["too long to be written"] == 0, counts


def last_of(found: ProvedThreshold, bound: Callable[[int], bool]) -> int:
    """Return the last size of a threshold. Beyond it, the operation is no longer compute-bound."""
    last = found.integer
    assert last is not None and bound(last) and not bound(last + 1)
    return last


@pytest.mark.slow
def test_roundings_of_other_sizes_do_not_stop_the_program() -> None:
    """The threshold in K is found at N = 2 and M = 1. A solver once hung on roundings of N and M with real numbers."""
    demands = op(
        "flops bf16 = 1000000 M K + (1/4) N M K ceil(N/2) + 3 N M^2 K; flops exp = 9;"
        " bytes hbm = 4096 N M K + 36 M K^2 + 4096 N^2 M K; bytes l2 = 2 N M ceil(M/2)"
    )
    on = chip("bf16 = 50 FLOP/s, exp = 700 FLOP/s, hbm = 989 B/s, l2 = 700 B/s")
    found = threshold(demands, on, "K", at={"N": 2, "M": 1})

    def bound(k: int) -> bool:
        computing = max(Fraction(2_000_013 * k, 2 * 50), Fraction(9, 700))
        return computing > max(Fraction(24_576 * k + 36 * k * k, 989), Fraction(4, 700))

    last = last_of(found, bound)
    assert found.found.at_point is not None
    assert all(bool(found.found.at_point.holds(sympy.Integer(k))) == bound(k) for k in (1, 2, 10**5, last, 10**6))


@pytest.mark.slow
def test_roots_too_many_for_one_truth_table_are_no_error() -> None:
    """The cases of M have more roots than one truth table holds, but they are proved at N = 7 and K = 2."""
    demands = op(
        "flops bf16 = (1/4) N; flops exp = 1000000 N^2 + 3 N K^2; bytes hbm = (1/4) N M K^2 + 11 N M K + 9 N M^2 K;"
        " bytes smem = (1/8) M K + 18 N M K; bytes l2 = (1/2) K^2 + 44 N M K"
    )
    on = chip("bf16 = 100 FLOP/s, exp = 70 FLOP/s, hbm = 1970 B/s, smem = 12 B/s, l2 = 989 B/s")
    found = threshold(demands, on, "M", at={"N": 7, "K": 2})

    def bound(m: int) -> bool:
        moving = max(Fraction(161 * m + 126 * m * m, 1970), Fraction(1009 * m, 48), Fraction(2 + 616 * m, 989))
        return Fraction(49_000_084, 70) > moving

    assert found.trust == "kernel" and last_of(found, bound) > 0
