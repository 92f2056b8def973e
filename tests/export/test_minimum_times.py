"""Every format rounds lower bounds down and upper bounds up."""

import json
import re
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from set_out import derivation, rendered

from roofproof import chip
from roofproof.bounds import bound
from roofproof.claims import Question, grade
from roofproof.cli import main
from roofproof.export.doc import FewDigits
from roofproof.export.explain.bound import explain_bound
from roofproof.export.explain.grade import grade_text
from roofproof.export.explain.worked import explain_worked
from roofproof.export.latex.leaves import duration
from roofproof.export.numbers import at_least, at_most
from roofproof.export.numbers import seconds as in_text
from roofproof.export.outline import outline
from roofproof.export.to_text import untitled_text
from roofproof.hardware.table import seconds as in_floors
from roofproof.ops import parse_operation
from roofproof.teach.distractors import shown
from roofproof.times.verdicts import cut_off

UNITS = {"s": 0, "ms": -3, "us": -6, "ns": -9, "ps": -12}
positive = st.fractions(Fraction(1, 10**9), 900, max_denominator=10**12).filter(bool)


def read(text: str) -> Fraction:
    """Return the last time in a text, in seconds, parsed without the package's code."""
    text = text.replace(r"\mu\text{s}", r"\text{us}").replace(r"\micro\second", "us")
    *_, (number, unit) = re.findall(r"([0-9.]+(?:e-?[0-9]+)?)\}?(?: |\{|\\,\\text\{)([munp]?s)", text)
    return Fraction(number) * Fraction(10) ** UNITS[unit]


@given(positive)
def test_a_time_is_never_printed_above_itself(value: Fraction) -> None:
    exact = sympy.Rational(value.numerator, value.denominator)
    for text in (in_text(exact), in_floors(value), *(duration(exact, siunitx)[1] for siunitx in (True, False))):
        assert value * Fraction(998, 1000) < read(text) <= value, text
    assert Fraction(cut_off(value)) <= value


@given(positive)
def test_a_bound_is_printed_on_its_own_side(value: Fraction) -> None:
    exact = sympy.Rational(value.numerator, value.denominator)
    assert Fraction(at_least(exact)) <= value <= Fraction(at_most(exact))


@pytest.mark.parametrize("size", [100, 128, 200, 333, 1000])
def test_the_minimum_time_of_an_operation_is_not_above_it(size: int, capsys: pytest.CaptureFixture[str]) -> None:
    at = {"B": size, "D": 4096, "F": 1234}
    flops, moved = 2 * size * 4096 * 1234, 2 * (size * 4096 + 4096 * 1234 + size * 1234)
    least = max(Fraction(flops, 989 * 10**12), Fraction(moved, 3350 * 10**9))
    found = outline(parse_operation("matmul"), chip("h100-sxm"), None, at)
    for lang, name in (("en", "max"), ("zh", "最大")):
        text = rendered(found, lang)
        [line] = [each for each in text.splitlines() if each.strip().startswith(f"{name} ")]
        assert read(line) <= least
    tex = derivation(parse_operation("matmul"), chip("h100-sxm"), None, at)
    line, *_ = [each for each in tex.splitlines() if r"T_{\text{max}} \approx" in each or r"T_{\text{max}} =" in each]
    assert read(line) <= least
    asked = ["time", "matmul", "--chip", "h100-sxm", "--cold", "--at", ",".join(f"{k}={v}" for k, v in at.items())]
    assert main(asked) == 0
    assert read(capsys.readouterr().out.partition(";")[0]) <= least  # an estimate follows
    assert main([*asked, "--json"]) == 0
    [one] = json.loads(capsys.readouterr().out)
    assert Fraction(one["floor_s"]) <= least


@pytest.mark.parametrize("asked", ["matmul", "matmul:int8", "matmul:w=int4", "matmul:fp32@bf16"])
@pytest.mark.parametrize("named", ["h100-sxm", "a100-80gb-sxm", "tpu-v5e", "mi300x"])
def test_what_a_bound_is_conditional_on_is_printed_as_no_less(
    asked: str, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A printed condition implies the exact one: `M <= a` never has a larger a, and `R >= a` never a smaller one."""
    given, there = ["traffic", asked, "--chip", named, "--at", "B=4096,D=4099,F=4111"], chip(named)
    found = bound(parse_operation(asked), chip=there, at={"B": 4096, "D": 4099, "F": 4111})
    told = (row.right for section in explain_bound(found).sections for row in section.rows)
    exact = [each.value for each in told if isinstance(each, FewDigits) and isinstance(each.value, sympy.Rel)]
    values = [each for each in exact if not each.rhs.free_symbols and each.rel_op != "=="]
    assert main(given) == 0
    printed = re.findall(r"[A-Z*]+ ([<>]=?) ([0-9.]+(?:e[0-9]+)?)$", capsys.readouterr().out, re.MULTILINE)
    assert [sign for sign, _ in printed] == [each.rel_op for each in values]
    for (sign, number), held in zip(printed, values, strict=True):
        assert sympy.Rational(number) <= held.rhs if sign[0] == "<" else sympy.Rational(number) >= held.rhs, held


@pytest.mark.parametrize("ridge", [100, 153, 333, 777])
def test_the_memory_below_which_nothing_is_compute_bound_is_cut_off(ridge: int) -> None:
    least = 8 * Fraction(1000 * ridge + 1, 1000) ** 2  # 8 R^2 bytes
    asked = Question(parse_operation("matmul"), chip(f"bf16={1000 * ridge + 1} GFLOP/s, hbm=1 TB/s"), asks="memory")
    graded = grade_text(grade(asked, "1 B"), asked, reveal=True)
    told = [shown(asked.key, asked), untitled_text(explain_worked(asked)), graded]
    for text in told:
        numbers = re.findall(r"^(?:[ ]*M ≈ |.*answer: .*≈ )?([0-9.]+(?:e[0-9]+)?)(?:$| {2})", text, re.MULTILINE)
        assert numbers and all(least * Fraction(998, 1000) < Fraction(each) <= least for each in numbers), text
