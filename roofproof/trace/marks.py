"""What masks leave: zeros, and what is so low that exp makes zeros of it; sums and products need not look at it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from roofproof.trace.counting import names_in
from roofproof.trace.masks import LOW, ZEROS
from roofproof.trace.program import Array, Buffer, Equation, Loop, Program
from roofproof.trace.regions import row_major

SUMS = names_in("add add_any sub")
VANISHING = names_in("exp exp2 sigmoid logistic _softmax _safe_softmax")  # of what is low they make zeros
COMPARED = names_in("eq ne lt le gt ge eq_to lt_to le_to isnan isinf isfinite is_finite")  # no, as a number, is zero
Marks: TypeAlias = frozenset[tuple[str, object]]  # zeros, or low, and by which mask


@dataclass
class Masked:
    """Of which results a mask leaves a part only; `spared` has operands of steps that it makes idle."""

    marks: dict[Buffer, Marks] = field(default_factory=dict)
    tests: dict[Buffer, object] = field(default_factory=dict)  # what makes a mask: two that compare alike are one
    spared: dict[Equation, frozenset[int]] = field(default_factory=dict)

    def mark(self, program: Program) -> None:
        """Note of what results a mask leaves a part only."""
        for equation in program.equations:
            if not isinstance(equation, Loop):
                self._mark(equation)
                continue
            starts = (*equation.carried, *equation.slices)
            for _ in range(3):  # what begins, what one turn makes of it, and another of that: two kinds of marks
                self.marks |= {b: self.of(b) | self.of(a.buffer) for b, a in starts}
                self.mark(equation.body)
                for (b, _a), end in zip(equation.carried, equation.body.outputs, strict=False):
                    self.marks[b] = self.of(b) | self.of(end.buffer)
            for result, end in zip(equation.results, equation.body.outputs, strict=False):
                if result is not None:
                    self.marks[result] = self.of(end.buffer)

    def of(self, buffer: Buffer | None) -> Marks:
        return frozenset() if buffer is None else self.marks.get(buffer, frozenset())

    def _mark(self, equation: Equation) -> None:
        name, taken = equation.primitive, [self.of(a.buffer) for a in equation.inputs]
        found: Marks = frozenset().union(*taken)
        masked = {k for k, mark in enumerate(taken) if mark}
        summed = equation.kind == "alone" or (len(taken) == 1 and any(None in axes for axes in equation.along or ()))
        made: set[tuple[str, object]] = set()
        if equation.leaves is not None:
            mask = self._test(equation.inputs[0 if name != "masked_fill" else -1]) or equation
            hidden = (taken[k] for k in equation.least)
            made = {each for each in frozenset().union(*hidden) if each[1] != mask}
            made |= {(kind, mask) for kind in equation.leaves}
        elif name in SUMS and not summed:
            every = len(masked) == len(taken)
            made = {each for each in (taken[0] if name == "sub" else found) if every or each[0] == LOW}
        elif name in VANISHING:
            made = {(ZEROS, mask) for kind, mask in found if kind == LOW}
        elif not summed:
            made = set(found)
        if name in COMPARED:
            self.tests[equation.outputs[0]] = (name, *((a.buffer, a.region, a.known) for a in equation.inputs))
            made.add((ZEROS, self._test(Array((), "", equation.outputs[0]))))
        if equation.update is not None and equation.inputs[0].buffer is None:  # a few of zeros
            made |= {(ZEROS, equation), (LOW, equation)}
        for output in equation.outputs:
            self.marks[output] = frozenset(made)
        if masked:  # no work, and where nothing else comes out no other operand
            idle = (bool(made) or equation.kind == "alone") and equation.update is None
            self.spared[equation] = frozenset(set(range(len(taken))) - masked if idle else ())

    def _test(self, array: Array) -> object:
        """Return what a mask is, as far as another one may be the same."""
        if array.buffer is None:
            return array.form
        plain = array.strides in (None, row_major(array.shape))
        laid = None if plain else array.strides
        return self.tests.get(array.buffer, array.buffer), array.region, array.offset, laid
