"""Arithmetic that only says where elements lie is no demand: the indices of a gather, of a cache that is updated."""

from __future__ import annotations

from collections.abc import Mapping

from roofproof.trace.program import Buffer, Equation, Loop, Program


def drop_index_arithmetic(program: Program) -> None:
    """Take the FLOPs from equations whose results serve only as places of elements.

    They are on whole numbers, or on what sizes alone determine, as where an interpolation takes its elements from: what
    a network computes and then chooses rows by, a router's scores, is work.
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
    """Tell whether sizes alone determine what lies in a buffer."""
    return all(user.inputs[k].fixed for user, k in uses.get(buffer, ()))
