"""In-place updates of buffers that are not read afterwards."""

from __future__ import annotations

from roofproof.trace.program import Array, Buffer, Equation, Loop, Program


def update_in_place(program: Program, ours: set[Buffer]) -> list[Buffer]:
    """Let updates change operands in place if these are not read afterwards, and return those from outside.

    `ours` are the buffers from outside that may be overwritten: donated arguments, and the carry of a loop. Any other
    buffer is copied before an update.
    """
    out = {a.buffer for a in program.outputs}
    used_last: dict[Buffer, int] = {}
    for k, equation in enumerate(program.equations):
        used_last |= dict.fromkeys(equation.needed, k)
    found: list[Buffer] = []
    made: set[Buffer] = set()
    done: list[Equation] = []
    for k, equation in enumerate(program.equations):
        for result, operand in _updates(equation):
            old = operand.buffer
            free = old is not None and operand.same and (old in made or old in ours)
            if free and old is not None and used_last[old] == k and old not in out:
                result.updated = old
                if old in ours:
                    found.append(old)
            elif isinstance(equation, Loop):
                copy = Buffer(operand.shape, operand.format)
                along = (tuple(range(len(operand.shape))),)
                done.append(
                    Equation("copy", (operand,), (copy,), place=equation.place, scope=equation.scope, along=along)
                )
                made.add(copy)
                _begin_with(equation, operand, copy)
                result.updated = copy
        done.append(equation)
        made.update(equation.outputs)
    program.equations[:] = done
    return found


def _updates(equation: Equation) -> list[tuple[Buffer, Array]]:
    """Return each result that is an operand with some elements changed, and that operand."""
    if not isinstance(equation, Loop):
        return [(equation.outputs[0], equation.inputs[0])] if equation.update is not None else []
    found = []
    for (inside, start), end, result in zip(equation.carried, equation.body.outputs, equation.results, strict=False):
        buffer = end.buffer
        while buffer is not None and buffer.updated is not None and buffer is not inside:
            buffer = buffer.updated
        if result is not None and buffer is inside and end.buffer is not inside and end.same:
            found.append((result, start))
    return found


def _begin_with(loop: Loop, operand: Array, copy: Buffer) -> None:
    start = Array(copy.shape, copy.format, copy)
    loop.carried = tuple((b, start if a is operand else a) for b, a in loop.carried)
