"""`roofproof validate`: floor and estimate against a table of measured times."""

from __future__ import annotations

import argparse

from roofproof.commands.fit import measured
from roofproof.commands.shared import show


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 1 where a time lies below what no run can beat."""
    from roofproof.export.files import checked_ending, write_whole
    from roofproof.export.text.measured import validation_text
    from roofproof.measured.validation import ceilings_for, validate

    if arguments.plot is not None:
        from roofproof.export.plots.figure import ENDINGS

        checked_ending(arguments.plot, ENDINGS)
    if arguments.report is not None:
        checked_ending(arguments.report, (".md", ".tex"))
    chip, table, found = measured(arguments)
    held = validate(table, found, arguments.corner or ceilings_for(chip, found, table))
    if arguments.plot is not None:
        from roofproof.export.plots.measured import measured_points

        measured_points(held, arguments.lang or "en").save(arguments.plot)
    if arguments.report is not None:
        from roofproof.export.text.crossovers import report
        from roofproof.hardware.calibration import Calibration
        from roofproof.measured.crossover import crossovers

        ceilings = held.ceilings if isinstance(held.ceilings, Calibration) else None
        made = crossovers(table, found, ceilings)
        lang, latex = arguments.lang or "en", str(arguments.report).lower().endswith(".tex")
        write_whole(arguments.report, report(made, held, lang, latex=latex))
    show(held.to_dict() if arguments.json else validation_text(held))
    return 1 if held.below else 0
