"""Tracing patches no user code and no Python type, so traced code sees its own module unchanged."""

import builtins
import math
import sys
import types

import pytest

from roofproof import trace

pytestmark = pytest.mark.frameworks
CODE = """
from math import sqrt

import LIBRARY as lib

SIZE = 4
seen = []


def helper(x):
    return x * SIZE


def program(x):
    seen.append((dict(globals()), int, float, len, sqrt))
    return helper(x) + sqrt(SIZE)
"""


@pytest.mark.parametrize("library", ["torch", "jax.numpy"])
def test_code_that_is_traced_sees_its_module_as_it_wrote_it(library: str) -> None:
    pytest.importorskip(library.partition(".")[0])
    module = types.ModuleType("a_users_module")
    sys.modules[module.__name__] = module
    try:
        exec(compile(CODE.replace("LIBRARY", library), "a_users_module.py", "exec"), vars(module))
        before, functions = dict(vars(module)), (module.helper.__code__, module.program.__code__)
        front = trace.torch if library == "torch" else trace.jax
        op = front(module.program, "x:fp32[B,8]")
        assert op.compute["fp32-vector"].free_symbols
        inside, *names = module.seen[-1]
        assert {k: v for k, v in inside.items() if before.get(k) is not v} == {}
        assert names == [builtins.int, builtins.float, builtins.len, math.sqrt]
        assert dict(vars(module)) == before
        assert functions == (module.helper.__code__, module.program.__code__)
    finally:
        del sys.modules[module.__name__]
