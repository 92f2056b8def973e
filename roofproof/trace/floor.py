"""The reads and computation that a program needs whatever its values are, as a smaller program.

The forward pass finds what a mask, or a choice by values, may have emptied. The backward pass, from the results, finds
the places of each result that are needed for certain, and from them the operands. All places of a gather may be the
same, a selection may choose one side everywhere, and possible zeros need not be multiplied. The passes do not look for
zeros or non-finite values among the inputs. Equal work, also in several iterations of a loop, counts once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce

from sympy import Add, Expr, Mul, expand

from roofproof.trace.dead import part_of
from roofproof.trace.dtypes import Truth
from roofproof.trace.names import names_in
from roofproof.trace.parts import Box, Unknown, Upto, count, full_box, operands, region_of
from roofproof.trace.program import ONE, ZERO, Array, Buffer, Equation, Iterations, Loop, Program
from roofproof.trace.regions import Digit, Region, UndecidedError, UnlocatedElements, places, row_major, union
from roofproof.trace.sizes import KnownSizes

SUMS = frozenset(names_in("add add_any sub rsub cat concatenate stack"))  # empty only if each operand is
LINEAR = frozenset(
    names_in("""
    sum mean reduce_sum cumsum mm bmm mv dot dot_general _int_mm convolution conv_general_dilated
""")
)  # zero if the first operand is, or another factor
RARE = names_in("_softmax _safe_softmax exp exp2")  # if values are low everywhere, all but a few results are zero
VANISHING = dict.fromkeys(RARE, "few") | dict.fromkeys(("sigmoid", "logistic"), "zeros")
MASK = frozenset({"zeros", "low", "mask"})  # made only of masks and of numbers in the code
GUARDS = frozenset(names_in("isfinite is_finite isnan isinf"))  # constant, as inputs are finite


def floor(program: Program, sizes: KnownSizes) -> Program:
    """Return the program with only the reads and computation that it needs whatever its values are.

    >>> import torch
    >>> from roofproof.trace.aten.entry import traced
    >>> made = traced(lambda x, k: torch.exp(x)[k], "x:fp32[64,16], k:int64[5]").program
    >>> [e.compute["exp"] for e in floor(made, KnownSizes(())).equations if "exp" in e.compute]    # one row of 16
    [16]
    """
    known = _Floor(sizes)
    known.mark(program)
    needs = _Needs(sizes)
    for array in program.outputs:
        needs.add(array, full_box(array.shape))
    return eliminate_common_subexpressions(known.level(program, needs), sizes)


# --- needed parts ------------------------------------------------------------------------------------------


@dataclass
class _Needs:
    """The boxes of each buffer that are needed for certain, and the regions of these and of other needed parts."""

    sizes: KnownSizes
    boxes: dict[Buffer, list[Box]] = field(default_factory=dict)
    regions: dict[Buffer, list[Region]] = field(default_factory=dict)

    def add(self, array: Array, box: Box) -> Array | None:
        """Mark a box of an array as needed, and return the part of its buffer to read, or None for nothing."""
        buffer = array.buffer
        if buffer is None or count(box) == 0:
            return None
        if isinstance(array.region, UnlocatedElements) and box == full_box(array.shape):
            seen = array.region
            return replace(
                array, region=UnlocatedElements(seen.elements if seen.fewest is None else seen.fewest, None), same=False
            )
        found = self._in_buffer(array, box)
        if found is None and box == full_box(array.shape) and isinstance(array.region, Region):
            return array if self._join(buffer, array.region) and self.mark_unlocated(array, ONE) else None
        if found is None:  # its location is unknown
            return None if isinstance(array.region, UnlocatedElements) else self.mark_unlocated(array, count(box))
        digits = [digit for digit in found if isinstance(digit, Digit)]
        if len(digits) == len(found) and not self._join(buffer, region_of(digits, buffer.shape)):
            return None
        if found not in self.boxes.setdefault(buffer, []):
            self.boxes[buffer].append(found)
        return _read(array, buffer, found)

    def _join(self, buffer: Buffer, region: Region) -> bool:
        """Add a region to those of a buffer, and return False if the sizes leave its overlap with them open."""
        regions = dict.fromkeys([*self.regions.get(buffer, ()), region])
        together = union(regions, self.sizes)
        if together is None:
            return False
        self.regions[buffer] = [*regions]
        if expand(together - buffer.elements) == 0:
            self.boxes[buffer] = [full_box(buffer.shape)]
        return True

    def mark_unlocated(self, array: Array, many: Expr) -> Array | None:
        """Mark a number of elements of an array as needed, at unknown places, and return them."""
        buffer = array.buffer
        if buffer is None or many == 0:
            return None
        if self.sizes.less(ZERO, many):
            self.boxes.setdefault(buffer, []).append(tuple(Unknown(ONE) for _ in buffer.shape))
        width = Buffer((), array.format).width
        return replace(array, region=UnlocatedElements(many * width / buffer.width, None), same=False)

    def _in_buffer(self, array: Array, box: Box) -> Box | None:
        """Return a box of an array as a box of its buffer, or None if it is not one."""
        buffer = array.buffer
        assert buffer is not None
        if isinstance(array.region, UnlocatedElements) or Buffer((), array.format).width != buffer.width:
            return full_box(buffer.shape) if array.region is None and box == full_box(array.shape) else None
        if (array.shape, array.known_strides, array.offset) == (
            buffer.shape,
            row_major(buffer.shape),
            ZERO,
        ) and not buffer.cut:
            return box
        if box == full_box(array.shape):
            return self._places(array, buffer)
        digits = [digit for digit in box if isinstance(digit, Digit)]
        if len(digits) == len(box):
            part = array.sliced(
                tuple(d.count for d in digits), [d.start for d in digits], [d.step for d in digits], self.sizes
            )
            return None if part is None else self._places(part, buffer)
        return None if buffer.cut else _turned(array, buffer, box)

    def _places(self, array: Array, buffer: Buffer) -> Box | None:
        """Return the places of its buffer that an array views, or None if they are not a box."""
        if array.region is None:
            return full_box(buffer.shape)
        if not isinstance(array.region, Region):
            return None
        if buffer.cut is None:
            return places(array.region, buffer.shape, self.sizes)
        shape, left = buffer.cut
        found = places(array.region, shape, self.sizes)
        return found and tuple(
            Digit((d.start - one.start) / one.step, d.count, ONE if d.count == 1 else d.step / one.step)
            for d, one in zip(found, left, strict=True)
        )

    def of(self, buffer: Buffer) -> list[Box]:
        return self.boxes.get(buffer, [])

    def many(self, buffer: Buffer) -> Expr:
        """Return the least number of places of a buffer that are needed."""
        boxes = self.of(buffer)
        if full_box(buffer.shape) in boxes:
            return buffer.elements
        known = union(self.regions.get(buffer, ()), self.sizes)
        return reduce(self.sizes.greatest, map(count, boxes), ZERO if known is None else known)


def _turned(array: Array, buffer: Buffer, box: Box) -> Box | None:
    """Return a box of an array whose axes are those of its buffer in another order, up to axes of size 1."""
    strides = array.known_strides
    if strides is None or array.offset != 0:
        return None
    at = {stride: digit for digit, stride, n in zip(box, strides, array.shape, strict=True) if n != 1 and stride != 0}
    found: list[Digit | Unknown] = []
    for n, stride in zip(buffer.shape, row_major(buffer.shape), strict=True):
        if n != 1 and stride not in at:
            return None
        found.append(Digit(ZERO, ONE) if n == 1 else at.pop(stride))
    lengths = {s: n for n, s in zip(array.shape, strides, strict=True) if n != 1 and s != 0}
    same = all(lengths[s] == n for n, s in zip(buffer.shape, row_major(buffer.shape), strict=True) if n != 1)
    return tuple(found) if not at and same else None


def _read(array: Array, buffer: Buffer, box: Box) -> Array:
    """Return an array restricted to a box of its buffer."""
    if box == full_box(buffer.shape):
        return array if array.region is None else replace(array, region=None)
    digits = [digit for digit in box if isinstance(digit, Digit)]
    region = region_of(digits, buffer.shape) if len(digits) == len(box) else UnlocatedElements(count(box), None)
    return array if region == array.region else replace(array, region=region, same=False)


# --- the two passes ----------------------------------------------------------------------------------------


@dataclass
class _Floor:
    sizes: KnownSizes
    left: dict[Buffer, frozenset[str]] = field(default_factory=dict)  # the values that masks may leave in a buffer
    masks: dict[Equation, list[int]] = field(default_factory=dict)  # operands that masks may empty

    def mark(self, program: Program) -> None:
        """Find the values that masks may leave in the results of each step."""
        for equation in program.equations:
            if isinstance(equation, Loop):
                self._mark_loop(equation)
                continue
            taken = [k for k, a in enumerate(equation.inputs) if a.buffer is not None and k not in equation.address]
            kinds = {k: found for k in taken if (found := self._of(equation.inputs[k].buffer))}
            if kinds:
                self.masks[equation] = [*kinds]
            made = self._made(equation, list(kinds.values()), len(taken))
            if kinds and equation.primitive in SUMS and not made:  # a sum with an unmasked operand needs both
                self.masks[equation] = [*range(len(equation.inputs))]
            for buffer in equation.outputs:
                truth = isinstance(buffer.format, Truth) and equation.primitive not in GUARDS
                self.left[buffer] = MASK if truth else made

    @staticmethod
    def _made(equation: Equation, kinds: Sequence[frozenset[str]], operands: int) -> frozenset[str]:
        """Return the values that masks may leave in a result, from those that they may leave in the operands."""
        name = equation.primitive
        base = equation.update is not None and equation.inputs[0].buffer is None
        made = equation.mask_residue | (frozenset({"low"}) if base else frozenset())
        found = frozenset().union(*kinds)
        if name.startswith(("random", "threefry")) or (name.startswith("native_") and operands > 2):
            return made  # random numbers, or a norm, which turns zeros into its bias
        if len(kinds) < operands or "mask" not in frozenset.intersection(*kinds or [found]):
            found = frozenset("low" if kind == "mask" else kind for kind in found) - {"mask"}
        if equation.least and equation.mask_residue:  # only the values written over hidden ones
            return made
        if name in SUMS and len(kinds) < operands:
            return made | (found & {"low"})
        if name in LINEAR or equation.kind == "alone":
            return made | (found & {"zeros"} if name in LINEAR else frozenset())
        if name in VANISHING:
            return made | frozenset({VANISHING[name]} if "low" in found else ())
        return made | found

    def _mark_loop(self, loop: Loop) -> None:
        starts = (*loop.carried, *loop.slices)
        for _ in range(3):  # the start, its result after one iteration, and after two
            self.left |= {b: self._of(b) | self._of(a.buffer) for b, a in starts}
            self.mark(loop.body)
            for (b, _a), end in zip(loop.carried, loop.body.outputs, strict=False):
                self.left[b] = self._of(b) | self._of(end.buffer)
        for result, end in zip(loop.results, loop.body.outputs, strict=False):
            if result is not None:
                self.left[result] = self._of(end.buffer)

    def _of(self, buffer: Buffer | None) -> frozenset[str]:
        """Return the values that masks may leave in a buffer. Given truth values, int32 and int64 may be masks."""
        if buffer is None:
            return frozenset()
        masks = isinstance(buffer.format, Truth) or buffer.format in ("int32", "int64")
        return self.left.get(buffer, MASK if buffer.given and masks else frozenset())

    def level(self, program: Program, needs: _Needs) -> Program:
        """Return the certain steps of one level, and mark the parts of other buffers that they need."""
        done: list[Equation] = []
        for equation in reversed(program.equations):
            if equation.outputs and not any(needs.of(output) for output in equation.outputs):
                done.append(_idle(equation))
            elif isinstance(equation, Loop):
                done += self.loop(equation, needs)
            else:
                done.append(self.step(equation, needs))
        return Program(done[::-1], program.outputs)

    def step(self, equation: Equation, needs: _Needs) -> Equation:
        """Return a step with only the parts of its operands that are needed for certain."""
        boxes = needs.of(equation.outputs[0]) if equation.outputs else []
        others = any(needs.of(output) for output in equation.outputs[1:])
        every = not equation.outputs or others or full_box(equation.outputs[0].shape) in boxes
        every = every or equation.boxes == len(needs.regions.get(equation.outputs[0], ())) > 1
        every = every or (equation.iterations is not None and self._last(equation, equation.iterations, boxes))
        masks = self.masks.get(equation, [])
        deciding = self._deciding(equation) if masks else range(len(equation.inputs))
        start = equation.inputs[:1] if _in_place(equation) else ()
        inputs: list[Array] = [*start]
        first: list[Box] = []
        for k, array, need in self._operands(equation, boxes, every):
            if k in deciding:
                part = needs.add(array, need) if isinstance(need, tuple) else needs.mark_unlocated(array, need)
                inputs += [part] if part is not None and (k or not start) else []
                first += [need] if k == 0 and isinstance(need, tuple) else []
        compute = {} if masks else equation.compute if equation.least_compute is None else equation.least_compute
        if equation.boxes > 1:
            compute = {
                e: n * needs.many(equation.outputs[0]) / equation.outputs[0].elements for e, n in compute.items()
            }
        elif not every:
            compute = self._share(equation, compute, needs.many(equation.outputs[0]), first)
        return _certain(equation, inputs, compute)

    @staticmethod
    def _last(equation: Equation, turns: Iterations, boxes: Sequence[Box]) -> bool:
        """Return whether the last time step of a recurrence is needed, and so all of them."""
        digits = [box[0] for box in boxes if isinstance(box[0], Digit)]
        return any(d.start == 0 if turns.backwards else expand(d.last + 1 - equation.outputs[0].shape[0]) == 0
                   for d in digits)  # fmt: skip

    def _deciding(self, equation: Equation) -> Sequence[int]:
        """Return the operands that a step reads whatever masks hide: the mask of a selection, the smallest factor."""
        if equation.primitive in SUMS:
            return self.masks[equation]
        masks = [k for k in self.masks[equation] if equation.least.get(k) != 0]
        sizes = [equation.inputs[k].elements for k in masks]
        if len(masks) < 2 or any(k in equation.least for k in range(len(equation.inputs))):
            return masks[:1]
        least = (k for k, n in zip(masks, sizes, strict=True) if all(self.sizes.least(n, m) == n for m in sizes))
        return [k for k in (next(least, None),) if k is not None]

    def _operands(
        self, equation: Equation, boxes: Sequence[Box], every: bool
    ) -> Iterator[tuple[int, Array, Box | Expr]]:
        """Yield the needed operands, each with a box or a number of elements."""
        if not every:
            for box in boxes:
                try:
                    yield from (each for each in operands(equation, box, self.sizes) if each[0] not in equation.least)
                except UndecidedError:
                    continue
            return
        taken: dict[int, Box] = {}
        if equation.outputs and equation.along is not None:
            taken = {k: box for k, _, box in operands(equation, full_box(equation.outputs[0].shape), self.sizes)}
        for k, array in enumerate(equation.inputs):
            if k == 0 and equation.certain_boxes and array.buffer is not None and not array.buffer.given:
                yield from ((k, array, box) for box in equation.certain_boxes)
            elif k == 0 and equation.update is not None:
                covered = 0 if equation.reads_updated and 0 not in equation.least else equation.update
                left = self.sizes.greatest(ZERO, array.elements - covered)
                yield k, array, full_box(array.shape) if covered == 0 else left
            elif k in equation.least and expand(equation.least[k] - array.elements) != 0:
                yield k, array, equation.least[k]
            else:
                yield k, array, taken.get(k, full_box(array.shape))

    def _share(
        self, equation: Equation, compute: Mapping[str, Expr], many: Expr, first: Sequence[Box]
    ) -> dict[str, Expr]:
        """Return the least work of a step of which `many` results are needed, with the boxes `first` of its operand."""
        made = equation.outputs[0].elements
        if equation.along is None:
            return {}
        upto = [k for k, axis in enumerate(equation.along[0]) if isinstance(axis, Upto)]
        if upto or equation.by_rows:
            n, rows = equation.inputs[0].elements, equation.inputs[0].shape[upto[0]] if upto else ZERO
            sums = (count(box) * (1 - 1 / box[upto[0]].count) if upto else count(box) for box in first)
            share = reduce(self.sizes.greatest, sums, ZERO) / (n * (1 - 1 / rows) if upto else n)
            return {engine: amount * share for engine, amount in compute.items()}
        return {
            engine: self.sizes.greatest(ZERO, amount - (made - many) * equation.most[engine])
            if engine in equation.most else amount * many / made
            for engine, amount in compute.items()
        }  # fmt: skip

    # --- loops -------------------------------------------------------------------------------------------

    def loop(self, loop: Loop, needs: _Needs) -> list[Equation]:
        """Return the certain iterations of a loop: the last needed one, and those before it, which may need less."""
        chained, ends = len(loop.carried), loop.body.outputs
        finals = {k for k, r in enumerate(loop.results[:chained]) if r is not None and needs.of(r)}
        stacked = {k: needs.of(r) for k, r in enumerate(loop.results) if k >= chained and r is not None and needs.of(r)}
        if loop.has_apart_step or any(output.updated is not None for output in loop.outputs):
            return [self._turns(loop, Digit(ZERO, loop.trips), dict.fromkeys(range(len(ends))), needs)]
        digits = {k: digit for k, boxes in stacked.items() if (digit := self._turns_of(loop, boxes)) is not None}
        last = ONE * (loop.trips if finals else max((d.last + 1 for d in digits.values()), default=ZERO, key=self._key))
        seeds: dict[int, Box | None] = dict.fromkeys(finals)
        seeds |= {k: self._of_a_turn(stacked[k]) for k in digits}
        reached = self._reached(loop, seeds)
        at_end = {k: box for k, box in seeds.items() if k in finals or expand(digits[k].last + 1 - last) == 0}
        always = {k: seeds[k] for k, d in digits.items() if expand(d.count - last) == 0}
        before = dict.fromkeys(reached) | always
        if not at_end:
            return [_idle(loop)]
        end = self._turns(loop, Digit(last - 1, ONE), at_end, needs)
        if not before or last == 1:
            return [end]
        start = replace(self._turns(loop, Digit(ZERO, last - 1), before, needs), outputs=())
        if start.body.equations == end.body.equations == loop.body.equations and expand(last - loop.trips) == 0:
            return [loop]
        return [end, replace(start, body=_copied(start.body))]

    def _key(self, last: Expr) -> tuple[bool, Expr]:
        return last.is_number, last if last.is_number else ZERO

    def _turns_of(self, loop: Loop, boxes: Sequence[Box]) -> Digit | None:
        """Return the iterations, in order, that make the needed part of a result, or None if that is unknown."""
        known = [box[0] for box in boxes if isinstance(box[0], Digit)]
        widest = next((d for d in known if d == Digit(ZERO, loop.trips)), known[0] if len(known) == 1 else None)
        if widest is None or not loop.backwards:
            return widest
        return replace(widest, start=expand(loop.trips - 1 - widest.last))

    @staticmethod
    def _of_a_turn(boxes: Sequence[Box]) -> Box | None:
        """Return the needed part of the result of one iteration, or None for all of it."""
        return boxes[0][1:] if len(boxes) == 1 else None

    def _reached(self, loop: Loop, seeds: Mapping[int, Box | None]) -> set[int]:
        """Return the carried values that the iterations need for their needed results."""
        found: set[int] = set()
        while True:
            inside = self._seeded(loop, dict(seeds) | dict.fromkeys(found))
            self.level(loop.body, inside)
            more = {k for k, (buffer, _) in enumerate(loop.carried) if inside.of(buffer)}
            if more <= found:
                return found
            found |= more

    def _seeded(self, loop: Loop, seeds: Mapping[int, Box | None]) -> _Needs:
        inside = _Needs(self.sizes)
        for k, box in seeds.items():
            end = loop.body.outputs[k]
            inside.add(end, full_box(end.shape) if box is None else box)
        return inside

    def _turns(self, loop: Loop, turns: Digit, seeds: Mapping[int, Box | None], needs: _Needs) -> Loop:
        """Return some iterations of a loop with the same needs, and mark the parts of other buffers they need."""
        inside = self._seeded(loop, seeds)
        body = self.level(loop.body, inside)
        at = replace(turns, start=expand(loop.trips - turns.end)) if loop.backwards else turns
        all_of_it = Digit(ZERO, loop.trips)
        slices = []
        for buffer, array in loop.slices:
            for box in inside.of(buffer):
                needs.add(array, (at, *box))
            slices.append(
                (
                    buffer,
                    array
                    if at == all_of_it
                    else part_of(array, (at, *(Digit(ZERO, n) for n in array.shape[1:])), self.sizes),
                )
            )
        carried = []
        for buffer, array in loop.carried:
            begins = turns.start == 0
            for box in inside.of(buffer) if begins else ():
                needs.add(array, box)
            carried.append((buffer, array if begins else Array(array.shape, array.format)))
        for buffer in loop.captured:
            for box in inside.of(buffer):
                needs.add(Array(buffer.shape, buffer.format, buffer), box)
        return replace(loop, body=body, trips=turns.count, slices=tuple(slices), carried=tuple(carried))


def _copied(program: Program) -> Program:
    """Return a copy of a program with its own steps, for one group of iterations next to another."""
    every = (replace(e, body=_copied(e.body)) if isinstance(e, Loop) else replace(e) for e in program.equations)
    return Program([*every], program.outputs)


def _in_place(equation: Equation) -> bool:
    return equation.update is not None and equation.outputs[0].updated is equation.inputs[0].buffer


def _certain(equation: Equation, inputs: Sequence[Array], compute: Mapping[str, Expr]) -> Equation:
    """Return a step that reads only these parts, and changes only as much as indices must reach."""
    update = equation.update
    unchanged = list(inputs) == [a for a in equation.inputs if a.buffer is not None] and compute == equation.compute
    if unchanged and not equation.gathered and (update is None or equation.region is not None):
        return equation
    if update is None:
        return replace(equation, inputs=tuple(inputs), compute=compute, gathered={}, least={})
    few = equation.least[0] if 0 in equation.least else update / equation.repeats
    region = None if 0 in equation.least else equation.region
    covers = update if region is None else None
    return replace(
        equation, inputs=tuple(inputs), compute=compute, gathered={}, least={}, update=few, region=region, covers=covers
    )


def _idle(equation: Equation) -> Equation:
    """Return an empty step in place of one that is not needed."""
    if isinstance(equation, Loop):
        return Equation(equation.primitive, (), equation.outputs, place=equation.place, scope=equation.scope)
    start = equation.inputs[:1] if _in_place(equation) else ()
    update = None if equation.update is None else ZERO
    return replace(
        equation, inputs=start, compute={}, kind="cheap", gathered={}, least={}, links={}, moves=(), update=update,
        region=None, covers=ZERO if start else None, reads_updated=False, axis=None, along=None,
    )  # fmt: skip


# --- common subexpressions ---------------------------------------------------------------------------------


def eliminate_common_subexpressions(program: Program, sizes: KnownSizes) -> Program:
    """Return the program with equal work of several steps, or of several loop iterations, counted once.

    Steps are equal if they do the same with the same buffers, whatever the parts. The largest one counts.

    >>> import jax.numpy as jnp
    >>> from roofproof.trace.jaxpr.entry import traced
    >>> made = traced(lambda x: (jnp.exp(x) + 1, jnp.exp(x) * 2), "x:fp32[8]").program
    >>> [e.compute.get("exp") for e in eliminate_common_subexpressions(made, KnownSizes(())).equations]
    [8, None, None, None]
    """
    once = _Once(sizes)
    once.read(program, {})
    return once.level(program)


@dataclass
class _Once:
    sizes: KnownSizes
    names: dict[Buffer, object] = field(default_factory=dict)  # equal for buffers that hold equal results
    numbers: dict[object, int] = field(default_factory=dict)
    turned: dict[Buffer, Mapping[object, Expr]] = field(
        default_factory=dict
    )  # the loops in which each iteration has its own
    alike: dict[object, list[tuple[Equation, Expr, Expr]]] = field(default_factory=dict)
    around: dict[Equation, Expr] = field(default_factory=dict)  # iterations of the loops around a step
    share: dict[Equation, Mapping[str, Expr]] = field(default_factory=dict)

    def read(self, program: Program, loops: Mapping[object, Expr]) -> None:
        """Find equal work. `loops` maps the surrounding loops to their numbers of iterations."""
        for equation in program.equations:
            if isinstance(equation, Loop):
                around = {**loops, equation: equation.trips}
                for buffer, _ in (*equation.carried, *equation.slices):
                    self.names[buffer], self.turned[buffer] = (equation, buffer), around
                self.read(equation.body, around)
                continue
            turned: dict[object, Expr] = {}
            for array in equation.inputs:
                if array.buffer is not None:
                    turned |= self.turned.get(array.buffer, {})
                turned |= loops if array.varies_in else {}
            named = (a.known if a.buffer is None else self.names.get(a.buffer, a.buffer) for a in equation.inputs)
            inputs = tuple(dict.fromkeys(named))  # several may be parts of one
            key: object = (equation.primitive, str(equation.form), inputs)
            if equation.form is None or equation.update is not None or equation.kind == "apart":
                key, turned = equation, dict(loops)
            number = self.numbers.setdefault(key, len(self.numbers))
            for k, output in enumerate(equation.outputs):
                self.names[output], self.turned[output] = (number, k), turned
            if equation.compute:
                self.alike.setdefault(key, []).append((equation, Mul(*turned.values()), Mul(*loops.values())))

    def level(self, program: Program) -> Program:
        """Return the steps of one level, each with only the work that no other step accounts for."""
        if not self.share:
            for same in self.alike.values():
                self._largest(same)
        done: list[Equation] = []
        for equation in program.equations:
            if isinstance(equation, Loop):
                body = self.level(equation.body)
                done.append(equation if body is equation.body else replace(equation, body=body))
            elif self.share.get(equation, equation.compute) != equation.compute:
                done.append(replace(equation, compute=self.share[equation]))
            else:
                done.append(equation)
        return program if done == program.equations else Program(done, program.outputs)

    def _largest(self, same: Sequence[tuple[Equation, Expr, Expr]]) -> None:
        """Set the share of equal steps: those with disjoint parts count, times the iterations in which they differ."""
        kept: dict[Equation, dict[str, Expr]] = {}
        for one, times, around in sorted(same, key=self._number, reverse=True):
            work = {engine: n * times for engine, n in one.compute.items()}
            met = next((other for other in kept if not self._read_disjoint(one, other)), None)
            if met is not None:  # for symbolic sizes, the larger one may be unknown
                work = {engine: self.sizes.greatest(n, kept[met].get(engine, ZERO)) for engine, n in work.items()}
            kept[met or one] = work
            self.share[one] = {}
            self.around.setdefault(one, around)
        self.share |= {e: {k: n / self.around[e] for k, n in work.items()} for e, work in kept.items()}

    def _read_disjoint(self, one: Equation, other: Equation) -> bool:
        """Return whether two steps read disjoint parts of a buffer."""
        ones, others = self._parts(one), self._parts(other)
        for name in ones.keys() & others.keys():
            one_by_one, together = [*ones[name], *others[name]], union([*ones[name], *others[name]], self.sizes)
            if together is not None and expand(Add(*(r.elements for r in one_by_one)) - together) == 0:
                return True
        return False

    def _parts(self, equation: Equation) -> dict[object, list[Region]]:
        """Return the regions of each buffer that a step reads, for buffers whose regions are all known."""
        found: dict[object, list[Region]] = {}
        wide: set[object] = set()
        for array in equation.inputs:
            if array.buffer is not None:
                name = self.names.get(array.buffer, array.buffer)
                if isinstance(array.region, Region):
                    found.setdefault(name, []).append(array.region)
                else:
                    wide.add(name)
        return {name: regions for name, regions in found.items() if name not in wide}

    @staticmethod
    def _number(one: tuple[Equation, Expr, Expr]) -> Expr:
        """Return the amount of work of a step as a sort key, or 0 for symbols, for which any order will do."""
        amount = Add(*one[0].compute.values()) * one[1]
        return amount if amount.is_number else ZERO
