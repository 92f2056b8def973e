"""What a program moves: its equations in kernels, each of which reads and writes what lies outside of it once.

A traffic model says which equations are one kernel, and nothing else; so a model of larger kernels never moves more:
least <= fused <= kernels <= unfused.

least     fused, of the program that `roofproof.trace.floor` returns: indices and masks choose as little as they can
fused     the whole program is one kernel: inputs once, outputs once, which is what must move
kernels   what stands in a scope `kernel:NAME` is one; elsewhere cheap equations that hang together
          are one, and any other stands alone
unfused   each equation is a kernel, as where a program is done step by step
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby

from sympy import Add, Expr, Integer, Mul, expand

from roofproof.trace.ordering import at_most
from roofproof.trace.program import Array, Buffer, Equation, Loop, Program, changes
from roofproof.trace.regions import Region, Some, elements_of
from roofproof.trace.sizes import KnownSizes

MODELS = ("least", "fused", "kernels", "unfused")
Group = list[Equation]


@dataclass(frozen=True, eq=False)
class Moved:
    """Elements of a buffer that an equation reads or writes, as often as it is done."""

    equation: Equation
    buffer: Buffer
    elements: Expr
    write: bool = False

    @property
    def bytes(self) -> Expr:
        return self.elements * self.buffer.width


@dataclass(frozen=True, eq=False)
class _Part:
    """What an equation needs of a buffer: a region, or None for all; another one in each turn of the loops `turns`.

    None stands for all loops around it.
    """

    equation: Equation
    buffer: Buffer
    region: Region | Some | None
    turns: frozenset[object] | None = frozenset()


def traffic(program: Program, model: str, sizes: KnownSizes | None = None) -> tuple[Moved, ...]:
    """Return the traffic of a program in one of the models, each region of a buffer once in a kernel."""
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
    return not loop.apart and (model == "fused" or (model == "kernels" and bool(loop.scope)))


def kernels(equations: list[Equation], model: str) -> list[Group]:
    """Return the equations of one level as kernels, in order of their first equation."""
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
    """Return the equations of a run that hang together by what one makes and another takes; those of a scope all do."""
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
    """Yield what a kernel reads of each buffer that lies outside of it; the first equation to need it has the bytes.

    What was changed here before does not come from outside.
    """
    made = {b for e in group for b in e.outputs}
    parts: dict[Buffer, list[_Part | Region | Some]] = {}  # what is read and what is changed, in order
    for equation in group:
        for part in _parts(equation, sizes):
            root = changes(part.buffer, group, sizes)[0] if part.buffer in made else part.buffer
            if root not in made:
                parts.setdefault(root, []).append(part)
        covered = equation.region if equation.covers is None else Some(equation.covers, None)
        if covered is not None and (root := changes(equation.outputs[0], group, sizes)[0]) not in made:
            parts.setdefault(root, []).append(covered)
    for buffer, found in parts.items():
        seen: list[Region | Some | None] = []
        before: Expr = Integer(0)
        for _, run in groupby(found, type):
            first, *others = run
            seen += [part.region if isinstance(part, _Part) else part for part in (first, *others)]
            after = _together(seen, buffer, sizes)
            more = after if before == 0 else expand(after - before)
            if isinstance(first, _Part) and more != 0:
                yield Moved(first.equation, buffer, more)
            before = after


def _together(regions: Iterable[Region | Some | None], buffer: Buffer, sizes: KnownSizes) -> Expr:
    """Return the number of elements of a buffer in some of the regions, and all where one is the whole."""
    distinct = dict.fromkeys(regions)
    if None in distinct:
        return buffer.elements
    known = elements_of((r for r in distinct if isinstance(r, Region)), buffer.name, sizes)
    some = {r.key: r.elements for r in distinct if isinstance(r, Some) and not r.anywhere}
    found = Add(known, *some.values())
    for region in distinct:
        if isinstance(region, Some) and region.anywhere:
            found = sizes.greatest(found, region.elements)
    return at_most(found, buffer.elements)


def _parts(equation: Equation, sizes: KnownSizes) -> Iterator[_Part]:
    """Yield what an equation needs of each buffer; a loop that is in a kernel needs what its body does not make."""
    if not isinstance(equation, Loop):
        for k, array in enumerate(equation.inputs):
            if array.buffer is None:
                continue
            if k in equation.gathered:  # elements of what is seen, which may be wider or narrower than what lies there
                many = equation.gathered[k] * Buffer((), array.format).width / array.buffer.width
                yield _Part(equation, array.buffer, Some(many, (id(equation), k)), None)
            elif k == 0 and equation.update is not None and equation.outputs[0].updated is array.buffer:
                if equation.again:
                    key = (id(equation), k) if equation.covers is None else None
                    region = equation.region or Some(equation.update, key)
                    yield _Part(equation, array.buffer, region, None)
            else:
                yield _Part(equation, array.buffer, array.region, array.turns)
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
            few = isinstance(part.region, Some) and part.region.anywhere
            yield from _seen(part, carried[buffer], part.region if few else None)
        else:
            seen: Region | Some | None = part.region
            anew = part.turns is None or equation.token in part.turns
            if seen is not None and anew and not (isinstance(seen, Some) and seen.anywhere):
                seen = Some(seen.elements * equation.trips, seen.key if isinstance(seen, Some) else seen)
            yield _Part(part.equation, buffer, seen, part.turns)


def _of_all_turns(region: Region | Some | None, array: Array, loop: Loop) -> Region | Some | None:
    """Return the region that all turns of a loop need of an array of which each takes an element of the first axis."""
    if region is None or array.buffer is None:
        return None
    if isinstance(region, Region) and array.region is None and array.same:
        turn = Mul(*array.shape[1:])
        return Region(region.offset, (*region.axes, (loop.trips, turn)))
    key = None if isinstance(region, Some) and region.anywhere else (id(loop), region)
    return Some(region.elements * loop.trips, key)


def _seen(part: _Part, array: Array, region: Region | Some | None) -> Iterator[_Part]:
    if array.buffer is not None:
        yield _Part(part.equation, array.buffer, array.region if region is None else region, array.turns)


def _written(buffer: Buffer, group: Group, sizes: KnownSizes) -> Expr:
    """Return the number of elements of a buffer that a kernel writes: those changed, where it is updated in place."""
    root, amount = changes(buffer, group, sizes)
    return buffer.elements if any(root in e.outputs for e in group) else at_most(amount, buffer.elements)
