"""`roofproof validate`: a table of measured times against the minimum time and the estimate."""

from __future__ import annotations

import argparse

from roofproof.commands.fit import timed
from roofproof.commands.shared import caches_asked, show
from roofproof.errors import RoofproofError, quoted

TYPE_CHECKING = False  # typing takes long to import, measured by the start of a short command
if TYPE_CHECKING:
    from roofproof.times.estimates import Demands
    from roofproof.times.validation import Rates


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status: 1 where a time lies below what no run can beat."""
    from roofproof.export.explain.times import explain_validation
    from roofproof.export.to_text import level_text
    from roofproof.times.estimates import demands
    from roofproof.times.problems import one_problem
    from roofproof.times.validation import validate

    if arguments.plot is not None:
        from roofproof.export.plots.figure import checked_output

        checked_output(arguments.plot)
    caches, lang = caches_asked(arguments), arguments.lang or "en"
    chip, table = timed(arguments)
    op, whole = (None, None) if arguments.op is None else one_problem(arguments.op, chip)
    rates, lender = _rates(arguments, demands(table, chip, op))
    held = validate(table, chip, op, caches, rates, lender, whole)
    if arguments.plot is not None:
        from roofproof.export.plots.measured import measured_points

        measured_points(held, lang).save(arguments.plot)
    show(held.to_dict() if arguments.json else level_text(explain_validation(held), lang))
    return 1 if held.below else 0


def _rates(arguments: argparse.Namespace, found: Demands) -> tuple[Rates | None, str]:
    """Return what an estimate rests on: fitted rates, with the chip that lends them, or figures as reached in full."""
    from roofproof.hardware import any_chip
    from roofproof.times.estimates import rates_for

    if arguments.corner and arguments.ceilings:
        raise RoofproofError("<options>: one of them at a time", options="--ceilings, --corner")
    if arguments.corner:
        return arguments.corner, ""
    if arguments.ceilings is None:
        return rates_for(found.chip, found)
    lender = any_chip(arguments.ceilings)
    rates, of = rates_for(lender, found)
    if rates is None:
        cure = f"roofproof fit TIMES --chip {quoted(lender.name)} -o calibrated.toml"
        said = "--ceilings <chip>: no fitted rates for this; cure: <cure>"
        raise RoofproofError(said, chip=quoted(arguments.ceilings), cure=cure)
    return rates, of or lender.name
