"""Claims in the sentences of a page: their lines, their shown text, and the error at the line of an edited sentence."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofproof import verify
from roofproof.cli import main
from roofproof.errors import RoofproofError
from roofproof.pages.judging import JudgedPageClaim, judged_page
from roofproof.pages.latex import file_for, values, values_file
from roofproof.pages.written import page_from_text

HEAD = '---\ntitle: T\nroofproof:\n  op: matmul\n  chip: tpu-v5e\n  regime: "D, F >> B"\n---\n'
MARKDOWN = (
    HEAD
    + """
It does {claim}`flops(op) == 2 B D F`; `{claim}` is code, and so is ``{claim}`1 < 0` ``.
From {claim}`240 tokens | compute_bound(op, chip) <=> B > 240` on, {derived}`ridge(chip, bf16) to 4 digits`.

```{claim}
:given: x > 2
:hidden:
x > 1
```

```python
{claim}`1 < 0`
```

<!-- {claim}`1 < 0` -->
<!-- claim: ridge(chip, bf16) ~= 240 -->about 240<!-- /claim --> and
<!-- derived: 2^10 -->1,024<!-- /derived -->.
"""
)
REST = """\
Title
=====

.. claim-scope::
   :op: matmul

It does :claim:`flops(op) == 2 B D F`, and ``:claim:`1 < 0```.

Nothing::

   :claim:`1 < 0`

.. code-block:: rst

   :claim:`1 < 0`

.. claim::
   :given: x > 2
   :shown: about 1

   x >
   1
"""
LATEX = r"""\claimscope{op = matmul, chip = {tpu-v5e}, regime = {D, F >> B}}
\newcommand\claim[1]{#1}
It does \claim{flops(op) == 2 B D F}, and % \claim{1 < 0}
\verb|\claim{1 < 0}| \begin{verbatim} \claim{1 < 0} \end{verbatim}
from \claim[compute_bound(op, chip) <=> B > 240]{240
tokens} on; \claim*{B\_x > 240 => B\_x > 3} \derived{smallest(n, n^2 > 50)}.
"""


def found(text: str, file: str = "page.md", language: str = "markdown") -> list[JudgedPageClaim]:
    return list(judged_page(page_from_text(text, file, language)))


@pytest.mark.parametrize(
    ("text", "language", "lines", "shown"),
    [
        (MARKDOWN, "markdown", [9, 10, 10, 12, 23, 24],
         ["flops(op) == 2 B D F", "240 tokens", "240.5", "", "about 240", "1024"]),
        (REST, "rest", [7, 17], ["flops(op) == 2 B D F", "about 1"]),
        (LATEX, "latex", [3, 5, 6, 6], ["flops(op) == 2 B D F", "240 tokens", "", "8"]),
    ],
)  # fmt: skip
def test_claims_where_they_stand(text: str, language: str, lines: list[int], shown: list[str]) -> None:
    judged = found(text, "page", language)
    assert [(each.written.line, each.shown, each.holds) for each in judged] == [
        (line, said, True) for line, said in zip(lines, shown, strict=True)
    ], [each.result.problem for each in judged]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("before", "after", "line", "says"),
    [
        ("240 tokens", "250 tokens", 10, "the sentence says 250 tokens, and the claim does not"),
        ("2 B D F", "3 B D F", 9, ""),
        ("1,024", "1,025", 24, "the page prints '1,025'; it is 1024"),
        ("about 240", "about 24", 23, "the sentence says 24, and the claim does not"),
        ("x > 1", "x > ", 12, "says: column 4: the text is incomplete"),
        ("(chip, bf16) to", "(chp, bf16) to", 10, "says: column 7: unknown chip 'chp'; did you mean 'chip'?"),
        (":hidden:", ":hiden:", 12, "unknown option of a claim 'hiden'; did you mean 'hidden' or 'given'?"),
        ("2 B D F`;", "flops('a.json:decode')`;", 9,
         "'a.json' is a file, and files are not read here; write out its content"),
    ],
)  # fmt: skip
def test_an_edited_sentence_is_told_at_its_line(before: str, after: str, line: int, says: str) -> None:
    wrong = [each for each in found(MARKDOWN.replace(before, after)) if not each.holds]
    assert [each.written.line for each in wrong] == [line]
    assert wrong[0].result.problem == (f"page.md:{line}: {says}" if says else "")
    assert says or wrong[0].result.kind == "refuted"


def test_a_head_that_cannot_be_read() -> None:
    for head, says in (
        ("  opp: matmul", "page.md:3: unknown option of a claim 'opp'; did you mean 'op'?"),
        ("  op: [matmul]", "page.md:3: 'op: [matmul]' cannot be read; expected NAME: TEXT, such as op: matmul"),
    ):
        with pytest.raises(ValueError, match=r"page\.md:3") as refused:
            page_from_text(f"---\nroofproof:\n{head}\n---\n")
        assert str(refused.value) == says


def test_values_of_the_head_hold_for_all_claims() -> None:
    head = "---\nroofproof:\n  op: matmul\n  let:\n    D: 4096\n    F: 4096\nother: [1, 2]\n---\n"
    text = head + "{claim}`flops(op) == 33554432 B`"
    assert [each.holds for each in found(text)] == [True]


def test_a_size_that_is_given_is_as_good_as_one_that_let_names() -> None:
    head = "---\nroofproof:\n  op: matmul\n  chip: tpu-v5e\n  regime: D, F >> B\n---\n"
    for sizes, holds in (("B == 8; D == 4096; F == 4096", True), ("B == 8; D == 4096; F == 4096; n > 3", True),
                         ("B == 9; D == 4096; F == 4096", False)):  # fmt: skip
        text = head + f"```{{claim}}\n:given: {sizes}\n\nflops(op) == 268435456\n```\n"
        assert [each.holds for each in found(text)] == [holds], [each.result.problem for each in found(text)]


def test_what_is_expected_to_be_wrong() -> None:
    assert [each.holds for each in found("```{claim}\n:expect: refuted\n1 > 2\n```\n")] == [True]
    assert [each.holds for each in found("```{claim}\n:expect: refuted\n1 < 2\n```\n")] == [False]


def test_an_unknown_unit_is_named() -> None:
    [only] = found("{derived}`ridge(tpu-v5e, bf16) in parsec`")
    assert str(only.result.problem).endswith("unknown unit 'parsec'; expected a unit such as ms or GB/s")


@given(st.text(alphabet="{}`claimderv:|<!->/\\[]*%\n .&_=12x\"'", max_size=80))
def test_any_text_is_read_or_refused(text: str) -> None:
    for language in ("markdown", "rest", "latex"):
        for each in page_from_text(text, "page", language).written:
            assert 1 <= each.line <= text.count("\n") + 1


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("page.md").write_text(MARKDOWN)
    assert main(["verify", "page.md"]) == 0
    Path("page.md").write_text(MARKDOWN.replace("2 B D F", "3 B D F"))
    capsys.readouterr()
    assert main(["verify", "page.md", "--json"]) == 1
    first = json.loads(capsys.readouterr().out)["claims"][0]
    assert (first["id"], first["line"], first["verdict"]) == ("page.md:9", 9, "refuted")
    Path("page.md").write_text(MARKDOWN.replace("x > 1", "x >").replace("2 B D F", "2 B D"))
    assert main(["verify", "page.md", "--report", "errata.md"]) == 2
    assert "page.md:12" in capsys.readouterr().err
    Path("empty.md").write_text("nothing")
    assert main(["verify", "empty.md"]) == 2
    assert main(["verify", "empty.md", "--values"]) == 2


def test_the_package_for_latex(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    body = r"From \claim[compute_bound(op, chip) <=> B > 240]{240 tokens}, \derived{ridge(chip, bf16) to 4 digits}."
    text = (
        "\\documentclass{article}\\usepackage{roofproof}\\begin{document}\n\\claimscope{op = matmul, chip = tpu-v5e, "
    )
    text += f"regime = {{D, F >> B}}}}\n{body}\n\\end{{document}}\n"
    Path("paper.tex").write_text(text)
    assert main(["tools", "latex", "."]) == 0 and main(["verify", "paper.tex", "--values"]) == 0
    assert Path("roofproof.sty").read_text() == file_for("roofproof.sty")
    assert r"\roofproofvalue{ridge(chip, bf16) to 4 digits}{240.5}" in Path(values_file("paper.tex")).read_text()
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not installed")

    def typeset() -> tuple[int, str]:
        command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        return done.returncode, done.stdout

    assert typeset()[0] == 0
    Path("paper.tex").write_text(text.replace("{240 tokens}", "{250 tokens}"))
    status, said = typeset()
    assert status and "not checked" in said and "l.3" in said


def test_what_does_not_hold_is_written_for_latex() -> None:
    page = page_from_text(r"\claim{2 < 1}\derived{1/0}", "a.tex", "latex")
    lines = values(judged_page(page)).splitlines()
    assert lines[1] == r"\roofprooffails{2 < 1}{a.tex:1: refuted}" and lines[2].startswith(r"\roofprooffails{1/0}")


@pytest.mark.slow
def test_the_filter_for_quarto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tools", "quarto", "."]) == 0
    pypandoc = pytest.importorskip("pypandoc", reason="pandoc is missing; cure: pip install 'roofproof[pandoc]'")
    pandoc = pypandoc.get_pandoc_path()
    program = tmp_path / "roofproof"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m roofproof "$@"\n')
    program.chmod(0o755)
    text = HEAD + "From ({claim}`240 tokens | compute_bound(op, chip) <=> B > 240`) on; {derived}`2^10`.\n"

    def built() -> tuple[int, str]:
        Path("page.qmd").write_text(text)
        command = [pandoc, "page.qmd", "-f", "markdown", "-L", "roofproof.lua", "-t", "plain"]
        environment = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        return done.returncode, done.stdout + done.stderr

    assert built() == (0, "From (240 tokens) on; 1024.\n")
    text = text.replace("240 tokens", "250 tokens")
    status, said = built()
    assert status and "page.qmd:8" in said and "the sentence says 250 tokens, and the claim does not" in said


def sphinx(folder: Path) -> tuple[int, str]:
    pytest.importorskip("sphinx", reason="sphinx is not installed; cure: pip install 'roofproof[sphinx]'")
    pytest.importorskip("myst_parser", reason="myst-parser is not installed; cure: pip install myst-parser")
    command = [sys.executable, "-m", "sphinx", "-q", str(folder), str(folder / "out")]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"})
    return done.returncode, done.stderr


@pytest.mark.slow
def test_a_build_with_sphinx_fails_at_the_line_of_a_lie(tmp_path: Path) -> None:
    (tmp_path / "conf.py").write_text('extensions = ["myst_parser", "roofproof.sphinx"]\n')
    (tmp_path / "index.md").write_text(
        MARKDOWN.replace("```python", "```{toctree}\nother\n```\n\n```python", 1) + "# T\n"
    )
    (tmp_path / "other.rst").write_text(REST)
    status, said = sphinx(tmp_path)
    assert status == 0, said
    page = (tmp_path / "out" / "index.html").read_text()
    assert '<span class="claim claim-approximate">240 tokens</span>' in page and "240.5</span>" in page
    assert "x &gt; 1" not in page
    (tmp_path / "other.rst").write_text(REST.replace("2 B D F", "3 B D F"))
    for _ in range(2):  # the second time no page is read again
        status, said = sphinx(tmp_path)
        assert status and "other:7: 'flops(op) == 3 B D F' is refuted" in said


def test_python_verifies_the_pages_that_the_command_does(tmp_path: Path) -> None:
    page, book = tmp_path / "page.md", tmp_path / "book.claims.toml"
    page.write_text(HEAD + "It is {claim}`flops(op) == B D F`, {derived}`smallest(n, 2 n > 4)`, {claim}`flops(`.")
    book.write_text('[[claim]]\nid = "a"\nsays = "1 < 2"\n')
    found = verify(page, book)
    assert [(one.kind, one.as_expected) for one in found] == [
        ("refuted", False), ("verified", True), ("unusable", False), ("verified", True)]  # fmt: skip
    assert found[0].verdict is not None and found[0].verdict.is_slip("multiply-add-once")
    assert [bool([*one.derivation]) for one in found] == [True, True, False, True]
    with pytest.raises(RoofproofError, match="only needs a claims file"):
        verify(page, only=["a"])
