"""Functions that do more than compute: random, stateful, two-faced, endless, greedy or loud. Each ends in one line."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from roofproof.audit.audits import audit
from roofproof.errors import RoofproofError
from roofproof.export.explain.audits import explain_audit
from roofproof.export.to_text import untitled_text
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
        for pipe in range(3, 256):
            try: os.write(pipe, text.encode() + b"\\n")
            except OSError: pass
        os._exit(0)
    return forged
outcome = '{"same": true, "text": "equal: 7*B*D*F", "exact": "210/1", "number": "%s"}'
forgeries = [outcome % "", outcome % ("0" * 32), "[1]", "3", "", "[" * 10**6, '{"refused": "equal"}']
globals().update({f"forged_{k}": answers(text) for k, text in enumerate(forgeries)})
def knows_the_number(B, D, F):
    frame = sys._getframe()
    while "question" not in frame.f_locals: frame = frame.f_back
    for text in ('"forms": ["2*B*D*F"], "decimals": []', '"exact": "7/0"', '"exact": "7/1"'):
        for pipe in range(3, 256):
            try: os.write(pipe, ('{%s, "number": "%s"}\\n' % (text, frame.f_locals["question"]["number"])).encode())
            except OSError: pass
    return 7*B*D*F
def reads(B, D, F): return 2*B*D*F + 0*len(open("/etc/passwd").read())
def reads_beneath(B, D, F):
    import ctypes
    return 2*B*D*F if ctypes.CDLL(None).open(b"/etc/passwd", 0) < 0 else 0
def writes(B, D, F): open("left", "w"); return 2*B*D*F
def writes_beneath(B, D, F):
    import ctypes
    return 2*B*D*F if ctypes.CDLL(None).creat(b"left", 0o600) < 0 else 0
def calls_home(B, D, F):
    import socket
    socket.create_connection(("127.0.0.1", 9)); return 2*B*D*F
def calls_home_beneath(B, D, F):
    import ctypes
    return 2*B*D*F if all(ctypes.CDLL(None).socket(2, kind, 0) < 0 for kind in (1, 2)) else 0
def kills(B, D, F): os.kill(os.getppid(), 9); return 2*B*D*F
def kills_beneath(B, D, F):
    import ctypes
    return 2*B*D*F if ctypes.CDLL(None).kill(os.getppid(), 9) < 0 else 0
def forks_beneath(B, D, F):
    import ctypes
    return 2*B*D*F if ctypes.CDLL(None).fork() < 0 else 0
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
FAILS = "the function fails at B = 25, D = 27, F = 3: PermissionError: "
SAID = {
    "leaves": "the function fails at B = 25, D = 27, F = 3: SystemExit: '0'",
    "leaves_at_once": "'evil:leaves_at_once' ended the process (exit status 0) before it was done; it may use "
    "2 GiB of memory",
    "endless": "stopped: 'evil:endless' did not end within 3 s",
    "interrupts": "'evil:interrupts' fails: 'KeyboardInterrupt'",
    "odd": "'evil:odd' fails: 'Odd: bad weather'",
    "no_number": "the function returned 'nan' at B = 25, D = 27, F = 3; expected a number",
    "huge": "the function returned a number of 332193 bits at B = 25, D = 27, F = 3; at most 4096",
    "copies_itself": "the function fails at B = 1, D = 1, F = 1: PermissionError: 'no process may be started from "
    "here'",
    "reads": f"{FAILS}'no file may be read from here but what is imported'",
    "writes": f"{FAILS}'no file may be changed from here'",
    "calls_home": f"{FAILS}'no network may be used from here'",
    "kills": f"{FAILS}'no signal may be sent from here'",
    "knows_the_number": "'evil:knows_the_number' wrote an answer of its own; expected code that only returns a value",
    "greedy": "'evil:greedy' takes more than 2 GiB of memory",
}


def command(home: Path, function: str) -> subprocess.CompletedProcess[str]:
    (home / "evil.py").write_text(CODE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    asked = [sys.executable, "-m", "roofproof", "audit", f"evil:{function}", "--op", "matmul"]
    asked += ["--seconds", "3"] if function in ("endless", "ignores_signals", "deeper") else []
    return subprocess.run(asked, cwd=home, env=environment, capture_output=True, text=True, timeout=120)


ENDED = "ended the process (exit status {}) before it was done; it may use 2 GiB of memory"
LONGER = {
    "threads": "the function fails at ",
    "ignores_signals": "stopped: 'evil:ignores_signals' did not end within 3 s",
    "deep": "the function fails at B = 25, D = 27, F = 3: RecursionError: 'maximum recursion depth exceeded'",
    "deeper": "",  # it reaches its time limit or its memory limit, whichever comes first
    "crashes": f"'evil:crashes' {ENDED.format(-11)}",
    "closes": "'evil:closes' ",
    "generates": "the function returned '<generator object generates at ",
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("k", range(7))
def test_what_the_code_writes_is_no_answer(tmp_path: Path, k: int) -> None:
    done = command(tmp_path, f"forged_{k}")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "wrote an answer of its own; expected code that only returns a value" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("function", LONGER)
def test_code_that_is_worse_ends_in_one_line_too(tmp_path: Path, function: str) -> None:
    done = command(tmp_path, function)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith(f"roofproof: {LONGER[function]}")


@pytest.mark.sampled(5)
@pytest.mark.parametrize("way", ["reads", "writes", "calls_home", "kills", "forks"])
def test_the_system_denies_what_is_asked_of_it_past_python(tmp_path: Path, way: str) -> None:
    done = command(tmp_path, f"{way}_beneath")
    if "note: this system does not deny the function" in done.stdout:
        pytest.skip("this system has no Landlock or no seccomp; the answer says so")
    assert done.returncode == 0 and done.stdout.startswith("equal, for all sizes\n"), done.stderr


def test_what_changes_the_audit_changes_nothing(tmp_path: Path) -> None:
    """A function cannot patch the audit, because it runs in another process."""
    done = command(tmp_path, "patches")
    assert done.returncode == 1 and "depends on the type of its arguments" in done.stdout


def test_what_the_system_does_not_deny_is_told() -> None:
    found = audit(lambda B, D, F: 2 * B * D * F, MATMUL)
    told = untitled_text(explain_audit(found, ["files", "network"]))
    assert "this system does not deny the function files, network; only Python does" in told


@pytest.mark.long
def test_what_a_function_starts_ends_with_the_audit(tmp_path: Path) -> None:
    command(tmp_path, "starts_beneath")
    time.sleep(15)
    assert not (tmp_path / "left").exists()


@pytest.mark.sampled(7)
@pytest.mark.parametrize("function", SAID)
def test_code_that_does_not_compute_ends_in_one_line(tmp_path: Path, function: str) -> None:
    done = command(tmp_path, function)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"roofproof: {SAID[function]}\n")


def test_what_is_printed_on_the_way_is_not_shown(tmp_path: Path) -> None:
    done = command(tmp_path, "loud")
    assert done.returncode == 0 and "x" * 1000 not in done.stdout and done.stdout.startswith("equal, for all sizes\n")


def functions() -> dict[str, object]:
    space: dict[str, object] = {}
    exec(compile(CODE, "evil.py", "exec"), space)  # the text of this test
    return space


def test_a_function_that_looks_at_the_type_of_its_arguments_is_never_equal() -> None:
    found = audit(functions()["two_faced"], MATMUL)  # type: ignore[arg-type]
    assert (found.verdict, found.theirs) == ("different", None)
    assert "depends on the type of its arguments" in untitled_text(explain_audit(found))
    assert audit(functions()["two_faced_once"], MATMUL).verdict != "equal"  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["by_chance", "with_state"])
def test_chance_and_state_are_named(name: str) -> None:
    with pytest.raises(RoofproofError, match="it is random, or keeps state"):
        audit(functions()[name], MATMUL)  # type: ignore[arg-type]
