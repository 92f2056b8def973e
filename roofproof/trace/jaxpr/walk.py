"""Conversion of a jaxpr to a program: views resolved, calls inlined, values that depend only on sizes left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from sympy import Add, Expr, Integer, Max, Min, Mul

from roofproof.errors import RoofproofError
from roofproof.trace.dtypes import format_of
from roofproof.trace.jaxpr import indices
from roofproof.trace.jaxpr.sizes import JaxSizes
from roofproof.trace.names import OF_JAX, names_in
from roofproof.trace.program import ONE, ZERO, Array, Buffer, Place, Program
from roofproof.trace.regions import UnlocatedElements, reshaped
from roofproof.trace.registry import Step, added
from roofproof.trace.rules import rule_for
from roofproof.trace.work import Work, by_rule, unruled

Handler: TypeAlias = "Callable[[Walk, Any, list[Array], Place, str], list[Array]]"
CALLS = names_in("""
    jit pjit closed_call core_call remat2 remat checkpoint custom_jvp_call custom_vjp_call custom_vjp_call_jaxpr
""")
SAME = names_in("""
    reshape squeeze expand_dims stop_gradient optimization_barrier pvary pcast sharding_constraint mesh_cast reshard
    layout_constraint name
""")  # views, which compute nothing and move nothing until they are used
VIEWS = names_in("broadcast_in_dim transpose slice rev split bitcast_convert_type real imag")
NEUTRAL = {"mul": 1, "add": 0}
KERNEL = re.compile(r"(?:.*?)kernel:[^/()]+")


@dataclass
class Walk:
    """One level of a program as it is built: the function itself or the body of a loop."""

    sizes: JaxSizes
    handlers: Mapping[str, Handler] = field(default_factory=dict)  # of primitives that are not plain steps
    links: Mapping[str, str] = field(default_factory=dict)
    program: Program = field(default_factory=Program)
    captured: dict[int, Array] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)  # of captured arrays, by identity
    axes: Mapping[str, int] = field(default_factory=dict)  # sizes of the axes of a mesh, inside a shard_map
    mapped: bool = False  # whether there was a shard_map
    effects: bool = False  # whether steps count even if no result needs them

    def level(self) -> Walk:
        """Return a walk for the body of a loop."""
        return replace(self, program=Program())

    def run(
        self, jaxpr: Any, consts: Sequence[Array], arguments: Sequence[Array], place: Place, scope: str
    ) -> list[Array]:
        """Add the equations of a jaxpr, and return its outputs."""
        known: dict[Any, Array] = dict(zip(jaxpr.constvars, consts, strict=True))
        known |= dict(zip(jaxpr.invars, arguments, strict=True))

        def seen(atom: Any) -> Array:
            return self.literal(atom) if hasattr(atom, "val") else known[atom]

        for eqn in jaxpr.eqns:
            here = self.place(eqn) or place
            outs = self.equation(eqn, [seen(v) for v in eqn.invars], here, self.scope(eqn, scope))
            known |= dict(zip(eqn.outvars, outs, strict=True))
        return [seen(v) for v in jaxpr.outvars]

    def literal(self, atom: Any) -> Array:
        """Return a number in the code. An array in the code is captured."""
        shape = tuple(map(self.sizes.of_jax, atom.aval.shape))
        if shape:
            return self.constant(atom.val)
        exact = getattr(atom.val, "item", lambda: atom.val)()
        if isinstance(exact, complex) and exact.imag == 0:  # as 2.0 in x / 2.0
            return Array((), "fp32", fixed=True)
        known = Integer(int(exact)) if isinstance(exact, int | float) and exact == exact // 1 else None
        return Array((), format_of(atom.aval.dtype), known=known, fixed=True)

    def constant(self, value: Any) -> Array:
        """Return an array that the function captures, which is read like an argument."""
        shape = tuple(map(self.sizes.of_jax, getattr(value, "shape", ())))
        if not shape:
            return Array((), format_of(getattr(value, "dtype", "int32")), fixed=True)
        if id(value) not in self.captured:
            name = self.names.get(id(value)) or f"captured{len(self.captured)}"
            buffer = Buffer(shape, format_of(value.dtype), name, given=True)
            self.captured[id(value)] = Array(shape, buffer.format, buffer)
        return self.captured[id(value)]

    @staticmethod
    def place(eqn: Any) -> Place | None:
        """Return the place of an equation in the user's code: the innermost frame outside the framework."""
        from jax._src import source_info_util

        frame = source_info_util.user_frame(eqn.source_info.traceback)
        if frame is None:
            return None
        file = frame.file_name.replace("\\", "/").rpartition("/")[2]
        return Place(file, frame.start_line, frame.function_name)

    @staticmethod
    def scope(eqn: Any, outer: str) -> str:
        """Return the kernel scope of an equation by its name stack, or `outer` if that names no kernel."""
        if outer.startswith("kernel in "):
            return outer
        found = KERNEL.match(str(eqn.source_info.name_stack))
        return f"kernel in {outer}: {found[0]}" if found else outer

    def equation(self, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
        """Add an equation, and return its results."""
        name = eqn.primitive.name
        shapes, formats = self.results(eqn)
        rule = added(name, place)
        inside = "" if scope.startswith("kernel in ") else str(id(eqn))
        if name in self.handlers:
            return self.handlers[name](self, eqn, inputs, place, scope or inside)
        if rule is not None:
            made = self.buffers(eqn)
            counted = by_rule(rule, Step(name, eqn.params, tuple(inputs), made))
            return self.add(name, inputs, made, counted, place, scope)
        if name in CALLS:
            return self.call(eqn, inputs, place, scope or inside)
        if name == "dim_as_value":
            return [Array((), formats[0], known=self.sizes.of_jax(eqn.params["dim"]), fixed=True)]
        if name == "platform_index":  # the branch for any platform is the last
            return [Array((), formats[0], known=Integer(len(eqn.params["platforms"]) - 1), fixed=True)]
        if name in ("iota", "axis_index"):
            return [
                Array(
                    shapes[0],
                    formats[0],
                    fixed=True,
                    form=indices.form(name + "s" * (len(shapes[0]) > 1), eqn.params, ()),
                )
            ]
        if self.mapped and not self.axes:
            raise RoofproofError(
                f"{place}: {name} after a shard_map: what is traced is one chip, so put all of it under one"
            )
        if name in SAME or name in VIEWS:
            return self.view(name, eqn, inputs, shapes, formats)
        turns = frozenset().union(*(a.varies_in for a in inputs))
        fixed = all(a.fixed for a in inputs) and not name.startswith("random")
        if fixed and all(f.startswith("int") or Mul(*s) == 1 for f, s in zip(formats, shapes, strict=True)):
            known = self.value(name, inputs) if shapes == [()] else None
            form = indices.form(name, eqn.params, inputs) if len(shapes) == 1 else None
            return [
                Array(s, f, known=known, fixed=True, varies_in=turns, form=form)
                for s, f in zip(shapes, formats, strict=True)
            ]
        if fixed and name in NEUTRAL and any(a.known == NEUTRAL[name] for a in inputs):  # how a range is made
            return [
                replace(
                    next((a for a in inputs if a.known != NEUTRAL[name]), inputs[0]), shape=shapes[0], format=formats[0]
                )
            ]
        if name in ("gather", "dynamic_slice") and all(a.fixed for a in inputs[1:]):
            return [replace(self.taken(name, eqn, inputs, shapes[0]), varies_in=turns)]
        rule_of_it = rule_for(name, OF_JAX)
        if rule_of_it is None:
            raise unruled(name, place)
        outputs = self.buffers(eqn)
        if name == "concatenate" and len(inputs) == 1:
            return [inputs[0]]
        params = self._exact_all(eqn.params)
        try:
            counted = rule_of_it(Step(name, params, tuple(inputs), outputs))
        except RoofproofError as problem:
            raise unruled(name, place, str(problem)) from None
        counted = replace(counted, form=str(params))
        return self.add(name, inputs, outputs, counted, place, scope, fixed)

    def results(self, eqn: Any) -> tuple[list[tuple[Expr, ...]], list[str]]:
        """Return the shapes and the formats of the results of an equation."""
        shapes = [tuple(map(self.sizes.of_jax, v.aval.shape)) for v in eqn.outvars]
        return shapes, [format_of(v.aval.dtype) if hasattr(v.aval, "dtype") else "int8" for v in eqn.outvars]

    def buffers(self, eqn: Any) -> tuple[Buffer, ...]:
        """Return the results of an equation, each as a buffer."""
        return tuple(Buffer(s, f) for s, f in zip(*self.results(eqn), strict=True))

    def add(
        self, name: str, inputs: Sequence[Array], outputs: tuple[Buffer, ...], counted: Work, place: Place,
        scope: str, fixed: bool = False,
    ) -> list[Array]:  # fmt: skip
        """Add a step with its counted work, and return its results."""
        step = counted.equation(name, inputs, outputs, place, kernel_of(scope), self.sizes)
        self.program.equations.append(step)
        return [Array(b.shape, b.format, b, fixed=fixed) for b in outputs]

    def call(self, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
        """Inline a call: add its equations here."""
        inner = next(eqn.params[k] for k in ("jaxpr", "call_jaxpr", "fun_jaxpr") if k in eqn.params)
        return self.inside(inner, inputs, place, scope)

    def inside(self, inner: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
        """Add the equations of a jaxpr with the constants that it captures."""
        jaxpr, consts = opened(inner)
        return self.run(jaxpr, [self.constant(c) for c in consts], inputs, place, scope)

    def view(
        self, name: str, eqn: Any, inputs: list[Array], shapes: list[tuple[Expr, ...]], formats: list[str]
    ) -> list[Array]:
        """Return the results of a view."""
        operand, params = inputs[0], eqn.params
        if name in SAME:
            every = zip(inputs, shapes, strict=True) if len(inputs) == len(shapes) else [(operand, shapes[0])]
            return [self.shaped(a, s, name, params) for a, s in every]
        if name in ("real", "imag"):  # half of each number
            return [self.half(operand, shapes[0], formats[0], id(eqn))]
        axes = range(len(operand.shape))
        if name == "split":
            sizes, axis = [self.sizes.of_jax(n) for n in params["sizes"]], params["axis"]
            before = [Add(*sizes[:k]) for k in range(len(sizes))]
            starts = [[n if k == axis else ZERO for k in axes] for n in before]
            return [self.sliced(operand, s, o, [ONE] * len(s), name) for s, o in zip(shapes, starts, strict=True)]
        if name == "slice":
            start = [self.sizes.of_jax(n) for n in params["start_indices"]]
            steps = [self.sizes.of_jax(n) for n in params["strides"] or [1] * len(start)]
            return [self.sliced(operand, shapes[0], start, steps, name)]
        if name == "broadcast_in_dim" and shapes[0] == operand.shape:
            return [operand]
        same = operand.same and name == "broadcast_in_dim" and Mul(*shapes[0]) == operand.elements  # axes of length 1
        strides, offset = operand.known_strides, operand.offset
        if same:
            strides = None
        elif strides is not None and name == "broadcast_in_dim":
            of = dict(zip(params["broadcast_dimensions"], axes, strict=True))
            strides = tuple(
                strides[of[k]] if k in of and operand.shape[of[k]] == n else ZERO for k, n in enumerate(shapes[0])
            )
        elif strides is not None and name == "transpose":
            strides = tuple(strides[k] for k in params["permutation"])
        elif strides is not None and name == "rev":
            turned = params["dimensions"]
            offset += Add(*((operand.shape[k] - 1) * strides[k] for k in turned))
            strides = tuple(-s if k in turned else s for k, s in enumerate(strides))
        elif Buffer((), formats[0]).width != Buffer((), operand.format).width:
            strides = None
        known = operand.known if Mul(*shapes[0]) == 1 else None
        more = "s" * bool(Mul(*shapes[0]) != operand.elements)  # elements repeat
        form = indices.form(name + more, params, inputs) if operand.buffer is None else None
        return [
            replace(
                operand, shape=shapes[0], format=formats[0], same=same, known=known, offset=offset, strides=strides,
                form=form,
            )
        ]  # fmt: skip

    @staticmethod
    def shaped(array: Array, shape: tuple[Expr, ...], name: str, params: Any) -> Array:
        """Return an array in another shape."""
        if array.shape == shape:
            return array
        if array.buffer is None:
            return replace(array, shape=shape, form=indices.form(name, params, [array]))
        strides = None if array.same or array.strides is None else reshaped(array.shape, array.strides, shape)
        return replace(array, shape=shape, strides=strides)

    def taken(self, name: str, eqn: Any, inputs: Sequence[Array], shape: tuple[Expr, ...]) -> Array:
        """Return the elements of an array at places that sizes determine, as a slice if they are one."""
        key = indices.form(name, eqn.params, inputs[1:]) or id(eqn)
        params = self._exact_all(eqn.params)
        found = indices.slice_of(name, params, inputs, shape)
        if found is None:
            return self.named(inputs[0], shape, key, Mul(*params["slice_sizes"]))
        starts, shape_there, steps, kept = found
        within = name == "gather" and "PROMISE" in str(eqn.params["mode"])
        for start, n, step, whole in zip(starts, shape_there, steps, inputs[0].shape, strict=True):
            inside = self.sizes.less(Integer(-1), start) and self.sizes.less(start + (n - 1) * step, whole)
            if not (within or inside):
                return self.named(inputs[0], shape, key, Mul(*params["slice_sizes"]))
        there = self.sliced(inputs[0], shape_there, starts, steps, key)
        if there.strides is None:
            return replace(there, shape=shape)
        return replace(there, shape=shape, strides=tuple(ZERO if k is None else there.strides[k] for k in kept))

    @staticmethod
    def named(operand: Array, shape: tuple[Expr, ...], key: object, fewest: Expr) -> Array:
        """Return elements of an array at unknown places, which may all be the same."""
        found = operand.some(shape, key)
        if found.buffer is None:
            return found
        many = found.buffer.elements if found.part is None else found.part
        return replace(found, region=UnlocatedElements(many, key, fewest), same=False, strides=None)

    def sliced(
        self, operand: Array, shape: tuple[Expr, ...], starts: Sequence[Expr], steps: Sequence[Expr], key: object
    ) -> Array:
        """Return a slice of an array, or only the number of its elements if their location is unknown."""
        if operand.buffer is None:
            form = None if operand.form is None else ("slice", tuple(starts), tuple(steps), shape, operand.form)
            return replace(operand, shape=shape, known=None, form=form)
        found = operand.sliced(shape, starts, steps, self.sizes)
        return operand.some(shape, (key, tuple(starts), tuple(steps))) if found is None else found

    @staticmethod
    def half(operand: Array, shape: tuple[Expr, ...], format: str, key: object) -> Array:
        """Return the real or the imaginary parts of complex numbers, which are half of the stored data."""
        if operand.buffer is None:
            return replace(operand, shape=shape, format=format, known=None)
        all_of_it = operand.part if operand.part is not None else operand.buffer.elements
        return replace(
            operand, shape=shape, format=format, region=UnlocatedElements(all_of_it / 2, key), strides=None, same=False
        )

    def value(self, name: str, inputs: list[Array]) -> Expr | None:
        """Return the value of a scalar that sizes determine, or None if it is not plain."""
        known = [a.known for a in inputs if a.known is not None]
        if len(known) < len(inputs) or not known:
            return None
        match name, known:
            case ("convert_element_type" | "copy", [a]):
                return a
            case ("neg", [a]):
                return -a
            case ("add", [a, b]):
                return a + b
            case ("sub", [a, b]):
                return a - b
            case ("mul", [a, b]):
                return a * b
            case ("max", [a, b]):
                return Max(a, b)
            case ("min", [a, b]):
                return Min(a, b)
            case ("clamp", [least, a, most]):
                return Max(least, Min(a, most))
            case ("lt", [a, b]) if self.sizes.less(a, b) or self.sizes.less(b - 1, a):
                return Integer(int(self.sizes.less(a, b)))
            case ("select_n", [which, *cases]) if which.is_Integer:  # -1 is the last
                return cases[int(which)]
        return None

    def materialized(self, array: Array, place: Place) -> Array:
        """Return an array as a buffer of its own, copied if it is a view or has no buffer."""
        buffer = array.buffer
        if buffer is not None and array.same:
            return array
        if buffer is not None and not buffer.given and array.part is None and array.elements == buffer.elements:
            return replace(array, same=True)  # its producer writes it in this order
        copy = Buffer(array.shape, array.format)
        return self.add("copy", [array], (copy,), Work(), place, "")[0]

    def _exact_all(self, params: Mapping[str, Any]) -> dict[str, Any]:
        return {k: self._exact(v) for k, v in params.items()}

    def _exact(self, value: Any) -> Any:
        """Return a parameter with JAX sizes as SymPy expressions."""
        if hasattr(value, "_sorted_terms"):
            return self.sizes.of_jax(value)
        if type(value) is tuple:
            return tuple(map(self._exact, value))
        return value


def kernel_of(scope: str) -> str:
    """Return a scope if it is a kernel, else an empty string. Other scopes only separate kernels of the same name."""
    return scope if scope.startswith("kernel in ") else ""


def opened(inner: Any) -> tuple[Any, Sequence[Any]]:
    """Return a jaxpr and its constants, whether it is closed or not."""
    return (inner.jaxpr, inner.consts) if hasattr(inner, "consts") else (inner, ())
