"""Labels of rooflines: each in one region, and the name of a bandwidth upon no slope but its own."""

from dataclasses import replace
from itertools import combinations

import pytest

from roofproof import chip, op
from roofproof.export.plots import placement, roofline
from roofproof.export.plots.roofs import Dot, Roof, under_roofs
from roofproof.export.plots.scales import amount
from roofproof.export.plots.scene import HEIGHT, WIDTH, Label, Point
from roofproof.export.plots.texts import plain_signs
from roofproof.say import Words

WORDS = Words("en")


@pytest.mark.parametrize("name", ["matmul", "B = 1024", "matmul 1024", "a longer name"])
@pytest.mark.parametrize("beyond", [0.3, 0.6, 1.0, 1.6, 2.5, 4.0])
def test_a_label_lies_in_one_region(name: str, beyond: float) -> None:
    roof = Roof("v5e", "bf16", "hbm", 1.97e14, 8.2e11)
    found = under_roofs([roof], [Dot(((name,),), roof.ridge * beyond, (0,))], (), WORDS)
    edge = found.x.share(roof.ridge) * WIDTH
    (label,) = (each for each in found.labels if plain_signs(each.lines[0]) == name)
    left, _, right, _ = placement._box(
        label.anchor, (found.x.share(label.at[0]) * WIDTH, 0), placement.box(label.lines)
    )
    assert right <= edge or edge <= left, (left, edge, right)


def test_a_name_that_is_wide_is_set_in_two_lines() -> None:
    sizes = [{"B": 1024, "D": 4096, "F": 4096}]
    found = roofline([replace(op("matmul"), name="matmul B = 1024")], [chip("tpu-v5e")], sizes)
    (label,) = (each for each in found.labels if "matmul" in plain_signs(each.lines[0]))
    assert [plain_signs(line) for line in label.lines] == ["matmul", "B\u00a0=\u00a01024"]


NAMES = ("v100-sxm2-16gb", "a100-80gb-sxm", "h100-sxm", "h200-sxm", "b200", "mi300x", "rtx-4090")


@pytest.mark.sampled(7)
@pytest.mark.parametrize("names", [*combinations(NAMES, 2), *combinations(NAMES, 3)], ids=" ".join)
def test_the_nearest_slope_of_a_bandwidth_is_its_own(names: tuple[str, ...]) -> None:
    chips = [chip(name) for name in names]
    found = roofline([op("matmul:fp16")], chips, [{"B": 1, "D": 5120, "F": 5120}])
    slopes = {amount(bandwidth := float(c.bandwidth(c.memory).value), "B/s"): bandwidth for c in chips}

    def gap(label: Label, bandwidth: float) -> float:
        left, bottom, right, top = placement._box(label.anchor, centimetres(label.at), placement.box(label.lines))
        x, y = (left + right) / 2, (bottom + top) / 2
        return abs(centimetres((found.x.at(x / WIDTH), found.x.at(x / WIDTH) * bandwidth))[1] - y)

    def centimetres(at: Point) -> Point:
        return found.x.share(at[0]) * WIDTH, found.y.share(at[1]) * HEIGHT

    beside = {line for label in found.labels if len(label.lines) > 1 for line in map(plain_signs, label.lines)}
    for text in slopes:
        along = [label for label in found.labels if plain_signs(label.lines[0]) == text]
        assert len(along) + (text in beside) == 1, text
        assert all(min(slopes, key=lambda t: gap(label, slopes[t])) == text and not label.backed for label in along)


def test_bandwidths_of_slopes_too_close_stand_beside_their_chips() -> None:
    chips = [chip(name) for name in ("mi300x", "h100-sxm", "tpu-v5e")]
    found = roofline([op("matmul")], chips, [{"B": 256, "D": 4096, "F": 4096}])
    told = [tuple(map(plain_signs, label.lines)) for label in found.labels]
    assert told[-1] == ("Instinct MI300X", "1.307 PFLOP/s", "5.3 TB/s")
    assert told[-2] == ("H100 SXM5 80GB", "989 TFLOP/s", "3.35 TB/s")
