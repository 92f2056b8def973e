"""Projective loop nests: one product at each point, and every index of a tensor is a single loop."""

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
    """A tensor of a nest: the loops that index it, by number, and its bytes per element."""

    name: str
    loops: frozenset[int]
    width: Fraction
    result: bool = False


@dataclass(frozen=True, slots=True)
class Nest:
    """A loop nest, in which loops that always occur together in the tensors are merged into one.

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
        """The number of products."""
        return sympy.Mul(*self.lengths)

    @property
    def per_point(self) -> int:
        """FLOPs per product: r - 1 multiplications for r operands, and an addition if the result is a sum."""
        return len(self.arrays) - 2 + bool(self.summed)

    def elements(self, array: ArrayReference) -> sympy.Expr:
        """Return the number of elements of a tensor."""
        return sympy.Mul(*(self.lengths[i] for i in sorted(array.loops)))

    @property
    def compulsory(self) -> sympy.Expr:
        """The bytes that move with any memory size: each operand is read and each result is written."""
        return sympy.Add(*(sympy.Rational(a.width) * self.elements(a) for a in self.arrays))

    @property
    def summed(self) -> frozenset[int]:
        """The loops that the result is summed over."""
        return frozenset(range(len(self.lengths))) - self.arrays[-1].loops

    @property
    def everywhere(self) -> frozenset[int]:
        """The loops that index every tensor, along which no element is reused."""
        return frozenset.intersection(*(a.loops for a in self.arrays))


def relaxed(op: Operation) -> tuple[Operation, tuple[str, ...]]:
    """Return an operation with each sum of loops in an index replaced by its only loop in the result, and what changed.

    For fixed values of the other loops, the sum takes as many values as that loop. So a set of points uses at least as
    many elements of the tensor as with the loop as index, slice by slice. A bound for the relaxed nest therefore holds
    for the operation.

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

    Raises RoofproofError with a one-line reason for any other operation.
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
