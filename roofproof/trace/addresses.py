"""Arithmetic that only says where elements lie is no demand: the indices of a gather, of a cache that is updated."""

from __future__ import annotations

from roofproof.trace.program import Buffer, Equation, Loop, Program


def without_addresses(program: Program) -> None:
    """Take the FLOPs from the equations on whole numbers whose results serve only as places of elements."""
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
            if e not in places and all(b.format.startswith("int") and b not in valued for b in e.outputs)
            and all(k in user.address or user in places for b in e.outputs for user, k in uses.get(b, ()))
        }  # fmt: skip
        if not found:
            break
        places |= found
    for equation in places:
        if set(equation.compute) <= {"int32-vector", "int64-vector"}:
            equation.compute = {}
