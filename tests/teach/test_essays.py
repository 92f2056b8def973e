"""Questions that are answered in words: the model answer stands where a grader or a solution is, in every format."""

import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.banks import bank_format, formats
from roofproof.teach.bank_file import bank_of

ESSAY = """
[bank]
title = "Words & more"
[[essay]]
id = "why"
text = { en = "Why does $B$ cancel, by 50%?", zh = "为什么 $B$ 约去？" }
answer = { en = "Each weight serves **one** example, so $I < 2$ & more.", zh = "每个权重只用 **一次**。" }
points = 3
"""


@pytest.mark.parametrize("name", formats())
@pytest.mark.parametrize(("lang", "answer"), [("en", "serves"), ("zh", "每个权重只用")])
def test_an_essay_has_its_model_answer_in_every_format(name: str, lang: str, answer: str) -> None:
    files = {file: text for file, (text, _) in bank_format(name)(bank_of(ESSAY, "b.toml"), (), lang).items()}
    told = "\n".join(files.values())
    assert answer in told and ("Why does" in told or "为什么" in told) and "Traceback" not in told
    if name == "latex":
        assert answer not in files["sheet-001.tex"] and answer in files["sheet-001-solutions.tex"]
        assert r"\textbf{one}" in told or lang == "zh"
    if name == "stack":
        (essay,) = [q for q in ElementTree.fromstring(told).findall("question") if q.get("type") == "essay"]
        assert answer in str(essay.findtext("graderinfo/text")) and essay.findtext("defaultgrade") == "3"
        assert answer not in str(essay.findtext("questiontext/text"))
    if name == "gift":
        assert re.search(r"::why::\[html\][^{]*\{\n####[^\n]*\n\}", told.replace("\\{", "").replace("\\}", ""))
    if name == "prairielearn":
        assert json.loads(files["questions/why/info.json"])["gradingMethod"] == "Manual"
        assert told.index("<pl-answer-panel>") < told.index(answer)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ('id = "a"\ntext = "Why?"', "b.toml, line 1: no answer; write answer"),
        ('id = "a"\ntext = "Why?"\nanswer = "<b>so</b>"', "b.toml, line 1: answer: '<b' is markup"),
        ('id = "a"\ntext = "Why {D}?"\nanswer = "So."', "line 1: text: the gap {D} has no values"),
        ('id = "a"\ntext = "Why?"\nanswer = "So."\nop = "matmul"', "unknown key of an essay 'op'"),
        ('id = "a"\ntext = "?"\nanswer = "."\n[[essay]]\nid = "a"\ntext = "?"\nanswer = "."', "'a' is given twice"),
    ],
)
def test_an_essay_that_is_none_is_refused_in_a_line(table: str, said: str) -> None:
    with pytest.raises(RoofproofError, match=re.escape(said)):
        bank_of(f"[[essay]]\n{table}", "b.toml")


def test_a_bank_of_essays_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "b.toml").write_text(ESSAY, encoding="utf-8")
    assert main(["exercises", str(tmp_path / "b.toml"), "--to", "gift", "-o", str(tmp_path / "o")]) == 0
    assert "1 files; 0 variants of 0 exercises" in capsys.readouterr().out
    assert "::why::" in (tmp_path / "o/gift.txt").read_text(encoding="utf-8")
