"""A projective loop nest: one product at each point, and every index of a tensor is a loop that stands alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import sympy

from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError
from roofproof.formats import bytes_per_element
from roofproof.ops import Operation, Tensor
from roofproof.sentences import Sentence, joined

INSTEAD = Sentence("ask for one product, such as 'bf16[B,D], bf16[D,F] -> bf16[B,F]'")

RELAX = Sentence("add --relax for a bound of its relaxation, or ask for one product of tensors")


@dataclass(frozen=True, slots=True)
class ArrayReference:
    """A tensor of a nest: the loops that index it, by number, and its bytes an element."""

    name: str
    loops: frozenset[int]
    width: Fraction
    result: bool = False


@dataclass(frozen=True, slots=True)
class Nest:
    """A loop nest whose loops are those that are told apart by the tensors: loops that always occur together are one.

    >>> from roofproof import op
    >>> nest = nest_of(op("bf16[a,k,l], bf16[k,l,c] -> bf16[a,c]"))
    >>> nest.lengths, [sorted(array.loops) for array in nest.arrays]       # k and l are one loop of length k l
    ((a, k*l, c), [[0, 1], [1, 2], [0, 2]])
    """

    name: str
    lengths: tuple[sympy.Expr, ...]
    arrays: tuple[ArrayReference, ...]

    @property
    def points(self) -> sympy.Expr:
        """How many products there are."""
        return sympy.Mul(*self.lengths)

    @property
    def per_point(self) -> int:
        """FLOPs of a product made on its own: of r operands r - 1 multiplications, and an addition if summed."""
        return len(self.arrays) - 2 + bool(self.summed)

    def elements(self, array: ArrayReference) -> sympy.Expr:
        """How many elements a tensor has."""
        return sympy.Mul(*(self.lengths[i] for i in sorted(array.loops)))

    @property
    def compulsory(self) -> sympy.Expr:
        """The bytes that move however large the memory is: each operand is read, each result written."""
        return sympy.Add(*(sympy.Rational(a.width) * self.elements(a) for a in self.arrays))

    @property
    def summed(self) -> frozenset[int]:
        """The loops that the result lacks."""
        return frozenset(range(len(self.lengths))) - self.arrays[-1].loops

    @property
    def everywhere(self) -> frozenset[int]:
        """The loops that every tensor has: nothing is used twice along them."""
        return frozenset.intersection(*(a.loops for a in self.arrays))


def relaxed(op: Operation) -> tuple[Operation, tuple[str, ...]]:
    """Return an operation with each sum of loops in an index taken as its one loop that the result has; and what is so.

    For each value of the other loops the sum takes as many values as that loop does, so what a set of points uses of
    the tensor is no less than what the loop alone tells apart, slice by slice: a bound of the relaxed nest is one of
    the operation.

    >>> from roofproof import op
    >>> _, said = relaxed(op("convolution"))
    >>> said
    ('P + R - 1 of x as P', 'Q + S - 1 of x as Q')
    """
    said = list[str]()
    made = {s for t in op.writes for s in t.shape}
    if op.parts or len(op.units) != 1 or sympy.expand(op.flops - 2 * sympy.Mul(*op.dims)) != 0:
        return op, ()  # not a multiply-add at each point of its loops

    def alone(size: sympy.Expr, tensor: Tensor) -> sympy.Expr:
        of_result = [s for s in size.free_symbols if s in made] if size.is_Add else []
        if len(of_result) != 1:
            return size
        said.append(f"{plain(size)} of {tensor.name} as {of_result[0]}")
        return of_result[0]

    reads = tuple(replace(t, shape=tuple(alone(size, t) for size in t.shape)) for t in op.reads)
    return (op.as_one_kernel(reads=reads, loops=op.dims), tuple(said)) if said else (op, ())


def nest_of(op: Operation) -> Nest:
    """Return the nest of an operation that is one product of tensors.

    >>> from roofproof import op
    >>> nest_of(op("attention")).name
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: attention is several products in a row (qkv and attention-core and \
output); ask for one product, such as \
'bf16[B,D], bf16[D,F] -> bf16[B,F]'

    Raises RoofproofError for whatever is no such product, in one line that says why.
    """
    if op.parts or len(op.writes) > 1:
        said = "<op> is several products in a row (<parts>); <cure>"
        parts = joined("<first> and <second>", [p.name for p in op.parts] or [t.name for t in op.writes])
        raise RoofproofError(said, op=op.name, parts=parts, cure=INSTEAD)
    tensors = (*op.reads, *op.writes)
    for tensor, size in ((t, size) for t in tensors for size in t.shape):
        if size.is_Add or tensor.shape.count(size) > 1 or (op.loops and not size.free_symbols <= {*op.loops}):
            said = "<op> is not a plain product of tensors: <tensor> has the index <index>; <cure>"
            cure = RELAX if relaxed(op)[1] else INSTEAD
            raise RoofproofError(said, op=op.name, index=size, tensor=tensor.name, cure=cure)
    if not (op.reads and op.writes and op.loops) or op.traffic or op.footprint or any(t.times != 1 for t in tensors):
        said = "<op> is not a single product of tensors; <cure>"
        raise RoofproofError(said, op=op.name, cure=INSTEAD)
    uses = dict[sympy.Expr, list[int]]()
    for j, tensor in enumerate(tensors):
        for size in tensor.shape:
            uses.setdefault(size, []).append(j)
    together = dict[tuple[int, ...], list[sympy.Expr]]()
    for size, users in uses.items():
        together.setdefault(tuple(users), []).append(size)
    lengths = tuple(sympy.Mul(*sizes) for sizes in together.values())
    arrays = tuple(
        ArrayReference(
            tensor.name,
            frozenset(i for i, users in enumerate(together) if j in users),
            Fraction(bytes_per_element(tensor.dtype)),
            j == len(tensors) - 1,
        )
        for j, tensor in enumerate(tensors)
    )
    return Nest(op.name, lengths, arrays)
