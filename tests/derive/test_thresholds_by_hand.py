"""Thresholds computed by hand from the bytes of each tensor, which fix the reads that are counted and how often."""

import pytest

from roofproof import threshold


@pytest.mark.parametrize(
    ("operation", "chip", "size", "at", "smallest"),
    [
        # R = 1978/3.35, R (D F + 4 n m) / (2 D F - R (D + 2 F + 4 n)) with a scale for 128 x 128 weights: 441.25
        ("block-scaled-matmul", "h100-sxm", "B", {"n": 16, "G": 128, "m": 56, "H": 128}, 442),
        # R = 989/3.35, 10 L^2 k FLOPs over 16 L k + 4 L bytes, the output and the statistics of rows read: 473.28
        ("flash-attention-backward", "h100-sxm", "L", {"k": 128}, 474),
        # R = 989/4.8, the experts that B tokens can choose are read, all 256 of a layer for B >= 32: 1820.99
        ("examples/models/deepseek-v3.json:decode,w=fp8,touched=most", "h200-sxm", "B", {"S": 1024}, 1821),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_a_threshold_is_that_of_the_bytes_that_are_read(operation, chip, size, at, smallest):
    assert threshold(operation, chip, size, at=at).integer == smallest
