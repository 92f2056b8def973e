"""What an answer says once it is read: a relation and values, each with its unit and the digits written."""

from __future__ import annotations

import re
from dataclasses import dataclass

from roofproof.claims.language.nodes import Negative, Node, Number, Power, Product, Quotient
from roofproof.claims.language.units import Unit

TURNED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "=": "=", "≈": "≈"}
_TEN_TO_THE = re.compile(r"10*e([-+]?[0-9]{1,4})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Link:
    """One value of an answer: its tree, the unit after it, and the words as they are read."""

    node: Node
    unit: Unit | None
    text: str

    @property
    def printed(self) -> str | None:
        """The digits, where the value is a bare number, or one times powers of ten."""
        node, sign = (self.node.operand, "-") if isinstance(self.node, Negative) else (self.node, "")
        if isinstance(node, Number):
            return sign + node.text
        above, below = (node.above, _power_of_ten(node.below)) if isinstance(node, Quotient) else (node, 0)
        factors = above.factors if isinstance(above, Product) else (above,)
        powers = [power for f in factors if (power := _power_of_ten(f)) is not None]
        numbers = [f for f in factors if isinstance(f, Number) and _power_of_ten(f) is None]
        if below is None or len(numbers) != 1 or len(powers) != len(factors) - 1:
            return None
        digits, _, own = numbers[0].text.lower().partition("e")
        return f"{sign}{digits}e{int(own or 0) + sum(powers) - below}"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it is read.

    `relation` is that of what is asked to the last value (`=` for a value alone), `links` the values of a chain of
    equations, of which the last is the answer; `label` is a word such as `never`; `between` holds a lower bound, too.
    """

    relation: str
    links: tuple[Link, ...]
    subject: str
    label: str = ""
    below: tuple[str, Link] | None = None

    @property
    def value(self) -> Link:
        return self.links[-1]

    def __str__(self) -> str:
        if self.label:
            return self.label
        if self.below:
            return f"{self.below[1].text} {TURNED[self.below[0]]} {self.subject} {self.relation} {self.value.text}"
        if self.relation in "=≈":
            return " = ".join([*([self.subject] if self.subject else []), *(link.text for link in self.links)])
        return f"{self.subject} {self.relation} {self.value.text}"


def _power_of_ten(node: Node) -> int | None:
    """Return the power in `10^9` or `1e9`, None for what is written otherwise."""
    if isinstance(node, Number) and (found := _TEN_TO_THE.fullmatch(node.text)):
        return len(node.text.lower().partition("e")[0]) - 1 + int(found[1])
    if not isinstance(node, Power) or not isinstance(node.base, Number) or node.base.text != "10":
        return None
    power, sign = (node.exponent.operand, -1) if isinstance(node.exponent, Negative) else (node.exponent, 1)
    return sign * int(power.text) if isinstance(power, Number) and re.fullmatch("[0-9]{1,4}", power.text) else None
