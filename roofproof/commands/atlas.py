"""`roofproof derive --as list`: lists where operations are compute-bound on each chip, in each number format."""

import argparse

from roofproof.commands.shared import share_value, show, with_progress
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.ops.notation.sizes import sizes_from
from roofproof.parallel import workers_from
from roofproof.rooms import require_room
from roofproof.say import LANGUAGES

STEPS = 100 * 10**6  # step limit for one operation and one dimension


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if arguments.json and arguments.lang is not None:
        raise RoofproofError("use only one of <options>", options="--json, --lang")
    refuse_unknown("language", arguments.lang or "en", LANGUAGES)
    if arguments.coq is not None and arguments.share is not None:
        raise RoofproofError("--coq writes where it is compute-bound; leave out --share")
    if arguments.coq is not None:
        require_room("roofproof.proofs.replay.coq")
    from roofproof.derive.atlas import parts
    from roofproof.export.atlas_records import atlas_record
    from roofproof.export.explain.atlas import explain_atlas
    from roofproof.export.to_text import spaced_text
    from roofproof.hardware import chip_names
    from roofproof.ops import entries, parse_operation

    if bool(arguments.op) == arguments.all:
        raise RoofproofError("expected operations, such as matmul, or --all for the whole library")
    ops, chips = arguments.op or list(entries()), arguments.chip or list(chip_names())
    dims = {s.name for text in ops for s in parse_operation(text).dims}
    unknowns, sizes = arguments.unknown, sizes_from(arguments.at or ())
    for name in [*(unknowns or ()), *sizes]:
        refuse_unknown("dimension", name, dims)
    workers = workers_from(arguments.workers or 1)
    parted = parts(ops, chips, unknowns, sizes, workers, STEPS, share_value(arguments), arguments.corner)
    found = with_progress(parted, "thresholds", lambda part: len(part.lines))
    named = bool(arguments.chip)  # without --chip, some chips lack the specs for most operations
    if arguments.json:
        show({"atlas": atlas_record(found, named)})
    else:
        show(spaced_text(explain_atlas(found, sizes, named), arguments.lang or "en"))
    if arguments.coq is not None:
        from roofproof.export.coq import of_atlas, write_coq

        write_coq(arguments.coq, of_atlas(ops, chips, unknowns))
    return 0
