"""The values a statement is about: positive reals unless it says otherwise, integers on request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import product

from roofproof.errors import RoofproofError
from roofproof.proofs.kernel.terms import ZERO, Formula, Term, substitute

SIGNS = {"positive": (1,), "nonnegative": (1, 0), "real": (1, 0, -1), "negative": (-1,)}
MAX_SPLITS = 81


@dataclass(frozen=True, slots=True)
class Domain:
    """Signs and integrality by name, and further assumptions; a name that is not listed is positive.

    >>> d = Domain({"a": "nonnegative"}, frozenset(["n"]))
    >>> [point for point, _ in d.parts([("v", "a"), ("v", "n")])]
    [{}, {'a': ('q', 0, 1)}]
    """

    signs: Mapping[str, str] = field(default_factory=dict)
    integers: frozenset[str] = frozenset()
    assumptions: tuple[Formula, ...] = ()

    def where(self, *formulas: Formula) -> Domain:
        """Return the part of the domain in which formulas hold."""
        return replace(self, assumptions=(*self.assumptions, *formulas))

    def can_hold(self, *formulas: Formula) -> bool:
        """Tell whether formulas, and the assumptions, can hold at some point of the domain.

        >>> n = ("v", "n")
        >>> some = [(">", n, ("q", 2, 1)), (">", ("q", 3, 1), n)]                 # 2 < n < 3
        >>> Domain().can_hold(*some), Domain(integers=frozenset("n")).can_hold(*some)
        (True, False)
        """
        from roofproof.proofs.provers.statements import possible

        whole: list[Formula] = [("int", ("v", n)) for n in sorted(self.integers)]
        parts = (part for _, part in self.parts([*whole, *formulas]))
        return any(("false",) not in part and possible(part)[0] for part in parts)

    def parts(self, formulas: list[Formula]) -> Iterator[tuple[dict[str, Term], list[Formula]]]:
        """Yield, for each choice of signs, what to put for a name that is not positive, and the formulas then.

        A negative x is written as minus a positive x, zero as 0, so every part is about positive variables.
        """
        names = sorted(n for n, kind in self.signs.items() if kind != "positive")
        choices = list(product(*(SIGNS[self.signs[n]] for n in names)))
        if len(choices) > MAX_SPLITS:
            raise RoofproofError(f"{len(names)} names that may be zero or negative; at most 4 are taken apart")
        for signs in choices:
            values: dict[str, Term] = {}
            for name, sign in zip(names, signs, strict=True):
                if sign == 0:
                    values[name] = ZERO
                elif sign < 0:
                    values[name] = ("*", ("q", -1, 1), ("v", name))
            yield values, [substitute(f, values) for f in (*self.assumptions, *formulas)]
