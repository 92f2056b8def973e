"""`roofproof calibrate`: finds achievable rates by fitting a table of measured times or measuring this machine."""

from __future__ import annotations

import argparse
import sys

from roofproof.commands.shared import one_chip, show
from roofproof.errors import RoofproofError, quoted
from roofproof.say import checked_language
from roofproof.sentences import Sentence

TYPE_CHECKING = False  # importing typing noticeably delays the start of a short command
if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofproof.hardware import Chip
    from roofproof.times.tables import Times


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if arguments.this_machine:
        return _this_machine(arguments)
    if arguments.times is None or arguments.chip is None:
        raise RoofproofError("expected TIMES and --chip CHIP, or --this-machine -o FILE.toml")
    from roofproof.export.explain.times import explain_fit
    from roofproof.export.files import checked_ending, write_atomically
    from roofproof.export.to_text import aligned_text
    from roofproof.hardware.calibration import as_record
    from roofproof.ops import parse_operation
    from roofproof.times.estimates import chip_file, demands, fit

    lang = checked_language(arguments.lang or "en")
    if arguments.out is not None:
        checked_ending(arguments.out, (".toml",))
    chip, table = timed(arguments)
    found = demands(table, chip, None if arguments.op is None else parse_operation(arguments.op))
    made = fit(table, found, arguments.source or table.file, arguments.corner)
    if arguments.out is not None:
        write_atomically(arguments.out, chip_file(chip, made))
    if arguments.json:
        show({"chip": chip.name, "operation": found.said, **as_record(made)})
    else:
        show(aligned_text(explain_fit(chip, found, made, arguments.out), lang))
    return 0


def _this_machine(arguments: argparse.Namespace) -> int:
    """Measure the rates of this machine and write them as a chip file."""
    from roofproof.export.explain.times import explain_machine
    from roofproof.export.files import checked_ending, checked_place, write_atomically
    from roofproof.export.to_text import aligned_text
    from roofproof.times.measure import chip_text, measure

    if arguments.out is None:
        raise RoofproofError("--this-machine writes a chip file: expected -o FILE.toml")
    lang = checked_language(arguments.lang or "en")
    checked_ending(arguments.out, (".toml",))
    checked_place(arguments.out)

    def report(what: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{what} ...", end="", file=sys.stderr, flush=True)

    found = measure(arguments.device or "cpu", arguments.quick, report)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    write_atomically(arguments.out, chip_text(found))
    show(found.to_dict() if arguments.json else aligned_text(explain_machine(found, arguments.out), lang))
    return 0


def timed(arguments: argparse.Namespace) -> tuple[Chip, Times]:
    """Return the chip of a command, and the rows of its table of times that were measured on that chip."""
    chip = one_chip(arguments)
    assert chip is not None
    return chip, selected_times(arguments.times, arguments.only, arguments.column, chip)


def selected_times(
    path: str, only: Sequence[str] | None, columns: Sequence[str] | None, chip: Chip, lenient: bool = False
) -> Times:
    """Return the rows of a table that were measured on a chip and have the labels of each `--only`.

    Each of `columns` is NAME=COLUMN and renames a column of the file.
    """
    from roofproof.times.tables import MACHINES, read_times

    table = read_times(path, lenient, named("--column", columns, Sentence("NAME=COLUMN, such as B=batch")))
    labels = named("--only", only, Sentence("COLUMN=LABEL, such as gpu=h100"))
    table = table.only(**labels)
    return table if any(name.lower() in MACHINES for name in labels) else table.on(chip)


def _parts(text: str) -> list[str]:
    """Split a text at commas if every part is NAME=VALUE. Otherwise return it whole, since a value may have commas."""
    parts = text.split(",")
    return parts if all("=" in part for part in parts) else [text]


def named(option: str, given: Sequence[str] | None, due: str) -> dict[str, str]:
    """Return the NAME=VALUE pairs of an option as a dictionary.

    >>> named("--only", ["gpu=h100"], "COLUMN=LABEL")
    {'gpu': 'h100'}
    >>> named("--column", ["B=m,D=k"], "NAME=COLUMN")
    {'B': 'm', 'D': 'k'}
    """
    found: dict[str, str] = {}
    for text in (part for each in given or () for part in _parts(each)):
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals and value):
            raise RoofproofError("<option> <text>: expected <due>", option=option, text=quoted(text), due=due)
        if name in found:
            raise RoofproofError("<option>: <name> is given twice", option=option, name=quoted(name))
        found[name] = value
    return found
