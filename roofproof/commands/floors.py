"""`roofproof floors`: what no run of each of some problems can beat, and which measured times lie below."""

from __future__ import annotations

import argparse
import json
import sys

from roofproof.commands.fit import chosen
from roofproof.commands.shared import one_chip, show, with_progress
from roofproof.errors import RoofproofError, unknown
from roofproof.ops.notation.code import is_code
from roofproof.ops.notation.sizes import sizes_from


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 1 where a time is impossible, 2 where no problem can be used."""
    from roofproof.bench.problems import asked, loaded
    from roofproof.bench.records import floors, told_by
    from roofproof.derive.roofline.floors import COLD, WARM
    from roofproof.export.text.floors import floors_text

    chip = one_chip(arguments)
    assert chip is not None
    if arguments.cold and arguments.warm:
        raise RoofproofError("--cold and --warm: one of them at a time")
    if not arguments.path and arguments.times is None:
        raise RoofproofError("expected problems, such as matmul or FILE.py, or --times FILE that says what was timed")
    if arguments.shapes and not any(map(is_code, arguments.path)):
        raise RoofproofError("--shapes goes with FILE.py:NAME")
    caches = COLD if arguments.cold or (arguments.times is None and not arguments.warm) else WARM
    times = None if arguments.times is None else chosen(arguments.times, arguments.only, chip)
    at = sizes_from(arguments.at or ())
    every = asked(arguments.path, arguments.shapes or "", arguments.where or "")
    assert times is not None or every
    found = loaded(every) if times is None or every else told_by(times)
    made = floors(found, chip, caches, times, at, not arguments.no_tf32, arguments.as_written)
    records = list(with_progress(made, "problems", total=len(every) or None))
    used = [record for record in records if record.floor is not None]
    sizes = {s.name for record in used if record.floor is not None for s in record.floor.op.dims}
    for name in at if used else ():
        if name not in sizes:
            raise unknown("size", name, sizes)
    show(json.dumps([record.to_dict() for record in records], indent=2) if arguments.json else floors_text(records))
    if times is not None and (left := len(times) - sum(len(record.verdicts) for record in records)):
        print(f"roofproof: {left} of {len(times)} times are of none of these problems", file=sys.stderr)
    if not used:
        return 2
    return 1 if any(record.impossible for record in records) else 0
