"""Demands of an operation and rates of a chip, as trees of the claim language, worked out only from the notation."""

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from independent.numbers import Unknown
from independent.reading import Tree
from independent.units import UNITS

BITS = {"fp64": 64, "fp32": 32, "f32": 32, "fp16": 16, "f16": 16, "bf16": 16, "fp8": 8, "fp4": 4, "int32": 32,
        "int16": 16, "int8": 8, "int4": 4}  # fmt: skip
SAME = {"f32": "fp32", "f16": "fp16"}
MEMORIES = ("hbm", "dram")
TENSOR = re.compile(r"\s*(?:(\w+)\s*:)?\s*(\w+)?\s*\[([^\]]*)\]\s*")
LIBRARY = {"matmul": "x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]"}


def number(value: int | Fraction) -> Tree:
    return ("number", Fraction(value), str(value))


class Operation:
    """A typed einsum of one or two tensors. A point of its loops costs one FLOP for a product, and one for a sum."""

    def __init__(self, text: str) -> None:
        text = LIBRARY.get(text, text)
        body, _, tail = text.partition("@")
        inputs, arrow, output = body.partition("->")
        if not arrow:
            raise Unknown(f"the operation {text}")
        read = [TENSOR.match(part) for part in re.findall(r"[^\[\],]*\[[^\]]*\]", inputs)]
        written = TENSOR.fullmatch(output)
        if written is None or None in read or not 1 <= len(read) <= 2:
            raise Unknown(f"the operation {text}")
        tensors = [(m[2], [i.strip() for i in m[3].split(",") if i.strip()]) for m in (*read, written) if m]
        formats = [f for f, _ in tensors[:-1]]
        if any(f not in BITS for f in formats) or (not tail.strip() and len(set(formats)) > 1):
            raise Unknown(f"the formats of {text}")
        tensors[-1] = (tensors[-1][0] or formats[0], tensors[-1][1])
        self.compute = SAME.get(tail.split("acc")[0].strip() or formats[0], tail.split("acc")[0].strip() or formats[0])
        self.tensors = tensors
        self.sizes = list(dict.fromkeys(i for _, shape in tensors[:-1] for i in shape))
        summed = any(i not in tensors[-1][1] for i in self.sizes)
        self.per_point = len(tensors) - 1 if summed else len(tensors) - 2

    @property
    def flops(self) -> Tree:
        return ("*", number(self.per_point), *(("name", i) for i in self.sizes))

    @property
    def bytes(self) -> Tree:
        moved = [("*", number(Fraction(BITS[f], 8)), *(("name", i) for i in shape)) for f, shape in self.tensors]
        return ("+", *moved)


def rates(figures: Mapping[str, str]) -> dict[str, Fraction]:
    """Return the rates of a chip (FLOP/s and bytes/s) by resource, read from its specs."""
    found = {}
    for name, text in figures.items():
        amount, _, unit = text.strip().partition(" ")
        above, _, below = unit.partition("/")
        if below != "s" or above not in UNITS:
            raise Unknown(f"the spec {text}")
        found[SAME.get(name, name)] = Fraction(amount) * UNITS[above][0]
    return found


class Demands:
    """The functions of operations and chips, each expanded to a tree of sizes and numbers."""

    def __init__(self, ops: Mapping[str, str], chips: Mapping[str, Mapping[str, str]]) -> None:
        self.ops, self.chips = ops, chips

    def operation(self, argument: Tree) -> Operation:
        text = argument[1]
        return Operation(self.ops.get(text, text))

    def rate(self, chip: Tree, resource: str) -> Fraction:
        supply = rates(self.chips[chip[1]])
        if resource == "memory":
            resource = next(m for m in MEMORIES if m in supply)
        resource = SAME.get(resource, resource)
        if resource not in supply:
            raise Unknown(f"the rate of {resource}")
        return supply[resource]

    def written_out(self, function: str, arguments: tuple[Tree, ...]) -> Tree:
        return getattr(self, "_" + function)(*arguments)  # type: ignore[no-any-return]

    def _flops(self, op: Tree, *_: Tree) -> Tree:
        return self.operation(op).flops

    def _bytes(self, op: Tree, *_: Tree) -> Tree:
        return self.operation(op).bytes

    def _intensity(self, op: Tree, *_: Tree) -> Tree:
        return ("/", self._flops(op), self._bytes(op))

    def _rate(self, chip: Tree, resource: Tree) -> Tree:
        return number(self.rate(chip, resource[1]))

    def _ridge(self, chip: Tree, compute: Tree, channel: Tree = ("name", "memory")) -> Tree:
        return number(self.rate(chip, compute[1]) / self.rate(chip, channel[1]))

    def _time(self, op: Tree, chip: Tree, resource: Tree) -> Tree:
        memory = resource[1] == "memory" or resource[1] in MEMORIES
        return ("/", self._bytes(op) if memory else self._flops(op), number(self.rate(chip, resource[1])))

    def _times(self, op: Tree, chip: Tree) -> tuple[Tree, Tree]:
        return self._time(op, chip, ("name", self.operation(op).compute)), self._time(op, chip, ("name", "memory"))

    def _lower(self, op: Tree, chip: Tree) -> Tree:
        return ("call", "max", *self._times(op, chip))

    def _upper(self, op: Tree, chip: Tree) -> Tree:
        return ("+", *self._times(op, chip))

    def _attainable(self, first: Tree, second: Tree, *more: Tree) -> Tree:
        if not more:
            return ("/", self._flops(first), self._lower(first, second))
        channel = more[1] if len(more) > 1 else ("name", "memory")
        roof = ("*", more[0], number(self.rate(first, channel[1])))
        return ("call", "min", number(self.rate(first, second[1])), roof)

    def _compute_bound(self, op: Tree, chip: Tree, *_: Tree) -> Tree:
        return ("relation", self._times(op, chip), (">",))

    def _threshold(self, op: Tree, *more: Tree) -> Tree:
        """Return the `solve` call for the size at which both times are equal. Without a chip the ridge point is R."""
        if len(more) == 1:
            return ("call", "solve", ("relation", (self._intensity(op), ("name", "R")), ("==",)), more[0])
        return ("call", "solve", ("relation", self._times(op, more[0]), ("==",)), more[1])


def sizes_in(tree: Any, demands: Demands) -> set[str]:
    """Return the sizes of the operations in a tree. Each is an integer of at least 1."""
    from independent.reading import NEED_OPERATION, within

    found: set[str] = set()
    for part in within(tree):
        if part[0] == "call" and part[1] in NEED_OPERATION:
            found |= set(demands.operation(part[2]).sizes)
        if part[0] == "call" and part[1] == "attainable" and len(part) == 4:
            found |= set(demands.operation(part[2]).sizes)
    return found
