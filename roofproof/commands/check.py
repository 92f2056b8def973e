"""`roofproof check`: the verdict on a student's answer."""

import argparse

from roofproof.commands.shared import one_chip, show, sizes_from


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.claims.answers.student_answer import check_answer
    from roofproof.export.text.answer import answer_text
    from roofproof.ops import parse_operation

    op = parse_operation(arguments.op)
    sizes, asks = sizes_from(arguments.at or ()), arguments.asks or "intensity"
    found = check_answer(op, one_chip(arguments), arguments.answer, arguments.unknown, arguments.regime, sizes, asks)
    show(found.record("answer") if arguments.json else answer_text(found))
    return 0 if found.holds else 1
