"""Whatever goes wrong while a function is traced, told in one line with the place in the user's code and the cure."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.trace.program import Place

NO_VALUE = "a value of an array is needed while tracing, and there is none; use jnp.where, lax.cond or lax.fori_loop"
BOOLEAN = "how many elements an index of truth values takes depends on them; use jnp.where with a value for the others"
SIZES = "this holds for some sizes and not for others; add a condition by --where, such as 'd >= 128' or 'k even'"
FRAMEWORK = {"jax", "jaxlib", "numpy", "opt_einsum"}  # folders whose lines are not those of the user


def definition(function: Any) -> Place:
    """Return where a function is defined.

    >>> def f(): pass
    >>> definition(f).function
    'f'
    """
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    return Place(Path(code.co_filename).name, code.co_firstlineno, code.co_name) if code else Place()


@contextmanager
def told_in_one_line(function: Any) -> Iterator[None]:
    """Raise whatever goes wrong as a RoofproofError with the place in the user's code; keep warnings quiet.

    >>> with told_in_one_line(len):
    ...     raise SystemExit
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: ?: the function ends the program
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except RoofproofError as problem:
        if (place := _innermost(problem.__traceback__)) and not str(problem).startswith(str(place)):
            raise RoofproofError(f"{place}: {problem}") from None
        raise
    except (Exception, SystemExit) as problem:  # whatever the user's code does
        place = _innermost(problem.__traceback__) or definition(function)
        raise RoofproofError(f"{place}: {_says(problem)}") from None


def _innermost(tb: TracebackType | None) -> Place | None:
    """Return the innermost frame of the user's code."""
    ours, library = Path(__file__).resolve().parents[2], Path(traceback.__file__).resolve().parent
    found = None
    for frame in traceback.extract_tb(tb):
        path = Path(frame.filename)
        parts = path.parts
        framework = FRAMEWORK & set(parts) or (library in path.parents and "site-packages" not in parts)
        if not framework and ours not in path.parents and not frame.filename.startswith("<"):
            found = Place(path.name, frame.lineno or 0, frame.name)
    return found


def _says(problem: BaseException) -> str:
    """Return what went wrong, and the cure where one is known."""
    name = type(problem).__name__
    first = next((line.strip() for line in str(problem).splitlines() if line.strip()), "")
    match name:
        case "InconclusiveDimensionOperation":
            return f"{first.rstrip('.')}: {SIZES}"
        case "NonConcreteBooleanIndexError":
            return BOOLEAN
        case "SystemExit":
            return "the function ends the program"
    if name.startswith("Tracer") or name == "ConcretizationTypeError":
        return NO_VALUE
    return f"{name}: {first}" if first else name
