"""`roofproof grade`: grades one student answer or many."""

import argparse
import sys

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError
from roofproof.rooms import require_room
from roofproof.sentences import Sentence

_ONE = (
    "op",
    "of",
    "chip",
    "unknown",
    "regime",
    "at",
    "asks",
    "tolerance",
    "answer",
    "hint",
    "reveal",
    "json",
    "coq",
    "share",
    "corner",
    "faster_than",
)
ASKED = ("op", "of", "chip", "regime", "asks", "tolerance", "share", "corner")
_MANY = ("answers", "exercises", "workers", "out")
_SPELLED = {"unknown": "--for", "out": "-o"}


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 0 right, 1 wrong, 2 unreadable or undecided."""
    many = arguments.answers is not None
    if many and arguments.answer is not None:
        raise RoofproofError("use only one of <options>", options="--answer, --answers")
    for name in _ONE if many else _MANY:
        if getattr(arguments, name):
            option = _SPELLED.get(name, f"--{name}")
            if many:
                raise RoofproofError("<option> requires --answer, not --answers", option=option)
            raise RoofproofError("<option> requires <other>", option=option, other="--answers")
    if many:
        from roofproof.commands.grade_many import run_many

        return run_many(arguments)
    return _one(arguments)


def _one(arguments: argparse.Namespace) -> int:
    from roofproof.claims.answers.grade import grade
    from roofproof.commands.questions import question_of
    from roofproof.export.explain.grade import HINTS, grade_text
    from roofproof.export.grade_records import grade_record
    from roofproof.say import checked_language, translated

    for name in ("op", "answer"):
        if getattr(arguments, name) is None:
            raise RoofproofError("--<name> is missing; see `roofproof grade --help`", name=name)
    for name in ("share", "faster_than"):
        if arguments.coq is not None and getattr(arguments, name) is not None:
            raise RoofproofError(
                "--coq writes where it is compute-bound; leave out --<name>", name=name.replace("_", "-")
            )
    if arguments.coq is not None:
        require_room("roofproof.proofs.replay.coq")
    lang = checked_language(arguments.lang or "en")
    if arguments.hint is not None and arguments.hint not in map(str, range(1, HINTS + 1)):
        raise RoofproofError(
            "--hint: expected a number from 1 to <most>, got <hint>", most=HINTS, hint=repr(arguments.hint)
        )
    given = {name: getattr(arguments, name) or "" for name in ASKED} | {"against": arguments.faster_than or ""}
    asked = question_of({**given, "for": arguments.unknown or "", "at": ",".join(arguments.at or ())})
    found = grade(asked, arguments.answer)
    if arguments.coq is not None:
        from roofproof.export.coq import of_question, write_coq

        write_coq(arguments.coq, [of_question(asked, asked.op.name, arguments.answer, found.grade)])
    if found.grade == "unreadable" and not (arguments.unknown or arguments.asks):
        said = Sentence("the question asks for the intensity; for another quantity add --for or --asks")
        print(f"roofproof: {translated(said, lang)}", file=sys.stderr)
    if arguments.json:
        show(grade_record(found, asked, lang))
    else:
        show(grade_text(found, asked, lang, None if arguments.hint is None else int(arguments.hint), arguments.reveal))
    return 0 if found.passed else 1 if found.grade == "wrong" else 2
