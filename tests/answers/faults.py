"""Test whether the recorded answers catch faults: `python faults.py SEED N` draws N mutants, two a subpackage first.

Each mutant of `tests/attacks/mutants.py` is one change in a copy of the tree. One pass over the questions with the
unchanged code finds those that reach the place of a mutant and are answered as recorded. The changed code then answers
these, the quickest first, until one answer differs. It runs in a fork of a process that has imported nothing of the
package.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import sympy
import z3

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "attacks")]
import record  # noqa: E402
from mutants import MUTANTS  # noqa: E402
from mutation import Mutant, changed, copied, key  # noqa: E402

IMPORTED = (sympy, z3)  # once, before the forks
PATIENCE = 90  # seconds for one question, after which it counts as caught
MEMORY = 6 << 30  # bytes for one process
APART = (
    "trace",
    "audit",
    "apart.py",
)  # code that runs in other processes, which no probe reports, if a question has a Python file
Question = dict[str, Any]


def room(mutant: Mutant) -> str:
    return mutant[1].partition("/")[0]


def drawn(seed: str, count: int) -> list[int]:
    """Return the numbers of mutants of the package, drawn by a seed: two of each subpackage first, then others."""
    source = random.Random(seed)
    every = [k for k, m in enumerate(MUTANTS) if not m[1].startswith("..")]
    source.shuffle(every)
    rooms = defaultdict[str, list[int]](list)
    for k in every:
        rooms[room(MUTANTS[k]) if "/" in MUTANTS[k][1] else "top"].append(k)
    chosen = [k for found in rooms.values() for k in found[:2]]
    return sorted((chosen + [k for k in every if k not in chosen])[:count])


def probe(tree: Path) -> set[int]:
    """Make each statement that a mutant changes report when it is reached. Return the numbers of these mutants."""
    places, probed = defaultdict[str, list[int]](list), set()
    for k, mutant in enumerate(MUTANTS):
        if mutant[1].endswith(".py") and not mutant[1].startswith(".."):
            places[mutant[1]].append(k)
    for file, numbers in places.items():
        path = tree / "roofproof" / file
        text = path.read_text(encoding="utf-8")
        parsed = ast.parse(text)
        functions = [f for f in ast.walk(parsed) if isinstance(f, ast.FunctionDef)]
        blocks = [b for f in functions for n in ast.walk(f) for b in vars(n).values() if isinstance(b, list)]
        for k in numbers:
            old = MUTANTS[k][2]
            line = text[: text.index(old) + len(old) - len(old.lstrip())].count("\n") + 1
            around = [
                (s.end_lineno - s.lineno, n, i) for n, b in enumerate(blocks) for i, s in enumerate(b)
                if isinstance(s, ast.stmt) and s.lineno <= line <= s.end_lineno
            ]  # fmt: skip
            if around:
                _, n, i = min(around)
                blocks[n].insert(
                    i, ast.parse(f"__import__('builtins').__dict__.setdefault('reached', set()).add({k})").body[0]
                )
                probed.add(k)
        path.write_text(ast.unparse(ast.fix_missing_locations(parsed)), encoding="utf-8")
    return probed


def in_fork(tree: Path, work: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    """Yield the results of `work` in a fork that imports the package from a tree, and None if it stalls or dies."""
    reading, writing = Pipe(duplex=False)
    found, pid = None, os.fork()
    if not pid:
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            os.environ["PYTHONPATH"] = str(tree)
            sys.path[:] = [str(tree), *(p for p in sys.path if not (Path(p) / "roofproof").exists())]
            for found in work():
                writing.send(found)
            writing.send("ended")
        finally:
            os._exit(0)
    writing.close()
    try:
        while reading.poll(PATIENCE) and (found := reading.recv()) != "ended":
            yield found
        if not reading.poll(0) and found != "ended":
            yield None
    except EOFError:
        yield None
    finally:
        os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        reading.close()


def compared(questions: list[Question], recorded: dict[str, Any]) -> Iterator[tuple[str, float, list[Any], set[int]]]:
    """Yield each question's id, the seconds it took, the differences from the record, and the mutants it reached."""
    builtins.reached = set()
    for q in questions:
        start = time.monotonic()
        found = record.differences(q, recorded[q["id"]], record.ask(q))
        yield q["id"], time.monotonic() - start, found, builtins.reached
        builtins.reached.clear()


def in_turn(names: list[str]) -> list[str]:
    """Return the first question of each kind, then the second of each, and so on."""
    kinds, turns = Counter[str](), defaultdict[int, list[str]](list)
    for name in names:
        kind = name.partition("/")[0]
        turns[kinds[kind]].append(name)
        kinds[kind] += 1
    return [name for turn in turns.values() for name in turn]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed")
    parser.add_argument("count", type=int)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of mutants, instead of those drawn")
    parser.add_argument("--seconds", type=float, default=300, help="how long to ask about one mutant")
    parser.add_argument("--reach", help="a file that keeps what the questions reach from one run to the next")
    parser.add_argument("--of", nargs="*", default=record.names(), help="the files of questions")
    given = parser.parse_args()
    questions = {q["id"]: q for name in given.of for q in record.read("questions", name) if not record.missing(q)}
    recorded = {r["id"]: r for name in given.of for r in record.read("recorded", name)}
    caught, chosen = 0, given.only or drawn(given.seed, given.count)
    with tempfile.TemporaryDirectory() as home:
        tree, again = copied(Path(home).resolve() / "mutants"), copied(Path(home).resolve() / "probes")
        probed = probe(again)
        kept = Path(given.reach or os.path.join(home, "reach"))
        reach = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        new = [q for q in questions.values() if q["id"] not in reach and q["id"] in recorded]
        for found in in_fork(again, lambda: compared(new, recorded)):
            if found is None:
                print("the engine as it is does not end with the questions")
                return 2
            name, seconds, differ, reached = found
            reach[name] = [seconds, sorted(reached)]
            if differ:
                print(f"left out, as it differs on the engine as it is: {name}: {differ[0]}"[:300], flush=True)
                reach[name] = [seconds, None]
        kept.write_text(json.dumps(reach), encoding="utf-8")
        there = {name: each for name, each in reach.items() if name in questions and each[1] is not None}
        right = in_turn(sorted(there, key=lambda name: there[name][0]))
        for k in chosen:
            apart = room(MUTANTS[k]) in APART
            asked = [
                questions[n] for n in right
                if k in reach[n][1] or k not in probed or (apart and ".py" in str([*questions[n].get("files", {})]))
            ]  # fmt: skip
            begun, by = time.monotonic(), ""
            with changed(tree, MUTANTS[k]):
                for i, found in enumerate(in_fork(tree, lambda asked=asked: compared(asked, recorded))):
                    if found is None or found[2]:
                        by = asked[i]["id"] + ": " + (" -> ".join(map(str, found[2][0])) if found else "no end")
                    if by or time.monotonic() - begun > given.seconds:
                        break
            caught += bool(by)
            tried = f"{len(asked)} questions reach it" if k in probed else "asked all"
            said = f"{k:3} {'caught' if by else 'MISSED'} {time.monotonic() - begun:4.0f} s  {key(MUTANTS[k])[:160]}"
            print(said, by[:200] or tried, sep="  ", flush=True)
    print(f"{len(chosen)} faults, {caught} caught")
    return caught < len(chosen)


if __name__ == "__main__":
    sys.exit(main())
