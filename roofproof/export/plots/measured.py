"""Measured times as points over intensity, with the datasheet roof and the calibrated curve."""

from __future__ import annotations

from typing import Any

import numpy as np

from roofproof.errors import RoofproofError
from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import chip_name
from roofproof.export.plots.model import Axis, Curve, Label, Mark
from roofproof.hardware.calibration import Calibration
from roofproof.say import Words
from roofproof.times.estimates import Demands, joined_times
from roofproof.times.tables import Times
from roofproof.times.validation import Validation

_POINTS = 150  # dots drawn
_CURVE = 60


def drawn_points(table: Times, found: Demands) -> tuple[Any, Any]:
    """Return the intensity and achieved FLOP/s of the times with FLOPs and bytes, or of every n-th if there are many.

    Raises RoofproofError if no time has both.
    """
    seconds = np.array([float(t) for t in table.seconds])  # float: a picture
    kept = np.flatnonzero((found.flops > 0) & (found.moved > 0))
    if not len(kept):
        raise RoofproofError("<file>: what was timed has no FLOPs, so there is no intensity to draw", file=table.file)
    kept = kept[:: -(-len(kept) // _POINTS)]
    return (found.flops / np.maximum(found.moved, 1))[kept], (found.flops / seconds)[kept]


def measured_points(held: Validation, lang: str = "en") -> Figure:
    """Return a plot of achieved FLOP/s against intensity: measured times, the roof, and the estimate without its start.

    >>> from roofproof.hardware import chip_from_text
    >>> from roofproof.times.tables import times_from_text
    >>> from roofproof.times.validation import validate
    >>> table = times_from_text("m,n,k,us\\n256,256,256,10\\n", "t.csv")
    >>> chip = chip_from_text("fp16=24 TFLOP/s, hbm=1 TB/s, l2=2 MiB")
    >>> [mark] = measured_points(validate(table, chip)).marks
    >>> round(mark.at[0], 2), round(mark.at[1] / 1e12, 3)                    # 256/3 FLOP/B, 2 * 256^3 / 10 us
    (85.33, 3.355)

    Raises RoofproofError if no timed operation has both FLOPs and bytes.
    """
    words = Words(lang)
    found, chip = held.found, held.found.chip
    x, y = drawn_points(held.table, found)
    engines = [name for together in found.engines for name in together]
    peak = max(float(chip.rate(name).value) for name in engines)  # float: a picture
    bandwidth = float(chip.bandwidth(chip.memory).value)  # float: a picture
    low, high = float(x.min()) / 3, max(float(x.max()), 4 * peak / bandwidth) * 2  # float: a picture
    along = Axis((words["arithmetic intensity (FLOP/B)"],), low, high)
    up = Axis((f"{words['achieved']} (FLOP/s)",), float(y.min() / 2), peak * 4)  # float: a picture
    corners = (max(low, up.low / bandwidth), peak / bandwidth, high)
    curves = [Curve(tuple((i, min(peak, i * bandwidth)) for i in corners), 0)]
    roof = words["roof, as measured" if held.by_measurement else "datasheet roof"]
    labels = [Label(((chip_name(chip),), (roof,)), (curves[0].points[-1],), 0, beside=True)]
    if isinstance(c := held.rates, Calibration):
        e, d = float(c.compute.value), float(c.memory.value)  # float: a picture
        at = np.geomspace(max(low, up.low / (d * bandwidth) * 1.05), high, _CURVE)
        reached = 1 / joined_times(np.full(_CURVE, 1 / peak), 1 / (at * bandwidth), c.corner, e, d, 0.0)
        curves.append(Curve(tuple(zip(at.tolist(), reached.tolist(), strict=True)), 1))
        labels.append(Label(((words["estimate: calibrated"],),), (curves[1].points[-1],), 1, beside=True))
    points = list(zip(x.tolist(), y.tolist(), strict=True))
    labels.append(
        Label(
            ((words["measured"],),),
            tuple(sorted(points, key=lambda at: at[1] / min(peak, at[0] * bandwidth))[:8]),
            below=True,
            spare=True,
        )
    )
    title = words.say("<count> measured times: <subject>", count=str(len(held.table)), subject=chip_name(chip))
    marks = tuple(Mark(at, None, hollow=True) for at in points)
    return Figure((title,), along, up, (), tuple(curves), marks, tuple(labels))
