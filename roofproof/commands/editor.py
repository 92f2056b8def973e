"""`roofproof editor`: the engine for editors, over standard input and output."""

import argparse

from roofproof.errors import RoofproofError


def run(arguments: argparse.Namespace) -> int:
    """Run the command until the editor ends it, and return its exit status."""
    from roofproof.editor.server import server

    try:
        made = server()
    except ModuleNotFoundError as lack:
        if (lack.name or "").partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise RoofproofError("the server needs the package pygls; cure: pip install 'roofproof[editor]'") from None
    made.start_io()
    return 0
