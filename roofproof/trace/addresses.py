"""Index arithmetic, which does not count as work: the indices of a gather or of a cache update."""

from __future__ import annotations

from collections.abc import Mapping

from roofproof.trace.program import Buffer, Equation, Loop, Program


def drop_index_arithmetic(program: Program) -> None:
    """Remove the FLOPs of equations whose results serve only as indices.

    Such results are integers or depend only on sizes, as the source positions of an interpolation do. Values that a
    network computes and then selects rows by, such as router scores, are work.
    """
    uses: dict[Buffer, list[tuple[Equation, int]]] = {}
    valued: set[Buffer] = set()
    levels = [program]
    every: list[Equation] = []
    while levels:
        level = levels.pop()
        valued.update(a.buffer for a in level.outputs if a.buffer is not None)
        for equation in level.equations:
            if isinstance(equation, Loop):
                levels.append(equation.body)
                valued.update(a.buffer for a in equation.inputs if a.buffer is not None)
                continue
            every.append(equation)
            for k, array in enumerate(equation.inputs):
                if array.buffer is not None:
                    uses.setdefault(array.buffer, []).append((equation, k))
    places: set[Equation] = set()
    while True:
        found = {
            e for e in every
            if e not in places and not valued.intersection(e.outputs)
            and all(b.format.startswith("int") or _fixed(b, uses) for b in e.outputs)
            and all(k in user.address or user in places for b in e.outputs for user, k in uses.get(b, ()))
        }  # fmt: skip
        if not found:
            break
        places |= found
    for equation in places:
        whole = set(equation.compute) <= {"int32-vector", "int64-vector"}
        if whole or all(_fixed(b, uses) for b in equation.outputs):
            equation.compute = {}


def _fixed(buffer: Buffer, uses: Mapping[Buffer, list[tuple[Equation, int]]]) -> bool:
    """Return whether the contents of a buffer depend only on sizes."""
    return all(user.inputs[k].fixed for user, k in uses.get(buffer, ()))
