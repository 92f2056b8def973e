"""The answers of the child process that contains an audited function. `elsewhere` in the parent asks."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from roofproof.audit.closed_forms import called
from roofproof.audit.size_constraints import SizeConstraints
from roofproof.audit.tracing import Distinguishes, Foreign, traced
from roofproof.audit.whole_numbers import named_in
from roofproof.confined import confine
from roofproof.derive.algebra.text import plain
from roofproof.errors import RoofproofError, quoted
from roofproof.hardware import any_chip
from roofproof.ops import parse_operation

_loaded: dict[str, Any] = {}


def answer(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the answer to a question, in the child process."""
    if "load" in question:
        return _load(question)
    function, dims, sizes = _loaded["function"], _loaded["dims"], _loaded["sizes"]
    if "point" in question:
        value = called(function, [dims[n] for n in _loaded["names"]], question["point"])
        return {"float": value} if isinstance(value, float) else {"exact": f"{value.numerator}/{value.denominator}"}
    symbols = [dims[n] for n in question["trace"]]
    try:
        forms, decimals = traced(function, symbols, sizes)
    except Foreign as foreign:
        return {"problem": "foreign", "says": str(foreign)}
    except Distinguishes:
        return {"problem": "distinguishes"}
    except MemoryError:
        raise
    except (Exception, SystemExit):  # any error of the function for arguments that are not numbers
        return {"problem": "other"}
    return {"forms": sorted(map(plain, forms)), "decimals": list(decimals)}


def _load(question: Mapping[str, Any]) -> Mapping[str, Any]:
    text: str = question["load"]
    module, _, name = text.partition(":")
    op = parse_operation(question["op"])
    sizes = SizeConstraints.of(op, None if question["chip"] is None else any_chip(question["chip"]))
    sys.path.insert(0, "")
    undenied = confine(own=os.environ["TMPDIR"])
    try:
        function = getattr(import_module(module), name)
    except (Exception, SystemExit) as problem:  # any error of the module during its import
        told = " ".join(str(problem).split()) or type(problem).__name__
        raise RoofproofError("cannot load <text>: <told>", text=quoted(text), told=told) from None
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        raise RoofproofError(
            "<function> is not a function with named parameters", function=quoted(str(function))
        ) from None
    _loaded.update(function=function, names=names, dims={s.name: s for s in op.dims}, sizes=sizes)
    return {"names": names, "named": list(map(str, named_in(function))), "undenied": undenied}
