"""A verdict: what the engine finds about one claim, how it is known, and what goes with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from roofproof.proofs.known import TRUST

KINDS = ("verified", "rounded", "approximate", "conditional", "undecided", "refuted", "not-checkable")
"""From what holds as it stands to what does not; a conjunction gets the last of its parts' verdicts."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim judged.

    `exact` is the right value or formula, `condition` the side condition that makes the claim true,
    `error_bound` the relative error of an approximation, `counterexample` a point at which it fails, `slip` the
    mistake that reproduces it, `note` what else a reader should know.
    """

    kind: str
    trust: str
    exact: str | None = None
    condition: str | None = None
    error_bound: str | None = None
    counterexample: Mapping[str, Fraction] | None = None
    slip: str | None = None
    note: str = ""
    seconds: float = field(default=0.0, compare=False)  # float: how long it took, not part of any proof

    @property
    def holds(self) -> bool:
        """Tell whether the claim stands, be it exactly, to the digits printed, or in its regime."""
        return self.kind in ("verified", "rounded", "approximate")

    def record(self, name: str) -> dict[str, Any]:
        """Return the verdict as JSON has it."""
        point = self.counterexample
        return {
            "id": name,
            "verdict": self.kind,
            "trust": self.trust,
            "exact": self.exact,
            "condition": self.condition,
            "error_bound": self.error_bound,
            "counterexample": None if point is None else {k: str(v) for k, v in point.items()},
            "slip": self.slip,
            "note": self.note,
            "seconds": self.seconds,
        }


def together(parts: list[Verdict]) -> Verdict:
    """Return the verdict of a conjunction: the last kind of its parts, the weakest trust, all that was found.

    >>> together([Verdict("verified", "kernel"), Verdict("rounded", "smt", exact="1/3")])
    Verdict(kind='rounded', trust='smt', exact='1/3', condition=None, error_bound=None, counterexample=None, \
slip=None, note='', seconds=0.0)
    """
    if len(parts) == 1:
        return parts[0]
    kind = max((p.kind for p in parts), key=KINDS.index)
    worst = [p for p in parts if p.kind == kind]
    telling = worst if kind in ("refuted", "undecided") else parts

    def joined(name: str) -> str | None:
        said = dict.fromkeys(v for p in telling if (v := getattr(p, name)))
        return "; ".join(said) or None

    return Verdict(
        kind,
        max((p.trust for p in telling), key=TRUST.index),
        joined("exact"),
        joined("condition"),
        joined("error_bound"),
        next((p.counterexample for p in worst if p.counterexample), None),
        next((p.slip for p in worst if p.slip), None),
        joined("note") or "",
    )
