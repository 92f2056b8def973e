"""Untrusted code in a child process that answers questions. Its answers are the code's only output.

The code can tamper with its own process, so the child decides nothing. Questions and answers are lines of JSON, and
the parent interprets each answer. An answer must repeat the number of its question, which is random.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from secrets import token_hex
from select import select
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic
from typing import IO, Any

from roofproof.errors import RoofproofError, quoted
from roofproof.sentences import Sentence

MEMORY = 2 * 2**30  # bytes
MOST = 2**24  # bytes of an answer
PREFIXES = ("CUDA_", "JAX_", "LC_", "OMP_", "PYTHON", "TORCH_", "XLA_")
KEPT = ("HOME", "LANG", "PATH", "SYSTEMROOT", "TZ", "VIRTUAL_ENV")  # environment variables passed on, with PREFIXES
Handler = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class OutOfTime(RoofproofError):
    """The time limit has passed, which implies nothing about the answer."""


class ChildProcess:
    """A child process that answers questions about the code in it. As a context manager, it ends the process on exit.

    `answers` names the function that answers in the child, as MODULE:FUNCTION. `name` is the code's name in messages.
    Raises a one-line RoofproofError if the code refuses, the process ends, or an answer is invalid. Raises OutOfTime
    if all answers together take more than `seconds`.
    """

    def __init__(self, answers: str, name: str, seconds: int | None, memory: int = MEMORY, shown: bool = False) -> None:
        module, _, function = answers.partition(":")
        code = f"import sys; sys.path.append({str(Path(__file__).parents[1])!r}); "
        code += f"from roofproof.apart import serve; from {module} import {function}; "
        code += f"serve({function}, {name!r}, {memory}, {shown})"
        self._home = TemporaryDirectory()
        kept = {n: v for n, v in os.environ.items() if n in KEPT or n.startswith(PREFIXES)}
        kept |= dict.fromkeys(("TEMP", "TMP", "TMPDIR"), self._home.name)
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", code],  # no file in this folder may shadow a module of Python
            env=kept, start_new_session=True, stdin=pipe, stdout=pipe, stderr=pipe if shown else nowhere,
        )  # fmt: skip
        assert self._process.stdin is not None and self._process.stdout is not None
        self._into, self._from = self._process.stdin, self._process.stdout
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._name, self._memory = quoted(name), memory
        self._ended: RoofproofError | None = None
        self._seconds, self._until = seconds, None if seconds is None else monotonic() + seconds
        Thread(target=_read, args=(self._from, self._lines), daemon=True).start()
        self._showing = Thread(target=_show, args=(self._process.stderr,), daemon=True) if shown else None
        if self._showing is not None:
            self._showing.start()

    def __enter__(self) -> ChildProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if hasattr(os, "killpg"):  # not on every system
            with suppress(ProcessLookupError, PermissionError):  # the whole process group has ended
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        if self._showing is not None:
            self._showing.join(1)
        for pipe in (self._into, self._from):
            with suppress(OSError):  # the child did not read every question
                pipe.close()
        self._home.cleanup()

    def restart_timer(self, seconds: int) -> None:
        """Restart the time limit, with `seconds` for the next questions."""
        self._seconds, self._until = seconds, monotonic() + seconds

    @property
    def ended(self) -> bool:
        """Whether the process has stopped answering."""
        return self._ended is not None

    def ask(self, **question: object) -> dict[str, Any]:
        """Return the answer to a question. Once the process has ended, every question raises the same error."""
        if self._ended is None:
            number = token_hex(16)
            with suppress(OSError):  # if the process has ended, reading the answer shows it
                self._into.write(json.dumps({**question, "number": number}).encode() + b"\n")
                self._into.flush()
            said = self._answer(number)
        if self._ended is not None:
            raise self._ended
        if "refused" in said:
            raise _error_from_json(said["refused"])
        return said

    def _answer(self, number: str) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=None if self._until is None else max(0, self._until - monotonic()))
        except Empty:
            self._ended = OutOfTime(f"stopped: {self._name} did not end within {self._seconds} s")
            return {}
        if not line:
            status = self._process.wait()
            self._ended = RoofproofError(
                "<name> ended the process (exit status <status>) before it was done; it may use <most> GiB of memory",
                name=self._name, status=status, most=self._memory // 2**30,
            )  # fmt: skip
            return {}
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict) or said.get("number") != number:
            form = "<name> wrote an answer of its own; expected code that only returns a value"
            self._ended = RoofproofError(form, name=self._name)
            return {}
        return said


def _error_to_json(error: RoofproofError) -> Any:
    """Return an error message as JSON data, with its form and parts if it can be translated."""

    def data(said: str) -> Any:
        return [said.form, {n: data(p) for n, p in said.parts.items()}] if isinstance(said, Sentence) else str(said)

    return data(error.said)


def _error_from_json(data: Any) -> RoofproofError:
    def text_of(data: Any) -> str:
        if isinstance(data, list):
            form, parts = data
            return Sentence(text_of(form), **{name: text_of(part) for name, part in parts.items()})
        return data if isinstance(data, str) and data.isprintable() else "?"

    try:
        message = text_of(data)
        return (
            RoofproofError(message.form, **message.parts) if isinstance(message, Sentence) else RoofproofError(message)
        )
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return RoofproofError("the code was refused")


def _show(pipe: IO[bytes]) -> None:
    with suppress(OSError, ValueError):
        for line in pipe:
            print(line.decode("utf-8", "replace"), end="", file=sys.stderr)


def _read(pipe: IO[bytes], lines: SimpleQueue[bytes]) -> None:
    with suppress(OSError, ValueError):  # closed by the other thread
        while line := pipe.readline(MOST):
            lines.put(line)
    lines.put(b"")


def serve(answer: Handler, name: str, memory: int, shown: bool = False) -> None:
    """Answer the questions on standard input until it ends, and discard everything else that the process prints."""
    asked, told = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0,) if shown else (0, 1, 2):
        os.dup2(nowhere, stream)
    if shown:
        os.dup2(2, 1)
    limit_memory(memory)
    for line in asked:
        question = json.loads(line)
        said = _answer_or_refusal(partial(answer, question), name, memory)
        with suppress(AttributeError, OSError, ValueError):  # closed by the code
            sys.stdout.flush()
            sys.stderr.flush()
        told.write(json.dumps({**said, "number": question["number"]}).encode() + b"\n")
        told.flush()
    os._exit(0)  # even if the code left threads running


def _answer_or_refusal(answer: Callable[[], Mapping[str, Any]], name: str, memory: int) -> dict[str, Any]:
    """Return an answer, or the reason why there is none."""
    try:
        return dict(answer())
    except RoofproofError as refused:
        return {"refused": _error_to_json(refused)}
    except MemoryError:
        return {"refused": f"{quoted(name)} takes more than {memory // 2**30} GiB of memory"}
    except BaseException as problem:  # also an interrupt, and exception classes that the code defines
        told_of = quoted(f"{type(problem).__name__}: {problem}".removesuffix(": "))
        return {"refused": f"{quoted(name)} fails: {told_of}"}


def limit_memory(most: int) -> None:
    """Limit the memory of this process to `most` bytes, on systems that have limits."""
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)  # never raise an existing limit
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def run_in_child(work: Callable[[], Any], name: str, seconds: int, memory: int = MEMORY) -> Any:
    """Run `work` in a forked child process and return its result, which must be JSON data.

    >>> run_in_child(lambda: {"two": 1 + 1}, "sum.py", 60)
    {'two': 2}
    >>> run_in_child(lambda: os._exit(3), "leaves.py", 60)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'leaves.py' ended the process (exit status 3) before it was done

    Raises RoofproofError if the work does, if it takes longer than `seconds`, or if the child ends early. On systems
    without fork, the work runs in this process.
    """
    if not hasattr(os, "fork"):
        return work()
    back, out = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # about threads: they only read and print output
        child = os.fork()
    if child == 0:
        for number in range(3, out):  # inherited pipes to the process that asks
            with suppress(OSError):
                os.close(number)
        os.closerange(out + 1, 1024)
        with os.fdopen(out, "wb") as told:
            told.write(json.dumps(_answer_or_refusal(lambda: {"done": work()}, name, memory)).encode())
        os._exit(0)
    os.close(out)
    found = bytearray()
    until = monotonic() + seconds
    with os.fdopen(back, "rb", 0) as pipe:
        while (left := until - monotonic()) > 0 and len(found) <= MOST and select([pipe], [], [], left)[0]:
            if not (more := pipe.read(2**16)):
                break
            found += more
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if left <= 0:
        raise RoofproofError("stopped: <name> did not end within <seconds> s", name=quoted(name), seconds=seconds)
    try:
        said = json.loads(bytes(found))
    except (ValueError, RecursionError):
        code = os.waitstatus_to_exitcode(status)
        raise RoofproofError(
            "<name> ended the process (exit status <code>) before it was done", name=quoted(name), code=code
        ) from None
    if "refused" in said:
        raise _error_from_json(said["refused"])
    return said["done"]
