r"""Texts with formulas: what is read compiles, reads back in ASCII, and is one formula in every format."""

import json
import re
import shutil
from html import unescape
from random import Random

import pytest

from roofproof import op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.errors import RoofproofError
from roofproof.export.banks import bank_format, formats
from roofproof.export.latex.compiling import compiled
from roofproof.export.latex.documents import document
from roofproof.export.latex.expressions import latex
from roofproof.teach import formulas, variants
from roofproof.teach.bank_file import bank_of
from roofproof.teach.formulas import formula
from roofproof.teach.written import PARAGRAPH, unmarked_text, written

HEAD = '[[exercise]]\nid = "a"\nop = "matmul:{format}"\nasks = "flops"\nvary = { format = ["bf16", "int8"] }\n'
TEXT = r"text = 'Is $x[[B,D]] \cdot \frac{2}{R_{\text{format}}} < {format}$ so for 50% & more, in a*b {format}?'"
MACROS = sorted(
    {*formulas._OPERATORS, *formulas._NAMES, *formulas._SPACES, *formulas._OPENING, *formulas._CLOSING} - {"|"}
)


def test_macros_that_are_read_are_none_that_could_do_harm() -> None:
    known = {*MACROS, *formulas._FONTS, *formulas._ACCENTS, *formulas._WORDS, *formulas._SIZED, *formulas.FRACTIONS}
    for name in ("input", "include", "write", "openout", "def", "let", "catcode", "csname", "href", "url",
                 "require", "begin", "end", "newcommand", "special", "read", "immediate", "loop", "html"):  # fmt: skip
        assert name not in known
        with pytest.raises(RoofproofError, match="is no macro that is read here"):
            formula(rf"\{name}{{x}}")


REFUSED = {
    "": "an empty formula; write one between two $",
    "{": "'}' is missing",
    "}": "'}' is no sign of a formula",
    r"\frac{1}": r"'\\frac' lacks what it is put to",
    r"\frac{}{2}": r"'\\frac' lacks what it is put to",
    "x^": "'^' lacks what it is put to",
    "^2": "'^' has nothing before it",
    "x^2^3": "'^' stands twice on one sign; put braces",
    "x^2 ^3": "'^' stands twice on one sign; put braces",
    "x^2'": '"\'" stands twice on one sign; put braces',
    "x^10": "^10 takes the first digit alone; write ^{10}",
    r"\left( x": r"'\\right' is missing",
    r"\left x": r"'\\left' is followed by no bracket; write one, as \left(",
    r"x \right)": r"'\\right' is no macro that is read here",
    "a % b": "'%' is no sign of a formula",
    "a & b": "'&' is no sign of a formula",
    "x#1": "'#' is no sign of a formula",
    "{D} x": "the gap {D} has no values; list them, as vary = { D = [1, 2] }",
    "强度": r"'强' is no sign of a formula; put words into \text{...}",
    r"\text{a_b}": r"'_' stands in the words of \text; write letters, digits and stops",
    r"\text{\input{x}}": r"'\\input' stands in the words of \text",
    r"2 {n}": r"a gap beside a number would be read as one number; put \cdot between them",
    r"{n}^2{n}": r"a gap beside a number would be read as one number; put \cdot between them",
    "{" * 40 + "x" + "}" * 40: "more than 30 braces inside one another",
    "x" * 2001: "a formula of 2001 signs; at most 2000 are read",
}


@pytest.mark.parametrize("source", REFUSED, ids=range(len(REFUSED)))
def test_what_is_no_formula_is_refused_in_one_line(source: str) -> None:
    with pytest.raises(RoofproofError) as refused:
        formula(source, {"n": 8})
    assert REFUSED[source] in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("source", "ascii"),
    [
        (r"I = \frac{2BDF}{2BD + 2DF + 2BF} \approx B", "I = 2 B D F/(2 B D + 2 D F + 2 B F) ~= B"),
        (r"\frac12 x + \left(\frac{a}{b}\right)^2", "(1/2) x + (a/b)^2"),
        (r"\frac{a+b}{cd} - \frac{\frac{a}{b}}{\frac{c}{d}}", "(a + b)/(c d) - a/b/(c/d)"),
        (r"1{,}024 \le B_{crit} \cdot D_{\text{in}}'", "1,024 <= B_crit * D_in'"),
        (r"-x^{-1} \gg \sqrt[3]{k} \lceil x/2 \rceil", "-x^(-1) >> (k)^(1/3) ceil(x/2)"),
        (r"{a+b} c\,(d - e)", "(a + b) c (d - e)"),
        (r"{n}^2 \text{FLOP/B of {word}}", "8^2 FLOP/B of h100"),
        (r"{peak}", "1.5e14"),
        (r"{x^2}^3 {y^2} z", "(x^2)^3 y^2 z"),
    ],
)
def test_a_formula_in_ascii(source: str, ascii: str) -> None:
    assert formula(source, {"n": 8, "word": "h100", "peak": "1.5e14"}).plain == ascii


def test_what_fills_a_gap_is_a_number_or_words_and_never_tex() -> None:
    assert formula("{x} + 1", {"x": "1.5e14"}).tex == r"{1.5 \times 10^{14}} + 1"
    assert formula("{x}", {"x": r"a_b} \input{y $%"}).tex == r"{\text{a-b input y }}"
    assert written("{x}", {"x": "*a* $b$ `c`"}) == ("*a* $b$ `c`",)


@pytest.mark.parametrize("name", ["matmul", "dot", "attention", "softmax"])
@pytest.mark.parametrize("asks", ["flops", "bytes", "intensity"])
def test_ascii_is_the_same_formula_to_the_grader(name: str, asks: str) -> None:
    """What the printer of LaTeX makes of a key reads, through ASCII, as that key."""
    asked = Question(op(name), asks=asks)
    assert grade(asked, formula(latex(asked.key.value)).plain).grade == "right"


def test_paragraphs_and_what_is_no_markup() -> None:
    pieces = written("2 * B is so\nlong\n\n2*B*D, _ and (*)", {})
    assert pieces == ("2 * B is so\nlong", PARAGRAPH, "2*B*D, _ and (*)") and unmarked_text(pieces) == "".join(pieces)


@pytest.mark.parametrize("text", ["$x$$y$", "$$x$$"])
def test_formulas_that_run_together_mean_something_else_on_a_page(text: str) -> None:
    with pytest.raises(RoofproofError, match="formulas run together mean something else; put a word between them"):
        written(text, {})


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
        written(text, {})


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
    assert "[[B" not in text or name != "stack"  # a block there
    inner = rf"x[[B,D]] \cdot \frac{{2}}{{R_{{\text{{{format}}}}}}} {sign} {{\text{{{format}}}}}"
    assert f"Is {opening}{inner}{closing} " in unescape(text)
    shown = {"latex": r"so for 50\% \& more, in ", "myst": r"so for 50% \& more, in "}
    assert shown.get(name, "so for 50% &amp; more, in ") in text


def test_the_plain_text_is_ascii() -> None:
    made = variants(bank_of(HEAD + TEXT, "b.toml").exercises[0], 2)
    assert {v.text("en") for v in made} == {
        f"Is x[[B, D]] * 2/R_{f} < {f} so for 50% & more, in a*b {f}?" for f in ("bf16", "int8")
    }


def test_a_hint_in_a_formula_that_gives_the_answer_away_is_refused() -> None:
    one = bank_of(HEAD + TEXT + "\nhints = ['It is $2BDF$.']", "b.toml").exercises[0]
    with pytest.raises(RoofproofError, match=r"the hint 'It is 2 B D F\.' gives the answer away"):
        variants(one)


@pytest.mark.tex
def test_what_is_read_compiles() -> None:
    """Every macro once, and two thousand chance runs of signs: what is not refused, pdfLaTeX sets without an error."""
    if shutil.which("pdflatex") is None:
        pytest.skip("NOT COMPILED: TeX is not installed")
    draw = Random(7)
    signs = [
        *(f"\\{name}" for name in MACROS), *"xyB27+-=<>()[]|/*!,;.'^_{}  ", r"\frac", r"\sqrt", r"\sqrt[3]",
        r"\text{if a}", r"\left(", r"\right)", r"\left.", r"\right|", r"\bigl(", r"\Big]", r"\mathrm", r"\hat",
        "{n}", "{w}", "1{,}0",
    ]  # fmt: skip
    found = [rf"a \{name} b" for name in MACROS]
    found += [rf"\{name}{{x}}" for name in (*formulas._FONTS, *formulas._ACCENTS, *formulas._WORDS)]
    found += ["".join(draw.choice(signs) for _ in range(draw.randint(1, 9))) for _ in range(2000)]
    read = []
    for source in found:
        try:
            read.append(formula(source, {"n": 8, "w": "h100"}).tex)
        except RoofproofError:
            continue
    assert len(read) > 400
    pdf, _ = compiled(document("\n".join(f"${tex}$ A\n" for tex in read), "formulas"))
    assert pdf.startswith(b"%PDF")
