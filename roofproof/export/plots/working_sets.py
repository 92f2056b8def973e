"""Bandwidth over the working set, a curve for each kernel, with the sizes of the caches."""

from __future__ import annotations

from roofproof.export.plots.figure import Figure
from roofproof.export.plots.inputs import wrapped
from roofproof.export.plots.placement import Canvas
from roofproof.export.plots.scales import decades, doublings
from roofproof.export.plots.texts import named
from roofproof.measured.machine import Machine
from roofproof.say import Words


def working_sets(found: Machine, lang: str = "en") -> Figure:
    """Return the bandwidth of each kernel against the bytes that it goes through, both axes logarithmic.

    >>> sweep = {"read": ((2**14, 1e11), (2**20, 5e10)), "copy": ((2**14, 8e10), (2**20, 3e10))}
    >>> [len(curve.points) for curve in working_sets(Machine("A processor", 1, {}, (), sweep, ())).curves]
    [2, 2]
    """
    words = Words(lang)
    points = [point for curve in found.sweep.values() for point in curve]
    sizes, rates = zip(*points, strict=True)
    page = Canvas(
        doublings((words["working set (bytes, all cores)"],), float(min(sizes)), float(max(sizes))),  # float: a picture
        decades((words["bandwidth (B/s)"],), min(rates) / 2, max(rates) * 2, upright=True),
    )
    for level in found.levels:
        if min(sizes) < level.total < max(sizes):
            page.curve([(level.total, page.y.low), (level.total, page.y.high)])
            page.near([(level.total, page.y.at(0.95))], ((level.name.upper(),),), ("east",), dearest=8.0)
    for n, (kernel, curve) in enumerate(found.sweep.items()):
        page.curve([(float(size), rate) for size, rate in curve], n)  # float: a picture
        page.ends.append((curve[-1][1], wrapped((kernel,), 3.0), n))
    return page.figure((words.say("Bandwidth by level: <subject>", subject=named(found.title, 40)),))
