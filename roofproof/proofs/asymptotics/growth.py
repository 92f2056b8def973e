"""The names that grow in a regime as variables of the kernel: what stands for each, stage by stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, product
from math import gcd, lcm

import sympy

from roofproof.derive.algebra.budget import Budget
from roofproof.derive.limits.regime import Group, Regime
from roofproof.proofs.asymptotics.decide import EventualForm, eventually
from roofproof.proofs.kernel.terms import Formula, Term, substitute
from roofproof.proofs.translate import to_term
from roofproof.symbols import quantity

Stages = tuple[tuple[Group, ...], ...]
RATES = (1, 2, 3)  # at which names that grow independently are tried against each other
MAX_PATHS = 12
ONE = Term("q", 1, 1)


@dataclass(frozen=True, slots=True)
class Growth:
    """How the names of a regime grow; `roots` says which name stands for a root of one of them, and its order.

    A name that grows alone stays itself; where D ~ F grow at one rate, D is D t and F is F t, with t growing and what
    is called D and F fixed; x -> 0 is 1/x with x growing.

    >>> together = Growth(Regime("D ~ F >> B"))
    >>> together.names(together.regime.stages)
    [("t'11",)]
    >>> together.put(Formula(">", Term("v", "D"), Term("v", "B")), together.regime.stages)
    ('>', ('*', ('v', 'D'), ('^', ('v', "t'11"), 1)), ('v', 'B'))
    """

    regime: Regime
    roots: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    def names(self, stages: Stages) -> list[tuple[str, ...]]:
        """Return the variables that grow at each stage."""
        return [tuple(self._grows(group, i, k) for k, group in enumerate(groups)) for i, groups in enumerate(stages)]

    def values(self, stages: Stages) -> dict[str, Term]:
        """Return the substitution for each growing name, or its root."""
        table: dict[str, Term] = {}
        for i, groups in enumerate(stages):
            for k, group in enumerate(groups):
                scale = lcm(*(self._root(n)[1] for n, _ in group))
                for name, rate in group:
                    root, order = self._root(name)
                    x = Term("v", self._grows(group, i, k))
                    if len(group) == 1:
                        table[root] = x if rate > 0 else Term("/", ONE, x)
                        continue
                    power = Term("^", x, abs(rate) * scale // order)
                    table[root] = Term("*", Term("v", root), power) if rate > 0 else Term("/", Term("v", root), power)
        return table

    def put(self, formula: Formula, stages: Stages) -> Formula:
        """Return a formula with what stands for the names that grow, or are tied to one that does."""
        tied = {t.name: to_term(sympy.Rational(t.factor) * quantity(t.driver) ** t.power) for t in self.regime.ties}
        made: Formula = substitute(substitute(formula, tied), self.values(stages))
        return made

    def eventually(self, formula: Formula, stages: Stages | None = None, budget: Budget | None = None) -> EventualForm:
        """Return what a formula comes to far out in the regime, or as the names of some stages grow, with its proof."""
        stages = self.regime.stages if stages is None else stages
        return eventually(self.put(formula, stages), self.names(stages), budget)

    def paths(self) -> Iterator[Stages]:
        """Yield ways to grow, all of which the regime allows, in which no two names of a stage grow independently."""
        ways = []
        for groups in self.regime.stages:
            rates = [r for r in product(RATES, repeat=len(groups)) if gcd(*r) == 1 and (len(groups) < 3 or max(r) < 3)]
            merged = [(tuple((n, rate * r) for group, r in zip(groups, rs, strict=True) for n, rate in group),)
                      for rs in sorted(rates, key=lambda r: (sum(r), r))]  # fmt: skip
            ways.append(merged if len(groups) > 1 else [groups])
        return islice(product(*ways), MAX_PATHS)

    def _root(self, name: str) -> tuple[str, int]:
        return self.roots.get(name, (name, 1))

    def _grows(self, group: Group, stage: int, place: int) -> str:
        return self._root(group[0][0])[0] if len(group) == 1 else f"t'{stage + 1}{place + 1}"
