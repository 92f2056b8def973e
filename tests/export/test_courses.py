"""Courses: both languages, formulas that read back, independently computed numbers, and slides that compile."""

import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import floor

import pytest
import sympy
from tex_log import faults

from roofproof.claims.verifying import verify
from roofproof.errors import MissingFigure, RoofproofError
from roofproof.export.latex.compiling import compiled, engine_for
from roofproof.export.slides.beamer import beamer
from roofproof.export.slides.course_claims import errata, figure, proved
from roofproof.export.slides.course_deck import course_deck
from roofproof.export.slides.course_operations import worked
from roofproof.export.slides.course_values import best
from roofproof.export.slides.model import Block, Bullets, Code, Deck, Display, Frame, Inline, Math, Picture, Table, Text
from roofproof.export.slides.tex import input_tex
from roofproof.formula.latex import read_latex
from roofproof.hardware import any_chip, chip_names
from roofproof.teach.course_file import course, course_of, paragraphs, shipped_courses

LANGUAGES = ("en", "zh")
PEAK, HBM, ICI = Fraction(197 * 10**12), Fraction(820 * 10**9), Fraction(45 * 10**9)
R = PEAK / HBM
COURSES = tuple(shipped_courses())
COMPARED = {"S0-73", "S0-31"}  # errata in a sentence, not in a row
NAMES = ["int8", "bf16", "fp16", "fp32", "H100", "A100", "80GB", "v5e", "v5p", "v6e", "7B", "13B", "Llama 2", "Phi-3"]


@cache
def deck(lang: str) -> Deck:
    return course_deck(course("rooflines"), lang)


def sentences(block: Block) -> Iterator[Inline]:
    match block:
        case Text(words):
            yield words
        case Bullets(items):
            yield from items
        case Display(_, reasons):
            yield from reasons
        case Table(header, rows):
            yield from header
            for row in rows:
                yield from row
        case Picture(_, about):
            yield about


def plain(words: Inline) -> str:
    return "".join(p if isinstance(p, str) else p.text if isinstance(p, Code) else p.tex for p in words)


def frame(title: str) -> Frame:
    (found,) = (f for f in deck("en").frames if plain(f.title) == title)
    return found


def said(title: str) -> str:
    """Return the whole text of a slide in one line."""
    blocks = frame(title).blocks
    formulas = [line for b in blocks if isinstance(b, Display) for line in b.lines]
    return " | ".join([*formulas, *(plain(words) for b in blocks for words in sentences(b))])


def shown(value: Fraction, significant: int = 5) -> str:
    return figure(sympy.Rational(value.numerator, value.denominator), significant).tex.removeprefix(r"{\approx}\,")


def needed(ridge: Fraction, wide: Fraction) -> Fraction:
    """Return the B that solves B/(1 + B*wide) = ridge, with `wide` = 1/D + 1/F."""
    return ridge / (1 - ridge * wide)


def wordless(formula: str) -> str:
    """Return a formula without its words and without the punctuation after rows of cases in English."""
    return re.sub(r"\\text\{[^}]*\}|\\ |\s|,(?= ?\\\\)|\.(?=\s*\\end)", "", formula)


@pytest.mark.slow
def test_both_languages_have_the_same_slides() -> None:
    english, chinese = deck("en"), deck("zh")
    assert all(f.note for each in (english, chinese) for f in each.frames)  # every slide has notes
    kinds = [[[type(b) for b in f.blocks] for f in each.frames] for each in (english, chinese)]
    assert kinds[0] == kinds[1]
    for one, other in zip(english.frames, chinese.frames, strict=True):
        assert bool(one.section) == bool(other.section)
        for a, b in zip(one.blocks, other.blocks, strict=True):
            if isinstance(a, Display) and isinstance(b, Display):
                assert list(map(wordless, a.lines)) == list(map(wordless, b.lines))
            if isinstance(a, Table) and isinstance(b, Table):
                assert len(a.rows) == len(b.rows) and a.align == b.align == b.align[: len(b.header)]
                assert all(len(row) == len(a.header) for row in (*a.rows, *b.rows))


@pytest.mark.parametrize(
    ("lang", "word", "slow", "fast"), [("zh", "[\u4e00-\u9fff]|[A-Za-z0-9.]+", 200, 250), ("en", r"\S+", 120, 140)]
)
def test_the_lecture_takes_45_to_60_minutes(lang: str, word: str, slow: int, fast: int) -> None:
    """The notes are read at 200 to 250 Chinese characters or 120 to 140 English words a minute."""
    said = sum(len(re.findall(word, plain(f.note))) for f in deck(lang).frames)
    assert 45 * slow <= said <= 60 * fast, said


@pytest.mark.parametrize(
    ("name", "least", "most"), [("edge-llm", 40, 60), ("llama-tutorial", 18, 30), ("tpu-notes", 22, 35)]
)
def test_every_course_is_told_whole(name: str, least: int, most: int) -> None:
    """The limits are minutes at 130 English words. At 225 Chinese characters, 0.7 of the lower limit is enough."""
    slides = course(name).slides
    assert [show for _, show in slides[1].show] == ["?sections"] and slides[0].section
    assert all(len(paragraphs(each.say["en"])) > 1 for each in slides if each.title)
    english = sum(len(each.say["en"].split()) for each in slides)
    chinese = sum(len(re.findall("[\u4e00-\u9fff]", each.say["zh"])) for each in slides)
    assert least * 130 <= english <= most * 130 and least * 225 * 0.7 <= chinese


def test_what_is_said_has_its_paragraphs_and_the_agenda_its_sections() -> None:
    made = deck("en")
    assert beamer(made).count("\\par ") > 80 and beamer(made, "script").count("\\par ") > 80
    (agenda,) = (b for b in frame("Agenda").blocks if isinstance(b, Bullets))
    assert agenda.items == tuple(f.section for f in made.frames if f.section)


ONE = """[course]
title = "临界强度"
subtitle = "一页"
language = "zh"
author = "王老师"
[chips]
v5e = "tpu-v5e"
[[slide]]
title = "一个芯片"
show = "<< v5e >> 的临界强度"
intuition = "先想一想。"
ask = "它大吗？"
takeaway = "记住它。"
say = '''一。

二。'''
"""


def test_a_course_may_be_in_one_language() -> None:
    made = course_deck(course_of(ONE, "one.toml"), "zh")
    shown = [plain(words) for b in made.frames[0].blocks for words in sentences(b)]
    assert shown == ["先想一想。", "TPU v5e 的临界强度", "它大吗？", "记住它。"]
    assert made.by == (("王老师",),) and "王老师" in beamer(made) and "一。\n\\par 二。" in beamer(made)
    with pytest.raises(RoofproofError, match=r"unknown language of this course 'en'; known: zh$"):
        course_deck(course_of(ONE, "one.toml"), "en")
    both = ONE.replace('language = "zh"\n', "").replace("say = ", "say.en = 'One.'\nsay.zh = ")
    with pytest.raises(RoofproofError, match=r"say: 1 in say.en and 2 in say.zh paragraphs; write as many in both$"):
        course_of(both, "one.toml")


OTHERS = [name for name in COURSES if name != "rooflines"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OTHERS)
def test_a_course_is_whole(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every slide has content and notes. The long campaign verifies the errata."""
    blank = {"printed": Math(input_tex("p")), "right": Math(input_tex("r")), "times": Math(input_tex("t"))}
    monkeypatch.setattr("roofproof.export.slides.course_deck.errata", lambda *of: [blank])
    decks = [course_deck(course(name), lang) for lang in LANGUAGES]
    assert [len(f.blocks) for f in decks[0].frames] == [len(f.blocks) for f in decks[1].frames]
    for made in decks:
        assert made.left_out == ()
        assert len(made.frames) > 20 and all(f.blocks and f.title and f.note for f in made.frames)
        text = " ".join(plain(w) for f in made.frames for b in f.blocks for w in (f.title, *sentences(b)))
        assert not re.search(r"@|\bici\b|\.\.\.|sent/W|\d{5,}/\d|None|\(''", text), name
    chinese = " ".join(plain(f.note) for f in decks[1].frames)
    assert not re.search("[a-z]{3,} [a-z]{3,} [a-z]{3,} [a-z]{3,}", chinese) and len(chinese) > 500


@pytest.mark.long
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_course_compiles_with_its_errata_judged(name: str, lang: str) -> None:
    made = course_deck(course(name), lang)
    for part in ("deck", "handout", "script"):
        _, log = compiled(beamer(made, part))
        assert faults(log, 2.0) == [], part


def on_chip(name: str, on: str, lang: str) -> Deck:
    """Return the deck of a course on a chip, after checks of the skipped slides and of the text of the others."""
    made = course(name).on([on])
    found = course_deck(made, lang)
    assert len(found.frames) > len(made.slides) / 2
    for said in ("dot", "own"):  # "never", in words
        with suppress(MissingFigure, KeyError):
            assert worked(made, {})[said].exact == "never"
    for each in found.left_out:  # reported in one line, and in the notes
        assert "\n" not in each and each in plain(found.frames[0].note) and not re.search(r"<<|\$|  |[(（] ", each)
    assert all(f.blocks and f.title for f in found.frames)
    text = beamer(found)  # draws the figures
    assert "<<" not in text and "None" not in text
    return found


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "lang", "on"), [("tpu-notes", "en", "apple-m2"), ("llama-tutorial", "zh", "apple-m2")]
)
def test_a_course_on_a_chip_that_lacks_something(
    name: str, lang: str, on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    blank = {"printed": Math(input_tex("p")), "right": Math(input_tex("r")), "times": Math(input_tex("t"))}
    monkeypatch.setattr("roofproof.export.slides.course_deck.errata", lambda *of: [blank])
    assert 0 < len(on_chip(name, on, lang).left_out) < 8


@pytest.mark.long
@pytest.mark.parametrize("on", chip_names())
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", COURSES)
def test_every_course_on_every_chip(name: str, lang: str, on: str) -> None:
    on_chip(name, on, lang)


@pytest.mark.parametrize("name", COURSES)
def test_a_course_is_whole_on_its_own_chips(name: str) -> None:
    made = course(name)
    chips = {key: any_chip(text) for key, text in made.chips.items()}
    assert len(chips) == len({chip.name for chip in chips.values()})
    assert all(best(made.format, chip) for chip in chips.values())


def test_the_words_of_the_field_are_there() -> None:
    chinese = " ".join(plain(w) for f in deck("zh").frames for b in f.blocks for w in (f.title, *sentences(b)))
    for word in ("算术强度", "临界强度", "计算受限", "通信受限", "访存受限", "峰值算力", "内存带宽"):
        assert word in chinese
    assert not re.search("[a-z]{3,} [a-z]{3,} [a-z]{3,} [a-z]{3,}", chinese)


@cache
def document(name: str = "rooflines") -> str:
    return (files("roofproof.teach") / "courses" / f"{name}.toml").read_text(encoding="utf-8")


def shown_text(name: str) -> str:
    """Return the text of a course's slides and notes."""
    slides = course(name).slides
    said = [text for each in slides for text in (each.title, each.section, each.question, *each.say.values())]
    return "\n".join([*said, *(line for each in slides for _, line in each.show)])


def typed(text: str) -> str:
    """Return the visible text that the author typed, without tags, comments, computed values and names."""
    return re.sub(rf"<%.*?%>|<<.*?>>|{'|'.join(NAMES)}", "", text)


FACTOR = re.compile(
    r"\b(twice|thrice|half|halves|halved|double[sd]?|doubling|a third|a quarter|a fifth|three sevenths"
    r"|(three|four|five|eight|ten|hundred) times|factor of|order of magnitude)\b"
    r"|[一两二三四五六七八九十百几数]倍|减半|折半|翻倍|翻番|一半|分之|数量级",
    re.IGNORECASE,
)
TRUE_EVERYWHERE = (  # true of every operation and chip, or proved on the slide
    "factor of two", "最多相差一倍", "at most twice",
    "至多是最大值的两倍", "时间也至多翻倍", "differ by a factor of two",
    "Slope: twice the intensity, twice the speed.", "斜坡：强度翻倍，速度翻倍。",
    "Each has half of $D$.", "各存 $D$ 的一半",
    "half of the work", "每个芯片做一半工作", "各做一半", "half of the contracted dimension", "收缩维度的一半",
    "counted twice", "计了两次", "halved twice", "重复折半", "less than half of the layer", "占比不到一半",
)  # fmt: skip


@pytest.mark.parametrize("name", COURSES)
def test_no_number_is_typed_into_a_sentence(name: str) -> None:
    number = re.compile(r"\d|[一二三四五六七八九十百千万]{2,}")
    assert [bool(number.search(typed(text))) for text in ("D = 4096", "二十 token", "H100")] == [True, True, False]
    assert [line for line in typed(shown_text(name)).splitlines() if number.search(line)] == []
    assert FACTOR.search("Twice the peak") and FACTOR.search("八分之一") and not FACTOR.search("the two chips")
    for line in typed(shown_text(name)).splitlines():
        for sentence in line.split(" // "):
            assert FACTOR.search(sentence) is None or any(said in sentence for said in TRUE_EVERYWHERE), sentence
    gaps = re.findall("<< (.+?) >>", document(name))
    assert [gap for gap in gaps if not re.match(r"\(?[a-z]", gap)] == []  # such as << 240 >>


@pytest.mark.parametrize("name", COURSES)
def test_both_languages_show_the_same_values(name: str) -> None:
    whole = re.sub("<< (.+?) >>", lambda gap: f"<{gap[1].encode().hex()}>", document(name))  # hides bars in values
    for sentence in re.split(r"[|\n]|\]\(", whole):
        holes = [sorted(re.findall("<[0-9a-f]+>", each)) for each in sentence.split(" // ")]
        assert len(holes) == 1 or (len(holes) == 2 and holes[0] == holes[1]), sentence


@pytest.mark.parametrize("name", COURSES)
def test_everything_that_is_named_is_used(name: str) -> None:
    made = course(name)
    text = " ".join(re.findall("<<.+?>>|<%.+?%>", shown_text(name))) + " ".join(
        f"{each.solved} {each.derivation}" for each in made.slides
    )
    text += " ".join(f"{each}" for each in (*made.figures.values(), *made.operations.values()))
    named = [*made.chips, *made.sizes, *made.operations, *made.figures]  # without errata, which a sentence may report
    assert [n for n in named if not re.search(rf"\b{n}\b", text)] == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_formula_reads_back(lang: str) -> None:
    """The answer parser reads every displayed formula, and cases row by row."""
    read = 0
    for f in deck(lang).frames:
        for block in f.blocks:
            for line in block.lines if isinstance(block, Display) else ():
                alone = line if "cases" in line else line.replace("&", "", 1).removeprefix(r"\qquad ")
                goes_on = re.match(r"=|\\to|\\Leftrightarrow|\\iff", alone)
                if not alone.strip().startswith((r"\rlap", r"\text{")):  # a case
                    read_latex(f"{'I > R' if re.search('Left|iff', alone) else 'I'} {alone}" if goes_on else alone)
                read += 1
    assert read > 40


def test_intensity_and_fate_of_a_dot_product() -> None:
    assert r"\frac{2N - 1}{4N + 2}" in said("Dot product: intensity")
    assert r"\frac{2}{2N - 1}" in said("Dot product: intensity")
    for n in (1, 7, 1000):
        truth = Fraction(2 * n - 1, 4 * n + 2)
        assert (Fraction(1, 2) - truth) / truth == Fraction(2, 2 * n - 1)
    vector = Fraction(614 * 10**10) / HBM  # 1024 * 4 lanes at 1.5 GHz, rounded as in the catalog
    for ridge in (R, vector):
        assert shown(100 * Fraction(1, 2) / ridge, 3) + r"\,\%" in said("Dot product: no length helps")
        assert shown(ridge) in said("Dot product: no length helps")
    assert shown(2 * vector, 3) + " times" in said("Dot product: no length helps")


def test_times_and_ridge_points() -> None:
    figures = {"TPU v5e": (PEAK, HBM), "TPU v6e": (Fraction(91 * 10**13), Fraction(16 * 10**11)),
               "H100": (Fraction(989 * 10**12), Fraction(335 * 10**10))}  # fmt: skip
    for row, (peak, bandwidth) in zip(_rows("Ridge points of chips"), figures.values(), strict=True):
        assert shown(peak / bandwidth) in row[-1]
    for row, (peak, _) in zip(_rows("What chips supply"), figures.values(), strict=True):
        assert shown(Fraction(10**15) / peak) in row[-1]


def _rows(title: str) -> list[list[str]]:
    (table,) = (b for b in frame(title).blocks if isinstance(b, Table))
    return [[plain(cell) for cell in row] for row in table.rows]


def test_thresholds_of_a_matrix_product() -> None:
    assert r"\frac{B}{D} + \frac{B}{F}" in said("Wide weights: the batch decides")
    assert shown(100 * 241 * Fraction(2, 4096), 3) in said("Wide weights: the batch decides")
    exact = needed(R, Fraction(2, 4096))
    assert f"B &> {shown(exact)}" in said("The rule and the truth")
    assert "TPU v5e: 273 tokens, where the rule says 241." in said("The rule and the truth")
    for size, at, whole, over in _rows("The narrower, the more tokens"):
        if R * Fraction(2, int(size)) >= 1:
            assert (at, whole, over) == ("never", "never", "")
            continue
        truth = needed(R, Fraction(2, int(size)))
        assert (shown(truth), str(floor(truth) + 1)) == (at.removeprefix(r"{\approx}\,"), whole)
        assert shown(truth / R, 3) in over


def test_width_for_several_chips() -> None:
    link = PEAK / ICI
    assert f"D &> {shown(2 * link)}" in said("Now the width decides")
    for chips, at, whole in _rows("More chips want more width"):
        truth = 2 * (int(chips) - 1) * link
        assert (shown(truth, 7), str(floor(truth) + 1)) == (at.removeprefix(r"{\approx}\,"), whole)
    assert shown(100 * Fraction(1024) / (2 * link), 3) in said("Answer 8")


def test_summary() -> None:
    h100 = Fraction(989, 335) * 100
    wide = Fraction(2, 4096)
    expected = [
        ("1/2", "never", "never"),
        ("2", "never", "never"),
        ("B", f"B > {shown(R)}", f"B \\geq {floor(needed(R, wide)) + 1}"),
        ("2B", f"B > {shown(R)}", f"B \\geq {floor(needed(R, wide)) + 1}"),
        ("2B", f"B > {shown(R / 2)}", f"B \\geq {floor(needed(R / 2, 2 * wide)) + 1}"),
        ("B", f"B > {shown(h100)}", f"B \\geq {floor(needed(h100, wide)) + 1}"),
        ("D/2", f"D > {shown(2 * PEAK / ICI)}", "D \\geq 8756"),
    ]
    assert [tuple(row[2:]) for row in _rows("Rules, and what they leave out")] == expected


def test_answers() -> None:
    wide, narrow = Fraction(2, 4096), Fraction(2, 1024)
    assert shown(needed(R, wide)) in said("Answer 1") and r"\frac{2BDF}{BD + DF + BF}" in said("Answer 1")
    assert shown(needed(R / 2, 2 * wide)) in said("Answer 2")
    assert shown(needed(R / 2, 2 * narrow) / needed(R / 2, 2 * wide), 3) in said("Answer 3")
    assert "$I < 2" not in said("Answer 4") and "I < 2" in said("Answer 4")
    for ridge in (shown(Fraction(98900, 335)), shown(Fraction(197900, 335), 4)):
        assert ridge in said("Answer 5")
    assert shown(needed(2 * R, wide)) in said("Answer 6")
    answers = {row[0]: row[1:] for row in _rows("Answer 7")}
    assert answers["one kernel"] == ["L/2", f"L \\geq {floor(2 * R) + 1}"]
    assert answers["unfused"][1] == answers["decode, one token"][1] == "never"


def tall(formula: str) -> str:
    """Return a formula of a table with display-size fractions."""
    return rf"\displaystyle {formula}\vphantom{{\Bigg\vert}}"


def test_errata_are_the_engine_s() -> None:
    found = dict(_errata())
    assert found["S0-53"] == ("B > 120", f"B > {shown(Fraction(394, 81) * 50)}")
    assert found["S2-73"] == ("298", r"{\approx}\,295.22")
    assert found["S1-13"] == (r"1.55 \times 10^{12}", r"2.039 \times 10^{12}")
    assert found["S3-6"] == (tall(r"\frac{2KMN}{KM + KN + MN}"), tall(r"\frac{KMN}{KM + KN + MN}"))
    assert found["S0-61"] == (tall(r"\frac{BDF}{2P} > \frac{2BF}{W_{\text{net}}}"), "")
    assert tall(r"\frac{BDF}{P} > \frac{2BF}{W_{\text{net}}}") in said("Errata: formulas")
    assert found["S2-47"] == ("DF", "BF")
    assert (found["S0-73"], found["S0-31"]) == (("243.2", "240.24"), (r"{\approx}\,163.93", "2.5"))
    assert "does not lower the critical batch: 243.2 against 240.24" in said("Errata: numbers")
    rows = [*_rows("Errata: numbers"), *_rows("Errata: formulas")]
    assert len(rows) == 10 and {printed for _, printed, _, _ in rows} < {printed for printed, _ in found.values()}
    with pytest.raises(RoofproofError, match="unknown claim 'S9-1'"):
        errata("roofline-notes", "S9-1")
    with pytest.raises(RoofproofError, match=r"S0-1: expected what is refuted, got verified$"):
        errata("roofline-lecture", "S0-1")


def _errata() -> Iterator[tuple[str, tuple[str, str]]]:
    for name, (each,) in ((text.split()[1], errata(*text.split())) for text in course("rooflines").errata.values()):
        yield name, (each["printed"].tex, each["right"].tex if "right" in each else "")


@pytest.mark.slow
def test_the_slips_are_the_engine_s() -> None:
    """Any mistake that roofproof names is the one in the row. The search for mistakes has a time limit."""
    named = {"S0-53": "other-figure:bf16", "S1-13": "other-chip:NVIDIA A100 40GB SXM4", "S3-6": "bytes-per-element",
             "S0-61": "multiply-add-once", "S2-73": "rounded-input:peak", "S4-106": "layers"}  # fmt: skip
    for book in {text.split()[0] for text in course("rooflines").errata.values()}:
        ids = {text.split()[1] for text in course("rooflines").errata.values() if text.startswith(f"{book} ")}
        path = files("roofproof.claims") / "textbooks" / f"{book}.toml"
        for result in verify([str(path)], ids - COMPARED, workers=1):
            assert result.verdict is not None and result.verdict.slip in (named.get(result.id), "none fits")


def test_a_claim_of_ones_own_is_proved_by_the_kernel() -> None:
    assert str(proved("a + b + c <= 3 max(a, b, c)")) == "a + b + c <= 3*Max(a, b, c)"
    refused = r"expected what the proof checker proves; a \+ b <= max\(a, b\) is refuted"
    with pytest.raises(RoofproofError, match=refused):
        proved("a + b <= max(a, b)")


@pytest.mark.slow
@pytest.mark.tex
@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_slides_compile(lang: str) -> None:
    text = beamer(deck(lang))
    if shutil.which(engine_for(text)) is None:
        pytest.skip(f"NOT COMPILED: {engine_for(text)} is not installed; see .ci/run for the packages")
    pdf, log = compiled(text)
    assert pdf.startswith(b"%PDF")
    assert faults(log, 2.0) == []
    assert re.search(rf"\({len(deck(lang).frames) + 1} pages", log.replace("\n", ""))
