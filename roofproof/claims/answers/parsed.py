"""A parsed answer: a relation and values, each with its unit and its digits as written."""

from __future__ import annotations

from dataclasses import dataclass

from roofproof.claims.printed import printed_number
from roofproof.formula.tree import Tree
from roofproof.formula.units import Unit

TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "=", "≈": "≈"}
OPPOSITE = {">": "<=", "<": ">=", ">=": "<", "<=": ">"}


@dataclass(frozen=True, slots=True)
class Link:
    """One value of an answer: its tree, its unit, its text as parsed, and the kind of thing that it counts."""

    node: Tree
    unit: Unit | None
    text: str
    counted: str = ""

    @property
    def printed(self) -> str | None:
        """The digits, if the value is a plain number, with or without powers of ten."""
        found = printed_number(self.node)
        return None if found is None else found.digits


@dataclass(frozen=True, slots=True)
class Answer:
    """A parsed answer.

    `links` are the values of a chain of equations, and the last one is the answer. `relation` compares the quantity
    asked for with it (`=` for a plain value). `label` is a word such as `never`. `beside` is a word such as
    `memory-bound` to which a bound was given. `below` is an additional lower bound. `other` is the left side of an
    inequality that is not solved for the unknown, and the value is its right side.
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
