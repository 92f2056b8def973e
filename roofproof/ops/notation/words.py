"""The arguments after the name of an operation: formats, options, sizes, and new names for its tensors.

matmul                       every argument has its default
matmul:int8                  one format for every tensor
matmul:bf16,int8             formats in the order of the arguments: x, w, out
matmul:w=int8@bf16           formats by name, and after `@` the format (and unit) of the arithmetic
dot:fp64-vector              one format for every tensor, and its compute unit
prefill:llama-2-7b,int8      the configuration of a model, if the operation takes one
rms-norm:x as h, D=F         a tensor and a size renamed, for fusion with the operation that writes them
scan.toml:a=fp32, N=16       the same for a file
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roofproof.errors import RoofproofError, quoted, refuse_unknown, unknown
from roofproof.formats import canonical, is_format

if TYPE_CHECKING:
    from roofproof.ops.operation import Operation
    from roofproof.ops.tensor import Tensor

SPARSE = (
    "<op>: a 2:4 sparse product stores half of its weights, and where they stand; the library counts dense ones. Write "
    "both counts, such as 'flops fp8-sparse = 2 B D F; bytes hbm = B D + 5 D F/8 + B F'"
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
_AS = re.compile(r"(\S+)\s+as\s+(\S+)")


@dataclass(frozen=True, slots=True)
class Words:
    """The given values of an operation's arguments, and the other words, about its tensors and sizes.

    >>> Words.read("matmul", "bf16,int8@fp32", ("x", "w", "out"), ("x", "w", "out", "compute"))
    Words(given={'x': 'bf16', 'w': 'int8', 'compute': 'fp32'}, others=())
    >>> Words.read("rms-norm", "int8, x as h", ("x", "w"), ("x", "w", "compute")).others
    ('x as h',)
    """

    given: Mapping[str, object]
    others: tuple[str, ...]

    @classmethod
    def read(cls, name: str, text: str, formats: Sequence[str], arguments: Sequence[str]) -> Words:
        """Parse the words after a name. Words that are not arguments are left to `about`."""
        listed, at, compute = (part.strip() for part in text.partition("@"))
        whole = quoted(f"{name}:{text}" if listed else f"{name}{text}")
        words = [word.strip() for word in listed.split(",")] if listed else []
        others = [
            word for word in words
            if not arguments or _AS.fullmatch(word) or ("=" in word and word.partition("=")[0].strip() not in arguments)
        ]  # fmt: skip
        words = [word for word in words if word not in others]
        given: dict[str, object] = {}
        models = [word for word in words if "=" not in word and not is_format(word.partition("-")[0])]
        if "model" in arguments and models:
            given["model"] = models[0]
            words.remove(models[0])
        for i, word in enumerate(words):
            key, equals, value = (part.strip() for part in word.partition("="))
            width, dash, _ = word.partition("-")
            if not equals and dash and is_format(width) and "compute" in arguments and not at:
                compute, at, word = word, "@", width  # fp64-vector: the format, and its unit
            if not equals:
                if len(formats) <= i:
                    said = "<text>: <name> takes <count> formats (<formats>), and <word> is number <number>"
                    every = ", ".join(formats) or "none"
                    count, number = len(formats), i + 1
                    raise RoofproofError(
                        said, text=whole, name=name, count=count, formats=every, word=quoted(word), number=number
                    )
                given |= dict.fromkeys(formats if len(words) == 1 else [formats[i]], canonical(word))
            elif key in given:
                raise RoofproofError("<text>: <name> is given twice", text=whole, name=key)
            else:
                given[key] = canonical(value) if key in formats or key == "compute" else value
        if at:
            if "compute" not in arguments:
                said = "<text>: <name> has no single format of arithmetic; leave out '@'"
                raise RoofproofError(said, text=whole, name=name)
            if not compute:
                raise RoofproofError("<text>: expected a number format after '@'", text=whole)
            given["compute"] = compute
        if str(given.get("compute", "")).endswith("-sparse"):
            raise RoofproofError(SPARSE, op=whole)
        return cls(given, tuple(others))

    def about(self, op: Operation, name: str, arguments: Sequence[str] = ()) -> Operation:
        """Return an operation with the formats, names and sizes that the other words give.

        >>> from roofproof.ops import parse_operation
        >>> norm = Words({}, ("x as h", "D=F")).about(parse_operation("rms-norm"), "rms-norm")
        >>> str(norm.reads[0]), norm.flops
        ('h:bf16[B,F]', 4*B*F)
        """
        formats: dict[str, str] = {}
        sizes: list[str] = []
        names: dict[str, str] = {}
        tensors, dims = [t.name for t in op.tensors], [s.name for s in op.dims]
        for word in self.others:
            key, equals, value = (part.strip() for part in word.partition("="))
            if found := _AS.fullmatch(word):
                key, value = found.groups()
                if not _NAME.fullmatch(value) or is_format(value):
                    said = "<word>: expected a name of letters, digits and underscores"
                    raise RoofproofError(said, word=quoted(word))
            elif not equals:
                said = "<text>: <word> is neither TENSOR=FORMAT nor SIZE=NUMBER, such as w=fp8 or D=4096"
                raise RoofproofError(said, text=quoted(name, 200), word=quoted(word))
            elif key in dims or (value[:1].isdigit() and not arguments):
                sizes.append(word)
                continue
            elif arguments:  # in the library, a format may apply to several tensors, or to bytes over a link
                raise unknown("argument", key, dict.fromkeys((*arguments, *dims)), of=name)
            table: dict[str, str] = names if found else formats
            refuse_unknown("tensor", key, tensors, of=name)
            if key in table:
                raise RoofproofError("<text>: <name> is given twice", text=quoted(name, 200), name=key)
            table[key] = value if found else canonical(value)
        if not self.others:
            return op
        from roofproof.ops.combine import at, with_formats
        from roofproof.ops.notation.sizes import sizes_from

        return at(renamed(with_formats(op, **formats) if formats else op, names), **sizes_from(sizes, ties=True))


def renamed(op: Operation, names: Mapping[str, str]) -> Operation:
    """Return an operation with some of its tensors renamed.

    >>> from roofproof.ops import fuse, parse_operation
    >>> norm = renamed(parse_operation("rms-norm"), {"y": "x"})
    >>> (fuse(norm, parse_operation("matmul"), "x")).bytes()   # the normalized x stays on chip
    2*B*D + 2*B*F + 2*D*F + 2*D

    Raises RoofproofError if two inputs or two outputs would have the same name.
    """
    from roofproof.ops.operation import tensor_names

    if not names:
        return op
    for side in (op.reads, op.writes):
        after = [names.get(t.name, t.name) for t in side]
        if twice := next((name for name in after if after.count(name) > 1), None):
            raise RoofproofError("<op>: two tensors would be named <name>", op=op.name, name=twice)
    kernels = []
    for kernel, of in zip(op.kernels, tensor_names(op.kernels), strict=True):

        def other(tensor: Tensor, of: Mapping[str, str] = of) -> Tensor:
            name = of.get(tensor.name, tensor.name)
            return replace(tensor, name=names[name]) if name in names else tensor

        kernels.append(kernel.mapped(lambda amount: amount, other))
    return replace(op, kernels=tuple(kernels))
