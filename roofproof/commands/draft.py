"""`roofproof draft`: the formulas of a chapter as draft claims."""

from __future__ import annotations

import argparse
import os

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, quoted


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.claims.documents.checkable import checked_against_proofs
    from roofproof.claims.documents.draft import draft, to_toml
    from roofproof.export.files import write_whole

    if os.path.exists(arguments.out):
        raise RoofproofError(
            "<file> is there already; a draft is edited by hand: name a new file", file=quoted(arguments.out)
        )
    made = checked_against_proofs(draft(arguments.chapter))
    write_whole(arguments.out, to_toml(made))
    unread = [{"place": f"{made.file}:{each.line}", "formula": each.source, "why": each.text} for each in made.unread]
    claims = sum(each.kind in ("claim", "definition") for each in made.statements)
    if arguments.json:
        counts = {"display": made.display, "display_read": made.display_read}
        inline = {"inline": made.inline, "inline_read": made.inline_read}
        show({"file": arguments.out, "claims": claims, **counts, **inline, "unread": unread})
        return 0
    show(f"{arguments.out}: {claims} draft claims")
    show(f"displayed formulas: {made.display}, {made.display_read} of them read")
    show(f"statements in the text: {made.inline}, {made.inline_read} of them read")
    for each in unread:
        show(f"not read: {each['place']}: {each['formula'][:80]}: {each['why']}")
    return 0
