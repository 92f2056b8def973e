"""`roofproof latex-package`: the package roofproof.sty, put into a folder."""

import argparse
import os

from roofproof.commands.shared import show


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.export.files import write_whole
    from roofproof.pages.latex import STYLE, style

    path = os.path.join(arguments.dir, STYLE)
    write_whole(path, style())
    show(path)
    return 0
