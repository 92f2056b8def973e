"""Hostile input at every entry point gives a result or one line, in bounded time and memory, without side effects.

The long run reads 200,000 inputs in parallel processes and prints the outcomes:

    python -m pytest -q -s tests/attacks/test_hostile_input.py -m long
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import hostile
import pytest

from roofproof.errors import RoofproofError

HERE = Path(__file__).resolve().parent
PATIENCE = 3_600  # wall-clock seconds for one process, on a busy machine


def child(seed: int, count: int, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the report of one process. If it dies or hangs, report the input that caused it."""
    with tempfile.TemporaryDirectory() as home:
        ledger = os.path.join(home, "ledger")
        command = [sys.executable, str(HERE / "hostile_child.py"), str(seed), str(count), ledger, *names]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
            if done.returncode == 0:
                report: dict[str, Any] = json.loads(done.stdout)
                return report
            why = f"the process ended with {done.returncode}: {done.stderr[-500:]}"
        except subprocess.TimeoutExpired:
            why = f"no end after {PATIENCE} s"
        name, text = json.loads(Path(ledger).read_text() or '["start", ""]')
        return {"counts": {}, "failures": [(name, text, why)], "slowest": (0.0, "", ""), "megabytes": 0, "seconds": 0}


def campaign(count: int, chunk: int, seed: int, workers: int) -> tuple[str, list[str]]:
    """Return the counts as text, and every failure."""
    with ThreadPoolExecutor(workers) as pool:
        reports = list(pool.map(lambda i: child(seed + i, min(chunk, count - i * chunk)), range(-(-count // chunk))))
    read, refused = Counter[str](), Counter[str]()
    for report in reports:
        for name, (results, refusals) in report["counts"].items():
            read[name] += results
            refused[name] += refusals
    failures = [f"{n}: {why}: {text!r}" for r in reports for n, text, why in r["failures"]]
    slowest = max(r["slowest"][0] for r in reports)
    lines = [f"{n}: {read[n]} read, {refused[n]} refused" for n in hostile.ENTRANCES]
    total = read.total() + refused.total()
    largest = max(r["megabytes"] for r in reports)
    lines.append(f"{total} inputs, {len(failures)} failures; slowest {slowest} s; largest process {largest} MB")
    return "\n".join(lines), failures


@pytest.mark.slow
def test_a_thousand_inputs() -> None:
    told, failures = campaign(1_000, 1_000, seed=7_000_000, workers=1)
    assert not failures, "\n".join(failures)
    assert told.splitlines()[-1].startswith("1000 inputs, 0 failures")


@pytest.mark.long
def test_two_hundred_thousand_inputs(capsys: pytest.CaptureFixture[str]) -> None:
    told, failures = campaign(200_000, 5_000, seed=Random().randrange(10**6), workers=os.cpu_count() or 1)
    with capsys.disabled():
        print("\n" + told)
    assert not failures, "\n".join(failures)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("says", "text"),
    [
        ("open", "open('pwned', 'w')"),
        ("compile", "exec('1')"),
        ("compile", "compile('1 + 1', '<text>', 'eval')"),
        ("socket", "__import__('socket').socket()"),
        ("subprocess.Popen", "__import__('subprocess').run(['true'])"),
        ("os.system", "__import__('os').system('true')"),
        ("mkdir", "__import__('os').mkdir('pwned')"),
        ("rename", "__import__('os').rename('x.toml', '/tmp/pwned')"),
        ("more than", "all(i for i in range(1, 10**10))"),
        ("MemoryError", "bytearray(10**9)"),
        ("recursion", "(f := lambda: f())()"),
        ("characters", "(_ for _ in ()).throw(type('Long', (RoofproofError,), {'__str__': lambda _: 'x' * 2000}))"),
        ("more than one line", "(_ for _ in ()).throw(type('Two', (RoofproofError,), {'__str__': lambda _: '1\\n2'}))"),
    ],
)
def test_the_guard_sees_what_it_is_for(says: str, text: str) -> None:
    """The guard catches an entry point that evaluates its text, whatever the text does."""
    code = (
        "import hostile, hostile_child as child, json, os, resource, signal\n"
        "from pathlib import Path\n"
        "from roofproof.errors import RoofproofError\n"
        "hostile.SECONDS = 1\n"
        f"made = compile({text!r}, {__file__!r}, 'eval')\n"
        "run = lambda _: eval(made, {'RoofproofError': RoofproofError})\n"
        "object.__setattr__(hostile.ENTRANCES['sizes'], 'read', run)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (10**9, 10**9))\n"
        "signal.signal(signal.SIGPROF, child.out_of_time)\n"
        "print(child.fault('sizes', '', child.Guard('.')))\n"
    )
    with tempfile.TemporaryDirectory() as home:
        paths = os.pathsep.join([str(HERE), str(HERE.parents[1])])
        inside = {**os.environ, "PYTHONPATH": paths}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=home, env=inside)
        assert says in done.stdout, done.stdout + done.stderr
        assert os.listdir(home) == []


# --- failures found and fixed ----------------------------------------------------------------------

# entry point, input: each once ended in an unexpected error, or in an endless message
CHECK = "check\n--op\nmatmul\n--chip\ntpu-v5e\n--for\nB\n--regime\nD, F >> B\n--answer\n"
FOUND = [
    ("chip text", "bf16=1.97e14 FLOP/½, hbm=820 GB/s"),
    ("chip text", "dram=48nan"),
    ("chip text", "bf16=1 TFLOP/s, " + "pcie" * 300),
    ("chip file", "hbm = " + "9" * 5_000),
    ("answer", r"\sqrt[3]{BDFsqrt(-1)}"),
    ("latex", r"\text\mathrm{}1"),
    ("latex", r"\frac{BDF}\text{BD+DF+BF}"),
    ("latex", r"\sqrt\mathrm{}]{BDF}"),
    ("latex", r"I = 3 \text{GB/s}C"),
    ("draft", r"$$ I = 240 \text{ FLOPs/Byte}CACHE $$"),
    ("expression", "(-8)^(1/3)"),
    ("claim", '[[claim]]\nid = "a"\nsays = "smallest(n, floor(n/7) > 10^30) == 1"'),
    ("claim", '[[claim]]\nid = "a"\nsays = "smallest(n, log2(n) > 10^6) == 1"'),
    ("command line", "derive\n" + ", ".join(f"bf16[a{i},b]" for i in range(200)) + " -> []\n--for\nb"),
    ("command line", "derive\nbf16[" + ",".join(f"a{i}" for i in range(400)) + "] -> []\n--for\na7"),
    ("command line", "--version " * 200),
    ("command line", CHECK + "B > 120" * 25),
    ("sharding", "A[I" + "9" * 5_000 + ", J] -> A[I, J]"),
    ("grades of an earlier run", "[" * 100_000 + "\n"),
    ("profile", "Dispatch_Id,Kernel_Name,Counter_Name,Start_Timestamp,End_Timestamp\n1,mul,FETCH_SIZE,1000,6000\n"),
    ("profile", '[{"m\\ud800": 16, "ms": 7.5}]'),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "text"), FOUND, ids=lambda x: x[:30])
def test_found_before(name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    start = time.thread_time()
    try:
        hostile.ENTRANCES[name].read(text)
    except RoofproofError as refused:
        hostile.check_message(str(refused))
    assert time.thread_time() - start < hostile.SECONDS
