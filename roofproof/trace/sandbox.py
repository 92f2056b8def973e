"""Tracing of a function or a reference problem in a separate process, which passes only the operation back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from roofproof.apart import ChildProcess, run_in_child
from roofproof.confined import confine
from roofproof.errors import RoofproofError, quoted
from roofproof.trace.operation import Traced
from roofproof.trace.serialize import from_data, to_data

ANSWERS, EACH = "roofproof.trace.sandbox:answer", "roofproof.trace.sandbox:answer_each"
SECONDS = 600  # for one reference problem, which may never return
MEMORY = 64 * 2**30  # bytes of address space, of which a framework reserves much and uses little


class IsolatedCode:
    """The function named by FILE.py:NAME, loaded in a process that ends with the `with` block.

    >>> with IsolatedCode("examples/gated.py:gated") as code:
    ...     code.traced("x:bf16[B,D], w_gate:bf16[D,F], w_up:bf16[D,F], w_down:bf16[F,D]").compute["bf16"]
    6*B*D*F

    Output of the code goes to standard error. `undenied` lists the categories of access that the system could not deny
    to it. Raises a one-line RoofproofError if the code cannot be loaded or traced.
    """

    def __init__(self, text: str) -> None:
        self._apart, self._text = ChildProcess(ANSWERS, text, None, MEMORY, shown=True), text

    def __enter__(self) -> IsolatedCode:
        self._apart.__enter__()
        try:
            said = self._apart.ask(load=self._text)
            self.framework, self.undenied = str(said.get("framework")), [str(each) for each in said.get("undenied", ())]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._apart.__exit__()

    def traced(self, shapes: str, **how: Any) -> Traced:
        """Return the operation of the function. See `roofproof.trace.jax` and `roofproof.trace.torch`."""
        return _operation(self._apart.ask(shapes=shapes, how=how), self._text)


class References:
    """Reference problems of a benchmark, each loaded and traced in a process of its own.

    >>> with References() as references:
    ...     references.traced("examples/reference_problem.py").bytes()             # 4 (1024 512 + 512 256 + 1024 256)
    3670016

    A file has a class `Model`, and `get_inputs` and `get_init_inputs`, which give the shapes. The processes are
    children of one that runs no user code, so PyTorch is imported once.
    """

    def __init__(self) -> None:
        self._apart = ChildProcess(EACH, "the problems", None, MEMORY, shown=True)

    def __enter__(self) -> References:
        self._apart.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._apart.__exit__()

    def traced(self, path: str, **how: Any) -> Traced:
        """Return the operation of a problem's model, under the traffic model `traffic`."""
        return _operation(self._apart.ask(path=path, how=how), path)


def _operation(said: Mapping[str, Any], name: str) -> Traced:
    try:
        found = from_data(said["operation"])
    except RoofproofError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError):
        found = None
    if not isinstance(found, Traced):
        form = "<name> wrote an answer of its own; expected code that only returns a value"
        raise RoofproofError(form, name=quoted(name))
    return found


_loaded: dict[str, Any] = {}


def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answer a question in the process that the code runs in."""
    from roofproof import trace
    from roofproof.trace.load import framework_of, function_of

    if "load" in question:
        text = question["load"]
        undenied = confine([str(Path(text.rpartition(":")[0]).parent)], own=os.environ["TMPDIR"])
        _loaded["function"] = function_of(text)
        _loaded["configured"] = text.endswith(".json:module")
        return {"framework": framework_of(_loaded["function"]), "undenied": undenied}
    function, shapes = _loaded["function"], question["shapes"]
    if _loaded["configured"] and "layers=" not in shapes.replace(" ", ""):
        from roofproof.trace.hugging_face import SHAPES

        module = function()
        made = trace.torch(module, shapes or SHAPES, **question["how"])
        return {"operation": to_data(replace(made, convention=f"{made.convention}, {module.said}"))}
    traced = trace.jax if framework_of(function) == "jax" else trace.torch
    return {"operation": to_data(traced(function, shapes, **question["how"]))}


@cache
def _imported() -> None:
    """Run a small trace, so that no child has to import the modules that a trace loads late."""
    import torch

    from roofproof.trace.aten.entry import trace_module

    to_data(trace_module(torch.nn.Linear, "in_features=4, out_features=2, input:fp32[8,4]"))


def answer_each(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Trace one reference problem in a child of this process, so that no problem can affect the next."""
    from roofproof.trace.aten.reference import trace_reference
    from roofproof.trace.load import module_of

    _imported()
    path = question["path"]

    def operation() -> Any:
        confine([str(Path(path).parent)], own=os.environ["TMPDIR"])
        return to_data(trace_reference(module_of(path), **question["how"]))

    return {"operation": run_in_child(operation, path, SECONDS, MEMORY)}
