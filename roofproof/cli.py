"""The command line: thin; every command imports what it needs when it runs."""

from __future__ import annotations

import argparse
import errno
import gc
import io
import os
import re
import signal
import sys
from contextlib import suppress
from importlib import import_module

from roofproof import __version__
from roofproof.commands.shared import declare, error_text, removed
from roofproof.commands.usage import ALIASES, EXAMPLES, GROUPS, OPTION_ALIASES, REMOVED, STATUS
from roofproof.commands.usage import COMMANDS as USAGE
from roofproof.errors import RoofproofError, Stopped, quoted, unknown
from roofproof.rooms import missing_room
from roofproof.sentences import Sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, NoReturn, TextIO

RARELY = 100_000, 20, 100  # objects between looks for cycles: every 700, as Python has it, takes a fifth of all time
SAYS = "Machine-checked roofline derivations."
COMMANDS = {name: about for name, (about, _) in USAGE.items()}
"""What each command does; roofproof/commands/NAME.py does it, and is imported for that command alone."""


def _narrow(prog: str) -> argparse.HelpFormatter:
    """Argparse asks for a formatter with every argument; one that looks up the terminal's width starts slowly."""
    return argparse.HelpFormatter(prog, width=80)


def overview() -> str:
    """Return the help of the whole command line: the commands by group, with examples.

    >>> print(overview().splitlines()[4])
    Derive
    """
    import textwrap

    lines = ["usage: roofproof COMMAND ... [--help] [--version]", "", SAYS]
    for group, names in GROUPS.items():
        lines += ["", group]
        for name in names:
            lines += textwrap.wrap(COMMANDS[name], 80, initial_indent=f"  {name:<15}", subsequent_indent=" " * 17)
    lines += ["", "Examples", *(f"  {EXAMPLES[names[0]][0]}" for names in GROUPS.values())]
    return "\n".join([*lines, "", "`roofproof COMMAND --help` shows the options of a command.", ""])


SHORT = ("-h", "-o")  # the options of one letter


class _Overview(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(overview(), end="")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    def format_help(self) -> str:
        self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        _, required, names = message.partition("the following arguments are required: ")
        said = Sentence("the following arguments are required: <names>", names=names) if required else message
        raise RoofproofError("<message>; see `<command> --help`", message=said, command=self.prog)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 0, or 2 for input that cannot be used.

    >>> main(["derive", "nonsense"])                    # the message goes to standard error
    2
    """
    before = _handle_sigterm()
    try:
        if sys.stdout is None:
            raise RoofproofError("cannot write to standard output: it is closed; send it to a file, or to /dev/null")
        words = sys.argv[1:] if argv is None else argv
        if not words:
            print(overview(), end="")
            return 0
        arguments = _arguments(words)
        return int(arguments.run(arguments))
    except RoofproofError as error:
        _say(error_text(error, argv))
        return 2
    except ModuleNotFoundError as lack:
        if (refused := missing_room(lack)) is None:
            raise
        print(f"roofproof: {refused}", file=sys.stderr)
        return 2
    except Stopped as late:
        _say(str(late))
        return 2
    except KeyboardInterrupt:
        _say("interrupted")
        return 130
    except _Terminated:
        _say("terminated")
        return 143
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _say(text: str) -> None:
    """Tell a message on standard error, on one line; where that is closed or full nobody can be told."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(f"roofproof: {' '.join(text.split())}", file=sys.stderr, flush=True)


def start() -> int:
    """Run the command line as a program of its own, and return its exit status.

    >>> from unittest import mock
    >>> with mock.patch("sys.argv", ["roofproof", "nonsense"]), mock.patch("roofproof.cli.gc") as gc:
    ...     start(), gc.freeze.call_count, gc.set_threshold.call_args.args
    (2, 1, (100000, 20, 100))
    """
    gc.set_threshold(*RARELY)
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        sys.stdout = _checked_stdout(sys.__stdout__)
    try:
        try:
            return main()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # `--help` leaves by SystemExit
    except _StdoutClosed as closed:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)  # Python tries again at its end, and would tell of it in its own words
        _say(error_text(RoofproofError("cannot write to standard output: <why>", why=closed.strerror), None))
        return 141 if closed.errno == errno.EPIPE else 2  # of a closed pipe as other programs, which its signal ends
    finally:
        gc.freeze()  # the memory goes with the process: looking through SymPy's objects for cycles first takes 0.15 s


class _StdoutClosed(BaseException):
    """Standard output did not take what was printed, which no handler for files that cannot be written may hide."""

    def __init__(self, problem: OSError) -> None:
        self.errno, self.strerror = problem.errno, problem.strerror or str(problem)


def _checked_stdout(stream: TextIO) -> TextIO:
    """Return standard output as a stream like the one there is, whose failures are those of nothing else."""

    class Told(io.FileIO):
        def write(self, data: Any, /) -> int:
            try:
                return super().write(data)
            except OSError as problem:
                raise _StdoutClosed(problem) from None

    raw = Told(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=stream.isatty())


class _Terminated(BaseException):
    """Another process asked this one to end."""


def _handle_sigterm() -> Any:
    """Let a signal to end pass through what is under way, so that temporary files go; a second one ends at once.

    Returns what the signal did before, None where that is left as it is: another program has its own way, or this is
    not its main thread.
    """

    def end(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise _Terminated

    try:
        return signal.signal(signal.SIGTERM, end) if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL else None
    except ValueError:
        return None


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
    _say(f"`{old}` is now `{ALIASES[old]}`")
    if new == ["show"] and not rest:
        rest = ["operations" if old == "ops" else "chips"]
    return [*new, *rest]


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
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
    listed = {command: COMMANDS[command]} if command is not None and argv[0] == command else COMMANDS
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


def _parser(command: str | None, listed: Mapping[str, str], every: bool) -> argparse.ArgumentParser:
    """Return the parser of the command line, with the commands that are listed and the arguments of the one given.

    Its help shows the usual options of that command, or every one.
    """
    parser = _Parser(prog="roofproof", allow_abbrev=False, formatter_class=_narrow, add_help=False)
    parser.add_argument("-h", "--help", nargs=0, action=_Overview)
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", parser_class=_Parser, prog="roofproof")
    for name, about in listed.items():
        one = commands.add_parser(name, description=about, allow_abbrev=False, formatter_class=_narrow)
        if name == command:
            status = f"exit status: {STATUS[name]}\n\n" if name in STATUS else ""
            one.epilog = status + "\n  ".join(("examples:", *EXAMPLES[name]))
            declare(one, USAGE[name][1], every)
            one.set_defaults(run=import_module(f"roofproof.commands.{name.replace('-', '_')}").run)
    return parser
