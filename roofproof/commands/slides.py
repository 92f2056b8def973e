"""`roofproof slides`: writes lecture decks for operations or for a whole course."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from roofproof.commands.shared import all_chips, names_for, show, tell
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.export.files import checked_ending
from roofproof.ops.notation.sizes import sizes_from
from roofproof.rooms import require_room
from roofproof.sentences import Sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from roofproof.export.slides.model import Deck
    from roofproof.proofs.replay.coq.files import FileContents
    from roofproof.teach.course import Course

ON_PAPER = (".tex", ".pdf", ".md")
BY_PANDOC = (".qmd", ".pptx", ".html")
ENDINGS = (".tex", ".pdf", *BY_PANDOC)
SHEETS = ("exercises", "solutions")
PARTS = ("deck", "handout", "script", *SHEETS)
PIECES = ("frames", "figure", "formula", "table")  # for inclusion in a user's own deck


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if arguments.coq is not None:
        require_room("roofproof.proofs.replay.coq")
    from roofproof.export.slides.terms import LANGUAGES

    refuse_unknown("language", arguments.lang or "en", LANGUAGES)
    if arguments.out is None:
        raise RoofproofError("expected -o FILE, a name that ends in .tex, .pdf, .qmd, .pptx or .html")
    part = arguments.part or "deck"
    refuse_unknown("part", part, (*PARTS, *PIECES))
    if part not in PIECES:
        checked_ending(arguments.out, ENDINGS if part == "deck" else ON_PAPER)
    if part in PARTS[1:] and arguments.course is None:
        raise RoofproofError("--part <part> requires a course, such as --course rooflines", part=part)
    course = _named(arguments) if arguments.course is not None else None
    lang = arguments.lang or (course.language if course is not None else "") or "en"
    if course is not None and part in SHEETS:
        _sheet(course, arguments.out, lang, solved=part == "solutions")
        tell(Sentence("wrote <file>", file=arguments.out), lang)
        return 0
    made = _deck(arguments, lang) if course is None else _course(course, lang)
    if part in PIECES:
        from roofproof.export.slides.beamer import write_pieces

        write_pieces(made, arguments.out, part)
        tell(Sentence("wrote <file>", file=arguments.out), lang)
    else:
        from roofproof.export.slides.beamer import spoken
        from roofproof.export.slides.decks import write

        if arguments.out.lower().endswith(BY_PANDOC):
            from roofproof.export.slides.pandoc import write_with_pandoc

            write_with_pandoc(made, arguments.out)
        else:
            write(made, arguments.out, part)
        tell(Sentence("wrote <count> slides to <file>", count=len(made.frames), file=arguments.out), lang)
        if part == "script":
            show(spoken(made))
    if arguments.coq is not None:
        from roofproof.export.coq import write_coq

        write_coq(arguments.coq, _theorems(arguments, course))
    return 0


def _theorems(arguments: argparse.Namespace, course: Course | None) -> Iterator[FileContents]:
    """Yield the theorems that the slides show."""
    if course is not None:
        from roofproof.export.slides.course_theorems import of_course

        return of_course(course)
    from roofproof.export.coq import of_deck

    return of_deck(arguments.op, all_chips(arguments), arguments.unknown, sizes_from(arguments.at or ()))


def _deck(arguments: argparse.Namespace, lang: str) -> Deck:
    from roofproof.derive.roofline.own_format import for_chip
    from roofproof.export.slides.decks import deck
    from roofproof.teach.course_file import shipped_courses

    for text in arguments.op:
        if text in shipped_courses():
            raise RoofproofError("<name> is a course; use --course <name>", name=text)
    chips = all_chips(arguments)
    ops = [(text, for_chip(text, chips[0] if len(chips) == 1 else None)) for text in arguments.op]
    if arguments.name:
        names = names_for(arguments, [text for text, _ in ops])
        ops = [(name, op) for name, (_, op) in zip(names, ops, strict=True)]
    return deck(ops, chips, lang, arguments.unknown, sizes_from(arguments.at or ()))


def _named(arguments: argparse.Namespace) -> Course:
    from roofproof.teach.course_file import course

    given = {"OP": arguments.op, "--name": arguments.name, "--for": arguments.unknown, "--at": arguments.at}
    for option, value in given.items():
        if value:
            raise RoofproofError("--course takes no <option>; leave one of them out", option=option)
    return course(arguments.course).on(arguments.chip or ())


def _course(found: Course, lang: str) -> Deck:
    from roofproof.export.slides.course_deck import course_deck

    made = course_deck(found, lang)
    for line in made.left_out:
        print(f"roofproof: {line}", file=sys.stderr)
    return made


def _sheet(found: Course, out: str, lang: str, solved: bool) -> None:
    from roofproof.export.banks.latex import sheet
    from roofproof.export.latex.compiling import write_document
    from roofproof.say import Words
    from roofproof.teach import variants

    if out.lower().endswith(".md"):
        raise RoofproofError("expected a sheet as .tex or .pdf; for Markdown use `roofproof exercises FILE --to myst`")
    made = [variants(each)[0] for each in found.asked()]
    said = Words(lang)["Solutions" if solved else "Exercises"]
    title = found.title.split(" // ")[lang == "zh"]
    write_document(out, sheet(title, said, made, lang, solved))
