"""A compiled formula as steps over blocks of arrays: calls of NumPy that write into a few arrays kept in the cache.

Run as it stands, a compiled formula makes a new array for every sum and product. Here it runs once with recorders in
the place of arrays; what they note down is then done block by block, and the last step writes the result where it
belongs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

# What these make of finite numbers is finite, or NumPy tells of an overflow, a division by zero, an invalid value.
TELLING = frozenset({
    np.add, np.subtract, np.multiply, np.divide, np.negative, np.maximum, np.minimum, np.sqrt, np.floor, np.ceil,
    np.power,
})  # fmt: skip

Call = tuple[Callable[..., Any], tuple[int, ...], int | None]


class _Recorder(NDArrayOperatorsMixin):
    """Stands for an array: what is done with it is noted down, and gives what stands for the outcome."""

    def __init__(self, notes: list[tuple[Any, tuple[Any, ...]]], value: int) -> None:
        self.notes, self.value = notes, value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        self.notes.append((ufunc, inputs))
        return _Recorder(self.notes, -len(self.notes))


@dataclass(frozen=True, slots=True)
class SweepProgram:
    """Calls, each with the places of what it takes and of what comes out, or None where it only looks.

    Place 0 is the result; then come the arrays given, the numbers, and `spare` arrays for what is needed again.

    >>> real = np.dtype(float), None                           # floats that nobody looks at
    >>> found = recorded(lambda x, y: 2*x*y + 1, [None, None], {0: real, 1: real}, np.dtype(float))
    >>> [(act.__name__, places, to) for act, places, to in found.calls]
    [('multiply', (3, 1), 0), ('multiply', (0, 2), 0), ('add', (0, 4), 0)]
    >>> out = np.empty(3)
    >>> found.run(out, [np.arange(3.0), np.full(3, 5.0)], [])
    >>> out                                                    # 2*0*5 + 1, 2*1*5 + 1, 2*2*5 + 1
    array([ 1., 11., 21.])
    """

    calls: tuple[Call, ...]
    numbers: tuple[Any, ...]
    spare: int

    def run(self, out: NDArray[Any], arrays: Sequence[NDArray[Any]], spare: Sequence[NDArray[Any]]) -> None:
        """Do the steps on one block; `spare` are arrays of its length and type."""
        held = (out, *arrays, *self.numbers, *spare)
        for act, places, to in self.calls:
            if to is None:
                act(held[places[0]])
            else:
                act(*[held[place] for place in places], out=held[to])

    @property
    def telling(self) -> bool:
        """Whether the steps tell where finite numbers give a value that is not finite."""
        return all(act in TELLING for act, _, _ in self.calls if isinstance(act, np.ufunc))


def recorded(
    formula: Callable[..., Any],
    values: Sequence[Any],
    arrays: Mapping[int, tuple[np.dtype[Any], Callable[[NDArray[Any]], None] | None]],
    dtype: np.dtype[Any],
) -> SweepProgram:
    """Return the steps of a formula: `arrays` tells which of its values are arrays, their types, and who looks at them.

    An array of another type is converted before its first step. A look comes right after the first step, which has
    brought the block into the cache. What the formula does must be calls of NumPy with one outcome.
    """
    notes: list[tuple[Any, tuple[Any, ...]]] = []
    order = {position: number for number, position in enumerate(arrays)}
    told = list(arrays.values())
    given = [_Recorder(notes, order[i]) if i in order else value for i, value in enumerate(values)]
    outcome = formula(*given)
    if not notes or getattr(outcome, "value", None) != -len(notes):
        notes.append((np.positive, (outcome,)))  # one of the arrays as it is, or a number
    last = {one.value: i for i, (_, inputs) in enumerate(notes) for one in inputs if isinstance(one, _Recorder)}

    numbers: list[Any] = []
    for _, inputs in notes:
        numbers += [one for one in inputs if not isinstance(one, _Recorder)]
    beyond = 1 + len(told) + len(numbers)
    where = {number: 1 + number for number in range(len(told))}
    calls: list[Call] = []
    free, spare, number, fresh = [0], 0, 0, set(where)

    def room() -> int:
        nonlocal spare
        if free:
            return free.pop()
        spare += 1
        return beyond + spare - 1

    for i, (ufunc, inputs) in enumerate(notes):
        places, looks = [], []
        for one in inputs:
            if not isinstance(one, _Recorder):
                places.append(1 + len(told) + number)
                number += 1
                continue
            if one.value in fresh:
                fresh.remove(one.value)
                kind, look = told[one.value]
                if look is not None:
                    looks.append((look, (where[one.value],), None))
                if kind != dtype:
                    to = room()
                    calls.append((_converted, (where[one.value],), to))
                    calls += looks
                    looks = []
                    where[one.value] = to
            places.append(where[one.value])
        for done in {one.value for one in inputs if isinstance(one, _Recorder) and last[one.value] == i}:
            if where[done] == 0 or where[done] >= beyond:
                free.append(where[done])
        where[-i - 1] = 0 if i == len(notes) - 1 else room()
        calls += [(ufunc, tuple(places), where[-i - 1]), *looks]
    return SweepProgram(tuple(calls), tuple(np.asarray(one, dtype) for one in numbers), spare)


def _converted(block: NDArray[Any], out: NDArray[Any]) -> None:
    np.copyto(out, block, casting="same_kind")
