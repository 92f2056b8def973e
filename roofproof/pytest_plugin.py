"""A pytest plugin that runs each claim as a test: in `*.claims.toml` files, and in sentences and blocks of pages.

The fixture `above_floor` checks a measured time against the minimum time.

A fenced block contains one claim in TOML, such as

    ```claim
    id   = "flops"
    says = "flops(matmul) == 2 B D F"
    ```
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from roofproof.audit.guard import JudgedFormula
    from roofproof.claims.results import Result
    from roofproof.times.verdicts import Verdict

_MAY_CLAIM = re.compile("claim|derived")  # a page without these words has no claims


@pytest.fixture
def above_floor() -> Callable[..., Verdict]:
    """Return a function that fails the test if a time in seconds is below the minimum, and quotes the theorem.

        def test_a_projection(above_floor):
            above_floor("matmul:fp16", "h100-sxm", median_of_runs(), B=4096, D=4096, F=4096)

    Without `cold=True`, the caches may already hold some of the data. The function returns the verdict, `possible` or
    `beyond the model`.
    """

    def checked(operation: str, chip: str, seconds: float | Fraction, *, cold: bool = False, **sizes: int) -> Verdict:
        from roofproof.rooms import require_room

        require_room("roofproof.times")
        from roofproof.derive.roofline.floors import COLD
        from roofproof.errors import RoofproofError, refuse_unknown
        from roofproof.hardware import any_chip
        from roofproof.ops import parse_operation
        from roofproof.ops.notation.passes import as_floor
        from roofproof.times.verdicts import IMPOSSIBLE, FloorAtSizes, minimum

        if not seconds > 0:
            raise RoofproofError(f"a time of {seconds} s; expected a positive number of seconds")
        held = FloorAtSizes(minimum(parse_operation(as_floor(operation)), any_chip(chip), COLD if cold else ""))
        for name in sizes:
            refuse_unknown("size", name, held.names)
        if missing := [name for name in held.names if name not in sizes]:
            raise RoofproofError(f"{operation}: no size for {', '.join(missing)}; give it, as in {missing[0]}=4096")
        found = held.verdict(Fraction(seconds), sizes)
        if found.verdict == IMPOSSIBLE:
            pytest.fail(f"{operation} on {chip}: no run takes {seconds} s: {found.known.statement.says}", pytrace=False)
        return found

    return checked


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect claims files, pages with claims, and lists of formulas (*.formulas.toml)."""
    if file_path.name.endswith(".formulas.toml"):
        return FormulaFile.from_parent(parent, path=file_path)
    from roofproof.pages.written import language_of

    book = file_path.name.endswith(".claims.toml")
    page = language_of(file_path.name) is not None and _MAY_CLAIM.search(_text(file_path))
    return ClaimFile.from_parent(parent, path=file_path) if book or page else None


class ClaimFile(pytest.File):
    """A claims file, or a page with claims in fenced blocks and in sentences."""

    def collect(self) -> Iterator[pytest.Item]:
        from roofproof.claims.language.book import blocks_of, book_from_text, read_book
        from roofproof.claims.verifying import judged_claim
        from roofproof.errors import RoofproofError
        from roofproof.pages.judging import judged_page
        from roofproof.pages.written import language_of, page_from_text

        path, text, language = str(self.path), _text(self.path), language_of(self.path.name)
        try:
            page = page_from_text(text, self.path.name, language) if language else None
            blocks = blocks_of(text) if language == "markdown" else ""
            book = read_book(path) if page is None else book_from_text(blocks, self.path.name)
            if page is None and not book.ids:
                raise RoofproofError("no claims in <files>", files=path)
        except RoofproofError as problem:
            raise self.CollectError(str(problem)) from None
        for k, name in enumerate(book.ids):
            yield ClaimItem.from_parent(self, name=name, judged=partial(judged_claim, book, k))
        for one in page.alone if page is not None else ():
            judged = partial(lambda each: next(judged_page(each)).result, one)
            yield ClaimItem.from_parent(self, name=f"line {one.written[0].line}", judged=judged)


class FormulaFile(pytest.File):
    """A list of formulas, each compared with roofproof's derivation."""

    def collect(self) -> Iterator[pytest.Item]:
        from roofproof.errors import RoofproofError
        from roofproof.rooms import require_room

        try:
            require_room("roofproof.audit")
            from roofproof.audit.guard import audit_list

            judged = list(audit_list(self.path))
        except RoofproofError as problem:
            raise self.CollectError(str(problem)) from None
        for k, one in enumerate(judged, 1):
            yield FormulaItem.from_parent(self, name=f"{k}: {one.name}", judged=one)


class FormulaItem(pytest.Item):
    """One formula, as a test that passes if the verdict is the expected one."""

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
    return path.read_text(encoding="utf-8-sig", errors="replace")


class ClaimMismatch(Exception):
    """The verdict is not the one that the file expects."""


class ClaimItem(pytest.Item):
    """One claim, as a test that passes if the verdict is the expected one."""

    def __init__(self, *, judged: Callable[[], Result], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.judged = judged

    def runtest(self) -> None:
        found = self.judged()
        if found.problem:
            raise ClaimMismatch(found.problem)
        if not found.as_expected:
            beside = ("id", "seconds", "file", "expect", "as_expected", "slip_detail")
            told = "; ".join(f"{k}: {v}" for k, v in found.record().items() if v and k not in beside)
            slip = f" with the mistake {found.expected_slip}" if found.expected_slip else ""
            raise ClaimMismatch(f"{found.says!r}: expected {found.expect}{slip}, found {told}")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        return str(excinfo.value)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"claim {self.name}"
