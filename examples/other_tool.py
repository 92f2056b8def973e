"""Formulas that another tool might use, for `roofproof audit`."""

PEAK = 1979e12  # FLOP/s of an H100 SXM in bf16, with sparsity, as printed in the datasheet
BANDWIDTH = 3.35e12  # B/s


def matmul_flops(B, D, F):
    """Return the FLOPs of a matmul, with every product and addition counted: B F (2 D - 1)."""
    return int(B) * int(F) * (2 * int(D) - 1)


def matmul_bytes(B, D, F):
    """Return the bytes of a matmul, but forget that the result is written back."""
    return 2 * (B * D + D * F)


def matmul_seconds(B, D, F):
    """Return the longer of compute and memory time, with a peak that dense products do not reach."""
    return max(2 * B * D * F / PEAK, 2 * (B * D + D * F + B * F) / BANDWIDTH)
