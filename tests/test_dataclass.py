"""The decorator of the package makes what the standard one makes."""

import copy
import dataclasses
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from roofproof.dataclass import dataclass

PACKAGE = Path(__file__).resolve().parents[1] / "roofproof"


def plain() -> list[type]:
    class Empty:
        """Nothing in it."""

    class One:
        """A field."""

        name: str

    class Several:
        """Fields of every kind."""

        name: str
        bytes: int = 0
        levels: list[int] = dataclasses.field(default_factory=list)
        cache: dict[str, int] = dataclasses.field(default_factory=dict, init=False, repr=False, compare=False)
        kept: int = dataclasses.field(default=3, hash=False)

    class Checked:
        """Its `__post_init__` looks at it, and it writes itself."""

        name: str
        _: dataclasses.KW_ONLY
        size: int = 1

        def __post_init__(self) -> None:
            if self.size < 1:
                raise ValueError("size")

        def __repr__(self) -> str:
            return "own"

    return [Empty, One, Several, Checked]


def results(made: type) -> list[Any]:
    """What can be seen of a class and its objects; of a failure, its kind (a frozen object refuses as slots do)."""
    seen: list[Any] = [str(inspect.signature(made)), [each.name for each in dataclasses.fields(made)]]
    seen += [getattr(made, "__match_args__", None), made.__doc__]
    for values, names in ((), {}), (("a",), {}), (("b", 2), {}), (("b",), {"size": 0}), (("a",), {"bytes": 2}):
        for use in (
            repr,
            lambda one: hash(one) == hash(made("a")),
            lambda one: one == copy.copy(one),
            lambda one: one == made("a"),
            lambda one: one.__eq__(3),
            lambda one: repr(dataclasses.replace(one, name="c")),
            lambda one: setattr(one, "name", "d") or repr(one),
            lambda one: delattr(one, "name"),
            lambda one: setattr(one, "other", "d"),
        ):
            try:
                seen.append(use(made(*values, **names)))
            except (AttributeError, TypeError):
                seen.append("refused")
            except ValueError as problem:
                seen.append(str(problem))
    return seen


@pytest.mark.parametrize("options", [{}, {"frozen": True}, {"frozen": True, "slots": True}, {"eq": False}])
@pytest.mark.parametrize("place", range(4))
def test_it_is_the_standard_decorator(options: dict[str, bool], place: int) -> None:
    assert results(dataclass(**options)(plain()[place])) == results(dataclasses.dataclass(**options)(plain()[place]))


@dataclass(frozen=True, slots=True)
class Sent:
    """An object that goes to another process."""

    name: str
    size: int = 0


def test_an_object_goes_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(Sent("a", 2))) == Sent("a", 2)


def test_every_class_of_the_package_is_made_by_it() -> None:
    files = [path for path in PACKAGE.rglob("*.py") if path.name != "dataclass.py"]
    assert [each for each in files if re.search(r"from dataclasses import.*\bdataclass\b", each.read_text())] == []
