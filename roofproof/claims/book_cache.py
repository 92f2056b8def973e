"""Whole books as a store keeps them: one that did not change is proved again without being read or judged.

The entry of a book is found by its path, the folder that paths in it start from and a digest of its text, below the
version of the program and of what it computes with. It holds what was found of each claim, and once for all of them
the theorems, points and exact values that this rests on, which are checked as those of a single claim are. What else
was read for the book (the configuration of a model, say) is in it with a digest, too.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from roofproof.claims.kinds import NOT_CHECKABLE
from roofproof.claims.results import Result
from roofproof.claims.verdict_cache import WORDS, known_from, verdict_from
from roofproof.clock import timed
from roofproof.errors import RoofproofError
from roofproof.parallel import in_order, processors
from roofproof.proofs.kernel.terms import KernelError
from roofproof.proofs.known import ByKernel
from roofproof.proofs.replay.store import opened
from roofproof.toml import digest, read_bytes, unchanged

if TYPE_CHECKING:
    from roofproof.claims.language import Book

MAX_BYTES = 16 * 1024**2  # of a book
SMALL = 20_000  # bytes of books that are not worth a second process
SAID = ("id", "says", "source", "expect", "expected_slip")
NO_ENTRY = (RoofproofError, KernelError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def verify(paths: Sequence[str], folder: str, workers: int | str | None = None) -> tuple[Iterator[Result], list[str]]:
    """Return the result of every claim in the books, in order, with a store; and which books have to be read for that.

    Raises RoofproofError as `verifying.verify` does.
    """
    found = _again(list(dict.fromkeys(paths)), folder, workers)
    unread = [path for path, (results, _) in found.items() if results is None]
    return _in_order(found, unread, folder, workers), unread


def _in_order(
    found: dict[str, tuple[list[Result] | None, bool]], unread: Sequence[str], folder: str, workers: int | str | None
) -> Iterator[Result]:
    if unread:
        from roofproof.claims import verifying

        judged = verifying.verify(unread, workers=workers, store=folder)
    for path, (results, damaged) in found.items():
        if results is not None:
            yield from results
            continue
        first = list(islice(judged, 1))  # now the books are read
        book = verifying.read(path)
        results = [*first, *islice(judged, len(book.claims) - len(first))]
        yield from (replace(r, damaged=damaged) for r in results)
        keep(book, results, folder)


def _again(paths: list[str], folder: str, workers: int | str | None) -> dict[str, tuple[list[Result] | None, bool]]:
    """Return for each book what its entry says of its claims, None where it has to be read; and if it is broken."""
    opened(folder)
    processes = workers if isinstance(workers, int) else min(processors(), 8)  # a cluster proves what is not here
    sizes = {path: _size(path) for path in paths}
    longest = sorted(paths, key=lambda path: -sizes[path])
    made = in_order(_of, folder, longest, 1 if sum(sizes.values()) < SMALL else processes)
    found = dict(zip(longest, made, strict=True))
    return {path: found[path] for path in paths}


def _of(folder: str, path: str) -> tuple[list[Result] | None, bool]:
    return again(path, folder)


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except (OSError, ValueError):
        return 0


def again(path: str, folder: str) -> tuple[list[Result] | None, bool]:
    """Return the verdicts in the entry of a book, None where there is no valid one, and whether it is broken."""
    try:
        content = read_bytes(path, MAX_BYTES)
    except RoofproofError:
        return None, False  # whoever reads it says what is wrong
    try:
        with _no_collection():
            data = opened(folder).get(_question(path, digest(content)))
            if data is None or not unchanged(data["files"]):
                return None, False
            return results_from(path, data), False
    except NO_ENTRY:
        return None, True


@contextmanager
def _no_collection() -> Iterator[None]:
    """Look for no cycles of objects: an entry is bounded and makes none, and to look takes a quarter of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def results_from(path: str, data: Any) -> list[Result]:
    """Return the results that the entry of a book says, all that they rest on checked again.

    Raises KernelError or Unwarranted for what does not hold, LookupError, TypeError or ValueError for other data.
    """

    def checked() -> list[Any]:
        known = known_from(data)
        return [verdict_from(each, known).report for each in data["claims"]]

    reports, seconds = timed(checked)
    made = []
    for each, report in zip(data["claims"], reports, strict=True):
        said = {name: each["claim"][name] for name in SAID}
        report = replace(report, seconds=round(seconds / len(reports), 6))
        made.append(Result(path, **said, verdict=report, kept="again" if each["rests_on"] else ""))
    return made


def keep(book: Book, results: Sequence[Result], folder: str) -> None:
    """Put the results of a book into a store, where all that they rest on is in it, claim by claim."""
    store = opened(folder)
    if book.problems or book.held:
        return
    if any(r.verdict is None or not (r.kept or r.kind == NOT_CHECKABLE) for r in results):
        return
    entries = []
    with suppress(*NO_ENTRY):  # a claim whose own entry could not be kept
        for result, question in zip(results, book.questions, strict=True):
            entry = store.get(question) if result.kept else _nothing(result)
            entries.append(entry | {"claim": {name: getattr(result, name) for name in SAID}})
        data = json.loads(json.dumps({"files": dict(book.files), **together(entries)}))
        same = [replace(r, kept="", damaged=False) for r in results]
        if [replace(r, kept="") for r in results_from(book.file, data)] == same and unchanged(book.files):
            store.put(_question(book.file, book.digest), data)


def _question(path: str, noted: str) -> str:
    return json.dumps(["book", path, os.path.abspath(""), noted])


def _nothing(result: Result) -> dict[str, Any]:
    """Return a verdict that rests on nothing as an entry."""
    assert result.verdict is not None
    says = dict.fromkeys(WORDS) | {"kind": result.kind, "note": str(result.verdict.note)}
    nothing = {"proofs": {"formulas": [], "theorems": []}, "known": [], "rests_on": []}
    return nothing | {"says": says, "in_limit": False, "counterexample": None}


@dataclass
class _Table:
    """Things by number, each once."""

    rows: list[Any] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, thing: Any) -> int:
        place = self.places.setdefault(json.dumps(thing), len(self.rows))
        if place == len(self.rows):
            self.rows.append(thing)
        return place


def together(entries: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return entries of claims as one, in which a theorem that several rest on stands once.

    >>> from roofproof.claims.judging.judge import judge
    >>> from roofproof.claims.verdict_cache import to_data
    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "a + b <= 2 max(a, b)"').claims
    >>> one = to_data(judge(c))
    >>> both = together([one, one])
    >>> len(both["claims"]), both["proofs"] == one["proofs"]
    (2, True)
    """
    formulas, theorems, known = _Table(), _Table(), _Table()
    claims = []
    for entry in entries:
        said = [formulas.add(f) for f in entry["proofs"]["formulas"]]
        proved: list[int] = []
        for step in entry["proofs"]["theorems"]:
            moved = {
                "premises": [proved[k] for k in step["premises"]],
                "hypotheses": [said[k] for k in step["hypotheses"]],
                "conclusion": said[step["conclusion"]],
            }
            proved.append(theorems.add(step | moved))
        rests = []
        for each in entry["known"]:
            warrant = each["warrant"]
            by_theorem = {"warrant": [ByKernel.trust, proved[warrant[1]]]} if warrant[0] == ByKernel.trust else {}
            rests.append(known.add(each | by_theorem))
        own = {name: part for name, part in entry.items() if name not in ("proofs", "known")}
        claims.append(own | {"rests_on": [rests[n] for n in entry["rests_on"]]})
    return {"claims": claims, "proofs": {"formulas": formulas.rows, "theorems": theorems.rows}, "known": known.rows}
