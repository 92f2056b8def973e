"""Attention in one kernel: what tiles of queries and keys move with a memory, which is an upper bound.

Two products with a softmax between them are no einsum. A block of b queries and its b by k sums stay, b keys and values
at a time go by: 4 b k + b^2 elements in all, and keys and values are read once for each of L/b blocks.

That no schedule moves less than the order of L^2 k^2/M elements in a memory of M >= k^2 is due to Saha and Ye (2024,
arXiv 2402.07443): cited here, and not proved.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import sympy

from roofproof.errors import RoofproofError
from roofproof.formats import bytes_per_element
from roofproof.hardware.units import decimal
from roofproof.ops import Operation
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.kernel import kernel
from roofproof.proofs.kernel.terms import Formula, Term
from roofproof.proofs.known import ByKernel, Known
from roofproof.proofs.statement import Statement
from roofproof.proofs.translate import to_term
from roofproof.symbols import dimension, quantity

h, L, k, b = map(dimension, "hLkb")
M = quantity("M")
NAMES = ("attention-core", "flash-attention")
CITED = "no schedule moves less than the order of L^2 k^2/M elements for M >= k^2: Saha and Ye 2024, cited, not proved"


@dataclass(frozen=True)
class AttentionTraffic:
    """What attention moves by square tiles of b queries and b keys that fill a memory of M bytes.

    >>> from roofproof import op
    >>> found = AttentionTraffic.of(op("flash-attention"))
    >>> found.footprint, found.moved                           # 4 b k + b^2 numbers of 2 bytes; 4 L k, and 4 L^2 k/b
    (2*b**2 + 8*b*k, 4*L**2*h*k/b + 4*L*h*k)
    >>> found.at_most, found.side                              # at most that for b <= 2 k
    (48*L**2*h*k**2/M + 4*L*h*k, -2*k + sqrt(2)*sqrt(M + 8*k**2)/2)
    >>> found.derivation.trust
    'kernel'
    """

    name: str
    width: Fraction
    bytes: Fraction | None = None

    @classmethod
    def of(cls, op: Operation, memory: Fraction | None = None) -> AttentionTraffic:
        """Return the traffic of an attention in one kernel.

        Raises RoofproofError for tensors of several number formats, and for a memory of less than a tile of one query.
        """
        formats = {t.dtype for t in (*op.reads, *op.writes)}
        if len(formats) > 1:
            raise RoofproofError("<op> has several number formats; give it one, as in <op>:bf16", op=op.name)
        made = cls(op.name, Fraction(bytes_per_element(formats.pop())), memory)
        least = 5 * made.width
        if memory is not None and memory < least:
            said = "a memory of <memory> bytes does not hold a tile of one query of <op>, <room> bytes; give it so much"
            raise RoofproofError(said, memory=decimal(memory), op=op.name, room=decimal(least))
        return made

    @property
    def footprint(self) -> sympy.Expr:
        """The bytes of a tile."""
        return sympy.expand(sympy.Rational(self.width) * (b**2 + 4 * b * k))

    @property
    def moved(self) -> sympy.Expr:
        """The bytes that move: queries and results once, keys and values for each block of queries."""
        return sympy.expand(2 * sympy.Rational(self.width) * h * L * k * (1 + L / b))

    @property
    def side(self) -> sympy.Expr:
        """The largest side in M bytes."""
        return sympy.sqrt(sympy.factor(M / sympy.Rational(self.width) + 4 * k**2)) - 2 * k

    @property
    def at_most(self) -> sympy.Expr:
        """The bytes that move at most, for b no more than 2 k."""
        w = sympy.Rational(self.width)
        return 2 * w * h * L * k + 12 * w**2 * h * L**2 * k**2 / M

    @cached_property
    def derivation(self) -> Derivation:
        """That tiles with b <= 2 k that fill the memory move at most so much: then M <= 6 w b k."""
        full = Formula("=", to_term(M), to_term(self.footprint))
        short = Formula(">=", to_term(2 * k), to_term(b))
        goal = Formula(">=", to_term(self.at_most), to_term(self.moved))
        w = sympy.Rational(self.width)
        # 12 w^2 L^2 k^2/M - 2 w L^2 k/b = 2 w L^2 k (6 w b k - M)/(M b), and 6 w b k - M = w b (2 k - b)
        scale = to_term(2 * w * h * L**2 * k)
        signs = [(Term("*", scale, to_term(w * b)), [1]), (Term("*", Term("q", -1, 1), scale), [0])]
        names = sorted(s.name for s in (h, L, k, b, M))
        theorem = kernel.arith(goal, [kernel.assume(full), kernel.assume(short)], signs, names)
        return Derivation((Known(Statement("", (full, short), goal, "bytes-at-most"), ByKernel(theorem)),))
