"""`roofproof atlas`: where operations are compute-bound on every chip, in every number format."""

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from roofproof.commands.shared import Once, show, sizes_from
from roofproof.errors import RoofproofError

SECONDS = 20  # for one operation and one dimension


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("op", nargs="*", metavar="OP", help="library names or typed einsums")
    parser.add_argument("--all", action="store_true", help="the whole library, which takes minutes")
    parser.add_argument("--chip", action="append", help="NAME[@VARIANT], FILE.toml or figures; every chip by default")
    parser.add_argument(
        "--for", dest="unknown", action="append", metavar="DIM", help="a dimension to solve for; else all"
    )
    parser.add_argument("--at", action="append", metavar="D=4096,F=4096", help="sizes for the integer answers")
    parser.add_argument("--workers", action=Once, metavar="N", help="processes side by side; one by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.atlas.tables import parts
    from roofproof.export.text.atlas import atlas_record, atlas_text
    from roofproof.hardware import chip_names
    from roofproof.ops import entries, parse_operation

    if bool(arguments.op) == arguments.all:
        raise RoofproofError("expected operations, such as matmul, or --all for the whole library")
    ops, chips = arguments.op or list(entries()), arguments.chip or list(chip_names())
    dims = {s.name for text in ops for s in parse_operation(text).dims}
    unknowns, sizes = arguments.unknown, sizes_from(arguments.at or ())
    _refuse_unknown([*(unknowns or ()), *sizes], dims)
    workers = sizes_from([f"--workers={arguments.workers or 1}"]).popitem()[1]
    found = _shown(parts(ops, chips, unknowns, sizes, workers, SECONDS))
    if arguments.json:
        import json

        print(json.dumps({"atlas": atlas_record(found)}, indent=2))
    else:
        show(atlas_text(found, sizes))
    return 0


def _refuse_unknown(names: Iterable[str], dims: set[str]) -> None:
    from roofproof.errors import unknown

    for name in names:
        if name not in dims:
            raise unknown("dimension", name, dims)


def _shown(found: Iterable[Any]) -> Iterator[Any]:
    """Show how many thresholds are done, where somebody watches."""
    from tqdm import tqdm

    with tqdm(unit=" thresholds", leave=False, disable=not sys.stderr.isatty()) as bar:
        for part in found:
            yield part
            bar.update(len(part.lines))
