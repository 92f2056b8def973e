"""Formulas as profilers and planners write them: what is read of this file is held to what it returns when it runs."""

import math
from enum import Enum, auto
from types import SimpleNamespace

BITS_PER_BYTE = 8
HALF = 1 / 2


class Kind(Enum):
    DENSE = auto()
    EXPERTS = auto()


def prod(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


class Model:
    gated = True
    widths = {"bf16": 16, "fp8": 8}  # noqa: RUF012 (as such files have it)

    def __init__(self, details):
        self.details = details
        self.rows, self.inner, self.columns = (details[key] for key in ("rows", "inner", "columns"))

    @property
    def width(self):
        return self.widths[self.kind] // BITS_PER_BYTE

    @staticmethod
    def flops_func(rows, inner, columns, bias=False, *, times=1):
        total = 2 * rows * inner * columns
        if bias:
            total += rows * columns
        return total * times

    def flops(self):
        return self.flops_func(self.rows, self.inner, self.columns, bias=self.details["bias"])

    def bytes(self, width=None):
        if width is None:
            width = self.width
        shapes = [(self.rows, self.inner), (self.inner, self.columns)]
        shapes.append((self.rows, self.columns))
        return width * sum(prod(shape) for shape in shapes if len(shape) > 1)


class Batched(Model):
    kind = "bf16"

    def flops(self):
        return self.details.get("batch", 1) * super().flops()

    def bytes(self, width=None):
        self.doubled = 2 * super().bytes(width)
        return self.doubled / 2


def planned(config, batch, log=True):
    """A pass of a model, by a configuration."""
    if config.kind == Kind.EXPERTS and config.experts > 1:  # noqa: SIM108
        chosen = config.top_k
    else:
        chosen = 1

    def mlp(tokens, scale=1.0):
        return 4 * tokens * config.hidden * config.ffn * scale * (3 / 2 if config.gated else 1.0)

    tokens = batch * config.length
    attention = 0
    for index, part in enumerate(("scores", "values")):
        attention += tokens * config.length * config.hidden * (index + 1 if part == "values" else 2)
    if log:
        print("told", tokens)
    rounded = -(-config.ffn // config.tile) * config.tile
    latent = getattr(config, "latent", None)
    extra = 0 if latent is None else tokens * latent
    pad = max(rounded, config.ffn) - min(rounded, config.ffn)
    return mlp(tokens) * chosen * HALF + attention + extra, {"pad": math.ceil(pad / config.tile), "layers": layers(3)}


def layers(count):
    return sum([1 if (i + 1) % 2 == 0 else 2 for i in range(count)])


def convolved(x_shape, w_shape, stride=1, padding=0):
    strides = stride if type(stride) is tuple else (stride,) * len(w_shape[2:])
    out = []
    for k, (size, window) in enumerate(zip(x_shape[2:], w_shape[2:], strict=True)):
        out.append((size + 2 * padding - (window - 1) - 1) // strides[k] + 1)
    return int(2 * math.prod(w_shape) * x_shape[0] * math.prod(out))


def batched(rows, inner, columns, bias, batch):
    return Batched({"rows": rows, "inner": inner, "columns": columns, "bias": bias, "batch": batch})


def config(kind, experts, top_k, hidden, ffn, length, gated, tile):
    return SimpleNamespace(
        kind=kind, experts=experts, top_k=top_k, hidden=hidden, ffn=ffn, length=length, gated=gated, tile=tile
    )
