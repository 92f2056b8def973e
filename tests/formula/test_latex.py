r"""LaTeX gives the same tree as plain text. Text that is not a formula, or can be read in two ways, is rejected."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.errors import RoofproofError
from roofproof.formula.latex import latex_tokens, read_latex
from roofproof.formula.printing import to_text
from roofproof.formula.reader import read

READ = [
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
    (r"T &= 2a \\ S &= 3b", "T == 2 a and S == 3 b"),
    (r"\begin{aligned} T &= 2a & S &= 3b \\ &= 4c & &= 5d \end{aligned}", "T == 2 a == 4 c and S == 3 b == 5 d"),
    (r"\begin{gather} T > a \\ S < b, \end{gather}", "T > a and S < b"),
    (r"T = 2a,\quad S = 3b.", "T == 2 a and S == 3 b"),
    (r"a > b, \text{and} b > c", "a > b and b > c"),
    (r"T_{\max} = T_\min + T_{\text{c}, 1}", "T_max == T_min + T_c_1"),
    (r"n \log_2(n) {=} \ln x + \lvert y \rvert", "n log2(n) == log(x) + abs(y)"),
    (r"\sum\limits_{i=0}^{n-1} 2^i (i + 1) > 3", "sum(2^i (i + 1), i, 0, n - 1) > 3"),
    (r"(\sum_{i=1}^n \sum_{j=1}^i i j) + 1 > 3", "sum(sum(i j, j, 1, i), i, 1, n) + 1 > 3"),
    (r"\lim_{n \to \infty} \frac{n}{n+1} = 1", "limit(n / (n + 1), n) == 1"),
    (r"\lim_{x \to 0} x > 3", "limit(x, x, 0) > 3"),
    (r"W = 900\,\text{GB} / \text{s}", "W == 900 GB/s"),
    (
        r"T = \begin{cases} BD, & B > 240 \\ D/W, & \text{otherwise.} \end{cases}",
        "(B > 240 => T == B D) and (not B > 240 => T == D / W)",
    ),
    (
        r"T = 2 \begin{dcases} a + c & x > 1 \\ b & \text{if } x < 1 \\ 0 & \text{else} \end{dcases} + 1, \quad S = 3",
        "(x > 1 => T == 2 (a + c) + 1) and (x < 1 => T == 2 b + 1) and (not (x > 1 or x < 1) => T == 2 (0) + 1)"
        " and S == 3",
    ),
    (
        r"\begin{cases} x > 1 & \text{if } y > 2 \\ x > 3 & y > 1 \\ x > 4 & \text{otherwise} \end{cases}",
        "x > 1 and y > 2 or x > 3 and y > 1 or x > 4 and not (y > 2 or y > 1)",
    ),
    (r"a > 1 \text{ and $b > 2$}", "a > 1 and b > 2"),
    ("{a}{b}", "a b"),
    (r"\frac{37}{2\text{ second}} > \frac{4\text{ GB/s}}{2\text{ GB}}", "37 / (2 second) > 4 GB/s / (2 GB)"),
    (r"\begin{aligned} a &> 2 \\[0.5em] b &> 3 \end{aligned}", "a > 2 and b > 3"),
    (r"\log_2 2n", "log2(2 n)"),
    (r"\log_2 n + 1", "log2(n) + 1"),
    (r"\log_2 n \cdot m", "log2(n) m"),
    (r"\log_2(n) m", "log2(n) m"),
    (r"\log_2 n^2", "log2(n^2)"),
    (r"\log_2 n \log_2 m", "log2(n) log2(m)"),
    (r"\begin{aligned} T &= 2a \\ S &= 3b \end{aligned}", "T == 2 a and S == 3 b"),
    (r"\begin{aligned} T &> 2a \\ S &\geq 3b \\ U &< 1 \end{aligned}", "T > 2 a and S >= 3 b and U < 1"),
    (r"\begin{aligned} I &= a \\ &= b \\ &\approx c \end{aligned}", "I == a == b ~= c"),
    (r"\begin{aligned} I &= a \\ &\quad {} + b \\ & - c \end{aligned}", "I == a + b - c"),
    (r"\begin{cases} B > 1 & \text{if } D > 2 \\ \text{never} & \text{otherwise} \end{cases}", "B > 1 and D > 2"),
    (r"\mathrm{ceil}(x)", "ceil(x)"),
    (r"T_{\text{max}} > 3", "T_max > 3"),
    (r"\operatorname{ceil}(x) > \operatorname{peak}", "ceil(x) > peak"),
    (r"a > 1 \text{ and } b > 2", "a > 1 and b > 2"),
    (r"\frac{dL}{2}", "d L / 2"),
    ("2BDF", "2 B D F"),
    ("2^{10} n", "2^10 n"),
    (r"2\cdot{40}", "2 * 40"),
    ("{2}{x}", "2 x"),
    (r"\frac{1}{2} {x}", "1/2 * x"),
    (r"\log_{2}{8 n}", "log2(8 n)"),
    (r"({2})({3})", "2 * 3"),
    (r"\alpha (D + F)", "alpha (D + F)"),
    (r"3\,000 n", "3000 n"),
    (r"84\ \mathrm{GB/s}", "84 GB/s"),
    (r"\frac{1}{2}\,\mathrm{GB}", "1/2 GB"),
    (r"50 \%", "50 %"),
    (r"\left\lceil \frac{x}{2} \right\rceil", "ceil(x / 2)"),
    (r"\max\{a,b\}", "max(a, b)"),
    (r"a \tag{1}", "a"),
    ("a>1, b>2", "a > 1 and b > 2"),
]
REFUSED = [
    ("", "expected a formula, but the text is empty"),
    (r"\input{/etc/x}", "column 1: unknown macro 'input'; did you mean 'infty'?"),
    (r"\write18{ls}", r"column 1: the macro \write is not known in a formula"),
    (r"B > \def\x{y}", r"column 5: the macro \def is not known in a formula"),
    (r"\catcode`\@=11", r"column 1: the macro \catcode is not known in a formula"),
    (r"B > \aproxx", "column 5: unknown macro 'aproxx'; did you mean 'approx' or 'approxeq'?"),
    (r"\dfrac1e-60{R}", "column 7: '1e-60' as an argument needs braces"),
    (r"\sqrt.5", "column 6: '.5' as an argument needs braces"),
    ("{}", "column 3: the text is incomplete"),
    (r"\frac{a}", r"column 1: '\frac' is missing an argument"),
    (r"\frac{a}{b", "column 9: '{' is never closed"),
    ("a % b", "column 3: a comment; expected one formula"),
    (r"\begin{matrix}a\end{matrix}", "column 1: an environment or sign that is not a formula; expected one formula"),
    (r"10^14", "column 4: in LaTeX '^14' raises only to '1'; write '^{14}'"),
    (r"B > 3\frac{1}{2}", "column 6: '3 1/2' has two readings; write a sum or a product"),
    (r"\frac{R}{2} + 1/2B", "column 16: '1/2B' can be read two ways; write '(1/2) * B' or '1/(2B)'"),
    (r"\frac{B >", "column 6: '{' is never closed"),
    (r"B > \frac{1}{D} +", "column 18: the text is incomplete"),
    ("B > Д", "column 5: 'Д' is CYRILLIC CAPITAL LETTER DE; names are ASCII letters, digits and underscores"),
    (r"\frac{x}{y}(x", "column 12: '(' is never closed"),
    ("\frac{a}{b}", "column 1: a control character; in quotes of Python or TOML a backslash is doubled"),
    ("x^2_i", "column 4: a subscript must follow a name"),
    ("{" * 101 + "x" + "}" * 101, "column 101: braces are nested more than 100 deep"),
    (r"\sqrt" * 700 + " x", r"column 6: '\sqrt' as an argument needs braces"),
    ("x" * 11_000, "the LaTeX has 11000 characters; the limit is 10000"),
    (
        r"\begin{aligned} a &> 1 & b &= 2 \end{aligned}",
        r"column 26: ambiguous: is this a second statement or a condition? Join them with '\text{and}' or '\implies'",
    ),
    (
        r"a = b, c > 0",
        r"column 6: ambiguous: is this a second statement or a condition? Join them with '\text{and}' or '\implies'",
    ),
    (
        r"a > b \quad (c > 0)",
        r"column 13: ambiguous: is this a second statement or a condition? Join them with '\text{and}' or '\implies'",
    ),
    (
        r"x^2 > 4 \ x > 2",
        r"column 9: ambiguous: is this a second statement or a condition? Join them with '\text{and}' or '\implies'",
    ),
    (r"x = 3\text{k}", r"column 6: '\text{k}' can be read two ways; write '\cdot 10^{3}' or '\cdot 2^{10}'"),
    (r"2\text{B} = 16", r"column 2: '\text{B}' can be read two ways; write '\text{ bytes}' or '\cdot 10^9'"),
    (r"x = 16\text{KB}", "column 7: 'KB' is not a unit; did you mean kB or KiB?"),
    (r"\text{GB} = 2", "column 1: 'GB' is a unit; a unit follows a number or a name"),
    (r"\sum_{i=1}^t x_i = 3", "column 14: x_i may depend on i; write how it depends on i"),
    (r"\lim_{n \to \infty} a_n = 3", "column 21: a_n may depend on n; write how it depends on n"),
    (r"\sum_{i=1}^n i + 1 = 3", "column 16: two readings after '\\sum'; put brackets around its argument"),
    (r"\sum_i i = 3", r"column 1: \sum is read only with its bounds, as in \sum_{i=1}^{n}"),
    (r"\lim_{x \to 0^+} x = 3", r"column 1: \lim is read only with its bounds, as in \lim_{n \to \infty}"),
    (r"\sum_{i=1}^n = 3", "column 1: '\\sum' has no argument"),
    (r"\log_{10} x = 3", r"column 1: '\log' is read only with its base; write '\log_2'"),
    (r"x^{(2)} = x x", "column 4: a number or a name in brackets above may be an index or a power"),
    (r"x^2^3", "column 4: '^' appears twice; add braces"),
    (r"\begin{cases} a > 1 \end{cases}", "column 1: a case is a statement, '&' and its condition; this has 1 parts"),
    (r"T = \begin{cases} a & \text{else} \end{cases}", "column 5: an 'otherwise' case without other cases"),
    (
        r"T = \begin{cases} a & x > 1 \end{cases} + \begin{cases} a & y > 1 \end{cases}",
        "column 5: two values are given by cases; give one of them a name",
    ),
    (r"(a + b] c", "column 7: expected ')' for '(' in column 1, got ']'"),
    ("^" * 3_000, "column 1: '^' is missing an argument"),
    (r"a > 1 \text{ if } b > 2", r"column 7: 'if' is allowed in cases only; elsewhere write '... \implies ...'"),
    (r"a > 1 \text{ when } b > 2", r"column 7: 'when' is allowed in cases only; elsewhere write '... \implies ...'"),
    (r"\log_2 n m", r"column 8: two readings after '\log_2'; put brackets around its argument"),
    (r"\log_2 a b c", r"column 8: two readings after '\log_2'; put brackets around its argument"),
    ("2{40}", r"column 2: braces after a number; write '^{...}' for a power, '\cdot' for a product"),
    ("3 x + 10{6}", r"column 9: braces after a number; write '^{...}' for a power, '\cdot' for a product"),
    (r"\text{softmax}(a)", "column 1: 'softmax' is not known as a function"),
    (r"2 \mathrm{gelu}(x)", "column 3: 'gelu' is not known as a function"),
    (r"\frac{dL}{dX}", "column 1: a derivative, or d over d? write the fraction without d, or declare d"),
    (r"\dfrac{dy}{dx} = 3", "column 1: a derivative, or d over d? write the fraction without d, or declare d"),
    ("84TB", "column 3: 'TB' is not a product of letters; a unit or a factor is missing"),
    ("2GiB", "column 2: 'GiB' is not a product of letters; a unit or a factor is missing"),
    ("5ms", "column 2: 'ms' is not a product of letters; a unit or a factor is missing"),
    ("50k", "column 3: 'k' is not a product of letters; a unit or a factor is missing"),
    ("sin x", r"column 1: 'sin' is not a product of letters; a function is written '\sin'"),
    ("2 exp x", r"column 3: 'exp' is not a product of letters; a function is written '\exp'"),
    ("2 {40}", r"column 3: braces after a number; write '^{...}' for a power, '\cdot' for a product"),
    ("{2}{40}", r"column 4: braces after a factor; write '^{...}' for a power, '\cdot' for a product"),
    (r"\frac{1}{2}{3}", r"column 12: braces after a factor; write '^{...}' for a power, '\cdot' for a product"),
    ("x{2}", r"column 2: braces after a factor; write '^{...}' for a power, '\cdot' for a product"),
    (r"\Theta(n)", r"column 1: 'Theta(n)' may be Theta at n or a product; write 'Theta \cdot n' for the product"),
    ("O(n)", r"column 1: 'O(n)' may be O at n or a product; write 'O \cdot n' for the product"),
    ("x^T", "column 1: '^T' may be a transpose or a power; write '^{1 T}' for the power"),
    ("x!", "column 2: unexpected '!'"),
    (r"a \pm b", r"column 3: the macro \pm is not known in a formula"),
    (r"a \bmod b", r"column 3: the macro \bmod is not known in a formula"),
    (r"\partial x", r"column 1: the macro \partial is not known in a formula"),
    (r"a \sim b", r"column 3: \sim may be 'about' or 'grows like'; write '\approx' for about"),
    (r"a \propto b", r"column 3: \propto leaves a factor open; expected an equation"),
    (r"x \in \mathbb{R}", r"column 3: \in is about sets; expected a formula of numbers"),
    (r"a \gg b", "column 3: '>>' goes into the regime, as in regime = \"D, F >> B\""),
    (r"B \text{if}", r"column 3: 'if' is allowed in cases only; elsewhere write '... \implies ...'"),
    ("max a", r"column 1: 'max' is not a product of letters; a function is written '\max'"),
]


@pytest.mark.parametrize(("latex", "plain"), READ)
def test_read(latex: str, plain: str) -> None:
    assert read_latex(latex) == read(plain)


@pytest.mark.parametrize(("latex", "message"), REFUSED)
def test_refused(latex: str, message: str) -> None:
    start = time.thread_time()
    with pytest.raises(RoofproofError) as caught:
        read_latex(latex)
    assert str(caught.value) == message
    assert time.thread_time() - start < 2


def test_letters_that_are_declared_are_a_product() -> None:
    assert to_text(read_latex("2k", {"k"})) == "2 k"
    assert to_text(read_latex(r"\frac{dL}{dh}", {"d", "L", "h"})) == "d L / (d h)"
    assert to_text(read_latex("2MB", {"M", "B"})) == "2 M B"
    assert to_text(read_latex("D_1 D_2", {"D1", "D_2"})) == "D1 D_2"


def test_words_may_be_given_names() -> None:
    names = {"强度": "word_1", "at peak": "word_2"}
    found = latex_tokens(r"\text{强度} = P_{\text{at peak}}", named=names.__getitem__)
    assert [token.text for token in found] == ["word_1", "==", "P_atpeak"]


PIECES = [
    *"xBDF29+-=<>^_'|&,(){}[] $³", r"\frac", r"\sqrt", r"\cdot", r"\left", r"\quad", r"\sum", r"\lim", r"\log_2",
    r"\ln", r"\to", r"\infty", r"\lceil", r"\rceil", r"\text{GB}", r"\text{if}", r"\mathrm{peak}", r"\tag{1}",
    r"\lvert", r"\(", r"\)", r"\,", r"\;", r"\%", r"\{", r"\}", r"\\", "{=}", "强度", r"\text{强度}",
    r"\begin{cases}", r"\end{cases}", r"\begin{aligned}", r"\end{aligned}",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_any_pieces_are_read_or_refused_in_one_line(latex: str) -> None:
    """Tokens keep their places in the LaTeX, and a tree prints as text that reads back equal."""
    try:
        found = latex_tokens(latex)
        tree = read_latex(latex)
    except RoofproofError as problem:
        assert "\n" not in str(problem)
        return
    assert all(0 <= token.at <= token.end <= len(latex) for token in found)
    assert to_text(tree)
