"""The figures of a course, read from its outline and drawn when the slides are written."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from roofproof.errors import RoofproofError, refuse_unknown, unknown
from roofproof.export import plots
from roofproof.export.slides.course_operations import named, sizes_at
from roofproof.export.slides.course_values import Solved
from roofproof.export.slides.study import lacking
from roofproof.export.slides.terms import SlideWords
from roofproof.hardware import Chip
from roofproof.teach.course import Course

AXES = {"achieved": ("up",), "regions": ("up", "across"), "roofline": (), "threshold_curve": ("up", "across"),
        "times": ("up",)}  # fmt: skip
"""The kinds of figures, with the axes of each."""


def figure(course: Course, name: str, names: Mapping[str, Any], lang: str) -> Callable[..., Any]:
    """Return the function that draws a figure of a course on a slide.

    Raises RoofproofError, with file and line, for a figure that cannot be drawn. The function raises MissingFigure if a
    chip lacks a spec that an operation needs.
    """
    where = course.place("figures", name)
    try:
        return _figure(course, course.figures[name], names, lang, where)
    except RoofproofError as problem:
        raise RoofproofError("<where><problem>", where=where, problem=problem) from None


def _figure(course: Course, each: Mapping[str, Any], names: Mapping[str, Any], lang: str,
            where: str) -> Callable[..., Any]:  # fmt: skip
    kind, axes = each["kind"], []
    refuse_unknown("kind of plot", kind, AXES)
    works = [named(names, one, "of") for one in each.get("of", ())]
    found = [named(names, one, "chips") for one in each.get("chips", ())]
    if not (works and found and all(isinstance(w, Solved) for w in works) and all(isinstance(c, Chip) for c in found)):
        raise RoofproofError("`of` lists operations of the course, `chips` its chips; one of each at least")
    chips = [replace(chip, name=chip.name.partition("@")[0]) for chip in found]  # no variant on a slide
    ops = [work.op for work in works]
    dims = [s.name for s in ops[0].dims]
    for axis in AXES[kind]:
        if (dim := each.get(axis, "")) not in dims:
            raise RoofproofError("<axis>: <problem>", axis=axis, problem=unknown("dimension", dim, dims))
        axes.append(dim)
    given = each.get("at", {})
    points = [sizes_at(course, one, dims) for one in (given if isinstance(given, list) else [given])]
    of: dict[str, list[Any]] = {
        "roofline": [ops, chips, points], "achieved": [ops[0], chips, *axes, points],
        "threshold_curve": [ops, chips, *axes, *points[:1]], "regions": [ops[0], chips[0], *axes, *points[:1]],
        "times": [ops[0], chips[0], *axes, *points[:1]],
    }  # fmt: skip

    def drawn() -> Any:
        try:
            return getattr(plots, kind)(*of[kind], lang=lang)
        except RoofproofError as problem:
            raise RoofproofError("<where><problem>", where=where, problem=problem) from None

    def shown(words: SlideWords, orders: Mapping[Any, Any]) -> Callable[[], Any]:
        for lack in (lacking(op, chip) for op in ops for chip in chips):
            if lack is not None:
                raise lack
        return drawn

    return shown
