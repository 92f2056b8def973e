"""Random operations on several engines, with levels, links and conditions, against a scan of the integers.

Nothing here asks the package for a time, a ridge point or an integer: demands are sums of monomials as plain data, and
times are worked out anew in fractions. The long run (two thousand thresholds; prints the counts):

    python -m pytest -q -s tests/attacks/test_soundness_engines.py -m long
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from random import Random

import pytest
import sympy

from roofproof import chip, op, threshold
from roofproof.derive.inequalities.cases import Threshold
from roofproof.hardware import Chip
from roofproof.symbols import dimension

ENGINES, CHANNELS = ("bf16", "fp32-vector", "exp"), ("memory", "l2", "ici")
NAMES = "xBD"
SIZES = (1, 2, 3, 8, 12, 60, 128, 720, 4096)
LAST = 1_500  # integers looked at one by one
SEED = 11  # of the short run: with each kind of answer in it
Sum = tuple[tuple[int, tuple[int, ...]], ...]  # monomials: a coefficient, and the power of each name


def value(amount: Sum, at: dict[str, int]) -> int:
    return sum(c * prod(at[n] ** p for n, p in zip(NAMES, powers, strict=True)) for c, powers in amount)


def text(amount: Sum) -> str:
    return " + ".join(" ".join([str(c), *(f"{n}^{p}" for n, p in zip(NAMES, powers, strict=True) if p)])
                      for c, powers in amount)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """Demands by resource, rates, sizes of B and D, and what x has to meet."""

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
        return {r: Fraction(value(a, at), rates[r]) for r, a in self.demands if r in rates}

    def compute_bound(self, n: int) -> bool:
        times = self.times(n)
        moving = [t for r, t in times.items() if r in CHANNELS]
        return all(any(t > other for r, t in times.items() if r in ENGINES) for other in moving)

    def allowed(self, n: int) -> bool:
        sizes = dict(self.sizes)
        fits = self.fits is None or self.fits[0] * n * n + self.fits[1] * n <= self.fits[2]
        return fits and n % self.multiple == 0 and all(sizes[s] % n == 0 for s in self.divides)


def random_sum(random: Random, least: int) -> Sum:
    """One to three monomials, of degree at most two in x, the first of them with x in it where least is 1."""
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
    present = {**{s: 1 for s in case.divides}, **{n: 1 for n in dims}}
    if set(case.divides) - dims:  # a size that no demand has cannot be given
        return
    proved = threshold(asked, case.chip, "x", {n: s for n, s in sizes.items() if n in present})
    at_point, integer = proved.found.at_point, proved.found.integer
    counts[f"proved by {proved.trust}"] += 1
    assert at_point is not None
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
            at = {**sizes, "x": 6}
            bound = Fraction(str(least.subs({dimension(n): size for n, size in at.items()})))
            needed = Fraction(value(dict(case.demands)[left.resource], at))
            assert needed / (bound * Fraction(99, 100)) > case.times(6)[other] > needed / (bound * Fraction(101, 100))


def run(count: int, seed: int) -> Counter[str]:
    random, counts = Random(seed), Counter[str]()
    for _ in range(count):
        check(random_case(random), counts)
    return counts


def test_sixteen_thresholds_of_several_engines() -> None:
    counts = run(16, seed=SEED)
    assert counts["points"] > 500 and counts["regions"] > 15 and counts["no such size"] and counts["left out"], counts


@pytest.mark.long
def test_two_thousand_thresholds_of_several_engines(capsys: pytest.CaptureFixture[str]) -> None:
    counts = run(2_000, seed=Random().randrange(10**6))
    with capsys.disabled():
        print("\n" + ", ".join(f"{v} {k}" for k, v in sorted(counts.items())))
