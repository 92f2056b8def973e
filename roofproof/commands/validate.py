"""`roofproof validate`: floor and estimate against a table of measured times."""

from __future__ import annotations

import argparse

from roofproof.commands.fit import measured
from roofproof.commands.shared import show
from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from roofproof.measured.amounts import Demands
    from roofproof.measured.crossover import Crossover
    from roofproof.measured.times import Times
    from roofproof.measured.validation import Estimate


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 1 where a time lies below what no run can beat."""
    from roofproof.export.files import checked_ending
    from roofproof.export.text.measured import validation_text
    from roofproof.measured.validation import ceilings_for, validate

    if arguments.plot is not None:
        from roofproof.export.plots.figure import ENDINGS

        checked_ending(arguments.plot, ENDINGS)
    if arguments.report is not None:
        checked_ending(arguments.report, (".md", ".tex", ".pdf"))
    chip, table, found = measured(arguments)
    ceilings, lender = (arguments.corner, "") if arguments.corner else ceilings_for(chip, found, table)
    if arguments.ceilings is not None:
        ceilings, lender = _lent(arguments, found, table)
    held = validate(table, found, ceilings, lender)
    crossed: tuple[Crossover, ...] = ()
    if (arguments.plot, arguments.report) != (None, None):
        try:
            crossed = _crossovers(table, found, ceilings)
        except RoofproofError:  # a table without one is drawn without
            if arguments.report is not None:
                raise
    if arguments.plot is not None:
        from roofproof.export.plots.measured import measured_points

        measured_points(held, arguments.lang or "en", crossed).save(arguments.plot)
    if arguments.report is not None:
        from roofproof.export.latex.compiling import write_document
        from roofproof.export.text.crossovers import report

        lang, latex = arguments.lang or "en", not str(arguments.report).lower().endswith(".md")
        write_document(arguments.report, report(crossed, held, lang, latex=latex))
    show(held.to_dict() if arguments.json else validation_text(held))
    return 1 if held.below else 0


def _crossovers(table: Times, found: Demands, ceilings: Estimate | None) -> tuple[Crossover, ...]:
    from roofproof.hardware.calibration import Calibration
    from roofproof.measured.crossover import crossovers

    return crossovers(table, found, ceilings if isinstance(ceilings, Calibration) else None)


def _lent(arguments: argparse.Namespace, found: Demands, table: Times) -> tuple[Estimate, str]:
    from roofproof.hardware import any_chip
    from roofproof.measured.validation import ceilings_for

    if arguments.corner:
        raise RoofproofError("<options>: one of them at a time", options="--ceilings, --corner")
    lender = any_chip(arguments.ceilings)
    ceilings, of = ceilings_for(lender, found, table)
    if ceilings is None:
        cure = f"roofproof fit TIMES --chip {quoted(lender.name)} -o calibrated.toml"
        raise RoofproofError(
            "--ceilings <chip>: no calibrated ceilings for this; cure: <cure>",
            chip=quoted(arguments.ceilings),
            cure=cure,
        )
    return ceilings, of or lender.name
