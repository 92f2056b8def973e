r"""Answers in LaTeX give the tree that plain text gives; what is no formula is refused and runs nothing."""

import time

import pytest

from roofproof.claims.language import read_latex
from roofproof.errors import RoofproofError
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read_statement, read_value
from roofproof.formula.tree import is_statement


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        (r"B > 120", "B > 120"),
        (r"\frac{BDF}{BD+DF+BF}", "B D F / (B D + D F + B F)"),
        (r"\frac{1}{2}", "1/2"),
        (r"\frac12 B", "(1/2) * B"),
        (r"B > \frac{R}{1 - R(1/D+1/F)}", "B > R / (1 - R (1/D + 1/F))"),
        (r"2\cdot 10^{14}", "2 * 10^14"),
        (r"1.97 \times 10^{14}", "1.97 * 10^14"),
        (r"\sqrt{\frac{C}{A}}", "sqrt(C / A)"),
        (r"\sqrt[3]{x}", "x^(1/3)"),
        (r"I \approx B", "I ~= B"),
        (r"D \le 3 \Rightarrow F \geq 2B", "D <= 3 => F >= 2 B"),
        (r"a < b \iff c \neq d", "a < b <=> c != d"),
        (r"$2BDF$", "2 B D F"),
        (r"T_{\text{math}} > T_c", "T_math > T_c"),
        (r"\left(B+D\right)(B-D)F", "(B + D) (B - D) F"),
        (r"\max(a,b) = \lceil x/2 \rceil", "max(a, b) == ceil(x / 2)"),
        (r"|x-1|", "abs(x - 1)"),
        (r"B > 33.3\%", "B > 33.3 %"),
        (r"2B^{2}D_{1}^{3}", "2 B^2 D_1^3"),
        (r"x \to \infty", "x -> oo"),
        (r"\kappa\,N \lt 3 \land N \gt 1", "kappa N < 3 and N > 1"),
        (r"\mathrm{ceil}(x)", "ceil(x)"),
        (r"8.2e11", "8.2e11"),
        (r"3\,\text{GB}\alpha", "3 GB alpha"),
        (r"I = 3 \text{ FLOPs/Byte}C_A", "I == 3 FLOPs/Byte C_A"),
        ("{a}{b}", "a b"),
    ],
)
def test_meaning(latex: str, plain: str) -> None:
    tree = read_latex(latex)
    assert tree == (read_statement if is_statement(tree) else read_value)(plain)


@pytest.mark.parametrize(
    ("latex", "message"),
    [
        ("", "expected an answer, but the text is empty"),
        (r"\input{/etc/x}", "column 1: unknown macro 'input'; did you mean 'infty'?"),
        (r"\write18{ls}", r"column 1: the macro \\write is not known in a formula"),
        (r"B > \def\x{y}", r"column 5: the macro \\def is not known in a formula"),
        (r"\catcode`\@=11", r"column 1: the macro \\catcode is not known in a formula"),
        (r"B > \aproxx", "column 5: unknown macro 'aproxx'; did you mean 'approx' or 'approxeq'?"),
        (r"\frac{a}", 'column 1: not LaTeX: End of input while parsing arguments of macro "frac"'),
        (r"\frac{a}{b", "column 11: not LaTeX: Unexpected end of stream, was expecting '}'"),
        ("a % b", "column 3: a comment; expected one formula"),
        (r"\begin{matrix}a\end{matrix}", "column 1: an environment or sign that is no formula; expected one formula"),
        (r"10^14", "column 4: in LaTeX '^14' raises to '1' alone; write '^{14}'"),
        (r"B > 3\frac{1}{2}", "column 6: '3 1/2' has two readings; write a sum or a product"),
        (r"\frac{R}{2} + 1/2B", "column 16: '1/2B' can be read two ways; write '(1/2) * B' or '1/(2B)'"),
        (r"\frac{B >", "column 10: not LaTeX: Unexpected end of stream, was expecting '}'"),
        (r"B > \frac{1}{D} +", "column 18: the text breaks off here"),
        ("B > Д", "column 5: 'Д' is CYRILLIC CAPITAL LETTER DE; names are ASCII letters, digits and underscores"),
        (r"\frac{x}{y}(x", "column 12: '(' is never closed"),
        ("\frac{a}{b}", "column 1: a control character; in quotes of Python or TOML a backslash is doubled"),
        ("x^2_i", "column 5: a subscript stands after a name"),
        ("{" * 100 + "x" + "}" * 100, "column 41: more than 40 braces inside one another"),
        (r"\sqrt" * 700 + "x", r"column 6: '\sqrt' takes an argument in braces"),
        ("x" * 11_000, "LaTeX of 11000 characters; at most 10000 are read"),
        ("^" * 3_000, "column 1: more than 200 signs one after another"),
    ],
)
def test_refused(latex: str, message: str) -> None:
    start = time.thread_time()
    with pytest.raises(RoofproofError) as caught:
        read_latex(latex)
    assert str(caught.value) == message
    assert time.thread_time() - start < 2


def test_it_prints_as_plain_text() -> None:
    assert to_text(read_latex(r"B > \frac{R D F}{D F - R (D + F)}")) == "B > R D F / (D F - R (D + F))"
