"""The arguments of a command, from the table in `usage.py`, which argparse reads."""

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
"""The names that some arguments have in code."""
SHORT = ("-h", "-o")  # the options of one letter


def renamed(argv: Sequence[str]) -> list[str]:
    """Return the words of a command line with the name that a command has now; the old one is said on standard error.

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
    """Read the words of a command line.

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
    # Where an option comes first, help on all commands may be asked for.
    listed = [command] if command is not None and argv[0] == command else list(COMMANDS)
    arguments, rest = _parser(command, listed, "--help-all" in argv).parse_known_args(_with_signed_answer(argv))
    if rest:
        help = f"roofproof {command} --help" if command else "roofproof --help"
        raise RoofproofError("unknown argument <text>; see `<help>`", text=quoted(rest[0]), help=help)
    if command is None:
        raise RoofproofError("expected a command: <names>; see `roofproof --help`", names=", ".join(COMMANDS))
    return arguments


def _with_signed_answer(argv: Sequence[str]) -> list[str]:
    """Return the words with an answer that begins with a minus sign joined to its option, which takes it for another.

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
    """Return the error for what 0.3 had, which names what to use instead."""
    return RoofproofError("`<what>` was removed; use <instead>", what=what, instead=REMOVED[what])


def _narrow(prog: str) -> argparse.HelpFormatter:
    """Argparse asks for a formatter with every argument; one that looks up the terminal's width starts slowly."""
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
    """An option that may be given once: the second would silently hide the first."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            raise RoofproofError("<option> is given twice", option=option)
        setattr(namespace, self.dest, values)


def _chips_in(text: str) -> list[str]:
    """Return the chips of one `--chip`: names may stand in it with commas between, specs have commas of their own.

    >>> _chips_in("h100-sxm,tpu-v5e"), _chips_in("bf16=1e12 FLOP/s, hbm=1 GB/s")
    (['h100-sxm', 'tpu-v5e'], ['bf16=1e12 FLOP/s, hbm=1 GB/s'])
    """
    return [text] if "=" in text else text.split(",")


def _declare(parser: argparse.ArgumentParser, takes: Mapping[str, str], every: bool) -> None:
    """Declare the arguments of a command, as `usage.py` writes them; its help shows the usual options, or every one."""
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
    """Return the parser of the command line, with the commands that are listed and the arguments of the one given.

    Its help shows the usual options of that command, or every one.
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
