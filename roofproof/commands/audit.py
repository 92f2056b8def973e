"""`roofproof audit`: compares a user's function, run in a separate process with limits, with the derivation.

A formula or a list of formulas is parsed, never executed.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path

from roofproof.commands.parser import removed
from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, quoted
from roofproof.rooms import require_room
from roofproof.say import checked_language

SECONDS = 60


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    require_room("roofproof.audit")
    if found := re.search(r"\.(py|ya?ml):", arguments.function):
        raise removed("audit FILE.py:NAME" if found[1] == "py" else "audit FILE.yaml:NAME")
    if arguments.function.endswith(".toml"):
        return _guard(arguments)
    if arguments.op is None:
        raise RoofproofError("--op is missing; name the operation to compare with, such as --op matmul")
    if arguments.json:
        raise RoofproofError("--json requires a list of formulas, FILE.toml")
    quantity, lang = arguments.quantity or "flops", checked_language(arguments.lang or "en")
    if is_formula(arguments.function):
        if arguments.seconds is not None:
            raise RoofproofError("--seconds requires MODULE:FUNCTION")
        same, text = audit_read(arguments.function, arguments.op, quantity, arguments.chip, arguments.names or (), lang)
        show(text)
        return 0 if same else 1
    if arguments.names:
        raise RoofproofError("--names requires a formula")
    seconds = SECONDS
    if arguments.seconds is not None:
        if not re.fullmatch("[1-9][0-9]{0,5}", arguments.seconds):
            raise RoofproofError("--seconds <text>: expected whole seconds, such as 60", text=quoted(arguments.seconds))
        seconds = int(arguments.seconds)
    same, text = audit_apart(arguments.function, arguments.op, quantity, arguments.chip, seconds, lang)
    show(text)
    return 0 if same else 1


def _guard(arguments: argparse.Namespace) -> int:
    from roofproof.audit.guard import audit_list
    from roofproof.export.explain.audits import explain_guard
    from roofproof.export.to_text import untitled_text

    for option in ("op", "quantity", "names", "chip", "seconds"):
        if getattr(arguments, option):
            raise RoofproofError(
                "--<option> requires one formula; in a list, write it as a key of the formula", option=option
            )
    judged = list(audit_list(Path(arguments.function)))
    if arguments.json:
        show(json.dumps([one.to_dict() for one in judged], indent=2))
    else:
        show(untitled_text(explain_guard(judged), checked_language(arguments.lang or "en")))
    if all(one.error for one in judged):
        return 2
    return 0 if all(one.as_expected for one in judged) else 1


def is_formula(text: str) -> bool:
    """Return whether a text is a formula rather than MODULE:FUNCTION.

    >>> is_formula("2*M*N*K"), is_formula("package.module:function")
    (True, False)
    """
    return ":" not in text and not re.fullmatch(r"[\w.]*", text)


def audit_read(
    text: str, op: str, quantity: str = "flops", chip: str | None = None, names: Sequence[str] = (), lang: str = "en"
) -> tuple[bool, str]:
    """Return whether a formula agrees with the derivation, and the outcome as text. The formula is never executed.

    >>> same, told = audit_read("2*M*K*N + M*N", "matmul", names=["M=B,N=F,K=D"])
    >>> same, told.splitlines()[0]                             # one extra addition for each result
    (False, 'differs: subtract B*F')
    """
    from roofproof.audit.audits import audit
    from roofproof.audit.formulas import formula, names_in
    from roofproof.export.explain.audits import explain_audit
    from roofproof.export.to_text import untitled_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    operation, on = parse_operation(op), None if chip is None else any_chip(chip)
    function = formula(text, *(s.name for s in operation.dims), **names_in(",".join(names)))
    found = audit(function, operation, quantity, on)
    return found.same, untitled_text(explain_audit(found), lang)


def audit_apart(
    function: str, op: str, quantity: str = "flops", chip: str | None = None, seconds: int = SECONDS, lang: str = "en"
) -> tuple[bool, str]:
    """Return whether a function, MODULE:FUNCTION, agrees with the derivation, and the outcome as text.

    >>> same, text = audit_apart("examples.other_tool:matmul_bytes", "matmul", "bytes")
    >>> same, text.splitlines()[0]                             # 2 (B D + D F): the result is not written back
    (False, 'differs: add 2*B*F, as much as the traffic of z')

    Raises RoofproofError for code that fails, does not terminate, or takes too much memory.
    """
    from roofproof.apart import ChildProcess
    from roofproof.audit.audits import audit
    from roofproof.audit.remote_function import ANSWERS, RemoteFunction
    from roofproof.export.explain.audits import explain_audit
    from roofproof.export.to_text import untitled_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    check_name(function)
    with ChildProcess(ANSWERS, function, seconds) as apart:
        operation, on = parse_operation(op), None if chip is None else any_chip(chip)
        theirs = RemoteFunction(apart, function, op, chip)
        found = audit(theirs, operation, quantity, on)
    return found.same, untitled_text(explain_audit(found, theirs.undenied), lang)


def check_name(function: str) -> None:
    """Raise RoofproofError for a text that is not MODULE:FUNCTION.

    >>> check_name("examples.other_tool:matmul_flops")
    """
    module, colon, name = function.partition(":")
    if not module or not colon or not name.isidentifier():
        raise RoofproofError(
            "expected MODULE:FUNCTION or a formula such as '2*M*N*K', got <text>", text=quoted(function)
        )
