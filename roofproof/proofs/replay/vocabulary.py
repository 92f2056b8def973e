"""The names that a file of theorems gives to what it is about: FLOPs, bytes, peak and bandwidth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from roofproof.proofs.kernel.terms import Formula, Term, variables


@dataclass(frozen=True, slots=True)
class Definition:
    """A name of a file for a term: what it takes, what it stands for, and whose sum it is written as, if it is one."""

    name: str
    takes: tuple[str, ...]
    value: Term
    says: str
    parts: tuple[str, ...] = ()


@dataclass(slots=True)
class Vocabulary:
    """The definitions of a file, which formulas say compute-bound, each by FLOPs, bytes and ridge point, which
    quotients are an intensity, a ridge point or seconds, and what else is put for names: x + h for x.

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
        """Give a term a name that is not yet taken, and return it; its variables are what the definition takes."""
        plain = re.sub(r"\W", "_", name)
        while plain in self.definitions and self.definitions[plain].value != value:
            plain += "_"
        self.definitions[plain] = Definition(plain, tuple(sorted(variables(value))), value, says, tuple(parts))
        return plain

    def apply(self, name: str, above: Term, below: Term) -> Term:
        """Return a quotient that is written as `intensity`, `ridge` or `seconds` of two terms, and no other is."""
        made = Term("+", Term("/", above, below))  # a sum of one term is this term
        self.applied[made] = name
        return made
