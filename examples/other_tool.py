"""Formulas as another tool might have them, for `roofproof audit`."""


def matmul_flops(B, D, F):
    """Count every product and addition: B F (2 D - 1)."""
    return int(B) * int(F) * (2 * int(D) - 1)


def matmul_bytes(B, D, F):
    """Forget that the result is written back."""
    return 2 * (B * D + D * F)
