"""The subject of a figure: operations at sizes, and chips by their short names, with an error for missing sizes."""

from collections.abc import Iterable, Mapping, Sequence

import sympy
from sympy.logic.boolalg import Boolean

from roofproof.derive.roofline.memory_fit import check_requirements
from roofproof.derive.roofline.missing_rates import without_missing_rates
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.export.plots.captions import EQUALS, conditions_text, named
from roofproof.export.plots.model import Math, Text
from roofproof.export.plots.palette import COMPUTE, MEMORY, OTHER, PARTLY, STROKES
from roofproof.hardware import Chip
from roofproof.ops import Operation
from roofproof.ops.combine import at as at_sizes
from roofproof.say import Words

NO_SIZE = "<op> has no size for <names>; give it, as in --at <example>"

Sizes = Mapping[str, int | str]
"""Sizes by dimension: a number, or the name of the dimension that this one is equal to."""


def resized(
    op: Operation, sizes: Sizes, free: Sequence[str] = (), shared: bool = False, on: Sequence[Chip] = ()
) -> Operation:
    """Return the operation at these sizes, which may leave only the `free` dimensions open.

    >>> from roofproof import op
    >>> resized(op("matmul"), {"F": "D"}, free=["B", "D"]).flops
    2*B*D**2
    >>> resized(op("matmul"), {"F": "D"}, free=["B"])
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: 'matmul' has no size for D; give it, as in --at D=4096

    `shared` sizes may name dimensions of other operations. Raises RoofproofError for a dimension that is unknown or has
    no size, for sizes that break the operation's assumptions, and for blocks that do not fit `on` a chip.
    """
    names = [s.name for s in op.dims]
    for name in (*free, *(() if shared else sizes)):
        if name not in names:
            raise unknown("dimension", name, names, of=op.name)
    own = {name: size for name, size in resolved(sizes).items() if name in names}
    for name, size in own.items():
        if isinstance(size, str) and size not in names:
            raise unknown("dimension", size, names, of=op.name)
        if name in free:
            raise RoofproofError("<name> is on an axis; leave it out of the sizes", name=name)
    missing = [name for name in names if name not in own and name not in free]
    if missing:
        example = ",".join(f"{name}=4096" for name in missing)
        raise RoofproofError(NO_SIZE, op=quoted(op.name), names=", ".join(missing), example=example)
    sized = at_sizes(op, **own)
    for chip in on:
        check_requirements(sized, chip, {})
    return sized


def resolved(sizes: Sizes | None) -> dict[str, int | str]:
    """Return sizes in which the name of another dimension is replaced by the size of that dimension, if it has one.

    >>> resolved({"D": 4096, "F": "D", "K": "B"})
    {'D': 4096, 'F': 4096, 'K': 'B'}
    """
    given = dict(sizes or {})
    out = dict(given)
    for name in out:
        seen = {name}
        while isinstance(size := out[name], str) and size in out:
            if size in seen:
                raise RoofproofError(
                    "<name> equals <other> and <other> equals <name>; give one of them a number",
                    name=name,
                    other=given[name],
                )
            seen.add(size)
            out[name] = out[size]
    return out


def dimension_of(op: Operation, name: str) -> sympy.Symbol:
    """Return a dimension by its name, or raise RoofproofError that lists the existing ones."""
    found = {s.name: s for s in op.dims}
    if name not in found:
        raise unknown("dimension", name, found, of=op.name)
    return found[name]


def check_known_sizes(ops: Sequence[Operation], sizes: Sequence[Sizes]) -> None:
    """Raise RoofproofError for a size that none of the operations has."""
    names = {s.name for op in ops for s in op.dims}
    for point in sizes:
        for name in point:
            if name not in names:
                raise unknown("dimension", name, names)


def chip_name(chip: Chip) -> str:
    """Return the short name of a chip: its title without vendor and remarks, but with its variant.

    >>> from roofproof import chip
    >>> chip_name(chip("tpu-v5e")), chip_name(chip("h100-sxm@scaling-book"))
    ('TPU v5e', 'H100 SXM5 80GB @scaling-book')
    """
    title = (chip.title or chip.name).partition(" (")[0].removeprefix(f"{chip.vendor} ")
    _, at, variant = chip.name.partition("@")
    return named(f"{title} @{variant}" if at and chip.title else title)


def check_curve_count(count: int, what: str) -> None:
    """Raise RoofproofError for more curves than readers can distinguish, or for none at all."""
    if count == 0:
        raise RoofproofError("nothing to draw: expected at least one <what>", what=what)
    if count > len(STROKES):
        raise RoofproofError(
            "too many <what>s in one plot: <count>; draw at most <most>",
            count=count, what=what, most=len(STROKES),
        )  # fmt: skip


def tied_title(name: str, sizes: Sizes, assumed: Iterable[Boolean] = ()) -> Text:
    """Return the title of an axis: its dimension, the dimensions equal to it, and the assumptions."""
    out: list[str] = [Math(name)]
    for other, size in sizes.items():
        if size == name:
            out += [EQUALS, Math(other)]
    return (*out, *conditions_text(assumed))


def left_out_units(ops: Iterable[Operation], chips: Sequence[Chip], words: Words) -> Text:
    """Return the compute units that a plot leaves out because a chip has no spec for them, for the end of a title.

    >>> from roofproof import chip, op
    >>> left_out_units([op("softmax"), op("matmul")], [chip("tpu-v5e"), chip("h100-sxm")], Words("en"))
    (', without exp on TPU v5e (no spec)',)
    """
    gone = {chip_name(c): [one.resource for op in ops for one in without_missing_rates(op, c)[1]] for c in chips}
    told = [
        ", ".join(dict.fromkeys(engines)) + (words.say(" on <chip>", chip=name) if len(chips) > 1 else "")
        for name, engines in gone.items()
        if engines
    ]
    return (words.say(", without <engines> (no spec)", engines=", ".join(told)),) if told else ()


def bound_by(resource: str, units: Iterable[str], words: Words) -> str:
    """Return the word for an operation whose longest time is on this resource: a compute unit, a memory or a link.

    >>> [bound_by(name, ["bf16", "exp"], Words("en")) for name in ("memory", "ici", "l2", "exp")]
    ['memory-bound', 'communication-bound', 'l2-bound', 'compute-bound (exp)']
    """
    if resource in (every := list(units)):
        return words["compute-bound"] + (f" ({resource})" if len(every) > 1 else "")
    known = {"memory": "memory-bound", "ici": "communication-bound"}
    return words[known[resource]] if resource in known else words.say("<resource>-bound", resource=resource)


def shade_by(resource: str, units: Iterable[str]) -> int:
    """Return the shade of the area in which a resource takes longest.

    >>> shade_by("memory", ["bf16"]) == MEMORY, shade_by("bf16", ["bf16"]) == COMPUTE
    (True, True)
    """
    return COMPUTE if resource in units else {"memory": MEMORY, "ici": PARTLY}.get(resource, OTHER)
