"""Pictures show sizes at which an operation exists, and no others."""

from collections.abc import Callable

import pytest

from roofproof import chip, op
from roofproof.errors import RoofproofError
from roofproof.export.plots import Figure, achieved, regions, threshold_curve, times
from roofproof.export.plots.texts import plain

H100, V5E = chip("h100-sxm"), chip("tpu-v5e")
WINDOWS = op("sliding-window-attention")
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
    (  # a block, or a number of chips, that divides a size is no larger
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


@pytest.mark.parametrize("draw, there", EXISTING)
def test_nothing_is_drawn_where_an_operation_does_not_exist(
    draw: Callable[[], Figure], there: Callable[[float, float], bool]
) -> None:
    figure = draw()
    points = [
        p for each in (*figure.regions, *figure.curves) if getattr(each, "stroke", 0) is not None for p in each.points
    ]
    points += [mark.at for mark in figure.marks]
    assert len(points) > 20
    near = [(x * left, y * up) for x, y in points for left in (1 - 1e-6, 1 + 1e-6) for up in (1 - 1e-6, 1 + 1e-6)]
    off = [near[i : i + 4] for i in range(0, len(near), 4) if not any(there(*each) for each in near[i : i + 4])]
    assert not off
    assert "≤" in plain(figure.x.title)


def test_blocks_that_never_fit_are_no_picture() -> None:
    said = r"^blocked-stencil assumes that 16\*\(b \+ 128\)\*\*3 <= 167936, which no b meets$"
    with pytest.raises(RoofproofError, match=said):
        times(op("blocked-stencil"), chip("a100-80gb-sxm"), "b", {"N": 512, "T": 64})
