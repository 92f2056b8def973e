"""`roofproof mcp`: runs the MCP server for agents over standard input and output."""

import argparse

from roofproof.commands.shared import show, whole_option
from roofproof.errors import MissingExtra


def run(arguments: argparse.Namespace) -> int:
    """Run the command until standard input ends, and return its exit status."""
    from roofproof.agents.server import server, skill

    if arguments.skill:
        show(skill().rstrip())
        return 0
    seconds = whole_option("--seconds", arguments.seconds or "30")
    try:
        made = server(seconds, arguments.allow_trace)
    except ModuleNotFoundError as lack:
        if (lack.name or "").partition(".")[0] not in ("mcp", "pydantic"):
            raise
        raise MissingExtra("mcp", "mcp") from None
    made.run()
    return 0
