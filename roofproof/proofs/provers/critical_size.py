"""The main job: an operation and a chip go in, a derived and proved threshold comes out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from roofproof.derive.algebra.budget import Budget
from roofproof.derive.limits.limits import limit
from roofproof.derive.limits.regime import Regime
from roofproof.derive.roofline.critical_size import CriticalSize, default_regime, rule_of_thumb
from roofproof.derive.roofline.critical_size import threshold as derive_threshold
from roofproof.display import Displayed
from roofproof.errors import RoofproofError
from roofproof.proofs.derivation import Derivation
from roofproof.proofs.known import weakest
from roofproof.proofs.provers.limit_proofs import ProvedLimit, prove_limit
from roofproof.proofs.provers.thresholds import certify, without_impossible

if TYPE_CHECKING:
    from roofproof.derive.inequalities.cases import Cases
    from roofproof.hardware import Chip, Rate
    from roofproof.ops import Operation


@dataclass(frozen=True, slots=True)
class Rule:
    """A limit of the intensity, proved, and the rule of thumb it would give for the threshold."""

    proved: ProvedLimit
    channel: str
    threshold: Cases | None


@dataclass(frozen=True, slots=True)
class ProvedThreshold(Displayed):
    """A threshold with its proofs; `trust` is the weakest means by which any part of it is known.

    >>> from roofproof import chip, op
    >>> proved = threshold(op("matmul"), chip("tpu-v5e@scaling-book"), "B")
    >>> proved.trust, [str(figure) for figure in proved.figures]
    ('kernel', ['bf16 = 1.97e14 FLOP/s', 'hbm = 8.2e11 B/s'])
    """

    found: CriticalSize
    derivation: Derivation
    symbolic: Derivation
    rules: tuple[Rule, ...]

    @property
    def trust(self) -> str:
        return weakest((*self.derivation, *self.symbolic))

    @property
    def figures(self) -> tuple[Rate, ...]:
        """The datasheet figures the answer rests on."""
        return tuple(dict.fromkeys(r for c in self.found.ceilings for r in c.rests_on))

    def __str__(self) -> str:
        return f"{self.found.cases}\nproved by {self.trust}"

    __repr__ = __str__


def threshold(
    op: Operation,
    chip: Chip | None,
    unknown: str,
    at: Mapping[str, int] | None = None,
    regime: Regime | str | None = None,
    multiple_of: int = 1,
    oracle: str = "z3",
) -> ProvedThreshold:
    """Return where `op` is compute-bound on `chip`, solved for one dimension and proved.

    >>> from roofproof import chip, op
    >>> threshold(op("bf16[B,D], bf16[D,F] -> bf16[B,F]"), None, "B")        # BDF/(BD + DF + BF) > R
    B > R*D*F/(D*F - R*(D + F))    when 1/D + 1/F < 1/R
    never                          otherwise
    proved by kernel
    >>> threshold(op("matmul"), chip("tpu-v5e@scaling-book"), "B", {"D": 1024, "F": 1024}).found.integer
    453

    The integer answer is a multiple of `multiple_of`; `oracle` (z3, cvc5 or both) is asked for what the kernel
    does not prove. What is not proved after eight seconds is left undecided. Raises RoofproofError for input that
    cannot be used and for inequalities outside the solved fragment.
    """
    budget = Budget(8_000)
    found = derive_threshold(op, chip, unknown, at, multiple_of)
    given = found.assume
    cases, symbolic_cases = (without_impossible(c, given) for c in (found.cases, found.symbolic))
    found = replace(found, cases=cases, symbolic=symbolic_cases)
    certificate = certify(found.condition, cases, given, oracle, budget)
    symbolic = certificate
    if chip is not None:
        symbolic = certify(found.symbolic_condition, symbolic_cases, given, oracle, budget)
    return ProvedThreshold(found, certificate, symbolic, rules(op, found, regime))


def rules(op: Operation, found: CriticalSize, regime: Regime | str | None) -> tuple[Rule, ...]:
    """Return the limit of each intensity in the regime asked for, or in that of the usual rule of thumb."""
    asked = Regime(regime) if isinstance(regime, str) else regime
    checked_regime(op, asked)
    wanted = asked or default_regime(op, found.unknown.name)
    out = []
    for ceiling in found.ceilings:
        present = {s.name for s in ceiling.intensity.free_symbols}
        if wanted is None or not (asked or present & set(wanted.growing)):
            continue
        try:
            proved = prove_limit(limit(ceiling.intensity, wanted))
        except RoofproofError:
            if asked:
                raise
            continue  # nobody asked for this limit, and it does not exist
        out.append(Rule(proved, ceiling.channel, rule_of_thumb(proved.limit, ceiling, found.unknown)))
    return tuple(out)


def checked_regime(op: Operation, regime: Regime | None) -> None:
    """Refuse a regime that names no dimension of the operation."""
    from roofproof.errors import unknown

    names = [s.name for s in op.dims]
    for name in (*regime.growing, *regime.fixed) if regime else ():
        if name not in names:
            raise unknown("dimension", name, names)
