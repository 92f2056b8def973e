"""`largest` returns the same expression as SymPy's `Max`."""

import pytest
import sympy

from roofproof.derive.algebra.largest import largest
from roofproof.derive.roofline.times import time
from roofproof.errors import RoofproofError
from roofproof.hardware import chip
from roofproof.ops import parse_operation

B, D = sympy.symbols("B D", positive=True)
n = sympy.Symbol("n", positive=True, integer=True)
x = sympy.Symbol("x", real=True)


@pytest.mark.parametrize("name", ["matmul", "axpy", "softmax", "attention", "training-step", "matmul:B=8"])
@pytest.mark.parametrize("on", ["h100-sxm", "tpu-v5e"])
def test_the_time_of_an_operation(name: str, on: str) -> None:
    try:
        times = [*time(parse_operation(name), chip(on)).values()]
    except RoofproofError:
        return
    made, theirs = largest(*times), sympy.Max(*times)
    assert made == theirs and hash(made) == hash(theirs) and made.args == theirs.args


@pytest.mark.parametrize(
    "values",
    [(B, B + D), (B * D / 9, B + D, B**2 / 7), (n, sympy.Integer(1)), (n / 2 + 1, n), (x, 2 * x), (B, B), (B,),
     (sympy.Max(B, D), B * D), (sympy.sqrt(B), B), (B, sympy.oo), (sympy.Integer(2), sympy.Integer(3))],
)  # fmt: skip
def test_other_values(values: tuple[sympy.Expr, ...]) -> None:
    made, theirs = largest(*values), sympy.Max(*values)
    assert made == theirs and made.args == theirs.args
