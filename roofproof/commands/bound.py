"""`roofproof bound`: what no schedule can beat with a memory, and the tile that comes near."""

from __future__ import annotations

import argparse

from roofproof.commands.shared import language, one_chip, show
from roofproof.ops.notation.sizes import sizes_from
from roofproof.rooms import need


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    need("roofproof.bounds")
    from roofproof.bounds import bound
    from roofproof.derive.roofline.critical_size import checked_point
    from roofproof.export.bound_records import bound_record
    from roofproof.export.bounds import bound_latex, bound_text
    from roofproof.hardware.resources import memory_level
    from roofproof.hardware.units import parse_quantity
    from roofproof.ops import parse_operation

    lang = language(arguments, text=True)
    op, chip = parse_operation(arguments.op), one_chip(arguments)
    memory = None if arguments.memory is None else parse_quantity(arguments.memory, "B")
    level = None if arguments.level is None else memory_level(arguments.level)
    found = bound(op, memory, chip, level, checked_point(op, sizes_from(arguments.at or ())))
    if arguments.latex:
        from roofproof.export.latex.documents import deliver

        about = f"bounds of {op.name}: proved by {found.derivation.trust}, but for the lemma that is cited"
        deliver(bound_latex(found, lang), arguments.out, title=op.name, lang=lang, about=about)
    else:
        show(bound_record(found) if arguments.json else bound_text(found, lang))
    return 0
