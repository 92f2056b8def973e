"""Count the KernelBench problems that roofproof can read, and the published times below the minimum of their problem.

    python -m benchmarks.kernelbench CHECKOUT [--chip h100-sxm] [--machine H100_Modal] [--levels 1 2 3] [--workers 2]

CHECKOUT is a clone of ScalingIntelligence/KernelBench, whose `results/timing/MACHINE` holds the times. The exit status
is 1 if a problem is not read (except for a missing module), or if a published time is impossible.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

BASELINE = "baseline_time_torch.json"


def times_of(file: Path) -> list[dict[str, Any]]:
    """Return the mean and minimum times of a file, as rows of a table."""
    levels: Mapping[str, Mapping[str, Mapping[str, Any]]] = json.loads(file.read_text(encoding="utf-8"))
    rows = ((name, time) for problems in levels.values() for name, time in problems.items())
    return [{"problem": name, "ms": time[which]} for name, time in rows for which in ("mean", "min")]


def floors(folders: Sequence[Path], chip: str, times: Path, workers: int) -> list[dict[str, Any]]:
    """Return the records of `roofproof time`."""
    asked = [sys.executable, "-m", "roofproof", "time", *map(str, folders), "--chip", chip, "--measured", str(times)]
    said = subprocess.run([*asked, "--json", "--workers", str(workers)], capture_output=True, text=True, check=False)
    if not said.stdout:
        raise SystemExit(said.stderr)
    found: list[dict[str, Any]] = json.loads(said.stdout)
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the unread problems, the impossible times and the counts, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--chip", default="h100-sxm")
    parser.add_argument("--machine", default="H100_Modal")
    parser.add_argument("--levels", nargs="+", default=["1", "2", "3"])
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args(arguments)
    folders = [given.checkout / "KernelBench" / f"level{level}" for level in given.levels]
    with TemporaryDirectory() as folder:
        times = Path(folder) / "times.json"
        times.write_text(json.dumps(times_of(given.checkout / "results/timing" / given.machine / BASELINE)))
        records = floors(folders, given.chip, times, given.workers)
    unread = [record for record in records if record.get("error")]
    verdicts = [(record["problem"], verdict) for record in records for verdict in record.get("verdicts", ())]
    impossible = [(name, verdict) for name, verdict in verdicts if verdict["verdict"] == "impossible"]
    for record in unread:
        print(f"{record['problem']}: {record['error']}")
    for name, verdict in impossible:
        print(f"{name}: {verdict}")
    print(f"{len(records)} problems, {len(unread)} not read; {len(verdicts)} times, {len(impossible)} impossible")
    return int(bool(impossible) or any("ModuleNotFoundError" not in record["error"] for record in unread))


if __name__ == "__main__":
    sys.exit(main())
