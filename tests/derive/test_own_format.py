"""If a chip lacks the usual number format of an operation, the answer uses a supported one and says so."""

import json

import pytest
from sympy import Symbol

from roofproof import lower, threshold, time
from roofproof.claims.answers.question import Question
from roofproof.cli import main
from roofproof.derive.roofline.engines import has_peak
from roofproof.derive.roofline.own_format import for_chip
from roofproof.hardware import chip, chip_names
from roofproof.ops import parse_operation


def test_every_chip_with_a_matrix_unit_answers_in_a_format_that_it_has() -> None:
    for name in chip_names():
        one = chip(name)
        found = for_chip("matmul", one)
        (engine,) = found.compute
        formats = [f for f in ("fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "int8") if has_peak(one, f)]
        if has_peak(one, "bf16"):
            assert found == parse_operation("matmul")
        else:
            own = engine.partition("-")[0]
            assert has_peak(one, engine) and f"in {own}: {name} has no spec for bf16" in found.convention
            assert own in formats or not set(formats) & {"fp16", "fp32"}


def test_python_answers_where_the_command_does() -> None:
    for name in ("apple-m2", "epyc-9654"):
        assert time("matmul", name).keys() == {*for_chip("matmul", chip(name)).compute, "memory"}
        assert threshold("matmul", name, "B", at="D=4096,F=4096").integer is not None
    assert time("matmul:fp64", "h100-sxm").keys() == {"fp64-tensor", "memory"}
    assert lower("matmul:fp64", "v100-sxm2-16gb").has(Symbol("B", integer=True, positive=True))
    asked = {"op": "matmul:fp64", "chip": "h100-sxm", "for": "B"}
    assert str(Question.of(asked, {"D": 4096, "F": 4096}).key.bare.at) == "1370112/16483"


@pytest.mark.parametrize("text", ["matmul:bf16", "bf16[B,D], bf16[D,F] -> bf16[B,F]"])
def test_a_format_that_was_asked_for_is_kept(text: str) -> None:
    assert for_chip(text, chip("apple-m2")) == parse_operation(text)


def test_the_command_answers_and_says_in_which_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "matmul", "--chip", "apple-m2", "--for", "B", "--lang", "zh"]) == 0
    assert "按 fp32 计：apple-m2 没有 bf16 的数值" in capsys.readouterr().out


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_tables_and_slides_are_in_a_format_of_the_chip_and_say_so(lang, tmp_path, capsys):
    told = {"en": "in fp32: apple-m2 has no spec for bf16", "zh": "apple-m2 没有 bf16"}[lang]
    both = ["--chip", "apple-m2", "--chip", "h100-sxm"]
    assert (
        main(["derive", "--as", "table", "matmul", *both, "--for", "B", "--at", "D=4096,F=4096", "--lang", lang]) == 0
    )
    out = capsys.readouterr().out
    assert told in out
    assert [line.split()[-1] for line in out.splitlines() if line.startswith(("apple", "h100"))] == [
        "75", "345",
    ]  # fmt: skip
    made = tmp_path / "deck.tex"
    assert main(["slides", "matmul", *both[:2], "--for", "B", "-o", str(made), "--lang", lang]) == 0
    assert told in made.read_text(encoding="utf-8").replace("\\", "")


@pytest.mark.parametrize("name", ["lu", "cholesky", "trsm"])
@pytest.mark.parametrize("on", ["h100-sxm", "v100-sxm2-16gb", "tpu-v6e", "trainium2"])
def test_every_command_chooses_the_same_unit(name: str, on: str, capsys: pytest.CaptureFixture[str]) -> None:
    at = ["--at", "M=8192"] * (name == "trsm")
    asked = ["--chip", on, "--for", "N", *at]
    assert main(["derive", name, *asked, "--json"]) == 0
    derived = json.loads(capsys.readouterr().out)["threshold"]["integer_at_point"]
    assert main(["derive", "--as", "table", name, *asked]) == 0
    assert capsys.readouterr().out.split()[-1] == str(derived)
    own = for_chip(name, chip(on))
    assert ("fp64" in next(iter(own.compute))) == (on in ("h100-sxm", "v100-sxm2-16gb"))
    for answer, grade in ((derived, "right"), (2 * derived, "wrong")):
        main(["grade", "--op", name, *asked, "--asks", "smallest", "--answer", str(answer), "--json"])
        assert json.loads(capsys.readouterr().out)["grade"] == grade


def test_a_table_of_every_chip_has_each_unit_of_the_usual_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive", "--as", "table", "lu", "--chip", "all", "--for", "N"]) == 0
    out = capsys.readouterr().out
    assert "fp64-tensor" in out and "fp64-vector" in out and "tf32" not in out
    assert [line.split()[-1] for line in out.splitlines() if line.startswith("h100-sxm")] == ["480"]
    assert main(["derive", "--as", "list", "lu:fp64", "--chip", "h100-sxm", "--chip", "mi300x", "--for", "N"]) == 0
    out = capsys.readouterr().out
    assert "fp64-tensor" in out and "fp64-vector" in out


@pytest.mark.parametrize("name", ["lu", "trsm", "matmul", "stream-scale", "axpy"])
@pytest.mark.parametrize("on", ["h100-sxm", "tpu-v5p", "trainium2", "apple-m2", "epyc-9654"])
def test_a_floor_is_of_the_format_that_derive_takes(name: str, on: str, capsys: pytest.CaptureFixture[str]) -> None:
    """If memory binds, the minimum time is the time to read and write each tensor once."""
    made = for_chip(name, chip(on))
    at = {size.name: 2 for size in made.dims}  # so small that memory binds
    sizes = ",".join(f"{size}={value}" for size, value in at.items())
    assert main(["time", name, "--chip", on, "--cold", "--at", sizes, "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)
    taken = time(made, on)["memory"].subs({size: 2 for size in made.dims})
    assert found["binds"] == "memory" and abs(found["floor_s"] - float(taken)) <= 1e-12 * float(taken)


def test_blocks_that_do_not_fit_have_no_time_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["blocked-stencil:fp8", "--chip", "tpu-v5e", "--at", "N=2,b=2,T=1024"]
    for words in (["derive", *asked], ["grade", "--op", *asked, "--asks", "time", "--answer", "1 s"]):
        assert main(words) == 2
        assert "the blocks of blocked-stencil take 17230250000 bytes" in capsys.readouterr().err
    assert main(["time", *asked]) == 0
    assert "beyond the model: the blocks of blocked-stencil do not fit on tpu-v5e" in capsys.readouterr().out
