"""The traffic of a program: its equations are grouped into kernels, each of which reads and writes outside data once.

A traffic model decides only which equations form one kernel. A model with larger kernels never moves more:
least <= fused <= kernels <= unfused.

least     fused, for the program that `roofproof.trace.floor` returns: indices and masks choose as little as they can
fused     the whole program is one kernel, so only inputs and outputs move, each once, which is the minimum
kernels   each scope `kernel:NAME` is one kernel. Elsewhere, connected cheap equations form one, and any other
          equation is a kernel of its own
unfused   each equation is a kernel of its own, as if the program ran step by step
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby

from sympy import Add, Expr, Integer, Mul, expand

from roofproof.trace.ordering import at_most
from roofproof.trace.program import Array, Buffer, Equation, Loop, Program, changes
from roofproof.trace.regions import Region, UnlocatedElements, elements_of
from roofproof.trace.sizes import KnownSizes

MODELS = ("least", "fused", "kernels", "unfused")
Group = list[Equation]


@dataclass(frozen=True, eq=False)
class Moved:
    """The elements of a buffer that an equation reads or writes, over all its runs."""

    equation: Equation
    buffer: Buffer
    elements: Expr
    write: bool = False

    @property
    def bytes(self) -> Expr:
        return self.elements * self.buffer.width


@dataclass(frozen=True, eq=False)
class _Part:
    """The part of a buffer that an equation needs: a region, or None for all.

    Each iteration of the loops `varies_in` needs another part. If `varies_in` is None, that applies to all loops around
    it.
    """

    equation: Equation
    buffer: Buffer
    region: Region | UnlocatedElements | None
    varies_in: frozenset[object] | None = frozenset()


def traffic(program: Program, model: str, sizes: KnownSizes | None = None) -> tuple[Moved, ...]:
    """Return the traffic of a program under one of the models. A kernel moves each region of a buffer once."""
    return tuple(_moved(program, "fused" if model == "least" else model, sizes or KnownSizes(())))


def _moved(program: Program, model: str, sizes: KnownSizes) -> Iterator[Moved]:
    groups = kernels(program.equations, model)
    users: dict[Buffer, set[int]] = {}
    for k, group in enumerate(groups):
        for equation in group:
            for buffer in equation.needed:
                users.setdefault(buffer, set()).add(k)
    for array in program.outputs:
        if array.buffer is not None:
            users.setdefault(array.buffer, set()).add(-1)
    for k, group in enumerate(groups):
        first = group[0]
        if first.kind == "apart":
            yield from (Moved(first, *moved) for moved in first.moves)
        elif isinstance(first, Loop) and len(group) == 1 and not _one_kernel(first, model):
            for moved in _moved(first.body, model, sizes):
                yield Moved(moved.equation, moved.buffer, moved.elements * first.trips, moved.write)
        else:
            yield from _read(group, sizes)
            for equation in group:
                for buffer in equation.outputs:
                    if users.get(buffer, set()) - {k}:
                        yield Moved(equation, buffer, _written(buffer, group, sizes), write=True)


def _one_kernel(loop: Loop, model: str) -> bool:
    return not loop.has_apart_step and (model == "fused" or (model == "kernels" and bool(loop.scope)))


def kernels(equations: list[Equation], model: str) -> list[Group]:
    """Return the equations of one level grouped into kernels, in order of their first equation."""
    if model == "unfused":
        return [[e] for e in equations]
    alone = [e for e in equations if e.kind == "apart" or (isinstance(e, Loop) and not _one_kernel(e, model))]
    if model == "fused":
        rest = [e for e in equations if e not in alone]
        return ([rest] if rest else []) + [[e] for e in alone]
    groups: list[Group] = []
    run: Group = []
    for equation in equations:
        if equation in alone or (equation.kind == "alone" and not equation.scope):
            groups += [*_connected(run), [equation]]
            run = []
        else:
            if run and run[-1].scope != equation.scope:
                groups += _connected(run)
                run = []
            run.append(equation)
    return groups + _connected(run)


def _connected(run: Group) -> list[Group]:
    """Return the equations of a run in groups that share intermediate buffers. Those of a scope are one group."""
    if not run or run[0].scope:
        return [run] if run else []
    groups: list[Group] = []
    for equation in run:
        taken = set(equation.needed)
        joined = [g for g in groups if any(b in taken for e in g for b in e.outputs)]
        groups = [g for g in groups if g not in joined]
        groups.append([*chain.from_iterable(joined), equation])
    return groups


def _read(group: Group, sizes: KnownSizes) -> Iterator[Moved]:
    """Yield the reads of a kernel from each buffer outside it, assigned to the first equation that needs them.

    Elements that the kernel has changed before are not read from outside.
    """
    made = {b for e in group for b in e.outputs}
    parts: dict[Buffer, list[_Part | Region | UnlocatedElements]] = {}  # reads and changes, in order
    for equation in group:
        for part in _parts(equation, sizes):
            root = changes(part.buffer, group, sizes)[0] if part.buffer in made else part.buffer
            if root not in made:
                parts.setdefault(root, []).append(part)
        covered = equation.region if equation.covers is None else UnlocatedElements(equation.covers, None)
        if covered is not None and (root := changes(equation.outputs[0], group, sizes)[0]) not in made:
            parts.setdefault(root, []).append(covered)
    for buffer, found in parts.items():
        seen: list[Region | UnlocatedElements | None] = []
        before: Expr = Integer(0)
        for _, run in groupby(found, type):
            first, *others = run
            seen += [part.region if isinstance(part, _Part) else part for part in (first, *others)]
            after = _together(seen, buffer, sizes)
            more = after if before == 0 else expand(after - before)
            if isinstance(first, _Part) and more != 0:
                yield Moved(first.equation, buffer, more)
            before = after


def _together(regions: Iterable[Region | UnlocatedElements | None], buffer: Buffer, sizes: KnownSizes) -> Expr:
    """Return the number of elements of a buffer in any of the regions, or all if one region is None."""
    distinct = dict.fromkeys(regions)
    if None in distinct:
        return buffer.elements
    known = elements_of((r for r in distinct if isinstance(r, Region)), buffer.name, sizes)
    some = {r.key: r.elements for r in distinct if isinstance(r, UnlocatedElements) and not r.anywhere}
    found = Add(known, *some.values())
    for region in distinct:
        if isinstance(region, UnlocatedElements) and region.anywhere:
            found = sizes.greatest(found, region.elements)
    return at_most(found, buffer.elements)


def _parts(equation: Equation, sizes: KnownSizes) -> Iterator[_Part]:
    """Yield the parts of buffers that an equation needs. A loop in a kernel needs those its body does not make."""
    if not isinstance(equation, Loop):
        for k, array in enumerate(equation.inputs):
            if array.buffer is None:
                continue
            if k in equation.gathered:  # elements of the view, which may be wider or narrower than those of the buffer
                many = equation.gathered[k] * Buffer((), array.format).width / array.buffer.width
                yield _Part(equation, array.buffer, UnlocatedElements(many, (id(equation), k)), None)
            elif k == 0 and equation.update is not None and equation.outputs[0].updated is array.buffer:
                if equation.reads_updated:
                    key = (id(equation), k) if equation.covers is None else None
                    region = equation.region or UnlocatedElements(equation.update, key)
                    yield _Part(equation, array.buffer, region, None)
            else:
                yield _Part(equation, array.buffer, array.region, array.varies_in)
        return
    body = equation.body.equations
    made = {b for e in body for b in e.outputs}
    slices, carried = dict(equation.slices), dict(equation.carried)
    for part in chain.from_iterable(_parts(e, sizes) for e in body):
        buffer = changes(part.buffer, body, sizes)[0] if part.buffer in made else part.buffer
        if buffer in made:
            continue
        if buffer in slices:
            yield from _seen(part, slices[buffer], _of_all_turns(part.region, slices[buffer], equation))
        elif buffer in carried:
            few = isinstance(part.region, UnlocatedElements) and part.region.anywhere
            yield from _seen(part, carried[buffer], part.region if few else None)
        else:
            seen: Region | UnlocatedElements | None = part.region
            anew = part.varies_in is None or equation.token in part.varies_in
            if seen is not None and anew and not (isinstance(seen, UnlocatedElements) and seen.anywhere):
                seen = UnlocatedElements(
                    seen.elements * equation.trips, seen.key if isinstance(seen, UnlocatedElements) else seen
                )
            yield _Part(part.equation, buffer, seen, part.varies_in)


def _of_all_turns(
    region: Region | UnlocatedElements | None, array: Array, loop: Loop
) -> Region | UnlocatedElements | None:
    """Return the region that all iterations of a loop need of an array that they slice along its first axis."""
    if region is None or array.buffer is None:
        return None
    if isinstance(region, Region) and array.region is None and array.same:
        turn = Mul(*array.shape[1:])
        return Region(region.offset, (*region.axes, (loop.trips, turn)))
    key = None if isinstance(region, UnlocatedElements) and region.anywhere else (id(loop), region)
    return UnlocatedElements(region.elements * loop.trips, key)


def _seen(part: _Part, array: Array, region: Region | UnlocatedElements | None) -> Iterator[_Part]:
    if array.buffer is not None:
        yield _Part(part.equation, array.buffer, array.region if region is None else region, array.varies_in)


def _written(buffer: Buffer, group: Group, sizes: KnownSizes) -> Expr:
    """Return the number of elements of a buffer that a kernel writes, or only changes in an in-place update."""
    root, amount = changes(buffer, group, sizes)
    return buffer.elements if any(root in e.outputs for e in group) else at_most(amount, buffer.elements)
