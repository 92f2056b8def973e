"""The time of each line of traced code."""

import sympy

from roofproof import chip
from roofproof.export.explain.traced import explain_lines
from roofproof.export.to_text import untitled_text
from roofproof.ops.operation import one_kernel
from roofproof.trace.operation import Row, Traced
from roofproof.trace.program import Place


def traced(*demands: tuple[dict[str, object], dict[str, object]]) -> Traced:
    """Return an operation with one line per demand, starting at line 2."""
    rows = []
    compute: dict[str, sympy.Expr] = {}
    moved: dict[str, sympy.Expr] = {}
    for line, (work, to) in enumerate(demands, 2):
        work, to = ({name: sympy.sympify(n) for name, n in each.items()} for each in (work, to))
        row = Row(Place("code.py", line), ("step",), work, to)
        rows.append(row)
        for total, demand in ((compute, row.compute), (moved, row.moved)):
            for name, amount in demand.items():
                total[name] = total.get(name, sympy.Integer(0)) + amount
    return Traced("code", one_kernel("code", compute, links=moved).kernels, rows=tuple(rows), model="fused")


def test_what_two_formats_take_on_one_engine_is_the_time_of_their_line():
    op = traced(({"bf16": 2 * 10**9, "fp32": 2 * 10**9}, {"memory": 12 * 10**6}))
    text = untitled_text(explain_lines(op, chip("bf16=100 TFLOP/s, fp32=100 TFLOP/s, hbm=1 TB/s"), {}))
    assert "= 40 us" in text and "= 20 us" not in text  # 2 GFLOP and 2 GFLOP, one after the other
