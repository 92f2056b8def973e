"""`roofproof audit`: a Python function against the derivation, run in a process of its own, with limits."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib import import_module

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, quoted

SECONDS = 60
MEMORY = 2 * 2**30  # bytes
CHILD = "from roofproof.commands.audit import child; child()"


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    seconds = SECONDS
    if arguments.seconds is not None:
        if not re.fullmatch("[1-9][0-9]{0,5}", arguments.seconds):
            raise RoofproofError(f"--seconds {quoted(arguments.seconds)}: expected whole seconds, such as 60")
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
    asked = {"function": function, "op": op, "quantity": quantity, "chip": chip}
    with tempfile.TemporaryDirectory() as home:
        answer = os.path.join(home, "answer")
        command = [sys.executable, "-c", CHILD, json.dumps(asked), answer]
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            raise RoofproofError(f"stopped: {quoted(function)} did not end within {seconds} s") from None
        try:
            with open(answer, encoding="utf-8") as file:
                said = json.load(file)
        except (OSError, ValueError):
            raise RoofproofError(
                f"{quoted(function)} ended the process (exit status {done.returncode}) before the audit was done; "
                f"it may use {MEMORY // 2**30} GiB of memory"
            ) from None
    if "refused" in said:
        raise RoofproofError(str(said["refused"]))
    return bool(said["same"]), str(said["text"])


def child() -> None:
    """Do the audit that the parent process asks for, and leave what came of it in a file."""
    asked, answer = json.loads(sys.argv[1]), sys.argv[2]
    try:
        said = audited(asked)
    except RoofproofError as refused:
        said = {"refused": str(refused)}
    except MemoryError:
        said = {"refused": f"{quoted(asked['function'])} takes more than {MEMORY // 2**30} GiB of memory"}
    with open(answer + ".part", "w", encoding="utf-8") as file:
        json.dump(said, file)
    os.replace(answer + ".part", answer)
    os._exit(0)  # whatever the code has left running


def audited(asked: Mapping[str, str]) -> dict[str, object]:
    """Return what an audit comes to, done in this process."""
    from roofproof.audit.audits import audit
    from roofproof.export.text.audits import audit_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    op = parse_operation(asked["op"])
    chip = None if asked["chip"] is None else any_chip(asked["chip"])
    module, colon, name = asked["function"].partition(":")
    if not module or not colon or not name.isidentifier():
        raise RoofproofError(f"expected MODULE:FUNCTION, got {quoted(asked['function'])}")
    sys.path.insert(0, "")
    _limit_memory()
    try:
        function = getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:  # whatever the module does when it is imported
        told = " ".join(str(problem).split()) or type(problem).__name__
        raise RoofproofError(f"cannot load {quoted(asked['function'])}: {told}") from None
    found = audit(function, op, asked["quantity"], chip)
    return {"same": found.same, "text": audit_text(found)}


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on every system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)  # a limit that is there is not raised
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
