"""Vocabulary: the names that a file of theorems defines for FLOPs, bytes, peak and bandwidth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from roofproof.proofs.kernel.terms import Formula, Term, variables


@dataclass(frozen=True, slots=True)
class Definition:
    """A named term: its parameters, its value, its description, and the definitions whose sum it is, if any."""

    name: str
    takes: tuple[str, ...]
    value: Term
    says: str
    parts: tuple[str, ...] = ()


@dataclass(slots=True)
class Vocabulary:
    """The definitions of a file, and the formulas and quotients that are written with them.

    `bound` maps each formula that means compute-bound to its FLOPs, bytes and ridge point. `applied` maps quotients to
    `intensity`, `ridge` or `seconds`. `moved` lists substitutions under which the definitions also occur: x + h for x.

    >>> words = Vocabulary()
    >>> words.define("flops", Term("*", Term("q", 2, 1), Term("v", "N")), "FLOPs")
    'flops'
    >>> words.definitions["flops"].takes
    ('N',)
    """

    definitions: dict[str, Definition] = field(default_factory=dict)
    bound: dict[Formula, tuple[Term, Term, Term]] = field(default_factory=dict)
    applied: dict[Term, str] = field(default_factory=dict)
    moved: list[dict[str, Term]] = field(default_factory=list)

    def define(self, name: str, value: Term, says: str, parts: Sequence[str] = ()) -> str:
        """Give a term an unused name and return that name. The variables of the term become the parameters."""
        plain = re.sub(r"\W", "_", name)
        while plain in self.definitions and self.definitions[plain].value != value:
            plain += "_"
        self.definitions[plain] = Definition(plain, tuple(sorted(variables(value))), value, says, tuple(parts))
        return plain

    def apply(self, name: str, above: Term, below: Term) -> Term:
        """Return a quotient that is written as `name` (`intensity`, `ridge`, `seconds`), unlike plain quotients."""
        made = Term("+", Term("/", above, below))  # a sum of one term marks the quotient without changing its value
        self.applied[made] = name
        return made
