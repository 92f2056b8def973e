"""`roofproof derive`: derive and prove where an operation is compute-bound."""

from __future__ import annotations

import argparse

from roofproof.commands.shared import Once, language, one_chip, show, sizes_from, whole
from roofproof.errors import RoofproofError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    forms = "'bf16[B,D], bf16[D,F] -> bf16[B,F]' or 'x[B, D_n] * w[D_n, F] -> z[B, F]'"
    parser.add_argument("op", metavar="OP", help=f"a library name, {forms}")
    parser.add_argument("--chip", action=Once, help="NAME[@VARIANT], FILE.toml or 'bf16=1.97e14 FLOP/s, hbm=820 GB/s'")
    parser.add_argument("--for", dest="unknown", action=Once, metavar="DIM", help="the dimension to solve for")
    parser.add_argument("--level", action=Once, metavar="l2", help="count the bytes over this memory level alone")
    parser.add_argument("--regime", action=Once, help="'D, F >> B', 'L >> d >> r', 'D ~ F >> B', 'F = 4 D -> oo'")
    parser.add_argument("--at", action="append", metavar="D=4096,F=4096", help="sizes for the integer answer")
    parser.add_argument("--multiple-of", action=Once, metavar="128", help="let the integer answer be a multiple")
    parser.add_argument("--oracle", action=Once, choices=("z3", "cvc5", "both"), help="z3 (the default), cvc5, or both")
    parser.add_argument("--smtlib", action=Once, metavar="DIR", help="write what was proved as SMT-LIB 2 files")
    parser.add_argument("--certificate", action=Once, metavar="DIR", help="write what the proof kernel proved, as data")
    parser.add_argument("--json", action="store_true", help="print a JSON record of exact strings")
    parser.add_argument("--latex", action="store_true", help="print LaTeX for pasting")
    parser.add_argument("--to", action=Once, metavar="NAME", help="print it by a file of roofproof/export/to/")
    parser.add_argument("-o", dest="out", action=Once, metavar="FILE", help="with --latex: a document, .tex or .pdf")
    parser.add_argument("--lang", action=Once, metavar="en|zh", help="the language of text and LaTeX, en by default")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from time import perf_counter

    start = perf_counter()
    from roofproof.derive.roofline.critical_size import checked_point
    from roofproof.hardware.resources import memory_level
    from roofproof.ops import parse_operation
    from roofproof.ops.algebra import over_level

    if arguments.to is not None and (arguments.json or arguments.latex):
        raise RoofproofError("--to, --json, --latex: one of them at a time")
    lang = language(arguments, text=True)
    op = parse_operation(arguments.op)
    if arguments.level is not None:
        op = over_level(op, memory_level(arguments.level))
    chip = one_chip(arguments)
    point = checked_point(op, sizes_from(arguments.at or ()), chip=chip)
    proved = None
    if arguments.unknown is not None:
        from roofproof.proofs import threshold

        multiple = whole("--multiple-of", arguments.multiple_of)
        oracle = arguments.oracle or "z3"
        proved = threshold(op, chip, arguments.unknown, point, arguments.regime, multiple, oracle)
    for option in ("regime", "multiple_of", "oracle", "smtlib", "certificate"):
        if proved is None and getattr(arguments, option) is not None:
            raise RoofproofError(f"--{option.replace('_', '-')} goes with --for: name the dimension to solve for")
    if arguments.latex:
        from roofproof.export.latex.derivations import derivation, heading, summary_comment
        from roofproof.export.latex.documents import deliver

        body = derivation(op, chip, proved, point, lang=lang)
        title, about = heading(op, chip, proved, lang=lang), summary_comment(op, chip, proved)
        deliver(body, arguments.out, title=title, lang=lang, about=about)
    elif arguments.json:
        from roofproof.export.record import record

        show(record(op, chip, proved, point, round(perf_counter() - start, 6)))
    else:
        from roofproof.export.outline import outline
        from roofproof.export.to import exporter

        show(exporter(arguments.to or "text")(outline(op, chip, proved, point), lang))
    if proved is not None and arguments.smtlib is not None:
        from roofproof.export.files import write_folder
        from roofproof.proofs.replay.smtlib import as_files, scripts

        write_folder(arguments.smtlib, as_files(scripts(proved.solved)))
    if proved is not None and arguments.certificate is not None:
        from roofproof.export.certificates import write_certificates

        write_certificates(proved, arguments.certificate)
    return 0
