"""Thirty-one functions in JAX and in PyTorch, with the shapes of their arguments, for questions about traces."""

from collections.abc import Callable
from typing import Any

HEADS = "q:bf16[B,L,h,k], k:bf16[B,S,h,k], v:bf16[B,S,h,k]"
SHAPES = {  # shapes of the arguments, then conditions. INDEX is the usual format of indices
    "matmul": ("x:bf16[B,D], w:bf16[D,F]", ""),
    "matvec": ("w:fp32[F,D], x:fp32[D]", ""),
    "outer": ("x:fp32[M], y:fp32[N]", ""),
    "dot": ("x:fp32[N], y:fp32[N]", ""),
    "batched": ("x:bf16[n,B,D], y:bf16[n,D,F]", ""),
    "lora": ("x:bf16[B,D], w:bf16[D,F], a:bf16[D,r], b:bf16[r,F]", ""),
    "row_scale": ("x:bf16[B,D], s:bf16[B]", ""),
    "experts": ("x:bf16[B,D], w:bf16[e,D,F], gate:bf16[B,e]", ""),
    "attention": (HEADS, ""),
    "causal": ("q:fp32[T,k], k:fp32[T,k], v:fp32[T,k]", ""),
    "grouped": ("q:bf16[B,L,g,r,k], k:bf16[B,S,g,k], v:bf16[B,S,g,k]", ""),
    "cached": ("q:bf16[B,k], keys:bf16[B,S,k], values:bf16[B,S,k]", ""),
    "rotary": ("x:bf16[B,L,2*p], cos:bf16[L,p], sin:bf16[L,p]", ""),
    "gated": ("x:bf16[B,D], gate:bf16[D,F], up:bf16[D,F], down:bf16[F,D]", ""),
    "mlp": ("x:fp32[B,D], w1:fp32[D,F], w2:fp32[F,D]", ""),
    "gradient": ("w1:fp32[D,F], w2:fp32[F,D], x:fp32[B,D]", ""),
    "softmax": ("x:fp32[B,N]", ""),
    "rms_norm": ("x:bf16[B,D], w:bf16[D]", ""),
    "layer_norm": ("x:fp32[B,D], w:fp32[D], b:fp32[D]", ""),
    "silu": ("x:bf16[N]", ""),
    "cross_entropy": ("x:fp32[B,C], y:INDEX[B]", ""),
    "embedding": ("table:bf16[V,D], i:INDEX[T]", "T <= V"),
    "scatter": ("x:fp32[V], i:INDEX[T], s:fp32[T]", "T <= V"),
    "axpy": ("x:fp32[N], y:fp32[N]", ""),
    "row_sum": ("x:fp32[B,N]", ""),
    "cumulative": ("x:fp32[B,N]", ""),
    "chosen": ("p:bool[N], x:fp32[N], y:fp32[N]", ""),
    "stencil": ("x:fp32[M,N]", "M >= 2; N >= 2"),
    "convolution": ("x:fp32[N,C,P,Q], w:fp32[K,C,3,3]", "P >= 3; Q >= 3"),
    "pool": ("x:fp32[N,C,2*P,2*Q]", ""),
    "adam": ("w:fp32[N], m:fp32[N], v:fp32[N], g:fp32[N]", ""),
}


def in_jax() -> dict[str, Callable[..., Any]]:
    import jax
    import jax.numpy as np
    from jax import lax, nn

    def attention(q: Any, k: Any, v: Any) -> Any:
        return np.einsum("bhls,bshk->blhk", nn.softmax(np.einsum("blhk,bshk->bhls", q, k), -1), v)

    def causal(q: Any, k: Any, v: Any) -> Any:
        seen = np.tril(np.ones((q.shape[0], q.shape[0]), bool))
        return nn.softmax(np.where(seen, q @ k.T, -np.inf), -1) @ v

    def grouped(q: Any, k: Any, v: Any) -> Any:
        return np.einsum("bgrls,bsgk->blgrk", np.einsum("blgrk,bsgk->bgrls", q, k), v)

    def cached(q: Any, keys: Any, values: Any) -> Any:
        return np.einsum("bs,bsk->bk", np.einsum("bk,bsk->bs", q, keys), values)

    def rotary(x: Any, cos: Any, sin: Any) -> Any:
        a, b = np.split(x, 2, -1)
        return np.concatenate([a * cos - b * sin, a * sin + b * cos], -1)

    def gradient(w1: Any, w2: Any, x: Any) -> Any:
        return jax.grad(lambda a, b: np.sum(np.square(nn.relu(x @ a) @ b)), (0, 1))(w1, w2)

    def cross_entropy(x: Any, y: Any) -> Any:
        return np.sum(nn.logsumexp(x, axis=-1) - np.take_along_axis(x, y[:, None], -1)[:, 0])

    def layer_norm(x: Any, w: Any, b: Any) -> Any:
        y = x - np.mean(x, -1, keepdims=True)
        return y * lax.rsqrt(np.mean(y * y, -1, keepdims=True) + 1e-5) * w + b

    def adam(w: Any, m: Any, v: Any, g: Any) -> Any:
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        return w - 0.001 * m / (np.sqrt(v) + 1e-8), m, v

    def pool(x: Any) -> Any:
        return lax.reduce_window(x, -np.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")

    return {
        **everywhere(np),
        **{f.__name__: f for f in (attention, causal, grouped, cached, rotary, gradient, cross_entropy, layer_norm)},
        "adam": adam,
        "pool": pool,
        "gated": lambda x, gate, up, down: (nn.silu(x @ gate) * (x @ up)) @ down,
        "mlp": lambda x, w1, w2: nn.gelu(x @ w1) @ w2,
        "softmax": lambda x: nn.softmax(x, -1),
        "rms_norm": lambda x, w: x * lax.rsqrt(np.mean(x * x, -1, keepdims=True) + 1e-6) * w,
        "silu": nn.silu,
        "embedding": lambda table, i: np.take(table, i, axis=0),
        "scatter": lambda x, i, s: x.at[i].add(s),
        "row_sum": lambda x: np.sum(x, 1),
        "cumulative": lambda x: np.cumsum(x, 1),
        "stencil": lambda x: np.roll(x, 1, 0) + np.roll(x, -1, 0) - 2 * x,
        "convolution": lambda x, w: lax.conv(x, w, (1, 1), "VALID"),
    }


def in_torch() -> dict[str, Callable[..., Any]]:
    import torch
    from torch.nn import functional as nn

    def attention(q: Any, k: Any, v: Any) -> Any:
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        return (torch.softmax(q @ k.transpose(2, 3), -1) @ v).transpose(1, 2)

    def causal(q: Any, k: Any, v: Any) -> Any:
        seen = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool).tril()
        return torch.softmax((q @ k.T).masked_fill(~seen, -torch.inf), -1) @ v

    def grouped(q: Any, k: Any, v: Any) -> Any:
        return torch.einsum("bgrls,bsgk->blgrk", torch.einsum("blgrk,bsgk->bgrls", q, k), v)

    def cached(q: Any, keys: Any, values: Any) -> Any:
        return torch.einsum("bs,bsk->bk", torch.einsum("bk,bsk->bs", q, keys), values)

    def rotary(x: Any, cos: Any, sin: Any) -> Any:
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1)

    def gradient(w1: Any, w2: Any, x: Any) -> Any:
        w1, w2 = w1.requires_grad_(), w2.requires_grad_()
        return torch.autograd.grad((torch.relu(x @ w1) @ w2).square().sum(), (w1, w2))

    def adam(w: Any, m: Any, v: Any, g: Any) -> Any:
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        return w - 0.001 * m / (torch.sqrt(v) + 1e-8), m, v

    return {
        **everywhere(torch),
        **{f.__name__: f for f in (attention, causal, grouped, cached, rotary, gradient, adam)},
        "gated": lambda x, gate, up, down: (nn.silu(x @ gate) * (x @ up)) @ down,
        "mlp": lambda x, w1, w2: nn.gelu(x @ w1) @ w2,
        "softmax": lambda x: torch.softmax(x, -1),
        "rms_norm": lambda x, w: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * w,
        "layer_norm": lambda x, w, b: nn.layer_norm(x, x.shape[-1:], w, b),
        "silu": lambda x: nn.silu(x),
        "cross_entropy": lambda x, y: nn.cross_entropy(x, y, reduction="sum"),
        "embedding": lambda table, i: table[i],
        "scatter": lambda x, i, s: x.scatter_add(0, i, s),
        "row_sum": lambda x: x.sum(1),
        "cumulative": lambda x: x.cumsum(1),
        "stencil": lambda x: x.roll(1, 0) + x.roll(-1, 0) - 2 * x,
        "convolution": lambda x, w: nn.conv2d(x, w),
        "pool": lambda x: nn.max_pool2d(x, 2),
    }


def everywhere(np: Any) -> dict[str, Callable[..., Any]]:
    """Return the functions that both frameworks write alike."""
    return {
        "matmul": lambda x, w: x @ w,
        "matvec": lambda w, x: w @ x,
        "outer": lambda x, y: np.outer(x, y),
        "dot": lambda x, y: x @ y,
        "batched": lambda x, y: x @ y,
        "lora": lambda x, w, a, b: x @ w + (x @ a) @ b,
        "row_scale": lambda x, s: x * s[:, None],
        "experts": lambda x, w, gate: np.einsum("bef,be->bf", np.einsum("bd,edf->bef", x, w), gate),
        "axpy": lambda x, y: 2.0 * x + y,
        "chosen": lambda p, x, y: np.where(p, x, y),
    }


BY = {"jax": in_jax, "torch": in_torch}
INDEX = {"jax": "int32", "torch": "int64"}


def named(by: str, name: str) -> tuple[Callable[..., Any], str, str]:
    """Return a function in a framework, the shapes of its arguments, and the conditions."""
    shapes, where = SHAPES[name]
    return BY[by]()[name], shapes.replace("INDEX", INDEX[by]), where
