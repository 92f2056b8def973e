"""A guarded process that reads hostile input: `python hostile_child.py SEED COUNT LEDGER [ENTRANCE...]`.

Time and memory are limited. Every attempt to run code, open a file for writing, connect, or start a process is
refused and counted as a failure. Each input is written to LEDGER before it is read, so it is known after a crash.
"""

from __future__ import annotations

import ast
import contextlib
import json
import os
import re
import resource
import signal
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType
from typing import Any

import hostile

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
FORBIDDEN = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.kill", "pty.",
    "pickle.", "ftplib.", "smtplib.", "urllib.", "http.", "shutil.move", "shutil.copy", "webbrowser.", "code.__new__",
    "os.chown", "os.link", "os.symlink", "os.putenv", "ctypes.dlopen", "winreg.",
)  # fmt: skip
# These libraries compile text of their own, never input: jinja2 numbers in a template,
# SymPy functions for a number of exponents, inspect signatures of built-in functions.
GENERATED = (
    "/jinja2/lexer.py", "/sympy/polys/monomials.py", "/dataclasses.py", "/inspect.py", "/jinja2/debug.py",
)  # fmt: skip
COMPILED = re.compile(
    r"_?Dummy_\d+|x\d+|def|return|_lambdifygenerated|amax|amin|maximum|minimum|sqrt|floor|ceil|log|log2|abs|axis|numpy|e"
    r"|select|logical_and|logical_or|greater|less|greater_equal|less_equal|equal|nan|True|False|default|array|reduce"
)


class Guard:
    """An audit hook that refuses and records, while armed, every action that no reader of text needs."""

    def __init__(self, home: str) -> None:
        self.home, self.armed, self.seen = os.path.realpath(home), False, list[str]()
        sys.dont_write_bytecode = True  # otherwise a module imported under guard would write a file
        sys.addaudithook(self.hook)

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        if not self.armed:
            return
        said = ""
        if event == "open":
            path, mode, flags = args
            writes = bool(flags & WRITING) if isinstance(flags, int) else any(c in (mode or "r") for c in "wax+")
            if writes and not self.inside(path):
                said = f"open {path!r} to write"
        elif event in ("exec", "compile"):
            code = args[0]
            file = getattr(code, "co_filename", None) if event == "exec" else args[1]
            own = isinstance(file, str) and os.path.isfile(file)
            if (
                not own
                and not self.importing()
                and not self.compiling(code)
                and not self.parsing(event)
                and not self.filling()
            ):
                said = f"{event} {str(code)[:80]!r}"
        elif event == "import" and not isinstance(args[0], str):
            said = f"import {args[0]!r}"
        elif event == "os.rename" and not (self.inside(args[0]) and self.inside(args[1])):
            said = f"rename {args[0]!r}"
        elif event == "code.__new__" and str(args[1]).endswith(".pyx"):
            pass  # a traceback entry for an error raised by a compiled library
        elif event in ("os.remove", "os.rmdir") and args[-1] != -1:
            pass  # inside a folder whose removal was already checked
        elif event in ("os.mkdir", "os.remove", "os.rmdir", "os.truncate", "shutil.rmtree") and not self.inside(
            args[0]
        ):
            said = f"{event} {args[0]!r}"
        elif event.startswith(FORBIDDEN) and not self.importing():
            said = event
        if said:
            self.seen.append(said)
            raise PermissionError(f"forbidden here: {said}")

    def inside(self, path: object) -> bool:
        if isinstance(path, int):
            return True  # an open file descriptor
        try:
            real = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            return True  # not a valid file name
        place = os.path.relpath(real, self.home).split(os.sep)[0]
        return place == "." or place.removeprefix(".").partition(".")[0] == hostile.OUT

    def compiling(self, code: object) -> bool:
        """Return whether SymPy compiles a formula to a function, with no name from the input.

        Cython compiles one constant text of its own when a compiled library raises an error.
        """
        if isinstance(code, CodeType):
            return code.co_filename.startswith("<lambdifygenerated")
        text = code.decode() if isinstance(code, bytes) else str(code)
        if text == "_getframe()":
            return True
        names = set(re.findall(r"[A-Za-z_]\w*", text))
        return "_lambdifygenerated" in names and not {n for n in names if not COMPILED.fullmatch(n)}

    def parsing(self, event: str) -> bool:
        """Return whether the caller is `ast.parse`, which makes a tree and runs no code."""
        caller = sys._getframe(2).f_code
        return event == "compile" and caller is ast.parse.__code__

    def filling(self) -> bool:
        """Return whether Jinja2 compiles a template made by its sandbox."""
        return sys._getframe(2).f_code.co_filename.endswith(("jinja2/environment.py", "jinja2/debug.py"))

    def importing(self) -> bool:
        """Return whether a module is being imported, or a library compiles text of its own (see GENERATED)."""
        frame = sys._getframe()
        while frame is not None:
            if frame.f_code.co_filename.startswith("<frozen importlib"):
                return True
            if frame.f_code.co_filename.endswith(GENERATED):
                return True
            frame = frame.f_back  # type: ignore[assignment]
        return False


class OutOfTime(BaseException):
    pass


def out_of_time(*_: object) -> None:
    raise OutOfTime


def fault(name: str, text: str, guard: Guard, armed: bool = True) -> str:
    """Read one input. Return the failure, "" for a result, or "-" for a one-line refusal."""
    from roofproof.errors import RoofproofError

    guard.seen.clear()
    refused = ""
    try:
        guard.armed = armed
        signal.setitimer(signal.ITIMER_PROF, hostile.SECONDS)
        try:
            found = hostile.ENTRANCES[name].read(text)
            refused = "-" if name == "command line" and found == 2 else ""
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            guard.armed = False
    except RoofproofError as error:
        refused = "-"
        try:
            hostile.check_message(str(error))
        except AssertionError as wrong:
            return str(wrong)
    except OutOfTime:
        return f"more than {hostile.SECONDS} s"
    except BaseException as error:
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:300]} ({Path(last.filename).name}:{last.lineno})"
    return "; ".join(guard.seen) or refused


def run(seed: int, count: int, ledger: int, names: list[str]) -> dict[str, Any]:
    started = time.monotonic()
    counts: dict[str, list[int]] = {n: [0, 0] for n in hostile.ENTRANCES}
    failures: list[tuple[str, str, str]] = []
    slowest = (0.0, "", "")
    with TemporaryDirectory() as home:
        os.chdir(home)
        allowed = {"x.toml"}
        os.environ["MPLCONFIGDIR"] = home
        guard = Guard(home)
        for name in names or hostile.ENTRANCES:  # trigger late imports before the guard is armed
            for text in hostile.ENTRANCES[name].corpus()[:10]:
                fault(name, text, guard, armed=False)
        with contextlib.suppress(ImportError):
            import matplotlib.font_manager  # noqa: F401
        allowed |= set(os.listdir(home))  # the font cache of matplotlib
        vsz = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (vsz + hostile.MEGABYTES * 2**20,) * 2)
        signal.signal(signal.SIGPROF, out_of_time)
        claims = hostile.said()["claims"]
        for i, (name, text) in enumerate(hostile.inputs(count, seed, names)):
            if name == "command line":
                Path("x.toml").write_text(claims[(seed + i) % len(claims)], encoding="utf-8")
            os.ftruncate(ledger, 0)
            os.pwrite(ledger, json.dumps([name, text]).encode(), 0)
            before = time.process_time()
            said = fault(name, text, guard)
            took = time.process_time() - before
            slowest = max(slowest, (round(took, 2), name, text[:2_000]))
            counts[name][said == "-"] += 1
            if said not in ("", "-"):
                failures.append((name, text, said))
            if name == "command line" and (
                written := {f for f in os.listdir(home) if not f.startswith(hostile.OUT)} - allowed
            ):
                failures.append((name, text, f"wrote {sorted(written)}"))
                allowed |= written
        os.chdir("/")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {
        "counts": counts, "failures": failures, "slowest": slowest, "megabytes": peak,
        "seconds": round(time.monotonic() - started, 1),
    }  # fmt: skip


if __name__ == "__main__":
    ledger = os.open(sys.argv[3], os.O_RDWR | os.O_CREAT)
    print(json.dumps(run(int(sys.argv[1]), int(sys.argv[2]), ledger, sys.argv[4:])))
