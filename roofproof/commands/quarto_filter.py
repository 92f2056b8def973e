"""`roofproof quarto-filter`: the filter roofproof.lua, put into a folder."""

import argparse

from roofproof.commands.latex_package import written


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    return written("roofproof.lua", arguments.dir)
