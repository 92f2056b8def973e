"""`roofproof table`: where operations are compute-bound on each of many chips."""

import argparse

from roofproof.commands.shared import Once, all_chips, language, show, sizes_from
from roofproof.errors import RoofproofError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("ops", nargs="+", metavar="OP", help="library names, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'")
    parser.add_argument("--chip", action="append", help="NAME[@VARIANT], FILE.toml or figures (repeatable), or all")
    parser.add_argument("--for", dest="unknown", action=Once, required=True, metavar="DIM", help="solve for this one")
    parser.add_argument("--regime", action=Once, help="the regime of the rule of thumb, such as 'D, F >> B'")
    parser.add_argument("--at", action="append", metavar="D=4096,F=4096", help="the other sizes")
    parser.add_argument("--markdown", action="store_true", help="print a table in Markdown, its formula for KaTeX")
    parser.add_argument("--latex", action="store_true", help="print LaTeX for pasting (booktabs, siunitx)")
    parser.add_argument("-o", dest="out", action=Once, metavar="FILE", help="with --latex: a document, .tex or .pdf")
    parser.add_argument("--lang", action=Once, metavar="en|zh", help="with --latex: the language, en by default")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    lang = language(arguments)
    if arguments.markdown and arguments.latex:
        raise RoofproofError("--markdown and --latex: one of them at a time")
    from roofproof.atlas.on_chips import compare
    from roofproof.export.text.comparisons import comparison_text
    from roofproof.hardware import chip, chip_names
    from roofproof.ops import parse_operation

    every = arguments.chip == ["all"]
    chips = [chip(n) for n in chip_names()] if every else all_chips(arguments)
    sizes = sizes_from(arguments.at or ())
    found = [compare(parse_operation(op), arguments.unknown, chips, sizes, arguments.regime) for op in arguments.ops]
    if every:
        found = [each.able() for each in found]
    if not arguments.latex:
        show("\n\n".join(comparison_text(each, markdown=arguments.markdown) for each in found))
        return 0
    from roofproof.export.latex.documents import deliver, section
    from roofproof.export.latex.tables import comparison_table

    body = "\n\n".join(section(each.op.name, comparison_table(each, lang=lang)) for each in found)
    names = ", ".join(arguments.ops)
    deliver(body, arguments.out, title="", lang=lang, about=f"roofproof table {names}")
    return 0
