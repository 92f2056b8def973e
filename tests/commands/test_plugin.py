"""The pytest plugin: claims files and pages become tests, and a wrong claim fails with a readable message."""

import json

import pytest

from roofproof.cli import main

pytest_plugins = ["pytester"]

BOOK = """
[[claim]]
id = "right"
says = "flops(matmul) == 2 B D F"
[[claim]]
id = "erratum"
says = "flops(matmul) == B D F"
expect = "refuted"
slip = "multiply-add-once"
[[claim]]
id = "wrong"
says = "bytes(matmul) == 2 B D + 2 D F"
[[claim]]
id = "broken"
says = "1 +"
"""

PAGE = """# A page

```claim
id = "rule"
says = "intensity(matmul) ~= B"
regime = "D, F >> B"
expect = "approximate"
```

```python
raise SystemExit("not a claim")
```

```claim
id = "slip"
says = "flops(matmul) == B D F"
```
"""


def results(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-rA", *arguments)


def test_a_book(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("small.claims.toml").write_text(BOOK)
    pytester.path.joinpath("other.toml").write_text("[[not a book")
    found = results(pytester)
    found.assert_outcomes(passed=2, failed=2)
    text = found.stdout.str()
    assert "Traceback" not in text
    assert "'bytes(matmul) == 2 B D + 2 D F': expected verified, found verdict: refuted" in text
    assert "exact: 2*B*D + 2*B*F + 2*D*F" in text and "slip: dropped-tensor:z" in text
    assert "claim 'broken': says: column 4: the text is incomplete" in text


def test_a_page(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("page.md").write_text(PAGE)
    pytester.path.joinpath("plain.md").write_text("# Nothing\n\n```toml\nid = 3\n```\n")
    found = results(pytester)
    found.assert_outcomes(passed=1, failed=1)
    assert "'flops(matmul) == B D F': expected verified, found verdict: refuted" in found.stdout.str()
    assert "slip: multiply-add-once" in found.stdout.str()


def test_claims_in_sentences(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("page.rst").write_text("Three: :claim:`2 < 3`, :claim:`3 < 2`, and :derived:`1 + 1`.\n")
    pytester.path.joinpath("both.md").write_text(PAGE.replace("# A page", "---\nroofproof: {op: dot}\n---\n"))
    found = results(pytester)
    text = found.stdout.str()
    found.assert_outcomes(passed=3, failed=2)
    assert "'3 < 2': expected verified, found verdict: refuted" in text


def test_verify_reads_what_pytest_collects(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    """Both find the same claims in blocks, roles, directives and comments of a page, and reach the same verdicts."""
    said = "{claim}`2 < 3`, {claim}`3 < 2`, {derived}`1 + 1` and <!-- claim: 1 < 2 -->less<!-- /claim -->.\n"
    page = f"{PAGE}\n{said}\n```{{claim}}\n:hidden:\n2 < 4\n```\n\n`{{claim}}` is code, and so is\n\n~~~\n{said}~~~\n"
    pytester.path.joinpath("page.md").write_text(page)
    assert main(["verify", "page.md", "--json"]) == 1
    right = [claim["as_expected"] for claim in json.loads(capsys.readouterr().out)["claims"]]
    assert (right.count(True), right.count(False)) == (5, 2)
    results(pytester).assert_outcomes(passed=5, failed=2)


def test_a_book_without_claims(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("none.claims.toml").write_text("[textbook]\ntitle = 'none'\n")
    found = results(pytester)
    found.assert_outcomes(errors=1)
    assert "no claims in" in found.stdout.str()


def test_one_claim_by_its_id(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("small.claims.toml").write_text(BOOK)
    results(pytester, "small.claims.toml::right").assert_outcomes(passed=1)


@pytest.mark.parametrize("name", ["small.claims.toml", "page.md"])
def test_what_is_no_toml_is_one_error(name: str, pytester: pytest.Pytester) -> None:
    body = "[[claim]]\nid = \n" if name.endswith("toml") else "# Page\n\n```claim\nid = \n```\n"
    pytester.path.joinpath(name).write_text(body)
    found = results(pytester)
    found.assert_outcomes(errors=1)
    line = 2 if name.endswith("toml") else 4  # numbered as in the author's editor
    assert f"{name}, line {line}" in found.stdout.str() and "not TOML" in found.stdout.str()
    assert "Traceback" not in found.stdout.str()


def test_another_slip_than_expected_fails(pytester: pytest.Pytester) -> None:
    text = '[[claim]]\nid = "a"\nsays = "flops(matmul) == B D F"\nexpect = "refuted"\nslip = "dropped-tensor"\n'
    pytester.path.joinpath("small.claims.toml").write_text(text)
    found = results(pytester)
    found.assert_outcomes(failed=1)
    assert "expected refuted with the mistake dropped-tensor, found verdict: refuted" in found.stdout.str()


@pytest.mark.parametrize("content", [PAGE.replace("\n", "\r\n").encode(), b"\xff\n" + PAGE.encode()])
def test_pages_of_other_editors(content: bytes, pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("page.md").write_bytes(content)
    results(pytester).assert_outcomes(passed=1, failed=1)


TIMED = """
import pytest

AT = {"B": 4096, "D": 4096, "F": 4096}                          # 2 * 4096^3 FLOPs at 989.4 TFLOP/s: 138.9 us


def test_possible(above_floor):
    assert above_floor("matmul:fp16", "h100-sxm", 1.5e-4, **AT).verdict == "possible"


def test_impossible(above_floor):
    above_floor("matmul:fp16", "h100-sxm", 1.2e-4, **AT)


def test_cold(above_floor):
    assert above_floor("add:fp16", "h100-sxm", 1e-6, N=1_000_000).verdict == "beyond the model"  # L2
    above_floor("add:fp16", "h100-sxm", 1e-6, cold=True, N=1_000_000)                            # 6 MB at 3.35 TB/s


@pytest.mark.parametrize("words", [{"B": 1}, {**AT, "G": 1}])
def test_sizes(above_floor, words):
    with pytest.raises(ValueError, match="no size for D, F; give it|unknown size 'G'"):
        above_floor("matmul", "h100-sxm", 1.0, **words)
"""


def test_times_below_their_floor_fail_with_the_theorem(pytester: pytest.Pytester) -> None:
    pytester.path.joinpath("test_held_kernels.py").write_text(TIMED)
    found = results(pytester)
    found.assert_outcomes(passed=3, failed=2)
    said = found.stdout.str()
    assert "matmul:fp16 on h100-sxm: no run takes 0.00012 s: max((2*B*D*F)/989400000000000" in said
    assert "add:fp16 on h100-sxm: no run takes 1e-06 s" in said


def test_a_list_of_formulas(pytester: pytest.Pytester) -> None:
    entries = ('text = "2*B*D*F"\nop = "matmul"', 'text = "B*D*F"\nop = "matmul"', 'text = "2*M"\nop = "matmul"')
    pytester.path.joinpath("x.formulas.toml").write_text("".join(f"[[formula]]\n{entry}\n" for entry in entries))
    found = results(pytester)
    found.assert_outcomes(passed=1, failed=2)
    found.stdout.fnmatch_lines(
        ["*B[*]D[*]F: expected equal, found different; theirs: *; ours: 2[*]*; mend: B[*]D[*]F*"]
    )
    found.stdout.fnmatch_lines(["*2[*]M: x.formulas.toml, line 7: formula: column 3: unknown name 'M'*"])
    pytester.path.joinpath("x.formulas.toml").write_text("a = 1")
    assert results(pytester).ret == 2
