"""Texts from exercise files and chips stay text in every format: never a header, fence, markup or constant."""

import re
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.banks import bank_format
from roofproof.export.banks._maxima import is_taken
from roofproof.export.sweep_files import csv_rows
from roofproof.teach import variants
from roofproof.teach.bank_file import bank_of

SCRIPT = "<script>alert(1)</script>"
TITLE = "A\\n#html:false\\r\\n#deck:theirs\\u2028#x:y\\n\\n::q::x {=1}"
CHIP = """
title = "T\\n```\\n::::\\n\\n# B\\n<script>alert(1)</script>\\n"
bf16 = "2e14 FLOP/s"
hbm = "8e11 B/s"
"""


def hostile(chip: str = "tpu-v5e") -> str:
    one = (
        f'id = "q"\ntext = "Two\\r\\nlines\\u2028here"\nop = "matmul"\nchip = "{chip}"\nfor = "B"\nasks = "threshold"\n'
    )
    return f'[bank]\ntitle = "{TITLE}"\n[[exercise]]\n{one}hints = ["a\\r\\n#b"]\nat = {{ D = 4096, F = 4096 }}\n'


def exported(name: str, text: str) -> dict[str, str]:
    found = bank_of(text, "x.toml")
    made = [v for each in found.exercises for v in variants(each, 1, 0)]
    return {file: content for file, (content, _) in bank_format(name)(found, made, "en").items()}


def test_a_title_is_one_category_of_gift() -> None:
    text = exported("gift", hostile())["gift.txt"]
    assert [line for line in text.splitlines() if line.startswith(("$CATEGORY", "::"))] == [
        "$CATEGORY: $course$/A #html:false #deck:theirs #x:y ::q::x {=1}/q",
        next(line for line in text.splitlines() if line.startswith("::q")),
    ]
    assert len([part for part in re.split(r"\n\s*\n", text.strip())]) == 2  # the category, and one question


def test_the_title_of_a_chip_closes_no_fence_of_myst(tmp_path: Path) -> None:
    markdown_it = pytest.importorskip("markdown_it")
    chip = tmp_path / "mine.toml"
    chip.write_text(CHIP)
    page = exported("myst", hostile(str(chip)))["q.md"]
    assert SCRIPT not in page  # a solution does not name the chip
    tokens = markdown_it.MarkdownIt("commonmark").parse(page)
    every = [each for token in tokens for each in (token, *(token.children or ()))]
    assert not [t for t in every if t.type.startswith("html")]
    assert not [t for t in tokens if t.type == "fence"]
    colons = re.findall(r"(?m)^:{3,}", page)
    longest = max(colons, key=len)
    assert len(longest) == 4 and colons.count(longest) == 4  # an exercise and a solution, opened and closed


@pytest.mark.parametrize("name", ["e", "pi", "features", "context", "linel", "rp_answer0", "stack_seed", "ta1"])
def test_a_size_that_has_a_meaning_in_stack_is_refused(name: str) -> None:
    one = f'id = "q"\ntext = "How many?"\nop = "x:bf16[{name},D] -> y:bf16[{name},D]"\nasks = "bytes"'
    with pytest.raises(RoofproofError, match=f"'{name}' cannot be a size in STACK: it means something else there"):
        exported("stack", f"[[exercise]]\n{one}")
    assert is_taken(name) and exported("gift", f"[[exercise]]\n{one}")


def test_that_is_told_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = 'id = "q"\ntext = "How many?"\nop = "x:bf16[e,D] -> y:bf16[e,D]"\nasks = "bytes"'
    (tmp_path / "b.toml").write_text(f"[[exercise]]\n{one}")
    assert main(["exercises", str(tmp_path / "b.toml"), "--to=stack", f"-o={tmp_path / 'o'}", "--lang=zh"]) == 2
    assert "在 STACK 中另有含义" in capsys.readouterr().err


def test_the_name_of_a_chip_is_no_formula_of_a_spreadsheet() -> None:
    import csv

    import numpy as np

    names = ["=1+1", "a,b", 'a"b', "@x", "plain", "-3"]
    rows = csv_rows({"chip": np.array(names), "B": np.arange(6)})
    read = [cells for cells in csv.reader(rows.splitlines())]
    assert [cells[0] for cells in read] == ["'=1+1", "a,b", 'a"b', "'@x", "plain", "-3"]
    assert [cells[1] for cells in read] == list("012345")
