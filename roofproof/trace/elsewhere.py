"""A function of a file, traced in a process of its own: what comes over is the operation, as data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roofproof.apart import Apart
from roofproof.errors import RoofproofError, quoted
from roofproof.trace.handed_over import from_data, to_data
from roofproof.trace.operation import Traced

ANSWERS = "roofproof.trace.elsewhere:answer"
MEMORY = 64 * 2**30  # bytes of addresses, of which a framework takes many and uses few


class Code:
    """A function that FILE.py:NAME stands for, loaded in a process that ends with the `with` that it stands in.

    >>> with Code("examples/gated.py:gated") as code:
    ...     code.traced("x:bf16[B,D], w_gate:bf16[D,F], w_up:bf16[D,F], w_down:bf16[F,D]").flops
    6*B*D*F + 3*B*F

    The code writes what it prints to standard error. `undenied` is what the system lets it do beside computing. Raises
    RoofproofError in one line for what cannot be loaded or traced.
    """

    def __init__(self, text: str) -> None:
        self._apart, self._text = Apart(ANSWERS, text, None, MEMORY, shown=True), text

    def __enter__(self) -> Code:
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
        """Return the operation that the function is; see `roofproof.trace.jax` and `roofproof.trace.torch`."""
        said = self._apart.ask(shapes=shapes, how=how)
        try:
            found = from_data(said["operation"])
        except RoofproofError:
            raise
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError):
            found = None
        if not isinstance(found, Traced):
            form = "<name> wrote an answer of its own; expected code that only returns a value"
            raise RoofproofError(form, name=quoted(self._text))
        return found


_loaded: dict[str, Any] = {}


def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Answer in the process that the code is in."""
    from roofproof import trace
    from roofproof.confined import confine
    from roofproof.trace.load import framework_of, function_of

    if "load" in question:
        text = question["load"]
        undenied = confine([str(Path(text.rpartition(":")[0]).parent)], own=os.environ["TMPDIR"])
        _loaded["function"] = function_of(text)
        return {"framework": framework_of(_loaded["function"]), "undenied": undenied}
    function = _loaded["function"]
    traced = trace.jax if framework_of(function) == "jax" else trace.torch
    return {"operation": to_data(traced(function, question["shapes"], **question["how"]))}
