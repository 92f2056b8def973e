"""`roofproof audit`: a Python function against the derivation, run in a process of its own, with limits."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from typing import Any

from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, quoted
from roofproof.rooms import need

SECONDS = 60
MEMORY = 2 * 2**30  # bytes
CHILD = "from roofproof.commands.audit import child; child()"
BY_ITSELF = "from roofproof.commands.audit import by_itself; by_itself()"


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    need("roofproof.audit")
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
    asked: dict[str, object] = {"function": function, "op": op, "quantity": quantity, "chip": chip}
    said = _answer(CHILD, asked, function, seconds, _is_outcome)
    if said["same"]:
        _look_again(function, op, quantity, chip, seconds)
    return bool(said["same"]), str(said["text"])


def _look_again(function: str, op: str, quantity: str, chip: str | None, seconds: int) -> None:
    """Refuse a function that returns something else where nothing of the audit runs beside it."""
    from roofproof.audit.by_itself import refuse_other_values, sizes_to_try
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    operation, found = parse_operation(op), None if chip is None else any_chip(chip)
    sizes = sizes_to_try(operation, found)

    def is_due(answer: Mapping[str, Any]) -> bool:
        values = answer.get("values")
        return isinstance(values, list) and len(values) == len(sizes) and all(map(_is_fraction, values))

    said = _answer(BY_ITSELF, {"function": function, "sizes": sizes}, function, seconds, is_due)
    refuse_other_values(function, operation, quantity, found, sizes, said["values"])


def _is_fraction(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("(-?[0-9]{1,4000}/[1-9][0-9]{0,3999})?", value) is not None


def _is_refusal(answer: Mapping[str, Any]) -> bool:
    return isinstance(answer.get("refused"), str) and answer["refused"].isprintable()


def _is_outcome(answer: Mapping[str, Any]) -> bool:
    return isinstance(answer.get("same"), bool) and isinstance(answer.get("text"), str)


def _answer(
    code: str, asked: Mapping[str, object], function: str, seconds: int, is_due: Callable[[Mapping[str, Any]], bool]
) -> dict[str, Any]:
    """Return what a process of its own answers; raises RoofproofError where it refuses, or gives none in time."""
    with tempfile.TemporaryDirectory() as home:
        answer = os.path.join(home, "answer")
        command = [sys.executable, "-c", code, json.dumps(asked), answer]
        status = _ended(command, seconds)
        if status is None:
            raise RoofproofError(f"stopped: {quoted(function)} did not end within {seconds} s")
        try:
            with open(answer, encoding="utf-8") as file:
                said = json.load(file)
            if not isinstance(said, dict) or not (_is_refusal(said) or is_due(said)):
                raise ValueError("the function itself wrote there")
        except (OSError, ValueError, RecursionError):
            raise RoofproofError(
                f"{quoted(function)} ended the process (exit status {status}) before the audit was done; "
                f"it may use {MEMORY // 2**30} GiB of memory"
            ) from None
    if "refused" in said:
        raise RoofproofError(str(said["refused"]))
    return said


def _ended(command: list[str], seconds: int) -> int | None:
    """Run a command in a group of its own; return its exit status, None past its time. What it started ends."""
    silent = subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=silent, stdout=silent, stderr=silent, start_new_session=True)
    try:
        return process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if hasattr(os, "killpg"):  # not on every system
            with suppress(ProcessLookupError, PermissionError):  # none of them is left
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        process.wait()


def child() -> None:
    """Do the audit that the parent process asks for, and leave what came of it in a file."""
    _leave(audited)


def by_itself() -> None:
    """Leave what a function returns in a file, with nothing of the audit in its process."""
    _leave(_values)


def _values(asked: Mapping[str, Any]) -> dict[str, object]:
    from roofproof.audit.by_itself import returned

    return {"values": returned(_loaded(asked["function"]), asked["sizes"])}


def _leave(work: Callable[[Mapping[str, Any]], dict[str, object]]) -> None:
    asked, answer = json.loads(sys.argv[1]), sys.argv[2]
    try:
        said = work(asked)
    except RoofproofError as refused:
        said = {"refused": str(refused)}
    except MemoryError:
        said = {"refused": f"{quoted(asked['function'])} takes more than {MEMORY // 2**30} GiB of memory"}
    except BaseException as problem:  # raised past every handler of errors: an interrupt, a class of the code's own
        told = quoted(f"{type(problem).__name__}: {problem}".removesuffix(": "))
        said = {"refused": f"{quoted(asked['function'])} fails: {told}"}
    with open(answer + ".part", "w", encoding="utf-8") as file:
        json.dump(said, file)
    os.replace(answer + ".part", answer)
    os._exit(0)  # whatever the code has left running


def audited(asked: Mapping[str, Any]) -> dict[str, object]:
    """Return what an audit comes to, done in this process."""
    from roofproof.audit.audits import audit
    from roofproof.export.text.audits import audit_text
    from roofproof.hardware import any_chip
    from roofproof.ops import parse_operation

    op = parse_operation(asked["op"])
    chip = None if asked["chip"] is None else any_chip(asked["chip"])
    found = audit(_loaded(asked["function"]), op, asked["quantity"], chip)
    return {"same": found.same, "text": audit_text(found)}


def _loaded(function: str) -> Any:
    """Return the function that MODULE:FUNCTION names; the memory that it may use is limited before."""
    module, colon, name = function.partition(":")
    if not module or not colon or not name.isidentifier():
        raise RoofproofError(f"expected MODULE:FUNCTION, got {quoted(function)}")
    if module.endswith(".py"):
        dotted = os.path.normpath(module.removesuffix(".py")).replace(os.sep, ".")
        due = quoted(f"{dotted}:{name}") if dotted[0] != "." else "its name, from its folder"
        raise RoofproofError(f"expected MODULE:FUNCTION, got {quoted(function)}; write {due}")
    sys.path.insert(0, "")
    _limit_memory()
    sys.addaudithook(_refuse_processes)
    try:
        return getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:  # whatever the module does when it is imported
        told = " ".join(str(problem).split()) or type(problem).__name__
        raise RoofproofError(f"cannot load {quoted(function)}: {told}") from None


STARTS = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}


def _refuse_processes(event: str, _: object) -> None:
    """Refuse to start a process: a copy would go on with the audit, and start copies in its turn."""
    if event in STARTS:
        raise PermissionError("no process may be started from an audited function")


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on every system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)  # a limit that is there is not raised
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
