"""The claims files of the package: every claim as expected, every line of the sources in exactly one file."""

import re
import time
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from english import english
from in_chinese import NAMES

import roofproof.claims
from roofproof.claims import verifying
from roofproof.claims.judge.verdict import Report
from roofproof.claims.mistakes.catalogue import slip_of
from roofproof.claims.results import Result, exit_status
from roofproof.claims.verifying import verify
from roofproof.export.explain.verdicts import explain_report, results_text
from roofproof.export.to_markdown import to_markdown

EXAMPLE = Path(__file__).parents[1] / "data" / "example.claims.toml"
BOOKS = sorted((Path(roofproof.claims.__file__).parent / "textbooks").glob("*.toml"))
LINES = {"S0": 77, "S1": 20, "S2": 75, "S3": 34, "S4": 115}  # statements of each source, counted from 1
FORMALISED = 295  # of 321


@pytest.fixture(scope="module", params=["example", pytest.param("books", marks=pytest.mark.slow)])
def results(request: pytest.FixtureRequest) -> list[Result]:
    return list(verify([*map(str, BOOKS * (request.param == "books")), str(EXAMPLE)], workers=1))


@pytest.fixture(scope="module")
def claims() -> list[dict[str, object]]:
    return [c for book in BOOKS for c in tomllib.loads(book.read_text(encoding="utf-8"))["claim"]]


def of(results: Sequence[Result], path: Path) -> list[Result]:
    return [r for r in results if r.file == str(path)]


def test_every_verdict_is_the_one_expected(results: list[Result]) -> None:
    wrong = [(r.file, r.id, r.expect, r.expected_slip, r.problem or r.verdict) for r in results if not r.as_expected]
    assert results and not wrong
    assert exit_status(results) == 0


def test_nothing_is_in_english_where_chinese_is_asked_for(results: list[Result]) -> None:
    """A Chinese report has no English except chip names, sources, and reasons why a claim is not checkable."""
    own = [*NAMES, *(t for r in results for t in (f"ok {r.id}", r.id, r.says, r.source))]
    own += [part.strip() for r in results for part in re.split(r"[=<>~!]+| and | or ", r.says) if " " in part.strip()]
    own += [re.sub("[()]", "", part) for part in own if "(" in part]  # as a value is printed
    own += [call for r in results for call in re.findall(r"\w+\([^()]*\)", r.says)]
    own += [r.verdict.note for r in results if r.verdict is not None and r.kind == "not-checkable"]
    for text in (results_text(results, "zh"), to_markdown(explain_report(results, "判定"), "zh")):
        said = re.sub(r"\$[^$\n]*\$", "", text).replace("\\", "")  # a formula is not a sentence
        found = [(line, words) for line in said.splitlines() if (words := english(line, *own))]
        assert not found


def test_what_holds_is_known(results: list[Result]) -> None:
    """Every verdict of right or wrong has a trust level, and each kind of verdict has its details."""
    for r in results:
        v = r.verdict
        assert isinstance(v, Report)
        if v.kind not in ("undecided", "not-checkable"):
            assert v.trust != "undecided", r.id
        if v.kind == "not-checkable":
            assert v.note.strip(), r.id
        if v.kind == "conditional":
            assert v.condition, r.id
        if v.kind == "refuted":
            assert v.slip == "none fits" or all(map(slip_of, (v.slip or "").split("+"))), r.id
            assert v.exact or v.counterexample or v.note, r.id


@pytest.mark.parametrize("source", LINES)
def test_every_statement_of_a_source_is_in_one_book(source: str, claims: list[dict[str, object]]) -> None:
    found = Counter(str(c["id"]) for c in claims if str(c["id"]).startswith(f"{source}-"))
    if not found:
        pytest.xfail(f"NO BOOK YET for the {LINES[source]} statements of {source}")
    expected = Counter(f"{source}-{k}" for k in range(1, LINES[source] + 1))
    assert found == expected, (expected - found, found - expected)


def test_nearly_all_is_formalised(claims: list[dict[str, object]], capsys: pytest.CaptureFixture[str]) -> None:
    ours = [c for c in claims if str(c["id"]).partition("-")[0] in LINES]
    closed = [c for c in ours if c.get("expect") == "not-checkable"]
    assert all(str(c.get("reason", "")).strip() for c in closed)
    formal = len(ours) - len(closed)
    with capsys.disabled():
        print(f"\n{len(ours)} statements in {len(BOOKS)} books: {formal} formalised, {len(closed)} not checkable")
    if len(ours) < sum(LINES.values()):
        pytest.xfail(f"{len(ours)} of {sum(LINES.values())} statements are in books yet")
    assert formal >= FORMALISED


def test_the_example_gets_exactly_its_verdicts(results: list[Result]) -> None:
    expected = {c["id"]: c.get("expect", "verified") for c in tomllib.loads(EXAMPLE.read_text())["claim"]}
    found = {r.id: r for r in of(results, EXAMPLE)}
    assert {name: r.verdict.kind for name, r in found.items() if r.verdict} == expected
    condition = found["threshold-without-condition"].verdict
    assert condition is not None and condition.condition == "1/D + 1/F < 1/R"
    rule = found["rule"].verdict
    assert rule is not None and rule.error_bound is not None and "B/D + B/F" in rule.error_bound


def test_twice_the_same_bytes(results: list[Result]) -> None:
    """The report is the same in one process or two, and for all files or one."""
    for book in (
        Path(name) for name in {r.file for r in results} if name.endswith(("example.claims.toml", "notes.toml"))
    ):
        again = list(verify([str(book)], workers=2))
        assert results_text(again) == results_text(of(results, book))
        assert [r.verdict for r in again] == [r.verdict for r in of(results, book)]


def test_a_machine_busy_with_others_stops_no_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is on the CPU time of this process, as many parallel processes once reached a limit on elapsed time."""
    judged = verifying._judged
    monkeypatch.setattr(verifying, "STOP", 1)
    monkeypatch.setattr(verifying, "_judged", lambda *of: (time.sleep(1.1), judged(*of))[1])
    [result] = verify([str(EXAMPLE)], only=["flops"])
    assert result.as_expected and not result.stopped
