"""Questions with enormous numbers end in an answer or in one line, within bounded time and memory.

The long run asks two thousand questions and prints those that fail:

    python -m pytest -q -s tests/attacks/test_long_numbers.py -m long
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
SCRIPT = str(Path(__file__).with_name("long_numbers.py"))
TPU = ["--chip", "tpu-v5e"]
FOUND = [  # each once ended in a traceback, used gigabytes, or took more than twenty seconds
    ["grade", "--op", "matmul", "--asks", "flops", "--answer", "floor(sqrt(2)^B)"],
    ["grade", "--op", "matmul", *TPU, "--for", "B", "--answer", "B > 2 D^F"],
    ["grade", "--op", "flops bf16 = n; bytes hbm = 2^(n m)", *TPU, "--asks=time", "--at=n=10000000000", "--answer=n"],
    ["derive", "flops bf16 = 2^-n; bytes hbm = n^-m", *TPU, "--at", "n=100000,m=2", "--json"],
    ["time", "flops bf16 = n; bytes hbm = 2^(n^2)", *TPU, "--at", "n=999999999999999999999999999999"],
    ["time", "flops bf16 = 6^n/3^n; bytes hbm = min(2^n, n)", *TPU, "--at", "n=1000000", "--json"],
    ["time", "flops bf16 = n^64; bytes hbm = 1/2^n", *TPU, "--at", "n=4096000", "--json"],
    ["time", "flops bf16 = n log2(n); bytes hbm = ceil(log2(2^n+1))", *TPU, "--at", "n=5000"],
    ["plot", "flops bf16 = 2^-n; bytes hbm = 2^1000", *TPU, "--at", "n=1000", "-o", "x.svg"],
    ["plot", "flops bf16 = n^n; bytes hbm = 6^n/3^n", *TPU, "--at", "n=1000", "-o", "x.svg"],
]  # fmt: skip


def faults(*arguments: str, asked: Any = None) -> list[Any]:
    done = subprocess.run(
        [sys.executable, SCRIPT, *arguments], input=json.dumps(asked), capture_output=True, text=True, check=True
    )
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_what_was_found_ends_in_lines() -> None:
    assert faults("-", asked=FOUND) == []


@pytest.mark.slow
def test_a_few_questions_end_in_lines() -> None:
    assert faults("1", "6") == []


@pytest.mark.long
def test_two_thousand_questions_end_in_lines() -> None:
    found = [each for seed in range(20) for each in faults(str(100 + seed), "100")]
    print(*found, sep="\n")
    assert not found
