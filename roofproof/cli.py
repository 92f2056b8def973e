"""The command line: thin; every command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from roofproof.errors import RoofproofError, quoted


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RoofproofError(f"{message}; see `{self.prog} --help`")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for input that cannot be used.

    >>> main(["derive", "nonsense"])                    # the message goes to standard error
    2
    """
    try:
        arguments = _parser().parse_args(argv)
        return int(arguments.run(arguments))
    except RoofproofError as error:
        print(f"roofproof: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output has seen enough
        return 0
    except KeyboardInterrupt:
        print("roofproof: interrupted", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="roofproof", description="Machine-checked roofline derivations.")
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Parser)

    derive = commands.add_parser("derive", help="derive and prove where an operation is compute-bound")
    derive.add_argument("op", metavar="OP", help="a library name, or 'bf16[B,D], bf16[D,F] -> bf16[B,F]'")
    derive.add_argument("--chip", help="NAME[@VARIANT], FILE.toml or 'bf16=1.97e14 FLOP/s, hbm=820 GB/s'")
    derive.add_argument("--for", dest="unknown", metavar="DIM", help="the dimension to solve for")
    derive.add_argument("--regime", help="'D, F >> B' or 'N -> oo'")
    derive.add_argument("--at", default="", metavar="D=4096,F=4096", help="sizes for the integer answer")
    derive.add_argument("--json", action="store_true", help="print a JSON record of exact strings")
    derive.set_defaults(run=_derive)

    ops = commands.add_parser("ops", help="list the operations known by name, or show one")
    ops.add_argument("name", nargs="?", default="", help="a name, or part of one")
    ops.set_defaults(run=_ops)

    chips = commands.add_parser("chips", help="list the chips, or show every figure of one")
    chips.add_argument("name", nargs="?", default="", help="a name, or part of one")
    chips.set_defaults(run=_chips)
    return parser


def _version() -> str:
    return "%(prog)s 0.1.0"


def _derive(arguments: argparse.Namespace) -> int:
    from time import perf_counter

    start = perf_counter()
    from roofproof.derive.critical_size import checked_point
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    op = parse_operation(arguments.op)
    chip = any_chip(arguments.chip) if arguments.chip is not None else None
    point = checked_point(op, _sizes(arguments.at))
    proved = None
    if arguments.unknown is not None:
        from roofproof.proofs import threshold

        proved = threshold(op, chip, arguments.unknown, point, arguments.regime)
    elif arguments.regime is not None:
        raise RoofproofError("--regime goes with --for: name the dimension to solve for")
    if arguments.json:
        import json

        from roofproof.export.record import record

        print(json.dumps(record(op, chip, proved, point, round(perf_counter() - start, 6)), indent=2))
    else:
        from roofproof.export.solution import worked_solution

        print(worked_solution(op, chip, proved, point))
    return 0


def _sizes(text: str) -> dict[str, int]:
    """Read `D=4096,F=4096`; every size a positive integer."""
    sizes: dict[str, int] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, size = (p.strip() for p in part.partition("="))
        if not equals or not (size.isascii() and size.isdigit()) or not 0 < len(size) <= 30 or int(size) == 0:
            raise RoofproofError(f"size {quoted(part)}: expected NAME=POSITIVE INTEGER, such as D=4096")
        if name in sizes:
            raise RoofproofError(f"size of {name} is given twice")
        sizes[name] = int(size)
    return sizes


def _ops(arguments: argparse.Namespace) -> int:
    from roofproof.export.catalog import browse_operations

    print(browse_operations(arguments.name))
    return 0


def _chips(arguments: argparse.Namespace) -> int:
    from roofproof.hardware import browse

    print(browse(arguments.name))
    return 0
