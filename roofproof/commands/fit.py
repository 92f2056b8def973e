"""`roofproof fit`: calibrated ceilings of a chip from a table of measured times."""

from __future__ import annotations

import argparse

from roofproof.commands.shared import one_chip, show
from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofproof.hardware import Chip
    from roofproof.hardware.calibration import Calibration, Moving
    from roofproof.measured.amounts import Demands
    from roofproof.measured.times import Times


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.files import checked_ending, write_whole
    from roofproof.export.text.measured import calibration_text
    from roofproof.hardware.resources import is_compute
    from roofproof.measured.ceilings import chip_file, fit, fit_moving

    if arguments.out is not None:
        checked_ending(arguments.out, (".toml",))
    chip, table, found = measured(arguments)
    source = arguments.source or table.file
    if any(is_compute(name) for together in found.engines for name in together):
        if arguments.kind is not None:
            raise RoofproofError("--kind names what moves bytes alone; what was timed has FLOPs")
        made: Calibration | Moving = fit(table, found, source, arguments.corner)
    elif arguments.corner is not None:
        raise RoofproofError("--corner is of an engine and a memory; what was timed has no FLOPs")
    else:
        made = fit_moving(table, found, source, arguments.kind or kind_of(table))
    if arguments.out is not None:
        write_whole(arguments.out, chip_file(chip, made))
    if arguments.json:
        from roofproof.hardware.calibration import as_record

        show({"chip": chip.name, "operation": found.said, **as_record(made)})
    else:
        show(calibration_text(chip, found, made, arguments.out))
    return 0


def kind_of(table: Times) -> str:
    """Return the kind of operation that the column `operation` of a table names.

    Raises RoofproofError where it names none, or several.
    """
    kinds = list(dict.fromkeys(table.labels.get("operation", ())))
    if len(kinds) != 1:
        cure = f"choose one, as in --only operation={kinds[0]}" if kinds else "name it, as in --kind rms-norm"
        raise RoofproofError("<file>: ceilings are those of one kind of operation; <cure>", file=table.file, cure=cure)
    return kinds[0]


def measured(arguments: argparse.Namespace) -> tuple[Chip, Times, Demands]:
    """Return the chip of a command about measured times, the rows measured on it, and what they ask of it."""
    from roofproof.measured.amounts import demands
    from roofproof.ops import parse_operation

    chip = one_chip(arguments)
    assert chip is not None
    op = None if arguments.op is None else parse_operation(arguments.op)
    table = chosen(arguments.times, arguments.only, chip)
    return chip, table, demands(table, chip, op, cold=bool(getattr(arguments, "cold", False)))


def chosen(path: str, only: Sequence[str] | None, chip: Chip, lenient: bool = False) -> Times:
    """Return the rows of a table that were measured on a chip, of those with the labels of each `--only`."""
    from roofproof.measured.times import MACHINES, read_times

    table = read_times(path, lenient)
    labels: dict[str, str] = {}
    for text in only or ():
        name, equals, label = (part.strip() for part in text.partition("="))
        if not (name and equals and label):
            raise RoofproofError("--only <text>: expected COLUMN=LABEL, such as gpu=h100", text=quoted(text))
        if name in labels:
            raise RoofproofError("--only: <name> is given twice", name=quoted(name))
        labels[name] = label
    table = table.only(**labels)
    return table if any(name.lower() in MACHINES for name in labels) else table.on(chip)
