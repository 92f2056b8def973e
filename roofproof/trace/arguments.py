"""Arguments of a function from dotted names: dictionaries, named tuples, dataclasses and lists of arrays."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from itertools import takewhile
from typing import Any

from sympy import Expr, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.trace.problems import no_shape
from roofproof.trace.shapes import Given, Path, sizes_of

Nested = Any  # a Given, or a mapping from keys to Nested values


def nested(given: Iterable[Given]) -> dict[str, Nested]:
    """Return arguments as nested mappings, keyed by the steps of their paths.

    >>> from roofproof.trace.shapes import read
    >>> {k: list(v) for k, v in nested(read("p.w:bf16[d], p.b:bf16[d]")[0]).items()}
    {'p': ['w', 'b']}
    """
    tree: dict[str, Nested] = {}
    for one in given:
        at: dict[Any, Nested] = tree
        for step in one.path[:-1]:
            below = at.setdefault(step, {})
            if not isinstance(below, dict):
                raise RoofproofError("--shapes: <name> lies in what is an array already", name=quoted(one.name))
            at = below
        if one.path[-1] in at:
            raise RoofproofError("--shapes: <name> has arrays in it and is one", name=quoted(one.name))
        at[one.path[-1]] = one
    return tree


def filled(tree: Mapping[str, Nested], function: Callable[..., Any], values: Callable[[Given], Any]) -> dict[str, Any]:
    """Return the arguments of a function by name, with a value for each array."""
    hints = _hints(function)
    return {name: _filled(below, values, hints.get(name)) for name, below in tree.items()}


def _filled(below: Nested, values: Callable[[Given], Any], hint: Any) -> Any:
    if isinstance(below, Given):
        return values(below)
    if len({type(key) for key in below}) > 1:
        raise RoofproofError(
            "--shapes: <names> name parts of one argument both by key and by number", names=", ".join(map(str, below))
        )
    if all(isinstance(key, int) for key in below):
        if sorted(below) != list(range(len(below))):
            raise RoofproofError(
                "--shapes: elements <numbers> of a list; they count from 0 without a gap", numbers=sorted(below)
            )
        items = [_filled(below[k], values, None) for k in range(len(below))]
        return tuple(items) if typing.get_origin(hint) is tuple or hint is tuple else items
    record = isinstance(hint, type) and (hasattr(hint, "_fields") or is_dataclass(hint))
    made = {str(key): _filled(each, values, _field(hint, key) if record else None) for key, each in below.items()}
    return hint(**made) if record else made


def _field(hint: Any, key: object) -> Any:
    return typing.get_type_hints(hint).get(str(key))


def checked(
    function: Callable[..., Any], names: Iterable[str], signature: inspect.Signature | None = None
) -> inspect.Signature:
    """Check argument names against the parameters of a function, and return its signature."""
    try:
        signature = signature or inspect.signature(function)
    except (TypeError, ValueError):
        raise RoofproofError(
            "<function> is not a function with named parameters",
            function=quoted(getattr(function, "__name__", function)),
        ) from None
    parameters = signature.parameters
    open_ended = any(p.kind in (p.VAR_KEYWORD, p.VAR_POSITIONAL) for p in parameters.values())
    names = list(names)
    for name in names:
        if name not in parameters and not open_ended:
            raise unknown("parameter", name, parameters)
    for name, p in parameters.items():
        if name not in names and p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL):
            raise no_shape(function, name)
    return signature


def typed(given: Iterable[Given], conditions: Iterable[Boolean], function: Callable[..., Any]) -> tuple[Given, ...]:
    """Return arguments with each word read as a size or as text, depending on the parameter of the function.

    >>> from roofproof.trace.shapes import read
    >>> def f(x, act: str, heads: int, causal=False): ...
    >>> [str(one) for one in typed(*read("x:bf16[B], act=gelu, heads=h"), f)]
    ['x:bf16[B]', "act='gelu'", 'heads=h']
    >>> typed(*read("x:bf16[B], causal=gelu"), f)
    Traceback (most recent call last):
    roofproof.errors.RoofproofError: causal=gelu: expected True or False

    A word is a size if an array or a condition mentions it, or if the parameter is an integer. Raises RoofproofError
    for a word that may be either, and for a word if True or False is required.
    """
    given = tuple(given)
    kinds = {one: _kinds(function, one.path) for one in given if not one.format}
    declared = sizes_of(given, conditions)
    for one, kind in kinds.items():
        if int in kind and isinstance(one.value, Expr) and not (str in kind and isinstance(one.value, Symbol)):
            declared |= one.value.free_symbols
    return tuple(one if one.format else _typed(one, kinds[one], declared) for one in given)


def _typed(one: Given, kinds: set[type], declared: set[Symbol]) -> Given:
    if not isinstance(one.value, Expr) or one.value.is_number:
        return one
    undeclared = sorted(map(str, one.value.free_symbols - declared))
    if isinstance(one.value, Symbol) and str in kinds and (undeclared or int not in kinds):
        return replace(one, value=one.value.name)
    if kinds == {bool}:
        raise RoofproofError("<argument>: expected True or False", argument=one)
    if undeclared:
        raise RoofproofError(
            "<argument>: no array has a size <word> (sizes: <sizes>); write <name>='<word>' for text, or add "
            "--where '<word> >= 1' for a size",
            argument=one, word=undeclared[0], name=one.name, sizes=", ".join(sorted(map(str, declared))) or "none",
        )  # fmt: skip
    return one


def _kinds(function: Callable[..., Any], path: Path) -> set[type]:
    """Return which of int, bool and str a parameter accepts, from its annotation or its default."""
    made = function.__init__ if isinstance(function, type) else function  # type: ignore[misc]
    try:
        parameter = inspect.signature(function).parameters.get(str(path[0]))
    except (TypeError, ValueError):
        return set()
    hint: Any = _hints(made).get(str(path[0]), getattr(parameter, "annotation", None))
    for step in path[1:]:
        hint = _field(hint, step) if is_dataclass(hint) or hasattr(hint, "_fields") else None
    if hint not in (None, inspect.Parameter.empty):
        return _kinds_of(hint)
    return {type(parameter.default)} & {int, bool, str} if parameter is not None and len(path) == 1 else set()


def _kinds_of(hint: Any) -> set[type]:
    if typing.get_origin(hint) is typing.Literal:
        return {type(value) for value in typing.get_args(hint)} & {int, bool, str}
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return set().union(*map(_kinds_of, typing.get_args(hint)))
    return {hint} & {int, bool, str} if isinstance(hint, type) else set()


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except Exception:  # an annotation with an undefined name is ignored
        return {}


def call(function: Callable[..., Any], signature: inspect.Signature, values: dict[str, Any]) -> Any:
    """Call a function with named values, passed by position if possible, since wrappers often take no keywords.

    >>> def f(a, *, b): return a, b
    >>> call(f, inspect.signature(f), {"b": 2, "a": 1})
    (1, 2)
    """
    parameters = signature.parameters
    by_place = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    first = list(takewhile(values.__contains__, by_place))
    if all(p.kind is not p.VAR_KEYWORD for p in parameters.values()):
        first += [name for name in values if name not in parameters]  # for `*operands`
    left = {name: value for name, value in values.items() if name not in first}
    return function(*[values[name] for name in first], **left)
