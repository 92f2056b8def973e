"""A failure costs nothing else: a verdict survives a failed explanation, a run a failed claim, file or worker."""

from __future__ import annotations

import json
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import sleep

import pytest

from roofproof.claims.judge import in_regime, judge, readings
from roofproof.claims.language import book, read_book
from roofproof.claims.language.book import Claim, Unusable, book_from_text
from roofproof.claims.mistakes import of_claims
from roofproof.claims.verifying import judged_claim
from roofproof.cli import main
from roofproof.errors import MissingExtra, MissingFigure, RoofproofError, Stopped, WrongType
from roofproof.parallel import AHEAD, parallel_map

EXAMPLE = str(Path(__file__).parents[1] / "data" / "example.claims.toml")
CRASHED = {  # claims on which roofproof once failed, each with its verdict
    "time(matmul, h100-sxm, bf16) > time(matmul, h100-sxm, hbm)": ("", "refuted"),
    'time("gated-ffn", tpu-v5e, memory) < 1 us': ("D == 1000; F == 2", "refuted"),
    "solve(x + a == b, x) == b - a": ("x >= 0", "undecided"),
    "minimum(a x + b/(x+1), x) == 2 sqrt(a b) - a": ("x >= 0", "undecided"),
    "exists t integer: 2^t == 1024": ("", "undecided"),
    "exists t integer: 3^t == 1024": ("", "undecided"),
    "exists t integer: 2^(t^2) == 1024": ("", "undecided"),
    "exists t integer: 2^(n t) > 1024": ("n == 10000000000", "undecided"),
    'lower("all-reduce:n=1", h100-sxm) == 0': ("", "verified"),
    'upper("all-gather:n=1", h100-sxm) == 0': ("", "verified"),
    "(2^14 <= 2^14) <=> (4096 == pi)": ("", "refuted"),
    "limit(10^60 pi n/(n + 1) * 2, n) == 43.6": ("", "refuted"),
}
EXPLAINED = [  # refuted, rounded, approximate, in a regime and without
    'says = "bytes(matmul) == 2 B D + 2 D F"',
    'says = "B > 3 <=> B > 2"',
    'says = "1/3 ~= 0.33"',
    'says = "a + b <= 2 max(a, b)"',
    'says = "flops(\\"sliding-window-attention\\") > 0"',
    'says = "intensity(matmul) ~= B"\nregime = "D, F >> B"',
    'says = "compute_bound(matmul, tpu-v5e) <=> B > 240"\nregime = "D, F >> B"',
    'says = "compute_bound(matmul, tpu-v5e) <=> B > 200"\nregime = "D, F >> B"',
]


def one(fields: str) -> Claim:
    [claim] = book_from_text(f'[[claim]]\nid = "a"\n{fields}').claims
    assert isinstance(claim, Claim), claim
    return claim


def fails(*_: object, **__: object) -> object:
    raise ZeroDivisionError("a fault of the search")


@pytest.mark.parametrize("says", CRASHED)
def test_what_crashed_has_a_verdict(says: str) -> None:
    given, kind = CRASHED[says]
    claim = one(f"says = {json.dumps(says)}\ngiven = {json.dumps(given)}")
    assert judge.judge_with_slip(claim).kind == kind


@cache
def kinds() -> tuple[str, ...]:
    return tuple(judge.judge_with_slip(claim).kind for claim in map(one, EXPLAINED))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("room", "name"),
    [(of_claims, "diagnose"), (readings, "right_answer"),
     (judge, "size_assumptions"), (judge, "names_pi"), (readings, "vacuity_note"), (judge, "unstated"),
     (in_regime, "_errors"),
     (in_regime, "exact_cases"), (in_regime, "right_answer"), (in_regime, "vacuity_note"),
     (in_regime, "_right_in_the_limit")],
)  # fmt: skip
def test_a_verdict_stays_where_its_explanation_fails(room: object, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"refuted", "rounded", "verified", "approximate"} <= {*kinds()}
    monkeypatch.setattr(room, name, fails)
    assert tuple(judge.judge_with_slip(claim).kind for claim in map(one, EXPLAINED)) == kinds()


def test_a_verdict_stays_where_the_search_for_a_mistake_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> str:
        raise Stopped("stopped")

    monkeypatch.setattr(of_claims, "diagnose", stopped)
    found = judge.judge_with_slip(one(EXPLAINED[0]))
    assert (found.kind, found.slip) == ("refuted", "not searched to the end")


def test_no_explanation_fails(caplog: pytest.LogCaptureFixture) -> None:
    claims = [c for c in read_book(EXAMPLE).claims if isinstance(c, Claim)]
    with caplog.at_level(logging.DEBUG, "roofproof"):
        for claim in [*claims, *map(one, EXPLAINED)]:
            judge.judge_with_slip(claim)
    assert not caplog.records


def test_what_is_asked_beside_a_verdict_is_lost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofproof.claims.verifying._extra_fields", fails)
    found = judged_claim(book_from_text('[[claim]]\nid = "a"\nsays = "1 < 2"'), 0, back=True)
    assert found.kind == "verified" and "ZeroDivisionError" in found.problem


def act(stop: str, task: int) -> object:
    if task == 2:
        if stop == "end":
            os._exit(3)
        if stop == "raise":
            raise MissingFigure("no figure", "mine", "bf16")
        return (lambda: task) if stop == "unsent" else Unread()
    return task


def waiting(first: str, task: int) -> int:
    while task == 0 and not Path(first).exists():
        sleep(0.001)
    if task == 1 + 2 * AHEAD - 2:
        Path(first).touch()
    return task


@pytest.mark.slow
def test_a_first_task_that_takes_longest_ends_no_run(tmp_path: Path) -> None:
    assert list(parallel_map(waiting, str(tmp_path / "first"), range(100), 2)) == list(range(100))


class Unread:
    """An object that can be sent, but not read back."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return fails, ("",)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("stop", ["end", "raise", "unsent", "unread"])
def test_a_task_that_is_lost_costs_no_other(stop: str) -> None:
    found = list(parallel_map(act, stop, range(6), 2, lost=lambda task, problem: f"{task} lost"))
    assert found == [0, 1, "2 lost", 3, 4, 5]
    if stop == "raise":
        assert list(parallel_map(act, stop, range(6), 1, lost=lambda task, problem: f"{task} lost")) == found
        with pytest.raises(RoofproofError, match="no figure"):
            list(parallel_map(act, stop, range(6), 2))


@pytest.mark.parametrize(
    "problem", [MissingFigure("a", "b", "c"), MissingExtra("a", "b"), WrongType("a", "b", 3, "c"), RoofproofError("a")]
)
def test_every_error_can_be_sent(problem: RoofproofError) -> None:
    sent = pickle.loads(pickle.dumps(problem))
    assert type(sent) is type(problem) and vars(sent) == vars(problem) and str(sent) == str(problem)


ENDED = """
import json, os, sys
from roofproof.claims.judge import judge
from roofproof.claims.verifying import verify

before, workers = judge.judge, int(sys.argv[2])

def ended(claim, oracle="z3", quick=False):
    if claim.id == "c7":
        if workers == 1:
            raise RecursionError("too deep")
        os._exit(9)
    return before(claim, oracle, quick)

judge.judge = ended
print(json.dumps([(r.id, r.kind, r.problem) for r in verify([sys.argv[1]], workers=workers)]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process is no copy, which knows of no fault made here")
@pytest.mark.parametrize("workers", [1, 2])
def test_a_claim_that_ends_its_process_is_named(workers: int, tmp_path: Path) -> None:
    """A separate program is used, because with threads of other tests its workers would not be copies."""
    path = tmp_path / "many.claims.toml"
    path.write_text("".join(f'[[claim]]\nid = "c{k}"\nsays = "{k} < {k + 1}"\n' for k in range(20)))
    done = subprocess.run([sys.executable, "-c", ENDED, str(path), str(workers)], capture_output=True, check=True)
    results = json.loads(done.stdout)
    assert [name for name, *_ in results] == [f"c{k}" for k in range(20)]
    assert {kind for name, kind, _ in results if name != "c7"} == {"verified"}
    assert results[7][1] == "unusable" and "c7" in results[7][2]


def test_a_bad_entry_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    before = book.parse_operation
    monkeypatch.setattr(book, "parse_operation", lambda text: fails() if text == "fft" else before(text))
    text = '[ops]\nbad = "fft"\ngood = "dot"\n[[claim]]\nid = "a"\nsays = "flops(bad) > 0"\n'
    read = book_from_text(text + '[[claim]]\nid = "b"\nsays = "flops(good) == 2 N"')
    assert len(read.problems) == 1 and "ops.bad" in read.problems[0]
    assert isinstance(read.claims[0], Unusable) and isinstance(read.claims[1], Claim)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.claims.toml").write_text('[[claim]]\nid = "a"\nsays = "1/3 ~= 0.33"\n')
    Path("bad.claims.toml").write_text("[[claim]\n")
    Path("none.claims.toml").write_text("[textbook]\ntitle = 'none'\n")
    Path("role.md").write_text("So {claim}`1 < 2`.\n")
    Path("block.md").write_text('So:\n\n```claim\nid = "b"\nsays = "2 < 3"\n```\n\nand {claim}`3 < 4`.\n')
    Path("plain.md").write_text("Nothing.\n")
    Path("latin.md").write_bytes(b"{claim}`1 < 2` \xe9\n")


ROUNDS = {  # files: exit status, verdicts, and the message
    "good.claims.toml": (0, ["rounded"], ""),
    "good.claims.toml bad.claims.toml missing.claims.toml": (2, ["rounded", "unusable", "unusable"], "missing"),
    "good.claims.toml latin.md role.md": (2, ["rounded", "unusable", "verified"], "latin.md"),
    "good.claims.toml missing.md": (2, ["rounded", "unusable"], "missing.md"),
    "none.claims.toml": (2, None, "no claims in 'none.claims.toml'"),
    "plain.md": (2, None, "no claims in 'plain.md'"),
    "missing.claims.toml": (2, None, "cannot read 'missing.claims.toml'"),
    "missing.md": (2, None, "cannot read 'missing.md'"),
    "good.claims.toml none.claims.toml": (2, ["rounded"], "no claims in 'none.claims.toml'"),
    "good.claims.toml plain.md": (0, ["rounded"], "pages without claims: 1"),
    "block.md plain.md": (0, ["verified", "verified"], "pages without claims: 1"),
    "role.md block.md": (0, ["verified", "verified", "verified"], ""),
}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("files", ROUNDS)
def test_every_file_is_judged_or_named(files: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, kinds, told = ROUNDS[files]
    assert main(["verify", *files.split(), "--json"]) == status
    out, err = capsys.readouterr()
    assert (sorted(c["verdict"] for c in json.loads(out)["claims"]) if out else None) == kinds
    assert told in err and bool(told) == bool(err) and "Traceback" not in err


@pytest.mark.usefixtures("here")
def test_a_commit_that_changes_a_page_without_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRE_COMMIT", "1")
    assert main(["verify", "plain.md"]) == 0
    assert main(["verify", "none.claims.toml"]) == 2


@pytest.mark.parametrize(
    ("fields", "as_expected"),
    [('says = "1/3 ~= 0.33"', True), ('says = "intensity(matmul) ~= B"\nregime = "D, F >> B"', True),
     ('says = "1/3 ~= 0.33"\nexpect = "verified"', False), ('says = "1/3 ~= 0.34"', False),
     ('says = "1/3 == 0.33"', False), ('says = "1/3 ~= 0.33 and 1 < 2"', True)],
)  # fmt: skip
def test_printed_digits_are_expected_to_be_rounded(fields: str, as_expected: bool) -> None:
    assert judged_claim(book_from_text(f'[[claim]]\nid = "a"\n{fields}'), 0).as_expected is as_expected
