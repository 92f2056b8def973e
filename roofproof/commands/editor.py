"""`roofproof editor`: the engine for editors, over standard input and output."""

import argparse

from roofproof.errors import MissingExtra, RoofproofError


def run(arguments: argparse.Namespace) -> int:
    """Run the command until the editor ends it, and return its exit status."""
    from roofproof.editor.server import server

    try:
        made = server()
    except ModuleNotFoundError as lack:
        if (lack.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise MissingExtra("pygls", "editor") from None
    try:
        made.start_io()
    except (OverflowError, MemoryError):
        raise RoofproofError("the header of a message says that it is longer than memory") from None
    return 0
