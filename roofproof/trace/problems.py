"""Errors while a function is traced, reported in one line with the place in the user's code and the cure."""

from __future__ import annotations

import re
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from roofproof.errors import RoofproofError
from roofproof.sentences import Sentence
from roofproof.trace.program import Place

PLACED = re.compile(r"[^\s:]+:[0-9]+: |\?: |--")  # messages that begin with a place
NO_VALUE = "a value of an array is needed while tracing, and there is none; use jnp.where, lax.cond or lax.fori_loop"
NO_ITEM = "a value of a tensor is needed while tracing, and there is none; use torch.where"
BOOLEAN = (
    "how many elements an index of truth values takes depends on them; use <library>.where with a value for the others"
)
SIZES = "this holds for some sizes and not for others; add a condition by --where, such as 'd >= 128' or 'k even'"
SOME = "; if it holds for some sizes, say for which by --where, such as 'N even' or 'C = B'"
VALUE = (
    "a size that is a symbol is used as a value here; give it a number in the shapes, or, where layers are made in a "
    "loop, its name to --unrolled"
)
FLEX = (
    "torch.flex_attention has no rule, as its mask is code; call scaled_dot_product_attention, with is_causal=True or "
    "attn_mask=MASK for the mask"
)
FRAMEWORK = ("jax", "jaxlib", "numpy", "opt_einsum", "torch", "torchgen", "functorch", "sympy")  # not the user's code


def definition(function: Any) -> Place:
    """Return the place where a function is defined.

    >>> def f(): pass
    >>> definition(f).function
    'f'
    """
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    return Place(Path(code.co_filename).name, code.co_firstlineno, code.co_name) if code else Place()


def no_shape(function: Any, name: str) -> RoofproofError:
    """Return the error for a parameter without a shape: the place of the function, and the text to add.

    >>> str(no_shape(len, "obj"))
    "no shape of the parameter 'obj'; add obj:bf16[...] to the shapes, or obj=NUMBER"
    """
    if isinstance(function, type):
        function = getattr(function, "__init__", function)
    place = definition(getattr(function, "forward", function))
    missing = Sentence(
        "no shape of the parameter '<name>'; add <name>:bf16[...] to the shapes, or <name>=NUMBER", name=name
    )
    return RoofproofError("<place>: <what>", place=place, what=missing) if place.file else RoofproofError(missing)


@contextmanager
def user_errors(function: Any, words: Callable[[], Mapping[str, str]] = dict) -> Iterator[None]:
    """Raise any error as a RoofproofError with the place in the user's code, and silence warnings.

    `words` returns a mapping from the framework's names of symbols to the user's names.

    >>> with user_errors(len):
    ...     raise SystemExit
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: ?: the function ends the program
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except RoofproofError as problem:
        place = _innermost(problem.__traceback__) or definition(function)
        if place.file and not PLACED.match(str(problem)):
            raise RoofproofError("<place>: <what>", place=place, what=problem) from None
        raise
    except (Exception, SystemExit) as problem:  # the user's code may raise anything
        place = _innermost(problem.__traceback__) or definition(function)
        said = _says(problem)
        named = re.sub(r"\bs[0-9]+\b", lambda found: words().get(found[0], found[0]), said)
        what = said if named == said else f"{named}{SOME}"
        raise RoofproofError("<place>: <what>", place=place, what=what) from None


def _innermost(tb: TracebackType | None) -> Place | None:
    """Return the innermost frame of the user's code."""
    frames = [f for f in traceback.extract_tb(tb) if users(f.filename)]
    return Place(Path(frames[-1].filename).name, frames[-1].lineno or 0, frames[-1].name) if frames else None


@cache
def users(file: str) -> bool:
    """Return whether a file is the user's, and not part of this package, of a framework or of Python.

    >>> users("block.py"), users(traceback.__file__), users(__file__), users("<string>")
    (True, False, False, False)
    """
    if file.startswith("<"):
        return False
    path = Path(file)
    framework = (str(getattr(sys.modules.get(name), "__file__", None) or "") for name in FRAMEWORK)
    theirs = [Path(f).parent for f in framework if f] + [Path(__file__).resolve().parents[1]]
    library = Path(traceback.__file__).resolve().parent
    return not any(folder in path.parents for folder in theirs) and not (
        library in path.parents and "site-packages" not in path.parts
    )


def _says(problem: BaseException) -> str:
    """Return the error message, with the cure if one is known."""
    name = type(problem).__name__
    first = next((line.strip() for line in str(problem).splitlines() if line.strip()), "")
    match name:
        case "InconclusiveDimensionOperation" if "requires a constant" in first:
            return Sentence(VALUE)
        case "InconclusiveDimensionOperation":
            return Sentence("<place>: <what>", place=first.rstrip("."), what=Sentence(SIZES))
        case "RuntimeError" if "contain only concrete integers" in first:
            return Sentence(VALUE)
        case "TypeError" if "_DimExpr" in first:
            return Sentence(VALUE)
        case "NonConcreteBooleanIndexError":
            return Sentence(BOOLEAN, library="jnp")
        case "DynamicOutputShapeException":
            return Sentence(BOOLEAN, library="torch")
        case "DataDependentOutputException" | "GuardOnDataDependentSymNode":
            return Sentence(NO_ITEM)
        case "UnsupportedOperatorException":
            return Sentence(
                "PyTorch cannot trace '<name>' without values; write it with other operators",
                name=first.removesuffix(".default"),
            )
        case "NotImplementedError" if "HigherOrderOperator flex_attention" in first:
            return Sentence(FLEX)
        case "NotImplementedError" if found := re.search(r"HigherOrderOperator (\w+)", first):
            return Sentence(
                "torch.<name> has no rule, as its result depends on values; call the function it stands for",
                name=found[1],
            )
        case "SystemExit":
            return Sentence("the function ends the program")
    if name.startswith("Tracer") or name == "ConcretizationTypeError":
        return Sentence(NO_VALUE)
    return f"{name}: {first}" if first else name
