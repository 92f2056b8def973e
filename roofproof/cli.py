"""The command line: thin; every command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from roofproof.commands import audit, check, chips, derive, ops, verify
from roofproof.errors import RoofproofError, quoted, unknown

COMMANDS = {"derive": derive, "verify": verify, "check": check, "audit": audit, "ops": ops, "chips": chips}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise RoofproofError(f"{message}; see `{self.prog} --help`")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for input that cannot be used.

    >>> main(["derive", "nonsense"])                    # the message goes to standard error
    2
    """
    try:
        arguments = _arguments(sys.argv[1:] if argv is None else argv)
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


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    command = next((word for word in argv if not word.startswith("-")), None)
    if command is not None and command not in COMMANDS:
        raise unknown("command", command, COMMANDS)
    arguments, rest = _parser().parse_known_args(argv)
    if rest:
        help = f"roofproof {command} --help" if command else "roofproof --help"
        raise RoofproofError(f"unknown argument {quoted(rest[0])}; see `{help}`")
    if command is None:
        raise RoofproofError(f"expected a command: {', '.join(COMMANDS)}; see `roofproof --help`")
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="roofproof", description="Machine-checked roofline derivations.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version="%(prog)s 0.1.0")
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser)
    for name, module in COMMANDS.items():
        command = commands.add_parser(name, help=module.HELP, description=module.HELP, allow_abbrev=False)
        module.add_arguments(command)
        command.set_defaults(run=module.run)
    return parser
