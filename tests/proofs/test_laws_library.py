"""Every operation of the library on chips that can run it: the threshold is proved, and agrees with substitution.

The default run solves each operation for each of its dimensions, on a different chip each time. The long run uses
every chip that has the specs.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import count
from random import Random

import pytest
import sympy

from roofproof import RoofproofError, op, threshold
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.ridges import supplier
from roofproof.hardware import Chip, chip, chip_names
from roofproof.ops import Operation, entries
from roofproof.ops.notation.at_sizes import at_sizes

ENGINES = ("", "-vector", "-tensor")
SIZES = (2, 3, 5, 8, 64, 100, 128, 1000, 4096, 10**5, 10**9)

# Their thresholds have many cases, and one dimension takes seconds to minutes. Only the long run has them, on one chip.
COSTLY = {
    "convolution", "depthwise-convolution", "mixture-of-experts", "sharded-matmul", "prefill", "decode-step",
    "generate", "training-step", "convolution-3d", "transposed-convolution", "winograd-convolution", "blocked-stencil",
    "grouped-matmul", "gathered-matmul", "ring-attention", "latent-prefill",
}  # fmt: skip
WITHOUT_FLOPS = {name for name, entry in entries().items() if not entry().units}
SEVERAL = {name for name, entry in entries().items() if len(entry().compute) > 1}  # compute units
LOGARITHM = {"fft"}  # its times are irrational, see tests/derive/test_logarithms.py
SOLVED = sorted(set(entries()) - COSTLY - WITHOUT_FLOPS - SEVERAL - LOGARITHM)


@cache
def runs(name: str) -> tuple[tuple[str, Chip], ...]:
    """Return each way to write an operation, with or without a compute unit, and a chip that can run it."""
    return tuple(_runs(name))


def _runs(name: str) -> Iterator[tuple[str, Chip]]:
    written = {}
    for engine in ENGINES:
        [resource] = op(name).compute
        text = f"{name}@{resource.partition('-')[0]}{engine}" if engine else name
        try:
            written[text] = op(text)
        except RoofproofError:
            continue  # several formats, or no format to choose
    for one in map(chip, chip_names()):
        for text, operation in written.items():
            try:
                for resource in operation.demands:
                    one.rate(supplier(one, resource))
            except RoofproofError:
                continue
            yield text, one
            break


def exceeds(operation: Operation, on: Chip, sizes: dict[str, int]) -> bool:
    """Return whether computing takes longer than every transfer, by substitution only."""
    times = {}
    for resource, demand in operation.demands.items():
        amount = substitute(demand, sizes)
        assert amount.is_Rational, amount
        times[resource] = Fraction(int(amount.p), int(amount.q)) / on.rate(supplier(on, resource)).value
    computing = max(t for r, t in times.items() if r in operation.compute)
    return all(computing > t for r, t in times.items() if r not in operation.compute)


def check(text: str, on: Chip, unknown: str, seed: int) -> None:
    operation, random = op(text), Random(seed)
    proved = threshold(operation, on, unknown)
    assert proved.trust in ("kernel", "smt"), (text, on.name, unknown, proved.trust)
    for _ in range(3):
        others = {s.name: random.choice(SIZES) for s in operation.dims if s.name != unknown}
        found = proved.found.cases.at(others)
        for n in random.sample(SIZES, 6):
            sizes = {s: sympy.Integer({**others, unknown: n}[s.name]) for s in operation.dims}
            if any(at_sizes(one, sizes) == False for one in operation.conditions):  # noqa: E712
                continue  # the operation does not exist at these sizes
            says = found.holds(sympy.Integer(n)) == sympy.true
            assert says == exceeds(operation, on, {**others, unknown: n}), (text, on.name, unknown, n, others)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SOLVED)
def test_a_proved_threshold_for_each_dimension(name: str) -> None:
    possible = runs(name)
    assert possible, f"no chip of the catalog can run {name}"
    start = sum(map(ord, name))
    for i, symbol in zip(count(start), op(name).dims, strict=False):
        text, on = possible[(7 * i) % len(possible)]
        check(text, on, symbol.name, i)


@pytest.mark.long
@pytest.mark.parametrize("name", SOLVED)
def test_a_proved_threshold_on_every_chip(name: str) -> None:
    for text, on in runs(name):
        for i, symbol in enumerate(op(name).dims):
            check(text, on, symbol.name, i)


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(COSTLY))
def test_a_proved_threshold_of_many_cases(name: str) -> None:
    text, on = runs(name)[-1]
    for i, symbol in enumerate(op(name).dims):
        check(text, on, symbol.name, i)


@pytest.mark.parametrize("name", sorted(WITHOUT_FLOPS))
def test_what_has_no_threshold_is_told_in_one_line(name: str) -> None:
    lack = "has no FLOPs; a threshold compares one format's FLOPs with the bytes moved"
    for on in (None, chip("h100-sxm")):
        for symbol in op(name).dims:
            with pytest.raises(RoofproofError) as caught:
                threshold(op(name), on, symbol.name)
            assert str(caught.value) == f"operation '{op(name).name}' {lack}"


def peaks(one: Chip) -> list[str]:
    """Return the dense peaks of a chip, or none if it has no memory bandwidth to compare them with."""
    dense = [rate.resource for rate in one.compute if not rate.resource.endswith("-sparse")]
    return [r for r in dense if "per-core" not in r and {"hbm", "dram"} & set(one.resources)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", chip_names())
def test_a_matmul_on_every_chip(name: str) -> None:
    for i, resource in enumerate(peaks(chip(name))[:1]):
        check(f"matmul:{resource.partition('-')[0]}@{resource}", chip(name), "B", i)


@pytest.mark.long
@pytest.mark.parametrize("name", chip_names())
def test_a_matmul_with_every_figure_of_every_chip(name: str) -> None:
    for i, resource in enumerate(peaks(chip(name))):
        for unknown in "BDF":
            check(f"matmul:{resource.partition('-')[0]}@{resource}", chip(name), unknown, i)


def test_one_chip_sends_nothing() -> None:
    found = threshold(op("data-parallel"), chip("tpu-v5e"), "B", {"D": 8, "F": 8, "X": 1}).found
    assert found.at_point is not None and found.at_point.kind == "always"


def test_nothing_is_shared_by_less_than_one_chip() -> None:
    """Answers mention only X >= 1, and each case has it as a hypothesis."""
    proved = threshold(op("fsdp"), None, "B")
    assert str(proved.found.cases) == "B > R*(X - 1)    when X > 1\nalways           otherwise"
    assert all((">=", ("v", "X"), ("q", 1, 1)) in p.statement.assumptions for p in proved.solved.of("case"))
    assert threshold(op("matmul"), None, "B").found.assume == ()
