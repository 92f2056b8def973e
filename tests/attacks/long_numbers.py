"""Questions whose numbers grow without bound: `python long_numbers.py SEED COUNT` asks them under limits.

Each is a command line that runs in its own process with three gigabytes and ten seconds of processor time.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import resource
import sys
import tempfile
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random

from roofproof.cli import main

SECONDS, MEMORY, LONGEST = 20, 3 << 30, 5_000
FORMULAS = """
1e400|1e-400|1e60|1e-60|10^300 n|10^-60 n|2^n|2^(n m)|2^2^n|2^-n|0.5^n|(2/3)^n|n^n|n^m|n^-m|
n^m^n|2 n m^n|(n+1)^(m+1)|n^64|(n+m)^64|(1+1/m)^n|(1+10^-60)^n|2^(n^2)|2^(n/3)|2^sqrt(n)|sqrt(n)^m|
floor(sqrt(2)^n)|ceil(n/3)^m|ceil(log2(2^n+1))|ceil(n/10^300)|floor(n 10^60)|2^ceil(log2(n))|n^log2(m)|
log2(log2(n+4))|log2(n)^64|sqrt(sqrt(sqrt(n m)))|n^(1/7)|6^n/3^m|max(2^n, n^64)|min(2^n, n)|2^1000|
10^59 n|2^1024 n|1/2^n|n log2(n)|n|n m|n^2 + m|sqrt(2^n)|2^(2^n) / m|99999999999999999999999999
""".replace("\n", "").split("|")
CLAIMS = """
2^(10^6)|10^4300|7^5000|(10^60)^64|2^2^2^2^2|sum(n^20, n, 1, m)|smallest(k, 2^k > 10^300)|
largest(k, 2^k < 10^1000)|solve(x^2 == 10^301, x)|minimum(x + 10^300/x, x)|limit(2^n/n)|degree(n^1000, n)|
floor(log2(10^300))
""".replace("\n", "").split("|")
RELATIONS = ["{} == {}", "{} > {}", "{} ~= {}", "n > {} => n > {}", "{} {} > 1", "{} < {} <=> n > 1", "not {} > {}"]
SIZES = ["n=1", "n=64", "n=5000", "n=1000000", "n=999999999999999999999999999999", "n=4096,m=4096", "n=100000,m=2"]


def question(random: Random) -> list[str]:
    """Return a random command line. For `verify` the last word is the claim, not a file name."""
    a, b = random.choice(FORMULAS), random.choice(FORMULAS)
    op = f"flops bf16 = {a}; bytes hbm = {b}"
    at = ["--at", random.choice(SIZES)]
    match random.randrange(8):
        case 0 | 1:
            chip, solved = ["--chip", "tpu-v5e"], ["--chip", "tpu-v5e", "--for", "B"]
            asked = random.choice((["flops"], ["bytes"], ["intensity"], ["time", *chip], ["threshold", *solved],
                                   ["smallest", *solved, "--at", "D=4096,F=4096"]))  # fmt: skip
            answer = re.sub(r"\bm\b", "D", re.sub(r"\bn\b", "F", a))
            return ["grade", "--op", "matmul", "--asks", *asked, "--answer", answer, "--reveal"]
        case 2:
            asks = random.choice(("flops", "bytes", "intensity", "time"))
            return ["grade", "--op", op, "--chip", "tpu-v5e", "--asks", asks, "--answer", random.choice(FORMULAS), *at]
        case 3:
            return ["derive", op, "--chip", "tpu-v5e", *at, random.choice(("--json", "--latex", "--lang=zh"))]
        case 4:
            return ["derive", op, "--chip", "tpu-v5e", "--for", random.choice("nm")]
        case 5:
            return ["time", op, "--chip", "tpu-v5e", *at, *random.choice(([], ["--json"]))]
        case 6:
            out = random.choice(("x.svg", "x.tex", "x.md"))
            return [random.choice(("plot", "slides")), op, "--chip", "tpu-v5e", *at, "-o", out]
        case _:
            sides = random.choice(CLAIMS + FORMULAS), random.choice(CLAIMS + FORMULAS)
            return ["verify", random.choice(RELATIONS).format(*sides)]


def fault(words: list[str]) -> str:
    """Ask one question. Return the failure, or "" for an answer or a refusal in short lines."""
    if words[0] == "verify":
        says = json.dumps(words[1])
        Path("x.claims.toml").write_text(
            f'textbook = {{ title = "x", source = "x" }}\nclaim = [{{ id = "a", source = "x", says = {says} }}]'
        )
        words = ["verify", "x.claims.toml", "--workers", "1"]
    with tempfile.TemporaryFile() as told:
        sys.stdout.flush()
        if (child := os.fork()) == 0:
            _answer(words, told.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        told.seek(0)
        lines = told.read().decode(errors="replace").splitlines()
    if status not in (0, 1, 2):
        return f"ended with {status}: {' '.join(lines[-1:])[:300]}"
    longest = max(map(len, lines), default=0)
    return f"a line of {longest} characters" if longest > LONGEST else ""


def _answer(words: list[str], told: int) -> None:
    status = 99
    try:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        os.dup2(told, 1)
        os.dup2(told, 2)
        sys.stdout = sys.stderr = io.TextIOWrapper(
            os.fdopen(1, "wb", closefd=False), encoding="utf-8", write_through=True
        )
        status = main(words)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def questions(seed: int, count: int) -> Iterator[list[str]]:
    random = Random(seed)
    return (question(random) for _ in range(count))


if __name__ == "__main__":
    for command in ("grade", "derive", "time", "plot", "slides", "verify"):
        import_module(f"roofproof.commands.{command}")
    asked = json.loads(sys.stdin.read()) if sys.argv[1] == "-" else questions(int(sys.argv[1]), int(sys.argv[2]))
    with tempfile.TemporaryDirectory() as home:
        os.chdir(home)
        with contextlib.redirect_stdout(io.StringIO()):  # trigger late imports once, before the forks
            main(["grade", "--op", "matmul", "--chip", "tpu-v5e", "--for", "B", "--answer", "B > 2 D"])
        found = [(words, wrong) for words in asked if (wrong := fault(words))]
        os.chdir("/")
    sys.stdout = sys.__stdout__
    print(json.dumps(found))
