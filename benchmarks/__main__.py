"""Run every benchmark, one after the other: `python -m benchmarks [--folder benchmarks] [--quick] [NAME...]`.

Each prints its table, and writes its results and its plot to the folder. None fails because it is slow.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

NAMES = ("clock", "scale", "solver", "sweeps", "tracing")


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all by default")
    parser.add_argument("--folder", help="where results and pictures go; without it they are only printed")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    asked = parser.parse_args(argv)
    wrong = [name for name in asked.name if name not in NAMES]
    if wrong:
        parser.error(f"unknown benchmark {wrong[0]!r}; known: {', '.join(NAMES)}")
    status = 0
    for name in asked.name or NAMES:
        words = [sys.executable, "-m", f"benchmarks.{name}"]
        if asked.quick:
            words += ["--seconds", "1", "--only", "matmul-bf16"] if name == "solver" else ["--quick"]
        if asked.folder:
            Path(asked.folder).mkdir(parents=True, exist_ok=True)
            words += ["--json", f"{asked.folder}/{name}.json"]
            if find_spec("matplotlib"):
                words += ["--picture", f"{asked.folder}/{name}"]
        print(f"== {name}", flush=True)
        status = max(status, abs(subprocess.run(words, check=False).returncode))
    return status


if __name__ == "__main__":
    sys.exit(main())
