"""Measured times of this project's own, on an H100 and an H200: none below its floor, and how near estimates are."""

from __future__ import annotations

import json

import numpy as np
import pytest

from roofproof.cli import main
from roofproof.hardware import chip
from roofproof.hardware.catalog import any_chip
from roofproof.measured.amounts import demands
from roofproof.measured.ceilings import fit, fit_moving
from roofproof.measured.crossover import crossovers
from roofproof.measured.times import Times, read_times
from roofproof.measured.validation import ceilings_for, validate
from roofproof.ops import parse_operation

HOME = "examples/measured/"
ATTENTION = parse_operation("flops bf16 = 4 B H L^2 d; flops exp = B H L^2")
LOOP = parse_operation("flops fp32-vector = 2 elements depth; bytes memory = 8 elements")


def on(name: str, file: str) -> Times:
    return read_times(HOME + file).on(chip(name))


def test_ceilings_of_one_gpu_estimate_products_on_another_that_they_were_not_fitted_on() -> None:
    table = on("h200-sxm", "products_h200.csv")
    found = demands(table, chip("h200-sxm"), cold=True)
    ceilings, lender = ceilings_for(chip("h200-sxm"), found, table)
    held = validate(table, found, ceilings, lender)
    assert (held.points, held.below, held.to_dict()["ceilings_of"]) == (208, (), "h100-sxm")
    assert held.median is not None and held.median < 0.085
    bare = found.floor / np.array([float(t) for t in table.seconds])
    assert np.median(1 - bare) > 0.35  # what the datasheet alone is off by


@pytest.mark.parametrize(("mine", "other"), [("h100", "h200"), ("h200", "h100")])
def test_of_the_same_library_they_tell_the_size_that_keeps_80_percent_on_the_other_gpu(mine: str, other: str) -> None:
    table, rest = (on(f"{name}-sxm", f"products_{name}.csv") for name in (mine, other))
    found, lent = demands(table, chip(f"{mine}-sxm"), cold=True), demands(rest, chip(f"{other}-sxm"), cold=True)
    held = validate(table, found, fit(rest, lent, "t"))
    assert not held.below and held.median is not None and held.median < 0.055
    assert held.knees is not None and held.knees.shapes == 8 and abs(held.knees.fitted - 1) < 0.05
    old = validate(table, found, chip("h100-sxm").calibration("fp16"))  # of kernels that overlap less
    assert old.knees is not None and old.knees.fitted > held.knees.fitted + 0.05


def test_the_ceilings_of_another_chip_are_lent_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["validate", f"{HOME}gemm_fp16.tsv", "--chip", "h100-sxm", "--ceilings"]
    assert main([*asked, "a100-80gb-sxm", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["ceilings_of"] == "a100-80gb-sxm" and said["median_error"] < 0.085
    assert abs(said["knee"]["estimate_over_measured"] - 1) < 0.2
    assert main([*asked, "bf16=1 TFLOP/s, hbm=1 GB/s"]) == 2
    assert "no calibrated ceilings for this; cure: roofproof fit" in capsys.readouterr().err
    assert main([*asked, "a40", "--corner", "sum"]) == 2
    assert "one of them at a time" in capsys.readouterr().err


def test_norms_and_activations_reach_a_share_of_their_own() -> None:
    table = on("h200-sxm", "elementwise_h200.csv")
    found = demands(table, chip("h200-sxm"), cold=True)
    assert not validate(table, found).below
    shares = {}
    for kind in ("copy", "gelu", "rms-norm", "softmax"):
        rows = table.only(operation=kind)
        made = fit_moving(rows, demands(rows, chip("h200-sxm"), cold=True), "t", kind)
        assert made.error < 0.05
        shares[kind] = float(made.share.value)
    assert shares["copy"] > shares["rms-norm"] > shares["softmax"]


def test_of_long_attention_exponentials_and_products_do_not_overlap() -> None:
    table = on("h100-sxm", "attention_h100.csv")
    found = demands(table, chip("h100-sxm"), ATTENTION)
    assert not validate(table, found).below
    ratio = np.array([float(t) for t in table.seconds]) / found.estimate("sum")
    long = np.array(table.sizes["L"]) >= 2048
    newest = np.array(table.labels["kernel"]) == "cudnn"
    assert ratio[long & newest].min() > 0.98 and ratio[long & newest].max() < 1.11
    assert ratio[long & ~newest].min() > 1.5  # the kernel before it waits for each
    assert (found.floor / found.estimate("sum")).max() < 0.7  # what overlapping all of it would save


def test_so_it_is_with_the_printed_speeds_of_flash_attention_3() -> None:
    table = on("h100-sxm", "attention_fa3.csv")
    found = demands(table, chip("h100-sxm"), ATTENTION)
    ratio = np.array([float(t) for t in table.seconds]) / found.estimate("sum")
    length, width = (np.array(table.sizes[name]) for name in "Ld")
    narrow = ratio[(length >= 4096) & (width <= 128)]
    assert narrow.min() > 0.99 and narrow.max() < 1.06
    assert ratio[length >= 2048].min() > 0.99 and ratio[length >= 2048].max() < 1.13
    assert not validate(table, found).below


@pytest.mark.parametrize(("name", "peak", "rate", "ratio"), [("h100", 53.2, 2.93, 0.99), ("h200", 53.4, 4.258, 0.893)])
def test_the_loop_crosses_near_where_the_measured_figures_say(
    name: str, peak: float, rate: float, ratio: float
) -> None:
    """The rate is that of the loop itself on the H100; of a copy on the H200, which few multiply-adds do not fill."""
    table = read_times(f"{HOME}loop_{name}.csv")
    mine = any_chip(f"fp32-vector={peak} TFLOP/s, hbm={rate} TB/s, l2=1 B")
    [one] = crossovers(table, demands(table, mine, LOOP))
    assert one.floor.value == pytest.approx(8 * peak / rate / 2, rel=1e-9)
    assert one.floor.value / one.measured.value == pytest.approx(ratio, abs=0.01)
    assert one.inside is (name == "h100")
