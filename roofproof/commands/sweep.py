"""`roofproof sweep`: evaluates quantities of an operation over a grid of sizes and chips."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from roofproof.commands.shared import all_chips, tell, with_progress
from roofproof.errors import RoofproofError, quoted
from roofproof.ops.notation.sizes import MAX_DIGITS, sizes_from
from roofproof.sentences import Sentence

MAX_POINTS, MAX_SHOWN = 10**12, 10**6  # in a file, on the terminal


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.derive import sweep
    from roofproof.derive.roofline.own_format import for_chip
    from roofproof.derive.sweeps import SLAB
    from roofproof.export.sweep_files import check_ending, write_csv, write_sweep

    chips = all_chips(arguments)
    op = for_chip(arguments.op, chips[0] if len(chips) == 1 else None)
    if not arguments.over:
        raise RoofproofError("expected --over, such as --over B=1:4096")
    over = ranges_from(arguments.over)
    found = sweep(op, over, chips, arguments.quantity, sizes_from(arguments.at or ()))
    if len(found) > MAX_POINTS:
        raise RoofproofError(
            "a sweep of <count> points; at most <most> are evaluated", count=len(found), most=MAX_POINTS
        )
    if arguments.out is None and len(found) > MAX_SHOWN:
        raise RoofproofError(
            "a sweep of <count> points; above <most> name a file, such as -o sweep.csv",
            count=len(found),
            most=MAX_SHOWN,
        )
    if arguments.out is None:
        write_csv(sys.stdout, found, arguments.workers)
        return 0
    check_ending(arguments.out)

    def shown(slabs: Iterable[Any]) -> Iterator[Any]:
        return with_progress(slabs, "points", lambda slab: SLAB, len(found))

    write_sweep(arguments.out, found, arguments.workers, shown)
    tell(Sentence("wrote <count> rows to <file>", count=len(found), file=arguments.out))
    return 0


def ranges_from(given: Iterable[str]) -> dict[str, range]:
    """Parse ranges such as `B=1:4096` or `B=128:4096:128`, end included, with numbers in the form of `--at`.

    >>> ranges_from(["B=1:4096", "D=128:512:128", "F=1k:2^11:1k"])
    {'B': range(1, 4097), 'D': range(128, 513, 128), 'F': range(1000, 2049, 1000)}
    """
    ranges: dict[str, range] = {}
    for text in given:
        read = re.fullmatch(r"\s*(\w+)\s*=([^:=]+):([^:=]+)(?::([^:=]+))?", text, re.ASCII)
        if not read or max(map(len, filter(None, read.groups()))) > MAX_DIGITS:
            raise RoofproofError("range <text>: expected NAME=FIRST:LAST or NAME=FIRST:LAST:STEP", text=quoted(text))
        name, (first, last, step) = read[1], (_number(text, read[1], each or "1") for each in read.groups()[1:])
        if first < 1 or step < 1 or last < first or last >= 2**53:
            raise RoofproofError(
                "range <text>: expected sizes from 1 to 2^53, smallest first, such as B=1:4096", text=quoted(text)
            )
        if name in ranges:
            raise RoofproofError("range of <name> is given twice", name=name)
        ranges[name] = range(first, last + 1, step)
    return ranges


def _number(text: str, name: str, number: str) -> int:
    """Return a number of a range. Zero is accepted here, because the range check reports it."""
    number = number.strip()
    if number.isascii() and number.isdigit():
        return int(number)
    try:
        [size] = sizes_from([f"{name}={number}"]).values()
    except RoofproofError as problem:
        raise RoofproofError("range <text>: <problem>", text=quoted(text), problem=problem.said) from None
    return int(size)
