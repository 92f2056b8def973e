r"""Texts with formulas: accepted formulas are harmless, compile, and are the same formula in every format."""

import json
import re
import shutil
from html import unescape

import pytest

from roofproof import op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.errors import RoofproofError
from roofproof.export.banks import bank_format, formats
from roofproof.export.latex.compiling import compiled
from roofproof.export.latex.documents import document
from roofproof.export.latex.expressions import latex
from roofproof.formula.latex import FRACTIONS
from roofproof.teach import variants
from roofproof.teach.bank_file import bank_of
from roofproof.teach.formulas import ACCENTS, MACROS, WORDS, formula
from roofproof.teach.marked_text import PARAGRAPH, parse_text, unmarked_text

HEAD = '[[exercise]]\nid = "a"\nop = "matmul:{format}"\nasks = "flops"\nvary = { format = ["bf16", "int8"] }\n'
TEXT = r"text = 'Is $x[[B,D]] \cdot \frac{2}{R_{\text{format}}} < {format}$ so for 50% & more, in a*b {format}?'"


def test_macros_that_are_read_are_none_that_could_do_harm() -> None:
    for name in ("input", "include", "write", "openout", "def", "let", "catcode", "csname", "href", "url",
                 "require", "begin", "end", "newcommand", "special", "read", "immediate", "loop", "html"):  # fmt: skip
        assert name not in MACROS
        with pytest.raises(RoofproofError, match="cannot be used in a formula"):
            formula(rf"\{name}{{x}}")


REFUSED = {
    "": "a formula of 0 characters; expected 1 to 2000",
    "{": "'{' is never closed",
    "}": "'}' closes nothing",
    r"\frac{1}": r"'\frac' is missing an argument",
    r"\hat": r"'\hat' is missing an argument",
    "x^": "'^' is missing an argument",
    r"x^^5cinput{y}": "'^' is missing an argument",
    r"\frac^^5c": "'^' is missing an argument",
    r"x\\y": r"'\\' cannot be used in a formula",
    "x\\": r"'\' is not a sign of a formula",
    r"\write18{ls}": r"'\write' cannot be used in a formula",
    r"\catcode`x=0": r"'\catcode' cannot be used in a formula",
    r"\mathrm\input{x}": r"'\input' cannot be used in a formula",
    r"\hat\input{x}": r"'\input' cannot be used in a formula",
    r"\sqrt[\input{x}]{2}": r"'\input' cannot be used in a formula",
    r"{\input{x} + y}": r"'\input' cannot be used in a formula",
    r"\begin{array}{c}x\end{array}": r"'\begin' cannot be used in a formula",
    "a % b": "'%' is not a sign of a formula",
    "a & b": "'&' is not a sign of a formula",
    "x#1": "'#' is not a sign of a formula",
    "a~b": "'~' is not a sign of a formula",
    "a $b$ c": "'$' is not a sign of a formula",
    "\0": r"'\x00' is not a sign of a formula",
    "{D} x": "the gap {D} has no values; list them, as vary = { D = [1, 2] }",
    "强度": r"'强' is not a sign of a formula; put words into \text{...}",
    r"\text{a_b}": r"'_' is inside the text of \text; write letters, digits and stops",
    r"\text{\input{x}}": r"'\input' is inside the text of \text",
    r"\text{</script>}": r"'<' is inside the text of \text",
    r"\text{a {b} c}": r"'{' is inside the text of \text",
    r"\text{$n$}": r"'$' is inside the text of \text",
    r"2 {n}": r"a gap next to a number reads as one number; put \cdot between them",
    r"2\,{n}": r"a gap next to a number reads as one number; put \cdot between them",
    r"{n}^2{n}": r"a gap next to a number reads as one number; put \cdot between them",
    "{" * 101 + "x" + "}" * 101: "braces are nested more than 100 deep",
    "x" * 2001: "a formula of 2001 characters; expected 1 to 2000",
}


@pytest.mark.parametrize("source", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_formula_is_refused_in_one_line(source: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        formula(source, {"n": 8})
    assert REFUSED[source] in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("source", "tex"),
    [
        (r"I = \frac{2BDF}{2BD + 2DF + 2BF} \approx B", r"I = \frac{2BDF}{2BD + 2DF + 2BF} \approx B"),
        (r"\left( \frac12 x \right)^2" + "\n\n  y", r"\left( \frac12 x \right)^2 y"),
        (r"a \lt b \ltimes", ""),
        (r"a\gt b", "a> b"),
        (r"{n}^2 \text{FLOP/B of {word}} \text{ {n} }", r"{8}^2 \text{FLOP/B of h100} \text{ 8 }"),
        (r"\text{word} x_{word} \mathrm{n}", r"\text{h100} x_{\text{h100}} \mathrm{8}"),
        (r"x_{2}{n} + B^{n} + D_{crit}", r"x_{2}{8} + B^{8} + D_{crit}"),
        (r"\frac{peak}{n}", r"\frac{1.5 \times 10^{14}}{8}"),
    ],
)
def test_a_formula_is_shown_as_its_author_wrote_it(source: str, tex: str) -> None:
    if not tex:
        with pytest.raises(RoofproofError, match="cannot be used in a formula"):
            formula(source)
        return
    assert formula(source, {"n": 8, "word": "h100", "peak": "1.5e14"}).tex == tex


def test_what_fills_a_gap_is_a_number_or_words_and_never_tex() -> None:
    assert formula("{x} + 1", {"x": "1.5e14"}).tex == r"{1.5 \times 10^{14}} + 1"
    assert formula("{x}", {"x": r"a_b} \input{y $%"}).tex == r"{\text{a-b   input y   }}"
    assert parse_text("{x}", {"x": "*a* $b$ `c`"}) == ("*a* $b$ `c`",)


@pytest.mark.parametrize("name", ["matmul", "dot", "attention", "softmax@fp32-vector"])
@pytest.mark.parametrize("asks", ["flops", "bytes", "intensity"])
def test_a_formula_is_the_same_to_the_grader(name: str, asks: str) -> None:
    """The LaTeX of a key is an accepted formula and is graded as that key, so a hint could reveal it."""
    asked = Question(op(name), asks=asks)
    assert grade(asked, formula(latex(asked.key.value)).tex).grade == "right"


def test_paragraphs_and_what_is_no_markup() -> None:
    pieces = parse_text("2 * B is so\nlong\n\n2*B*D, _ and (*)", {})
    assert pieces == ("2 * B is so\nlong", PARAGRAPH, "2*B*D, _ and (*)") and unmarked_text(pieces) == "".join(pieces)


@pytest.mark.parametrize("text", ["$x$$y$", "$$x$$"])
def test_formulas_that_run_together_mean_something_else_on_a_page(text: str) -> None:
    with pytest.raises(RoofproofError, match="formulas run together mean something else; put a word between them"):
        parse_text(text, {})


@pytest.mark.parametrize(
    "text",
    [
        "`$x$`",
        "`a",
        "**a",
        "a $x",
        "*so*",
        "**B**",
        "__a__",
        "_a_",
        r"\(x\)",
        "[[x]]",
        "<b>x</b>",
        "- x",
        "# x",
        "[a](b)",
    ],
)
def test_what_is_marked_otherwise_is_refused(text: str) -> None:
    with pytest.raises(RoofproofError, match="is markup of TeX, Markdown or HTML that is not read"):
        parse_text(text, {})


def exported(name: str) -> str:
    found = bank_of(HEAD + TEXT, "b.toml")
    made = [v for each in found.exercises for v in variants(each, 2, 0)]
    return "\n".join(text for file, (text, _) in bank_format(name)(found, made, "en").items() if "sol" not in file)


@pytest.mark.parametrize("name", formats())
@pytest.mark.parametrize("format", ["bf16", "int8"])
def test_a_formula_is_one_in_every_format(name: str, format: str) -> None:
    text = exported(name)
    if name == "prairielearn":
        text = "\n".join(one["text"] for one in json.loads(text[text.index("[\n {") :]))
    if name == "gift":
        text = re.sub(r"\\([~=#{}:\\])", r"\1", text)
    opening, closing = (r"\(", r"\)") if name in ("gift", "stack") else ("$", "$")
    sign = "<" if name == "latex" else r"\lt"
    assert "[[B" not in text or name != "stack"  # [[ opens a block there
    inner = rf"x[[B,D]] \cdot \frac{{2}}{{R_{{\text{{{format}}}}}}} {sign} {{\text{{{format}}}}}"
    assert f"Is {opening}{inner}{closing} " in unescape(text)
    shown = {"latex": r"so for 50\% \& more, in ", "myst": r"so for 50% \& more, in "}
    assert shown.get(name, "so for 50% &amp; more, in ") in text


def test_the_plain_text_has_formulas_in_tex() -> None:
    made = variants(bank_of(HEAD + TEXT, "b.toml").exercises[0], 2)
    assert {v.text("en") for v in made} == {
        rf"Is $x[[B,D]] \cdot \frac{{2}}{{R_{{\text{{{f}}}}}}} < {{\text{{{f}}}}}$ so for 50% & more, in a*b {f}?"
        for f in ("bf16", "int8")
    }


def test_a_hint_in_a_formula_that_gives_the_answer_away_is_refused() -> None:
    one = bank_of(HEAD + TEXT + "\nhints = ['It is $2BDF$.']", "b.toml").exercises[0]
    with pytest.raises(RoofproofError, match=r"the hint 'It is \$2BDF\$\.' gives the answer away"):
        variants(one)


@pytest.mark.tex
def test_what_is_read_compiles() -> None:
    """pdfLaTeX compiles every accepted macro without an error."""
    if shutil.which("pdflatex") is None:
        pytest.skip("NOT COMPILED: TeX is not installed")
    put_to = {*ACCENTS, *WORDS, *FRACTIONS, "mathrm", "mathbf", "mathit", "mathsf", "operatorname", "boxed", "sqrt"}
    sized = {name for name in MACROS if name in ("left", "right") or name[:3].lower() == "big"}
    found = [rf"a \{name} b" for name in sorted(MACROS - put_to - sized)]
    found += [rf"\{name}{{x}}{'{y}' * (name in FRACTIONS)}" for name in sorted(put_to)]
    found += [rf"\{name}(" for name in sorted(sized - {"left", "right"})]
    found += [r"\left( x \right\}", r"\sqrt[3]{x}", r"{w} + \text{if {w} {n}}", "1{,}024"]
    found += ["{" * 99 + "-x" + "}" * 99, r"\frac{1}{" * 49 + "-x" + "}" * 49]
    read = [formula(source, {"n": 8, "w": "h100"}).tex for source in found]
    pdf, _ = compiled(document("\n".join(f"${tex}$ A\n" for tex in read), "formulas"))
    assert pdf.startswith(b"%PDF")
