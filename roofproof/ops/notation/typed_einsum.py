"""Operations in typed einsum notation: `bf16[B,D], int8[D,F] -> bf16[B,F]`.

    x:bf16[B,D], w:int8[D,F] -> z:bf16[B,F] @ bf16 acc fp32
    ^ names are optional        ^ the format may be left out
                                            ^ the format (and engine) of the arithmetic, if it is another
                                                   ^ the accumulator: stays on chip and moves no bytes

An index is a name, `1`, or a product such as `4*d`, a label of its own (`4*d` and `d` are two loops).
An index that the output lacks is summed over.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sympy import Expr, Integer, Mul

from roofproof.errors import RoofproofError, quoted
from roofproof.formats import canonical
from roofproof.ops.notation.arithmetic import error_at, placed
from roofproof.ops.notation.expression import check_text, parsed
from roofproof.ops.operation import Operation
from roofproof.ops.resources import FLOATS, compute_resource
from roofproof.ops.tensor import Tensor
from roofproof.symbols import dimension

MAX_OPERANDS = 32
MAX_INDICES = 100  # different ones


@dataclass(frozen=True, slots=True)
class Einsum:
    """A typed einsum, read but not yet counted; `str` gives it back as text.

    >>> print(Einsum.parse("bf16[B,D] , bf16[D,F] → [B,F]"))
    x1:bf16[B,D], x2:bf16[D,F] -> z:bf16[B,F] @ bf16
    """

    inputs: tuple[Tensor, ...]
    output: Tensor
    compute: str
    accumulate: str | None = None

    @classmethod
    @lru_cache(256)  # an atlas asks for the same one on every chip
    def parse(cls, text: str) -> Einsum:
        """Return the einsum a text stands for. Raises RoofproofError framed with the whole text."""
        try:
            check_text(text, "an operation")
            found: Einsum = parsed("typed_einsum", text, _Builder(), "operation")
            return found
        except RoofproofError as problem:
            raise RoofproofError(f"in {quoted(text, 200)}: {problem}") from None

    @property
    def indices(self) -> tuple[Expr, ...]:
        """The loops of the nest: every index of the inputs once, in order."""
        return tuple(dict.fromkeys(size for tensor in self.inputs for size in tensor.shape if size != 1))

    @property
    def summed(self) -> tuple[Expr, ...]:
        """The indices summed over: those that the output lacks."""
        return tuple(index for index in self.indices if index not in self.output.shape)

    @property
    def flops(self) -> Expr:
        """FLOPs by the convention: one per operand and point with a sum, one less without.

        A single operand has no multiplication: its sum costs one addition a point, a copy nothing.
        """
        points = Mul(*self.indices)
        return (len(self.inputs) if self.summed else len(self.inputs) - 1) * points

    @property
    def exact_flops(self) -> Expr:
        """FLOPs counted one by one: a sum of m terms takes m - 1 additions."""
        points = Mul(*self.indices)
        additions = points - self.output.elements if self.summed else Integer(0)
        return (len(self.inputs) - 1) * points + additions

    def operation(self, name: str | None = None, *, exact: bool = False, source: str = "") -> Operation:
        """Return the operation, with FLOPs by the convention, or counted exactly on request."""
        operation = Operation(
            name or str(self),
            compute={self.compute: self.flops},
            reads=self.inputs,
            writes=(self.output,),
            accumulate=self.accumulate,
            source=source,
            convention=self.convention,
            exact_compute={self.compute: self.exact_flops},
        )
        return replace(operation.exact, convention="every product and addition counted") if exact else operation

    @property
    def convention(self) -> str:
        """What `flops` counts, in words."""
        n = len(self.inputs)
        if not self.summed:
            return f"{n - 1} product{'s' * (n != 2)} per element, nothing summed" if n > 1 else "nothing computed"
        return {1: "1 addition per element summed", 2: "2 FLOPs per multiply-add"}.get(
            n, f"{n} FLOPs per point of the loop nest: {n - 1} products and an addition"
        )

    def __str__(self) -> str:
        inputs = ", ".join(str(tensor) for tensor in self.inputs)
        accumulate = f" acc {self.accumulate}" if self.accumulate else ""
        return f"{inputs} -> {self.output} @ {self.compute}{accumulate}"


def einsum(
    text: str, name: str | None = None, *, exact: bool = False, source: str = "", compute: str | None = None
) -> Operation:
    """Return the operation that a typed einsum stands for.

    >>> op = einsum("bf16[B,D], int8[D,F] -> bf16[B,F]")
    >>> op.demands                                             # 2 B D F; 2 bytes for bf16, 1 for int8
    {'bf16': 2*B*D*F, 'memory': 2*B*D + 2*B*F + D*F}
    >>> einsum("bf16[N], bf16[N] -> []", exact=True).flops     # N products, N - 1 additions
    2*N - 1

    `compute` is what may stand after `@`. Raises RoofproofError, framed with the whole text, for anything that is
    not such an einsum.
    """
    found = Einsum.parse(f"{text} @ {compute}" if compute else text)
    return found.operation(name or " ".join(text.split()), exact=exact, source=source)


class _Builder:
    """The meaning of each rule of the grammar."""

    def index(self, tree: Any, children: list[Any]) -> tuple[Expr, int]:
        size = Mul(*map(_factor, children))
        if size.is_Integer and size != 1:
            cure = f"name the dimension and give its size, as in --at N={size}"
            raise error_at(tree.meta.start_pos, f"index {size} is a number; {cure}")
        return size, tree.meta.start_pos

    def shape(self, tree: Any, children: list[Any]) -> list[tuple[Expr, int]]:
        seen: set[Expr] = set()
        for size, position in children:
            if size in seen and size != 1:
                twice = f"index {size} twice in one tensor (a diagonal, whose bytes the shape does not tell)"
                raise error_at(position, f"{twice}; give the second a name of its own")
            seen.add(size)
        return children

    def operand(self, tree: Any, children: list[Any]) -> tuple[str | None, str | None, Any, int]:
        label, number_format, shape = children
        return label and str(label), number_format and placed(canonical, number_format), shape, tree.meta.start_pos

    output = operand

    def start(self, tree: Any, children: list[Any]) -> Einsum:
        *operands, output, at, acc = children
        compute = at and placed(compute_resource, at)
        accumulate = acc and placed(canonical, acc)
        loops = {size for _, _, shape, _ in operands for size, _ in shape}
        if len(operands) > MAX_OPERANDS:
            raise RoofproofError(f"{len(operands)} operands; at most {MAX_OPERANDS} are read")
        if len(loops) > MAX_INDICES:
            raise RoofproofError(f"{len(loops)} indices; at most {MAX_INDICES} are read")
        for size, position in output[2]:
            if size != 1 and size not in loops:
                has = ", ".join(str(s) for s in dict.fromkeys(s for o in operands for s, _ in o[2])) or "none"
                raise error_at(position, f"output index {size} is in no input; the inputs have {has}")
        compute = compute or common_format([dtype for _, dtype, _, _ in operands])
        taken: set[str] = set()
        for name, _, _, position in [*operands, output]:
            if name in taken:
                raise error_at(position, f"two tensors named {name!r}; each tensor has a name of its own")
            if name:
                taken.add(name)
        tensors = []
        for i, (name, dtype, shape, _) in enumerate([*operands, output], 1):
            default = f"x{i}" if i <= len(operands) else "z"
            while name is None and default in taken:
                default += "_"
            sizes = tuple(size for size, _ in shape)
            tensors.append(Tensor(name or default, sizes, dtype or compute.partition("-")[0]))
            taken.add(tensors[-1].name)
        return Einsum(tuple(tensors[:-1]), tensors[-1], compute, accumulate)


def _factor(token: Any) -> Expr:
    if token.type == "WORD":
        return dimension(str(token))
    if len(token) > 9 or int(token) < 1:
        raise error_at(token.start_pos, f"index {quoted(token, 20)}: a size from 1 to 999999999 is due")
    return Integer(int(token))


def common_format(formats: list[str]) -> str:
    """Return the format all inputs share, else the widest float among them."""
    if len(set(formats)) == 1:
        return formats[0]
    floats = [f for f in FLOATS if f in formats]
    if not floats or ({"bf16", "fp16"} <= set(floats) and floats[0] in ("bf16", "fp16")):
        said = f"inputs in {' and '.join(dict.fromkeys(formats))}: the format of the arithmetic is not clear"
        raise RoofproofError(f"{said}; add it at the end, as in '@ {formats[0]}'")
    return floats[0]
