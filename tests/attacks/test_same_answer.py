"""A verdict depends only on its input, not on the hash seed, earlier questions, `-O`, or the load of the machine."""

import ast
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from pathlib import Path

import pytest

from roofproof.derive.algebra.budget import Budget, remembered, spend, taken

ROOT = Path(__file__).resolve().parent.parent.parent
CHILD = Path(__file__).with_name("same_answer.py")
PREFILL = ["derive", "prefill", "--chip", "h100-sxm", "--for", "L"]


def claim(says: str, more: str = "") -> str:
    return f"[[claim]]\nid = \"a\"\nsays = '''{says}'''\n{more}"


QUICK: list[list[str] | str] = [
    claim("floor(floor(n/2)/2) >= floor(n/4)", 'given = "n integer"'),  # by z3
    claim("(I < P/W => min(t P, I W) == I W) and (I > P/W => min(P, I t W) == P)", 'given = "I, P, W > 0; t > 1"'),
    claim("smallest(n, ceil(n/128)*128 >= 1000 + n/7) == 1024"),
    claim("a^3 + b^3 + c^3 + d^4 >= 3 a b c"),
    ["derive", "convolution", "--for", "Q"],
    ["grade", "--op", "matmul", "--chip", "tpu-v5e", "--for", "B", "--answer", "B > 200"],
    PREFILL,
]
LONG: list[list[str] | str] = [
    *([["derive", op, *chip, "--for", x] for op, x in (("decode-step", "d"), ("prefill", "d"), ("generate", "L"))
       for chip in ([], ["--chip", "h100-sxm"])]),
    ["derive", "convolution", "--for", "K"],
    ["derive", "--as", "list", "matmul", "attention", "--chip", "h100-sxm", "--json"],
    ["verify", "--json", *map(str, sorted((ROOT / "roofproof").rglob("textbooks/*.toml"))[:2])],
]  # fmt: skip
OTHERS: list[list[str] | str] = [
    *(claim(f"x^2 + {k} y^2 >= {k % 3 + 1} x y") for k in range(60)),
    *(claim(f"floor((n + {k})/4) + floor(n/{k + 2}) <= n", 'given = "n integer"') for k in range(20)),
    *(["derive", op, "--for", x] for op, x in (("matmul", "B"), ("attention", "d"), ("dot", "N"), ("softmax", "N"))),
    *(["derive", f"bf16[B,D], bf16[D,F{k}] -> bf16[B,F{k}]", "--for", "B"] for k in range(16)),
]


def start(problems: list[list[str] | str], home: Path, seed: int, *options: str) -> subprocess.Popen[str]:
    """Start a process that answers the problems in order."""
    path = home / f"{seed}{''.join(options)}{len(os.listdir(home))}.json"
    path.write_text(json.dumps(problems), encoding="utf-8")
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *options, str(CHILD), str(path)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def answers(process: subprocess.Popen[str], patience: int = 300) -> list[str]:
    out, _ = process.communicate(timeout=patience)
    assert process.returncode == 0
    found: list[str] = json.loads(out)
    return found


@pytest.mark.slow
def test_the_same_answer_under_any_seed_in_any_order_without_assertions(tmp_path: Path) -> None:
    wanted = answers(start(QUICK, tmp_path, 0))
    assert "stopped" not in "".join(wanted)
    assert answers(start(QUICK[::-1], tmp_path, 1))[::-1] == wanted
    others = OTHERS[:8] + OTHERS[60:66]
    assert answers(start(others + QUICK, tmp_path, 2, "-O"))[len(others) :] == wanted


@pytest.mark.long
def test_the_same_answer_beside_busy_processes_and_after_a_hundred_others(tmp_path: Path) -> None:
    problems, seeds = QUICK + LONG, range(1, 6)
    wanted = answers(start(problems, tmp_path, 0), 1_200)
    assert "stopped" not in "".join(wanted) and len(OTHERS) == 100
    runs: list[tuple[list[list[str] | str], int, tuple[str, ...]]] = [(problems, seed, ()) for seed in seeds]
    runs += [(problems[::-1], 6, ("-O",)), (OTHERS + problems, 7, ())]
    with ThreadPoolExecutor(2) as pool:
        *found, backwards, after = pool.map(lambda one: answers(start(one[0], tmp_path, one[1], *one[2]), 1_800), runs)
    assert [*found, backwards[::-1], after[100:]] == [wanted] * len(runs)
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:  # each problem in its own process, all in parallel, and one of them with every seed
        alone = [start([problem], tmp_path, 8) for problem in problems]
        again = [start([PREFILL], tmp_path, seed) for seed in seeds]
        assert [told for process in alone for told in answers(process, 3_600)] == wanted
        assert [answers(process, 3_600) for process in again] == [[wanted[problems.index(PREFILL)]]] * len(seeds)
    finally:
        for process in busy:
            process.kill()


CLOCKS = {"time", "datetime", "signal", "timeit", "sched"}
WORDS = re.compile(r"\b(?:process_time|thread_time|perf_counter|setitimer|milliseconds:)|\"(?:timeout|tlimit)")
MEASURES = {"claims/verifying.py", "derive/atlas.py"}  # the seconds of a row, and its time limit
STOPS = {"proofs/oracles/smt.py": 2}  # a solver is stopped, which gives no answer
ROOMS = ("derive", "proofs", "claims", "audit", "ops", "hardware")


def clocks(source: str) -> list[str]:
    """Return the names in a source that read a clock, or may do so."""
    found = WORDS.findall(source)
    for node in ast.walk(ast.parse(source)):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found += [n for n in names if n.partition(".")[0] in CLOCKS or n == "roofproof.clock"]
    return found


def test_no_room_that_decides_looks_at_a_clock() -> None:
    package = ROOT / "roofproof"
    for path in (p for room in ROOMS for p in sorted((package / room).rglob("*.py"))):
        name = path.relative_to(package).as_posix()
        found = clocks(path.read_text(encoding="utf-8"))
        if name in MEASURES:
            found = [f for f in found if f != "roofproof.clock"]
        assert len(found) == STOPS.get(name, 0), f"{name} looks at a clock: {found}"


@pytest.mark.parametrize(
    "source", ["from time import thread_time", "import signal", 'solver.set("timeout", 5)', "import datetime as d"]
)
def test_a_clock_is_seen(source: str) -> None:
    assert clocks(source)


def test_what_is_remembered_takes_as_many_steps_as_what_is_new() -> None:
    @remembered(100)
    def twice(n: int) -> int:
        spend(n)
        return 2 * n

    @remembered(100)
    def four_times(n: int) -> int:
        spend(1)
        return twice(twice(n))

    for n in islice(cycle((3, 5, 3)), 9):
        before = taken()
        assert (four_times(n), taken() - before) == (4 * n, 3 * n + 1)
    budget = Budget(10)
    four_times(3)
    assert budget.left == 0
