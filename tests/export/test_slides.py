"""Decks: the slides of an operation in two languages, hostile names, and the exact error messages."""

import re
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from roofproof import chip, op
from roofproof.cli import main
from roofproof.export.explain.slides import LINES, about, does
from roofproof.export.latex.leaves import Style
from roofproof.export.slides.beamer import beamer
from roofproof.export.slides.decks import deck, write
from roofproof.export.slides.markdown import markdown
from roofproof.export.slides.model import Deck, Display, Frame, Math, Text
from roofproof.export.slides.terms import LANGUAGES, SlideWords
from roofproof.export.slides.tex import input_tex
from roofproof.export.to_frames import inline
from roofproof.hardware import chip_from_text
from roofproof.ops import entries, parse_operation
from roofproof.say import table

HOSTILE = r"50% of \input{/etc/passwd} \write18{x} $x$ & a_b #1 ^^5c <script>alert(1)</script> `c` | 第三 🚀"


def made(name: str, chip_name: str = "tpu-v5e", lang: str = "en", **more: object) -> Deck:
    return deck([(name, op(name))], [chip(chip_name)], lang, **more)  # type: ignore[arg-type]


def titles(some: Deck) -> list[str]:
    return ["".join(str(part) for part in frame.title) for frame in some.frames]


def slide(text: str, title: str) -> str:
    """Return the Beamer source of one slide."""
    return text.split(rf"\begin{{frame}}{{{title}}}")[1].partition(r"\end{frame}")[0]


def test_matmul_slide_by_slide() -> None:
    found = made("matmul", "tpu-v5e@scaling-book")  # 1.97e14 / 8.2e11 FLOP/B
    assert titles(found) == [
        f"matmul: {what}"
        for what in (
            "setup", "what is moved", "FLOPs and intensity", "the limit and its error",
            "the ridge point of Google TPU v5e @scaling-book", "where it is compute-bound",
            "from the intensity to the answer", "on the chip, in numbers", "on the roofline",
        )
    ]  # fmt: skip
    text = beamer(found)
    assert r"total &  & $2BD + 2DF + 2BF$\tabularnewline" in slide(text, "matmul: what is moved")
    assert r"I &\wide{= \frac{BDF}{BD + DF + BF}" in slide(text, "matmul: FLOPs and intensity")
    error = slide(text, "matmul: the limit and its error")
    assert r"\frac{B}{D} + \frac{B}{F}" in error and "that is $0.125$." in error  # 2 * 256/4096
    assert r"\approx 240.24" in slide(text, "matmul: the ridge point of Google TPU v5e @scaling-book")
    bound = slide(text, "matmul: where it is compute-bound")
    assert r"B > \dfrac{RDF}{DF - R(D + F)} & \text{when}\ \frac{1}{D} + \frac{1}{F} < \frac{1}{R}" in bound
    assert r"\text{never} & \text{otherwise}" in bound
    assert "Status: proved by the proof checker, for all $B,$ $D,$ $F,$ $R$ $> 0$." in bound
    # 240.24 / (1 - 240.24 * 2/4096) = 272.2
    numbers = slide(text, "matmul: on the chip, in numbers")
    assert "$B > 272.17$, so $B = 273$ is the smallest" in numbers
    assert r"$B > 240.24$ (exact over rule: $\approx 1.1329$)" in numbers
    assert "leaves out: $1/D + 1/F < 1/R$. Without it: never." in numbers
    assert r"\begin{tikzpicture}" in slide(text, "matmul: on the roofline")


def test_every_published_figure_stands_with_the_answer_that_it_gives() -> None:
    """1.97e14 FLOP/s / 858993459200 B/s = 229.34 FLOP/B gives a threshold of 229.34/(1 - 229.34 * 2/4096) = 258.3."""
    rows = slide(beamer(made("matmul")), "matmul: on the chip, in numbers")
    assert rows.count(r"\tabularnewline") == 8
    assert r"hbm = $858993459200\,\text{B/s}$ & $\approx 229.34$ & $B = 259$\tabularnewline" in rows


def test_an_operation_of_ones_own_has_a_name_in_words() -> None:
    text = "x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> y:bf16[B,F]"
    for lang, title in (("en", "product of x, a, b: setup"), ("zh", "x, a, b 的乘积：设定")):
        found = deck([(text, op(text))], [chip("tpu-v5e")], lang)
        assert titles(found)[0] == title
    numbers = slide(beamer(made(text)), "product of x, a, b: on the chip, in numbers")
    assert r"Never, since $R < r$ fails ($R \approx 240.54$)" in numbers
    assert "the same with every other published spec" in numbers


def test_of_many_cases_the_one_that_holds_is_shown() -> None:
    own = op("flops bf16 = 8 B D^2; flops fp32-vector = 4 B D; flops exp = 5 B D; bytes hbm = 8 B D + 8 D^2")
    found = deck([("own", own)], [chip("h100-sxm")], unknown_name="B", at={"D": 1024})
    text = slide(beamer(found), "own: where it is compute-bound")
    assert "one of 8 cases:" in text and r"\begin{cases}" not in text and "Where $" in text
    assert "own: how long it takes" in titles(found) and len(found.frames) <= 11


def test_the_set_up_shows_what_goes_in_and_comes_out() -> None:
    line = r"x\text{: bf16}[B, D]\text{, }w\text{: bf16}[D, F]"
    assert line in slide(beamer(made("matmul")), "matmul: setup")


def test_only_sizes_that_matter_stand_beside_the_threshold() -> None:
    """The threshold over two chips is 2 R = 8755.6 for any batch. Attention depends on d but not on its heads."""
    text = slide(beamer(made("split-matmul")), "split-matmul: on the chip, in numbers")
    assert "$D > 8755.6$, so $D = 8756$ is the smallest" in text and "At " not in text
    assert r"At $d = 4096$:" in slide(beamer(made("attention")), "attention: on the chip, in numbers")


def test_numbers_for_each_chip_come_from_one_proof() -> None:
    chips = [chip(name) for name in ("tpu-v5e", "h100-sxm")] + [chip_from_text("fp32=1e12 FLOP/s, hbm=1e11 B/s")]
    text = beamer(deck([("matmul", op("matmul"))], chips, at={"D": 1024, "F": 1024}))
    rows = slide(text, "matmul: on the chip, in numbers")
    assert "$B > 453.67$ ($454$)" in rows and "$B > 697.28$ ($698$)" in rows  # R / (1 - 2 R/1024) for each
    assert "custom & no spec" in rows


def test_each_chip_has_its_own_rule_of_thumb() -> None:
    chips = [chip("h100-sxm"), chip("tpu-v5e")]
    text = beamer(deck([("matmul", op("matmul"))], chips, at={"D": 4096, "F": 4096}))
    rows = slide(text, "matmul: on the chip, in numbers")
    assert r"$B > 344.95$ ($345$) & $B > 295.22$ & $\approx 1.1684$" in rows
    assert r"$B > 272.55$ ($273$) & $B > 240.54$ & $\approx 1.1331$" in rows


def test_several_engines_have_numbers_for_each_chip() -> None:
    chips = [chip("h100-sxm"), chip("b200"), chip("tpu-v5e")]
    rows = slide(beamer(deck([("softmax", op("softmax"))], chips)), "softmax: on the chip, in numbers")
    assert (
        r"$\approx 19.97$ & $\approx 1.1537$" in rows
        and r"$\approx 10.39$ & $\approx 0.6043$" in rows
        and "no spec" in rows
    )


def test_two_formats_on_one_engine_add_up_as_each_chip_has_them() -> None:
    """2 B D F/P + 2 B D F/Q > 2 D F/b for B > 100/1.5 and B > 100/1.25 as F grows, on two chips with one name."""
    chips = [chip_from_text(f"bf16=1e14 FLOP/s, int8={q}e14 FLOP/s, hbm=1 TB/s") for q in (2, 4)]
    mixed = op("flops bf16 = 2 B D F; flops int8 = 2 B D F; bytes hbm = 2 B D + 2 D F")
    text = beamer(deck([("mixed", mixed)], chips, at={"F": 4096}, unknown_name="B"))
    rows = slide(text, "mixed: on the chip, in numbers")
    assert "& $B > 66.667$ &" in rows and "& $B > 80$ &" in rows
    assert "$B > 67.77$ ($68$)" in slide(text, "mixed: on the chip, in numbers")  # 200 F/(3 F - 200) = 67.77
    assert r"int8 & $2 \times 10^{14}" in slide(text, "mixed: the ridge point of custom")


@pytest.mark.parametrize(
    ("name", "title", "says"),
    [
        ("embedding", "embedding: never compute-bound", "It does no FLOPs: its intensity is $0$"),
        ("add", "add: never compute-bound", "Since $I = 1/6$ at every size"),
        ("dot", "dot: never compute-bound", r"And here $R \approx 240.54$, which no size can make up for."),
    ],
)
def test_an_operation_without_a_threshold_says_never_and_why(name: str, title: str, says: str) -> None:
    text = slide(beamer(made(name)), title)
    assert "Never compute-bound on Google TPU v5e, at any size." in text
    assert says in text


def test_an_operation_that_is_not_solved_says_why() -> None:
    figures = chip_from_text("fp64-vector=9.7e12 FLOP/s, hbm=2.039e12 B/s")
    transform = op("flops fp64-vector = 5 N log2(N); bytes memory = 32 N + 64")
    text = slide(beamer(deck([("fft", transform)], [figures])), "fft: no closed form")
    assert "No threshold in closed form: N occurs inside log2(N) and outside it, which has no closed form;" in text
    assert r"$I \approx 1.8741$, against $R \approx 4.7572$" in text  # 60 N over 32 N + 64 at N = 4096


def test_a_second_bound_stands_with_the_threshold_and_is_no_condition_that_the_rule_hides() -> None:
    """A single chip has no ring, so its answer is L > R (n + 1), and "never" would be wrong."""
    text = beamer(made("ring-attention"))
    bound = slide(text, "ring-attention: where it is compute-bound")
    assert r"L > R_{\text{memory}}(n + 1) & \text{otherwise}" in bound
    hidden = slide(text, "ring-attention: on the chip, in numbers")
    assert "A condition the rule leaves out" not in hidden


def test_a_rule_that_misleads_on_a_chip_is_not_compared_there() -> None:
    """At D = F = 1024 the threshold is 1.9 times the rule's 240.5 on one chip, and 2.4 times 295.2 on the other."""
    both = [chip("tpu-v5e"), chip("h100-sxm")]
    text = beamer(deck([("matmul", op("matmul"))], both, "en", "B", {"D": 1024, "F": 1024}))
    hidden = slide(text, "matmul: on the chip, in numbers")
    assert "$B > 240.54$" in hidden and "$B > 295.22$" not in hidden


def test_parts_of_a_long_limit_have_names_that_are_told_first() -> None:
    grown = op("convolution; P: size, Q: size, R: size, S: size")
    text = slide(
        beamer(deck([("convolution", grown)], [chip("tpu-v5e")], "en")), "convolution: the limit and its error"
    )
    assert text.index("W = CKRS + KNPQ") < text.index(r"\frac{IW}{CKNPQRS}")


def test_lines_of_a_proof_that_are_too_many_for_a_slide_stand_on_several() -> None:
    found = deck([("flash-attention", op("sliding-window-attention"))], [chip("h100-sxm")], "en")
    told = [block for f in found.frames if f.part == "steps" for block in f.blocks if isinstance(block, Display)]
    assert all(len(block.lines) <= 2 * LINES for block in told) and len(told) >= 1


@pytest.mark.slow
def test_fractions_in_rows_of_cases_do_not_touch() -> None:
    apart = r" \\[2.5ex]" + "\n"
    assert beamer(made("group-quantized-matmul")).count(apart) == 2 and apart not in beamer(made("matmul"))


def test_a_long_sum_is_told_by_its_terms() -> None:
    assert r"\text{bytes} &\wide{= \text{ a sum of 14 terms}}" in beamer(made("generate"))


def test_chinese_uses_the_words_of_the_field() -> None:
    text = beamer(made("matmul", lang="zh"))
    assert text.startswith("% !TeX program = xelatex") and "fontset=fandol" in text
    for word in ("算术强度", "临界强度", "计算受限当且仅当", "矩阵乘法", "由证明内核证明", "最小整数 $B = 273$"):
        assert word in text
    assert "通信受限" in SlideWords("zh")["communication-bound"]


def test_the_table_of_words_is_whole() -> None:
    """Slide texts exist only for operations of the library, and for the same ones in every language."""
    english = tomllib.loads(files("roofproof.export.slides").joinpath("what.toml").read_text("utf-8"))
    assert set(table()["operations"]) <= set(entries()) >= set(english) == set(table()["what"])


def test_where_an_operation_has_no_words_of_a_language_its_english_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(table()["operations"], "add")
    entry = entries()["add"]
    assert inline(about(entry), Style("zh")) == inline(about(entry), Style("en")) == (entry.about,)
    assert inline(about(replace(entry, words={"zh": "$x + y$"})), Style("zh")) == (Math(input_tex("x + y")),)


@pytest.mark.parametrize("name", [HOSTILE, "<script>alert(1)</script> 第三", r"\input{/etc/passwd} \write18{x} 第三"])
def test_hostile_names_reach_neither_tex_nor_html_as_commands(name: str) -> None:
    mine = replace(chip("tpu-v5e"), name="mine", title=name, vendor="")  # a long title is cut
    for lang in LANGUAGES:
        found = deck([(HOSTILE, parse_operation("bf16[B,D], bf16[D,F] -> bf16[B,F]"))], [mine], lang)
        text = beamer(found)
        assert not re.search(r"\\(input|write|immediate|openout|catcode|def)\b", text)
        assert r"\textbackslash{}input\{/" in text and r"a\_b" in text
        assert text.startswith("% !TeX program = xelatex")  # the name contains Chinese
        shown = markdown("paper.md.j2", found, lambda block: "", spoken=False)
        assert not re.search(r"(?<!\\)<script", re.sub("``.*?``|`[^`]*`", "", shown))
        assert r"\$x\$" in shown


def test_markdown_keeps_formulas_and_escapes_text() -> None:
    deck = Deck(("T",), (), "en", (Frame(("a|b",), (Text(("*x* <b> ", Math(input_tex("a_b")))),)),))
    text = markdown("paper.md.j2", deck, lambda block: "", spoken=False)
    assert r"\*x\* \<b\> $a_b$" in text and "### 1. a\\|b" in text


@pytest.mark.parametrize(
    ("lang", "when", "joined"),
    [("en", "runs on several compute units", "one of them is enough"), ("zh", "在多个计算单元上进行", "满足其一即可")],
)
def test_several_units_have_their_condition_and_its_proof(lang: str, when: str, joined: str) -> None:
    text = beamer(made("softmax", "h100-sxm", lang))
    assert when in text and joined in text


def test_a_limit_without_bound_is_told_line_by_line() -> None:
    text = slide(beamer(made("fft", "h100-sxm")), "fft: the limit and its error")
    assert r"I \to \infty" in text and "two to the power of both sides" in text


def test_a_deck_says_what_its_operation_does_and_tells_no_proof_of_what_is_seen() -> None:
    for lang, said, sizes in (
        ("en", "are never written to memory", "Sizes: $h$ (heads), $L$ (sequence), $k$ (head width)"),
        ("zh", "从不写回内存", "尺寸：$h$（头数）、$L$（序列长度）、$k$（头宽度）"),
    ):
        found = deck([("flash-attention", op("flash-attention"))], [chip("tpu-v5e")], lang)
        text = beamer(found)
        assert said in text and sizes in text
        assert len(found.frames) == 8  # no slide for the limit, since I = L/2 is its own limit


def test_every_operation_of_the_library_is_told_in_both_languages() -> None:
    for entry in entries().values():
        said = ["".join(map(str, inline(does(entry), Style(lang)))) for lang in ("en", "zh")]
        assert said[0].rstrip(")").endswith(".") and said[1].endswith("。"), entry.name


def test_what_is_never_compute_bound_is_proved_line_by_line() -> None:
    found = titles(made("add", "h100-sxm"))
    assert found.index("add: never compute-bound") + 1 == found.index("add: from the intensity to the answer")


def test_markdown_has_its_figure_in_it(tmp_path: Path) -> None:
    write(made("matmul"), str(tmp_path / "handout.md"), "handout")
    text = (tmp_path / "handout.md").read_text(encoding="utf-8")
    # an <img> element, since markdown-it rejects `![](data:image/svg...)` and shows its text instead
    assert '<img alt="at B = 256, D = 4096, F = 4096" width="900" src="data:image/svg+xml;base64,PD94' in text
    assert "](data:" not in text
    assert len(re.findall(r"\n### \d+\. ", text)) == 9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "a.tex"], "expected at least one operation, such as `roofproof slides matmul`"),
        (["matmul", "-o", "a.tex"], "expected at least one --chip, such as --chip tpu-v5e"),
        (["matmul", "--chip", "tpu-v5e"], "expected -o FILE, a name that ends in .tex, .pdf, .qmd, .pptx or .html",
        ),
        (["matmul", "--chip", "tpu-v5e", "-o", "a.doc"],
         "cannot write 'a.doc': expected a name that ends in .tex, .pdf, .qmd, .pptx or .html"),
        (["matmul", "--chip", "tpu-v5e", "-o", "a.md"],
         "cannot write 'a.md': expected a name that ends in .tex, .pdf, .qmd, .pptx or .html"),
        (["matmul", "--chip", "tpu-v5e", "--part", "formula", "-o", "a.svg"],
         "cannot write 'a.svg': expected a name that ends in .tex"),
        (["matmul", "--chip", "tpu-v5e", "-o", "a.tex", "--lang", "de"],
         "unknown language 'de'; known: en, zh"),
        (["--course", "roofline", "-o", "a.tex"], "unknown course 'roofline'; did you mean 'rooflines'?"),
        (["matmul", "--course", "rooflines", "-o", "a.tex"], "--course takes no OP; leave one of them out"),
        (["--course", "rooflines", "--part", "notes", "-o", "a.tex"],
         "unknown part 'notes'; known: deck, exercises, figure, formula, frames, handout, script, solutions, table"),
        (["matmul", "--chip", "tpu-v5e", "--part", "script", "-o", "a.tex"],
         "--part script requires a course, such as --course rooflines"),
        (["--course", "rooflines", "--part", "exercises", "-o", "a.md"],
         "expected a sheet as .tex or .pdf; for Markdown use `roofproof exercises FILE --to myst`"),
        (["--course", "no/such.toml", "-o", "a.tex"], "cannot read course 'no/such.toml': No such file or directory"),
        (["matmul", "--chip", "tpu-v5e", "-o", "no/such/a.tex"],
         "cannot write 'no/such/a.tex': No such file or directory; name a file in a folder you own"),
        (["matmul", "--chip", "tpu-v5e", "-o", "a.tex", "--for", "Q"],
         "unknown dimension 'Q'; known: B, D, F"),
        (["matmul", "--chip", "tpu-v5e", "-o", "a.tex", "--at", "B=8"],
         "B is the size that matmul is solved for; leave it out of --at, or name another with --for"),
        (["matmul", "--chip", "int4=1e12 OP/s, hbm=1e11 B/s", "-o", "a.tex"],
         "matmul cannot run: chip 'custom' has no spec 'bf16'; it has int4, hbm; "
         'add it, as --chip "..., bf16=NUMBER FLOP/s"'),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_in_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["slides", *arguments]) == 2
    assert capsys.readouterr().err == f"roofproof: {message}\n"
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_markdown_names_the_cure_and_the_old_file_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    (tmp_path / "deck.qmd").write_text("old")
    assert main(["slides", "matmul", "--chip", "tpu-v5e", "-o", str(tmp_path / "deck.qmd")]) == 2
    assert "roofproof[plot]" in capsys.readouterr().err
    assert [f.read_text() for f in tmp_path.iterdir()] == ["old"]


def test_sizes_that_break_what_an_operation_assumes_make_no_deck(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked = ["slides", "blocked-stencil", "--chip", "h100-sxm", "--for", "N", "--at", "b=128,T=2048"]
    assert main([*asked, "-o", str(tmp_path / "deck.qmd")]) == 2 and not list(tmp_path.iterdir())
    assert "take 1205845622784 bytes, and smem of h100-sxm holds 233472" in capsys.readouterr().err  # 16 (128 + 4096)^3


def test_a_further_chip_in_which_the_blocks_do_not_fit_has_no_answer(tmp_path: Path) -> None:
    deck = tmp_path / "deck.qmd"
    asked = ["slides", "tiled-matmul:b=512,f=512,d=64", "--for", "B", "--at", "D=8192,F=8192"]
    assert main([*asked, "--chip", "tpu-v5e", "--chip", "h100-sxm", "-o", str(deck)]) == 0
    assert "| NVIDIA H100 SXM5 80GB | blocks do not fit |  |  |  |" in deck.read_text(encoding="utf-8")


def test_a_slide_tells_the_room_that_blocks_need_and_that_no_size_is_allowed(tmp_path: Path) -> None:
    asked = ["tiled-matmul:b=t,f=t,d=64", "--chip", "h100-sxm", "--for", "t", "--at", "B=8192,D=8192,F=8192"]
    assert main(["slides", *asked, "-o", str(tmp_path / "deck.qmd")]) == 0
    text = (tmp_path / "deck.qmd").read_text(encoding="utf-8")
    assert r"$64$ divides $D$, $256t + 2t^2 \leq \text{vmem}$" in text
    assert "where no integer is allowed" in text and "the same with every other published spec" in text
