"""`roofproof chips`: the chips and their figures."""

import argparse

from roofproof.commands.shared import show


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.hardware import browse

    show(browse(arguments.name or ""))
    return 0
