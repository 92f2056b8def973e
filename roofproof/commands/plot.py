"""`roofproof plot`: draws figures for slides and pages."""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from roofproof.commands.shared import all_chips, names_for, share_value, tell
from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.ops.notation.sizes import sizes_from
from roofproof.sentences import Sentence

if TYPE_CHECKING:
    from roofproof.export.plots import Figure
    from roofproof.hardware import Chip
    from roofproof.ops import Operation

_TITLE = 400  # most characters of a title
KINDS = ("roofline", "achieved", "threshold", "regions", "time")


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    from roofproof.derive.roofline.own_format import for_chip
    from roofproof.export.plots.captions import named
    from roofproof.export.plots.figure import checked_output

    kind = arguments.kind or "roofline"
    refuse_unknown("kind of plot", kind, KINDS)
    if not arguments.op:
        raise RoofproofError("expected at least one operation, such as `roofproof plot matmul`")
    if not arguments.chip:
        raise RoofproofError("expected at least one --chip, such as --chip tpu-v5e")
    if arguments.out is None:
        raise RoofproofError("expected -o FILE, a name that ends in .svg, .pdf, .png or .tex")
    checked_output(arguments.out)
    at = [sizes_from([text], ties=True) for text in arguments.at or ()]
    chips = all_chips(arguments)
    ops = [for_chip(text, chips[0] if len(chips) == 1 else None) for text in arguments.op]
    alike = Counter(op.name for op in ops)
    ops = [replace(op, name=text) if alike[op.name] > 1 else op for op, text in zip(ops, arguments.op, strict=True)]
    ops = [replace(op, name=name) for op, name in zip(ops, names_for(arguments, [op.name for op in ops]), strict=True)]
    lang, keep = arguments.lang or "en", (share_value(arguments), arguments.corner)
    measured = _measured(arguments, kind, ops, chips)
    figure = drawn(kind, ops, chips, arguments.unknown, arguments.across, at, lang, keep, measured)
    if arguments.title is not None:
        figure = replace(figure, title=(named(arguments.title, _TITLE),))
    figure.save(arguments.out, None if arguments.size is None else _centimetres(arguments.size), arguments.font)
    tell(Sentence("wrote <file>", file=arguments.out), lang)
    return 0


def _measured(
    arguments: argparse.Namespace, kind: str, ops: Sequence[Operation], chips: Sequence[Chip]
) -> list[tuple[float, float]]:
    """Return the intensity and FLOP/s of each time in `--times`, from its columns or the operation."""
    if arguments.times is None:
        if arguments.only:
            raise RoofproofError("--only requires --times")
        return []
    if kind != "roofline" or len(chips) > 1:
        raise RoofproofError("--times lays measured points over the roofline of one chip")
    from roofproof.commands.calibrate import selected_times
    from roofproof.export.plots.measured import drawn_points
    from roofproof.times.estimates import demands

    table = selected_times(arguments.times, arguments.only, arguments.column, chips[0])
    if not table.said and len(ops) > 1:
        raise RoofproofError("--times with sizes takes one operation; several are given")
    x, y = drawn_points(table, demands(table, chips[0], None if table.said else ops[0]))
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _centimetres(text: str) -> Fraction:
    """Return a width in centimetres, such as 16 or 12.8."""
    if not re.fullmatch(r"\d{1,3}(\.\d{1,3})?", text) or not 2 <= Fraction(text) <= 200:
        raise RoofproofError("--size: expected a width in centimetres from 2 to 200, got <size>", size=quoted(text))
    return Fraction(text)


def drawn(
    kind: str,
    ops: Sequence[Operation],
    chips: Sequence[Chip],
    unknown_name: str | None,
    across: str | None,
    at: Sequence[dict[str, int | str]],
    lang: str,
    keep: tuple[Fraction | None, str | None] = (None, None),
    measured: Sequence[tuple[float, float]] = (),
) -> Figure:
    """Return the requested figure."""
    from roofproof.export.plots import achieved, regions, roofline, threshold_curve, times

    given = {"--for": unknown_name, "--across": across}
    takes = {"roofline": (), "achieved": ("--for",), "time": ("--for",)}.get(kind, ("--for", "--across"))
    for option, value in given.items():
        if value is not None and option not in takes:
            raise RoofproofError("--kind <kind> takes no <option>; leave it out", kind=kind, option=option)
    if keep[0] is not None and kind not in ("roofline", "threshold"):
        raise RoofproofError("--kind <kind> takes no <option>; leave it out", kind=kind, option="--share")
    if kind == "roofline":
        return roofline(ops, chips, at, lang, *keep, measured)
    one_chip = kind in ("regions", "time")
    for things, what in ((ops if kind != "threshold" else (), "operation"), (chips if one_chip else (), "chip")):
        if len(things) > 1:
            raise RoofproofError(
                "--kind <kind> draws one <what>; <count> are given", kind=kind, what=what, count=len(things)
            )
    if kind != "achieved" and len(at) > 1:
        raise RoofproofError("--kind <kind> takes one --at with all sizes; <count> are given", kind=kind, count=len(at))
    op = ops[0]
    sized = {name for point in at for name in point}
    names = _open(op, [given[option] for option in takes], takes, sized)
    if kind == "achieved":
        return achieved(op, chips, names[0], at, lang)
    sizes = at[0] if at else {}
    if kind == "time":
        return times(op, chips[0], names[0], sizes, lang)
    if kind == "regions":
        return regions(op, chips[0], names[0], names[1], sizes, lang)
    return threshold_curve(ops, chips, names[0], names[1], sizes, lang, *keep)


def _open(op: Operation, named: Sequence[str | None], options: Sequence[str], sized: set[str]) -> list[str]:
    """Return the dimensions on the axes: the named ones, or else the only dimension without a size."""
    out = list(named)
    for i, name in enumerate(out):
        if name is None:
            left = [s.name for s in op.dims if s.name not in sized and s.name not in out]
            if len(left) != 1:
                listed = ", ".join(s.name for s in op.dims) or "none"
                raise RoofproofError(
                    "name a dimension with <option>; <op> has <names>", option=options[i], op=op.name, names=listed
                )
            out[i] = left[0]
    if len(set(out)) < len(out):
        raise RoofproofError("--for and --across both name <name>; name two dimensions", name=out[0])
    return [str(name) for name in out]
