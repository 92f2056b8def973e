"""The catalogue of common mistakes, the likeliest first."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import Any

Change = Callable[..., Iterable[Any]]
FIRST = ("multiply-add-once", "bytes-per-element", "dropped-tensor")
"""Omissions: the likeliest first mistakes of a pair."""
SECOND = (*FIRST, "limit-for-exact", "other-figure", "one-direction", "per-chip-total", "dropped-part", "reciprocal",
          "seconds-milliseconds", "prefix", "bits", "forward-for-training")  # fmt: skip
RARE = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Slip:
    """A common mistake and its effect on a calculation. `catalogue.toml` explains each field.

    The change takes an operation, a chip, a claim or a question. It yields changed ones, or pairs of a changed one and
    the object of the mistake. A change that acts on the right value takes it with the known names and yields wrong
    values.

    >>> CATALOGUE["dropped-tensor"].says
    'the bytes of <what> were not counted'
    >>> CATALOGUE["multiply-add-once"].made_by                    # it is 2 B D F
    'flops(matmul) == B D F'
    """

    name: str
    says: str
    acts_on: str
    path: str
    made_by: str
    zh: str = ""
    part: str = ""
    asks: tuple[str, ...] = ()
    rare: int = 0
    digits: int = 1

    @property
    def change(self) -> Change:
        """The function that makes the mistake. Its module is imported on demand, as some modules load slowly."""
        file, _, function = self.path.partition(".")
        change: Change = getattr(import_module(f"roofproof.claims.mistakes.{file}"), function)
        return change

    def made(self, thing: Any) -> Iterator[tuple[Any, str]]:
        """Yield the changed versions of a thing, each with the object of the mistake."""
        yield from (each if isinstance(each, tuple) else (each, "") for each in self.change(thing))

    def named(self, about: str) -> str:
        """Return the name, with the object of the mistake if the explanation mentions it.

        >>> CATALOGUE["dropped-tensor"].named("z"), CATALOGUE["other-figure"].named("int8")
        ('dropped-tensor:z', 'other-figure')
        """
        return self.full_name(about) if "<what>" in self.says else self.name

    def full_name(self, about: str) -> str:
        """Return the name with the object of the mistake. Powers are written as in Python, to keep names stable.

        >>> CATALOGUE["dropped-part"].full_name("2*d*L^2")
        'dropped-part:2*d*L**2'
        """
        return f"{self.name}:{about.replace('^', '**')}" if about else self.name


def _catalogue() -> dict[str, Slip]:
    rows = tomllib.loads((files(__package__) / "catalogue.toml").read_text(encoding="utf-8"))
    found = {}
    for name, row in rows.items():
        fields: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in row.items()}
        found[name] = Slip(name, path=fields.pop("change"), **fields)
    return found


CATALOGUE = _catalogue()


def slip_of(name: str) -> Slip | None:
    """Return the mistake with a name, which may include its object.

    >>> slip_of("dropped-tensor:z").name, slip_of("none fits")
    ('dropped-tensor', None)
    """
    return CATALOGUE.get(name) or CATALOGUE.get(name.partition(":")[0])


def is_named(expected: str, found: str) -> bool:
    """Return whether the found mistakes are the expected ones. A name without an object matches any object.

    >>> is_named("dropped-tensor", "dropped-tensor:z"), is_named("prefix", "prefix:binary")
    (True, False)
    >>> is_named("dropped-tensor:x", "dropped-tensor:z"), is_named("prefix:binary", "prefix:binary")
    (False, True)
    """
    wanted, names = expected.split("+"), found.split("+")
    same = (one == each or CATALOGUE.get(one, one) == slip_of(each) for one, each in zip(wanted, names, strict=False))
    return len(wanted) == len(names) and all(same)
