"""Library operations in a number format that a chip supports, if no format was requested."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sympy import Expr

from roofproof.derive.roofline.engines import compute_unit, has_peak
from roofproof.errors import RoofproofError, refuse_unknown
from roofproof.formats import BITS
from roofproof.ops import Operation, entries, parse_operation
from roofproof.ops.library import from_library, named
from roofproof.ops.operation import Demand
from roofproof.ops.resources import FLOATS
from roofproof.sentences import Sentence, joined

if TYPE_CHECKING:
    from roofproof.hardware import Chip

VECTOR = "-vector"
FORMATTED = frozenset([*BITS, *(f"{name}{VECTOR}" for name in FLOATS)])  # compute units with one format each
UNITS = {
    "tensor": "<format> on the matrix unit (<engine>) of <chip>",
    "vector": "<format> on the vector unit (<engine>), the only spec for it on <chip>",
}
OWN = "in <own>: <chip> has no spec for <usual> (write <name>:<usual> to require it)"


def for_chip(text: str, chip: Chip | None) -> Operation:
    """Parse an operation, with a format that the chip has a spec for if it is a library operation without one.

    >>> from roofproof.hardware import chip
    >>> dict(for_chip("matmul", chip("h100-sxm")).compute), dict(for_chip("matmul", chip("apple-m2")).compute)
    ({'bf16': 2*B*D*F}, {'fp32': 2*B*D*F})
    >>> dict(for_chip("axpy", chip("xeon-8480plus")).compute)  # which has no spec for fp64
    {'fp32-vector': 2*N}
    >>> for_chip("matmul", chip("apple-m2")).convention
    '2 FLOPs per multiply-add; in fp32: apple-m2 has no spec for bf16 (write matmul:bf16 to require it)'

    The format is the usual one if any unit of the chip supports it, else the widest narrower one, else the narrowest
    wider one. Formats with a spec of their own come first, then those with a spec for one unit, such as fp32-vector.
    If no format works, the operation keeps the usual one.

    >>> [list(for_chip("lu", chip(name)).compute) for name in ("h100-sxm", "tpu-v6e")]
    [['fp64-tensor'], ['bf16']]
    """
    op = parse_operation(text)
    entry = named(text.strip())
    lacking = [name for name in op.compute if name in FORMATTED and chip is not None and not has_peak(chip, name)]
    if chip is None or not lacking:
        return op
    usually = with_units(op, chip)
    if entry is None or "x" not in entry.arguments or len(lacking) != 1 or lacking[0] not in usually.compute:
        return usually
    usual, unit = lacking[0].removesuffix(VECTOR), VECTOR * lacking[0].endswith(VECTOR)
    narrow = sorted(FLOATS, key=lambda f: (BITS[f] > BITS[usual], abs(BITS[f] - BITS[usual])))
    named_so = [each for each in narrow if has_peak(chip, each + unit)]
    on_units = [each for each in narrow if not unit and any(has_peak(chip, f"{each}-{name}") for name in UNITS)]
    for own in (*named_so, *on_units):
        try:
            made = with_units(parse_operation(f"{text.strip()}:{own}"), chip)
        except RoofproofError:
            continue
        if all(has_peak(chip, name) for name in made.compute if name in FORMATTED):
            said = Sentence(OWN, own=own, chip=chip.name, usual=usual, name=text.strip())
            return replace(made, convention=joined("<first>; <second>", filter(None, (made.convention, said))))
    return usually


def in_own_formats(text: str, chips: Iterable[Chip], usual: bool = False) -> list[tuple[Operation, list[Chip]]]:
    """Return an operation in each of the formats that `for_chip` gives, with the chips of each, in order.

    With `usual` it keeps its format, on the units that support it, and chips without such a unit are left out.

    >>> from roofproof.hardware import chip
    >>> found = in_own_formats("matmul", [chip("tpu-v5e"), chip("apple-m2"), chip("h100-sxm")])
    >>> [(*op.compute, *(one.name for one in some)) for op, some in found]
    [('bf16', 'tpu-v5e', 'h100-sxm'), ('fp32', 'apple-m2')]
    """
    groups: list[tuple[Operation, list[Chip]]] = []
    for one in chips:
        op = with_units(parse_operation(text), one) if usual else for_chip(text, one)
        products = [name for name in op.compute if name in FORMATTED and compute_unit(name) == "matrix"]
        if usual and not all(has_peak(one, name) for name in products):
            continue
        alike = (dict(op.compute), own_note(op))
        some = next((some for other, some in groups if (dict(other.compute), own_note(other)) == alike), None)
        if some is None:
            groups.append((op, [one]))
        else:
            some.append(one)
    return groups


def own_note(op: Operation) -> Sentence | None:
    """Return the note that an operation is not in its usual format, or None."""
    said = getattr(op.convention, "parts", {}).get("second")
    return said if isinstance(said, Sentence) and said.form == OWN else None


def with_units(op: Operation, chip: Chip) -> Operation:
    """Return an operation with each format on a compute unit, if the chip has specs for the format only by unit.

    >>> from roofproof.hardware import chip
    >>> for name in ("h100-sxm", "v100-sxm2-16gb"):
    ...     print(with_units(parse_operation("matmul:fp64"), chip(name)).convention.partition("; ")[2])
    fp64 on the matrix unit (fp64-tensor) of h100-sxm
    fp64 on the vector unit (fp64-vector), the only spec for it on v100-sxm2-16gb
    """
    moved: dict[str, str] = {}
    for name in op.compute:
        engines = [f"{name}-{unit}" for unit in UNITS] if name in BITS and not has_peak(chip, name) else []
        found = next((each for each in engines if has_peak(chip, each) and each not in op.compute), None)
        moved |= {name: found} if found is not None else {}
    if not moved:
        return op
    said = [
        Sentence(UNITS[engine.rpartition("-")[2]], format=name, engine=engine, chip=chip.name)
        for name, engine in moved.items()
    ]

    def renamed(demand: Demand) -> dict[str, Expr]:
        return {moved.get(name, name): amount for name, amount in demand.items()}

    convention = joined("<first>; <second>", filter(None, (op.convention, *said)))
    return op.map_kernels(lambda k: k.on_units(renamed), convention=convention)


def forms(chips: Sequence[Chip], name: str) -> dict[str, Operation]:
    """Return a library operation in every number format for which some chip has a dense peak, by its text.

    An operation from a file, or one with a fixed format, is returned unchanged.

    >>> from roofproof.hardware import chip
    >>> list(forms([chip("a10")], "matmul"))[:3]
    ['matmul', 'matmul:fp16@fp16', 'matmul:tf32@tf32']

    Raises RoofproofError for an unknown name.
    """
    from roofproof.ops.notation.operation_file import file_named  # late, because it imports all of combine

    if file_named(name):
        return {name: parse_operation(name)}
    refuse_unknown("operation", name, entries())
    peaks = dict.fromkeys(r.resource for one in chips for r in one.compute)
    written = {name: from_library(name)}
    for resource in (peak for peak in peaks if not peak.endswith(("-sparse", "-per-core"))):
        form = f"{name}:{resource.partition('-')[0]}"
        if "compute" in entries()[name].arguments:
            form += f"@{resource}"
        try:
            op = from_library(form)
        except RoofproofError:
            continue  # its formats are fixed, or several
        if list(op.compute) == [resource] and op.demands not in [w.demands for w in written.values()]:
            written[form] = op
    return written
