r"""LaTeX that looks like a product of letters and is none: rows, words, units, derivatives, bare arguments."""

import pytest

from roofproof.claims.language import read_latex
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import is_statement

READ = {
    r"\log_2 2n": "log2(2 n)",
    r"\log_2 n + 1": "log2(n) + 1",
    r"\log_2 n \cdot m": "log2(n) m",
    r"\log_2(n) m": "log2(n) m",
    r"\log_2 n^2": "log2(n^2)",
    r"\log_2 n \log_2 m": "log2(n) log2(m)",
    r"\begin{aligned} T &= 2a \\ S &= 3b \end{aligned}": "T == 2 a and S == 3 b",
    r"\begin{aligned} T &> 2a \\ S &\geq 3b \\ U &< 1 \end{aligned}": "T > 2 a and S >= 3 b and U < 1",
    r"\begin{aligned} I &= a \\ &= b \\ &\approx c \end{aligned}": "I == a == b ~= c",
    r"\begin{aligned} I &= a \\ &\quad {} + b \\ & - c \end{aligned}": "I == a + b - c",
    r"\begin{cases} B > 1 & \text{if } D > 2 \\ \text{never} & \text{otherwise} \end{cases}": "B > 1 and D > 2",
    r"\mathrm{ceil}(x)": "ceil(x)",
    r"T_{\text{max}} > 3": "T_max > 3",
    r"\operatorname{ceil}(x) > \operatorname{peak}": "ceil(x) > peak",
    r"a > 1 \text{ and } b > 2": "a > 1 and b > 2",
    r"\frac{dL}{2}": "d L / 2",
    "2BDF": "2 B D F",
    "2^{10} n": "2^10 n",
    r"2\cdot{40}": "2 * 40",
    "{2}{x}": "2 x",
    r"\frac{1}{2} {x}": "1/2 * x",
    r"\log_{2}{8 n}": "log2(8 n)",
    r"({2})({3})": "2 * 3",
    r"\alpha (D + F)": "alpha (D + F)",
    r"3\,000 n": "3000 n",
    r"84\ \mathrm{GB/s}": "84 GB/s",
    r"\frac{1}{2}\,\mathrm{GB}": "1/2 GB",
    r"50 \%": "50 %",
    r"\left\lceil \frac{x}{2} \right\rceil": "ceil(x / 2)",
    r"\max\{a,b\}": "max(a, b)",
    r"a \tag{1}": "a",
    "a>1, b>2": "a > 1 and b > 2",
}
REFUSED = {
    r"a > 1 \text{ if } b > 2": r"column 7: 'if' stands in cases; elsewhere write '... \implies ...'",
    r"a > 1 \text{ when } b > 2": r"column 7: 'when' stands in cases; elsewhere write '... \implies ...'",
    r"\log_2 n m": r"column 8: two readings after '\log_2'; put brackets around what it is of",
    r"\log_2 a b c": r"column 8: two readings after '\log_2'; put brackets around what it is of",
    "2{40}": r"column 2: braces after a number; write '^{...}' for a power, '\cdot' for a product",
    "3 x + 10{6}": r"column 9: braces after a number; write '^{...}' for a power, '\cdot' for a product",
    r"\text{softmax}(a)": "column 1: 'softmax' is not known as a function",
    r"2 \mathrm{gelu}(x)": "column 3: 'gelu' is not known as a function",
    r"\frac{dL}{dX}": "column 1: a derivative, or d over d? write the fraction without d, or declare d",
    r"\dfrac{dy}{dx} = 3": "column 1: a derivative, or d over d? write the fraction without d, or declare d",
    "84TB": "column 3: 'TB' is no product of letters; a unit or a factor is left out here",
    "2GiB": "column 2: 'GiB' is no product of letters; a unit or a factor is left out here",
    "5ms": "column 2: 'ms' is no product of letters; a unit or a factor is left out here",
    "50k": "column 3: 'k' is no product of letters; a unit or a factor is left out here",
    "sin x": r"column 1: 'sin' is no product of letters; a function is written '\sin'",
    "2 exp x": r"column 3: 'exp' is no product of letters; a function is written '\exp'",
    "2 {40}": r"column 3: braces after a number; write '^{...}' for a power, '\cdot' for a product",
    "{2}{40}": r"column 4: braces after a factor; write '^{...}' for a power, '\cdot' for a product",
    r"\frac{1}{2}{3}": r"column 12: braces after a factor; write '^{...}' for a power, '\cdot' for a product",
    "x{2}": r"column 2: braces after a factor; write '^{...}' for a power, '\cdot' for a product",
    r"\Theta(n)": r"column 1: 'Theta(n)' may be Theta at n or a product; write 'Theta \cdot n' for the product",
    "O(n)": r"column 1: 'O(n)' may be O at n or a product; write 'O \cdot n' for the product",
    "x^T": "column 1: '^T' may be a transpose or a power; write '^{1 T}' for the power",
    "x!": "column 2: '!' has no meaning here",
    r"a \pm b": r"column 3: the macro \\pm is not known in a formula",
    r"a \bmod b": r"column 3: the macro \\bmod is not known in a formula",
    r"\partial x": r"column 1: the macro \\partial is not known in a formula",
    r"a \sim b": r"column 3: \\sim may be 'about' or 'grows like'; write '\approx' for about",
    r"a \propto b": r"column 3: \\propto leaves a factor open; expected an equation",
    r"x \in \mathbb{R}": r"column 3: \\in is about sets; expected a formula of numbers",
    r"a \gg b": "column 3: '>>' goes into the regime, as in regime = \"D, F >> B\"",
    r"B \text{if}": r"column 3: 'if' stands in cases; elsewhere write '... \implies ...'",
    "max a": r"column 1: 'max' is no product of letters; a function is written '\max'",
}


@pytest.mark.parametrize(("latex", "plain"), READ.items())
def test_read(latex: str, plain: str) -> None:
    tree = read_latex(latex)
    assert tree == (read_statement if is_statement(tree) else read_value)(plain)


@pytest.mark.parametrize(("latex", "message"), REFUSED.items())
def test_refused(latex: str, message: str) -> None:
    with pytest.raises(RoofproofError) as caught:
        read_latex(latex)
    assert str(caught.value) == message


def test_letters_that_are_declared_are_a_product() -> None:
    assert to_text(read_latex("2k", {"k"})) == "2 k"
    assert to_text(read_latex(r"\frac{dL}{dh}", {"d", "L", "h"})) == "d L / (d h)"
    assert to_text(read_latex("2MB", {"M", "B"})) == "2 M B"
