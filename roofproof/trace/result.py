"""The result of a trace in either framework: a program, its assumptions, and its operation."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy.logic.boolalg import Boolean

from roofproof.errors import WrongType, refuse_unknown
from roofproof.trace.floor import floor
from roofproof.trace.operation import Traced, operation_of
from roofproof.trace.program import Program
from roofproof.trace.shapes import Read, read
from roofproof.trace.sizes import KnownSizes
from roofproof.trace.traffic import MODELS


@dataclass(frozen=True)
class Trace:
    """The result of a trace before its traffic is counted. `overwritten` are arguments that are updated in place.

    `notes` are remarks for the answer, such as orders of einsums and steps that were left out.
    """

    name: str
    program: Program
    conditions: tuple[Boolean, ...]
    overwritten: tuple[str, ...]
    by: str
    notes: tuple[str, ...] = ()

    def operation(self, model: str) -> Traced:
        """Return the operation under a traffic model. Raises RoofproofError for an unknown model."""
        refuse_unknown("traffic model", model, MODELS)
        program = self.program
        if model == "least":
            program = floor(program, KnownSizes(self.conditions))
            model = "fused" if program.equations == self.program.equations else model  # its needs depend on no value
        said = "; ".join((convention(model, self.overwritten), *self.notes, self.by))
        return operation_of(program, model, self.name, self.conditions, said, self.by)


def read_arguments(shapes: str | Mapping[str, str] | Read, named: Mapping[str, str | float | None], where: str) -> Read:
    """Return the arguments and the conditions, given as text, as a mapping, by name, or already read.

    >>> [one.name for one in read_arguments("x:bf16[B]", {"n": 3}, "")[0]]
    ['x', 'n']
    """
    if isinstance(shapes, tuple):
        return shapes
    if not isinstance(shapes, str) and not hasattr(shapes, "items"):
        raise WrongType("shapes", "text, or the shape of each parameter by name", shapes, "'x:bf16[B,D], w:bf16[D,F]'")
    pairs = {} if isinstance(shapes, str) else shapes
    written = [shapes] if isinstance(shapes, str) and shapes.strip() else []
    written += [
        f"{name}{value if value.startswith('=') else f':{value}'}" if isinstance(value, str) else f"{name}={value}"
        for name, value in ({**pairs, **named}).items()
    ]
    return read(", ".join(written), where) if written else ((), ())


def name_results(program: Program, paths: list[Any], taken: set[str]) -> None:
    """Name each output after its position in the result, or after the argument that it updates in place."""
    for (path, _), array in zip(paths, program.outputs, strict=True):
        buffer = array.buffer
        if buffer is None or buffer.given or buffer.name:
            continue
        root = buffer
        while root.updated is not None:
            root = root.updated
        steps = "".join(
            f"[{s.idx}]" if hasattr(s, "idx") else f".{getattr(s, 'key', getattr(s, 'name', s))}" for s in path
        )
        name = "result" + steps
        while name in taken:
            name += "_"
        buffer.name = root.name if root.given and root is not buffer else name
        taken.add(name)


def convention(model: str, overwritten: tuple[str, ...]) -> str:
    """Return the counting convention as text.

    >>> convention("unfused", ())[:39]
    '2 FLOPs per multiply-add; traffic unfus'
    """
    says = {
        "fused": "each input read once, each result written once, nothing between",
        "kernels": "each kernel reads what it takes once and writes what others use",
        "unfused": "each step reads what it takes and writes what it makes",
        "least": "each input read once, what one index chooses, nothing that a mask may hide, each result written once",
    }[model]
    told = f"2 FLOPs per multiply-add; traffic {model}: {says}"
    if overwritten:
        told += f"; updated in place: {', '.join(dict.fromkeys(overwritten))}"
    return told


def captured(function: Any) -> dict[str, Any]:
    """Return the variables that a function captures, by name.

    >>> w = 8
    >>> (lambda f: captured(f)["w"])((lambda w: lambda x: x @ w)(4))
    4
    """
    function = inspect.unwrap(function)
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    found: dict[str, Any] = dict(getattr(function, "__globals__", {}))
    for name, cell in zip(code.co_freevars if code else (), cells, strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    return found
