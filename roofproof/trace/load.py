"""Loading of a function from a file, such as `block.py:attend`. The file is run once, as Python runs it."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.ops.notation.code import CODE, MODULE

MOST = 2 * 1024**2


def function_of(text: str) -> Callable[..., Any]:
    """Return the function named by FILE.py:NAME. Output of the file goes to standard error.

    >>> function_of("nowhere.py:attend")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: no file 'nowhere.py'; expected FILE.py:FUNCTION

    Raises a one-line RoofproofError for a file that is missing or fails, and for a name that it does not define.
    """
    if (configured := MODULE.fullmatch(text.strip())) is not None:
        from roofproof.trace.hugging_face import module_of_config

        return module_of_config(configured[1])  # type: ignore[no-any-return]
    found = CODE.fullmatch(text.strip())
    if found is None:
        raise RoofproofError("expected FILE.py:FUNCTION, got <text>", text=quoted(text))
    path, name = Path(found[1]), found[2]
    module = module_of(path)
    offered = [n for n, thing in vars(module).items() if callable(thing) and not n.startswith("_")]
    function = getattr(module, name, None)
    if function is None:
        raise unknown("function", name, offered, of=path.name)
    if not callable(function):
        raise RoofproofError("<name>: <other> is not a function", name=path.name, other=repr(name))
    return function  # type: ignore[no-any-return]


def module_of(file: str | Path) -> Any:
    """Run a file as a module, as `function_of` does.

    >>> module_of("nowhere.py")
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: no file 'nowhere.py'; expected FILE.py:FUNCTION
    """
    path = Path(file)
    if not path.is_file():
        raise RoofproofError("no file <path>; expected FILE.py:FUNCTION", path=quoted(path))
    if path.stat().st_size > MOST:
        raise RoofproofError(
            "<name>: larger than <most> MiB; put the function into a file of its own",
            name=path.name,
            most=MOST // 1024**2,
        )
    return _module(path)


def framework_of(function: Callable[..., Any]) -> str:
    """Return `torch` for a module, and for a function that uses PyTorch, or else `jax`.

    >>> framework_of(lambda x: x + 1)
    'jax'
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return "jax"
    if isinstance(function, torch.nn.Module) or (isinstance(function, type) and issubclass(function, torch.nn.Module)):
        return "torch"
    function = inspect.unwrap(function)
    seen = getattr(function, "__globals__", {})
    named = getattr(getattr(function, "__code__", None), "co_names", ())
    for names in ([n for n in named if n in seen], list(seen)):  # the names it uses, then all names of its file
        roots = {_root(seen[n]) for n in names} & {"torch", "jax"}
        if len(roots) == 1:
            return roots.pop()
    return "jax"


def _root(thing: Any) -> str:
    home = getattr(thing, "__name__", "") if isinstance(thing, ModuleType) else type(thing).__module__
    return str(getattr(thing, "__module__", None) or home).partition(".")[0]


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    sys.path.insert(0, folder)  # files next to it can be imported, as when Python runs it
    sys.modules.setdefault(path.stem, module)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except RoofproofError:
        raise
    except (Exception, SystemExit) as problem:  # the file may raise anything
        lines = [f.lineno for f in traceback.extract_tb(problem.__traceback__) if Path(f.filename) == path]
        line = lines[-1] if lines else getattr(problem, "lineno", None) or 1
        told = next((one.strip() for one in str(problem).splitlines() if one.strip()), "")
        raise RoofproofError(
            "<name>:<line>: <other><what><told>",
            name=path.name,
            line=line,
            other=type(problem).__name__,
            what=": " if told else "",
            told=told,
        ) from None
    finally:
        sys.path.remove(folder)
    return module
