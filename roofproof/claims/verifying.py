"""Verification of claims files, claim by claim and in order, in parallel processes if that pays off."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from roofproof.claims.judge.judge import UNSEARCHED, judge_with_slip
from roofproof.claims.judge.verdict import Verdict
from roofproof.claims.kinds import HOLDING, VERIFIED
from roofproof.claims.language import Book, Claim, read_book
from roofproof.claims.language.book import MAX_BYTES, Unusable, book_of, unread
from roofproof.claims.results import Result
from roofproof.clock import timed, within
from roofproof.errors import DEVICES, RoofproofError, Stopped, error_message, quoted, unknown
from roofproof.formula.tree import Comparison, walk
from roofproof.parallel import parallel_map, processors
from roofproof.proofs.kernel.terms import KernelError
from roofproof.proofs.known import GIVEN
from roofproof.sentences import Sentence
from roofproof.toml import files_unchanged, read_bytes

if TYPE_CHECKING:
    from roofproof.proofs.replay.coq.files import FileContents, TheoremFile
    from roofproof.proofs.replay.store import Store

FEW = 12  # with fewer claims, a second process does not pay off
MAX_NAME = 80  # characters of a folder name
STOP = 120  # seconds of CPU time after which work on one claim is stopped


def verify(
    paths: Sequence[str],
    only: Iterable[str] = (),
    workers: int | str | None = None,
    replay: bool = False,
    coq: bool = False,
    back: bool = False,
    store: str | None = None,
    steps: bool = False,
) -> Iterator[Result]:
    """Yield the result of every claim in the claims files, in order.

    With `replay`, a result includes its proofs as SMT-LIB 2 scripts, and with `coq`, as Coq theorems. With `back`, it
    includes the claim as parsed, printed in the claim language. With `steps`, it includes the proof line by line, and
    all work runs in this process. Theorems are not sent between processes. `store` is a folder of earlier
    proofs: a stored proof is checked again instead of searched for. `workers` is as in `parallel.parallel_map`. The
    default is one process per core, at most 8.

    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> with TemporaryDirectory() as home:
    ...     path = Path(home) / "small.claims.toml"
    ...     _ = path.write_text('[[claim]]\\nid = "a"\\nsays = "1/3 < 0.34"')
    ...     [(r.id, r.verdict.kind, r.as_expected) for r in verify([str(path)])]
    [('a', 'verified', True)]

    A file that cannot be read, or a claim that crashes its worker process, yields a result with that problem. Raises
    RoofproofError for an id in `only` that no file has, and for a folder that cannot be used as a store.
    """
    if store is not None:
        from roofproof.proofs.replay.store import Store

        Store(store)
    _book.cache_clear()  # a file may have changed since it was last read
    books = {path: _book(path) for path in paths}
    tasks = [(path, k) for path, book in books.items() for k in range(len(book.claims))]
    wanted = set(only)
    known = {name for book in books.values() for name in book.ids}
    for name in sorted(wanted - known):
        raise unknown("claim", name, known)
    if wanted:
        tasks = [t for t in tasks if books[t[0]].ids[t[1]] in wanted]
    if steps or (isinstance(workers, int | None) and len(tasks) < FEW):
        workers = 1
    workers = min(processors(), 8) if workers is None else workers
    sent = {path: _content(path) for path in books} if isinstance(workers, str) else {}

    def lost(task: tuple[str, int], problem: Exception) -> Result:
        (path, k), said = task, error_message(problem)
        return _unjudged(path, books[path].ids[k], ("", "", "", ""), said)

    yield from parallel_map(_one, (sent, (replay, coq, back, store, steps)), tasks, workers, lost=lost)


def is_sentence(path: str) -> bool:
    """Return whether an argument is the text of a claim and not a path.

    >>> is_sentence("intensity(matmul) > 3"), is_sentence("chapter.claims.toml")
    (True, False)
    """
    return bool(set("<>=≤≥≈≠") & {*path}) and not os.path.exists(path)


@cache
def _book(path: str) -> Book:
    try:
        return read_book(path)
    except Exception as problem:  # one unreadable file must not stop the others
        return unread(path, error_message(problem))


def _content(path: str) -> bytes | str:
    """Return the content of a file, or the reason why it cannot be read."""
    try:
        return read_bytes(path, MAX_BYTES)
    except RoofproofError as problem:
        return problem.said


@lru_cache(16)
def _sent(path: str, content: bytes | str) -> Book:
    try:
        return unread(path, content) if isinstance(content, str) else book_of(content, path)
    except Exception as problem:
        return unread(path, error_message(problem))


def _judged(claim: Claim, question: str, store: Store | None, files: Mapping[str, str]) -> tuple[Verdict, str, str]:
    """Return the verdict on a claim, whether it came from the store, and why it could not be stored."""
    if store is None:
        return judge_with_slip(claim), "", ""
    from roofproof.claims.verdict_cache import from_data, same, to_data

    kept = "anew"
    try:
        if (data := store.get(question)) is not None:
            return from_data(data), "again", ""
    except (RoofproofError, KernelError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        kept = "refused"
    verdict = judge_with_slip(claim)
    data = to_data(verdict) if verdict.slip != UNSEARCHED else None  # an aborted search is not stored
    if data is None or not same(verdict, from_data(json.loads(json.dumps(data)))):
        return verdict, "", ""
    return verdict, kept, store.put(question, data) if files_unchanged(files) else ""


How = tuple[bool, bool, bool, str | None, bool]


def _one(shared: tuple[Mapping[str, bytes | str], How], task: tuple[str, int]) -> Result:
    """Verify one claim, from the file or from the file content that was sent to this worker."""
    (sent, how), (path, k) = shared, task
    return judged_claim(_sent(path, sent[path]) if sent else _book(path), k, *how)


def judged_claim(
    book: Book,
    k: int,
    replay: bool = False,
    coq: bool = False,
    back: bool = False,
    folder: str | None = None,
    steps: bool = False,
) -> Result:
    """Return the result of claim number `k` of a book. `folder` is the store, the other arguments are as in `verify`.

    >>> from roofproof.claims.language.book import book_from_text
    >>> judged_claim(book_from_text('[[claim]]\\nid = "a"\\nsays = "1/3 < 0.34"'), 0).kind
    'verified'
    """
    path, claim = book.file, book.claims[k]
    if isinstance(claim, Unusable):
        return Result(path, claim.id, "", "", "", "", None, claim.message)
    common = (claim.says, claim.source, claim.expect or VERIFIED, claim.slip)

    def judged() -> tuple[tuple[Verdict, str, str], float]:
        store = None if folder is None else _opened(folder)
        return timed(lambda: _judged(claim, book.questions[k], store, book.files))

    found, said, stopped = _tried(judged)
    if found is None:
        return _unjudged(path, claim.id, common, said, stopped)
    (verdict, kept, unkept), seconds = found
    report = replace(verdict.report, seconds=seconds)
    common = (*common[:2], expected(claim, verdict.kind), common[3])
    beside, said, _ = _tried(lambda: _extra_fields(claim, verdict, replay, coq, back, steps))
    if beside is None:
        return replace(_unjudged(path, claim.id, common, said), verdict=report)
    return Result(path, claim.id, *common, report, **beside, kept=kept, unkept=unkept, draft=claim.draft)


def expected(claim: Claim, found: str) -> str:
    r"""Return the verdict expected of a claim. With `~=` and no `expect`, any verdict in HOLDING will do.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\nid = "a"\nsays = "1/3 ~= 0.33"').claims
    >>> expected(c, "rounded"), expected(c, "refuted")
    ('rounded', 'verified')
    """
    printed = (
        not claim.expect
        and claim.proposition is not None
        and any(isinstance(n, Comparison) and "~=" in n.relations for n in walk(claim.proposition))
    )
    return found if printed and found in HOLDING else claim.expect or VERIFIED


T = TypeVar("T")


def _tried(act: Callable[[], T]) -> tuple[T | None, str, bool]:
    """Return the result of `act` or None, the error message if it failed, and whether it reached the time limit."""
    try:
        with within(STOP, busy=True):
            return act(), "", False
    except Stopped as late:
        return None, late.said, True
    except Exception as problem:  # a bug in roofproof must not stop the other claims
        return None, error_message(problem), False


def _unjudged(path: str, name: str, common: tuple[str, str, str, str], said: str, stopped: bool = False) -> Result:
    problem = Sentence("<path>: claim <id>: <why>", path=path, id=quoted(name), why=said)
    return Result(path, name, *common, None, problem, stopped)


def _opened(folder: str) -> Store:
    from roofproof.proofs.replay.store import opened

    return opened(folder)


def _extra_fields(claim: Claim, verdict: Verdict, replay: bool, coq: bool, back: bool, steps: bool) -> dict[str, Any]:
    """Return the requested extras of a result, importing only the modules that they need."""
    beside: dict[str, Any] = {}
    if replay:
        from roofproof.proofs.replay.smtlib import scripts

        beside["scripts"] = tuple(scripts(verdict.known))
    if coq:
        beside["coq"] = _page(claim, verdict)
    if back:
        from roofproof.claims.judge.read_back import read_back

        beside["read_back"] = read_back(claim, verdict)
    if steps:
        from roofproof.claims.judge.steps import claim_steps

        beside["steps"] = tuple(claim_steps(claim, verdict))
    return beside


def _page(claim: Claim, verdict: Verdict) -> TheoremFile | None:
    answer = in_coq(claim, verdict)
    return answer.page() if answer.known else None


def in_coq(claim: Claim, verdict: Verdict) -> FileContents:
    """Return a verdict as Coq theorems: everything it rests on, then the claim in terms of definitions, if any.

    >>> from roofproof.claims.language.book import book_from_text
    >>> [c] = book_from_text('[[claim]]\\nid = "a"\\nsays = "flops(axpy) == 2 N"').claims
    >>> in_coq(c, judge_with_slip(c)).page().stated
    ('forall N : real, (N > 0) -> (2 * N = 2 * N)', 'forall N : real, (N > 0) -> (flops_of_axpy N = 2 * N)')
    """
    from roofproof.claims.in_definitions import in_definitions
    from roofproof.proofs.replay.coq.files import FileContents
    from roofproof.proofs.replay.vocabulary import Vocabulary

    known = tuple(k for k in {id(k): k for k in verdict.known}.values() if k.trust not in GIVEN)
    said = [claim.says, *([f"in the regime {claim.regime}"] if claim.regime is not None else [])]
    source = f" ({claim.source})" if claim.source else ""
    words = Vocabulary()
    answers = tuple(in_definitions(claim, verdict, words))
    return FileContents(claim.id, f"claim {claim.id}{source} is {verdict.kind}", ", ".join(said), known, answers, words)


def script_files(results: Iterable[Result]) -> dict[str, tuple[str, str]]:
    """Return the scripts of results by file name, with one folder per claim, named by its id.

    >>> from roofproof.proofs.replay.smtlib import SmtScript
    >>> one = Result("a.toml", "S2/1", "", "", "", "", None, scripts=(SmtScript("1 > 0", "unsat", "(check-sat)"),))
    >>> list(script_files([one, one]))
    ['S2-1/01.smt2', 'S2-1-2/01.smt2']
    """
    from roofproof.proofs.replay.smtlib import as_files

    files: dict[str, tuple[str, str]] = {}
    taken = {*DEVICES}
    for result in results:
        if result.scripts:
            plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", result.id)[:MAX_NAME].lstrip("-.").rstrip(".") or "claim"
            head, dot, rest = plain.partition(".")
            plain = f"{head}-{dot}{rest}" if dot and head.lower() in DEVICES else plain
            name = next(n for k in count(1) if (n := plain if k == 1 else f"{plain}-{k}").lower() not in taken)
            taken.add(name.lower())
            files |= as_files(result.scripts, f"{name}/")
    return files


def read(path: str) -> Book:
    """Return a book from the cache, reading its file if it is not there."""
    return _book(path)


def titles(paths: Sequence[str]) -> str:
    """Return the titles of books, separated by semicolons."""
    return "; ".join(dict.fromkeys(_book(path).title for path in paths))


def problems(paths: Sequence[str]) -> list[str]:
    """Return the errors in the operations, chips and values of books, used by a claim or not."""
    return [problem for path in dict.fromkeys(paths) for problem in _book(path).problems]
