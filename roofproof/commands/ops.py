"""`roofproof ops`: the operations known by name."""

import argparse

from roofproof.commands.shared import show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("name", nargs="?", default="", help="a name, or part of one")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.text.catalog import browse_operations

    show(browse_operations(arguments.name))
    return 0
