"""`roofproof tools`: writes the LaTeX package or the Quarto filter for checked claims into a folder."""

import argparse
import os

from roofproof.commands.shared import tell
from roofproof.sentences import Sentence

FILES = {"latex": "roofproof.sty", "quarto": "roofproof.lua"}


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.errors import unknown
    from roofproof.export.files import write_atomically
    from roofproof.pages.latex import file_for

    if arguments.tool not in FILES:
        raise unknown("tool", arguments.tool, FILES)
    path = os.path.join(arguments.dir, FILES[arguments.tool])
    write_atomically(path, file_for(FILES[arguments.tool]))
    tell(Sentence("wrote <file>", file=path))
    return 0
