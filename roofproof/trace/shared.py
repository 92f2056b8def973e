"""What is computed twice: equal steps on equal operands are done once, and what each turn of a loop does alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from sympy import Add, Expr, Mul

from roofproof.trace.program import ONE, ZERO, Array, Buffer, Equation, Loop, Program
from roofproof.trace.regions import Region, Some, row_major, union
from roofproof.trace.sizes import KnownSizes


def done_once(program: Program, sizes: KnownSizes) -> Program:
    """Return the program with what is computed again taken from where it was first, and done before a loop.

    >>> import jax.numpy as jnp
    >>> from roofproof.trace.jaxpr.entry import traced
    >>> made = traced(lambda x: (jnp.exp(x) + 1, jnp.exp(x) * 2), "x:fp32[8]").program
    >>> [e.compute.get("exp") for e in done_once(made, KnownSizes(())).equations]
    [8, None, None, None]
    """
    return _Once(sizes).level(program)


class _Once:
    def __init__(self, sizes: KnownSizes) -> None:
        self.sizes = sizes
        self.first: dict[Buffer, Buffer] = {}  # where the same was made before

    def level(self, program: Program) -> Program:
        done: list[Equation] = []
        seen: dict[object, Equation] = {}
        for equation in program.equations:
            before, there = self.turned(equation) if isinstance(equation, Loop) else ([], equation)
            done += [self.single(each, seen) for each in (*before, there)]
        alike: dict[object, list[Equation]] = {}
        for equation in done:
            if equation.compute and equation.form is not None and equation.update is None:
                same = tuple(self.first.get(b, b) for b in equation.needed)
                alike.setdefault((equation.primitive, equation.form, tuple(dict.fromkeys(same))), []).append(equation)
        shares = {e: share for group in alike.values() if (share := self.share(group)) != 1 for e in group}
        done = [
            replace(e, compute={k: n * shares[e] for k, n in e.compute.items()}) if e in shares else e for e in done
        ]
        return program if done == program.equations else Program(done, program.outputs)

    def turned(self, loop: Loop) -> tuple[list[Equation], Loop]:
        """Return the loop-invariant steps of a loop, and the loop without them."""
        body = self.level(loop.body)
        changing = {b for b, _ in (*loop.carried, *loop.slices)}
        before: list[Equation] = []
        kept: list[Equation] = []
        for equation in body.equations:
            taken = [*equation.needed, *(b for e in (equation,) for b in e.outputs if e.update is not None)]
            alike = not changing.intersection(taken) and not any(loop.token in a.turns for a in equation.inputs)
            plain = equation.form is not None and equation.update is None and equation.kind != "apart"
            if alike and plain:
                before.append(equation)
            else:
                kept.append(equation)
                changing.update(equation.outputs)
        if not before and body is loop.body:
            return [], loop
        return before, replace(loop, body=Program(kept, body.outputs))

    def single(self, equation: Equation, seen: dict[object, Equation]) -> Equation:
        """Return a step, or the copy of what an equal one made."""
        if equation.form is None or equation.update is not None or equation.kind == "apart":
            return equation
        key = (
            equation.primitive, equation.form, str(equation.compute), tuple(map(self.seen, equation.inputs)),
            tuple((b.shape, b.format) for b in equation.outputs),
        )  # fmt: skip
        first = seen.setdefault(key, equation)
        if first is equation:
            return equation
        self.first |= {b: self.first.get(a, a) for a, b in zip(first.outputs, equation.outputs, strict=True)}
        return Equation(
            "copy", tuple(Array(b.shape, b.format, b) for b in first.outputs), equation.outputs, place=equation.place,
            scope=equation.scope, along=tuple(tuple(range(len(b.shape))) for b in first.outputs),
        )  # fmt: skip

    def share(self, same: Sequence[Equation]) -> Expr:
        """Return the share of the work of steps that do the same, on parts of the same operands, that is done once."""
        parts = [[_region(a) for a in e.inputs if a.buffer is not None] for e in same]
        made = [Mul(*e.outputs[0].shape) for e in same]
        found = [reduce(self.sizes.greatest, made) / Add(*made)]
        several = [regions for regions in zip(*parts, strict=False) if len(set(regions)) > 1]
        for regions in several if len(same) > 1 else ():
            known = [region for region in regions if isinstance(region, Region)]
            together = union(known, self.sizes) if len(known) == len(regions) else None
            all_of_it = Add(*(region.elements for region in known))
            if together is not None and (len(several) == 1 or together == all_of_it):
                found.append(together / all_of_it)
        return max(found, key=lambda n: (n == 1, n.is_number and n)) if len(same) > 1 else ONE

    def seen(self, array: Array) -> object:
        buffer = array.buffer
        if buffer is None:
            same = array.known if array.known is not None else array.form
            return (array.shape, array.format, same) if same is not None else id(array)
        laid = array.laid
        return self.first.get(buffer, buffer), array.shape, array.format, array.region, array.offset, laid or id(array)


def _region(array: Array) -> Region | Some:
    """Return the region of its buffer that an operand reads, the whole buffer included."""
    assert array.buffer is not None
    return array.region or Region.of(ZERO, array.buffer.shape, row_major(array.buffer.shape))
