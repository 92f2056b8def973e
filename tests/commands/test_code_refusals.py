"""Code that cannot be traced, on the command line: one line with file:line and the cure, exit status 2, nothing else."""

# ruff: noqa: E501 (a message stands on a line)

import pytest

from roofproof.cli import main

pytestmark = pytest.mark.frameworks

JAX = """import jax.numpy as jnp
import numpy as np

def fails(x):
    return x @ x.nothing

def by_value(x):
    if x[0] > 0:
        return x
    return -x

def by_size(x):
    return x * np.sqrt(x.shape[0])

def turns(x):
    for _ in range(x.shape[0]):
        x = x + 1
    return x

def unruled(x):
    return jnp.linalg.eigh(x)[0]

def picked(x):
    return x[x > 0]
"""
TORCH = """import torch
from torch import nn

def fails(x):
    return x @ x.nothing

def by_value(x):
    if x[0] > 0:
        return x
    return -x

def by_size(x):
    return x.new_zeros(int(x.shape[0] ** 0.5))

def turns(x):
    for _ in range(x.shape[0]):
        x = x + 1
    return x

class Unruled(nn.Module):
    def forward(self, x):
        return torch.linalg.eigh(x)[0]

class Read(nn.Module):
    def forward(self, x):
        return x * x.sum().item()

def picked(x):
    return x[x > 0]
"""
VALUE = "a value of {} is needed while tracing, and there is none; use {}"
RULE = "has no rule; add one by roofproof.trace.rule({!r}, compute={{'bf16': '...'}})"
PICKED = "how many elements an index of truth values takes depends on them; use {}.where with a value for the others"
GIVEN = "code.py:4: no shape of the parameter 'x'; add x:bf16[...] to the shapes, or x=NUMBER"
REFUSED = [
    (JAX, "fails", "fp32[N,N]", "code.py:5: AttributeError: DynamicJaxprTracer has no attribute nothing"),
    (JAX, "by_value", "fp32[N]", "code.py:8: " + VALUE.format("an array", "jnp.where, lax.cond or lax.fori_loop")),
    (JAX, "by_size", "fp32[N]", "code.py:13: a size that is a symbol is used as a value here; give it a number in the shapes, or, where layers are made in a loop, "
     "its name to --unrolled"),
    (JAX, "turns", "fp32[N]", "code.py:16: a size that is a symbol is used as a value here; give it a number in the shapes, or, where layers are made in a loop, "
     "its name to --unrolled"),
    (JAX, "unruled", "fp32[8,8]", "code.py:21: the primitive 'eigh' " + RULE.format("eigh")),
    (JAX, "picked", "fp32[N]", "code.py:24: " + PICKED.format("jnp")),
    (JAX, "fails", "", GIVEN),
    (TORCH, "fails", "fp32[N,N]", "code.py:5: AttributeError: 'FakeTensor' object has no attribute 'nothing'"),
    (TORCH, "by_value", "fp32[N]", "code.py:8: " + VALUE.format("a tensor", "torch.where")),
    (TORCH, "by_size", "fp32[N]", "code.py:13: a value that FloatPow makes of the size N is used here; give N a number in the shapes"),
    (TORCH, "turns", "fp32[N]", "code.py:16: the code uses the size N as a value; give it a number in --shapes, or use --unrolled "
     "N for a loop over layers"),
    (TORCH, "Unruled", "fp32[8,8]", "code.py:22: the primitive '_linalg_eigh' " + RULE.format("_linalg_eigh")),
    (TORCH, "Read", "fp32[N]", "code.py:26: " + VALUE.format("a tensor", "torch.where")),
    (TORCH, "picked", "fp32[N]", "code.py:29: " + PICKED.format("torch")),
    (TORCH, "fails", "", GIVEN),
]  # fmt: skip


@pytest.mark.sampled(9)  # each starts a process with its framework: one of either
@pytest.mark.parametrize(("code", "name", "shape", "told"), REFUSED, ids=range(len(REFUSED)))
def test_bad_code_is_one_line_with_the_place_and_the_cure(code, name, shape, told, tmp_path, capsys):
    for framework in ("jax", "torch"):
        pytest.importorskip(
            framework, reason=f"{framework} is not installed; cure: pip install 'roofproof[{framework}]'"
        )
    file = tmp_path / "code.py"
    file.write_text(code, encoding="utf-8")
    shapes = ["--shapes", f"x:{shape}"] if shape else []
    assert main(["derive", f"{file}:{name}", *shapes]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", f"roofproof: {told}\n")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("code", "name", "told"), [
    (JAX, "by_value", "code.py:8：跟踪时需要数组的值，而此时没有值；请用 jnp.where、lax.cond 或 lax.fori_loop"),
    (JAX, "turns", "code.py:16：这里把作为符号的尺寸当作数值使用；请在形状中给它一个数；若各层由循环生成，则用 --unrolled 给出它的名称"),
    (TORCH, "by_value", "code.py:8：跟踪时需要张量的值，而此时没有值；请用 torch.where"),
    (TORCH, "turns", "code.py:16：这里把尺寸 N 当作数值使用；请在形状中给它一个数；若各层由循环生成，则用 --unrolled N"),
])  # fmt: skip
def test_bad_code_is_told_in_chinese(code, name, told, tmp_path, capsys):
    for framework in ("jax", "torch"):
        pytest.importorskip(
            framework, reason=f"{framework} is not installed; cure: pip install 'roofproof[{framework}]'"
        )
    file = tmp_path / "code.py"
    file.write_text(code, encoding="utf-8")
    assert main(["derive", f"{file}:{name}", "--shapes", "x:fp32[N]", "--lang", "zh"]) == 2
    assert capsys.readouterr().err == f"roofproof: {told}\n"
