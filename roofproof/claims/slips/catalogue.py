"""The catalogue of slips: the mistakes people make, the likeliest first."""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from typing import Any

Change = Callable[..., Iterable[Any]]


@dataclass(frozen=True, slots=True)
class Slip:
    """One mistake, and what it does to a calculation.

    `acts_on` is "operation" (the change yields operations), "chip" (it yields chips), "value" (it yields what the
    right value turns into) or "claim" (it yields propositions that the author may have meant). `made_by` is a claim
    whose author makes it; a test holds that it is found there.

    >>> CATALOGUE["write-back"].says
    'the result that is written back to memory was not counted'
    >>> CATALOGUE["multiply-add"].made_by                         # it is 2 B D F
    'flops(matmul) == B D F'
    """

    name: str
    says: str
    acts_on: str
    change: Change
    made_by: str


def _change(path: str) -> Change:
    file, _, function = path.partition(".")
    change: Change = getattr(import_module(f"roofproof.claims.slips.{file}"), function)
    return change


def _catalogue() -> dict[str, Slip]:
    rows = tomllib.loads((files(__package__) / "catalogue.toml").read_text(encoding="utf-8"))
    return {name: Slip(name, **{**row, "change": _change(row["change"])}) for name, row in rows.items()}


CATALOGUE = _catalogue()
