"""`roofproof measure`: this machine's own roofs as a chip file."""

from __future__ import annotations

import argparse
import os
import sys

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from roofproof.measured.sweeps import TimedSweep


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.files import checked_ending, checked_place, write_together
    from roofproof.export.text.machine import as_record, machine_text
    from roofproof.measured.machine import chip_text, measure

    checked_ending(arguments.out, (".toml",))
    if arguments.times is not None and not os.path.isdir(arguments.times):
        raise RoofproofError("--times <folder>: no such folder; make it first", folder=quoted(arguments.times))
    if arguments.plot is not None:
        from roofproof.export.plots.figure import ENDINGS

        checked_ending(arguments.plot, ENDINGS)
        if arguments.quick:
            raise RoofproofError("--plot draws a sweep of working sets, which --quick leaves out")
    for place in (arguments.out, arguments.plot, arguments.times and os.path.join(arguments.times, "times.csv")):
        if place is not None:
            checked_place(place)

    def report(what: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{what} ...", end="", file=sys.stderr, flush=True)

    sweeps: tuple[TimedSweep, ...] = ()
    if arguments.device in (None, "cpu"):
        found = measure(arguments.quick, report)
        if arguments.times is not None:
            from roofproof.measured.sweeps import processor_sweeps

            sweeps = processor_sweeps(arguments.quick, report)
    else:
        from roofproof.measured.accelerator import device, measure_device

        on = device(arguments.device)
        found = measure_device(on, arguments.quick, report)
        if arguments.times is not None:
            from roofproof.measured.sweeps import device_sweeps

            sweeps = device_sweeps(on, arguments.quick, report)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    written = [(sweep.op, os.path.join(arguments.times, f"{sweep.name}.csv")) for sweep in sweeps]
    tables = {file: sweep.csv for (_, file), sweep in zip(written, sweeps, strict=True)}
    write_together({arguments.out: chip_text(found), **tables})
    if arguments.plot is not None:
        from roofproof.export.plots.working_sets import working_sets

        working_sets(found, arguments.lang or "en").save(arguments.plot)
    show(as_record(found) if arguments.json else machine_text(found, arguments.out, written))
    return 0
