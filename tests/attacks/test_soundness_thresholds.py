"""Thresholds of random operations on the catalog's chips agree with a scan of the integers in exact fractions.

No count, ridge point or intensity comes from the package: FLOPs, bytes and times are recomputed from shapes, bits and
datasheet specs. The long run tries thousands of thresholds and prints the counts:

    python -m pytest -q -s tests/attacks/test_soundness_thresholds.py -m long
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod
from random import Random

import pytest
import sympy

from roofproof import RoofproofError, chip, op, threshold
from roofproof.claims.judge.judge import judge_quietly
from roofproof.claims.language.book import book_from_text
from roofproof.derive.inequalities.cases import Threshold
from roofproof.hardware import Chip, chip_names

BITS = {"int4": 4, "int8": 8, "fp8": 8, "bf16": 16, "fp16": 16, "fp32": 32, "fp64": 64}
INDICES = "BDFN"
SIZES = (1, 2, 3, 7, 8, 64, 100, 128, 1000, 4096, 10**5, 10**7)
SCAN = range(1, 50)


@dataclass(frozen=True)
class Case:
    """A typed einsum on a chip, as plain data. The output is the last tensor."""

    shapes: tuple[str, ...]
    formats: tuple[str, ...]
    compute: str
    chip: Chip
    memory: str
    unknown: str
    sizes: tuple[tuple[str, int], ...]
    multiple: int

    @property
    def text(self) -> str:
        *inputs, output = (f"{f}[{','.join(s)}]" for f, s in zip(self.formats, self.shapes, strict=True))
        return f"{', '.join(inputs)} -> {output} @ {self.compute}"

    def compute_bound(self, n: int) -> bool:
        """Return whether computation takes longer than memory traffic at one size of the unknown."""
        at = {**dict(self.sizes), self.unknown: n}
        indices = set("".join(self.shapes))
        summed = indices - set(self.shapes[-1])
        flops = (len(self.shapes) - (1 if summed else 2)) * prod(at[i] for i in indices)
        moved = sum(
            Fraction(BITS[f], 8) * prod(at[i] for i in s) for f, s in zip(self.formats, self.shapes, strict=True)
        )
        return Fraction(flops) / self.chip.rate(self.compute).value > moved / self.chip.rate(self.memory).value


@cache
def pairs() -> tuple[tuple[Chip, str, str], ...]:
    """Return every chip with each format that it computes in and its memory."""
    found = []
    for one in map(chip, chip_names()):
        memory = next((m for m in ("hbm", "dram") if m in one.resources), None)
        found += [(one, r.resource, memory) for r in one.compute if memory and r.resource in BITS]
    return tuple(found)


def random_case(random: Random) -> Case:
    while True:
        # a contraction of two tensors on one compute unit; test_soundness_engines.py covers several units
        inputs = ["".join(random.sample(INDICES, random.choice((1, 2, 2, 3)))) for _ in range(2)]
        if random.random() < 0.5:
            inputs = random.sample(["BD", "DF", "BF", "FN", "DN"], 2)
        indices = sorted(set("".join(inputs)))
        output = "".join(random.sample(indices, random.randrange(0, min(3, len(indices)) + 1)))
        if set(output) != set(indices):
            break
    one, compute, memory = random.choice(pairs())
    formats = tuple(random.choice([*BITS, compute, compute, compute]) for _ in (*inputs, output))
    unknown = random.choice(indices)
    sizes = tuple((i, random.choice(SIZES)) for i in indices if i != unknown)
    return Case((*inputs, output), formats, compute, one, memory, unknown, sizes, random.choice((1, 1, 1, 8, 128)))


def says(found: Threshold, n: int) -> bool:
    at = found.holds(sympy.Integer(n))
    assert at in (sympy.true, sympy.false), (found, n, at)
    return at == sympy.true


def check(case: Case, counts: Counter[str]) -> None:
    proved = threshold(op(case.text), case.chip, case.unknown, dict(case.sizes), multiple_of=case.multiple)
    counts[f"proved by {proved.trust}"] += 1
    assert proved.trust in ("kernel", "smt")
    at_point, integer, m = proved.found.at_point, proved.found.integer, case.multiple
    assert at_point is not None
    counts[at_point.kind] += 1
    near = [] if integer is None else [integer + k for k in range(-2 * m, 2 * m + 1, max(1, m // 2)) if integer + k > 0]
    for n in (*SCAN, *near, *SIZES, 10**12):
        counts["points"] += 1
        assert says(at_point, n) == case.compute_bound(n), (case.text, case.chip.name, case.unknown, n)
    if at_point.kind in ("above", "always"):
        assert integer is not None and integer % m == 0 and case.compute_bound(integer)
        assert integer == m or not case.compute_bound(integer - m)
        first = next((n for n in SCAN if n % m == 0 and case.compute_bound(n)), None)
        assert first is None or first == integer
    elif at_point.kind == "never":
        assert integer is None
    exact = {**dict(case.sizes)}  # the cases with symbolic sizes agree with those at the point
    whole = proved.found.cases.at(exact)
    for n in (1, 2, 5, 10**3, 10**9):
        assert says(whole, n) == case.compute_bound(n)


def check_rule(case: Case, counts: Counter[str]) -> None:
    """The exact threshold tends to the rule of thumb in the regime."""
    others = [i for i, _ in case.sizes]
    regime = f"{', '.join(others)} >> {case.unknown}"
    try:
        proved = threshold(op(case.text), case.chip, case.unknown, regime=regime)
    except RoofproofError as refused:
        assert "how fast" in str(refused) or "limit" in str(refused), refused
        counts["rules refused"] += 1
        return
    for rule in proved.rules:
        if rule.threshold is None or len(rule.threshold.cases) != 1:
            continue
        [only] = rule.threshold.cases
        if only.threshold.kind != "above" or only.threshold.at.free_symbols:  # type: ignore[union-attr]
            continue
        counts["rules"] += 1
        value = Fraction(str(only.threshold.at))  # type: ignore[union-attr]
        far = Case(
            case.shapes, case.formats, case.compute, case.chip, case.memory, case.unknown,
            tuple((i, 10**12) for i in others), 1,
        )  # fmt: skip
        for n in (int(value * Fraction(999, 1000)), int(value * Fraction(1001, 1000)) + 1):
            if n > 0 and abs(n - value) * 5000 > value:
                assert far.compute_bound(n) == (n > value), (case.text, case.chip.name, case.unknown, value, n)


def run(count: int, seed: int) -> Counter[str]:
    random, counts = Random(seed), Counter[str]()
    for i in range(count):
        case = random_case(random)
        check(case, counts)
        if case.sizes and i % 2:
            check_rule(case, counts)
    return counts


def told(counts: Counter[str]) -> str:
    return "\n" + ", ".join(f"{v} {k}" for k, v in sorted(counts.items()))


def test_forty_thresholds() -> None:
    counts = run(40, seed=3)
    assert counts["points"] > 2_000 and counts["above"] > 5 and counts["never"] > 5 and counts["rules"] > 3


@pytest.mark.long
def test_four_thousand_thresholds(capsys: pytest.CaptureFixture[str]) -> None:
    counts = run(4_000, seed=Random().randrange(10**6))
    with capsys.disabled():
        print(told(counts))


# --- smallest and largest integers ----------------------------------------------------------------


def rounded(random: Random) -> str:
    k = random.randrange(2, 12)
    inner = random.choice([f"n / {k}", f"(n + {k}) / 7", f"3 n / {k}", f"n^2 / {k}"])
    return f"{random.choice(('floor', 'ceil'))}({inner}) {random.choice(('<', '<=', '>', '>=', '=='))} {{}}"


@pytest.mark.slow
def test_integers_that_are_found_are_the_first_and_the_last() -> None:
    """Smallest and largest integers through floor and ceil, near and far, agree with a scan."""
    random = Random(5)
    for _ in range(6):
        pattern, size = rounded(random), random.choice((3, 40, 700, 10**5))
        said = pattern.format(size)
        plain = said.replace("ceil", "-1 * -").replace("n^2", "n*n").replace("3 n", "3*n")
        which = "largest" if "<" in said or "==" in said else "smallest"
        [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{which}(n, {said}) == 123456789"').claims
        verdict = judge_quietly(claim)
        fits = [n for n in range(1, 14 * size + 60) if _plain(plain, n)]
        edge = (fits[-1] if which == "largest" else fits[0]) if fits else None
        if edge is None:
            assert verdict.kind == "undecided", (said, verdict)
        else:
            assert (verdict.kind, verdict.exact) == ("refuted", str(edge)), (said, verdict)
            near = which == "smallest" and edge <= 10_000
            assert verdict.trust in (("kernel",) if near else ("kernel", "smt"))


@pytest.mark.parametrize(
    ("says", "exact"),
    [
        ("smallest(n, floor(n / 2) + sqrt(n) > 6) == 1", "8"),  # 4 + 2.8; 3 + 2.6 is less
        ("smallest(n, floor(n / 2) + 1 / (n - 4) > 2) == 1", "5"),
        ("largest(n, floor(n / 2) + sqrt(n) < 6) == 1", "7"),
        ("smallest(n, floor(n / 7) > 10^30) == 1", "7000000000000000000000000000007"),
    ],
)
def test_integers_past_roots_and_poles(says: str, exact: str) -> None:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\nsays = "{says}"').claims
    assert judge_quietly(claim).exact == exact


def _plain(said: str, n: int) -> bool:
    """Return whether a condition of `rounded` holds at n, read without the package."""
    import re

    match = re.fullmatch(r"(floor|-1 \* -)\((.*) / (\d+)\) (\S+) (\d+)", said)
    assert match, said
    head, above, below, relation, bound = match.groups()
    top = {"n": n, f"(n + {below})": n + int(below), "3*n": 3 * n, "n*n": n * n}.get(above)
    if top is None:
        top = n + int(re.findall(r"\d+", above)[0])
    value = top // int(below) if head == "floor" else -(-top // int(below))
    limit = int(bound)
    return {"<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit, "==": value == limit}[
        relation
    ]
