"""Code that does anything but compute: random, with state, two-faced, endless, greedy, loud; each ends in one line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roofproof.audit.audits import audit
from roofproof.audit.by_itself import refuse_other_values
from roofproof.errors import RoofproofError
from roofproof.export.text.audits import audit_text
from roofproof.ops import parse_operation

MATMUL = parse_operation("matmul")
ROOT = Path(__file__).parents[2]

CODE = """
import os, random, sys
calls = 0
def two_faced(B, D, F): return 3*B*D*F if isinstance(B, int) else 2*B*D*F
def two_faced_once(B, D, F): return 7 if B == 4096 and isinstance(B, int) else 2*B*D*F
def by_chance(B, D, F): return 2*B*D*F*random.random()
def with_state(B, D, F):
    global calls; calls += 1; return 2*B*D*F + (calls > 30)
def leaves(B, D, F): sys.exit(0)
def leaves_at_once(B, D, F): os._exit(0)
def endless(B, D, F):
    while True: pass
def no_number(B, D, F): return float("nan")
def huge(B, D, F): return 10**100000
def greedy(B, D, F): return len([0]*10**10)
def patches(B, D, F):
    import roofproof.audit.audits as audits
    audits.tells_apart = lambda *asked: False
    return (3 if type(B) is int else 2)*B*D*F
def threads(B, D, F):
    import threading, time
    threading.Thread(target=lambda: time.sleep(1000)).start()
    return 2*B*D*F
def ignores_signals(B, D, F):
    import signal
    for s in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM): signal.signal(s, signal.SIG_IGN)
    while True: pass
def deep(B, D, F): return deep(B, D, F)
def deeper(B, D, F):
    sys.setrecursionlimit(10**9)
    return deep(B, D, F)
def interrupts(B, D, F): raise KeyboardInterrupt
class Odd(BaseException): pass
def odd(B, D, F): raise Odd("bad weather")
def closes(B, D, F):
    os.closerange(3, 256)
    return 2*B*D*F
def crashes(B, D, F):
    import ctypes
    ctypes.string_at(0)
def generates(B, D, F): yield 2*B*D*F
copies = 0
def copies_itself(B, D, F):
    global copies; copies += 1
    if copies == 4: os.fork()  # one, lest a check that is broken on purpose takes the machine with it
    return 2*B*D*F
def answers(text):
    def forged(B, D, F):
        with open(sys.argv[2], "w") as file: file.write(text)
        os._exit(0)
    return forged
outcome = '{"same": true, "text": "equal", "values": %s}'
forgeries = [outcome % '["1/0"]', outcome % "[]", outcome % "3", "[1]", "3", '{"same": 1}', "", "[" * 10**6]
forgeries += ['{"refused": 1}']
globals().update({f"forged_{k}": answers(text) for k, text in enumerate(forgeries)})
def starts_beneath(B, D, F):
    global copies; copies += 1
    if copies == 4:
        import ctypes
        ctypes.CDLL(None).system(b"(sleep 15; touch left) &")
    return 2*B*D*F
def loud(B, D, F):
    for _ in range(1000): print("x"*1000)
    return 2*B*D*F
"""
SAID = {
    "leaves": "the function fails at B = 25, D = 27, F = 3: SystemExit: '0'",
    "leaves_at_once": "'evil:leaves_at_once' ended the process (exit status 0) before the audit was done; it may use "
    "2 GiB of memory",
    "endless": "stopped: 'evil:endless' did not end within 3 s",
    "interrupts": "'evil:interrupts' fails: 'KeyboardInterrupt'",
    "odd": "'evil:odd' fails: 'Odd: bad weather'",
    "no_number": "the function returned 'nan' at B = 25, D = 27, F = 3; a number is due",
    "huge": "the function returned a number of 332193 bits at B = 9, D = 9, F = 9; at most 4096",
    "patches": "'evil:patches' returns 3 at B = 1, D = 1, F = 1 by itself, where 2 is derived, and something else "
    "beside the audit; expected a function of its sizes alone",
    "copies_itself": "the function fails at B = 1, D = 1, F = 1: PermissionError: 'no process may be started from an "
    "audited function'",
    "greedy": "'evil:greedy' takes more than 2 GiB of memory",
}


def command(home: Path, function: str) -> subprocess.CompletedProcess[str]:
    (home / "evil.py").write_text(CODE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    asked = [sys.executable, "-m", "roofproof", "audit", f"evil:{function}", "--op", "matmul"]
    asked += ["--seconds", "3"] if function in ("endless", "ignores_signals", "deeper") else []
    return subprocess.run(asked, cwd=home, env=environment, capture_output=True, text=True, timeout=120)


ENDED = "ended the process (exit status {}) before the audit was done; it may use 2 GiB of memory"
LONGER = {
    "threads": "the function fails at ",
    "ignores_signals": "stopped: 'evil:ignores_signals' did not end within 3 s",
    "deep": "the function fails at B = 25, D = 27, F = 3: RecursionError: 'maximum recursion depth exceeded'",
    "deeper": "",  # its time or its memory, whichever ends first
    "crashes": f"'evil:crashes' {ENDED.format(-11)}",
    **{f"forged_{k}": f"'evil:forged_{k}' {ENDED.format(0)}" for k in range(9)},
    "generates": "the function returned '<generator object generates at ",
}


@pytest.mark.long
@pytest.mark.parametrize("function", LONGER)
def test_code_that_is_worse_ends_in_one_line_too(tmp_path: Path, function: str) -> None:
    done = command(tmp_path, function)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"roofproof: {LONGER[function]}")


@pytest.mark.long
def test_a_function_that_closes_files_is_audited_all_the_same(tmp_path: Path) -> None:
    done = command(tmp_path, "closes")
    assert done.returncode == 0 and done.stdout.endswith("equal, for all sizes\n")


@pytest.mark.long
def test_what_a_function_starts_ends_with_the_audit(tmp_path: Path) -> None:
    assert command(tmp_path, "starts_beneath").returncode == 0
    time.sleep(15)
    assert not (tmp_path / "left").exists()


@pytest.mark.parametrize("function", SAID)
def test_code_that_does_not_compute_ends_in_one_line(tmp_path: Path, function: str) -> None:
    done = command(tmp_path, function)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"roofproof: {SAID[function]}\n")


def test_what_is_printed_on_the_way_is_not_shown(tmp_path: Path) -> None:
    done = command(tmp_path, "loud")
    assert done.returncode == 0 and "x" * 1000 not in done.stdout and done.stdout.endswith("equal, for all sizes\n")


def functions() -> dict[str, object]:
    space: dict[str, object] = {}
    exec(compile(CODE, "evil.py", "exec"), space)  # the test's own text
    return space


def test_a_function_that_looks_at_the_type_of_its_arguments_is_never_equal() -> None:
    found = audit(functions()["two_faced"], MATMUL)  # type: ignore[arg-type]
    assert (found.verdict, found.theirs) == ("different", None)
    assert "it looks at the type of its arguments" in audit_text(found)
    assert audit(functions()["two_faced_once"], MATMUL).verdict != "equal"  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["by_chance", "with_state"])
def test_chance_and_state_are_named(name: str) -> None:
    with pytest.raises(RoofproofError, match="it is random, or keeps state; expected a function of its sizes alone"):
        audit(functions()[name], MATMUL)  # type: ignore[arg-type]


def test_a_function_that_by_itself_returns_no_number_is_refused() -> None:
    with pytest.raises(RoofproofError, match=r"^'m:f' returns no number at B = 3, D = 4, F = 5 by itself, where 120"):
        refuse_other_values("m:f", parse_operation("matmul"), "flops", None, [{"B": 3, "D": 4, "F": 5}], [""])
