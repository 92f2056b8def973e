"""Measured times as points over intensity, under the datasheet roof, with the calibrated curve through them."""

from __future__ import annotations

from typing import Any

import numpy as np

from roofproof.errors import RoofproofError
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import chip_name, wrapped
from roofproof.export.plots.labels import LABELS
from roofproof.export.plots.placement import ROOM_BESIDE, Canvas
from roofproof.export.plots.scales import decades
from roofproof.hardware.calibration import Calibration
from roofproof.say import Words
from roofproof.times.estimates import Demands, joined_times
from roofproof.times.tables import Times
from roofproof.times.validation import Validation

_POINTS = 150  # dots drawn
_CURVE = 60


def drawn_points(table: Times, found: Demands) -> tuple[Any, Any]:
    """Return intensity and achieved FLOP/s of each time that has FLOPs and bytes; of many, every second, third...

    Raises RoofproofError where none has both.
    """
    seconds = np.array([float(t) for t in table.seconds])  # float: a picture
    kept = np.flatnonzero((found.flops > 0) & (found.moved > 0))
    if not len(kept):
        raise RoofproofError("<file>: what was timed has no FLOPs, so there is no intensity to draw", file=table.file)
    kept = kept[:: -(-len(kept) // _POINTS)]
    return (found.flops / np.maximum(found.moved, 1))[kept], (found.flops / seconds)[kept]


def measured_points(held: Validation, lang: str = "en") -> Figure:
    """Return achieved FLOP/s against intensity: measured times, the roof, the estimate without its start.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.times.tables import times_from_text
    >>> from roofproof.times.validation import validate
    >>> table = times_from_text("m,n,k,us\\n256,256,256,10\\n", "t.csv")
    >>> chip = chip_from_text("fp16=24 TFLOP/s, hbm=1 TB/s, l2=2 MiB")
    >>> [mark] = measured_points(validate(table, chip)).marks
    >>> round(mark.at[0], 2), round(mark.at[1] / 1e12, 3)                    # 256/3 FLOP/B, 2 * 256^3 / 10 us
    (85.33, 3.355)

    Raises RoofproofError for times of what does not compute.
    """
    words = Words(lang, LABELS)
    found, chip = held.found, held.found.chip
    x, y = drawn_points(held.table, found)
    engines = [name for together in found.engines for name in together]
    peak = max(float(chip.rate(name).value) for name in engines)  # float: a picture
    bandwidth = float(chip.bandwidth(chip.memory).value)  # float: a picture
    low, high = float(x.min()) / 3, max(float(x.max()), 4 * peak / bandwidth) * 2  # float: a picture
    page = Canvas(
        decades((words["arithmetic intensity (FLOP/B)"],), low, high),
        decades((f"{words['achieved']} (FLOP/s)",), float(y.min() / 2), peak * 4, upright=True),  # float: a picture
    )
    page.curve([(i, min(peak, i * bandwidth)) for i in (max(low, page.y.low / bandwidth), peak / bandwidth, high)], 0)
    roof = words["roof, as measured" if held.by_measurement else "floor"]
    page.ends.append((peak, (*wrapped((chip_name(chip),), ROOM_BESIDE), (roof,)), 0))
    if isinstance(c := held.rates, Calibration):
        e, d = float(c.compute.value), float(c.memory.value)  # float: a picture
        along = np.geomspace(max(low, page.y.low / (d * bandwidth) * 1.05), high, _CURVE)
        reached = 1 / joined_times(np.full(_CURVE, 1 / peak), 1 / (along * bandwidth), c.corner, e, d, 0.0)
        page.curve(list(zip(along.tolist(), reached.tolist(), strict=True)), 1)
        page.ends.append((float(reached[-1]), ((words["estimate: calibrated"],),), 1))  # float: a picture
    for at in zip(x.tolist(), y.tolist(), strict=True):
        page.mark(at, None, hollow=True)
    return page.figure(
        (words.say("<count> measured times: <subject>", count=str(len(held.table)), subject=chip_name(chip)),)
    )
