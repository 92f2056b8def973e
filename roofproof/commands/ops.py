"""`roofproof ops`: the operations known by name."""

import argparse

from roofproof.commands.shared import show


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.explain.library import explain_library
    from roofproof.export.to_text import spaced_text

    show(spaced_text(explain_library(arguments.name or "")))
    return 0
