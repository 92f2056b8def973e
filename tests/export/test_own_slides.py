"""An author's own pictures and Markdown in a course, and decks for Quarto, PowerPoint and reveal.js."""

import io
import re
import shutil
import zipfile
from pathlib import Path

import pytest

from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.export.slides.own_markdown import own_slides

COURSE = """[course]
title = "屋顶线"
subtitle = "一讲"
author = "王老师"
institute = "计算机系"
date = "2026 年 11 月"
language = "zh"
[chips]
v5e = "tpu-v5e"
[[slide]]
title = "提纲"
show = "?sections"
[[slide]]
markdown = "own.md"
[[slide]]
section = "推导"
title = "一个芯片"
show = '''
![照片](p/photo.jpg)
<< v5e >>：<< ridge(v5e, "bf16") | number(4) >>'''
say = "说一句。"
"""
OWN = """# 开场

## 为什么慢？

只收到 **十个**，见 [博客](https://example.org/a_b)。

| 芯片 | $R$ |
| :-- | --: |
| v5e | 240 |

$$ I = \\frac{BDF}{BD + DF + BF} $$

<!-- 先问：你在等什么？ -->

## 照片

![一张照片](photo.png)
"""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c6370"
    "285800000244015193c06db70000000049454e44ae426082"
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a course in Chinese only, slides in Markdown, and two pictures."""
    (tmp_path / "p").mkdir()
    (tmp_path / "photo.png").write_bytes(PNG)
    (tmp_path / "p/photo.jpg").write_bytes(b"\xff\xd8\xff\xe0 a picture")
    (tmp_path / "mine.toml").write_text(COURSE, encoding="utf-8")
    (tmp_path / "own.md").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def slides(*arguments: str) -> int:
    return main(["slides", "--course", "mine.toml", *arguments])


def test_own_pictures_stand_in_tex_with_the_files_beside_it(home: Path) -> None:
    assert slides("-o", "deck.tex") == 0
    (home / "out").mkdir()
    assert slides("--part", "frames", "-o", "out/body.tex") == 0
    for path in ("deck.tex", "out/body.tex"):
        text = (home / path).read_text(encoding="utf-8")
        assert r"\includegraphics{photo.png}" in text and r"\includegraphics{p/photo.jpg}" in text
    assert (home / "out/photo.png").read_bytes() == PNG and (home / "out/p/photo.jpg").exists()
    text = (home / "deck.tex").read_text(encoding="utf-8")
    assert all(f"{each}\\par}}" in text for each in ("王老师", "计算机系", "2026 年 11 月"))
    assert r"\item 开场" in text and r"\item 推导" in text, "the agenda lists the sections of own slides, too"
    assert r"\textbf{十个}" in text and r"\note{先问：你在等什么？}" in text
    assert r"\begin{tabulary}{\linewidth}{@{}lr@{}}" in text


def test_no_other_file_is_written_over(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "out").mkdir()
    (home / "out/photo.png").write_bytes(b"mine")
    assert slides("-o", "out/deck.tex") == 2
    assert "out/photo.png': another file has this name" in capsys.readouterr().err
    assert sorted(p.name for p in (home / "out").iterdir()) == ["photo.png"]


def test_own_pictures_stand_within_markdown(home: Path) -> None:
    assert slides("-o", "deck.qmd") == 0 and slides("--part", "handout", "-o", "handout.md") == 0
    for name in ("deck.qmd", "handout.md"):
        text = (home / name).read_text(encoding="utf-8")
        assert "data:image/png;base64,iVBOR" in text and "data:image/jpeg;base64,/9j/" in text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("![x](foto.png)", "own.md, line 3: cannot read picture 'foto.png': No such file"),
        ("![x](../photo.png)", "'../photo.png': expected a picture (.png, .jpg or .pdf) in the folder of the course"),
        ("![x](photo.svg)", "expected a picture (.png, .jpg or .pdf)"),
        ("![x](own.md)", "expected a picture (.png, .jpg or .pdf)"),
        ("![x](fake.png)", "holds no PNG"),
        ("<script>alert(1)</script>", "is markup of TeX, Markdown or HTML that is not read"),
        ("\\input{x}", "is markup of TeX, Markdown or HTML that is not read"),
        ("$\\input{x}$", "cannot be used in a formula"),
        ("```\ncode\n```", "a block of code is not read"),
        ("| a | b |\n| 1 | 2 |", "expected a table whose second row aligns each column"),
    ],
)
def test_what_is_not_read_is_refused_in_a_line(
    home: Path, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    (home / "fake.png").write_bytes(b"GIF89a")
    (home / "own.md").write_text(f"## A\n\n{line}\n", encoding="utf-8")
    assert slides("-o", "deck.qmd") == 2
    told = capsys.readouterr().err
    assert said in told and "mine.toml, line 13: own.md, line 3: " in told and told.count("\n") == 1
    assert not (home / "deck.qmd").exists()


def test_a_picture_named_in_a_line_of_words_is_refused(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "mine.toml").write_text(COURSE.replace("![照片](p/photo.jpg)", "看 ![照片](p/photo.jpg)"), "utf-8")
    assert slides("-o", "deck.qmd") == 2
    assert "mine.toml, line 19: put each picture on a separate line" in capsys.readouterr().err


def test_what_an_author_calls_a_lecture_is_no_markup_of_pandoc(home: Path) -> None:
    (home / "mine.toml").write_text(COURSE.replace('"屋顶线"', '"[屋](javascript:x) *顶* $x^2$"'), "utf-8")
    assert slides("-o", "deck.qmd") == 0
    title = (home / "deck.qmd").read_text("utf-8").splitlines()[1]
    assert title == r'title: "\\[屋\\](javascript:x) \\*顶\\* $x^2$"'


def test_a_picture_leaves_words_their_size(home: Path) -> None:
    assert slides("-o", "deck.tex") == 0
    text = (home / "deck.tex").read_text("utf-8")
    assert text.count("\\pictured{") == 2 and "\\whole{" in text  # it takes the remaining height


def test_text_before_the_first_slide_is_refused() -> None:
    with pytest.raises(RoofproofError, match=r"own\.md, line 1: expected ## and a title before 'Hello'"):
        own_slides("Hello\n## A\n", "own.md", Path())


def test_formulas_of_powerpoint_are_equations_and_those_of_a_page_mathml(home: Path) -> None:
    pytest.importorskip("pypandoc", reason="NOT WRITTEN BY PANDOC; cure: pip install pypandoc_binary")
    (home / "mine.toml").write_text(COURSE.replace("![照片](p/photo.jpg)\n", "$$ I > R | by hand\n"), "utf-8")
    assert slides("-o", "deck.pptx") == 0 and slides("-o", "deck.html") == 0
    pages = zipfile.ZipFile(io.BytesIO((home / "deck.pptx").read_bytes()))
    assert pages.testzip() is None
    told = "".join(pages.read(name).decode() for name in pages.namelist() if "slides/slide" in name)
    assert len(re.findall("<m:oMath[ >]", told)) == 4 and "\\frac" not in told and "$" not in told
    assert any(name.startswith("ppt/media/") for name in pages.namelist()), "the picture"
    page = (home / "deck.html").read_text(encoding="utf-8")
    assert page.count("<math ") == 4 and "\\frac" not in re.sub(r"(?s)<annotation.*?</annotation>", "", page)
    assert '<aside class="notes">' in page


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xelatex") is None, reason="NOT COMPILED; cure: apt install texlive-xetex")
def test_own_pictures_are_in_the_pdf(home: Path) -> None:
    (home / "mine.toml").write_text(COURSE.replace("![照片](p/photo.jpg)\n", ""), "utf-8")
    assert slides("-o", "deck.pdf") == 0
    assert b"/Subtype/Image" in (home / "deck.pdf").read_bytes().replace(b" ", b"")
