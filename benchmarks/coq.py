"""Measure what a theorem costs in Coq: a checker that is proved right, run on data, against tactics.

    python -m benchmarks.coq [--repeats 3] [--json FILE]

Processor time of `coqc`, less that of a file that only loads the libraries; the library of the checker is compiled
before, once. Both prove the same theorems of the kernel, those behind thresholds with a symbolic ridge point.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from benchmarks.coq_tactics import HEAD, RULES, Unwritten, by_tactics
from benchmarks.report import keep, options, show, table
from benchmarks.running import NoAnswer, cpu_seconds, process
from roofproof import op, threshold
from roofproof.proofs.known import Known
from roofproof.proofs.replay.certificate import before
from roofproof.proofs.replay.coq.files import LIBRARY, NEEDED, coq_files
from roofproof.proofs.replay.coq.theorems import script

CASES = [("dot", "N"), ("split-matmul", "D"), ("matmul", "B"), ("fsdp", "B"), ("decode-attention", "r"),
         ("latent-attention", "h")]  # fmt: skip
SECONDS = 300


def coqc(text: str, folder: Path, library: Path) -> float:
    """Return the processor time that Coq takes for a file; raise NoAnswer where it refuses it."""
    path = folder / "tried.v"
    path.write_text(text, encoding="utf-8")
    start = cpu_seconds()
    said = process(["coqc", "-q", "-R", str(library), "Roofproof", str(path)], "", SECONDS, {})
    if "Error" in said:
        raise NoAnswer(" ".join(said.split())[:300])
    return cpu_seconds() - start


def compiled(folder: Path) -> float:
    """Compile the library, and return the processor time."""
    spent = 0.0  # float: a time
    for name, (text, _) in coq_files([]).items():
        if name.startswith("library/"):
            (folder / name.removeprefix("library/")).write_text(text, encoding="utf-8")
    for name in LIBRARY:
        start = cpu_seconds()
        process(["coqc", "-q", "-R", str(folder), "Roofproof", str(folder / f"{name}.v")], "", SECONDS, {})
        spent += cpu_seconds() - start
    return spent


def theorems(name: str, unknown: str) -> list[Known]:
    """Return what is known of a threshold by theorems that the tactics have words for: no limits."""
    known = threshold(op(name), None, unknown).derivation
    return [k for k in known if k.theorem is not None and {t.rule for t in before(k.theorem)} <= RULES]


def main(argv: Sequence[str] | None = None) -> int:
    asked = options(__doc__ or "", argv, 3)
    asked.picture = None  # the table says it all
    if shutil.which("coqc") is None:
        print("coqc is not installed (Debian: apt install coq)", file=sys.stderr)
        return 0
    repeats = 1 if asked.quick else asked.repeats
    rows, kept, sums, count = [], {}, [0.0, 0.0], 0  # float: times
    with tempfile.TemporaryDirectory() as home:
        folder = library = Path(home)
        made = compiled(library)
        empty = [median(coqc(text, folder, library) for _ in range(repeats)) for text in (NEEDED, HEAD)]
        for name, unknown in CASES[: 2 if asked.quick else None]:
            known = theorems(name, unknown)
            texts = [NEEDED + script(known).text, ""]
            try:
                texts[1] = by_tactics([k.theorem for k in known if k.theorem is not None])
                spent = [median(coqc(t, folder, library) for _ in range(repeats)) - e
                         for t, e in zip(texts, empty, strict=True)]  # fmt: skip
            except (NoAnswer, Unwritten):
                rows.append([f"{name} for {unknown}", len(known), "", "the tactics fail", ""])
                continue
            each = [1000 * s / len(known) for s in spent]
            kept[f"{name} for {unknown}"] = {"theorems": len(known), "checker ms": each[0], "tactics ms": each[1]}
            rows.append([f"{name} for {unknown}", len(known), f"{each[0]:.0f}", f"{each[1]:.0f}", each[1] / each[0]])
            sums, count = [a + b for a, b in zip(sums, spent, strict=True)], count + len(known)
    if count:
        each = [1000 * s / count for s in sums]
        rows.append(["all of them", count, f"{each[0]:.0f}", f"{each[1]:.0f}", each[1] / each[0]])
    head = ["threshold", "theorems", "checker, ms a theorem", "tactics, ms a theorem", "ratio"]
    show(f"Coq, medians of {repeats} runs; the library of the checker compiles in {made:.0f} s", table(head, rows))
    if asked.json:
        keep(asked, kept, lambda axes: None)
    return 0


if __name__ == "__main__":
    sys.exit(main())
