"""Attention and its gradient, each kept as one step, as in a fused kernel.

Forward, a head with L queries and S keys takes 2 L S (k + v) FLOPs, for keys of size k and values of size v. There is
one exp per score. The scale and the mask take one FLOP per score each, and softmax takes 4 S - 2 per row. Backward, the
scores are computed again, so there are three products of size k and two of size v.
Source: Dao et al., FlashAttention (NeurIPS 2022), algorithms 1 and 4
"""

from __future__ import annotations

from typing import Any
from unittest import mock

import torch
from sympy import Expr, Integer, Mul
from torch.overrides import TorchFunctionMode

from roofproof.errors import RoofproofError
from roofproof.trace.aten.record import Recorder, unseen
from roofproof.trace.aten.recurrent import cell_of, recurrence
from roofproof.trace.dtypes import format_of
from roofproof.trace.work import one_format, vector

NAME = "scaled_dot_product_attention"
_ATTENTION = torch.nn.functional.scaled_dot_product_attention


class AttentionMode(TorchFunctionMode):  # type: ignore[misc]
    """A mode that records attention, and each direction of a recurrent layer, as one step."""

    def __init__(self, record: Recorder) -> None:
        super().__init__()
        self.record = record

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if (cell := cell_of(func, args)) is not None:
            return recurrence(self.record, cell, *args, **(kwargs or {}))
        return (self.attend if func is _ATTENTION else func)(*args, **(kwargs or {}))

    def __enter__(self) -> AttentionMode:
        self.patched = mock.patch.object(torch.nn.functional, NAME, self.attend)  # for PyTorch's own calls
        self.patched.start()
        TorchFunctionMode.__enter__(self)
        return self

    def __exit__(self, *problem: Any) -> None:
        TorchFunctionMode.__exit__(self, *problem)
        self.patched.stop()

    def attend(
        self, query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: Any = 0, is_causal: bool = False,
        scale: Any = None, enable_gqa: bool = False,
    ) -> Any:  # fmt: skip
        if dropout_p:
            raise RoofproofError("attention with dropout has no rule; set dropout_p=0, as where the model is used")
        if not enable_gqa:
            query = _widened(_widened(query, key), value)
        heads, others = query.shape[-3:-2], key.shape[-3:-2]
        if not enable_gqa and heads and others and heads[0] != others[0] and not _one(others[0]):
            raise RoofproofError(
                f"attention of {heads[0]} heads over {others[0]}; enable_gqa=True lets them share keys"
            )
        masked = attn_mask is not None or is_causal
        return _Attend.apply(self.record, masked, is_causal, attn_mask, query, key, value)


class _Attend(torch.autograd.Function):  # type: ignore[misc]
    """Attention as one step, and its gradient as another."""

    @staticmethod
    def forward(
        ctx: Any, record: Recorder, masked: bool, causal: bool, mask: Any, q: Any, k: Any, v: Any
    ) -> Any:  # fmt: skip
        with unseen(record):
            out = torch.empty((*q.shape[:-1], v.shape[-1]), dtype=q.dtype, device=q.device)
            sums = torch.empty(q.shape[:-1], dtype=torch.float32, device=q.device)
        ctx.record, ctx.masked, ctx.causal = record, masked, causal
        rows, S, dk, dv = _sizes(record, q, k, v)
        scores = rows * S
        work = {
            one_format(NAME, record.array(q), record.array(k), record.array(v)): 2 * scores * (dk + dv),
            "exp": scores,
            vector(format_of(q.dtype)): scores * (5 + int(masked)) - 2 * rows,
        }
        taken = [q, k, v] + ([mask] if mask is not None else [])
        record.own(NAME, taken, [out, sums], work, **_seen(record, work, causal, mask, q, k, v))
        ctx.save_for_backward(q, k, v, mask, out, sums)
        return out

    @staticmethod
    def backward(ctx: Any, given: Any) -> Any:
        q, k, v, mask, out, sums = ctx.saved_tensors
        record = ctx.record
        with unseen(record):
            made = [torch.empty_like(t) for t in (q, k, v)]
        rows, S, dk, dv = _sizes(record, q, k, v)
        scores = rows * S
        work = {
            one_format(NAME, record.array(q), record.array(k), record.array(v)): 2 * scores * (3 * dk + 2 * dv),
            "exp": scores,
            vector(format_of(q.dtype)): scores * (5 + int(ctx.masked)) + rows * (2 * dv - 1),
        }
        taken = [q, k, v, given, out, sums] + ([mask] if mask is not None else [])
        record.own(f"{NAME}_backward", taken, made, work, **_seen(record, work, ctx.causal, mask, q, k, v))
        return None, None, None, None, *made


def _one(size: Any) -> bool:
    return isinstance(size, int) and size == 1


def _widened(query: Any, other: Any) -> Any:
    """Return the queries, broadcast along the batch axes that have size 1 in them but not in the other operand."""
    query = query[(None,) * (other.dim() - query.dim())] if other.dim() > query.dim() else query
    mine, theirs = query.shape[:-2], other.shape[:-2]
    if len(mine) == len(theirs) and any(_one(a) and not _one(b) for a, b in zip(mine, theirs, strict=True)):
        shape = (b if _one(a) else a for a, b in zip(mine, theirs, strict=True))
        return query.expand(*shape, *query.shape[-2:])
    return query


def _seen(record: Recorder, work: dict[str, Expr], causal: bool, mask: Any, q: Any, k: Any, v: Any) -> dict[str, Any]:
    """Return the least computation and reads: one value row with a mask, only the visible pairs if causal.

    With n queries and n keys, n (n + 1)/2 of n^2 pairs are visible. Vector work then counts only their softmax.
    """
    if mask is not None:
        return {"least_compute": {}, "least": {0: Integer(0), 1: Integer(0), 2: record.shape(v)[-1]}}
    if not causal:
        return {}
    rows, S, _, _ = _sizes(record, q, k, v)
    L = record.shape(q)[-2]
    n = record.sizes.least(L, S)  # keys that some query sees
    pairs = n * (n + 1) / 2 + (S * (L - S) if n == S else 0)
    share = pairs / (L * S)
    extra = vector(format_of(q.dtype))
    least_compute = {engine: amount * share for engine, amount in work.items() if engine != extra}
    least = {i: record.shape(t)[-1] * Mul(*record.shape(t)[:-2]) * n for i, t in ((1, k), (2, v))} if n != S else {}
    return {"least_compute": least_compute | {extra: 4 * rows * (pairs / L) - 2 * rows}, "least": least}


def _sizes(record: Recorder, q: Any, k: Any, v: Any) -> tuple[Expr, Expr, Expr, Expr]:
    """Return the number of score rows, the number of keys, and the sizes of a key and a value."""
    shape = record.shape(q)
    keys, values = record.shape(k), record.shape(v)
    return Mul(*shape[:-1]), keys[-2], shape[-1], values[-1]
