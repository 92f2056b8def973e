"""Products of several tensors, two at a time in the order written: `x, a, b` is (x a) b, `x, (a, b)` is x (a b).

Each step multiplies two tensors at every point of their indices, and sums over the indices that neither the output nor
a later tensor has. As in opt_einsum, a point takes 2 FLOPs with a sum and 1 without. A product of two complex numbers
takes 6 FLOPs and a sum 2, and a product of a real and a complex number takes 2. A step runs on the vector unit if
nothing is summed, or if a tensor is multiplied into an earlier result along its indices (a scale, a zero point).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

from sympy import Expr, Mul

from roofproof.formats import is_complex
from roofproof.ops.tensor import Tensor

Order: TypeAlias = "int | tuple[Order, ...]"  # operand numbers, with inner groups multiplied first


@dataclass(frozen=True, slots=True)
class PairProduct:
    """One product of two inputs or earlier results: its name, its indices, and the indices it sums over.

    >>> from roofproof.ops import Einsum
    >>> for step in Einsum.parse("x:bf16[B,D], a:bf16[D,r], b:bf16[r,F] -> z:bf16[B,F]").steps:
    ...     print(step, step.flops)                            # B D r multiply-adds, then B r F
    t1[B,r] = x a 2*B*D*r
    z[B,F] = t1 b 2*B*F*r
    """

    left: str
    right: str
    result: str
    indices: tuple[Expr, ...]
    summed: tuple[Expr, ...]
    elementwise: bool
    operands: tuple[int, ...]  # the numbers of the inputs among the two
    complexes: int = 0  # how many of the two are complex

    @property
    def points(self) -> Expr:
        """The number of points at which the two are multiplied."""
        return Mul(*self.indices, *self.summed)

    @property
    def flops(self) -> Expr:
        """The FLOPs: one product per point, and one addition per point if there is a sum."""
        return self._product * self.points + (self._addition * self.points if self.summed else 0)

    @property
    def exact_flops(self) -> Expr:
        """The exact FLOPs: a sum of m terms takes m - 1 additions."""
        return self.flops - (self._addition * Mul(*self.indices) if self.summed else 0)

    @property
    def _product(self) -> int:
        """The FLOPs of one product: 6 (4 products, 2 sums) for two complex numbers, 2 for a complex and a real one."""
        return (1, 2, 6)[self.complexes]

    @property
    def _addition(self) -> int:
        return 2 if self.complexes else 1

    def __str__(self) -> str:
        sizes = ",".join(str(size).replace(" ", "") for size in self.indices)
        return f"{self.result}[{sizes}] = {self.left} {self.right}"


@dataclass(frozen=True, slots=True)
class _Value:
    """An operand of a step: an input, or the result of an earlier step."""

    name: str
    indices: tuple[Expr, ...]
    operand: int | None
    complex: bool


def pairwise(inputs: tuple[Tensor, ...], output: Tensor, order: Order) -> tuple[PairProduct, ...]:
    """Return the steps of a product in order. The last step computes the output.

    >>> from roofproof.ops import Einsum
    >>> print(*Einsum.parse("x:bf16[B,D], (a:bf16[D,r], b:bf16[r,F]) -> z:bf16[B,F]").steps, sep="; ")
    t1[D,F] = a b; z[B,F] = x t1
    """
    found: list[PairProduct] = []
    taken = {t.name for t in (*inputs, output)}

    def value(node: Order, needed: tuple[Expr, ...]) -> _Value:
        if isinstance(node, int):
            given = inputs[node]
            return _Value(given.name, tuple(s for s in given.shape if s != 1), node, is_complex(given.dtype))
        if len(node) == 1:
            return value(node[0], needed)
        *first, last = node
        within = tuple(size for i in operands(last) for size in inputs[i].shape)
        left = value(tuple(first), (*needed, *within))
        right = value(last, (*needed, *left.indices))
        return step(left, right, needed)

    def step(left: _Value, right: _Value, needed: tuple[Expr, ...]) -> _Value:
        every = tuple(dict.fromkeys((*left.indices, *right.indices)))
        kept = tuple(size for size in every if size in needed)
        summed = tuple(size for size in every if size not in needed)
        pair = tuple(i for i in (left.operand, right.operand) if i is not None)
        elementwise = not summed or is_scale(left, right, kept) or is_scale(right, left, kept)
        name = f"t{len(found) + 1}"
        while name in taken:
            name += "_"
        complexes = left.complex + right.complex
        found.append(PairProduct(left.name, right.name, name, kept, summed, elementwise, pair, complexes))
        return _Value(name, kept, None, complexes > 0)

    def is_scale(one: _Value, into: _Value, kept: tuple[Expr, ...]) -> bool:
        """Return whether `one` is an input multiplied into a result along its indices, at least one of them kept."""
        within = set(one.indices) <= set(into.indices) and bool(set(one.indices) & set(kept))
        return one.operand is not None and into.operand is None and within

    value(order, tuple(output.shape))
    if found:
        last = found[-1]
        kept = tuple(size for size in output.shape if size != 1)
        found[-1] = replace(last, result=output.name, indices=kept)
    return tuple(found)


def operands(order: Order) -> Iterator[int]:
    """Yield the operand numbers of a group, as written.

    >>> list(operands((0, (1, 2))))
    [0, 1, 2]
    """
    if isinstance(order, int):
        yield order
    else:
        for node in order:
            yield from operands(node)


def left_to_right(count: int) -> Order:
    """Return the order of operands without parentheses.

    >>> left_to_right(3)
    (0, 1, 2)
    """
    return tuple(range(count))


def vector_unit(compute: str) -> str:
    """Return the compute unit of a product's elementwise steps: the named one, or else the vector unit.

    >>> vector_unit("bf16"), vector_unit("fp64"), vector_unit("fp32-vector")
    ('fp32-vector', 'fp64-vector', 'fp32-vector')
    """
    if "-" in compute:
        return compute
    return f"{compute if compute == 'fp64' else 'fp32'}-vector"


def one_by_one(order: Order) -> bool:
    """Return whether an order has no parentheses."""
    return isinstance(order, int) or all(isinstance(node, int) for node in order)
