"""What is gathered while the words of a claim are worked out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofproof.derive.regime import Regime


@dataclass
class Evidence:
    """How the values that went into a verdict are known, and in which regime the claim is made."""

    regime: Regime | None = None
    open: str = ""  # why a value could not be told, once one could not
    trusts: list[str] = field(default_factory=lambda: ["kernel"])
    notes: list[str] = field(default_factory=list)

    def add(self, trust: str) -> None:
        """Note by which means a value is known."""
        self.trusts.append(trust)
