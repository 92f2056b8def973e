"""The lines of traced code: what each computes and moves, how long that takes, and where it turns compute-bound."""

from __future__ import annotations

from collections.abc import Mapping

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.derive.inequalities.cases import substitute
from roofproof.derive.roofline.critical_size import threshold
from roofproof.derive.roofline.engines import on_one_engine
from roofproof.derive.roofline.times import time
from roofproof.derive.roofline.unpriced_demands import with_figures
from roofproof.errors import RoofproofError
from roofproof.export.explain.threshold import rule_said
from roofproof.export.text.formatting import padded_columns, seconds, with_value
from roofproof.export.to_text import inline_text
from roofproof.export.words.catalogue import Catalogue
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.trace.operation import Row, Traced

WIDEST = 60  # characters of a formula


def rows_text(
    op: Operation, chip: Chip | None, point: Mapping[str, int], unknown: str | None = None, lang: str = "en"
) -> str:
    """Return a table of the lines of traced code; with a chip and all sizes it is sorted by the time there.

    >>> from sympy import Integer
    >>> from roofproof.trace.program import Place
    >>> row = Row(Place("block.py", 2), ("add",), {"fp32-vector": Integer(8)}, {"memory": Integer(6)})
    >>> op = Traced("add", row.operation.kernels, rows=(row,), model="fused")
    >>> print(rows_text(op, None, {}))
    lines of the code, traffic fused
      line        does  FLOPs            bytes
      block.py:2  add   8 (fp32-vector)  6
    """
    words = Catalogue(lang, "rows")
    rows = op.rows if isinstance(op, Traced) else ()
    model = op.model if isinstance(op, Traced) else ""
    timed = {id(row): _time(row, chip, point) for row in rows}
    known = chip is not None and all(t is not None for t in timed.values())
    keys = [
        "line",
        "does",
        "flops",
        "bytes",
        *(["time", "bound"] if known else []),
        *(["threshold"] if unknown else []),
    ]
    table = [[words[f"rows-{key}"] for key in keys]]
    if known:
        rows = tuple(sorted(rows, key=lambda row: -max(timed[id(row)].values(), default=sympy.Integer(0))))  # type: ignore[union-attr]
    for row in rows:
        flops = " + ".join(f"{_short(n, point)} ({engine})" for engine, n in row.compute.items()) or "0"
        moved = (
            " + ".join(f"{_short(n, point)}{'' if to == 'memory' else f' ({to})'}" for to, n in row.moved.items())
            or "0"
        )
        cells = [str(row.place), _does(row), flops, moved]
        times = timed[id(row)] or {}
        if known:
            longest = max(times, key=lambda name: times[name], default="")
            cells += [seconds(times[longest]) if times else "0", longest]
        if unknown:
            cells.append(_threshold(row, chip, unknown, point, words))
        table.append(cells)
    heading = words.say("rows-timed" if known else "rows", model=model, chip=chip.name if chip else "")
    return "\n".join([heading, *(f"  {line}" for line in padded_columns(table))])


def _does(row: Row) -> str:
    shown = ", ".join(row.primitives[:3])
    return shown + (", ..." if len(row.primitives) > 3 else "")


def _short(amount: sympy.Expr, point: Mapping[str, int]) -> str:
    text = plain(substitute(amount, point))
    return text if len(text) <= WIDEST else text[: WIDEST - 3] + "..."


def _time(row: Row, chip: Chip | None, point: Mapping[str, int]) -> dict[str, sympy.Expr] | None:
    """Return the time of each resource, None where a size or a figure is missing."""
    if chip is None:
        return None
    try:
        times = time(on_one_engine(with_figures(row.operation, chip)[0], chip)[0], chip)
    except RoofproofError:
        return None
    found = {name: substitute(t, point) for name, t in times.items()}
    return found if all(t.is_number for t in found.values()) else None


def _threshold(row: Row, chip: Chip | None, unknown: str, point: Mapping[str, int], words: Catalogue) -> str:
    """Return the threshold of a line by itself; empty where nothing is computed or the size does not matter."""
    op = row.operation
    names = {s.name for s in op.dims}
    if not row.compute or not row.moved or unknown not in names:
        return words["always" if not row.moved else "never"] if not row.compute or not row.moved else "-"
    try:
        found = threshold(op, chip, unknown, {n: v for n, v in point.items() if n in names})
    except RoofproofError:
        return "?"
    if found.at_point is not None:
        return words.told(with_value(found.unknown, found.at_point, words))
    said = inline_text(rule_said(found.cases), words.language)
    return said if len(said) <= 2 * WIDEST else said[: 2 * WIDEST - 3] + "..."


def drawn_text(op: Operation, chip: Chip, point: Mapping[str, int], path: str, lang: str = "en") -> str:
    """Report the lines drawn, and those left out as they have no intensity.

    >>> from sympy import Integer
    >>> from roofproof.hardware import chip
    >>> from roofproof.trace.program import Place
    >>> row = Row(Place("block.py", 2), ("copy",), {}, {"memory": Integer(6)})
    >>> op = Traced("copy", row.operation.kernels, rows=(row,), model="fused")
    >>> print(drawn_text(op, chip("h100-sxm"), {}, "lines.svg"))
    drawn in lines.svg
      not drawn, as they compute nothing: block.py:2
    """
    from roofproof.export.plots.code_lines import lines_left_out

    words = Catalogue(lang, "rows")
    said = [
        "  " + words.say(f"rows-no-{lack}", lines=", ".join(lines))
        for lack, lines in lines_left_out(op, chip, point).items()
    ]
    return "\n".join([words.say("rows-drawn", file=path), *said])
