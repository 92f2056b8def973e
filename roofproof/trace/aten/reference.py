"""Reference problems of kernel benchmarks: files with a class `Model`, `get_inputs` and `get_init_inputs`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

from sympy import Integer

from roofproof.errors import RoofproofError, quoted
from roofproof.trace.aten.entry import trace_module
from roofproof.trace.operation import Traced
from roofproof.trace.problems import user_errors
from roofproof.trace.shapes import Given, Path

Drawn: TypeAlias = dict[int, tuple[Any, range]]
NEEDED = ("Model", "get_inputs", "get_init_inputs")


def trace_reference(file: Any, traffic: str = "fused") -> Traced:
    """Trace the work and traffic of a problem's model, at the sizes in its file.

    >>> from types import SimpleNamespace
    >>> import torch
    >>> inputs = lambda: [torch.rand(8, 4)]
    >>> file = SimpleNamespace(__name__="p", Model=torch.nn.Linear, get_inputs=inputs, get_init_inputs=lambda: [4, 2])
    >>> dict(trace_reference(file).compute)                                 # 2*8*4*2, and a bias
    {'fp32': 128, 'fp32-vector': 16}

    Inputs and parameters have no values, so they take no memory. Raises a one-line RoofproofError if the file lacks a
    required name or its code fails.
    """
    import torch
    from torch._subclasses.fake_tensor import FakeTensorMode

    name = file.__name__
    if lacking := [needed for needed in NEEDED if not callable(getattr(file, needed, None))]:
        due = "expected a class Model, get_inputs() and get_init_inputs(); or name a function, FILE.py:FUNCTION"
        raise RoofproofError(f"{name}.py: no {lacking[0]}; {due}")
    if not (isinstance(file.Model, type) and issubclass(file.Model, torch.nn.Module)):
        raise RoofproofError(f"{name}.py: Model is not a class of torch.nn.Module")

    class Made(file.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            given = file.get_init_inputs()
            super().__init__(**given) if isinstance(given, dict) else super().__init__(*given)

    Made.__name__ = Made.__qualname__ = name
    with user_errors(file.get_inputs), FakeTensorMode(allow_non_fake_inputs=True), _drawn() as drawn:
        inputs = file.get_inputs()
    if not isinstance(inputs, list | tuple):
        raise RoofproofError(f"{name}.py: get_inputs() returns {type(inputs).__name__}; expected a list of inputs")
    parameters = list(_parameters(file.Model))
    if len(inputs) > len(parameters):
        raise RoofproofError(f"{name}.py: get_inputs() returns {len(inputs)} inputs; forward takes {len(parameters)}")
    given = [one for at, value in zip(parameters, inputs, strict=False) for one in _given((at,), value, name, drawn)]
    return trace_module(Made, (tuple(given), ()), traffic=traffic)


@contextmanager
def _drawn() -> Iterator[Drawn]:
    """Record the range of each random integer tensor, by its storage."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    found: Drawn = {}

    class Noted(TorchDispatchMode):  # type: ignore[misc]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            made = func(*args, **(kwargs or {}))
            if func is torch.ops.aten.randint.default:
                found[made.untyped_storage()._cdata] = made, range(args[0])
            elif func is torch.ops.aten.randint.low:
                found[made.untyped_storage()._cdata] = made, range(*args[:2])
            return made

    with Noted():
        yield found


def _parameters(model: Any) -> list[str]:
    import inspect

    _, *taken = inspect.signature(model.forward).parameters.values()
    return [p.name for p in taken if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]


def _given(path: Path, value: Any, name: str, drawn: Drawn) -> list[Given]:
    import torch

    if isinstance(value, torch.Tensor):
        _, values = drawn.get(value.untyped_storage()._cdata, (value, None))
        format = str(value.dtype).removeprefix("torch.")
        return [Given(path, format, tuple(map(Integer, value.shape)), values=values)]
    if isinstance(value, list | tuple):
        return [one for k, each in enumerate(value) for one in _given((*path, k), each, name, drawn)]
    if isinstance(value, bool | float | str | None):
        return [Given(path, "", value=value)]
    if isinstance(value, int):
        return [Given(path, "", value=Integer(value))]
    raise RoofproofError(f"{name}.py: get_inputs() returns {quoted(type(value).__name__)} for {path[0]}")
