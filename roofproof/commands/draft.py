"""`roofproof draft`: extracts the formulas of a chapter as draft claims."""

from __future__ import annotations

import argparse
import os

from roofproof.commands.shared import show, tell
from roofproof.errors import RoofproofError, quoted
from roofproof.sentences import Sentence


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.claims.draft import VALUE, draft, to_toml
    from roofproof.export.files import write_atomically

    if os.path.exists(arguments.out):
        raise RoofproofError("<file> already exists; choose another file name", file=quoted(arguments.out))
    made = draft(arguments.chapter)
    write_atomically(arguments.out, to_toml(made))
    stating = [each for each in made.formulas if each.why != VALUE]
    unread = [{"place": f"{made.file}:{each.line}", "formula": each.text, "why": str(each.why)} for each in made.unread]
    counts = {
        "display": sum(each.display for each in stating),
        "display_read": sum(each.display for each in stating if each.claims),
        "inline": sum(not each.display for each in stating),
        "inline_read": sum(not each.display for each in stating if each.claims),
    }
    if arguments.json:
        show({"file": arguments.out, "claims": len(made.claims), **counts, "unread": unread})
        return 0
    total = counts["display"] + counts["inline"]
    rest = f", {len(unread)} without a claim (listed below)" if unread else ""
    show(f"{total} formulas: {len(made.claims)} claims{rest}")
    tell(Sentence("wrote <count> claims to <file>", count=len(made.claims), file=arguments.out))
    show(f"displayed formulas: {counts['display']}, {counts['display_read']} of them read")
    show(f"formulas in the text: {counts['inline']}, {counts['inline_read']} of them read")
    for each in unread:
        show(f"no claim: {each['place']}: {' '.join(each['formula'].split())[:80]}: {each['why']}")
    return 0
