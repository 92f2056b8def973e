"""Errors for code that cannot be traced: one line with file:line and the fix, and exit status 2.

The tests in trace/ cover all such errors and their messages. Each command here starts a process with its framework.
"""

# ruff: noqa: E501 (each message is on one line)

import pytest

from roofproof.cli import main

pytestmark = pytest.mark.frameworks

JAX = """def by_value(x):
    if x[0] > 0:
        return x
    return -x
"""
TORCH = """import torch

def by_size(x):
    return x.new_zeros(int(x.shape[0] ** 0.5))

def turns(x):
    for _ in range(x.shape[0]):
        x = x + 1
    return x
"""
REFUSED = [
    ("jax", JAX, "by_value", "en", "code.py:2: a value of an array is needed while tracing, and there is none; use jnp.where, "
     "lax.cond or lax.fori_loop"),
    ("torch", TORCH, "by_size", "en", "code.py:4: a value that FloatPow makes of the size N is used here; give N a number in the "
     "shapes"),
    ("jax", JAX, "by_value", "zh", "code.py:2：跟踪时需要数组的值，而此时没有值；请用 jnp.where、lax.cond 或 lax.fori_loop"),
    ("torch", TORCH, "turns", "zh", "code.py:7：这里把尺寸 N 当作数值使用；请在形状中给它一个数；若各层由循环生成，"
     "则用 --unrolled N"),
]  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("framework", "code", "name", "lang", "told"), REFUSED, ids=range(len(REFUSED)))
def test_bad_code_is_one_line_with_the_place_and_the_cure(framework, code, name, lang, told, tmp_path, capsys):
    pytest.importorskip(framework, reason=f"{framework} is not installed; cure: pip install 'roofproof[{framework}]'")
    file = tmp_path / "code.py"
    file.write_text(code, encoding="utf-8")
    assert main(["derive", f"{file}:{name}", "--shapes", "x:fp32[N]", "--lang", lang]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", f"roofproof: {told}\n")
