"""`roofproof slides`: decks for lectures, of operations or of a whole lecture."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from roofproof.commands.shared import all_chips, sizes_from
from roofproof.errors import RoofproofError, quoted, unknown

if TYPE_CHECKING:
    from roofproof.export.slides.model import Deck

ENDINGS = (".tex", ".md", ".pdf")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.slides.terms import LANGUAGES

    lang = arguments.lang or "en"
    if lang not in LANGUAGES:
        raise unknown("language", lang, LANGUAGES)
    if arguments.out is None:
        raise RoofproofError("expected -o FILE, a name that ends in .tex, .pdf or .md")
    if not arguments.out.lower().endswith(ENDINGS):
        raise RoofproofError(f"cannot write {quoted(arguments.out)}: expected a name that ends in .tex, .pdf or .md")
    made = _lecture(arguments, lang) if arguments.lecture is not None else _deck(arguments, lang)
    from roofproof.export.slides.writing import write

    write(made, arguments.out)
    if arguments.coq is not None:
        from roofproof.export.coq import of_deck, write_coq

        sizes = sizes_from(arguments.at or ())
        write_coq(arguments.coq, of_deck(arguments.op, all_chips(arguments), arguments.unknown, sizes))
    return 0


def _deck(arguments: argparse.Namespace, lang: str) -> Deck:
    from roofproof.export.slides.decks import deck
    from roofproof.ops import parse_operation

    ops = [(text, parse_operation(text)) for text in arguments.op]
    return deck(ops, all_chips(arguments), lang, arguments.unknown, sizes_from(arguments.at or ()))


def _lecture(arguments: argparse.Namespace, lang: str) -> Deck:
    given = {"OP": arguments.op, "--chip": arguments.chip, "--for": arguments.unknown, "--at": arguments.at}
    for option, value in given.items():
        if value:
            raise RoofproofError(f"--lecture takes no {option}; leave one of them out")
    from roofproof.export.slides.lecture import lecture

    return lecture(arguments.lecture, lang)
