"""Labels of rooflines: each lies in one region, near its dot, and gives the sizes that differ."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import dist

import pytest

from roofproof import chip, op
from roofproof.derive.roofline.own_format import for_chip
from roofproof.export.plots import roofline
from roofproof.export.plots.captions import amount
from roofproof.export.plots.layout import HEIGHT, LEFT, Placed, layout
from roofproof.export.plots.model import Math, Point, plain
from roofproof.export.plots.roofs import Dot, Roof, roofline_figure
from roofproof.export.plots.svg import svg_file
from roofproof.hardware import chip_names
from roofproof.say import Words

WORDS = Words("en")
MATMUL = op("matmul")


def said(label: Placed) -> str:
    return " ".join(map(plain, label.lines))


def gap(label: Placed, to: Point) -> float:
    left, bottom, right, top = label.box
    return dist(to, (min(max(to[0], left), right), min(max(to[1], bottom), top)))


@pytest.mark.parametrize("name", ["matmul", "B = 1024", "matmul 1024", "a longer name"])
@pytest.mark.parametrize("beyond", [0.3, 0.6, 1.0, 1.6, 2.5, 4.0])
def test_a_label_lies_in_one_region(name: str, beyond: float) -> None:
    roof = Roof("v5e", "bf16", "memory", 1.97e14, 8.2e11)
    page = layout(roofline_figure([roof], [Dot((name,), (), roof.ridge * beyond, (0,))], (), WORDS))
    edge = page.point((roof.ridge, roof.peak))[0]
    (label,) = (each for each in page.labels if said(each) == name)
    left, _, right, _ = label.box
    assert right <= edge if beyond < 1 else edge <= left if beyond > 1 else right <= edge or edge <= left


SWEEP = [{"B": b, "D": 4096, "F": 4096} for b in (1, 16, 64, 256, 1024, 4096)]
CLOSE = [{"B": b, "D": 4096, "F": 4096} for b in (64, 128, 192, 256, 320, 384)]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("points", [SWEEP, CLOSE], ids=["wide", "close"])
@pytest.mark.parametrize("name", chip_names()[::3])
def test_six_sizes_are_told_apart_by_what_differs(name: str, points: list[dict[str, int | str]]) -> None:
    on = chip(name)
    figure = roofline([for_chip("matmul", on)], [on], points)
    page = layout(figure)
    assert plain(figure.title).endswith("(D = F = 4096)")
    dots = {f"B = {at['B']}": page.point(mark.at) for at, mark in zip(points, figure.marks, strict=True)}
    labels = {said(label): label for label in page.labels if label.at[0] < page.across}
    assert set(dots) <= set(labels)
    for text, at in dots.items():
        label = labels[text]
        if label.leader:
            assert label.leader[-1] == at
        else:
            assert min(dots, key=lambda other: gap(label, dots[other])) == text


NAMES = ("v100-sxm2-16gb", "a100-80gb-sxm", "h100-sxm", "h200-sxm", "b200", "mi300x", "rtx-4090")


@pytest.mark.sampled(7)
@pytest.mark.parametrize("names", [*combinations(NAMES, 2), *combinations(NAMES, 3)], ids=" ".join)
def test_every_bandwidth_and_ridge_point_stands_with_its_chip(names: tuple[str, ...]) -> None:
    chips = [chip(name) for name in names]
    page = layout(roofline([op("matmul:fp16")], chips, [{"B": 1, "D": 5120, "F": 5120}]))
    texts = [said(label) for label in page.labels]
    for on in chips:
        peak, bandwidth = float(on.rate("fp16").value), float(on.bandwidth(on.memory).value)
        (beside,) = (
            text for text in texts if amount(peak, "FLOP/s") in text and f"ridge {peak / bandwidth:.4g}" in text
        )
        slopes = [label for label in page.labels if said(label) == amount(bandwidth, "B/s")]
        assert len(slopes) + (amount(bandwidth, "B/s") in beside) == 1
        for label in slopes:
            x = label.box[0] + (label.box[2] - label.box[0]) / 2
            heights = [page.point((page.data((x, 0))[0], page.data((x, 0))[0] * float(c.bandwidth(c.memory).value)))[1]
                       for c in chips]  # fmt: skip
            off = [abs(height - label.at[1]) for height in heights]
            assert off.index(min(off)) == chips.index(on)


def test_dots_upon_each_other_share_a_label() -> None:
    names = ("matmul", "lora", "gated-ffn")
    found = roofline([*map(op, names)], [chip("h100-sxm")], [{"B": 256, "D": 4096, "F": 4096, "r": 16}])
    assert {"matmul", "lora", "gated-ffn"} in [set(map(plain, label.lines)) for label in found.labels]


def test_labels_that_are_joined_say_which_size_is_whose() -> None:
    at = [{"B": b, "N": 4096} for b in (1, 16, 64, 256, 1024, 4096)]
    found = roofline([op("softmax")], [chip("h100-sxm")], at)
    assert ["exp", "B = 1, 16, 64, 256, 1024, 4096"] in [[*map(plain, label.lines)] for label in found.labels]
    near = [Dot(("a",), (Math("B"), " = ", "1"), 10.0, (0,)), Dot(("b",), (Math("B"), " = ", "2"), 10.1, (0,))]
    both = roofline_figure([Roof("v5e", "bf16", "memory", 1.97e14, 8.2e11)], near, (), WORDS)
    assert ["a, B = 1", "b, B = 2"] in [[*map(plain, label.lines)] for label in both.labels]


@pytest.mark.parametrize("names", [["matmul", "gated-ffn"], ["matmul", "softmax", "layer-norm", "dot"]], ids=" ".join)
def test_a_crowded_figure_is_higher(names: list[str]) -> None:
    ops = [*map(op, names)]
    dims = {s.name for each in ops for s in each.dims}
    sizes = {"D": 4096, "F": 4096, "N": 4096}
    at = [{"B": b} | {name: size for name, size in sizes.items() if name in dims} for b in (1, 16, 64, 256, 1024, 4096)]
    page = layout(roofline(ops, [chip("tpu-v5e")], at))
    assert page.up > HEIGHT


def test_a_title_is_never_cut() -> None:
    long = "x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> y:bf16[B,F]"
    figure = roofline([op(long)], [chip("h100-sxm")])
    page = layout(figure)
    assert len(page.title) > 1 and " ".join(map(plain, page.title)) == plain(figure.title)
    assert long in plain(figure.title) and "…" not in plain(figure.title)
    assert layout(replace(figure, title=("word " * 60,))).top > page.top


def test_letters_keep_their_size_in_a_wider_or_narrower_file() -> None:
    figure = roofline([MATMUL], [chip("tpu-v5e")], SWEEP)
    sizes = {}
    for width in (10, 14, 25):
        text = svg_file(figure, Fraction(width))
        box, shown = re.search(r'viewBox="0 0 (\d+)', text), re.search(r'width="([\d.]+)pt"', text)
        letters = re.search(r'font-size="([\d.]+)"', text)
        assert box and shown and letters
        sizes[width] = float(letters[1]) * float(shown[1]) / float(box[1])
    assert all(abs(a - b) < 0.05 for a, b in pairwise(sizes.values())), sizes


def test_nothing_lies_left_of_the_page() -> None:
    page = layout(roofline([MATMUL], [chip("tpu-v5e")], SWEEP))
    assert all(label.box[0] > -LEFT and label.box[2] < page.width - LEFT for label in page.labels)
