r"""Drafts of chapters: each formula becomes a claim with its line, or has a reason why not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof.claims.draft import draft, draft_of, formulas, to_toml
from roofproof.claims.language.book import Claim, book_from_text
from roofproof.claims.verifying import judged_claim
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.formula.latex import read_latex
from roofproof.formula.reader import read

ROOT = Path(__file__).parents[2]
ENGLISH, CHINESE = ROOT / "examples" / "chapter.md", ROOT / "tests" / "data" / "chapter-zh.tex"

CLAIMS = {
    r"$$ \frac{2BD}{2D} = B $$": ["2 B D / (2 D) == B"],
    "$ a $ and $a > 1$": ["a > 1"],
    r"\begin{align} a &> 2b \\ c &\geq 3d. \end{align}": ["a > 2 b", "c >= 3 d"],
    r"\begin{align} T &= 2a \\ S &= 3b \end{align}": ["T == 2 a", "S == 3 b"],
    r"$B > 240 \text{ or } B \ge 300$": ["B > 240 or B >= 300"],
    r"$$ \text{强度} > \frac{\text{算力}}{W} $$": ["word_1 > word_2 / W"],
    r"$T_{\text{算力}} > 2 T_{\text{at peak}}$": ["T_word_1 > 2 T_atpeak"],
    r"$\text{FLOPs} > 2BD$": ["FLOPs_ > 2 B D"],
    r"$1{,}234 \text{ GB} {=} 1.2\,\text{TB}$": ["1234 GB == 1.2 TB"],
    r"$2|x| \geqslant \lvert x \rvert$": ["2 abs(x) >= abs(x)"],
    r"$\sqrt[3]{x} < \ln x$ \tag{1}": ["x^(1/3) < log(x)"],
    "| name | rule |\n|---|---|\n| ours | $B > 2$ |\n| B > 3 | `B D > 4` |": ["B > 2", "B > 3", "B D > 4"],
    "We have\n\n    2 B D / B = 2 D\n\nand `x >= 2 y`.": ["2 B D / B == 2 D", "x >= 2 y"],
    "- x > 2 y\n> x < 3 y\n\nIt is fast => good, a -> b, x = 3 of them.": ["x > 2 y", "x < 3 y"],
}
NOT_JUDGED = {
    "$B$": "it states nothing",
    r"$D, F \gg B$": 'it makes a regime; write it into its claims, as in regime = "D, F >> B"',
    r"$a > 1 \text{ if } b > 2$": r"'if' makes a condition; write it as '... \implies ...'",
    r"$a > 1, b = 2$": (
        r"column 6: ambiguous: is this a second statement or a condition? Join them with '\text{and}' or '\implies'"
    ),
    "$14/50 = 280$ ms": "'ms' after it is a unit of a number in it, or of all; write it there",
    r"$x = 3 \text{ always}$": "column 7: words beside a value: 'always'; write what joins them",
    r"$\text{当心} x > 3$": "column 1: words beside a value: 'word_1'; write what joins them",
    r"$T^{\text{ring}} > 2$": "column 4: 'ring' above may be a label or a power; write it below, or as a letter",
    r"$f(x + 1) > 2$": r"column 1: 'f(...)' may be a value of f or a product; write 'f \cdot (...)' for the product",
    r"$\mathbf{x} \mathbf{y} > 2$": "column 1: a vector or a matrix; expected a formula of numbers",
    r"$16\text{KB} > 2$": "column 3: 'KB' is not a unit; did you mean kB or KiB?",
    r"$14 \text{ GB} = 3 \text{ ms}$": "column 1: '14 GB' (byte) and '3 ms' (s) cannot be compared",
    "`B > 2 +`": "column 8: the text is incomplete",
    "$ B > 240 $ or money": "blanks inside '$ ... $': a formula, or money; write '$...$' without them",
    "$$ B > 3": "'$$' is never closed",
}


@pytest.mark.parametrize(("text", "said"), CLAIMS.items())
def test_what_a_formula_states_is_a_claim(text: str, said: list[str]) -> None:
    assert [each.says for each in draft_of(text, "a.md").claims] == said


@pytest.mark.parametrize(("text", "why"), NOT_JUDGED.items())
def test_what_is_no_claim_has_its_reason(text: str, why: str) -> None:
    [only] = draft_of(text, "a.md").formulas
    assert (only.claims, str(only.why)) == ((), why)


def test_a_value_is_that_of_the_formula_or_of_its_sentence() -> None:
    """A value goes into the claim, except if its sentence has two values, or if it is in another sentence."""
    text = "With $P = 8$ it is $T = 2P = 16$.\n\n$2P = 17$. At $n = 1$ or $n = 2$ it is $n > 0$. With $m = k$, $m > 1$."
    made = draft_of(text, "a.md")
    assert [(each.says, dict(each.let)) for each in made.claims if not each.defines] == [
        ("T == 2 P == 16", {"P": "8", "T": "2 P"}),
        ("2 P == 17", {}),
        ("n > 0", {}),
        ("m > 1", {}),
    ]
    assert [each.defines for each in made.claims if each.defines] == ["P", "n", "n", "m"]
    assert 'let = { P = "8", T = "2 P" }' in to_toml(made)
    [pi] = draft_of(r"$\pi = 3.2$", "a.md").claims
    assert (pi.says, pi.defines) == ("pi == 3.2", "")


def test_places_in_markdown() -> None:
    text = (
        "---\ntitle: $a$\n---\n```\n$x = 1$\n```\nIt costs $5 and $6, `$HOME` too.\n<!-- $y = 2$ -->\n"
        "> $$\n> a\n> = b\n> $$\n\n\\$3 is $c$ not\n\n$never\n\nclosed$ \\( d \\) ```\n\n```math\ne = f\n```\n$$ open"
    )
    found = [(each.line, each.text.split(), each.display, str(each.why)) for each in formulas(text)]
    assert found == [
        (9, ["a", "=", "b"], True, ""),
        (14, ["c"], False, ""),
        (18, ["d"], False, ""),
        (20, ["e", "=", "f"], True, ""),
        (23, [], True, "'$$' is never closed"),
    ]


def test_money_is_no_formula() -> None:
    text = "It is $5 = 5$6 or $ 6 and $ 7."
    assert [each.text for each in formulas(text, tex=True)][:1] == ["5 = 5"]
    assert [each.text.strip() for each in formulas(text)] == ["6 and"]


def test_places_in_tex() -> None:
    code = "\\begin{lstlisting}\n$e$\n\\end{lstlisting}"
    text = f"a \\\\[0.5em] b % $c$\n\\verb|$d$| {code} 5\\% \\begin{{align*}}f\\end{{align*}} x = 1"
    assert [(each.line, each.text) for each in formulas(text, tex=True)] == [(4, r"\begin{align*}f\end{align*}")]


def test_the_chinese_chapter() -> None:
    made = draft(str(CHINESE))
    assert [(each.line, each.says, each.defines) for each in made.claims] == [
        (5, "T_word_1 == 2 B D F / word_2", "T_word_1"),
        (9, "T_word_1 > T_word_3 <=> 2 B D F / word_2 > 2 D F / word_4 <=> B > word_2 / word_4", ""),
    ]
    assert [(each.line, str(each.why)) for each in made.unread] == [
        (7, "'字节' after it is a unit of a number in it, or of all; write it there"),
        (12, 'it makes a regime; write it into its claims, as in regime = "D, F >> B"'),
        (13, "column 2: 'word_5' is not known as a function"),
        (17, "column 2: '^T' may be a transpose or a power; write '^{1 T}' for the power"),
        (17, r"column 1: 'f(...)' may be a value of f or a product; write 'f \cdot (...)' for the product"),
        (17, "'GB/s' after it is a unit of a number in it, or of all; write it there"),
    ]


PIECES = st.sampled_from(
    ["$", "$$", "`", "|", "\n", "\n\n", " ", ".", "B", "2D", " = ", " > ", r"\frac{B}{D}", r"\text{GB}", r"\text{速度}",
     "x_1", "240", r"\gg", "^", "_", "{", "}", "and", r"\begin{align}", r"\end{align}", "&", r"\\", "- ", "% ", "```",
     "<!--", "s", "W", '"', "]]", "\x00", "T", "时"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=25).map("".join), st.booleans())
def test_any_chapter_gives_a_claims_file_that_says_what_it_says(text: str, tex: bool) -> None:
    """Each claim of the draft can be verified, and equals the formula it comes from when read again."""
    try:
        made = draft_of(text, "a.md", tex)
    except RoofproofError as problem:
        assert "\n" not in str(problem)
        return
    book = book_from_text(to_toml(made))
    assert not book.problems and [type(claim) for claim in book.claims] == [Claim] * len(made.claims)
    for each, claim in zip(made.claims, book.claims, strict=True):
        assert isinstance(claim, Claim) and claim.draft and claim.says == each.says
    for formula in made.formulas:
        assert bool(formula.claims) != bool(formula.why)
        assert (
            text.count("\n", 0, formula.start) + 1
            == formula.line
            <= min((c.line for c in formula.claims), default=10**9)
        )
        if formula.claims and not formula.plain and not made.names:
            assert read(" and ".join(f"({each.says})" for each in formula.claims)) == read_latex(formula.text)


def test_a_draft_is_judged_and_counted_apart() -> None:
    made = draft_of("$$ 1 + 1 = 2 $$ $$ 1 + 1 = 3 $$", "a.md")
    book = book_from_text(to_toml(made))
    found = [judged_claim(book, k) for k in range(2)]
    assert [(each.kind, each.draft, each.as_expected) for each in found] == [
        ("verified", True, True), ("refuted", True, True)
    ]  # fmt: skip
    text = '[[claim]]\nid = "a"\nsays = "1 < 2"\ndraft = true\nexpect = "verified"'
    [claim] = book_from_text(text).claims
    assert "a draft expects no verdict; remove draft or expect" in str(claim)


def test_verify_counts_what_was_not_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        'says = "1 < 2"', 'says = "2 < 1"', 'says = "2 < 1"\nexpect = "refuted"', 'says = "1 < 2"\ndraft = true',
        'expect = "not-checkable"\nreason = "an opinion"',
    ]  # fmt: skip
    book = tmp_path / "a.claims.toml"
    book.write_text("".join(f'[[claim]]\nid = "{k}"\n{row}\n' for k, row in enumerate(rows)))
    assert main(["verify", str(book)]) == 1
    assert capsys.readouterr().out.splitlines()[0] == "3 checked: 2 right, 1 wrong; 1 not checkable; 1 drafts"


def test_hostile_words_stay_comments() -> None:
    made = draft_of('# "]]\n$$ \\text{a\x01"b\u2028[[claim]]} > 2 $$\n$$ x > \x00 $$', '"\n[x]')
    book = book_from_text(to_toml(made))
    assert [type(claim) for claim in book.claims] == [Claim]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.png", b"", "a.png': expected a file in Markdown or TeX, such as lecture.md or lecture.tex"),
        ("a.md", b"x\n\xff", "a.md, line 2: not UTF-8 text"),
        ("a.md", b"$$ 2 $$" * 2001, "more than 2000 formulas; split the document"),
        ("a.md", b"x" * (2 * 1024 * 1024 + 1), "a.md: larger than 2 MiB; split the file"),
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
    assert "no claim: " in capsys.readouterr().out
    assert main(["draft", str(CHINESE), "-o", str(out)]) == 2
    assert "already exists; choose another file name" in capsys.readouterr().err
    assert out.read_text() == first
