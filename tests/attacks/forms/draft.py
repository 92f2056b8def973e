"""A random claim with its intended verdict, and the small random pieces that forms share."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from random import Random
from typing import Any


@dataclass(frozen=True)
class Draft:
    """A claim. `meant` is its intended verdict: true, false, rounded, approximate, conditional ..."""

    says: str
    meant: str
    given: str = ""
    regime: str = ""
    let: dict[str, str] = field(default_factory=dict)
    ops: dict[str, str] = field(default_factory=dict)
    chips: dict[str, dict[str, str]] = field(default_factory=dict)
    form: str = ""
    id: str = ""

    @property
    def toml(self) -> str:
        lines = []
        for name, figures in self.chips.items():
            lines += [f"[chips.{name}]", *(f'{k} = "{v}"' for k, v in figures.items())]
        if self.ops:
            lines += ["[ops]", *(f'{k} = "{v}"' for k, v in self.ops.items())]
        lines += ["[[claim]]", f'id = "{self.id}"', f"says = '''{self.says}'''"]
        lines += [f'{k} = "{v}"' for k, v in (("given", self.given), ("regime", self.regime)) if v]
        if self.let:
            lines.append("let = { " + ", ".join(f'{k} = "{v}"' for k, v in self.let.items()) + " }")
        return "\n".join(lines) + "\n"


def one_of(
    r: Random, broken: bool, *ways: tuple[Any, ...], right: str = "true", wrong: str = "false", **fields: Any
) -> Draft:
    """Return one of several claims, each (right text, wrong text, more fields, more fields if wrong).

    >>> one_of(Random(1), True, ("x < x + 1", "x > x + 1", {"given": "x real"})).says
    'x > x + 1'
    """
    true, false, *own = r.choice(ways)
    draft = Draft(false if broken else true, wrong if broken else right, **fields)
    for more in own if broken else own[:1]:
        draft = replace(draft, **more)
    return draft


def letters(r: Random, k: int) -> list[str]:
    return r.sample("abcdpquvwxyz", k)


def num(r: Random, top: int = 12) -> int:
    return r.randint(1, top)


def frac(r: Random, top: int = 12) -> Fraction:
    return Fraction(r.randint(1, top), r.randint(1, top))


def text(v: Fraction | int) -> str:
    """Return the text of a number as a factor of a product."""
    return str(v) if Fraction(v).denominator == 1 else f"({v})"


def other(r: Random, v: Fraction | int) -> Fraction:
    """Return a number near `v` but not equal to it."""
    v = Fraction(v)
    tries = [v + 1, v * 2, v / 2, v * Fraction(11, 10), v + Fraction(1, 7), v * 3]
    return r.choice([t for t in tries if t != v])


def value(r: Random, names: list[str], depth: int = 2) -> str:
    """Return a random expression that is defined and positive if its names are positive."""
    if depth == 0 or r.random() < 0.15:
        return r.choice([*names, *names, str(num(r))])
    a, b = value(r, names, depth - 1), value(r, names, depth - 1)
    return r.choice([f"({a} + {b})", f"({a} + {b})", f"{a} * {b}", f"({a}) / ({b})", f"({a})^2"])
