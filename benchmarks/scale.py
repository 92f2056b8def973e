"""Measure how cost grows with what people bring: claims, answers, times, symbols, operands, layers, engines.

    python -m benchmarks.scale [--repeats 3] [--picture benchmarks/scale] [--json FILE]

Processor time, as in `benchmarks.depth`; the exponent is 1 where each further claim costs what the first did.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from benchmarks.depth import HEAD, Prepared, draw, grown, layers, solved
from benchmarks.report import keep, options, show, table
from roofproof import chip, op
from roofproof.claims.answers.grade import grade
from roofproof.claims.answers.question import Question
from roofproof.claims.language.book import book_from_text
from roofproof.claims.verifying import judged_claim
from roofproof.hardware import chip_from_text
from roofproof.ops import einsum, then
from roofproof.proofs import threshold
from roofproof.times.problems import Problem
from roofproof.times.records import floors
from roofproof.times.tables import times_from_text
from roofproof.times.validation import validate

LETTERS = "abcdefghi"
ENGINES, LEVELS = ("bf16", "fp32-vector"), ("hbm", "l2", "smem")


def judged(text: str) -> Callable[[], object]:
    def work() -> None:
        book = book_from_text(text)
        for k in range(len(book.claims)):
            judged_claim(book, k)

    return work


def claims(n: int) -> Callable[[], object]:
    says = (f"{i} a + {i + 1} b <= {i + 1} (a + b)" for i in range(n))
    return judged("".join(f"[[claim]]\nid = 'c{i}'\nsays = '{text}'\n" for i, text in enumerate(says)))


def squared(n: int) -> Callable[[], object]:
    names = [f"x{i}" for i in range(n)]
    return judged(f"[[claim]]\nid = 'a'\nsays = '({' + '.join(names)})^2 >= {' + '.join(f'{x}^2' for x in names)}'")


def summed(n: int) -> Callable[[], object]:
    names = [f"x{i}" for i in range(n)]
    return judged(f"[[claim]]\nid = 'a'\nsays = '{' + '.join(names)} >= {' + '.join(names[::2])}'")


def chained(k: int) -> Callable[[], object]:
    factors = ", ".join(f"bf16[{a},{b}]" for a, b in pairwise(LETTERS[: k + 1]))
    made = einsum(f"{factors} -> bf16[a,{LETTERS[k]}]")
    return lambda: threshold(made, chip("tpu-v5e"), "a")


def bound_by(n: int) -> Callable[[], object]:
    """Return the work of a threshold where each of two engines may wait for each of n/2 levels."""
    engines = ENGINES[:n]
    levels = LEVELS[: n // len(engines)]
    flops = (f"flops {name} = {2 ** (5 - 2 * k)} M N^{3 - k}" for k, name in enumerate(engines))
    moved = (f"bytes {name} = {6 + k} N^2 + {k + 1} M N" for k, name in enumerate(levels))
    on = chip_from_text("bf16=96 TFLOP/s, fp32-vector=3 TFLOP/s, hbm=1 TB/s, l2=2 TB/s, smem=8 TB/s")
    made = op("; ".join((*flops, *moved)))
    return lambda: threshold(made, on, "N")


def answers(n: int) -> Callable[[], object]:
    asked = Question(op("matmul"), chip("tpu-v5e"), "B", asks="threshold", at={"D": 4096, "F": 4096})
    return lambda: [grade(asked, f"B > {k}") for k in range(240, 240 + n)]


def times(n: int) -> str:
    return "m,n,k,seconds\n" + "".join(f"{64 + i % 997},{128 + i // 997},{i % 7 * 64 + 64},1\n" for i in range(n))


def floored(n: int) -> Callable[[], object]:
    product, read = op("fp16[m,k], fp16[k,n] -> fp16[m,n]"), times_from_text(times(n), "t.csv")
    return lambda: list(floors([Problem("product", product)], chip("h100-sxm"), times=read))


def validated(n: int) -> Callable[[], object]:
    read = times_from_text(times(n), "t.csv")
    return lambda: validate(read, chip("h100-sxm"))


def prepared() -> Prepared:
    return {
        "book, read and judged": ("claims", (100, 1000, 5000, 20_000), claims),
        "sum of n symbols, a part of it": ("symbols", (20, 50, 100, 200), summed),
        "square of a sum of n symbols": ("symbols", (10, 20, 50, 100), squared),
        "einsum of k operands, threshold": ("operands", (2, 3, 5, 8), chained),
        "sequence of k layers, threshold": ("layers", (1, 3, 10, 30, 100), lambda k: solved(then(*layers(k)), "B")),
        "engines by levels, threshold": ("pairs", (1, 2, 4, 6), bound_by),
        "wrong answers graded": ("answers", (30, 100, 300, 1000), answers),
        "times against a floor": ("times", (100, 1000, 10_000), floored),
        "times validated": ("times", (1000, 3000, 10_000), validated),
    }


def main(argv: Sequence[str] | None = None) -> None:
    asked = options(__doc__, argv, 3)
    rows, curves = grown(prepared(), asked)
    show(f"Scale, medians of {asked.repeats} runs", table(HEAD, rows))
    keep(asked, curves, lambda axes: draw(curves, axes, "claims, symbols, operands, layers, answers, times"))


if __name__ == "__main__":
    main()
