"""The pages of the atlas: their answers are those of the engine, every link works, and no text runs as code."""

import gzip
import json
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path, PurePosixPath
from posixpath import normpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof import op, threshold
from roofproof.derive.atlas import parts
from roofproof.errors import RoofproofError, Stopped
from roofproof.export.doc import say
from roofproof.export.explain.threshold import explain, explain_cases
from roofproof.export.latex.leaves import Style
from roofproof.export.outline import outline
from roofproof.export.site import site
from roofproof.export.site.pages import chip_data, rendered, site_pages
from roofproof.export.site.site import MARK, assets, write_site
from roofproof.export.site.studies import OperationStudy, study
from roofproof.export.to_html import OnSite, body_html, html, to_html
from roofproof.hardware import Chip, Figure
from roofproof.say import Words
from roofproof.sentences import Sentence

TAGS = "section h3 p b ol ul li span div table thead tbody tr th td br small"
CHIPS = ["tpu-v2", "epyc-9654"]
OPS = ["axpy", "matmul", "embedding"]


class Read(HTMLParser):
    """A parsed page: its tags with their attributes, links, headings and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    @property
    def leads(self) -> list[str]:
        return [value for _, given in self.tags for name, value in given.items() if name in ("href", "src")]


@cache
def studies() -> tuple[OperationStudy, ...]:
    return tuple(study(name, CHIPS) for name in OPS)


@cache
def pages() -> dict[str, str]:
    return dict(rendered(site_pages(studies(), CHIPS)))


@given(st.text())
def test_text_in_a_sentence_stays_text(text: str) -> None:
    found = Read(str(html(text, Style())))
    assert not found.tags and "".join(found.text).replace("\r", "") == text.replace("\r", "")


@given(st.text())
def test_a_formula_is_text_of_one_element(text: str) -> None:
    found = Read(str(OnSite.formula(text)))
    assert found.tags == [("span", {"class": "tex"})]
    assert "".join(found.text).replace("\r", "") == text.replace("\r", "")


@given(st.text())
def test_what_fills_a_gap_is_no_formula(text: str) -> None:
    assert str(html(say("at <what>", what=text), Style())) == f"at {html(text, Style())}"


def test_each_case_stands_beside_its_condition() -> None:
    matmul = op("matmul")
    shown = str(body_html(explain_cases(matmul, threshold(matmul, None, "B").found.symbolic, ())))
    first, last = re.findall(r'<span class="where">(.*)</span></li>', shown)
    assert first.startswith("when ") and r"\frac{1}{D} + \frac{1}{F} &lt; \frac{1}{R}" in first
    assert last == "otherwise"


def test_names_from_outside_are_escaped() -> None:
    evil = "<img src=x onerror=alert(1)>"
    bf16 = Figure("bf16", Fraction(197 * 10**12), "FLOP/s", evil, "given", evil)
    mine = Chip(evil, (bf16, Figure("hbm", Fraction(819 * 10**9), "B/s", evil, "given", evil)), evil)
    dot = replace(op("dot"), name=evil, source=evil, convention=evil)
    found = threshold(dot, mine, "N")
    text = str(to_html(explain(outline(dot, mine, found, {}, steps=True))))
    assert {tag for tag, _ in Read(text).tags} <= set(TAGS.split()) and text.count("onerror") > 3


@pytest.mark.slow
def test_no_page_runs_text() -> None:
    for path, text in pages().items():
        found = Read(text)
        policy = [given["content"] for tag, given in found.tags if given.get("http-equiv") == "Content-Security-Policy"]
        assert len(policy) == 1 and "script-src 'self' 'wasm-unsafe-eval';" in policy[0], path
        assert all("src" in given for tag, given in found.tags if tag == "script"), path
        assert not [name for _, given in found.tags for name in given if name.startswith("on")], path
        assert not [lead for lead in found.leads if ":" in lead], f"{path} leads outside"


@pytest.mark.slow
def test_every_link_leads_somewhere() -> None:
    vendored = {"katex/katex.min.css"}
    there = {*pages(), *assets(), *vendored}
    for path, text in pages().items():
        for lead in Read(text).leads:
            target = lead.partition("#")[0]
            assert not target or normpath(str(PurePosixPath(path).parent / target)) in there, f"{path}: {lead}"


def test_every_page_is_in_both_languages_with_the_same_formulas() -> None:
    for path, text in pages().items():
        if not path.startswith("zh/"):
            other = pages()[f"zh/{path}"]
            large = [re.findall(r'<span class="tex large">([^<]*)</span>', each) for each in (text, other)]
            assert len({frozenset(f for f in each if r"\text" not in f) for each in large}) == 1, path
            assert '<html lang="en">' in text and '<html lang="zh-Hans">' in other
            assert re.search(r"[\u4e00-\u9fff]", "".join(Read(text).text).replace("中文", "")) is None, path


def test_a_page_is_small() -> None:
    """These are sizes before formulas are typeset. The long run measures the pages of the complete library."""
    for path, text in pages().items():
        assert len(text.encode()) < 60_000, path
        assert len(gzip.compress(text.encode())) < 7_000, path


def test_ids_and_headings_are_in_order() -> None:
    for path, text in pages().items():
        tags = Read(text).tags
        ids = [given["id"] for _, given in tags if "id" in given]
        assert len(ids) == len(set(ids)), path
        levels = [int(tag[1]) for tag, _ in tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1 and all(b <= a + 1 for a, b in pairwise(levels)), (path, levels)


def test_the_lines_are_those_of_the_atlas() -> None:
    """The pages agree with `roofproof derive --as list`, which shares only the proof code with them."""
    for each in studies():
        told = {(line.chip, line.compute, x): line.answers[x] for line in each.lines for x in line.answers}
        for x in each.dims:
            sizes = {n: s for n, s in each.sizes.items() if n != x}
            [part] = parts([each.name], CHIPS, [x], sizes)
            for line in part.lines:
                kind, integer, trust = told.pop((line.chip, line.compute, x))
                assert trust == line.trust and (not line.at or (kind, integer) == (line.at, line.integer))
        assert not told


def test_a_threshold_stands_on_the_page_of_its_operation_and_of_its_chip() -> None:
    for path in ("ops/matmul.html", "chips/tpu-v2.html"):
        rows = pages()[path].split("<tr>")
        [row] = [r for r in rows if ("matmul" in r if "chips" in path else "tpu-v2" in r) and "<td>bf16</td>" in r]
        assert "≈ 64.246" in row and "<td>B ≥ 67<" in row and "proof checker" in row
        assert "chips" not in path or "at D = 4096, F = 4096" in row


def test_formats_with_another_threshold_have_a_page_of_their_own() -> None:
    """Four bytes per element give B > 2 R, two bytes B > R. The operation's page has only the short form."""
    [variant] = [v for v in studies()[OPS.index("matmul")].variants if "fp32-vector" in v.formats]
    path = f"ops/matmul/{'-'.join(variant.formats)}.html"
    short = variant.answers[0].brief["en"]
    assert "{2RDF}{DF - 2R(D + F)}" in short
    assert short in pages()["ops/matmul.html"] and variant.answers[0].proof["en"] not in pages()["ops/matmul.html"]
    for where, lang in (("", "en"), ("zh/", "zh")):
        for each in variant.answers:
            assert each.proof[lang] in pages()[where + path]


def test_the_scripts_of_chips_are_data() -> None:
    found = dict(chip_data(studies()))
    assert set(found) == {f"assets/chips/{name}.js" for name in CHIPS}
    text = found["assets/chips/tpu-v2.js"].removeprefix('showChip("tpu-v2",').removesuffix(");\n")
    assert json.loads(text)["matmul"][0] == ["bf16", "≈ 64.246", "above", "B ≥ 67", 67]


def test_a_dimension_without_a_threshold_says_why() -> None:
    assert "has no FLOPs; a threshold compares" in pages()["ops/embedding.html"]
    chinese = pages()["zh/ops/embedding.html"]
    assert "算子 &#39;embedding&#39; 没有 FLOP；" in chinese and "has no FLOPs" not in chinese


def test_what_takes_too_long_in_one_format_is_left_out_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    from roofproof.export.site import studies

    def stopped(*_: object) -> None:
        raise Stopped(Sentence("stopped: no answer in <seconds> s", seconds=20))

    monkeypatch.setattr(studies, "threshold", stopped)
    found = study("dot", ["h100-sxm"])
    [answer] = found.variants[0].answers
    assert answer.problem == {"en": "stopped: no answer in 20 s", "zh": "已停止：20 秒内没有结果"}
    assert len(found.variants) > 2 and not any(variant.answers for variant in found.variants[1:])
    assert not found.lines


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fake the files of KaTeX and hide node, so that formulas are not typeset."""
    from roofproof.export.site import runtime, typesetting

    fake = {"dist/katex.min.css": b"", "dist/katex.mjs": b"", "dist/fonts/a.woff2": b"", "dist/katex.min.js": b""}
    monkeypatch.setattr(runtime, "npm_files", lambda name: fake)
    monkeypatch.setattr(typesetting.shutil, "which", lambda name: None)


def test_a_folder_is_written_whole_and_written_anew(bare: None, tmp_path: Path) -> None:
    home = tmp_path / "site"
    size = write_site(str(home), ["fft"], ["apple-m4"], {"engine/a.bin": b"1234"})
    files = [p for p in home.rglob("*") if p.is_file()]
    assert sum(p.stat().st_size for p in files) == size
    assert {"index.html", "zh/index.html", "ops/fft.html", "katex/fonts/a.woff2", "engine/a.bin", MARK} <= {
        p.relative_to(home).as_posix() for p in files
    }
    write_site(str(home), ["embedding"], ["apple-m4"])
    assert not (home / "ops/fft.html").exists() and (home / "ops/embedding.html").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["site"]


def test_a_folder_of_somebody_else_is_left_alone(bare: None, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(RoofproofError) as refused:
        write_site(str(tmp_path), ["fft"], ["apple-m4"])
    assert str(refused.value).endswith("': it holds other files; name a new or an empty folder")
    with pytest.raises(RoofproofError, match=r"^cannot write .*: it is not a folder; name a new one$"):
        write_site(str(tmp_path / "mine.txt"), ["fft"], ["apple-m4"])


def test_a_page_has_a_name_of_its_own(bare: None, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    for name, why in (("A b", "cannot be the name of a page"), ("fft", "is already the name of a page")):
        own.write_text(f'name = "{name}"\nop = "dot"\n')
        with pytest.raises(RoofproofError, match=f"own.toml: '{name}' {why}; "):
            write_site(str(tmp_path / "site"), [str(own)], ["apple-m4"])


def test_nothing_is_left_of_a_site_that_cannot_be_written(
    bare: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(site.shutil, "copyfile", full)
    with pytest.raises(RoofproofError) as refused:
        write_site(str(tmp_path / "site"), ["embedding"], ["apple-m4"], {"a": tmp_path / "b"})
    assert str(refused.value).endswith("No space left on device; make room, or name a folder on another disk")
    assert not list(tmp_path.iterdir())


def test_each_family_of_the_library_has_a_heading_in_chinese() -> None:
    from roofproof.export.site.labels import LABELS
    from roofproof.ops import entries

    headings = {each.heading for each in entries().values()}
    assert len(headings) == len({each.family for each in entries().values()})
    assert all(Words("zh", LABELS)[heading] != heading or heading == "Transformer" for heading in headings)
