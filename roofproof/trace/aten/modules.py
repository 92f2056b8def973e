"""Modules: made with sizes that are symbols, where a class is given; what their parameters are called."""

from __future__ import annotations

import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
from torch.autograd.profiler import record_function

from roofproof.errors import RoofproofError
from roofproof.trace.aten.record import Record
from roofproof.trace.result import captured


def is_class(thing: Any) -> bool:
    """Tell whether a thing is a class of modules, which is made before it is called.

    >>> is_class(torch.nn.Linear), is_class(torch.nn.ReLU())
    (True, False)
    """
    return isinstance(thing, type) and issubclass(thing, torch.nn.Module)


def parameters_of(made: Callable[..., Any], given: Iterable[str] = ()) -> tuple[set[str], inspect.Signature | None]:
    """Return what making a class of modules takes, and the signature of what is called.

    >>> sorted(parameters_of(torch.nn.Linear)[0])[:3]
    ['bias', 'device', 'dtype']

    Raises RoofproofError for a class that takes a name twice, to be made and to be called.
    """
    if not is_class(made):
        return set(), None
    taken = inspect.signature(made).parameters
    first = set(taken)
    forward = inspect.signature(made.forward)  # type: ignore[attr-defined]
    signature = forward.replace(parameters=list(forward.parameters.values())[1:])
    if both := sorted(first & set(signature.parameters) - {"args", "kwargs"}):
        raise RoofproofError(
            f"{made.__name__} takes {both[0]!r} when it is made and when it is called; name an instance of it instead"
        )
    if any(p.kind is p.VAR_KEYWORD for p in taken.values()):
        first |= set(given) - set(signature.parameters)
    return first, signature


def names_of(function: Any) -> dict[int, tuple[str, Any]]:
    """Return the parameters and buffers of a module, or those that a function captures, by identity.

    >>> sorted(name for name, _ in names_of(torch.nn.Linear(2, 3, device="meta")).values())
    ['bias', 'weight']
    """
    if isinstance(function, torch.nn.Module):
        return _of_module(function, "")
    found: dict[int, tuple[str, Any]] = {}
    for name, thing in captured(function).items():
        if isinstance(thing, torch.nn.Module):
            found |= _of_module(thing, f"{name}.")
        elif isinstance(thing, torch.Tensor):
            found[id(thing)] = (name, thing)
    return found


def _of_module(module: Any, before: str) -> dict[int, tuple[str, Any]]:
    return {id(t): (before + n, t) for n, t in (*module.named_buffers(), *module.named_parameters())}


class _OfSize(type):
    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, float)

    def __call__(cls, x: Any = 0) -> Any:
        return torch.sym_float(x) if isinstance(x, torch.SymInt) else float(x)  # float: it is what is called


class _Float(float, metaclass=_OfSize):
    """What stands for `float` where a size may be made one."""


@contextmanager
def symbolic() -> Iterator[None]:
    """Let modules be made with symbols for sizes: nothing is initialized, and roots and floats of a size are symbols.

    >>> with symbolic():
    ...     math.sqrt(16)
    4.0
    """
    numbers.Integral.register(torch.SymInt)  # as `nn.LayerNorm` asks
    root = math.sqrt

    def sqrt(x: Any) -> Any:
        return torch.sym_sqrt(x) if isinstance(x, torch.SymInt | torch.SymFloat) else root(x)

    def untouched(tensor: Any, *_: Any, **__: Any) -> Any:
        return tensor

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(math, "sqrt", sqrt))
        functional = torch.nn.functional  # where attention divides by the root of `float(size)`
        stack.enter_context(mock.patch.object(functional, "float", _Float, create=True))
        for name, function in vars(torch.nn.init).items():
            if name.endswith("_") and not name.startswith("_"):  # whoever has imported them by name, too
                stack.callback(setattr, function, "__code__", function.__code__)
                function.__code__ = untouched.__code__
        yield


@contextmanager
def scopes(record: Record) -> Iterator[None]:
    """Let `record_function("kernel:NAME")` be a kernel."""
    outer: list[str] = []
    count = 0

    def enter(self: Any) -> Any:
        nonlocal count
        outer.append(record.scope)
        if not record.scope and str(self.name).startswith("kernel:"):
            count += 1
            record.scope = f"kernel in {count}: {self.name}"
        return self

    def leave(self: Any, *problem: object) -> None:
        record.scope = outer.pop()

    with mock.patch.object(record_function, "__enter__", enter), mock.patch.object(record_function, "__exit__", leave):
        yield


@contextmanager
def formats_as_there(device: str) -> Iterator[None]:
    """Refuse `autocast` for another device than that of the tensors, to which it would do nothing."""
    autocast = torch.amp.autocast_mode.autocast
    made, entered = autocast.__init__, autocast.__enter__

    def checked(device_type: str) -> None:
        if device_type != device:
            raise RoofproofError(
                "autocast for <device> does nothing to tensors without values on <other>; let the module have the "
                "format that it computes in, as by .to(torch.bfloat16), or trace on the CPU with autocast('cpu')",
                device=device_type, other=device,
            )  # fmt: skip

    def make(self: Any, device_type: str, *args: Any, **kwargs: Any) -> None:
        if inspect.signature(made).bind(self, device_type, *args, **kwargs).arguments.get("enabled", True):
            checked(device_type)
        made(self, device_type, *args, **kwargs)

    def enter(self: Any) -> Any:
        if self._enabled:
            checked(self.device)
        return entered(self)

    with mock.patch.object(autocast, "__init__", make), mock.patch.object(autocast, "__enter__", enter):
        yield


def gradients(named: Mapping[int, tuple[str, Any]]) -> dict[int, Any]:
    """Take the gradients away that parameters have, and return them by identity."""
    kept = {k: t.grad for k, (_, t) in named.items() if t.is_leaf}
    for _, t in named.values():
        if t.is_leaf:
            t.grad = None
    return kept
