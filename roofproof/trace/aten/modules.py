"""PyTorch modules: construction from a class with symbolic sizes, and the names of parameters."""

from __future__ import annotations

import inspect
import math
import numbers
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import sympy
import torch
from sympy import Expr
from sympy.logic.boolalg import Boolean
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd.profiler import record_function
from torch.utils._python_dispatch import _disable_current_modes

from roofproof.errors import RoofproofError
from roofproof.trace.arguments import typed
from roofproof.trace.aten.record import Recorder
from roofproof.trace.aten.sizes import user_place
from roofproof.trace.registry import added
from roofproof.trace.result import captured
from roofproof.trace.shapes import Given

LISTS = (torch.ops.aten.linspace.default, torch.ops.aten.arange.default,
         torch.ops.aten.arange.start, torch.ops.aten.arange.start_step)  # fmt: skip
LONGEST = 1_000  # elements of a list whose values are kept


def is_class(thing: Any) -> bool:
    """Return whether an object is a module class, which is instantiated before it is called.

    >>> is_class(torch.nn.Linear), is_class(torch.nn.ReLU())
    (True, False)
    """
    return isinstance(thing, type) and issubclass(thing, torch.nn.Module)


def arguments_of(
    module: Callable[..., Any], given: Iterable[Given], conditions: Iterable[Boolean]
) -> tuple[list[Given], list[Given], inspect.Signature | None]:
    """Return the arguments of a module's constructor and of its call, and the signature of a class's `forward`.

    Arrays go to `forward`. If none has the name of a parameter, they match its parameters in order.

    >>> from roofproof.trace.shapes import read
    >>> made, called, _ = arguments_of(torch.nn.Linear, *read("in_features=D, out_features=F, bias=False, x:bf16[B,D]"))
    >>> list(map(str, made)), list(map(str, called))
    (['in_features=D', 'out_features=F', 'bias=False'], ['input:bf16[B,D]'])

    Raises RoofproofError for a class whose constructor and `forward` have a parameter of the same name.
    """
    given, conditions = tuple(given), tuple(conditions)
    function = getattr(module, "forward", module)
    signature, to_make = None, []
    called = list(given)
    if is_class(module):
        taken, forward = inspect.signature(module).parameters, inspect.signature(function)
        signature = forward.replace(parameters=list(forward.parameters.values())[1:])
        open_ended = any(p.kind is p.VAR_KEYWORD for p in taken.values())
        if both := sorted(taken.keys() & signature.parameters.keys() - {"args", "kwargs"}):
            twice = f"{module.__name__} takes {both[0]!r} when it is made and when it is called"
            raise RoofproofError(f"{twice}; name an instance of it instead")
        for one in given:
            name = str(one.path[0])
            if one.format and name in taken and name not in ("args", "kwargs"):
                due = f"expected a number where a module is made, not a tensor; write {name}=8"
                raise RoofproofError(f"{one.name}: {due}")
            if not one.format and (name in taken or (open_ended and name not in signature.parameters)):
                to_make.append(one)
        called = [one for one in given if one not in to_make]
    if signature is not None or isinstance(module, torch.nn.Module):
        called = _by_place(called, signature or inspect.signature(function))
    every = typed((*to_make, *called), conditions, module) if to_make else ()
    sizes = (*conditions, *(sympy.Ge(s, 1, evaluate=False) for one in every for n in one.sizes for s in n.free_symbols))
    return list(every[: len(to_make)]), list(typed(called, sizes, function)), signature


def _by_place(given: list[Given], signature: inspect.Signature) -> list[Given]:
    """Rename arrays after the parameters at their positions, unless one of them has the name of a parameter."""
    names = dict.fromkeys(str(one.path[0]) for one in given if one.format)
    parameters = [n for n, p in signature.parameters.items() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    free = [n for n in parameters if n not in {str(one.path[0]) for one in given}]
    if names.keys() & signature.parameters.keys() or len(names) > len(free):
        return given
    place = dict(zip(names, free, strict=False))
    return [replace(one, path=(place[str(one.path[0])], *one.path[1:])) if one.format else one for one in given]


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


class Shapes(FakeTensorMode):  # type: ignore[misc]
    """A mode for tensors without values, except for short lists of numbers that the code itself creates.

    >>> with Shapes():
    ...     [rate.item() for rate in torch.linspace(0, 1, 3)]
    [0.0, 0.5, 1.0]
    """

    size: Callable[[Expr], Any] | None = None  # returns the PyTorch size of an expression

    def __deepcopy__(self, memo: dict[int, Any]) -> Shapes:
        """Return itself, so that copied layers, such as those of `nn.TransformerEncoder`, share the mode."""
        return self

    def dispatch(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if func is torch.ops.aten.nonzero.default and self.size is not None:
            rule = added("nonzero", user_place(sys._getframe()))
            if rule is not None and rule.found is not None:
                return args[0].new_empty((self.size(rule.found), args[0].dim()), dtype=torch.int64)
        made = super().dispatch(func, types, args, kwargs)
        if func in LISTS and made.device.type == "cpu" and all(type(n) in (int, float) for n in args):
            with _disable_current_modes():
                values = func(*args, **kwargs)
            if values.numel() <= LONGEST:
                return self.fake_tensor_converter.from_real_tensor(self, values, make_constant=True)
        return made


class _OfSize(type):
    def __instancecheck__(cls, thing: object) -> bool:
        return isinstance(thing, float)

    def __call__(cls, x: Any = 0) -> Any:
        return torch.sym_float(x) if isinstance(x, torch.SymInt) else float(x)  # float: it is what is called


class _Float(float, metaclass=_OfSize):
    """A replacement for `float` that also accepts sizes."""


@contextmanager
def symbolic() -> Iterator[None]:
    """Allow symbolic sizes in constructors: skip initialization, and keep roots and floats of a size symbolic.

    >>> with symbolic():
    ...     math.sqrt(16)
    4.0
    """
    numbers.Integral.register(torch.SymInt)  # `nn.LayerNorm` checks this
    root = math.sqrt

    def sqrt(x: Any) -> Any:
        return torch.sym_sqrt(x) if isinstance(x, torch.SymInt | torch.SymFloat) else root(x)

    def untouched(tensor: Any, *_: Any, **__: Any) -> Any:
        return tensor

    with ExitStack() as stack:
        stack.enter_context(mock.patch.object(math, "sqrt", sqrt))
        functional = torch.nn.functional  # its attention divides by the root of `float(size)`
        stack.enter_context(mock.patch.object(functional, "float", _Float, create=True))
        for name, function in vars(torch.nn.init).items():
            if name.endswith("_") and not name.startswith("_"):  # also reaches modules that imported them by name
                stack.callback(setattr, function, "__code__", function.__code__)
                function.__code__ = untouched.__code__
        yield


@contextmanager
def scopes(record: Recorder) -> Iterator[None]:
    """Treat the scope of `record_function("kernel:NAME")` as one kernel."""
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
    """Refuse `autocast` for a device other than that of the tensors, on which it would have no effect."""
    autocast = torch.amp.autocast_mode.autocast
    made, entered = autocast.__init__, autocast.__enter__

    def checked(device_type: str) -> None:
        if device_type != device:
            raise RoofproofError(
                "autocast for <device> ignores tensors without values on <other>; convert the module, such as "
                ".to(torch.bfloat16), or use autocast('cpu')",
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
    """Remove the gradients of parameters, and return them by identity."""
    kept = {k: t.grad for k, (_, t) in named.items() if t.is_leaf}
    for _, t in named.values():
        if t.is_leaf:
            t.grad = None
    return kept
