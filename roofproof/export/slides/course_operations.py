"""The operations that a course names, each parsed, set to its sizes, and assigned to a chip."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from roofproof.errors import RoofproofError, quoted, refuse_unknown, unknown
from roofproof.export.slides.course_values import Solved, best
from roofproof.hardware import Chip, any_chip
from roofproof.ops import parse_operation
from roofproof.teach.course import Course

BEST = "{best}"  # in an operation: the format of the course, or the nearest one that the chip has


def worked(course: Course, orders: dict[Any, Any], lang: str = "en") -> dict[str, Solved]:
    """Return the operations of a course by name, each on its chip, if it has one.

    >>> from roofproof.teach.course_file import course
    >>> dict(worked(course("rooflines").on(["apple-m2"]), {})["bf16"].op.compute)       # it has no peak in bf16
    {'fp32': 2*B*D*F}

    Raises RoofproofError, with file and line, for an operation that cannot be read.
    """
    chips = chips_of(course)
    first = next(iter(chips.values()), None)
    made = {}
    for name, each in course.operations.items():
        where = course.place("operations", name)
        chip = named(chips, each["chip"], f"{where}chip") if "chip" in each else None
        engine = _engine(course, chip or first) if BEST in f"{each['op']}{each.get('called', '')}" else ""
        given = {**course.sizes, "best": engine.removesuffix("-vector")}
        text, called = (_filled(each.get(key, ""), given, where) for key in ("op", "called"))
        label = called.split(" // ")[-1 if lang == "zh" else 0]
        try:
            dims = [s.name for s in parse_operation(text).dims]
            sizes = sizes_at(course, each.get("at", {}), dims, each.get("for"))
            made[name] = Solved(orders, text, each.get("for"), chip, each.get("over", ""), label,
                                engine if BEST in each["op"] else "", **sizes)  # fmt: skip
        except RoofproofError as problem:
            raise RoofproofError("<where><problem>", where=where, problem=problem) from None
    return made


def chips_of(course: Course) -> dict[str, Chip]:
    """Return the chips of a course by name."""
    return {name: any_chip(text) for name, text in course.chips.items()}


def named(table: Mapping[str, Any], name: object, what: str) -> Any:
    """Look up a name of a course, or raise RoofproofError that begins with `what` if it is missing."""
    if not isinstance(name, str) or name not in table:
        raise RoofproofError("<what>: <problem>", what=what, problem=unknown("name", str(name), table))
    return table[name]


def sizes_at(course: Course, given: Any, dims: Iterable[str], solved: str | None = None) -> dict[str, Any]:
    """Return sizes by dimension, each given as a number, a size of the course by name, or an equal dimension.

    >>> from roofproof.teach.course_file import course
    >>> sizes_at(course("rooflines"), {"D": "wide", "F": "D", "B": 8}, ["B", "D", "F"])
    {'D': 4096, 'F': 'D', 'B': 8}

    `solved` is the dimension without a size. Raises RoofproofError for anything else.
    """
    if not isinstance(given, dict):
        raise RoofproofError("at must be a table, as { D = 4096 }; got <given>", given=quoted(given))
    dims = list(dims)
    found = {}
    for dim, size in given.items():
        refuse_unknown("dimension", dim, dims)
        if dim == solved:
            raise RoofproofError("<dim> is the size solved for; leave it out of at", dim=dim)
        found[dim] = course.sizes.get(size, size) if isinstance(size, str) else size
        if not (found[dim] in dims if isinstance(found[dim], str) else type(found[dim]) is int and found[dim] > 0):
            due = "a whole number from 1, a size of the course, or a dimension that it is equal to"
            raise RoofproofError("at.<dim>: expected <due>; got <size>", dim=dim, due=due, size=quoted(size))
    if solved is not None and solved not in dims:
        raise unknown("dimension", solved, dims)
    return found


def _engine(course: Course, chip: Chip | None) -> str:
    return best(course.format, chip) if chip else course.format


def _filled(text: str, given: Mapping[str, Any], where: str) -> str:
    return re.sub(r"\{(\w+)\}", lambda gap: str(named(given, gap[1], f"{where}{gap[0]}")), text)
