r"""Chapters drafted: what is read says what the page says; what may be read two ways is refused, at its place."""

from pathlib import Path

import pytest

from roofproof.claims.documents.draft import draft, draft_of, to_toml
from roofproof.claims.documents.names import Names
from roofproof.claims.documents.places import SourceFormula, formulas
from roofproof.claims.documents.reading import Statement, read_formula
from roofproof.claims.language.book import Claim, book_from_text
from roofproof.cli import main
from roofproof.formula.printing import to_text

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = ROOT / "examples" / "chapter.md", ROOT / "tests" / "data" / "chapter-zh.tex"


def read(text: str, *others: str) -> list[Statement]:
    [formula, *_] = found = [each for part in (text, *others) for each in (SourceFormula(part, 0, 1, True),)]
    return read_formula(formula, Names([each.text for each in found]))


READ = {
    r"T &= 2a \\ S &= 3b": ["T == 2 a", "S == 3 b"],
    r"\begin{aligned} T &= 2a & S &= 3b \end{aligned}": ["T == 2 a", "S == 3 b"],
    r"\begin{align} I &= a \\ &= b \\ &\approx c. \end{align}": ["I == a == b ~= c"],
    r"\begin{gather} T > a \\ S < b, \end{gather}": ["T > a", "S < b"],
    r"T = 2a, \quad S = 3b": ["T == 2 a", "S == 3 b"],
    r"T_{\max} = T_\min + 1": ["T_max == T_min + 1"],
    r"T = 2a,\ S = 3b": ["T == 2 a", "S == 3 b"],
    r"B > 240 \quad \text{or} \quad B \ge 300": ["B > 240 or B >= 300"],
    r"a > b, \text{and} b > c": ["a > b and b > c"],
    r"\text{Memory Traffic (Bytes)} = 2BD": ["Memory_Traffic_Bytes == 2 B D"],
    r"\text{FLOPs} = 2 \cdot B \cdot D \cdot F": ["FLOPs_ == 2 B D F"],
    r"\text{强度}(\text{矩阵乘法}) > \text{强度}(\text{TPU})": ["Intensity_of_matmul > Intensity_of_TPU"],
    r"T(n) = 2n": ["T_of_n == 2 n"],
    r"R(D + F) = R D + R F": ["R (D + F) == R D + R F"],
    r"P = \min(P_{peak}, I \times BW_{mem})": ["P == min(P_peak, I BW_mem)"],
    r"P_{max} = min(P_{peak}, I*b_{max})": ["P_max == min(P_peak, I b_max)"],
    r"\frac{2N - 1}{4N + 2} \rightarrow \frac{1}{2}": ["(2 N - 1) / (4 N + 2) -> 1/2"],
    r"I = \frac{2N - 1}{4N + 2} \to \frac{1}{2}": ["I == (2 N - 1) / (4 N + 2)", "(2 N - 1) / (4 N + 2) -> 1/2"],
    r"t = 61,000 n": ["t == 61000 n"],
    r"t = 1{,}234{,}567": ["t == 1234567"],
    r"\text{Time} = 3\,\mathrm{ms}": ["Time == 3 ms"],
    r"x = 240 \text{ FLOPs/Byte}": ["x == 240 FLOPs/Byte"],
    r"I \approx B \text{ if } D \gg B": ["I ~= B"],
    r"x^2 > 4 \text{ for } x > 2": ["x > 2 => x^2 > 4"],
    r"B > 240 \quad \text{when } D, F \gg B": ["B > 240"],
    r"a = b \text{ if } x > 0, \quad c = d \text{ if } x < 0": ["x > 0 => a == b", "x < 0 => c == d"],
    r"D, F \gg B": ["D, F >> B"],
    r"B \ll D": ["D >> B"],
    r"x = 2 a \quad \text{if} \quad a > b": ["a > b => x == 2 a"],
    r"n \log_2(n) = \log_2(n^n)": ["n log2(n) == log2(n^n)"],
    r"\ln(xy) = \ln x + \ln y": ["log(x y) == log(x) + log(y)"],
    r"\sum_{i=1}^n i = n(n+1)/2": ["sum(i, i, 1, n) == n (n + 1) / 2"],
    r"\sum\limits_{i=0}^{n-1} 2^i (i + 1) > 3": ["sum(2^i (i + 1), i, 0, n - 1) > 3"],
    r"(\sum_{i=1}^n \sum_{j=1}^i i j) + 1 > 3": ["sum(sum(i j, j, 1, i), i, 1, n) + 1 > 3"],
    r"2 \sum_{i=1}^n (i + 1) + 1 > 3": ["2 sum(i + 1, i, 1, n) + 1 > 3"],
    r"\lim_{n \to \infty} \frac{n}{n+1} = 1": ["limit(n / (n + 1), n) == 1"],
    r"\lim_{x→∞} x = y": ["limit(x, x) == y"],
    r"\lim_{x \to 0} \frac{\sum_{i=1}^n i}{x} > 3": ["limit(sum(i, i, 1, n) / x, x, 0) > 3"],
    r"W = 900\,\text{GB} / \text{s}": ["W == 900 GB/s"],
    r"N \to \infty": ["N -> oo"],
    r"a = b \quad (\text{unit: s})": ["a == b"],
    r"\begin{cases} x > 1 & \text{if } y > 2 \\ x > 3 & \text{otherwise} \end{cases}": [
        "x > 1 and y > 2 or x > 3 and not y > 2"
    ],
    r"T = \begin{cases} BD, & B > 240 \\ D/W, & \text{otherwise.} \end{cases}": [
        "B > 240 => T == B D",
        "not B > 240 => T == D / W",
    ],
    r"\begin{align} g(x) &= \begin{cases} x & \text{if } x > 1, \\ 1 & \text{if } x \le 1 \end{cases} \\ "
    r"S &= 3b \end{align}": ["x > 1 => g_of_x == x", "x <= 1 => g_of_x == 1", "S == 3 b"],
    r"T = 2 \begin{dcases} a + c & x > 1 \\ b & x = 1 \\ 0 & \text{else} \end{dcases} + 1": [
        "x > 1 => T == 2 (a + c) + 1",
        "x == 1 => T == 2 b + 1",
        "not (x > 1 or x == 1) => T == 2 * 0 + 1",
    ],
}
REFUSED = {
    r"\text{FFN}(x) = \text{GELU}(x + 1)": "column 17: 'GELU' is not known as a function",
    r"f(x + 1) = 2": r"column 1: 'f(...)' may be a value of f or a product; write 'f \cdot (...)' for the product",
    r"\mathbf{x} \cdot \mathbf{y} = z": "column 1: a vector or a matrix; expected a formula of numbers",
    r"QK^T = S": "column 2: '^T' may be a transpose or a power; write '^{1 T}' for the power",
    r"BD \times DF": r"column 1: 'BD \\times DF' may be a product of letters, of names, or a shape; write one",
    r"X * Y \to Z": "column 1: an arrow that may be a limit or a map",
    r"tm = 3": "column 1: 'tm' may be one name or a product",
    r"x = 2 layers": r"column 7: 'layers' may be one name or a product of letters; write \text{layers} or l a y e r s",
    r"x = BW B": r"column 5: 'BW' may be one name or a product of letters; write \text{BW} or B W",
    r"x = PE_{mem}": r"column 5: 'PE' may be one name or a product of letters, here with a subscript; "
    r"write \text{PE} or P E",
    r"T = a \quad \text{to} \quad b": "values and statements beside one another",
    r"x = 14 GB": "column 8: 'GB' is no product of letters; a unit or a factor is left out here",
    r"T = 3 ms": "column 7: 'ms' is no product of letters; a unit or a factor is left out here",
    r"x = 10 TFLOPS": "column 8: 'TFLOPS' is no product of letters; a unit or a factor is left out here",
    r"x = 2\ (\text{GB})": "column 9: 'GB' may be a unit or a factor; write a unit without brackets",
    r"x = 2 \text{batch}": "column 7: words beside a value: 'batch'; write what joins them",
    r"x = 3\text{k}": "column 6: 'k' after a number: a unit or a factor? write it out",
    r"x = a + \cdots + b": r"column 9: \\cdots leaves terms out; write them all",
    r"a = b, c > 0": r"column 6: two statements, or one and its condition? write '\text{and}' or '\implies'",
    r"\sum_{i=1}^t x_i = 3": "column 14: x_i may change with i; write what it is of i",
    r"\lim_{n \to \infty} a_n = 3": "column 21: a_n may change with n; write what it is of n",
    r"\sum_{i=1}^n T(i) = 3": "column 14: T_of_i may change with i; write what it is of i",
    r"\sum_{i=1}^n i + 1 = 3": "column 16: two readings after '\\sum'; put brackets around what it is of",
    r"\sum_i i = 3": r"column 1: \sum is read with its bounds alone, as in \sum_{i=1}^{n}",
    r"\lim_{x \to 0^+} x = 3": r"column 1: \lim is read with its bounds alone, as in \lim_{n \to \infty}",
    r"\lim_{D, F \to \infty} D = 3": r"column 1: \lim is read with its bounds alone, as in \lim_{n \to \infty}",
    r"\sum_{i=1}^n = 3": "column 1: nothing stands after '\\sum'",
    r"\ln x y = 3": "column 5: two readings after '\\ln'; put brackets around what it is of",
    r"\log_{10} x = 3": r"column 1: '\log' is read with its base alone; write '\log_2'",
    r"\frac{d}{dx} x^2 = 2x": "column 1: a derivative, or d over d? write the fraction without d, or declare d",
    r"x = 16\,GB": "column 9: 'GB' is no product of letters; a unit or a factor is left out here",
    r"x = 3n\,GB": r"column 9: 'GB' may be a unit or a product of letters; write \text{GB} or G B",
    r"W = 9 \frac{\text{GB}}{\text{s}}": "column 13: 'GB' is a unit; it stands after a number or a name",
    r"3 \text{ GHz} = 3 \cdot 10^9 / \text{s}": r"column 32: 's' may be a unit or a name; write a name without \text",
    r"x^{(2)} = x x": "column 3: a number or a name in brackets above may be an index or a power",
    r"\text{bf16}[B, D] = x": "column 12: '[' has no meaning here",
    r"\frac{dL}{dX} = 2": "column 1: a derivative, or d over d? write the fraction without d, or declare d",
    r"1.97 \times 10^{14} / 8.2 \times 10^{11} = 240": r"column 21: '1.97 \\times 10^{14} / 8.2 \\times 10^{11}' can "
    r"be read two ways; write '(1.97 \\times 10^{14}/8.2) \\times 10^{11}' or "
    r"'1.97 \\times 10^{14}/(8.2 \\times 10^{11})'",
    r"B > 240 \text{ if } x > 3, y > 4": r"column 26: two statements, or one and its condition? write '\text{and}' or "
    r"'\implies'",
    r"B > 240, x > 4 \text{ if } y > 3": r"column 8: two statements, or one and its condition? write '\text{and}' or "
    r"'\implies'",
    r"x = 84TB": "column 7: 'TB' is no product of letters; a unit or a factor is left out here",
    r"x = \max(1,200)": "column 10: '1,200' can be read two ways; write '1200' or '1, 200'",
    r"a \to b = c": "column 3: '->' stands before the limit, at the end of a chain",
    r"I \gtrless R": r"column 3: the macro \\gtrless is not known in a formula",
    r"T = \begin{cases} a & x > 1 \\ b \end{cases}": "column 5: a case is a value, '&' and "
    "its condition; this has 1 parts",
    r"T = \begin{cases} a & x + 1 \\ b & x > 2 \end{cases}": "column 1: expected an equation, and "
    "a condition for each case",
    r"T = \begin{cases} a & \text{else} \end{cases}": "column 1: a case for all others, and no others",
    r"T = \begin{cases} a & x > 1 \\ b & x < 1 \end{cases} + \begin{cases} a & y \end{cases}": "column 56: two values, "
    "each case by case; write one of them as a name",
    r"N = 50k": "column 7: 'k' is no product of letters; a unit or a factor is left out here",
    r"y = \sin x": "column 5: unknown macro 'sin'; did you mean 'psi' or 'min' or 'Psi'?",
    "": "the formula is empty",
}


@pytest.mark.parametrize(("text", "said"), READ.items())
def test_read(text: str, said: list[str]) -> None:
    assert [each.text for each in read(text)] == said


@pytest.mark.parametrize(("text", "reason"), REFUSED.items())
def test_refused(text: str, reason: str) -> None:
    [only] = read(text)
    assert (only.kind, only.text) == ("unread", reason)


def test_a_document_whose_letters_leave_no_abbreviation_is_read() -> None:
    letters = [r"A B D E F H I L M O P S T W = 1", r"\frac{B}{D} = F"]
    assert [read(letters[1], letters[0])[0].text, read(r"T_D = 2", letters[0])[0].text] == ["B / D == F", "T_D == 2"]


def test_what_a_document_writes_elsewhere_settles_a_reading() -> None:
    assert read("x = 2 bsh", "bs + sh + h")[0].text == "x == 2 b s h"
    assert read("x = h(s + o)", "h + 1")[0].text == "x == h (s + o)"
    assert read("C = A B", r"A \in \mathbb{R}^{m \times k}, B \in \mathbb{R}^{k \times n}")[0].kind == "unread"


@pytest.mark.parametrize(
    ("text", "after", "said"),
    [
        (r"7 \times 10^9 \times 2 = 14", " GB each", "7 * 10^9 * 2 == 14 GB"),
        (r"14/50 = 280", "ms", "14/50 == 280 ms"),
        (r"T = 280", " 毫秒", "T == 280 ms"),
        (r"15 \times 48 = 720", " GFLOPS", "15 * 48 == 720"),
        (r"15 \times 48 = 700", " MB", "15 * 48 == 700"),
        (r"I = 0.5", " of the rest", "I == 0.5"),
    ],
)
def test_a_unit_may_stand_after_the_formula(text: str, after: str, said: str) -> None:
    [only] = read_formula(SourceFormula(text, 0, 1, False, after), Names([text]))
    assert only.text == said


@pytest.mark.parametrize(("text", "after"), [("2 = 3", " GB"), ("n = 7", "B parameters"), ("x = 3", " 万")])
def test_a_unit_after_the_formula_that_may_belong_elsewhere_is_refused(text: str, after: str) -> None:
    [only] = read_formula(SourceFormula(text, 0, 1, False, after), Names([text]))
    assert only.kind == "unread" and "after the formula belongs to its last number" in only.text


def test_places_in_markdown() -> None:
    text = (
        "---\ntitle: $a$\n---\n```\n$x = 1$\n```\nIt costs $5 and $6, `$HOME` too.\n<!-- $y = 2$ -->\n"
        "> $$\n> a\n> = b\n> $$\n\n\\$3 is $c$ not\n\n$never\n\nclosed$ \\( d \\) ```\n\n```math\ne = f\n```\n$$ open"
    )
    found = [(each.line, each.text.split(), each.display, each.problem) for each in formulas(text)]
    assert found == [
        (9, ["a", "=", "b"], True, ""),
        (14, ["c"], False, ""),
        (18, ["d"], False, ""),
        (20, ["e", "=", "f"], True, ""),
        (23, [], True, "'$$' is never closed by '$$'"),
    ]


def test_blanks_inside_dollars() -> None:
    """A formula in TeX and in notebooks, money in pandoc: read, or listed as not read, never passed over."""
    text = "At $ B > 240 $ it is, at $5 = 5$6 it costs $ 6 and $ 7."
    [read, digit, *_] = formulas(text, tex=True)
    assert (read.text.strip(), digit.text) == ("B > 240", "5 = 5")
    said = [(each.kind, each.text[:31]) for each in draft_of(text, "a.md").statements]
    assert said == [("unread", "blanks inside '$ ... $': a form")]
    [only] = draft_of(r"$$ B > 240 \quad \text{when } D, F \gg B $$", "a.md").statements
    assert only.regime == "D, F >> B"


def test_places_in_tex() -> None:
    code = "\\begin{lstlisting}\n$e$\n\\end{lstlisting}"
    text = f"a \\\\[0.5em] b % $c$\n\\verb|$d$| {code} 5\\% \\begin{{align*}}f\\end{{align*}}"
    assert [(each.line, each.text) for each in formulas(text, tex=True)] == [(4, r"\begin{align*}f\end{align*}")]


def test_the_english_chapter() -> None:
    made = draft(str(ENGLISH))
    kinds = [(each.line, each.kind, each.text) for each in made.statements]
    assert kinds == [
        (7, "definition", "Bytes_ == 2 B D + 2 D F + 2 B F"),
        (8, "claim", "Intensity == 2 B D F / (2 (B D + D F + B F)) == B D F / (B D + D F + B F)"),
        (12, "regime", "D, F >> B"),
        (14, "claim", "Ridge == 1.97 * 10^14 FLOPs/s / (8.2 * 10^11 Bytes/s) ~= 240 FLOPs/Byte"),
        (16, "claim", "7 * 10^9 * 2 == 14 GB"),
        (16, "claim", "14/50 == 280 ms"),
        (18, "unread", "column 18: 'GELU' is not known as a function"),
    ]
    assert (made.display, made.display_read, made.inline, made.inline_read) == (3, 2, 3, 3)


def test_the_chinese_chapter() -> None:
    made = draft(str(CHINESE))
    assert [(each.line, each.kind, each.text) for each in made.statements] == [
        (5, "definition", "T_compute == 2 B D F / peak"),
        (7, "claim", "61000 * 2 == 122000 byte"),
        (9, "claim", "T_compute > T_comms <=> 2 B D F / peak > 2 D F / bandwidth <=> B > peak / bandwidth"),
        (12, "regime", "D >> B"),
        (13, "claim", "Intensity_of_matmul == B D F / (B D + D F + B F) ~= B D F / (D F) == B"),
        (17, "unread", "column 2: '^T' may be a transpose or a power; write '^{1 T}' for the power"),
        (17, "unread", r"column 1: 'f(...)' may be a value of f or a product; write 'f \cdot (...)' for the product"),
        (17, "claim", "3 * 10 == 30"),
    ]


@pytest.mark.parametrize("path", [ENGLISH, CHINESE])
def test_every_claim_of_a_draft_is_a_claim_of_a_book(path: Path) -> None:
    made = draft(str(path))
    book = book_from_text(to_toml(made))
    said = [each.text for each in made.statements if each.kind == "claim"]
    found = [claim for claim in book.claims if isinstance(claim, Claim)]
    assert [to_text(c.proposition) for c in found if c.proposition is not None] == said
    assert len(found) == len(book.claims) and not book.problems


def test_a_regime_beside_a_formula_is_that_of_the_claim() -> None:
    book = book_from_text(to_toml(draft_of(r"$$ I \approx B \quad \text{if } D \gg B $$", "a.md")))
    [claim] = [claim for claim in book.claims if isinstance(claim, Claim)]
    assert claim.regime is not None and claim.regime.text == "D >> B"


def test_hostile_words_stay_comments() -> None:
    made = draft_of('# "]]\n$$ \\text{a\x01"b\u2028[[claim]]} = 2 $$\n$$ x = \x00 $$', '"\n[x]')
    book = book_from_text(to_toml(made))
    assert [type(claim) for claim in book.claims] == [Claim]


def test_units_that_contradict_each_other_are_not_read() -> None:
    [only] = draft_of(r"$$ 14 \text{ GB} = 3 \text{ ms} $$", "a.md").statements
    assert only.kind == "unread"
    assert only.text == "column 2: '14 GB' is in byte, '3 ms' is in s; they cannot be compared"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.png", b"", "a.png' is no chapter; expected Markdown or TeX, such as chapter.md or chapter.tex"),
        ("a.md", b"x\n\xff", "a.md, line 2: not UTF-8 text"),
        ("a.md", b"$$ 2 $$" * 2001, "more than 2000 formulas; split the document"),
        ("a.md", b"x" * (2 * 1024 * 1024 + 1), "a.md: larger than 2 MiB; split the chapter"),
        ("a.md", (b"$$" + b"x + " * 2400 + b"x$$\n") * 22, "characters of formulas"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    name: str, content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).write_bytes(content)
    assert main(["draft", str(tmp_path / name), "-o", str(tmp_path / "out.toml")]) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and not said.out
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_draft_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.toml"
    assert main(["draft", str(ENGLISH), "-o", str(out)]) == 0
    first = out.read_text()
    assert "not read: " in capsys.readouterr().out
    assert main(["draft", str(CHINESE), "-o", str(out)]) == 2
    assert "is there already; a draft is edited by hand: name a new file" in capsys.readouterr().err
    assert out.read_text() == first
