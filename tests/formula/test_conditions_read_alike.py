"""Conditions mean the same in a claim, in `--where` and in an operation file."""

from itertools import product
from pathlib import Path

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from roofproof.errors import RoofproofError
from roofproof.formula.conditions import divisor_of, extract_fixed_values, read_conditions
from roofproof.formula.printing import to_text
from roofproof.ops import parse_operation
from roofproof.ops.notation.where import contradictory, read_where, with_conditions
from roofproof.symbols import dimension
from roofproof.trace.shapes import read as read_shapes

TRUTHS = {  # the text, and its truth for B and D
    "B even": lambda B, D: B % 2 == 0,
    "B + D odd": lambda B, D: (B + D) % 2 == 1,
    "3 divides B": lambda B, D: B % 3 == 0,
    "2 | B, D": lambda B, D: B % 2 == 0 and D % 2 == 0,
    "3 divides B - D": lambda B, D: (B - D) % 3 == 0,
    "B < D": lambda B, D: B < D,
    "B divides D": lambda B, D: D % B == 0,
    "B, D >= 3": lambda B, D: B >= 3 and D >= 3,
    "B ≥ 3": lambda B, D: B >= 3,
    "B < D < 6": lambda B, D: B < D < 6,
    "B != D": lambda B, D: B != D,
    "B in {1, 3, 5}": lambda B, D: B in (1, 3, 5),
    "B > 4 or D > 4": lambda B, D: B > 4 or D > 4,
    "B > 2 and D < 5": lambda B, D: B > 2 and D < 5,
    "D integer": lambda B, D: True,
    "2 B D > 12": lambda B, D: 2 * B * D > 12,
    "not B > 3": lambda B, D: B <= 3,
    "not (B < D < 6)": lambda B, D: not B < D < 6,
    "not (B > 2 and D > 2)": lambda B, D: not (B > 2 and D > 2),
    "not (B > 2 or not D > 2)": lambda B, D: B <= 2 and D > 2,
    "B > 2 => D > 2": lambda B, D: B <= 2 or D > 2,
    "B ∈ {1, 3, 5}": lambda B, D: B in (1, 3, 5),
    "2 ∣ B": lambda B, D: B % 2 == 0,
    "B D == 6": lambda B, D: B * D == 6,
    "B = 2 D + 1": lambda B, D: B == 2 * D + 1,
    "B/D == 2": lambda B, D: B == 2 * D,
    "floor(B/2) == 3": lambda B, D: B // 2 == 3,
    "not floor(B/2) == 2": lambda B, D: B // 2 != 2,
    "not ceil(B/3) > 1": lambda B, D: B <= 3,
    "3 == ceil(B/2)": lambda B, D: B in (5, 6),
    "2 > floor(D/B)": lambda B, D: D // B < 2,
    "floor(D/B) > 1": lambda B, D: D // B > 1,
    "ceil(D/3) < B": lambda B, D: -(-D // 3) < B,
    "floor(B/2) <= D - 2 < ceil(B/2) + 1": lambda B, D: B // 2 <= D - 2 < -(-B // 2) + 1,
    "B >= ceil(D/3)": lambda B, D: B >= -(-D // 3),
    "max(B, D) = 5": lambda B, D: max(B, D) == 5,
    "B D <= 2^4": lambda B, D: B * D <= 16,
    "B > 2 <=> D > 2": lambda B, D: (B > 2) == (D > 2),
    "not (B > 2 <=> D < 5)": lambda B, D: (B > 2) != (D < 5),
    "B > 2 <=> D > 3 <=> B > D": lambda B, D: (B > 2) == (D > 3) == (B > D),
    "2 B D byte < 12 byte + B byte": lambda B, D: 2 * B * D < 12 + B,
}
POINTS = list(product(range(1, 8), repeat=2))


def holds(conditions: tuple[sympy.Basic, ...], B: int, D: int) -> bool:
    at = {dimension("B"): sympy.Integer(B), dimension("D"): sympy.Integer(D)}
    return all(condition.subs(at).doit() == sympy.true for condition in conditions)


@given(st.lists(st.sampled_from(sorted(TRUTHS)), min_size=1, max_size=3), st.sampled_from(["; ", " ; ", ";"]))
def test_conditions_hold_where_what_is_written_holds(written: list[str], between: str) -> None:
    points = [point for point in POINTS if all(TRUTHS[each](*point) for each in written)]
    try:
        found = read_where(between.join(written))
    except RoofproofError:
        assert not points  # contradictory, or without sizes
        return
    defined = [sympy.Eq(size, value) for size, value in found.defined.items()]
    assert [point for point in POINTS if holds((*found.conditions, *defined), *point)] == points


@given(st.lists(st.sampled_from(sorted(TRUTHS)), min_size=1, max_size=4))
def test_conditions_that_some_sizes_meet_do_not_contradict_each_other(written: list[str]) -> None:
    stated = [c for each in written for c in read_where(each).conditions]
    if contradictory(stated):
        assert not any(all(TRUTHS[each](*point) for each in written) for point in POINTS)


@given(st.lists(st.sampled_from(sorted(TRUTHS)), min_size=1, max_size=3))
def test_conditions_read_back_as_they_are_printed(written: list[str]) -> None:
    first = read_conditions("; ".join(written))
    again = read_conditions("; ".join(map(to_text, first.conditions)))
    assert again.conditions == first.conditions
    assert [divisor_of(c) for c in again.conditions] == [divisor_of(c) for c in first.conditions]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("B >", "column 4: the text is incomplete"),
        ("1.5 divides B", "column 1: '1.5' is not a positive integer"),
        ("2, 3 divides B", "column 6: 'divides' goes between two values, as in '128 divides D'"),
        ("B > 2 even", "column 1: expected names before 'even', as in 'D, F even'"),
        ("B, D >= 2,048", "column 9: '2,048' can be read two ways; write '2048' or '2, 048'"),
        ("D mod 128 == 0", "column 3: 'mod' is not a name; expected a condition such as 'B > 0', 'k even' or "
                           "'128 divides D'"),
        ("B ~= 2", "column 1: a condition uses == != < <= > >="),
        ("B D < 2 MiB", "column 7: '2 MiB' has a unit and sizes have none; write a unit on both sides, as in "
                        "'2 B D byte <= 128 KiB'"),
        ("2 B D byte <= 128 KiB + 5", "column 15: '128 KiB' (byte) and '5' (a plain number) cannot be added"),
        ("B > 2 => D byte <= 1 KiB + F", "column 20: '1 KiB' (byte) and 'F' (a plain number) cannot be added"),
        ("B > 2 or not (D ~= 2)", "column 15: a condition uses == != < <= > >="),
        ("B > 2, D", "column 8: 'D' is not a condition; expected one such as 'B > 0', 'D integer' or '128 divides D'"),
        ("2BDF > 3; B > 1", "column 1: '2BDF' can be read two ways; write '2 B D F' for the product, or spell a name "
                            "of its own in another way, such as 'B_DF'"),
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused_where_it_stands(text: str, said: str) -> None:
    with pytest.raises(RoofproofError) as problem:
        read_where(text)
    assert str(problem.value) == f"--where: {said}"


def test_a_product_of_sizes_may_be_written_without_spaces() -> None:
    assert read_where("2BDF > 3; B, D, F > 1") == read_where("2 B D F > 3; B, D, F > 1")


def test_a_product_of_sizes_of_an_operation_may_be_written_without_spaces(tmp_path: Path) -> None:
    matmul = "bf16[B,D], bf16[D,F] -> bf16[B,F]"
    file = tmp_path / "product.toml"
    file.write_text(f"op = {matmul!r}\nwhere = '2BD > F'\n")
    plain = with_conditions(parse_operation(matmul), "2 B D > F").conditions
    assert (
        with_conditions(parse_operation(matmul), "2BD > F").conditions == parse_operation(str(file)).conditions == plain
    )
    assert read_shapes("x:bf16[B,D], y:bf16[F]", "2BD > F")[1] == plain


def test_a_size_that_a_condition_names_is_one_of_the_operation() -> None:
    for text in ("H integer", "H even", "H > 0", "B = 2 H; H > 1"):
        if text.startswith("H"):
            with pytest.raises(RoofproofError, match="no size 'H' in 'matmul'"):
                with_conditions(parse_operation("matmul"), text)
        else:
            assert "H" in str(with_conditions(parse_operation("matmul"), text).flops)


def test_numbers_that_names_are_said_to_be_are_values() -> None:
    given_, numbers = extract_fixed_values(read_conditions("D == 2^12; h = 1/2 GB; n integer; n == 1/2"))
    assert {name: to_text(value) for name, value in numbers.items()} == {"D": "2^12", "h": "1/2 GB"}
    assert [to_text(c) for c in given_.conditions] == ["n == 1/2"]
