"""A derivation: what was given and what followed, as known statements in the order of the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from roofproof.proofs.kernel.kernel import Theorem
from roofproof.proofs.kernel.terms import Formula
from roofproof.proofs.known import Known, weakest

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Derivation:
    """Known statements in order; `trust` is that of the weakest.

    >>> from roofproof.derive.inequalities.inequality import solve_inequality
    >>> from roofproof.proofs import certify
    >>> from roofproof.symbols import quantity
    >>> x, a = quantity("x"), quantity("a")
    >>> print(certify(x > a*x + 1, solve_inequality(x > a*x + 1, x)))     # x > 1/(1 - a) when a < 1
    x > 1/(1 - a)                       by kernel
    never                               by kernel
    the cases are exhaustive            by kernel
    the cases are mutually exclusive    by kernel
    """

    known: tuple[Known, ...]

    def __iter__(self) -> Iterator[Known]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    def __add__(self, other: Derivation) -> Derivation:
        return Derivation(tuple(dict.fromkeys((*self.known, *other.known))))

    def __str__(self) -> str:
        width = max((len(k.statement.says) for k in self.known), default=0) + 2
        return "\n".join(f"{k.statement.says:<{width}}  by {k.trust}" for k in self.known)

    def of(self, *kinds: str) -> tuple[Known, ...]:
        """Return the statements of some kinds: `flops`, `bytes`, `ridge`, `case`, ..."""
        return tuple(k for k in self.known if k.statement.kind in kinds)

    @property
    def trust(self) -> str:
        """How all of it is known: by the weakest warrant."""
        return weakest(self.known)

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """The theorems of the kernel."""
        return tuple(t for k in self.known if (t := k.theorem) is not None)

    @property
    def hypotheses(self) -> frozenset[Formula]:
        """Everything the kernel's theorems assume."""
        return frozenset[Formula]().union(*(t.hypotheses for t in self.theorems))


@dataclass(frozen=True, slots=True)
class Proved(Generic[Found]):
    """What was found, with its proofs; `trust` is the weakest means by which any part of it is known."""

    found: Found
    derivation: Derivation

    @property
    def trust(self) -> str:
        return self.derivation.trust

    def __str__(self) -> str:
        return f"{self.found}\nproved by {self.trust}"

    __repr__ = __str__
