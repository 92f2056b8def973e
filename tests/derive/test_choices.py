"""An answer lists the result for each other published spec, equal to that of a chip with that spec."""

from dataclasses import replace

import pytest
import sympy

from roofproof import chip, op
from roofproof.derive import lower, ridge, threshold, time
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.other_sources import other_figures, other_times
from roofproof.hardware import Chip, chip_names


def peak(one: Chip) -> str:
    """Return a dense peak of a chip, or skip a chip without a dense peak or without a memory bandwidth."""
    peaks = [r.resource for r in one.compute if not r.resource.endswith("-sparse") and "per-core" not in r.resource]
    if not peaks or not {"hbm", "dram"} & set(one.resources):
        pytest.skip("no peak or no memory")
    return peaks[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", chip_names())
def test_each_answer_is_that_of_the_chip_with_the_figure(name: str) -> None:
    """The listed results equal those of chips that use the other specs, without duplicates or omissions."""
    one, sizes = chip(name), {"D": 8192, "F": 2048}
    resource = peak(one)
    product = op(f"matmul:{resource.partition('-')[0]}@{resource}")
    found = threshold(product, one, "B", sizes)
    said = {(f.rate.resource, f.rate.value): f for f in other_figures(found, one)}
    values = {f.ridges[found.ceilings[0].symbol] for f in said.values()}
    assert len(values) == len(said) and ridge(one, resource) not in values
    for variant in one.variants:
        other = one.variant(variant)
        changed = [r for r in (resource, one.memory) if other.rate(r).value != one.rate(r).value]
        if len(changed) == 1 and ridge(other, resource) != ridge(one, resource):
            assert ridge(other, resource) in values
            figure = said.get((changed[0], other.rate(changed[0]).value))
            if figure is not None:
                assert figure.integer == threshold(product, other, "B", sizes).integer


def test_each_ceiling_has_its_own_figures() -> None:
    v5e = chip("tpu-v5e")
    found = threshold(op("sharded-matmul:n=4"), v5e, "B", {"D": 2**16, "F": 4096})
    memory, ici = (c.symbol for c in found.ceilings)
    by_figure = {str(f.rate): f for f in other_figures(found, v5e)}
    both = by_figure["bf16 = 2e14 FLOP/s"]  # a peak belongs to both ridge points
    assert both.ridges == {memory: sympy.Rational(2 * 10**14, 819 * 10**9), ici: sympy.Rational(2 * 10**14, 45 * 10**9)}
    assert both.integer == 264
    assert by_figure["ici = 5e10 B/s"].ridges == {ici: 3940}  # 1.97e14 / 5e10


def test_what_counts_something_else_is_no_other_figure() -> None:
    """The rate of both directions of a link, or of four links, is a different quantity, not another source."""
    v5e = chip("tpu-v5e")
    found = threshold(op("data-parallel"), v5e, "B")
    others = {str(r) for r in v5e.alternatives(v5e.bandwidth("ici"))}
    assert others == {f"ici = {v} B/s" for v in ("5e10", "9e10", "4e11", "2e11")}
    assert [str(f.rate) for f in other_figures(found, v5e) if f.rate.resource == "ici"] == ["ici = 5e10 B/s"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", chip_names())
def test_times_with_the_figures_of_other_sources(name: str) -> None:
    """Each time equals that of the chip with only that spec replaced, and the spec in use is not listed."""
    one = chip(name)
    resource = peak(one)
    product = op(f"matmul:{resource.partition('-')[0]}@{resource}")
    sizes = {"B": 300, "D": 8192, "F": 2048}
    for other in other_times(product, one, sizes):
        supplies = [other.rate if r.label == other.rate.label else r for r in one.supplies]
        replaced = replace(one, supplies=tuple(supplies), others=())
        assert other.lower == substitute(lower(product, replaced), sizes)
        assert other.time == substitute(time(product, replaced)[other.resource], sizes)
        assert other.rate.value != one.rate(other.rate.resource).value
