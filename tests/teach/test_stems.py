"""Parts of one stem: drawn together, told once where a format can, each with a key of its own."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.banks import bank_format
from roofproof.teach import Variant
from roofproof.teach.bank_file import bank_of
from roofproof.teach.variants import together

STEM = """
[[stem]]
id = "mlp"
text = 'Take $D = F = {D}$, in {format}.'
op = "matmul:{format}"
chip = "tpu-v5e"
at = { D = "{D}", F = "{D}" }
vary = { D = [2048, 4096, 8192], format = ["bf16", "int8"] }
own = { D = 8192, format = "bf16" }
"""
PARTS = """
[[exercise]]
id = "ridge"
stem = "mlp"
text = "What is the ridge point?"
asks = "ridge"

[[exercise]]
id = "threshold"
stem = "mlp"
text = "From which $B$ on?"
for = "B"
asks = "threshold"
points = 3

[[exercise]]
id = "bytes"
stem = "mlp"
text = "How many bytes at B = 16?"
at = { B = 16 }
asks = "bytes"
"""
ALONE = '\n[[exercise]]\nid = "alone"\ntext = "How many FLOPs?"\nop = "dot"\nasks = "flops"\n'


def drawn(count: int, seed: int = 1) -> list[Variant]:
    found = bank_of(STEM + PARTS + ALONE, "b.toml")
    groups = [together(parts, count, seed) for parts in found.together()]
    assert [len(group[0]) for group in groups] == [3, 1]
    return [v for group in groups for each in group for v in each]


def written(name: str, count: int = 3) -> dict[str, str]:
    found = bank_of(STEM + PARTS + ALONE, "b.toml")
    return {file: text for file, (text, _) in bank_format(name)(found, drawn(count), "en").items()}


def test_parts_of_one_number_have_the_same_parameters_and_the_source_s_come_first() -> None:
    made = drawn(4)
    for number in (1, 2, 3, 4):
        mine = [v for v in made if v.number == number and v.exercise.stem]
        assert len(mine) == 3 and [v.exercise.part for v in mine] == ["a", "b", "c"]
        assert all(v.parameters == mine[0].parameters for v in mine)
        size = int(mine[0].parameters["D"])
        assert mine[2].asked.at == {"D": size, "F": size, "B": 16}
        assert (
            mine[0].text("en") == f"Take D = F = {size}, in {mine[0].parameters['format']}.\n\nWhat is the ridge point?"
        )
    assert made[0].parameters == {"D": 8192, "format": "bf16"}
    assert [v.key for v in made[:2]] == ["240.5 FLOP/B", "B > 255.5"]  # 1.97e14/8.19e11; R/(1 - 2 R/8192)


def test_parameters_for_which_one_part_has_no_key_are_drawn_for_none() -> None:
    """At D = F = 256 a product is never compute-bound on a TPU v5e; its ridge point is what it is."""
    found = bank_of(STEM.replace("[2048, 4096, 8192]", "[256, 8192]") + PARTS, "b.toml")
    (parts,) = found.together()
    assert {v.parameters["D"] for each in together(parts, 9) for v in each} == {8192}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", ["latex", "myst", "prairielearn"])
def test_a_stem_is_told_once(name: str) -> None:
    files = written(name)
    told = sum(len(re.findall("Take", text)) for file, text in files.items() if "solutions" not in file)
    assert told == 3
    everything = "\n".join(files.values())
    assert all(letter in everything.replace("\\", "") for letter in ("(a)", "(b)", "(c)"))


@pytest.mark.parametrize("name", ["gift", "stack"])
def test_a_stem_is_repeated_where_each_question_stands_alone(name: str) -> None:
    (text,) = written(name).values()
    assert text.count("Take") == 9


def test_a_page_and_a_folder_are_of_a_stem() -> None:
    assert set(written("myst")) == {"myst.yml", "index.md", "mlp.md", "alone.md"}
    assert {file.split("/")[1] for file in written("prairielearn")} == {"mlp", "alone"}


def test_points_of_a_sheet_are_those_of_the_parts() -> None:
    sheet = written("latex")["sheet-001.tex"]
    assert r"Exercise 1 \normalfont\small (points: 5)" in sheet
    assert r"\textbf{(b)} {\small (points: 3)} From which $B$ on?" in sheet


@pytest.mark.tex
def test_a_sheet_with_parts_compiles() -> None:
    import shutil

    from roofproof.export.latex.compiling import compiled

    if shutil.which("pdflatex") is None:
        pytest.skip("NOT COMPILED: TeX is not installed")
    assert compiled(written("latex", 1)["sheet-001-solutions.tex"])[0].startswith(b"%PDF")


@pytest.mark.slow
def test_prairielearn_grades_each_part_and_weighs_it(tmp_path: Path) -> None:
    for name, text in written("prairielearn").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    server = runpy.run_path(str(tmp_path / "questions" / "mlp" / "server.py"))
    parts = ("params", "correct_answers", "submitted_answers", "format_errors", "partial_scores", "feedback")
    data: dict[str, Any] = {"variant_seed": "0", "score": None, **{part: {} for part in parts}}
    server["generate"](data)
    assert data["correct_answers"]["answer_a"] == "240.5 FLOP/B"
    data["submitted_answers"] = {"answer_a": "7", "answer_b": "B > 255.5", "answer_c": "import os"}
    server["parse"](data)
    assert list(data["format_errors"]) == ["answer_c"]
    data["submitted_answers"]["answer_c"] = "1"
    server["grade"](data)
    assert [data["partial_scores"][f"answer_{part}"]["score"] for part in "abc"] == [0.0, 1.0, 0.0]
    assert data["score"] == 3 / 5


REFUSED = {
    STEM: "b.toml: no [[exercise]]",
    STEM + ALONE: "b.toml, line 2: the stem 'mlp' has no part; write stem = \"mlp\" in one",
    STEM + PARTS.replace("mlp", "mpl"): "b.toml, line 11: unknown stem 'mpl'; did you mean 'mlp'?",
    STEM + PARTS.replace('asks = "ridge"', 'asks = "ridge"\nvary = { n = [1] }'): (
        "b.toml, line 11: vary of a part is that of all parts; write it in the [[stem]] 'mlp'"
    ),
    STEM + PARTS.replace('id = "ridge"', 'id = "mlp"'): (
        "b.toml, line 11: the id 'mlp' is given twice; give each exercise its own"
    ),
    STEM + STEM + PARTS: "b.toml, line 11: the id 'mlp' is given twice; give each stem its own",
    STEM.replace("own =", "#").replace("] }", "], n = [1, 2] }") + PARTS: (
        "b.toml, line 2: vary.n is used nowhere, and its variants are all the same; write {n}"
    ),
    STEM.replace("{format}.", "{fromat}.") + PARTS: (
        "b.toml, line 2: text: the gap {fromat} has no values; list them, as vary = { fromat = [1, 2] }"
    ),
    STEM.replace("$D =", r"$\\def").replace("'", '"', 2) + PARTS: r"b.toml, line 2: text: $\def F = {D}$: ",
    STEM.replace("text", "#") + PARTS: 'b.toml, line 2: no text; write text = "A layer has width {D}."',
    STEM + "hints = []" + PARTS: "b.toml, line 2: unknown key of a stem 'hints'",
    STEM + PARTS.replace("[[exercise]]", '[[exercise]]\n#', 1).replace('"mlp"', "3", 1): (
        "b.toml, line 11: stem must be text in quotes; got '3'"
    ),
    "stem = 3" + ALONE: "b.toml, stem 1: ",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_stem_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        bank_of(text, "b.toml")
    assert str(refused.value).startswith(REFUSED[text]) and "\n" not in str(refused.value)


def test_the_command_counts_variants_of_each_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.toml").write_text(STEM + PARTS + ALONE)
    assert main(["exercises", str(tmp_path / "b.toml"), "--variants=2", "--to=gift", f"-o={tmp_path / 'o'}"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert ": 1 files; 7 variants of 4 exercises, keys proved;" in said[0]
    assert said[-1] == "fewer than 2 variants: alone: 1"
