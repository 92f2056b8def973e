"""What an answer says once it is read: a relation and values, each with its unit and the digits written."""

from __future__ import annotations

from dataclasses import dataclass

from roofproof.claims.printed import printed_number
from roofproof.formula.tree import Tree
from roofproof.formula.units import Unit

TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "=", "≈": "≈"}
OPPOSITE = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}


@dataclass(frozen=True, slots=True)
class Link:
    """One value of an answer: its tree, the unit after it, the words as they are read, and what is counted."""

    node: Tree
    unit: Unit | None
    text: str
    counted: str = ""

    @property
    def printed(self) -> str | None:
        """The digits, where the value is a bare number, or one times powers of ten."""
        found = printed_number(self.node)
        return None if found is None else found.digits


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it is read.

    `relation` is that of what is asked to the last value (`=` for a value alone), `links` the values of a chain of
    equations, of which the last is the answer; `label` is a word such as `never`; `beside` is one such as
    `memory-bound` of which a bound was said; `below` holds a lower bound, too. `other` is the left side of an
    inequality that is not solved for the unknown, whose right side is the value.
    """

    relation: str
    links: tuple[Link, ...]
    subject: str
    label: str = ""
    below: tuple[str, Link] | None = None
    beside: str = ""
    other: Link | None = None

    @property
    def value(self) -> Link:
        return self.links[-1]

    def __str__(self) -> str:
        if self.label:
            return self.label
        if self.other:
            return f"{self.other.text} {self.relation} {self.value.text}"
        if self.below:
            return f"{self.below[1].text} {TURNED[self.below[0]]} {self.subject} {self.relation} {self.value.text}"
        if self.relation in "=≈":
            return " = ".join([*([self.subject] if self.subject else []), *(link.text for link in self.links)])
        return f"{self.subject} {self.relation} {self.value.text}"
