"""`roofproof measure`: this machine's own roofs as a chip file."""

from __future__ import annotations

import argparse
import sys

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.files import checked_ending, write_whole
    from roofproof.export.text.machine import as_record, machine_text
    from roofproof.measured.machine import chip_text, measure

    checked_ending(arguments.out, (".toml",))
    if arguments.plot is not None:
        from roofproof.export.plots.figure import ENDINGS

        checked_ending(arguments.plot, ENDINGS)
        if arguments.quick:
            raise RoofproofError("--plot draws a sweep of working sets, which --quick leaves out")

    def told(what: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{what} ...", end="", file=sys.stderr, flush=True)

    found = measure(arguments.quick, told)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    write_whole(arguments.out, chip_text(found))
    if arguments.plot is not None:
        from roofproof.export.plots.working_sets import working_sets

        working_sets(found, arguments.lang or "en").save(arguments.plot)
    show(as_record(found) if arguments.json else machine_text(found, arguments.out))
    return 0
