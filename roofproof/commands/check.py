"""`roofproof check`: the verdict on a student's answer."""

import argparse

from roofproof.commands.shared import Once, one_chip, show, sizes_from


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--op", action=Once, required=True, help="a library name, or a typed einsum")
    parser.add_argument("--chip", action=Once, help="NAME[@VARIANT], FILE.toml or figures")
    parser.add_argument("--for", dest="unknown", action=Once, metavar="DIM", help="the dimension the answer is about")
    parser.add_argument("--regime", action=Once, help="the regime the exercise allows, such as 'D, F >> B'")
    parser.add_argument("--at", action="append", metavar="D=4096,F=4096", help="sizes the exercise gives")
    parser.add_argument("--asks", action=Once, help="intensity (the default), flops or bytes, where no --for is given")
    parser.add_argument("--answer", action=Once, required=True, help="such as 'B > 120', in plain text or LaTeX")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


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
