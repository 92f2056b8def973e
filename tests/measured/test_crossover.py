"""Predicted thresholds against measured crossovers: of times made by the model, and of real ones."""

from fractions import Fraction
from statistics import median

import pytest

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.plots.measured import measured_points
from roofproof.hardware import any_chip, chip, chip_from_text
from roofproof.hardware.calibration import Calibration, Fitted
from roofproof.hardware.reading import chip_from_mapping
from roofproof.measured.amounts import demands
from roofproof.measured.crossover import crossovers
from roofproof.measured.times import read_times, times_from_text
from roofproof.measured.validation import validate
from roofproof.ops import parse_operation

ON = chip_from_text("fp16=64 GFLOP/s, hbm=1 GB/s, l2=1 KiB")
SIZES = (1, 2, 4, 8, 16, 24, 48, 64, 96, 128, 256, 512)
HOME = "examples/measured"
TABLE = f"{HOME}/gemm_fp16.tsv"


def made(noise, slower=1, sizes=SIZES):
    """Times of a product whose traffic is known: the longer of computing, and of moving each tensor once."""
    n = k = 4096
    longest = [max(2 * m * n * k / 64e9, slower * 2 * (m * k + k * n + m * n) / 1e9) for m in sizes]
    rows = [f"{m},{n},{k},{noise(i) * t}" for i, (m, t) in enumerate(zip(sizes, longest, strict=True))]
    return times_from_text("m,n,k,seconds\n" + "\n".join(rows) + "\n", "made.csv")


@pytest.mark.parametrize("noise", [lambda i: 1, lambda i: 1 + 0.03 * (-1) ** i, lambda i: 1 + 0.02 * (i % 3)])
def test_where_the_traffic_is_known_the_prediction_lies_in_the_interval(noise):
    table = made(noise)
    [found] = crossovers(table, demands(table, ON))
    assert found.floor.value == pytest.approx(64 / (1 - 2 * 64 / 4096))  # R/(1 - R (1/n + 1/k))
    assert found.measured.low * (1 - 1e-9) <= found.floor.value <= found.measured.high * (1 + 1e-9)
    assert found.measured.value == pytest.approx(found.floor.value, rel=0.08)


def test_slower_memory_than_the_datasheet_says_is_seen():
    table = made(lambda i: 1, slower=2)
    [found] = crossovers(table, demands(table, ON))
    assert (
        found.measured.value == pytest.approx(128 / (1 - 2 * 128 / 4096), rel=0.03)
        and not found.inside
        and found.off < 0.6
    )


@pytest.mark.parametrize("on, shapes, ratio", [("h100-sxm", 34, 0.936), ("a100-80gb-sxm", 36, 0.88)])
def test_of_real_products_the_threshold_holds_within_an_eighth(on, shapes, ratio):
    there = chip(on)
    table = read_times(TABLE).on(there)
    found = crossovers(table, demands(table, there), there.calibration())
    assert len(found) == shapes
    assert median(each.floor.value / each.measured.value for each in found) == pytest.approx(ratio, abs=0.005)


def test_a_prediction_is_as_uncertain_as_the_figures_that_it_rests_on():
    table = made(lambda i: 1)
    near = {"value": "70 GFLOP/s", "low": "64 GFLOP/s", "high": "76 GFLOP/s"}
    for on, inside in ((near, True), (near["value"], False)):
        mine = chip_from_mapping("mine", {"fp16": on, "hbm": "1 GB/s", "l2": "1 KiB"}, "mine", "example")
        [found] = crossovers(table, demands(table, mine))
        assert found.floor.value == pytest.approx(70 / (1 - 2 * 70 / 4096)) and found.inside is inside
    shares = [Fitted(*map(Fraction, ends)) for ends in (("0.8", "0.7", "0.9"), ("0.9", "0.8", "1"), ("1", "1", "1"))]
    ceilings = Calibration("fp16", "hbm", *shares, "root", 20, Fraction(1, 20), "a fit", "example")
    [found] = crossovers(table, demands(table, ON), ceilings)
    ridges = [64 * e / d for e, d in ((0.8, 0.9), (0.7, 1), (0.9, 0.8))]
    ends = (found.estimate.value, found.estimate.low, found.estimate.high)
    assert ends == pytest.approx([r / (1 - 2 * r / 4096) for r in ridges])


def test_the_loop_of_an_h100_crosses_where_its_measured_figures_say(tmp_path, capsys):
    loop, file = "flops fp32-vector = 2 elements depth; bytes memory = 8 elements", tmp_path / "loop.md"
    asked = ["validate", f"{HOME}/loop_h100.csv", "--chip", f"{HOME}/h100.toml@update", "--cold", "--op", loop]
    assert main([*asked, "--report", str(file)]) == 0 and "roof as measured: all" in capsys.readouterr().out
    assert "| elements | by the figures | measured |" in file.read_text(encoding="utf-8")
    assert "| 67108864 | 71.59 (66.37 – 77.13) | 72.94 (71.43 – 74.49) |" in file.read_text(encoding="utf-8")
    assert file.read_text(encoding="utf-8").endswith("The intervals meet: prediction and measurement agree.\n")


@pytest.mark.parametrize("sizes", [SIZES[:7], (1, 1, 1, 1, 2, 2, 2, 2), range(1, 9), range(200, 210)])
def test_a_table_on_one_side_is_refused(sizes):
    table = made(lambda i: 1, sizes=sizes)
    with pytest.raises(RoofproofError, match=r"^made.csv: no line along . has 8 times with 3 on each side"):
        crossovers(table, demands(table, ON))


@pytest.mark.parametrize("ending, lang, said", [("md", "en", "| floor | estimate | measured |"), ("tex", "zh", "实测")])
def test_the_report_is_written_in_both_forms_and_languages(tmp_path, capsys, ending, lang, said):
    file = tmp_path / f"report.{ending}"
    assert main(["validate", TABLE, "--chip", "h100-sxm", "--report", str(file), "--lang", lang]) == 0
    text = file.read_text(encoding="utf-8")
    assert said in text and "0.936" in text and text.count("h100") >= 34
    more = ("乘积 fp16", r"\begin{document}") if ending == "tex" else ("\n\nWhere the intervals lie apart",)
    assert all(each in text for each in more)


def test_a_report_of_another_ending_is_refused_before_anything_is_read(capsys):
    assert main(["validate", "none.csv", "--chip", "h100-sxm", "--report", "report.doc"]) == 2
    assert ".md" in capsys.readouterr().err


@pytest.mark.parametrize(
    "lang, words",
    [
        ("en", ("predicted crossover", "measured crossover", "depth = 71.59", "66.37 – 77.13", "71.43 – 74.49")),
        ("zh", ("预测的拐点", "实测的拐点", "depth = 72.94", "66.37 – 77.13", "71.43 – 74.49")),
    ],
)
def test_the_figure_marks_both_crossovers_with_their_intervals(lang, words):
    """A depth of d is 2 d FLOPs for 8 bytes: the intervals lie at a quarter of the depths."""
    on, table = any_chip(f"{HOME}/h100.toml@update"), read_times(f"{HOME}/loop_h100.csv")
    loop = parse_operation("flops fp32-vector = 2 elements depth; bytes memory = 8 elements")
    held = validate(table, demands(table, on, loop, cold=True))
    crossed = crossovers(table, held.found)
    figure = measured_points(held, lang, crossed)
    said = {str(line) for label in figure.labels for text in label.lines for line in text}
    assert set(words) <= said
    [one] = crossed
    level = [[x for x, _ in c.points] for c in figure.curves if len({y for _, y in c.points}) == 1]
    for span in (one.floor, one.measured):
        assert any(ends == pytest.approx([span.low / 4, span.high / 4]) for ends in level)
    assert len(measured_points(held, lang, crossed * 2).curves) == len(measured_points(held, lang).curves)
