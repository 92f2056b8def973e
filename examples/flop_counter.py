"""The formulas of `torch.utils.flop_counter` as functions of the sizes of library operations, for `roofproof audit`.

Each function calls the formula in the registry of the installed PyTorch with the shapes of the operation:

    roofproof audit examples.flop_counter:mm --op matmul
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Sizes = Sequence[Any]


def _counted(name: str, *shapes: Any, out: Sizes | None = None) -> Any:
    import torch
    from torch.utils.flop_counter import flop_registry

    return flop_registry[getattr(torch.ops.aten, name)](*shapes, out_val=out)


def mm(B: Any, D: Any, F: Any) -> Any:
    """Return PyTorch's FLOP count of a matrix product.

    >>> mm(4, 8, 16)                                           # 2 * 4 * 8 * 16
    1024
    """
    return _counted("mm", (B, D), (D, F))


def bmm(N: Any, B: Any, D: Any, F: Any) -> Any:
    """Return PyTorch's FLOP count of a batch of N matrix products.

    >>> bmm(3, 4, 8, 16)
    3072
    """
    return _counted("bmm", (N, B, D), (N, D, F))


def convolution(N: Any, C: Any, K: Any, P: Any, Q: Any, R: Any, S: Any) -> Any:
    """Return PyTorch's FLOP count of a convolution with P x Q outputs.

    >>> convolution(1, 2, 3, 4, 4, 3, 3)                       # 2 * 2 * 3 * 4^2 * 3^2
    1728
    """
    return _counted("convolution", (N, C), (K, C, R, S), None, 1, 0, 1, False, out=(N, K, P, Q))


def depthwise_gradient(N: Any, C: Any, P: Any, Q: Any, R: Any, S: Any) -> Any:
    """Return PyTorch's FLOP count of the weight gradient of a depthwise convolution.

    >>> depthwise_gradient(1, 4, 1, 1, 3, 3)                   # 2 * 4 * 3^2, for each of 4 channels again
    288
    """
    given, weights, only = (N, C, P, Q), (C, 1, R, S), (False, True, False)
    nothing = (None,) * 3
    taken = (N, C, R + P - 1, S + Q - 1)
    return _counted(
        "convolution_backward", given, taken, weights, None, *nothing, False, None, C, only, out=(None, weights)
    )


def attention(h: Any, L: Any, k: Any) -> Any:
    """Return PyTorch's FLOP count of attention with h heads, the same with and without a causal mask.

    >>> attention(2, 8, 16)                                    # 4 * 2 * 8^2 * 16
    8192
    """
    return _counted("_scaled_dot_product_flash_attention", *[(1, h, L, k)] * 3)
