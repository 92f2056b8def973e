"""How many cases of thresholds are told line by line, and what solving, proving and telling them take.

`python -m benchmarks.derivations [--quick] [--chip tpu-v5e]`: every operation of the library, for each of its sizes.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from benchmarks.report import show, table
from roofproof import chip, op
from roofproof.derive.roofline.critical_size import threshold as solved
from roofproof.errors import RoofproofError
from roofproof.ops import entries
from roofproof.ops.roles import usual_sizes
from roofproof.proofs.provers.critical_size import threshold as proved
from roofproof.proofs.steps.thresholds import threshold_steps

LONG = ("prefill", "generate", "decode-step", "training-step")  # minutes each
FEW = ("matmul", "attention-core", "grouped-matmul")
T = TypeVar("T")


def measure(names: Sequence[str], on: str | None) -> tuple[Counter[str], Counter[str]]:
    """Return counts of thresholds and cases, and processor seconds; proving is all but solving."""
    counts, seconds = Counter[str](), Counter[str]()

    def timed(what: str, job: Callable[[], T]) -> T:
        start = time.process_time()
        try:
            return job()
        finally:
            seconds[what] += time.process_time() - start  # float: a measurement

    for name in names:
        operation = op(name)
        usual = usual_sizes(operation, None) if on else {}
        for size in operation.dims:
            x, at = size.name, {k: n for k, n in usual.items() if k != size.name}
            try:
                timed("solve", lambda: solved(operation, on and chip(on), x, at))  # noqa: B023  (called at once)
                found = timed("solve and prove", lambda: proved(operation, on and chip(on), x, at))  # noqa: B023
            except RoofproofError:
                continue
            counts["thresholds"] += 1
            steps = timed("tell", lambda: threshold_steps(found))  # noqa: B023
            ends = [branch.steps for branch in steps.branches] or [steps.common]
            counts["cases"] += len(ends)
            counts["told line by line"] += sum(all(s.known[0].statement.kind != "case" for s in end) for end in ends)
    return counts, seconds


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="three operations")
    parser.add_argument("--chip", help="with figures and usual sizes")
    asked = parser.parse_args(argv)
    names = FEW if asked.quick else [name for name in entries() if name not in LONG]
    counts, seconds = measure(names, asked.chip)
    rows = [[what, n] for what, n in counts.items()]
    rows += [["of all cases", f"{100 * counts['told line by line'] // counts['cases']} %"]]
    rows += [[f"{what}, s", float(s)] for what, s in seconds.items()]  # float: for the eye
    show("Thresholds told line by line", table(["what", asked.chip or "no chip"], rows))


if __name__ == "__main__":
    main()
