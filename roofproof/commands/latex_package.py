"""`roofproof latex-package`: the package roofproof.sty, put into a folder."""

import argparse
import os

from roofproof.commands.shared import show


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    return written("roofproof.sty", arguments.dir)


def written(name: str, folder: str) -> int:
    """Write a file for a host of pages into a folder, and tell where it is."""
    from roofproof.export.files import write_whole
    from roofproof.pages.latex import file_for

    path = os.path.join(folder, name)
    write_whole(path, file_for(name))
    show(path)
    return 0
