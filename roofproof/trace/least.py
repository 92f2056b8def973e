"""What no values need less of: a program in which indices, masks and early ends choose as little as they can.

From the last step to the first, each says of how many elements of its operands it cannot do without: of a gather all
places may be one, of a selection by a mask either side may be chosen everywhere. What a mask sets to zero, or to what
exp makes zero of, need not be computed, nor what it is multiplied by read. Which elements these are nobody knows, so
what several steps need is as much as the most that one does. Zeros among given numbers are not looked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from sympy import Expr, Mul, expand

from roofproof.trace.marks import Masked
from roofproof.trace.program import ONE, ZERO, Array, Buffer, Equation, Loop, Program
from roofproof.trace.regions import Region, Some, row_major, union
from roofproof.trace.shared import done_once
from roofproof.trace.sizes import KnownSizes


@dataclass(frozen=True)
class _Need:
    """At least so many elements of a buffer, at so many places along each of its axes."""

    many: Expr
    places: tuple[Expr, ...]


@dataclass
class _Needs:
    """What steps need of buffers: all of it, regions, a few elements; `fewer` are those that are needed less."""

    whole: set[Buffer] = field(default_factory=set)
    parts: dict[Buffer, list[Region]] = field(default_factory=dict)
    few: dict[Buffer, _Need] = field(default_factory=dict)
    fewer: set[Buffer] = field(default_factory=set)

    def __contains__(self, buffer: Buffer) -> bool:
        return buffer in self.whole or buffer in self.parts or buffer in self.few


def least(program: Program, sizes: KnownSizes) -> Program:
    """Return the program with no more chosen, and computed, than what values it has must be.

    >>> import torch
    >>> from roofproof.trace.aten.entry import traced
    >>> made = traced(lambda x, k: torch.exp(x)[k], "x:fp32[64,16], k:int64[5]").program
    >>> [e.compute["exp"] for e in least(made, KnownSizes(())).equations if "exp" in e.compute]    # a row of 16 of 64
    [16]
    """
    program, masked, needs = done_once(program, sizes), Masked(sizes), _Needs()
    masked.mark(program)
    found = _Least(sizes, masked.spared)
    for array in program.outputs:
        found.need(needs, array, None, ())
    return found.level(program, needs)


@dataclass
class _Least:
    sizes: KnownSizes
    spared: Mapping[Equation, frozenset[int]]

    def level(self, program: Program, needs: _Needs) -> Program:
        """Return the equations of one level with what is needed of each; and note what they need of others."""
        done = []
        for equation in reversed(program.equations):
            wanted = [self.wanted(output, needs) for output in equation.outputs if output in needs]
            if not wanted and equation.outputs:
                needs.fewer.update(equation.needed)
                done.append(_idle(equation))
            elif isinstance(equation, Loop):
                done.append(self.loop(equation, wanted, needs))
            else:
                done.append(self.step(equation, wanted, needs))
        return Program(done[::-1], program.outputs)

    def loop(self, loop: Loop, wanted: Sequence[_Need | None], needs: _Needs) -> Equation:
        updates = any(output.updated is not None for output in loop.outputs)
        if wanted and None not in wanted and not updates:  # a few of its results may be those of the first turn
            needs.fewer.update(loop.needed)
            return _idle(loop)
        inside = _Needs()
        for array in loop.body.outputs:
            self.need(inside, array, None, ())
        body = self.level(loop.body, inside)
        needs.fewer.update(loop.needed)
        for buffer, array in (*loop.carried, *loop.slices):
            if buffer in inside:
                found = self.wanted(buffer, inside)
                self.need(needs, array, None if found is None else found.many, ())
        for buffer in loop.captured:
            if buffer in inside:
                found = self.wanted(buffer, inside)
                self.need(needs, Array(buffer.shape, buffer.format, buffer), None if found is None else found.many, ())
        return loop if body.equations == loop.body.equations else replace(loop, body=body)

    def step(self, equation: Equation, wanted: Sequence[_Need | None], needs: _Needs) -> Equation:
        """Return a step with as much of its operands as it cannot do without."""
        inputs = list(equation.inputs)
        idle, covers = self.spared.get(equation), None
        compute = equation.compute if equation.spared is None else equation.spared
        amounts = [self._amount(equation, k, array) for k, array in enumerate(inputs)]
        if idle is not None:
            amounts = [ZERO if k in idle else amount for k, amount in enumerate(amounts)]
            compute = {}
        places: list[tuple[Expr, ...]] = [()] * len(inputs)
        if equation.row is not None and 0 in equation.gathered:  # one of each row
            places[0] = tuple(ONE if k == equation.row else n for k, n in enumerate(inputs[0].shape))
        parts = self._parts(equation, needs)
        if parts is not None and equation.along is None and equation.axis is None:
            wanted = [_Need(parts, tuple(ONE for _ in equation.outputs[0].shape))]
        partial = [need for need in wanted if need is not None]
        if wanted and len(partial) == len(wanted):
            need = reduce(lambda a, b: a if a == b else _Need(ZERO, b.places), partial)
            found = self._of_a_few(equation, need, partial)
            amounts = [
                few if amount is None or k in equation.gathered else ZERO
                for k, ((few, _), amount) in enumerate(zip(found, amounts, strict=True))
            ]
            places = [at for _, at in found]
            whole = equation.outputs[0].elements
            share = need.many / whole
            if equation.row is not None and equation.inputs[0].elements != 0:
                share = found[0][0] / equation.inputs[0].elements
            known = equation.along is not None or equation.row is not None
            compute = {engine: n * share for engine, n in compute.items()} if known and any(amounts) else {}
        elif equation.along is not None and parts is not None:  # of what lies between the parts nothing
            compute = {engine: n * parts / equation.outputs[0].elements for engine, n in compute.items()}
        update, region = equation.update, equation.region
        if update is not None:
            update = equation.least[0] if 0 in equation.least else update / equation.repeats.get(0, 1)
            region = None if 0 in equation.least else region
            covers = equation.update if region is None else None
        for k, (array, amount) in enumerate(zip(inputs, amounts, strict=True)):
            in_place = k == 0 and equation.update is not None and equation.outputs[0].updated is array.buffer
            if amount is not None and not in_place and array.buffer is not None:
                inputs[k] = replace(array, region=Some(_in_buffer(array, amount), None), same=False)
            self.need(needs, array, amount, places[k])
        if (compute, update, covers) == (equation.compute, equation.update, None) and inputs == list(equation.inputs):
            return equation
        return replace(
            equation, inputs=tuple(inputs), compute=compute, gathered={}, repeats={}, update=update, region=region,
            covers=covers,
        )  # fmt: skip

    def _amount(self, equation: Equation, k: int, array: Array) -> Expr | None:
        """Return how many elements of an operand are needed of a step that is needed as a whole, None for all."""
        if equation.update is not None and k == 0:
            covered = equation.update if equation.region is None else ZERO
            covered = equation.update if 0 in equation.least else covered
            again = equation.again and 0 not in equation.least
            return None if again or covered == 0 else self.sizes.greatest(ZERO, array.elements - covered)
        if k in equation.least:
            return equation.least[k]
        if k in equation.gathered:
            return equation.gathered[k] / equation.repeats.get(k, 1)
        if isinstance(array.region, Some):
            seen = array.region.fewest
            return (array.region.elements if seen is None else seen) * _in_buffer(array, ONE) ** -1
        return None

    def _of_a_few(
        self, equation: Equation, need: _Need, partly: Sequence[_Need]
    ) -> list[tuple[Expr, tuple[Expr, ...]]]:
        """Return how many elements of each operand a few of the results need, at so many places along its axes."""
        none = [(ZERO, ())] * len(equation.inputs)
        along, made = equation.along, equation.outputs[0]
        if equation.row is not None and not equation.gathered:
            along = (tuple(None if k == equation.row else k for k in range(len(made.shape))),)
        plain = len(partly) == 1 and equation.update is None and not equation.shift and not equation.least
        if 0 in equation.gathered and plain:
            return [(need.many / equation.repeats.get(0, 1), ()), *none[1:]]
        several = equation.along is not None and len(equation.inputs) > len(equation.along)  # parts of each operand
        if along is None or not plain or equation.gathered or several:
            return none
        found = []
        for array, axes in zip(equation.inputs, along, strict=False):
            to = [None if k is None else k if k >= 0 else ~k for k in axes]
            others = Mul(*(n for k, n in enumerate(made.shape) if k not in to))
            at = [need.places[k] for k in to if k is not None]
            rows = reduce(self.sizes.greatest, at, need.many / others)
            summed = Mul(*(n for k, n in zip(to, array.shape, strict=True) if k is None))
            places = (n if k is None else need.places[k] for k, n in zip(to, array.shape, strict=True))
            found.append((expand(rows * summed), tuple(places)))
        return found + none[len(found) :]

    # --- needs -----------------------------------------------------------------------------------------

    def need(self, needs: _Needs, array: Array, many: Expr | None, places: tuple[Expr, ...]) -> None:
        """Note that so many elements of an array are needed, None for all that is seen of it."""
        buffer = array.buffer
        if buffer is None:
            return
        if many is None or expand(many - array.elements) == 0:
            if isinstance(array.region, Region):
                needs.parts.setdefault(buffer, []).append(array.region)
            else:
                needs.whole.add(buffer)
            return
        needs.fewer.add(buffer)
        if many == 0:
            return
        plain = (
            array.shape == buffer.shape and array.region is None and array.strides in (None, row_major(buffer.shape))
        )
        found = _Need(_in_buffer(array, many), places if plain and places else tuple(ONE for _ in buffer.shape))
        needs.few[buffer] = self._most(needs.few[buffer], found) if buffer in needs.few else found

    def wanted(self, buffer: Buffer, needs: _Needs) -> _Need | None:
        """Return the elements of a buffer that are needed: None for all of them."""
        if buffer in needs.whole or (buffer in needs.parts and buffer not in needs.fewer):
            return None
        few = needs.few.get(buffer, _Need(ZERO, tuple(ONE for _ in buffer.shape)))
        if buffer in needs.parts:
            few = replace(few, many=self.sizes.greatest(few.many, self._together(needs.parts[buffer])))
        return None if expand(few.many - buffer.elements) == 0 else few

    def _parts(self, equation: Equation, needs: _Needs) -> Expr | None:
        """Return how many elements the parts have that are needed of what a step makes, None where more is."""
        made, *others = equation.outputs or (None,)
        if made not in needs.parts or made in needs.whole or any(b in needs for b in others) or equation.turns:
            return None
        found = self.sizes.least(self._together(needs.parts[made]), made.elements)
        return None if expand(found - made.elements) == 0 else found

    def _together(self, regions: Sequence[Region]) -> Expr:
        found = union(regions, self.sizes)
        return reduce(self.sizes.greatest, (r.elements for r in regions)) if found is None else found

    def _most(self, a: _Need, b: _Need) -> _Need:
        greatest = self.sizes.greatest
        return _Need(greatest(a.many, b.many), tuple(map(greatest, a.places, b.places)))


def _in_buffer(array: Array, many: Expr) -> Expr:
    """Return how many elements of its buffer so many of an array are, which may be wider or narrower."""
    assert array.buffer is not None
    return many * Buffer((), array.format).width / array.buffer.width


def _idle(equation: Equation) -> Equation:
    """Return a step that need not be done."""
    if isinstance(equation, Loop):
        return Equation(equation.primitive, (), equation.outputs, place=equation.place, scope=equation.scope)
    return replace(
        equation, inputs=(), compute={}, kind="cheap", gathered={}, repeats={}, least={}, links={}, moves=(),
        axis=None, along=None,
    )  # fmt: skip
