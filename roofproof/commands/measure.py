"""`roofproof measure`: the rates of this machine as a chip file."""

from __future__ import annotations

import argparse
import sys

from roofproof.commands.shared import show


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.explain.times import explain_machine
    from roofproof.export.files import checked_ending, checked_place, write_whole
    from roofproof.export.to_text import level_text
    from roofproof.times.measure import chip_text, measure

    checked_ending(arguments.out, (".toml",))
    checked_place(arguments.out)

    def report(what: str) -> None:
        if sys.stderr.isatty():
            print(f"\r\033[K{what} ...", end="", file=sys.stderr, flush=True)

    found = measure(arguments.device or "cpu", arguments.quick, report)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    write_whole(arguments.out, chip_text(found))
    show(found.to_dict() if arguments.json else level_text(explain_machine(found, arguments.out)))
    return 0
