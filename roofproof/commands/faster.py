"""`roofproof derive OP --faster-than OTHER`: proves at what sizes one collective is faster than another."""

from __future__ import annotations

import argparse

from roofproof.commands.shared import one_chip, show
from roofproof.errors import RoofproofError
from roofproof.ops.notation.sizes import sizes_from

REFUSED = (
    "shapes",
    "unrolled",
    "traffic",
    "links",
    "rows",
    "level",
    "regime",
    "multiple_of",
    "share",
    "corner",
    "steps",
    "smtlib",
    "certificate",
    "coq",
    "latex",
    "part",
    "out",
)
"""Options that are only valid for one operation."""


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.derive.roofline.communication import faster
    from roofproof.export.explain.faster import explain_faster
    from roofproof.export.record import faster_record
    from roofproof.export.to_text import to_text
    from roofproof.ops import parse_operation
    from roofproof.ops.notation.where import with_conditions
    from roofproof.proofs.provers.times import prove_faster

    for name in REFUSED:
        if getattr(arguments, name) not in (None, False):
            said = "-o" if name == "out" else f"--{name.replace('_', '-')}"
            raise RoofproofError("use either <option> or --faster-than, not both", option=said)
    chip = one_chip(arguments)
    one, other = (parse_operation(text) for text in (arguments.op, arguments.faster_than))
    if arguments.where:
        one, other = (with_conditions(each, arguments.where) for each in (one, other))
    found = faster(one, other, arguments.unknown or "V", chip, sizes_from(arguments.at or ()))
    cases, proof = prove_faster(found, arguments.oracle or "z3")
    if arguments.json:
        show(faster_record(one, other, chip, found, cases, proof))
    else:
        show(to_text(explain_faster(one, other, chip, found, cases, proof), arguments.lang or "en"))
    return 0
