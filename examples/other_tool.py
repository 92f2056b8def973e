"""Formulas as another tool might have them, for `roofproof audit`."""

PEAK = 1979e12  # FLOP/s of an H100 SXM in bf16, as the datasheet prints it: with sparsity
BANDWIDTH = 3.35e12  # B/s


def matmul_flops(B, D, F):
    """Count every product and addition: B F (2 D - 1)."""
    return int(B) * int(F) * (2 * int(D) - 1)


def matmul_bytes(B, D, F):
    """Forget that the result is written back."""
    return 2 * (B * D + D * F)


def matmul_seconds(B, D, F):
    """Take the longer of two times, with a peak that dense products do not reach."""
    return max(2 * B * D * F / PEAK, 2 * (B * D + D * F + B * F) / BANDWIDTH)
