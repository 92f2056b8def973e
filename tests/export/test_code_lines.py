"""The picture of the lines of traced code: each where its FLOPs and bytes put it, a ring where bytes take longer."""

import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from roofproof import chip
from roofproof.errors import RoofproofError
from roofproof.export.plots import Figure, lines_of_code
from roofproof.export.plots.code_lines import lines_left_out
from roofproof.export.plots.pgf import texts
from roofproof.export.plots.texts import plain_signs
from roofproof.export.text.rows import rows_text
from roofproof.ops.operation import one_kernel
from roofproof.symbols import dimension
from roofproof.trace.operation import Row, Traced
from roofproof.trace.program import Place

H100 = chip("h100-sxm")
B = dimension("B")


def traced(*demands: tuple[dict[str, object], dict[str, object]]) -> Traced:
    """Return an operation of so many lines, from line 2 on."""
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


def shown(figure: Figure) -> str:
    return "\n".join(map(plain_signs, texts(figure)))


AMOUNT = st.integers(1, 10**15)


@settings(max_examples=12, deadline=None)
@given(st.lists(st.tuples(AMOUNT, AMOUNT, AMOUNT), min_size=1, max_size=6))
def test_a_line_is_where_its_longest_engine_puts_it_and_a_ring_where_bytes_take_longer(amounts):
    op = traced(*(({"bf16": a, "fp32-vector": b}, {"memory": c}) for a, b, c in amounts))
    peaks = {"bf16": 9.89e14, "fp32-vector": 6.69e13}  # FLOP/s of the chip's file
    expected = []
    for a, b, c in amounts:
        flops, peak = max(((a, peaks["bf16"]), (b, peaks["fp32-vector"])), key=lambda pair: pair[0] / pair[1])
        expected.append((flops / c, min(peak, flops / c * 3.35e12), flops / peak <= c / 3.35e12))
    found = [(*mark.at, mark.hollow) for mark in lines_of_code(op, H100, {}).marks]
    for one, other in zip(sorted(expected), sorted(found), strict=True):
        assert abs(one[0] / other[0] - 1) < 1e-9 and abs(one[1] / other[1] - 1) < 1e-9
        assert one[2] == other[2] or abs(one[0] / 295.223880597 - 1) < 1e-9 or abs(one[0] / 19.9701492537 - 1) < 1e-9


def test_lines_that_touch_share_a_label_and_those_without_intensity_are_named():
    op = traced(
        ({"bf16": 1000 * B}, {"memory": B}),
        ({"bf16": 2100 * B}, {"memory": 2 * B}),
        ({"bf16": 10 * B}, {"memory": B}),
        ({"bf16": B}, {}),
        ({}, {"memory": B}),
    )
    figure = lines_of_code(op, H100, {"B": 64})
    assert plain_signs(figure.title) == "3 of 5 lines of code, fused (B = 64)"
    assert [mark.hollow for mark in figure.marks].count(True) == 1
    assert {"code.py:2, 3", "code.py:4"} <= {plain_signs(line) for label in figure.labels for line in label.lines}
    assert "○ bandwidth-bound" in plain_signs(figure.y.title) and "ridge 295.2" in shown(figure)
    assert lines_left_out(op, H100, {"B": 64}) == {"bytes": ("code.py:5",), "flops": ("code.py:6",)}
    chinese = lines_of_code(op, H100, {"B": 64}, "zh")
    assert plain_signs(chinese.title) == "代码 5 行中的 3 行：code, fused (B = 64)"
    assert r"draw=rps0, line width=1.4pt" in figure.pgfplots()  # the ring


def test_a_chip_without_a_figure_of_an_engine_names_the_lines_that_need_it():
    op = traced(({"bf16": B**2}, {"memory": B}), ({"exp": B}, {"memory": B}))
    assert lines_left_out(op, chip("a10"), {"B": 64}) == {"figure": ("code.py:3",)}
    assert len(lines_of_code(op, chip("a10"), {"B": 64}).marks) == 1


def test_many_lines_are_drawn_whatever_room_their_labels_find():
    op = traced(*(({"bf16": n * n * B}, {"memory": 7 * B + n}) for n in range(1, 120)))
    assert len(lines_of_code(op, H100, {"B": 64}).marks) == 119


def test_what_cannot_be_drawn_is_refused():
    D = dimension("D")
    for op, at, told in (
        (traced(({"bf16": B * D}, {"memory": B})), {"B": 4}, "'code' has no size for D; give it, as in --at D=4096"),
        (traced(({"bf16": B}, {}), ({}, {"memory": B})), {"B": 4},
         "no line of 'code' both computes and moves; there is no intensity to draw"),
        (Traced("none", one_kernel("none", links={"memory": B}).kernels), {"B": 4},
         "'none' has no lines of code to draw"),
    ):  # fmt: skip
        try:
            lines_of_code(op, H100, at)
        except RoofproofError as error:
            assert str(error) == told
        else:
            raise AssertionError(told)


def test_what_two_formats_take_on_one_engine_is_the_time_of_their_line():
    op = traced(({"bf16": 2 * 10**9, "fp32": 2 * 10**9}, {"memory": 12 * 10**6}))
    text = rows_text(op, chip("bf16=100 TFLOP/s, fp32=100 TFLOP/s, hbm=1 TB/s"), {})
    assert "= 40 us" in text and "= 20 us" not in text  # 2 GFLOP and 2 GFLOP, one after the other
