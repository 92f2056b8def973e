"""The project's own measured times on an H100 and an H200: none is below its minimum, and estimates are close."""

from __future__ import annotations

import json

import numpy as np
import pytest

from roofproof.cli import main
from roofproof.hardware import chip
from roofproof.ops import parse_operation
from roofproof.times.estimates import demands, fit, rates_for
from roofproof.times.tables import Times, read_times
from roofproof.times.validation import seconds_at, validate
from roofproof.times.verdicts import minimum

HOME = "examples/measured/"
ATTENTION = parse_operation("flops bf16 = 4 B H L^2 d; flops exp = B H L^2")


def on(name: str, file: str) -> Times:
    return read_times(HOME + file).on(chip(name))


def test_rates_of_one_gpu_estimate_products_on_another_that_they_were_not_fitted_on() -> None:
    table, h200 = on("h200-sxm", "products_h200.csv"), chip("h200-sxm")
    held = validate(table, h200, None, "cold", *rates_for(h200, demands(table, h200)))
    assert (held.points, held.below, held.to_dict()["ceilings_of"]) == (208, (), "h100-sxm")
    assert held.median is not None and held.median < 0.085
    bare = seconds_at(held.floor, held.found) / np.array([float(t) for t in table.seconds])
    assert np.median(1 - bare) > 0.35  # the error with datasheet values only


@pytest.mark.parametrize(("mine", "other"), [("h100", "h200"), ("h200", "h100")])
def test_of_the_same_library_they_estimate_the_times_of_the_other_gpu(mine: str, other: str) -> None:
    table, rest = (on(f"{name}-sxm", f"products_{name}.csv") for name in (mine, other))
    rates = fit(rest, demands(rest, chip(f"{other}-sxm")), "t")
    held = validate(table, chip(f"{mine}-sxm"), None, "cold", rates)
    assert not held.below and held.median is not None and held.median < 0.055


def test_the_rates_of_another_chip_are_lent_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["time", "--summary", "--measured", f"{HOME}gemm_fp16.tsv", "--chip", "h100-sxm", "--ceilings"]
    assert main([*asked, "a100-80gb-sxm", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ceilings_of"] == "a100-80gb-sxm" and said["median_error"] < 0.085
    bf16 = ["time", "fp16[m,k], fp16[k,n] -> fp16[m,n] @ bf16", *asked[1:-1]]
    assert main(bf16) == 0 and "\n  borrowed from fp16\n" in capsys.readouterr().out  # as for a single time
    assert main([*bf16, "--ceilings", "a100-80gb-sxm"]) == 0
    assert "\n  borrowed from a100-80gb-sxm, fp16\n" in capsys.readouterr().out
    assert main([*asked, "bf16=1 TFLOP/s, hbm=1 GB/s"]) == 2
    assert "no fitted rates for this; cure: roofproof calibrate" in capsys.readouterr().err
    assert main([*asked, "a40", "--corner", "sum"]) == 2
    assert "use only one of" in capsys.readouterr().err


@pytest.mark.parametrize("file", ["elementwise_h200.csv", "products_h200.csv", "products_h100.csv"])
def test_times_with_flushed_caches_lie_above_the_minimum_of_cold_ones(file: str) -> None:
    name = f"h{file[-7:-4]}-sxm"
    held = validate(on(name, file), chip(name), caches="cold")
    assert not held.below and not held.beyond


def test_of_long_attention_exponentials_and_products_do_not_overlap() -> None:
    table, h100 = on("h100-sxm", "attention_h100.csv"), chip("h100-sxm")
    found = demands(table, h100, ATTENTION)
    assert not validate(table, h100, ATTENTION).below
    ratio = np.array([float(t) for t in table.seconds]) / found.estimate("sum")
    long = np.array(table.sizes["L"]) >= 2048
    newest = np.array(table.labels["kernel"]) == "cudnn"
    assert ratio[long & newest].min() > 0.98 and ratio[long & newest].max() < 1.11
    assert ratio[long & ~newest].min() > 1.5  # the older kernel waits for each of them
    least = seconds_at(minimum(ATTENTION, h100), found)
    assert (least / found.estimate("sum")).max() < 0.7  # the savings of full overlap


def test_so_it_is_with_the_printed_speeds_of_flash_attention_3() -> None:
    table, h100 = on("h100-sxm", "attention_fa3.csv"), chip("h100-sxm")
    ratio = np.array([float(t) for t in table.seconds]) / demands(table, h100, ATTENTION).estimate("sum")
    length, width = (np.array(table.sizes[name]) for name in "Ld")
    narrow = ratio[(length >= 4096) & (width <= 128)]
    assert narrow.min() > 0.99 and narrow.max() < 1.06
    assert ratio[length >= 2048].min() > 0.99 and ratio[length >= 2048].max() < 1.13
    assert not validate(table, h100, ATTENTION).below
