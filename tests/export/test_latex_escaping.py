"""Text reaches TeX as text: every character is printed as written or named, and none acts as a command."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from set_out import derivation

from roofproof import chip, op, threshold
from roofproof.export.explain.threshold import PHRASES
from roofproof.export.latex.documents import document
from roofproof.export.latex.escaping import comment, escape, has_chinese
from roofproof.export.latex.leaves import Style
from roofproof.export.outline import Row, outline
from roofproof.export.to_latex import inline
from roofproof.formula.tex import parse_tex

# Backslash sequences that escape may write: characters, break points, and math for single characters.
ALLOWED = re.compile(
    r"\\([%&#$_{}]|text(backslash|asciitilde|asciicircum|asciigrave)\{\}|allowbreak\{\}|tfrac\{1\}\{[24]\}|[A-Za-z]+(?=\$))"
)


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("100% & more_or #1 less", r"100\% \& more\_or \#1 less"),
        ("$5 {a} ~x^2", r"\$5 \{a\} \textasciitilde{}x\textasciicircum{}2"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        (r"\write18", r"\textbackslash{}write18"),
        ("^^5cinput", r"\textasciicircum{}\textasciicircum{}5cinput"),
        ("a\nb\r\n\n\tc", "a b c"),
        ("I ≈ B, D ≫ B → ∞", r"I $\approx$ B, D $\gg$ B $\to$ $\infty$"),
        ("2 µs, β", r"2 $\mu$s, $\beta$"),
        ("-- '' ,,", "-{}- '{}' ,{},"),
        ("“quoted” – and…", "``quoted'' -- and..."),
        ("第二章：性能", "第二章：性能"),
        ("🚀👍🏽", "{[}rocket][thumbs up sign][emoji modifier fitzpatrick type-4]"),
        ("龘 한 عرب", "{[}cjk unified ideograph-9f98] [hangul syllable han] [arabic letter ain][arabic letter reh]"
         "[arabic letter beh]"),
        ("a\u202eb\u200dc\x07", "abc[U+0007]"),
        ("e\u0301 caf\u00e9", "é café"),
        ("https://docs.example.com/a_b", r"https://\allowbreak{}docs.\allowbreak{}example.\allowbreak{}com/\allowbreak{}"
         r"a\_\allowbreak{}b"),
        ("[9cm] a [b]", "{[}9cm] a [b]"),
        ("算" * 50, "算" * 50),
        ("x" * 50, r"\allowbreak{}".join(["x" * 20, "x" * 20, "x" * 10])),
        ("", ""),
    ],
)  # fmt: skip
def test_escape(text: str, tex: str) -> None:
    assert escape(text) == tex


@given(st.text(max_size=60))
def test_no_text_is_a_command(text: str) -> None:
    tex = escape(text)
    rest = ALLOWED.sub("", tex)
    assert "\\" not in rest
    assert not set(rest) & set("%&#~^_") or re.search(r"\$[^$]*[\^_][^$]*\$", tex)  # only in math mode
    assert tex.count("{") - tex.count("\\{") == tex.count("}") - tex.count("\\}")
    assert len(re.findall(r"(?<!\\)\$", tex)) % 2 == 0
    assert "\n" not in tex
    parse_tex(tex)  # raises if a group is not closed


@given(st.text(max_size=60))
def test_a_comment_is_one_line_without_commands(text: str) -> None:
    line = comment(text)
    assert line.startswith("% ") or line == "%"
    assert len(line.splitlines()) <= 1
    assert "\\" not in line


def test_a_name_from_outside_stays_text() -> None:
    strange = op("x_1:bf16[B,D], w_up:bf16[D,F] -> z:bf16[B,F]")
    strange = replace(strange, name=r"50% \input{/etc/passwd} $x$ & 算子 🚀", convention=r"\write18{ls} # {")
    text = document(derivation(strange, None, threshold(strange, None, "B")), escape(strange.name))
    assert r"\textbackslash{}write18\{ls\} \# \{" in text
    assert r"50\% \textbackslash{}input" in text
    assert has_chinese(text) and "ctexart" in text
    assert not re.search(r"\\(input|write|immediate|openout|catcode|def)\b", text)


def test_an_answer_at_sizes_that_the_kernel_leaves_is_told_as_a_formula() -> None:
    """As text it was a row of twenty digits with a `sqrt` in it, so it is a formula."""
    on, sizes = chip("tpu-v5e@scaling-book"), {"D": 1024, "F": 1024}
    for size, told in ((sizes, "$B > 2521600/5571$"), ({"D": 8, "F": 8}, "never")):
        proved = threshold(op("matmul"), on, "B", size)
        [known] = [k for k in proved.derivation.of("at-point") if k.warrant.trust == "kernel"][:1]
        found = outline(proved.found.op, on, proved, size)
        [line] = PHRASES["proof"](Row("proof", (known,)), found)
        assert told in inline(line.left, Style(inline=True)) and inline(line.right, Style()) == "by the proof checker"
