"""The command-line parser: builds an argparse parser from the tables in `usage.py`."""

from __future__ import annotations

import argparse
import re
from importlib import import_module

from roofproof.commands.shared import report
from roofproof.commands.usage import ALIASES, COMMANDS, EXAMPLES, OPTION_ALIASES, REMOVED, STATUS
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.sentences import Sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn

NAMES = {"--for": "unknown", "-o": "out", "--as": "listed", "MODULE:FUNCTION": "function"}
"""Arguments whose attribute has another name."""
SHORT = ("-h", "-o")  # one-letter options


def renamed(argv: Sequence[str]) -> list[str]:
    """Return a command line with old command and option names replaced. Reports an old command on standard error.

    >>> renamed(["latex-package", "paper"])               # `latex-package` is now `tools latex`
    ['tools', 'latex', 'paper']
    """
    old, rest = (argv[0], list(argv[1:])) if argv else ("", [])
    for before, now in OPTION_ALIASES.get(old, {}).items():
        rest = [re.sub(rf"^{before}(?==|$)", now, word) for word in rest]
    if old not in ALIASES:
        return [old, *rest] if argv else []
    new = ALIASES[old].split()
    report(f"`{old}` is now `{ALIASES[old]}`")
    if new == ["show"] and not rest:
        rest = ["operations" if old == "ops" else "chips"]
    return [*new, *rest]


def read_arguments(argv: Sequence[str]) -> argparse.Namespace:
    """Parse a command line.

    >>> read_arguments(["derive", "matmul", "--for", "B"]).op
    ['matmul']
    """
    argv = renamed(argv)
    command = next((word for word in argv if not word.startswith("-")), None)
    words = [part for word in argv for part in (word.split("=", 1) if word.startswith("-") else [word])]
    for what in REMOVED:
        first, *rest = what.split()
        if command == first and any(words[k : k + len(rest)] == rest for k in range(len(words))):
            raise removed(what)
    if command is not None and command not in COMMANDS:
        raise unknown("command", command, COMMANDS)
    # If an option comes first, it may be --help, which lists all commands.
    listed = [command] if command is not None and argv[0] == command else list(COMMANDS)
    arguments, rest = _parser(command, listed, "--help-all" in argv).parse_known_args(_with_signed_answer(argv))
    if rest:
        help = f"roofproof {command} --help" if command else "roofproof --help"
        raise RoofproofError("unknown argument <text>; see `<help>`", text=quoted(rest[0]), help=help)
    if command is None:
        raise RoofproofError("expected a command: <names>; see `roofproof --help`", names=", ".join(COMMANDS))
    return arguments


def _with_signed_answer(argv: Sequence[str]) -> list[str]:
    """Join `--answer` and an answer that starts with a minus sign, which argparse would take for an option.

    >>> _with_signed_answer(["grade", "--answer", "-2BDF", "--json"])
    ['grade', '--answer=-2BDF', '--json']
    """
    words: list[str] = []
    for word in argv:
        if words[-1:] == ["--answer"] and word.startswith("-") and not word.startswith("--") and word not in SHORT:
            words[-1] = f"--answer={word}"
        else:
            words.append(word)
    return words


def removed(what: str) -> RoofproofError:
    """Return the error for a removed command or option of 0.3, which names the replacement."""
    return RoofproofError("`<what>` was removed; use <instead>", what=what, instead=REMOVED[what])


def _narrow(prog: str) -> argparse.HelpFormatter:
    """Return a formatter of fixed width: argparse makes one per argument, and each terminal lookup is slow."""
    return argparse.HelpFormatter(prog, width=80)


class _Parser(argparse.ArgumentParser):
    def format_help(self) -> str:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        said = message
        if found := re.fullmatch("the following arguments are required: (.*)", message):
            said = Sentence("the following arguments are required: <names>", names=found[1])
        elif found := re.fullmatch(r"argument ([^:]*): expected .*argument", message):
            said = Sentence("<option> needs a value", option=found[1])
        elif found := re.fullmatch(r"argument ([^:]*): invalid choice: (.*) \(choose from (.*)\)", message):
            form = "<option>: expected one of <choices>, got <text>"
            said = Sentence(form, option=found[1], choices=found[3], text=found[2])
        raise RoofproofError("<message>; see `<command> --help`", message=said, command=self.prog)


class _Once(argparse.Action):
    """An option that may be given only once. A second value would silently replace the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            raise RoofproofError("<option> is given twice", option=option)
        setattr(namespace, self.dest, values)


def _chips_in(text: str) -> list[str]:
    """Return the chips in one `--chip` value. Names are separated by commas. A value with specs is a single chip.

    >>> _chips_in("h100-sxm,tpu-v5e"), _chips_in("bf16=1e12 FLOP/s, hbm=1 GB/s")
    (['h100-sxm', 'tpu-v5e'], ['bf16=1e12 FLOP/s, hbm=1 GB/s'])
    """
    return [text] if "=" in text else text.split(",")


def _declare(parser: argparse.ArgumentParser, takes: Mapping[str, str], every: bool) -> None:
    """Add the arguments of a command from `usage.py`. Its help shows common options or, with `every`, all."""
    more = any(written.endswith("~") for written in takes)
    about_all = "show this help message with every option and exit" if more else argparse.SUPPRESS
    parser.add_argument("--help-all", action="help", help=about_all)
    for written, about in takes.items():
        name, *rest = written.split()
        word = name.rstrip("?+*")
        options: dict[str, Any] = {"help": about if every or rest[-1:] != ["~"] else argparse.SUPPRESS}
        rest = [each for each in rest if each != "~"]
        if not name.startswith("-"):
            parser.add_argument(NAMES.get(word, word.lower()), metavar=word, nargs=name[len(word) :] or None, **options)
            continue
        if name in NAMES:
            options["dest"] = NAMES[name]
        if not rest:
            parser.add_argument(name, action="store_true", **options)
            continue
        options |= {"choices": rest[0][1:-1].split(",")} if rest[0].startswith("{") else {"metavar": rest[0]}
        if name == "--chip" and "*" in rest:
            parser.add_argument(name, action="extend", type=_chips_in, required="!" in rest, **options)
            continue
        parser.add_argument(name, action="append" if "*" in rest else _Once, required="!" in rest, **options)


def _parser(command: str | None, listed: Sequence[str], every: bool) -> argparse.ArgumentParser:
    """Return the command-line parser with the listed commands and the arguments of one command.

    The help of that command shows its common options or, with `every`, all options.
    """
    parser = _Parser(prog="roofproof", allow_abbrev=False, formatter_class=_narrow, add_help=False)
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser, prog="roofproof")
    for name in listed:
        one = commands.add_parser(name, description=COMMANDS[name][0], allow_abbrev=False, formatter_class=_narrow)
        if name == command:
            status = f"exit status: {STATUS[name]}\n\n" if name in STATUS else ""
            one.epilog = status + "\n  ".join(("examples:", *EXAMPLES[name]))
            _declare(one, COMMANDS[name][1], every)
            one.set_defaults(run=import_module(f"roofproof.commands.{name.replace('-', '_')}").run)
    return parser
