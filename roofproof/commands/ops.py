"""`roofproof ops`: the operations known by name."""

import argparse

from roofproof.commands.shared import show


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.text.catalog import browse_operations

    show(browse_operations(arguments.name or ""))
    return 0
