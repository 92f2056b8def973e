"""Figures cover only sizes at which the operation exists."""

from collections.abc import Callable

import pytest

from roofproof import chip, op
from roofproof.errors import RoofproofError
from roofproof.export.plots import Figure, achieved, regions, roofline, threshold_curve, times
from roofproof.export.plots.addplot import math_tex
from roofproof.export.plots.model import Math, plain
from roofproof.hardware import chip_from_text

H100, V5E = chip("h100-sxm"), chip("tpu-v5e")
WINDOWS = op("sliding-window-attention")
BARE = chip_from_text("bf16=197 TFLOP/s, hbm=819 GB/s")
WIDE = {"B": 8192, "F": 8192}
BLOCKS = {**WIDE, "D": 8192, "t": 64}
EXISTING: list[tuple[Callable[[], Figure], Callable[[float, float], bool]]] = [
    (lambda: achieved(WINDOWS, H100, "L", [{"W": 1024, "k": 128, "h": 32}]), lambda x, y: x >= 1024),
    (lambda: times(WINDOWS, H100, "L", {"W": 1024, "k": 128, "h": 32}), lambda x, y: x >= 1024),
    (lambda: times(WINDOWS, H100, "W", {"L": 4096, "k": 128, "h": 32}), lambda x, y: x <= 4096),
    (lambda: regions(WINDOWS, H100, "L", "W", {"k": 128, "h": 32}), lambda x, y: x <= y),
    (lambda: regions(WINDOWS, H100, "k", "W", {"L": 8192, "h": 32}), lambda x, y: x <= 8192),
    (lambda: threshold_curve(WINDOWS, [H100], "L", "W", {"k": 128, "h": 32}), lambda x, y: x <= y),
    (lambda: regions(op("grouped-matmul"), H100, "k", "E", dict.fromkeys("BDF", 4096)), lambda x, y: y <= x),
    (
        lambda: threshold_curve(op("chunked-prefill-attention"), [H100], "L", "S", {"k": 128, "h": 32}),
        lambda x, y: y <= x,
    ),
    (  # 16 (b + 8)^3 <= 167936: b <= 13.9
        lambda: times(op("blocked-stencil"), chip("a100-80gb-sxm"), "b", {"N": 512, "T": 4}),
        lambda x, y: 16 * (x + 8) ** 3 <= 167936,
    ),
    (  # a block size or number of chips that divides a size cannot exceed it
        lambda: times(op("tiled-matmul"), V5E, "b", {"B": 4096, "D": 4096, "F": 4096, "f": 128, "t": 64}),
        lambda x, y: x <= 4096,
    ),
    (
        lambda: achieved(op("tiled-matmul"), V5E, "b", [{"B": 512, "D": 4096, "F": 4096, "f": 128, "t": 64}]),
        lambda x, y: x <= 512,
    ),
    (lambda: regions(op("data-parallel"), V5E, "X", "B", {"D": 4096, "F": 4096}), lambda x, y: y <= x),
    (lambda: threshold_curve(op("data-parallel"), [V5E], "X", "B", {"D": 4096, "F": 4096}), lambda x, y: y <= x),
    (lambda: threshold_curve(op("fsdp"), [V5E], "B", "X", {"D": 4096, "F": 4096}), lambda x, y: x <= y and x <= 4096),
    (lambda: times(op("sharded-matmul:n=16"), V5E, "D", {"B": 64, "F": 4096}), lambda x, y: x >= 16),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize("draw, there", EXISTING)
def test_nothing_is_drawn_where_an_operation_does_not_exist(
    draw: Callable[[], Figure], there: Callable[[float, float], bool]
) -> None:
    figure = draw()
    points = [
        p for each in (*figure.areas, *figure.curves) if getattr(each, "stroke", 0) is not None for p in each.points
    ]
    points += [mark.at for mark in figure.marks]
    assert len(points) > 20
    near = [(x * left, y * up) for x, y in points for left in (1 - 1e-6, 1 + 1e-6) for up in (1 - 1e-6, 1 + 1e-6)]
    off = [near[i : i + 4] for i in range(0, len(near), 4) if not any(there(*each) for each in near[i : i + 4])]
    assert not off
    assert "≤" in plain(figure.x.title)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("drawn", "grows"),
    [
        (lambda: threshold_curve(op("tiled-matmul"), [chip("tpu-v5e")], "b", "f", BLOCKS), False),  # they fill vmem
        (lambda: threshold_curve(op("tiled-matmul"), [BARE], "b", "f", BLOCKS), False),  # f divides F
        (lambda: threshold_curve(op("tiled-matmul"), [chip("tpu-v5e")], "b", "D", {**WIDE, "f": 256, "t": 64}), True),
        (lambda: threshold_curve(WINDOWS, [H100], "W", "L", {"k": 128, "h": 32}), True),
        (lambda: threshold_curve(op("matmul"), [chip("tpu-v5e")], "B", "D", {"F": 4096}), True),
    ],
)  # fmt: skip
def test_a_size_tends_to_infinity_only_where_nothing_ends_it(drawn: Callable[[], Figure], grows: bool) -> None:
    """Figures once showed f -> oo although large blocks of f by b do not fit in memory, or f divides a number."""
    lines = [plain(line) for label in drawn().labels for line in label.lines]
    assert any("→ ∞" in line for line in lines) == grows


def test_blocks_that_never_fit_are_no_picture() -> None:
    said = r"^blocked-stencil assumes that 16\*\(b \+ 128\)\^3 <= 167936, which no b meets$"
    with pytest.raises(RoofproofError, match=said):
        times(op("blocked-stencil"), chip("a100-80gb-sxm"), "b", {"N": 512, "T": 64})


def test_what_holds_at_the_sizes_given_is_not_told_beside_an_axis() -> None:
    """131072 + 32768 <= 233472 bytes does not depend on L. The axis once read 'L (true)'."""
    figure = times(op("flash-attention:block=128,keys=128"), H100, "L", {"h": 8, "k": 64})
    assert plain(figure.x.title) == "L (128 ≤ L)"  # 128 divides L
    shown = threshold_curve(
        op("tiled-matmul:b=t,f=t,d=64"), [chip("tpu-v5e")], "t", "D", {"B": 8192, "F": 8192}
    ).x.title
    assert plain(shown) == "D (t ≤ 8192, 64 ≤ D, 256 t + 2 t^2 ≤ 134217728)"  # t divides B = 8192, 64 divides D
    assert [math_tex(piece) for piece in shown if isinstance(piece, Math)][-2:] == ["t", "t^{2}"]


def test_a_picture_tells_which_engines_it_leaves_out() -> None:
    scores, v5e = op("flash-attention:block=128,softmax=counted"), chip("tpu-v5e")  # no spec for exponentials
    sizes = {"h": 8, "k": 64}
    assert plain(achieved(scores, v5e, "L", [sizes]).y.title).endswith(", without exp (no spec)")
    assert "不计 exp" in plain(achieved(scores, v5e, "L", [sizes], lang="zh").y.title)
    both = threshold_curve(scores, [v5e, H100], "L", "k", {"h": 8})
    assert plain(both.y.title) == "L, without exp on TPU v5e (no spec)"
    under = roofline([scores], [v5e], [{**sizes, "L": 512}])
    assert plain(under.y.title) == "attainable FLOP/s, without exp (no spec); memory takes longest"
    assert "without" not in plain(achieved(scores, H100, "L", [sizes]).y.title)


def test_dots_of_one_operation_are_told_apart_by_their_engines() -> None:
    under = roofline([op("softmax")], [H100], [{"B": 8, "N": 64}])
    said = {" ".join(map(plain, label.lines)) for label in under.labels}
    assert {"exp", "fp32-vector"} <= said
    both = roofline([op("softmax"), op("layer-norm")], [H100], [{"B": 8, "N": 64}])
    said = {" ".join(map(plain, label.lines)) for label in both.labels}
    assert {"softmax (exp)", "softmax (fp32-vector)"} <= said
