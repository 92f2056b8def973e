"""What masks leave: zeros, and what is so low that exp makes zeros of it; sums and products need not look at it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from roofproof.trace.counting import names_in
from roofproof.trace.dtypes import Truth
from roofproof.trace.masks import FEW, LOW, ZEROS
from roofproof.trace.program import Array, Buffer, Equation, Loop, Program
from roofproof.trace.regions import row_major
from roofproof.trace.sizes import KnownSizes

FLAG = "flag"  # made of masks, and of numbers in the code, alone
SUMS = names_in("add add_any sub rsub")
EVERY = names_in("""
    cat concatenate stack or xor bitwise_or bitwise_xor logical_or logical_xor __or__ __xor__ max min maximum minimum
    fmax fmin
""")  # zero where each operand is
TRUTHS = names_in("and or mul logical_and logical_or bitwise_and bitwise_or __and__ __or__ maximum minimum max min")
PRODUCTS = names_in("mul div true_divide")
LINEAR = names_in("""
    sum mean reduce_sum cumsum mm bmm mv dot dot_general _int_mm convolution conv_general_dilated
""")  # zero where the first operand is, or another factor
RARE = names_in("_softmax _safe_softmax exp exp2")  # of what is low everywhere they make no number
VANISHING = names_in("sigmoid logistic") | RARE  # of what is low they make zeros
NOT_ZERO = names_in("""
    cos cosh acos acosh erfc digamma lgamma reciprocal rsqrt _log_softmax pow native_batch_norm
    random_bits threefry2x32 random_wrap random_unwrap random_seed random_fold_in random_split random_clone
""")  # what they make of zero, or of a key, is none
LOGARITHMS = names_in("log log2 log10")
COMPARED = names_in("eq ne lt le gt ge eq_to lt_to le_to isnan isinf isfinite is_finite")  # no, as a number, is zero
ATTENTION = "scaled_dot_product_attention"
Marks: TypeAlias = frozenset[tuple[str, object]]  # zeros, or low, and by which mask


@dataclass
class Masked:
    """Of which results a mask leaves a part only; `spared` has operands of steps that it makes idle.

    Truth values are masks, and so may be given whole numbers of 32 or 64 bits, and what is drawn at random.
    """

    sizes: KnownSizes
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
        if buffer is None:
            return frozenset()
        if buffer not in self.marks and buffer.given and may_be_mask(buffer):
            return _flag(self._test(Array(buffer.shape, buffer.format, buffer)))
        return self.marks.get(buffer, frozenset())

    def _mark(self, equation: Equation) -> None:
        name = equation.primitive
        taken = [frozenset() if k in equation.address else self.of(a.buffer) for k, a in enumerate(equation.inputs)]
        masked = {k for k, mark in enumerate(taken) if mark}
        made = self._made(equation, taken)
        for output in equation.outputs:
            self.marks[output] = made
        if equation.outputs and isinstance(equation.outputs[0].format, Truth):
            if name in COMPARED:
                operands = ((a.buffer, a.region, a.known) for a in equation.inputs)
                self.tests[equation.outputs[0]] = (name, *operands)
            for output in equation.outputs:
                self.marks[output] = _flag(self._test(Array((), "", output)))
        idle = self._idle(equation, taken, bool(made))
        if idle or any(kind != FLAG and (FLAG, mask) not in mark for mark in taken for kind, mask in mark):
            self.spared[equation] = idle  # no work, and where nothing else comes out no other operand
        elif masked and equation.leaves is not None:
            self.spared[equation] = frozenset()

    def _made(self, equation: Equation, taken: Sequence[Marks]) -> Marks:
        """Return the marks of what a step makes."""
        name, inputs = equation.primitive, equation.inputs
        found: Marks = frozenset().union(*taken)
        masked = [bool(mark) or array.known == 0 for mark, array in zip(taken, inputs, strict=True)]
        flags = [
            array.buffer is None or any(kind == FLAG for kind, _ in mark)
            for mark, array in zip(taken, inputs, strict=True)
        ]
        summed = equation.kind == "alone" or (len(taken) == 1 and any(None in axes for axes in equation.along or ()))
        made: set[tuple[str, object]] = set()
        if name == "bernoulli":
            return _flag(equation)
        if equation.leaves is not None:
            place = {"masked_fill": -1, "gather": 1}.get(name, 0)
            mask = self._test(inputs[place]) or equation
            hidden = (taken[k] for k in equation.least)
            made = {each for each in frozenset().union(*hidden) if each[1] != mask and each[0] != FLAG}
            made |= {(kind, mask) for kind in equation.leaves}
        elif name in LINEAR and len(taken) < 3:
            made = {(kind, mask) for kind, mask in found if kind == ZEROS}
        elif summed or name in NOT_ZERO or (name.startswith("native_") and len(taken) > 2):
            pass
        elif found and all(flags) and name in SUMS | PRODUCTS | {"neg"}:
            kinds = (ZEROS, FLAG, LOW) if name in PRODUCTS else (ZEROS, FLAG)
            made = {(kind, mask) for _, mask in found for kind in kinds} | found
        elif name in SUMS:
            made = {each for each in (taken[0] if name == "sub" else found) if all(masked) or each[0] == LOW}
        elif name in EVERY:
            made = set(found) if all(masked) else set()
        elif name in VANISHING:
            made = {(FEW if name in RARE else ZEROS, mask) for kind, mask in found if kind == LOW}
        elif name in LOGARITHMS:
            made = {(LOW, mask) for kind, mask in found if kind in (ZEROS, FEW)}
        elif name in PRODUCTS and not all(flags):  # what is low may be multiplied by what is negative
            made = {
                (kind, mask) for mark in taken for kind, mask in mark
                if kind != FLAG and (kind != LOW or (FLAG, mask) not in mark)
            }  # fmt: skip
        else:
            made = {each for each in found if each[0] != FLAG or all(flags)}
        if equation.update is not None and inputs[0].buffer is None:  # a few of zeros, or none
            made |= {(ZEROS if 0 in equation.least else FEW, equation), (LOW, equation)}
        return frozenset(made)

    def _idle(self, equation: Equation, taken: Sequence[Marks], marked: bool) -> frozenset[int]:
        """Return which operands a step need not look at where masks hide others."""
        name, every = equation.primitive, range(len(taken))
        masked = [k for k in every if taken[k]]
        if not masked or equation.update is not None:
            return frozenset()
        if name.startswith(ATTENTION):  # queries or keys of zeros weigh all values alike
            return frozenset({1 for _ in taken[0]} | {0 for _ in taken[1]} | {k for _ in taken[2] for k in (0, 1)})
        if name.startswith("native_") and not marked:  # normed zeros are what is added to them
            return frozenset(every[1:2]) if taken[0] else frozenset()
        truths = name in TRUTHS and all(isinstance(output.format, Truth) for output in equation.outputs)
        several = len(masked) > 1 and (name in LINEAR | PRODUCTS or truths)
        if several:  # of several factors one decides
            masked = self._smallest([(k, equation.inputs[k]) for k in masked])
        if truths or (name not in COMPARED and (marked or equation.kind == "alone")):
            return frozenset(every) - frozenset(masked)
        return frozenset()

    def _smallest(self, arrays: Iterable[tuple[int, Array]]) -> list[int]:
        """Return the position of an array with no more elements than any other, none where sizes leave that open."""
        arrays = list(arrays)
        for k, one in arrays:
            if all(self.sizes.greatest(one.elements, a.elements) == a.elements for _, a in arrays):
                return [k]
        return []

    def _test(self, array: Array) -> object:
        """Return a key that is equal for masks known to be the same."""
        if array.buffer is None:
            return array.form
        plain = array.strides in (None, row_major(array.shape))
        laid = None if plain else array.strides
        return self.tests.get(array.buffer, array.buffer), array.region, array.offset, laid


def may_be_mask(buffer: Buffer) -> bool:
    """Tell whether what is given may be masks: truth values, or whole numbers as wide as those that stand for them.

    >>> may_be_mask(Buffer((), "int64")), may_be_mask(Buffer((), "int8")), may_be_mask(Buffer((), Truth("int8")))
    (True, False, True)
    """
    return isinstance(buffer.format, Truth) or buffer.format in ("int32", "int64")


def _flag(mask: object) -> Marks:
    return frozenset({(ZEROS, mask), (FLAG, mask)})
