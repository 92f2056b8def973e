"""The command line, whose commands import their modules only when they run."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys

from roofproof.commands.shared import error_text, report
from roofproof.errors import RoofproofError, Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

RARELY = 250_000, 20, 100  # gc thresholds: at the default 700 gc takes a fifth of the time. SymPy makes 100,000 objects
SAYS = "Machine-checked roofline derivations."


def overview() -> str:
    """Return the help text of the command line: the commands by group, with examples.

    >>> print(overview().splitlines()[4])
    Derive
    """
    import textwrap

    from roofproof.commands.usage import COMMANDS, EXAMPLES, GROUPS

    lines = ["usage: roofproof COMMAND ... [--help] [--version]", "", SAYS]
    for group, names in GROUPS.items():
        lines += ["", group]
        for name in names:
            lines += textwrap.wrap(COMMANDS[name][0], 80, initial_indent=f"  {name:<15}", subsequent_indent=" " * 17)
    lines += ["", "Examples", *(f"  {EXAMPLES[names[0]][0]}" for names in GROUPS.values())]
    return "\n".join([*lines, "", "`roofproof COMMAND --help` shows the options of a command.", ""])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status, such as 0, or 2 for invalid input.

    >>> main(["derive", "nonsense"])                    # the message goes to standard error
    2
    """
    before = _handle_sigterm()
    try:
        if sys.stdout is None:
            raise RoofproofError("cannot write to standard output: it is closed; send it to a file, or to /dev/null")
        words = sys.argv[1:] if argv is None else argv
        if not words or words[0] in ("-h", "--help"):
            print(overview(), end="")
            return 0
        if words[0] == "--version":
            from roofproof import __version__

            print(f"roofproof {__version__}")
            return 0
        from roofproof.commands.parser import read_arguments

        arguments = read_arguments(words)
        return int(arguments.run(arguments))
    except RoofproofError as error:
        report(error_text(error, argv))
        return 2
    except ModuleNotFoundError as lack:
        from roofproof.rooms import missing_room

        if (refused := missing_room(lack)) is None:
            raise
        report(str(refused))
        return 2
    except Stopped as late:
        report(str(late))
        return 2
    except KeyboardInterrupt:
        report("interrupted")
        return 130
    except _Terminated:
        report("terminated")
        return 143
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def start() -> int:
    """Run the command line as the main program and return its exit status.

    >>> from unittest import mock
    >>> with mock.patch("sys.argv", ["roofproof", "nonsense"]), mock.patch("roofproof.cli.gc") as gc:
    ...     start(), gc.freeze.call_count, gc.set_threshold.call_args.args
    (2, 1, (250000, 20, 100))
    """
    gc.set_threshold(*RARELY)
    if sys.__stdout__ is not None and sys.stdout is sys.__stdout__:
        sys.stdout = _checked_stdout(sys.__stdout__)
    try:
        try:
            return main()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()  # also after `--help`, which raises SystemExit
    except _StdoutClosed as closed:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)  # otherwise Python would flush again at exit and print its own message
        if closed.errno == errno.EPIPE:  # `| head` has read enough, so return the status of a program ended by SIGPIPE
            return 141
        report(error_text(RoofproofError("cannot write to standard output: <why>", why=closed.strerror), None))
        return 2
    finally:
        gc.freeze()  # the process ends anyway: a last search for cycles among SymPy's objects would take 0.15 s


class _StdoutClosed(BaseException):
    """Writing to standard output failed. It is a BaseException, so that no handler of file errors hides it."""

    def __init__(self, problem: OSError) -> None:
        self.errno, self.strerror = problem.errno, problem.strerror or str(problem)


def _checked_stdout(stream: TextIO) -> TextIO:
    """Return a copy of standard output whose write errors raise `_StdoutClosed`."""

    class Told(io.FileIO):
        def write(self, data: Any, /) -> int:
            try:
                return super().write(data)
            except OSError as problem:
                raise _StdoutClosed(problem) from None

    raw = Told(stream.fileno(), "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), stream.encoding, stream.errors, line_buffering=stream.isatty())


class _Terminated(BaseException):
    """This process received SIGTERM."""


def _handle_sigterm() -> Any:
    """Make SIGTERM raise `_Terminated`, so that temporary files are removed. A second SIGTERM ends the process at once.

    Returns the previous handler, or None if the handler was not changed: a calling program has installed its own, or
    this is not the main thread.
    """

    def end(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise _Terminated

    try:
        return signal.signal(signal.SIGTERM, end) if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL else None
    except ValueError:
        return None
