"""Arithmetic intensity: FLOPs per byte over a memory level or link."""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy

from roofproof.amounts import ByName
from roofproof.answer import Answer, Parts
from roofproof.derive.algebra.polynomial import Ring, lowest_terms
from roofproof.errors import RoofproofError
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import Known


@dataclass(frozen=True, slots=True, repr=False)
class Intensity(Answer, ByName):
    """FLOPs per byte over one memory level or link, in lowest terms, with its proof in `known` if requested.

    >>> from roofproof import intensity
    >>> found = intensity("matmul")
    >>> found, found.value, found.known[0].trust
    (I = B*D*F/(B*D + B*F + D*F), B*D*F/(B*D + B*F + D*F), 'kernel')
    """

    value: sympy.Expr
    channel: str
    op: str
    known: tuple[Known, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "known", Parts(self.known))

    @property
    def derivation(self) -> Derivation:
        return Derivation(self.known)

    def __repr__(self) -> str:
        return f"I = {self.value}"


def intensity(op: Operation, channel: str = "memory") -> Intensity:
    """Return FLOPs / bytes in lowest terms.

    >>> from roofproof.ops import parse_operation
    >>> intensity(parse_operation("bf16[B,D], bf16[D,F] -> bf16[B,F]")).value    # 2BDF / (2BD + 2DF + 2BF)
    B*D*F/(B*D + B*F + D*F)
    >>> intensity(parse_operation("dot")).value                                  # (N + N - 1) / (2N + 2N + 2)
    (2*N - 1)/(4*N + 2)

    Raises RoofproofError for an operation that moves no bytes over `channel`, a memory level or link.

    Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
    """
    flops, moved = op.flops, op.bytes(channel)
    if moved == 0:
        raise RoofproofError(
            "<op> moves no bytes over <channel>; its intensity there is not defined", op=op.name, channel=channel
        )
    return Intensity(lowest_terms(flops / moved), channel, op.name)


def reduced(expr: sympy.Expr) -> sympy.Expr:
    """Return an expression in lowest terms, or unchanged if it is not rational, such as one with logarithms.

    >>> from roofproof.symbols import quantity
    >>> reduced(quantity("x") * 2 / 4), reduced(sympy.sqrt(quantity("x")))
    (x/2, sqrt(x))
    """
    try:
        return lowest_terms(expr)
    except RoofproofError:
        return expr


def equal(a: sympy.Expr, b: sympy.Expr) -> bool:
    """Tell whether two rational expressions are equal, exactly, by their normal forms.

    >>> from roofproof.symbols import quantity
    >>> x, y = quantity("x"), quantity("y")
    >>> equal((x**2 - y**2)/(x + y), x - y)
    True
    """
    ring = Ring.of(a, b)
    (p, q), (r, s) = ring.fraction(a), ring.fraction(b)
    return bool(p * s == r * q)
