"""The catalogue of slips: the mistakes people make, the likeliest first."""

import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import Any

Change = Callable[..., Iterable[Any]]
FIRST = ("multiply-add-once", "bytes-per-element", "dropped-tensor")
"""What is forgotten: of two slips together the likeliest first ones."""
SECOND = (*FIRST, "limit-for-exact", "other-figure", "one-direction", "per-chip-total", "dropped-part", "reciprocal",
          "seconds-milliseconds", "prefix", "bits", "forward-for-training")  # fmt: skip
RARE = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake, and what it does to a calculation; `catalogue.toml` tells what each field means.

    A change that acts on an operation, a chip, a claim or a question takes it and yields others, or pairs of another
    and what the slip is about; one that acts on the right value takes it with the names that are known, and yields
    what it turns into.

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
        """What makes the mistake, from the file beside this one; some need the judge, which loads slowly."""
        file, _, function = self.path.partition(".")
        change: Change = getattr(import_module(f"roofproof.claims.mistakes.{file}"), function)
        return change

    def made(self, thing: Any) -> Iterator[tuple[Any, str]]:
        """Yield what the slip makes of a thing, each with what it is about."""
        yield from (each if isinstance(each, tuple) else (each, "") for each in self.change(thing))

    def named(self, about: str) -> str:
        """Return the name, with what the slip is about where its sentence has a gap for it.

        >>> CATALOGUE["dropped-tensor"].named("z"), CATALOGUE["other-figure"].named("int8")
        ('dropped-tensor:z', 'other-figure')
        """
        return self.told(about) if "<what>" in self.says else self.name

    def told(self, about: str) -> str:
        """Return the name with whatever the slip is about, powers as in Python: names are kept from version to version.

        >>> CATALOGUE["dropped-part"].told("2*d*L^2")
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
    """Return the slip of a name, which may say what it is about.

    >>> slip_of("dropped-tensor:z").name, slip_of("none fits")
    ('dropped-tensor', None)
    """
    return CATALOGUE.get(name) or CATALOGUE.get(name.partition(":")[0])


def is_named(expected: str, found: str) -> bool:
    """Tell whether the slips that were found are the ones that are expected; one without what it is about is of all.

    >>> is_named("dropped-tensor", "dropped-tensor:z"), is_named("prefix", "prefix:binary")
    (True, False)
    >>> is_named("dropped-tensor:x", "dropped-tensor:z"), is_named("prefix:binary", "prefix:binary")
    (False, True)
    """
    wanted, names = expected.split("+"), found.split("+")
    same = (one == each or CATALOGUE.get(one, one) == slip_of(each) for one, each in zip(wanted, names, strict=False))
    return len(wanted) == len(names) and all(same)
