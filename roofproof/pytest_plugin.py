"""A pytest plugin: each claim of a `*.claims.toml` book, and of a fenced `claim` block in Markdown, is a test.

The fixture `above_floor` holds a measured time of a test to what no run can beat.

An author's `pytest` then runs the book. A block holds one claim in TOML, such as

    ```claim
    id   = "flops"
    says = "flops(matmul) == 2 B D F"
    ```
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from roofproof.audit.guard import JudgedFormula
    from roofproof.bench.verdicts import Verdict
    from roofproof.claims.language.book import Claim, Unusable

FENCE = re.compile(r"^```claim[ \t]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def above_floor() -> Callable[..., Verdict]:
    """A function by which a test fails where a time in seconds lies below the floor, with the theorem that says so.

        def test_a_projection(above_floor):
            above_floor("matmul:fp16", "h100-sxm", median_of_runs(), B=4096, D=4096, F=4096)

    The caches are warm unless it says `cold=True`. It returns the verdict, `possible` or `beyond the model`.
    """

    def held(operation: str, chip: str, seconds: float | Fraction, *, cold: bool = False, **sizes: int) -> Verdict:
        from roofproof.rooms import need

        need("roofproof.bench")
        from roofproof.bench.verdicts import IMPOSSIBLE, Priced
        from roofproof.derive.roofline.floors import COLD, WARM, floor
        from roofproof.errors import RoofproofError, refuse_unknown
        from roofproof.hardware import any_chip
        from roofproof.ops import parse_operation
        from roofproof.ops.notation.passes import floor_text

        if not seconds > 0:
            raise RoofproofError(f"a time of {seconds} s; expected a positive number of seconds")
        priced = Priced(floor(parse_operation(floor_text(operation)), any_chip(chip), COLD if cold else WARM))
        for name in sizes:
            refuse_unknown("size", name, priced.names)
        if missing := [name for name in priced.names if name not in sizes]:
            raise RoofproofError(f"{operation}: no size for {', '.join(missing)}; give it, as in {missing[0]}=4096")
        found = priced.verdict(Fraction(seconds), sizes)
        if found.verdict == IMPOSSIBLE:
            pytest.fail(f"{operation} on {chip}: no run takes {seconds} s: {found.known.statement.says}", pytrace=False)
        return found

    return held


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect books, Markdown pages that hold claims, and lists of formulas (*.formulas.toml)."""
    if file_path.name.endswith(".formulas.toml"):
        return FormulaFile.from_parent(parent, path=file_path)
    book = file_path.name.endswith(".claims.toml")
    page = file_path.suffix == ".md" and FENCE.search(_text(file_path))
    return ClaimFile.from_parent(parent, path=file_path) if book or page else None


class ClaimFile(pytest.File):
    """A book of claims, or a Markdown page with claims in fenced blocks."""

    def collect(self) -> Iterator[pytest.Item]:
        from roofproof.claims.language import read_book
        from roofproof.claims.language.book import book_from_text
        from roofproof.errors import RoofproofError

        try:
            page = self.path.suffix == ".md"
            book = book_from_text(_claims_of(_text(self.path)), self.path.name) if page else read_book(str(self.path))
        except RoofproofError as problem:
            raise self.CollectError(str(problem)) from None
        for claim in book.claims:
            yield ClaimItem.from_parent(self, name=claim.id, claim=claim)


class FormulaFile(pytest.File):
    """A list of formulas, each held to the derivation."""

    def collect(self) -> Iterator[pytest.Item]:
        from roofproof.errors import RoofproofError
        from roofproof.rooms import need

        try:
            need("roofproof.audit")
            from roofproof.audit.guard import guarded

            judged = list(guarded(self.path))
        except RoofproofError as problem:
            raise self.CollectError(str(problem)) from None
        for k, one in enumerate(judged, 1):
            yield FormulaItem.from_parent(self, name=f"{k}: {one.name}", judged=one)


class FormulaItem(pytest.Item):
    """One formula: passes where its verdict is the one that the list expects."""

    def __init__(self, *, judged: JudgedFormula, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.judged = judged

    def runtest(self) -> None:
        if not self.judged.as_expected:
            found = self.judged.to_dict()
            told = "; ".join(f"{k}: {v}" for k, v in found.items() if v and k in ("theirs", "ours", "at", "mend"))
            said = self.judged.error or f"expected {found['expect']}, found {found['verdict']}; {told}"
            raise ClaimMismatch(f"{self.judged.name}: {said}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"formula {self.name}"


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _claims_of(page: str) -> str:
    """Return the book that the blocks of a page make, each on the lines it has in the page."""
    rows, done = "", 0
    for block in FENCE.finditer(page):
        rows += "\n" * page.count("\n", done, block.start()) + "[[claim]]\n" + block[1]
        done = block.end(1)
    return rows


class ClaimMismatch(Exception):
    """The verdict is not the one that the book expects."""


class ClaimItem(pytest.Item):
    """One claim: passes when the engine's verdict is the one expected."""

    def __init__(self, *, claim: Claim | Unusable, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.claim = claim

    def runtest(self) -> None:
        from roofproof.claims.judging.judge import judge_with_slip
        from roofproof.claims.language.book import Unusable

        if isinstance(self.claim, Unusable):
            raise ClaimMismatch(self.claim.message)
        verdict = judge_with_slip(self.claim)
        expected = self.claim.expect
        if verdict.kind != expected or (self.claim.slip and not verdict.is_slip(self.claim.slip)):
            found = verdict.record(self.claim.id)
            told = "; ".join(f"{k}: {v}" for k, v in found.items() if v and k not in ("id", "seconds"))
            slip = f" with the slip {self.claim.slip}" if self.claim.slip else ""
            raise ClaimMismatch(f"{self.claim.says!r}: expected {expected}{slip}, found {told}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"claim {self.name}"
