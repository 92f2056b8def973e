"""`roofproof verify`: verifies claims files and the claims in pages."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from roofproof.commands.shared import show, with_progress
from roofproof.errors import RoofproofError, quoted
from roofproof.parallel import workers_from
from roofproof.rooms import require_room
from roofproof.sentences import Sentence

if TYPE_CHECKING:
    from roofproof.claims.results import Result
    from roofproof.ops import Operation
    from roofproof.pages.judging import JudgedPageClaim

SENTENCE = (
    'expected a claims file or page, got the sentence <says>; put it into a .toml file under [[claim]], as id = "a" '
    'and says = "..."'
)


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.claims.results import exit_status, store_summary, summary
    from roofproof.claims.verifying import is_sentence, verify
    from roofproof.say import checked_language, translated

    lang = checked_language(arguments.lang or "en")
    if arguments.report is not None and _place(arguments.report) in map(_place, arguments.file):
        raise RoofproofError(
            "<file> is the claims file itself; choose another file for the report", file=quoted(arguments.report)
        )
    if arguments.report is not None:
        from roofproof.export.files import checked_ending, checked_place

        checked_ending(arguments.report, (".md", ".tex", ".pdf"), bare=True)
        checked_place(arguments.report)
    for text in arguments.file:
        if is_sentence(text):
            raise RoofproofError(SENTENCE, says=quoted(text))
    books: list[str] = arguments.file
    pages: list[str] = []
    if not all(path.endswith(".toml") for path in books):
        from roofproof.pages.written import books_and_pages

        books, pages = books_and_pages(books)
    if pages and arguments.only:
        raise RoofproofError("--only needs a claims file; claims of a page have no id")
    if arguments.values and not all(path.endswith((".tex", ".ltx")) for path in pages or ["a book"]):
        raise RoofproofError("--values requires LaTeX pages, .tex")
    workers = workers_from(arguments.workers) if arguments.workers else None
    replay = arguments.smtlib is not None
    coq = arguments.coq is not None
    if coq:
        require_room("roofproof.proofs.replay.coq")
    store = arguments.store if arguments.store is not None else os.environ.get("ROOFPROOF_STORE") or None
    told_too = (arguments.read_back, store, arguments.steps)
    judged = verify(books, arguments.only or (), workers, replay, coq, *told_too)
    results = list(with_progress(judged, "claims")) if books else []
    written = []
    if pages:
        how = {"replay": replay, "coq": coq, "back": bool(arguments.read_back), "steps": bool(arguments.steps)}
        written = _judged_pages(pages, bool(arguments.values), how)
        results += [each.result for each in written]
    if len(arguments.file) == 1 and any(r.is_file for r in results):
        raise RoofproofError("<problem>", problem=results[0].problem)
    empty = [path for path in dict.fromkeys(arguments.file) if path not in {r.file for r in results}]
    if arguments.only:
        empty = []
    elif not results and not (empty == pages and os.environ.get("PRE_COMMIT")):  # it passes only changed files
        cure = "write some, or list its formulas with `roofproof draft FILE -o NEW.claims.toml`"
        raise RoofproofError("no claims in <files>; <cure>", files=", ".join(map(quoted, empty)), cure=Sentence(cure))
    if replay:
        from roofproof.claims.verifying import script_files
        from roofproof.export.files import write_folder

        write_folder(arguments.smtlib, script_files(results))
    if coq:
        from roofproof.export.coq import write_coq

        write_coq(arguments.coq, [r.coq for r in results if r.coq is not None])
    if arguments.report is not None:
        from roofproof.claims.verifying import titles

        _write_report(arguments.report, results, "; ".join(dict.fromkeys(filter(None, [titles(books), *pages]))), lang)
    if arguments.json:
        records = [r.record() for r in results]
        for record, each in zip(records[len(results) - len(written) :], written, strict=True):
            record |= {
                "line": each.written.line,
                "kind": each.written.kind,
                "says": each.written.says,
                "shown": each.shown,
            }
        if arguments.steps:
            from roofproof.export.record import steps_record

            records = [record | steps_record(r.steps) for record, r in zip(records, results, strict=True)]
        show({"claims": records, "summary": summary(results)})
    else:
        from roofproof.export.explain.verdicts import results_text

        show(results_text(results, lang))
    wrong = _problems(books)
    for said in [] if store is None else store_summary(store, results):
        print(f"roofproof: {translated(said, lang)}", file=sys.stderr)
    wrong += [Sentence("no claims in <files>", files=quoted(path)) for path in empty if path not in pages]
    without = [Sentence("pages without claims: <count>", count=len(empty))] if {*empty} & {*pages} else []
    for problem in (*(r.problem for r in results if r.problem), *wrong, *without):
        print(f"roofproof: {' '.join(translated(problem, lang).split())}", file=sys.stderr)
    return 2 if wrong else exit_status(results)


def _judged_pages(paths: Sequence[str], values: bool, how: Mapping[str, bool]) -> list[JudgedPageClaim]:
    from roofproof.pages.judging import judged_file

    found: list[JudgedPageClaim] = []
    for path in dict.fromkeys(paths):
        judged = list(with_progress(judged_file(path, **how), "claims"))
        found += judged
        if values:
            from roofproof.export.files import write_atomically
            from roofproof.pages.latex import values as values_text
            from roofproof.pages.latex import values_file

            write_atomically(values_file(path), values_text(judged))
    return found


def _problems(paths: Sequence[str]) -> list[str]:
    from roofproof.claims.verifying import problems

    return problems(paths)


def _place(path: str) -> str:
    """Return the real path of a file, with symbolic links resolved only in its folder."""
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder or "."), name) if "\0" not in path else path


def _operations(results: Sequence[Result]) -> dict[str, Operation]:
    """Return the operations that the claims files name."""
    from roofproof.claims.language import read_book

    found: dict[str, Operation] = {}
    for file in dict.fromkeys(r.file for r in results if r.file.endswith(".toml")):
        with suppress(RoofproofError):
            found |= read_book(file).ops
    return found


def _write_report(path: str, results: Sequence[Result], title: str, lang: str) -> None:
    from roofproof.export.explain.verdicts import explain_report

    told = explain_report(results, title, _operations(results))
    if path.endswith((".tex", ".pdf")):
        from roofproof.export.latex.compiling import write_document
        from roofproof.export.latex.documents import document
        from roofproof.export.to_latex import titled

        write_document(path, document(titled(told, lang), "", lang=lang, about=f"errata of {title}"))
    else:
        from roofproof.export.files import write_atomically
        from roofproof.export.to_markdown import to_markdown

        write_atomically(path, to_markdown(told, lang, titled=True) + "\n")
