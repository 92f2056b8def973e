"""Labels of rooflines: each in one region, and the name of a bandwidth upon no slope but its own."""

from dataclasses import replace

import pytest

from roofproof import chip, op
from roofproof.export.plots import placement, roofline
from roofproof.export.plots.roofs import Dot, Roof, under_roofs
from roofproof.export.plots.scene import WIDTH
from roofproof.export.plots.texts import plain
from roofproof.export.words.catalogue import Catalogue

WORDS = Catalogue("en", "plots")


@pytest.mark.parametrize("name", ["matmul", "B = 1024", "matmul 1024", "a longer name"])
@pytest.mark.parametrize("beyond", [0.3, 0.6, 1.0, 1.6, 2.5, 4.0])
def test_a_label_lies_in_one_region(name: str, beyond: float) -> None:
    roof = Roof("v5e", "bf16", "hbm", 1.97e14, 8.2e11)
    found = under_roofs([roof], [Dot(((name,),), roof.ridge * beyond, (0,))], (), WORDS)
    edge = found.x.share(roof.ridge) * WIDTH
    (label,) = (each for each in found.labels if plain(each.lines[0]) == name)
    left, _, right, _ = placement._box(
        label.anchor, (found.x.share(label.at[0]) * WIDTH, 0), placement.box(label.lines)
    )
    assert right <= edge or edge <= left, (left, edge, right)


def test_a_name_that_is_wide_is_set_in_two_lines() -> None:
    sizes = [{"B": 1024, "D": 4096, "F": 4096}]
    found = roofline([replace(op("matmul"), name="matmul B = 1024")], [chip("tpu-v5e")], sizes)
    (label,) = (each for each in found.labels if "matmul" in plain(each.lines[0]))
    assert [plain(line) for line in label.lines] == ["matmul", "B\u00a0=\u00a01024"]


def test_a_bandwidth_upon_another_slope_is_left_out() -> None:
    chips = [chip(name) for name in ("v100-sxm2-16gb", "a100-80gb-sxm", "h100-sxm")]
    found = roofline([op("matmul:fp16")], chips, [{"B": 1, "D": 5120, "F": 5120}])
    bandwidths = [each for each in found.labels if plain(each.lines[0]).endswith("B/s")]
    assert [plain(each.lines[0]) for each in bandwidths if each.backed] == []
    assert bandwidths
