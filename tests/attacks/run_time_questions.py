"""Run-time questions: `python run_time_questions.py GROUP` in a tree prints the answer to each.

They show whether a changed package refuses to answer, proves less, or shows another answer.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

AT = "D=4096,F=4096"
SIZES = ("--for", "B", "--at", AT)
BOOK = """[[claim]]
id = "formula"
says = "a + b <= 2 max(a, b)"
[[claim]]
id = "wrong"
says = "a + b <= max(a, b)"
[[claim]]
id = "number"
says = "ridge(tpu-v5e@scaling-book, bf16) == 240"
[[claim]]
id = "right"
says = "flops(matmul) / flops(matmul) == 1"
[[claim]]
id = "digits"
says = "threshold(matmul, tpu-v5e, B) > 240"
let = { D = 4096, F = 4096 }
"""
QUESTIONS = (
    ["derive", "matmul", "--chip", "tpu-v5e", *SIZES],
    ["derive", "matmul", "--chip", "tpu-v5e", *SIZES, "--json"],
    ["derive", "matmul", "--for", "B", "--latex"],
    ["derive", "int8[B], fp16[N] -> fp32[B,1] @ bf16", "--chip", "bf16=0.05 TFLOP/s, hbm=5000 GB/s", "--for", "N",
     "--json"],
    ["derive", "dot", "--chip", "tpu-v5e", "--for", "N"],
    ["derive", "sliding-window-attention", "--chip", "h100-sxm", "--for", "W", "--at", "L=4096,k=128,h=8"],
    ["derive", "flops bf16 = 4 N k; flops exp = N; bytes memory = N", "--chip", "a10", "--for", "N"],
    ["derive", "flops bf16 = 4 N k; flops fp32-vector = N^2; bytes memory = N", "--chip", "h100-sxm", "--for", "N"],
    ["derive", "flops bf16 = 6; bytes memory = 4", "--chip", "bf16=2 FLOP/s, hbm=1 B/s"],
    ["derive", "--as", "table", "matmul", "--chip", "tpu-v5e", "--chip", "h100-sxm", *SIZES],
    ["derive", "--as", "table", "matmul", "--chip", "tpu-v5e", "--for", "B"],
    ["grade", "--op", "matmul", "--chip", "tpu-v5e", *SIZES, "--answer", "B > 120"],
    ["verify", "BOOK"],
)  # fmt: skip
ASKED = {"known": ("derive",), "table": ("derive",), "verdict": ("verify", "check")}  # by group, otherwise all


def answers(tree: Path, group: str = "") -> list[str]:
    """Return the answers of a tree to each question, or to the questions for a group of mutants."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, __file__, group], cwd=tree, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [str(text) for text in json.loads(done.stdout)]


def told(right: list[str], given: list[str]) -> str:
    """Return the effect of a change: `refused`, `says less`, `shows another answer` or `the same`.

    Status 2 or an exception is a refusal. An answer with less trust than before says less, even if it also differs.
    """
    if any(a[:1] in "01" and b[:1] not in "01" for a, b in zip(right, given, strict=False)):
        return "refused"
    other = [(a, b) for a, b in zip(right, given, strict=False) if a != b]
    if not other and len(right) == len(given):
        return "the same"
    less = all(b.count("undecided") + b.count("sampled") > a.count("undecided") + a.count("sampled") for a, b in other)
    return "says less" if less else "shows another answer"


def _answer(question: list[str]) -> str:
    from roofproof.cli import main

    said, refused = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(refused):
        try:
            status = main(question)
        except BaseException as problem:
            return f"{type(problem).__name__}: {problem}"
    lines = (line for line in said.getvalue().splitlines() if "seconds" not in line)
    return "\n".join([str(status), *lines, refused.getvalue()])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as home:
        book = Path(home) / "book.toml"
        book.write_text(BOOK, encoding="utf-8")
        asked = [[str(book) if word == "BOOK" else word for word in each] for each in QUESTIONS
                 if each[0] in ASKED.get(sys.argv[1], each)]  # fmt: skip
        print(json.dumps([_answer(each).replace(home, "") for each in asked]))
