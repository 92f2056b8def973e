"""`roofproof verify --lang zh`: verdicts and errata reports in Chinese."""

import re
from pathlib import Path

import pytest

from roofproof.claims.mistakes import CATALOGUE
from roofproof.cli import main
from roofproof.export.explain.mistakes import mistake_phrase
from roofproof.export.explain.verdicts import KINDS
from roofproof.export.to_text import inline_text
from roofproof.sentences import join_pieces

BOOK = Path(__file__).resolve().parents[2] / "examples" / "chapter.claims.toml"
FALSE = '[[claim]]\nid = "a"\nsays = "flops(matmul) == B D F"\n'


def test_the_table_and_the_sheet_are_in_chinese(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text(FALSE, encoding="utf-8")
    assert main(["verify", "a.toml", "--workers", "1", "--lang", "zh", "--report", "a.md"]) == 1
    out = capsys.readouterr().out
    assert "不成立" in out and "错误：把一次乘加算成了一次浮点运算，实际是两次" in out
    assert out.startswith("检查了 1 条：1 条错误\n")
    sheet = Path("a.md").read_text(encoding="utf-8")
    assert "## 勘误" in sheet and "判定：不成立，已证明（预期成立）" in sheet
    assert main(["verify", "a.toml", "--workers", "1", "--lang", "zh", "--report", "a.tex"]) == 1
    tex = Path("a.tex").read_text(encoding="utf-8")
    assert "ctexart" in tex and "判定：不成立，已证明（预期成立）" in tex


def test_a_shipped_book_has_no_english_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(BOOK), "--lang", "zh"]) == 0
    out = capsys.readouterr().out
    assert not re.search(rf"^ok \S+ +({'|'.join(KINDS.values())}) ", out, re.MULTILINE)
    assert re.fullmatch(r"检查了 \d+ 条：\d+ 条正确", out.splitlines()[0])


def test_every_slip_is_said_in_both_languages() -> None:
    """A mistake that has no Chinese description yet is described in English."""
    for name, slip in CATALOGUE.items():
        said = [inline_text(mistake_phrase(name), lang) for lang in ("en", "zh")]
        assert said[0] == slip.says.replace("<what>", "a tensor")
        assert said[1] == join_pieces(
            re.split("(某个张量)", (slip.zh or slip.says).replace("<what>", "某个张量")), "zh"
        )
