"""What a step comes to, in whatever framework: FLOPs by engine, how it reads and writes; and rules for kinds of steps.

Conventions: a multiply-add on the matrix unit is 2 FLOPs, a comparison, a selection or a division one, a result of exp,
tanh, rsqrt and their like one on the unit for special functions; a sum of n numbers takes n - 1. Comparisons of sorting
are no FLOPs. Conversions, copies and rearrangements compute nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from sympy import Expr

from roofproof.errors import RoofproofError
from roofproof.ops.resources import vector_engine
from roofproof.trace.program import Place
from roofproof.trace.registry import Step

INTEGERS = "int32-vector"


@dataclass(frozen=True)
class Counted:
    """What a step comes to: FLOPs by engine, and how it reads and writes (see `program.Equation`)."""

    compute: Mapping[str, Expr] = field(default_factory=dict)
    kind: str = "cheap"
    gathered: Mapping[int, Expr] = field(default_factory=dict)
    address: frozenset[int] = frozenset()
    update: Expr | None = None
    again: bool = False


Counting = Callable[[Step], Counted]


def names_in(text: str) -> frozenset[str]:
    """Return the names that a text lists.

    >>> sorted(names_in("exp tanh"))
    ['exp', 'tanh']
    """
    return frozenset(text.split())


def vector(format: str) -> str:
    """Return the engine of elementwise arithmetic: narrow floats are done as fp32, whole numbers and truth as int32.

    >>> vector("bf16"), vector("int8"), vector("fp64")
    ('fp32-vector', 'int32-vector', 'fp64-vector')
    """
    if format.startswith("complex"):
        return "fp32-vector" if format == "complex64" else "fp64-vector"
    return INTEGERS if format.startswith("int") and format != "int64" else vector_engine(format)


def unruled(primitive: str, place: Place, why: str = "") -> RoofproofError:
    """Return the error for a primitive without a rule: what and where it is, and the call that adds a rule."""
    cure = f"add one by roofproof.trace.rule({primitive!r}, compute={{'bf16': '...'}})"
    return RoofproofError(f"{place}: {why or f'the primitive {primitive!r} has no rule'}; {cure}")
