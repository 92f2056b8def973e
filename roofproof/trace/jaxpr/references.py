"""The body of a kernel, which reads and writes references to blocks, and its work for a block of the grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Expr

from roofproof.trace.dtypes import format_of
from roofproof.trace.jaxpr.walk import Walk, opened
from roofproof.trace.program import ONE, Array, Buffer, Place, Program
from roofproof.trace.registry import added
from roofproof.trace.work import Work, unruled, vector


@dataclass
class KernelWalk(Walk):
    """The walk of a kernel's body. `share` is the share of the grid's blocks in which the equations run."""

    grid: Sequence[Expr] = ()
    share: Expr = ONE
    first: dict[int, int] = field(default_factory=dict)  # by id of a condition: the axis of which it selects one index
    ids: dict[int, int] = field(default_factory=dict)  # by id of an array: the axis whose index it is
    seen: list[Array] = field(default_factory=list)  # keeps the ids above from being reused
    effects: bool = True

    def level(self) -> Walk:
        return replace(self, program=Program())

    def add(
        self, name: str, inputs: Sequence[Array], outputs: tuple[Buffer, ...], counted: Work, place: Place,
        scope: str, fixed: bool = False,
    ) -> list[Array]:  # fmt: skip
        work = {engine: n * self.share for engine, n in counted.compute.items()}
        return Walk.add(self, name, inputs, outputs, replace(counted, compute=work), place, scope, fixed)

    def equation(self, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
        name = eqn.primitive.name
        out = [self.reference(v) for v in eqn.outvars]
        if name == "program_id":
            self.seen += out
            self.ids[id(out[0])] = eqn.params["axis"]
            return [self.noted(replace(out[0], buffer=None, fixed=True), self.ids, eqn.params["axis"])]
        if name == "num_programs":
            return [Array((), "int32", known=self.grid[eqn.params["axis"]], fixed=True)]
        if name in ("get", "swap", "masked_load", "masked_swap"):
            return out
        if name == "addupdate":
            value = inputs[1]
            self.add(name, [value], (), Work({vector(value.format): value.elements}), place, scope)
            return []
        if name == "cond" and added("cond", place) is None:
            return self.branches(eqn, inputs, place, scope)
        made = Walk.equation(self, eqn, inputs, place, scope)
        if name == "eq" and all(a.fixed for a in inputs):
            axes = [self.ids[id(a)] for a in inputs if id(a) in self.ids]
            return [self.noted(made[0], self.first, axes[0])] if len(axes) == 1 else made
        if name == "convert_element_type" and id(inputs[0]) in self.first:
            return [self.noted(made[0], self.first, self.first[id(inputs[0])])]
        return made

    def noted(self, array: Array, where: dict[int, int], axis: int) -> Array:
        self.seen.append(array)
        where[id(array)] = axis
        return array

    def reference(self, variable: Any) -> Array:
        """Return the array of a reference, or of a value read from one: a block on chip."""
        aval = getattr(variable.aval, "inner_aval", variable.aval)
        shape = tuple(map(self.sizes.of_jax, getattr(aval, "shape", ())))
        format = format_of(getattr(aval, "dtype", "int32"))
        return Array(shape, format, Buffer(shape, format, given=True))

    def branches(self, eqn: Any, inputs: list[Array], place: Place, scope: str) -> list[Array]:
        """Add the branches of `pl.when`: one at a single index of an axis in its share of the blocks, others in all."""
        branches = eqn.params["branches"]
        axis = self.first.get(id(inputs[0]))
        busy = [k for k, branch in enumerate(branches) if opened(branch)[0].eqns]
        if len(branches) != 2 or (len(busy) > 1 and axis is None):
            raise unruled("cond", place, "which branch a block takes depends on a value")
        ends: list[Array] = []
        whole = self.share
        for k, branch in enumerate(branches):
            if axis is not None:
                once = 1 / self.grid[axis]
                self.share = whole * (once if k else 1 - once)
            ends = self.inside(branch, inputs[1:], place, scope)
        self.share = whole
        return ends


def body(walk: Walk, jaxpr: Any, grid: Sequence[Expr], place: Place) -> Program:
    """Return the program of a kernel for a block of the grid, averaged over all blocks."""
    kernel = KernelWalk(walk.sizes, walk.handlers, walk.links, captured=walk.captured, names=walk.names, grid=grid)
    kernel.run(jaxpr, [], [kernel.reference(v) for v in jaxpr.invars], place, "")
    return kernel.program
