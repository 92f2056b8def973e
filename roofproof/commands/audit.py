"""`roofproof audit`: a Python function against the derivation, run in a process of its own, with limits."""

from __future__ import annotations

import argparse
import os
import re

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, quoted
from roofproof.rooms import need

SECONDS = 60


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    need("roofproof.audit")
    seconds = SECONDS
    if arguments.seconds is not None:
        if not re.fullmatch("[1-9][0-9]{0,5}", arguments.seconds):
            raise RoofproofError("--seconds <text>: expected whole seconds, such as 60", text=quoted(arguments.seconds))
        seconds = int(arguments.seconds)
    same, text = audit_apart(arguments.function, arguments.op, arguments.quantity or "flops", arguments.chip, seconds)
    show(text)
    return 0 if same else 1


def audit_apart(
    function: str, op: str, quantity: str = "flops", chip: str | None = None, seconds: int = SECONDS
) -> tuple[bool, str]:
    """Return whether no difference was found, and the outcome as text; `function` is MODULE:FUNCTION.

    >>> same, text = audit_apart("examples.other_tool:matmul_bytes", "matmul", "bytes")
    >>> same, text.splitlines()[0]                             # 2 (B D + D F): the result is not written back
    (False, 'the function    2*D*(B + F)    (symbols went through it)')

    Raises RoofproofError for what cannot be audited: code that fails, does not end, or takes too much memory.
    """
    from roofproof.apart import Apart
    from roofproof.audit.audits import audit
    from roofproof.audit.elsewhere import ANSWERS, Elsewhere
    from roofproof.export.text.audits import audit_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    check_name(function)
    with Apart(ANSWERS, function, seconds) as apart:
        operation, on = parse_operation(op), None if chip is None else any_chip(chip)
        theirs = Elsewhere(apart, function, op, chip)
        found = audit(theirs, operation, quantity, on)
    return found.same, audit_text(found, theirs.undenied)


def check_name(function: str) -> None:
    """Raise RoofproofError for what is not MODULE:FUNCTION.

    >>> check_name("examples.other_tool:matmul_flops")
    """
    module, colon, name = function.partition(":")
    if not module or not colon or not name.isidentifier():
        raise RoofproofError("expected MODULE:FUNCTION, got <text>", text=quoted(function))
    if module.endswith(".py"):
        dotted = os.path.normpath(module.removesuffix(".py")).replace(os.sep, ".")
        due = quoted(f"{dotted}:{name}") if dotted[0] != "." else "its name, from its folder"
        raise RoofproofError("expected MODULE:FUNCTION, got <text>; write <due>", text=quoted(function), due=due)
