"""What is gathered while the words of a claim are worked out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofproof.derive.limits.regime import Regime
    from roofproof.proofs.kernel.terms import Formula
    from roofproof.proofs.known import Known


@dataclass
class Evidence:
    """How the values that went into a verdict are known, and in which regime the claim is made."""

    regime: Regime | None = None
    rounded: bool = False  # a number inside the statement is right to its digits only
    open: str = ""  # why a value could not be told, once one could not
    known: list[Known] = field(default_factory=list)
    whole: list[Formula] = field(default_factory=list)  # that the bounds of sums are
    notes: list[str] = field(default_factory=list)
    partial_falsity: list[Known] = field(default_factory=list)  # where false is known for some parameters only
    point: Mapping[str, Fraction] = field(default_factory=dict)  # where a function of behaviour was seen to fail

    def add(self, known: Iterable[Known]) -> None:
        """Note what a value rests on."""
        self.known.extend(known)
