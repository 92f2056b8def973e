"""`roofproof traffic`: finds a lower bound on memory traffic and a near-optimal tile."""

from __future__ import annotations

import argparse

from roofproof.commands.shared import language, one_chip, show
from roofproof.errors import RoofproofError
from roofproof.ops.notation.sizes import sizes_from
from roofproof.rooms import require_room


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    require_room("roofproof.bounds")
    if arguments.coq is not None:
        require_room("roofproof.proofs.replay.coq")
    if arguments.plot is not None:
        require_room("roofproof.export.plots")
    from roofproof.bounds import bound
    from roofproof.derive.roofline.critical_size import checked_point
    from roofproof.export.bound_records import bound_record
    from roofproof.export.explain.bound import explain_bound
    from roofproof.hardware.quantities import parse_quantity
    from roofproof.hardware.resources import memory_level
    from roofproof.ops import parse_operation

    if arguments.plot is not None:
        from roofproof.export.plots.figure import checked_output

        checked_output(arguments.plot)
    elif arguments.unknown is not None:
        raise RoofproofError("--for requires --plot FILE")
    lang = language(arguments, text=True)
    memory = None if arguments.memory is None else parse_quantity(arguments.memory, "B")
    op, chip = parse_operation(arguments.op), one_chip(arguments)
    level = None if arguments.level is None else memory_level(arguments.level)
    found = bound(op, memory, chip, level, checked_point(op, sizes_from(arguments.at or ())), arguments.relax)
    if arguments.latex:
        from roofproof.export.latex.documents import deliver
        from roofproof.export.latex.leaves import Style
        from roofproof.export.to_latex import inline, titled, to_latex

        doc = explain_bound(found)
        body, title = (titled if arguments.out is None else to_latex)(doc, lang), inline(doc.title, Style(lang))
        about = f"bounds of {op.name}: proved by {found.derivation.trust}, from a lemma that Coq proves"
        deliver(body, arguments.out, title=title, lang=lang, about=about)
    elif arguments.json:
        show(bound_record(found))
    else:
        from roofproof.export.to_text import aligned_text

        show(aligned_text(explain_bound(found), lang))
    if arguments.plot is not None:
        from roofproof.export.plots import size_map, slope

        figure = slope(found, lang) if arguments.unknown is None else size_map(found, arguments.unknown, lang)
        figure.save(arguments.plot)
    if arguments.coq is not None:
        from roofproof.export.coq import of_bound, write_coq

        write_coq(arguments.coq, [of_bound(found)])
    return 0
