"""The work of a step in either framework: its FLOPs by compute unit, its reads and its writes.

Conventions: a multiply-add on the matrix unit is 2 FLOPs, and a comparison, a selection or a division is one. A result
of exp, tanh, rsqrt or a similar function is one on the special-function unit. A sum of n numbers takes n - 1.
Comparisons for sorting are not FLOPs. Conversions, copies and rearrangements compute nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields

from sympy import Expr, Mul, Rational, sympify

from roofproof.errors import RoofproofError
from roofproof.formats import element_format
from roofproof.ops.resources import compute_resource, vector_engine
from roofproof.sentences import Sentence
from roofproof.trace.convolutions import Taps, Window, seen
from roofproof.trace.parts import Along
from roofproof.trace.program import Array, Behaviour, Buffer, Equation, Place
from roofproof.trace.registry import Rule, Step, amount
from roofproof.trace.sizes import KnownSizes

INTEGERS = "int32-vector"
COMPLEX = {
    "div": 11, "reciprocal": 6, "add": 2, "sub": 2, "neg": 2, "mul": 6, "conj_physical": 1, "where": 1,
    "masked_fill": 1,
}  # fmt: skip
# Philox-4x32 makes four words of 32 bits: 10 rounds of two wide products (a low and a high half each) and four xors,
# and between them nine times two additions to the key. Threefry-2x32 makes two: 20 rounds of an addition, a rotation
# (two shifts and an or) and an xor, two additions of the key before and three after each of five groups of rounds.
# Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011), section 3.3
PHILOX = Rational(10 * (4 + 4) + 9 * 2, 4)
THREEFRY = 20 * (1 + 3 + 1) + 2 + 5 * 3


@dataclass(eq=False)
class Work(Behaviour):
    """The work of a step before it becomes an equation of a program.

    The counts assume that no size in `holds` is negative. Elements of the first operand in none of the `windows` are
    not read. `taps` are the weights along the axes of an operand, of which only those that meet an element are read.
    `pieces` replace the operands.
    """

    compute: Mapping[str, Expr] = field(default_factory=dict)
    kind: str = "cheap"
    holds: tuple[Expr, ...] = ()
    windows: Sequence[Window] = ()
    taps: Mapping[int, Sequence[Taps]] = field(default_factory=dict)
    pieces: tuple[Array, ...] = ()

    def __post_init__(self) -> None:
        if any(engine.startswith("complex") for engine in self.compute):
            raise RoofproofError("complex numbers are not supported here")

    def equation(
        self, name: str, inputs: Sequence[Array], outputs: tuple[Buffer, ...], place: Place, scope: str,
        sizes: KnownSizes,
    ) -> Equation:  # fmt: skip
        """Return the equation, and add the conditions in `holds` to the sizes."""
        for size in self.holds:
            sizes.not_negative(size)
        inputs, along = list(self.pieces or inputs), self.along
        if self.windows:
            inputs[0], along = seen(inputs[0], self.windows, along, sizes)
        least = dict(self.least)
        for k, taps in self.taps.items():
            if met := [(tap.met(sizes), tap.many) for tap in taps if (tap.before, tap.after, tap.spread) != (0, 0, 1)]:
                least[k] = inputs[k].elements * Mul(*(part / many for part, many in met))
        work = {engine: sizes.simplify_floors(sympify(n, strict=True)) for engine, n in self.compute.items() if n != 0}
        behaviour = {each.name: getattr(self, each.name) for each in fields(Behaviour)}
        behaviour |= {"compute": work, "least": least, "along": along}
        return Equation(name, tuple(inputs), outputs, place, scope, **behaviour)


def vector(format: str) -> str:
    """Return the unit of elementwise arithmetic: fp32 for narrow floats, int32 for narrow integers and booleans.

    >>> vector("bf16"), vector("int8"), vector("fp64")
    ('fp32-vector', 'int32-vector', 'fp64-vector')

    Raises RoofproofError for complex numbers, on which one operation is several. Some rules count these.
    """
    if format.startswith("complex"):
        raise RoofproofError("complex numbers are not supported here")
    return INTEGERS if format.startswith("int") and format != "int64" else vector_engine(format)


def numbers(format: str) -> tuple[str, int]:
    """Return the unit that adds numbers of a format, and the additions per sum: two for complex numbers.

    >>> numbers("bf16"), numbers("complex64"), numbers("complex128")
    (('fp32-vector', 1), ('fp32-vector', 2), ('fp64-vector', 2))
    """
    if format.startswith("complex"):
        return ("fp32-vector" if format == "complex64" else "fp64-vector"), 2
    return vector(format), 1


def products(format: str, many: Expr) -> dict[str, Expr]:
    """Count multiply-adds: 2 FLOPs each, or 8 for complex numbers (4 products and 4 additions).

    >>> from sympy import Integer
    >>> products("bf16", Integer(3)), products("complex64", Integer(3))
    ({'bf16': 6}, {'fp32': 24})
    """
    if format.startswith("complex"):
        return {"fp32" if format == "complex64" else "fp64": 8 * many}
    return {format: 2 * many}


class SeveralFormats(RoofproofError):
    """The error for a product that no program of the framework contains, so that a rule would not help."""


def one_format(name: str, *arrays: Array) -> str:
    """Return the format of a product in PyTorch, which requires that all operands share one.

    >>> one_format("mm", Array((), "bf16"), Array((), "fp32"))
    Traceback (most recent call last):
    roofproof.trace.work.SeveralFormats: mm of bf16 and fp32: PyTorch multiplies numbers of one format; convert one of \
them
    """
    formats = list(dict.fromkeys(element_format(array.format) for array in arrays))
    if len(formats) > 1:
        given = " and ".join(formats)
        raise SeveralFormats(f"{name} of {given}: PyTorch multiplies numbers of one format; convert one of them")
    return formats[0]


def by_rule(rule: Rule, step: Step) -> Work:
    """Count a step by a user's rule."""
    counts = rule.compute(step) if callable(rule.compute) else rule.compute
    work = {compute_resource(engine): amount(n) for engine, n in counts.items()}
    return Work(work, "alone" if rule.alone else "cheap")


def unruled(primitive: str, place: Place, why: str = "") -> RoofproofError:
    """Return the error for a primitive without a rule: its name, its place, and the call that adds a rule."""
    what = why or Sentence("the primitive '<name>' has no rule", name=primitive)
    return RoofproofError(
        "<place>: <why>; add one by roofproof.trace.rule('<name>', compute={'bf16': '...'})",
        place=place, why=what, name=primitive,
    )  # fmt: skip


def elementwise_axes(step: Step) -> Along:
    """Return the axes of an elementwise step, whose operands are broadcast to the result.

    >>> from roofproof.symbols import dimension
    >>> from roofproof.trace.program import Buffer
    >>> B, D = dimension("B"), dimension("D")
    >>> taken = Array((B, D), "bf16"), Array((D,), "bf16"), Array((B, D / D), "bf16")
    >>> elementwise_axes(Step("addcmul", {}, taken, (Buffer((B, D), "bf16"),)))
    ((0, 1), (1,), (0, None))
    """
    shape = step.outputs[0].shape
    return tuple(
        tuple(k if n == shape[k] else None for k, n in enumerate(array.shape, len(shape) - len(array.shape)))
        for array in step.inputs
    )


def of_complex(step: Step, name: str) -> int:
    """Return the FLOPs of an elementwise step on complex numbers."""
    if name not in COMPLEX:
        raise RoofproofError(f"{step.primitive} of complex numbers has no rule")
    other = step.params.get("other", step.inputs[1] if name == "div" and len(step.inputs) > 1 else None)
    real = not (other.format.startswith("complex") if isinstance(other, Array) else isinstance(other, complex))
    return 2 if name == "div" and real else COMPLEX[name]
