"""A recorder of the operators that a module calls: they are steps, storages are buffers, and views cost nothing.

It sees the operators below autograd, so backward passes and in-place updates are steps like any other. A step of a
backward pass has the source location of the forward step that it belongs to.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from sympy import Expr, Integer, Mul
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._pytree import tree_leaves

from roofproof.errors import RoofproofError
from roofproof.trace.aten.sizes import TorchSizes, user_place
from roofproof.trace.dead import alive
from roofproof.trace.dtypes import format_of
from roofproof.trace.floor import floor
from roofproof.trace.names import OF_TORCH
from roofproof.trace.ordering import at_most
from roofproof.trace.program import Array, Buffer, Iterations, Place, Program, add_demand
from roofproof.trace.regions import Region, UnlocatedElements, row_major
from roofproof.trace.registry import Step, added
from roofproof.trace.rules import FRESH, RANDOM, rule_for
from roofproof.trace.traffic import traffic
from roofproof.trace.work import SeveralFormats, Work, by_rule, unruled

ASKED = ("aten::size", "aten::stride", "aten::dim", "aten::numel", "aten::storage_offset")  # queries from C++
TURNED = ("transpose", "t", "squeeze", "unsqueeze", "as_strided", "detach")  # views, even in place
ROWS = ("_softmax", "_log_softmax", "_safe_softmax")
ALIASES = ("_unsafe_view", "lift_fresh_copy")  # views whose schema does not say so
BLIND = frozenset((*RANDOM, "copy", "fill", "zero"))  # in-place operators that do not read the tensor
DEEPEST = 20  # nested decompositions


@dataclass(frozen=True)
class _Stored:
    """The current contents of a storage: a buffer, or values that depend only on sizes."""

    buffer: Buffer | None
    fixed: bool = False
    known: Expr | None = None


class Recorder(TorchDispatchMode):  # type: ignore[misc]
    """A mode that records the operators called while it is active as steps."""

    def __init__(self, sizes: TorchSizes, mode: FakeTensorMode, names: Mapping[int, str], place: Place) -> None:
        super().__init__()
        self.sizes, self.mode, self.names, self.definition = sizes, mode, names, place
        self.program = Program()
        self.scope = ""
        self.notes: list[str] = []
        self.held: dict[int, _Stored] = {}
        self.given: dict[int, Buffer] = {}  # buffers from outside, by storage
        self.kept: list[Any] = []  # keeps storages alive, so that no address is reused
        self.fakes: dict[int, Any] = {}  # fake tensors, by identity of the tensor with values
        self.places: dict[int, tuple[Place, str]] = {}  # of autograd nodes, by sequence number
        self.depth = 0  # of nested decompositions
        self.unseen = 0  # if positive, operators are not recorded

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = func._schema.name
        if self.unseen or name.startswith("prim::") or name in ASKED:
            return func(*args, **kwargs)
        made_of = torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")
        if made_of and added(called(name), "") is None and rule_for(called(name), OF_TORCH) is None:
            with self:
                return func.decompose(*args, **kwargs)
        before = [self.array(t) for t in tensors((args, kwargs))]
        out = func(*args, **kwargs)
        self.step(func, args, kwargs, before, out)
        return out

    # --- tensors and their arrays --------------------------------------------------------------------

    def key(self, tensor: Any) -> int:
        """Return the storage of a tensor, or of its fake counterpart if the tensor has values."""
        if not isinstance(tensor, FakeTensor):
            if id(tensor) not in self.fakes:
                with _disable_current_modes():
                    fake = self.mode.fake_tensor_converter.from_real_tensor(self.mode, tensor)
                self.fakes[id(tensor)] = fake
                self.kept.append(tensor)
            tensor = self.fakes[id(tensor)]
        return int(tensor.untyped_storage()._cdata)

    def hold(self, tensor: Any, stored: _Stored) -> None:
        """Set the contents of a tensor's storage."""
        if self.key(tensor) not in self.held:
            self.kept.append(tensor.untyped_storage())
        self.held[self.key(tensor)] = stored

    def enter(self, tensor: Any, name: str) -> Buffer:
        """Create a buffer for an argument, a parameter or a captured tensor."""
        buffer = Buffer(self.shape(tensor), format_of(tensor.dtype), name, given=True)
        self.hold(tensor, _Stored(buffer))
        self.given[self.key(tensor)] = buffer
        return buffer

    def shape(self, tensor: Any) -> tuple[Expr, ...]:
        return tuple(map(self.sizes.of_torch, tensor.shape))

    def _strides(self, tensor: Any) -> tuple[Expr, ...]:
        return tuple(map(self.sizes.of_torch, tensor.stride()))

    def array(self, tensor: Any) -> Array:
        """Return the array that represents a tensor in a step."""
        shape, format = self.shape(tensor), format_of(tensor.dtype)
        if self.key(tensor) not in self.held:
            if not shape:
                return Array((), format, fixed=True)
            self.enter(tensor, self.names.get(id(tensor)) or f"captured{len(self.given)}")
        stored = self.held[self.key(tensor)]
        if stored.buffer is None:
            return Array(shape, format, known=stored.known, fixed=stored.fixed)
        buffer = stored.buffer
        strides = self._strides(tensor)
        offset = self.sizes.of_torch(tensor.storage_offset())
        region: Region | UnlocatedElements | None = self.region(offset, shape, strides, format, buffer)
        if region is not None and (region.elements - buffer.elements).expand() == 0:
            region = None
        same = region is None and Mul(*shape) == buffer.elements
        return Array(shape, format, buffer, region, offset, strides, same, fixed=stored.fixed)

    def region(
        self, offset: Expr, shape: Sequence[Expr], strides: Sequence[Expr], format: str, buffer: Buffer
    ) -> Region | UnlocatedElements:
        """Return the region of a buffer that a tensor views. The element widths of the two may differ."""
        many = Buffer((), format).width / buffer.width
        if many.is_Integer:
            wide = [] if many == 1 else [many]
            return Region.of(
                offset * many, [*shape, *wide], [*(s * many for s in strides), *(n**0 for n in wide)], self.sizes
            )
        seen = Mul(*(n for n, s in zip(shape, strides, strict=True) if s != 0)) * many
        return UnlocatedElements(at_most(seen, buffer.elements), (str(offset), str(shape), str(strides)))

    # --- steps -----------------------------------------------------------------------------------------

    def place(self) -> tuple[Place, str]:
        """Return the line of the user's code and the kernel scope of the current step."""
        frame, again = sys._getframe(), False
        here = user_place(frame) or self.definition
        node = torch._C._current_autograd_node()
        at: Any = frame
        while node is not None and at is not None and not again:
            again, at = Path(at.f_code.co_filename).name == "checkpoint.py", at.f_back
        if node is None or again:
            number = torch.autograd._get_sequence_nr() - 1
            self.places.setdefault(number, (here, self.scope))
            return here, self.scope
        first, scope = self.places.get(node._sequence_nr(), (here, self.scope))
        return first, f"{scope} backward" if scope and not self.scope else self.scope

    def step(self, func: Any, args: Any, kwargs: Any, before: list[Array], out: Any) -> None:
        """Record an operator as a step, unless it is a view."""
        name, taken = called(func._schema.name), tensors((args, kwargs))
        named = {a.name: v for a, v in zip(func._schema.arguments, args, strict=False)} | dict(kwargs)
        written = [a.name for a in func._schema.arguments if a.alias_info is not None and a.alias_info.is_write]
        if name == "native_batch_norm" and named.get("training"):  # its schema does not say so
            written = ["running_mean", "running_var"]
        changed = tensors([named.get(argument) for argument in written])
        keys = {self.key(t) for t in taken}
        made = [t for t in tensors(out) if self.key(t) not in keys]
        if name in ALIASES:
            for t in made:
                self.hold(t, self.held.get(self.key(taken[0]), _Stored(None, True)))
            return
        if not made and (not changed or name in TURNED):
            return
        node = torch._C._current_autograd_node()
        if type(node).__name__ == "AccumulateGrad" and name in ("copy", "clone"):  # only stores the gradient
            self.hold(out, self.held[self.key(taken[-1])])
            return
        place, scope = self.place()
        rule = added(name, place)
        if rule is None and self._fixed(name, before, made, changed):
            return
        outputs = [Buffer(self.shape(t), format_of(t.dtype)) for t in (*made, *changed)]
        queue = iter(before)
        params = {k: self._exact(v, queue) for k, v in named.items()}
        step = Step(name, params, tuple(before), tuple(outputs))
        if rule is not None:
            counted = by_rule(rule, step)
        elif (found := rule_for(name, OF_TORCH)) is not None:
            try:
                counted = found(step)
            except SeveralFormats as problem:
                raise RoofproofError(f"{place}: {problem}") from None
            except RoofproofError as problem:
                raise unruled(name, place, str(problem)) from None
        else:
            counted = self.decomposed(func, args, kwargs, before, step, place, changed)
        if name not in RANDOM:
            counted = replace(counted, form=str({k: _without_arrays(v) for k, v in params.items()}))
        drawn = name in RANDOM and (name.endswith("_like") or "p" in named)  # only the shape matters
        inputs = [] if drawn else list(before)
        if len(changed) == 1 and not made:
            k = next(k for k, t in enumerate(taken) if t is changed[0])
            counted = replace(counted, axis=None, along=None)
            counted, inputs, outputs[0] = self._in_place(changed[0], k, name, counted, before)
        else:
            by_rows = bool(made) and self._strides(made[0]) == row_major(outputs[0].shape)
            counted = self._update_work(counted, before)
            counted = counted if by_rows else replace(counted, axis=None, along=None)
            for k, t in enumerate(changed, len(made)):
                if (old := self.held.get(self.key(t), _Stored(None)).buffer) is not None:
                    outputs[k] = Buffer(old.shape, old.format)
        self.add(name, inputs, tuple(outputs), counted, place, scope)
        fixed = name not in RANDOM and not any(a.buffer is not None and not a.fixed for a in before)
        for t, buffer in zip((*made, *changed), outputs, strict=True):
            self.hold(t, _Stored(buffer, fixed))

    def _update_work(self, counted: Work, inputs: list[Array]) -> Work:
        """Return the work of an update of a copy of the first operand. Overwritten elements need not be read."""
        if counted.update is None:
            return counted
        left = self.sizes.greatest(Integer(0), inputs[0].elements - counted.update)
        least = counted.least if counted.reads_updated else {0: left, **counted.least}
        mask_residue = counted.mask_residue or frozenset(
            {"low"} if inputs[0].buffer is None else ()
        )  # a few values among zeros
        return replace(counted, update=None, least=least, mask_residue=mask_residue)

    def _in_place(
        self, tensor: Any, k: int, name: str, counted: Work, inputs: list[Array]
    ) -> tuple[Work, list[Array], Buffer]:
        """Return the work, inputs and output of an in-place update of the k-th operand, in whole or in part."""
        old = self.held.get(self.key(tensor), _Stored(None)).buffer
        format = format_of(tensor.dtype) if old is None else old.format
        whole = old.shape if old is not None else (self._all_of(tensor),)
        others = [a for i, a in enumerate(inputs) if i != k]
        part = counted.update if counted.update is not None else inputs[k].part
        if part is None and k in counted.least:  # a mask selects the elements
            part, counted = inputs[k].elements, replace(counted, least={0: counted.least[k]})
        if part is None and old is None and (inputs[k].elements - Mul(*whole)).expand() != 0:
            part = inputs[k].elements
        if part is None:
            return counted, others if (name in BLIND) else inputs, Buffer(whole, format)
        reads_updated = counted.reads_updated or (counted.update is None and name not in BLIND)
        start = Array(whole, format, old)
        seen = inputs[k].region
        region = seen if counted.update is None and isinstance(seen, Region) else None
        counted = replace(counted, update=part, reads_updated=reads_updated, region=region)
        if k:  # the changed operand comes first
            counted = replace(counted, gathered={}, address=frozenset())
        return counted, [start, *others], Buffer(whole, format, updated=old)

    def _all_of(self, tensor: Any) -> Expr:
        """Return the number of elements of a storage."""
        size = self.sizes.of_torch(tensor.untyped_storage().nbytes())
        return (size / Buffer((), format_of(tensor.dtype)).width).expand()

    def _fixed(self, name: str, inputs: list[Array], made: list[Any], changed: list[Any]) -> bool:
        """Return whether results depend only on sizes (a mask, a counter), and mark them. These need no step."""
        if name in RANDOM:
            return False
        if made and name in FRESH:
            inputs = []
        if not all(a.fixed and a.buffer is None for a in inputs):
            return False
        results = [*made, *changed]
        plain = all(format_of(t.dtype).startswith("int") or Mul(*self.shape(t)) == 1 for t in results)
        if not plain and name not in FRESH and name not in ("copy", "clone", "_to_copy"):
            return False
        for t in results:
            self.hold(t, _Stored(None, True))
        return True

    def add(
        self, name: str, inputs: Sequence[Array], outputs: tuple[Buffer, ...], counted: Work, place: Place, scope: str
    ) -> None:
        """Add a step with its counted work."""
        self.program.equations.append(counted.equation(name, inputs, outputs, place, scope, self.sizes))

    def own(
        self, name: str, taken: Sequence[Any], made: Sequence[Any], compute: Mapping[str, Expr],
        iterations: Iterations | None = None, least: Mapping[int, Expr] | None = None,
        least_compute: Mapping[str, Expr] | None = None,
    ) -> None:  # fmt: skip
        """Add a step that is not a PyTorch operator."""
        place, scope = self.place()
        outputs = tuple(Buffer(self.shape(t), format_of(t.dtype)) for t in made)
        inputs = [self.array(t) for t in taken]
        rule = added(name, place)
        counted = (
            Work(compute, "alone", least=least or {}, least_compute=least_compute, form=name)
            if rule is None
            else by_rule(rule, Step(name, {}, tuple(inputs), outputs))
        )
        self.add(name, inputs, outputs, counted, place, scope)
        self.program.equations[-1].iterations = iterations if rule is None else None
        for t, buffer in zip(made, outputs, strict=True):
            self.hold(t, _Stored(buffer))

    def decomposed(
        self, func: Any, args: Any, kwargs: Any, before: list[Array], step: Step, place: Place, changed: list[Any]
    ) -> Work:
        """Count the computation and the reads of an operator without a rule from PyTorch's own decomposition."""
        from torch._decomp import decomposition_table

        found = decomposition_table.get(func)
        if found is None or self.depth > DEEPEST:
            raise unruled(step.primitive, place)
        program, held = self.program, dict(self.held)
        self.program, self.depth = Program(), self.depth + 1
        try:
            with self:
                result = found(*args, **kwargs)
            inner = self.program
            inner.outputs = [self.array(t) for t in (*tensors(result), *changed)]
        finally:
            self.program, self.depth = program, self.depth - 1
            self.held = held
        alive(inner)
        compute: dict[str, Expr] = {}
        for equation in inner.equations:
            add_demand(compute, equation.compute)
        reads, few = (
            {m.buffer: m.elements for m in traffic(program, "fused", self.sizes) if not m.write}
            for program in (inner, floor(inner, self.sizes))
        )
        wholly = [(k, b, a.format) for k, a in enumerate(before) if (b := a.buffer) is not None and a.part is None]

        def apart(taken: Mapping[Any, Expr], usual: Mapping[Any, Expr]) -> dict[int, Expr]:
            return {
                k: taken.get(buffer, Integer(0)) * buffer.width / Buffer((), stored).width
                for k, buffer, stored in wholly
                if taken.get(buffer) != usual.get(buffer)
            }

        gathered, at_least = apart(reads, {b: b.elements for _, b, _ in wholly}), apart(few, reads)
        kind = "alone" if any(e.kind == "alone" for e in inner.equations) else "cheap"
        if step.primitive in ROWS:
            shape = before[0].shape
            axes = tuple(None if k == step.params["dim"] % len(shape) else k for k in range(len(shape)))
            return Work(compute, kind, along=(axes,), whole=True, by_rows=True)
        return Work(compute, kind, gathered=gathered, least=at_least)

    def _exact(self, value: Any, queue: Any) -> Any:
        """Return a parameter with sizes as expressions and tensors as arrays."""
        if isinstance(value, torch.Tensor):
            return next(queue)
        if isinstance(value, torch.SymInt):
            return self.sizes.of_torch(value)
        if isinstance(value, list | tuple):
            return tuple(self._exact(v, queue) for v in value)
        return value


def called(schema: str) -> str:
    """Return the name of an operator in the rules, without PyTorch's namespace and the suffix for in-place.

    >>> called("aten::add_"), called("aten::__and__"), called("mine::scan")
    ('add', '__and__', 'mine::scan')
    """
    library, _, name = schema.rpartition("::")
    name = name if name.endswith("__") else name.rstrip("_")
    return name if library in ("aten", "prims") else f"{library}::{name}"


def _without_arrays(value: Any) -> Any:
    """Return a parameter with each array in it replaced by None."""
    if isinstance(value, tuple):
        return tuple(map(_without_arrays, value))
    return None if isinstance(value, Array) else value


@contextmanager
def unseen(record: Recorder) -> Iterator[None]:
    """Suspend recording."""
    record.unseen += 1
    yield
    record.unseen -= 1


def tensors(values: Any) -> list[Any]:
    """Return the tensors in nested values."""
    return [v for v in tree_leaves(values) if isinstance(v, torch.Tensor)]
