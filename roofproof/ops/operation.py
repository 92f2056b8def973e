"""Operations: lists of kernels, each with its demands on compute, memory and links as exact expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from sympy import Add, Eq, Expr, Integer, Max, Mod, Mul, Symbol, sympify
from sympy.logic.boolalg import Boolean

from roofproof.answer import Shown
from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.ops.resources import MAIN_MEMORY, MEMORY, channel, compute_resource
from roofproof.ops.tensor import Tensor, is_obviously_positive
from roofproof.sentences import Name, Sentence

if TYPE_CHECKING:
    from roofproof.ops.notation.typed_einsum import Einsum
    from roofproof.ops.roles import Role

Demand = Mapping[str, Expr]
ONE = Integer(1)


@dataclass(frozen=True, slots=True, repr=False)
class Kernel:
    """One kernel: the FLOPs of each compute unit, the tensors that it reads and writes, and other traffic.

    >>> from roofproof.symbols import dimension
    >>> N = dimension("N")
    >>> x, z = (Tensor(name, (N,), "bf16") for name in "xz")
    >>> add = Kernel("add", {"fp32-vector": N}, reads=(x,), writes=(z,), times=N)
    >>> add.bytes(), add.symbols == {N}                        # bytes of one run; it runs N times
    (4*N, True)

    `links` maps a memory level or link to the bytes that no tensor explains. `steps` maps a link to the number of
    consecutive messages on it. `exact` is the work without the convention of 2 FLOPs per multiply-add. `product` is the
    einsum, if the kernel is exactly one einsum. `again` are the FLOPs that a backward pass repeats because their
    results stayed on chip. `saved` are the tensors that the backward pass reads besides the operands. `loops` are
    sizes that can be split: each part has its share of the FLOPs, and a result without the size is a sum over the
    parts. `on_chip` are the bytes that must fit in an on-chip memory. `blocks` is the number of blocks that can run at
    the same time. `least` are the bytes that every algorithm moves over a link in one direction.
    """

    name: str
    work: Demand = field(default_factory=dict)
    reads: tuple[Tensor, ...] = ()
    writes: tuple[Tensor, ...] = ()
    links: Demand = field(default_factory=dict)
    steps: Demand = field(default_factory=dict)
    exact: Demand | None = None
    product: Einsum | None = None
    again: Demand = field(default_factory=dict)
    saved: tuple[Tensor, ...] = ()
    loops: tuple[Symbol, ...] = ()
    on_chip: Demand = field(default_factory=dict)
    blocks: Expr | None = None
    times: Expr = ONE
    least: Demand = field(default_factory=dict)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", self.name if isinstance(self.name, Sentence) else Name(self.name))
        put(self, "least", _demand(self.least, channel))
        put(self, "work", _demand(self.work, compute_resource))
        put(self, "links", _demand(self.links, channel))
        put(self, "steps", _demand(self.steps, channel))
        put(self, "on_chip", _demand(self.on_chip, str))
        put(self, "again", _demand(self.again, compute_resource))
        if self.exact is not None:
            put(self, "exact", _demand(self.exact, compute_resource))
        stored: dict[str, Tensor] = {}
        for tensor in (*self.reads, *self.writes):
            known = stored.setdefault(tensor.name, tensor)
            if (known.shape, known.dtype) != (tensor.shape, tensor.dtype):
                raise RoofproofError(f"two tensors of one name in {quoted(self.name)}: {known} and {tensor}")

    def bytes(self, over: str = MEMORY) -> Expr:
        """Return the bytes of one run that cross a memory level or a link."""
        tensors = (*self.reads, *self.writes) if over == MEMORY else ()
        return Add(*(tensor.traffic for tensor in tensors), self.links.get(over, 0))

    @property
    def symbols(self) -> set[Symbol]:
        """The sizes that the demands depend on."""
        sizes = [size for tensor in (*self.reads, *self.writes) for size in (*tensor.shape, tensor.times)]
        demands = [*self.work.values(), *self.links.values(), *self.on_chip.values(), self.times]
        return {s for e in (*sizes, *demands) for s in e.free_symbols}

    def mapped(
        self,
        amount: Callable[[Expr], Expr],
        tensor: Callable[[Tensor], Tensor],
        changed: AbstractSet[Symbol] = frozenset(),
    ) -> Self:
        """Return the kernel with every demand and every tensor mapped, and without the `changed` sizes in `loops`."""

        def each(demand: Demand) -> Demand:
            return {name: amount(value) for name, value in demand.items()}

        return replace(
            self,
            work=each(self.work),
            reads=tuple(map(tensor, self.reads)),
            writes=tuple(map(tensor, self.writes)),
            links=each(self.links),
            steps=each(self.steps),
            exact=None if self.exact is None else each(self.exact),
            product=None if self.product is None else self.product.mapped(amount, tensor),
            again=each(self.again),
            saved=tuple(map(tensor, self.saved)),
            loops=tuple(s for s in self.loops if s not in changed),
            on_chip=each(self.on_chip),
            blocks=None if self.blocks is None else amount(self.blocks),
            times=amount(self.times),
            least=each(self.least),
        )

    def on_units(self, change: Callable[[Demand], Demand]) -> Self:
        """Return the kernel with `change` applied to each of its FLOP counts: `work`, `exact` and `again`."""
        exact = None if self.exact is None else change(self.exact)
        return replace(self, work=change(self.work), exact=exact, again=change(self.again), product=None)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[type[Any], dict[str, Any]]]:
        return _again, (type(self), _given(self))

    def __hash__(self) -> int:
        return hash((self.name, *self.work.items(), self.reads, self.writes, *self.links.items(), self.times))

    def __repr__(self) -> str:
        return f"Kernel({self.name})"


@dataclass(frozen=True, slots=True, repr=False)
class Operation(Shown):
    """A list of kernels that run one after the other, from which every total is derived.

    >>> from roofproof.ops import einsum
    >>> matmul = einsum("x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]")
    >>> matmul.flops, matmul.bytes()                           # 2 per multiply-add; 2 bytes per element
    (2*B*D*F, 2*B*D + 2*B*F + 2*D*F)

    `conditions` are assumptions of the formulas, such as divisibility by a shard, and belong in every answer.
    `lower_bound` is the option, such as `touched=least`, that makes the bytes only a lower bound, so that no threshold
    follows from them. `roles` maps sizes to their declared roles (roles.py). The other fields are totals over the
    kernels. `compute` are the FLOPs by compute unit (`bf16`, `fp32-vector`). `reads` and `writes` are the tensors,
    merged by name. `traffic` are the bytes that no tensor explains. `hops` are the steps on each link, if every kernel
    states them. `footprint` is the most that any kernel needs in each on-chip memory.
    """

    name: str
    kernels: tuple[Kernel, ...] = ()
    conditions: tuple[Boolean, ...] = ()
    source: str = ""
    convention: str = ""
    lower_bound: str = ""
    dims: tuple[Symbol, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    compute: Demand = field(init=False, compare=False)
    reads: tuple[Tensor, ...] = field(init=False, compare=False)
    writes: tuple[Tensor, ...] = field(init=False, compare=False)
    traffic: Demand = field(init=False, compare=False)
    exact_compute: Demand | None = field(init=False, compare=False)
    hops: Demand = field(init=False, compare=False)
    footprint: Demand = field(init=False, compare=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", self.name if isinstance(self.name, Sentence) else Name(self.name))
        kernels = self.kernels
        if len(kernels) == 1 and kernels[0].times == 1 and kernels[0].name != self.name:
            kernels = (replace(kernels[0], name=self.name),)
        put(self, "kernels", kernels)
        put(self, "compute", _total((k.work, k.times) for k in kernels))
        exact = ((k.work if k.exact is None else k.exact, k.times) for k in kernels)
        put(self, "exact_compute", None if all(k.exact is None for k in kernels) else _total(exact))
        names = tensor_names(kernels)
        put(self, "reads", _merged(zip(names, kernels, (k.reads for k in kernels), strict=True)))
        put(self, "writes", _merged(zip(names, kernels, (k.writes for k in kernels), strict=True)))
        put(self, "traffic", MappingProxyType(added(_times(k.links, k.times) for k in kernels)))
        known = all(k.steps.keys() >= k.links.keys() - {MEMORY} for k in kernels)
        hops = added(_times(k.steps, k.times) for k in kernels) if known else {}
        put(self, "hops", MappingProxyType(hops))
        places = dict.fromkeys(place for k in kernels for place in k.on_chip)
        most = {p: Max(*(k.on_chip[p] for k in kernels if p in k.on_chip)) for p in places}
        put(self, "footprint", MappingProxyType(most))
        put(self, "conditions", tuple(dict.fromkeys(map(without_factor, self.conditions))))
        put(self, "dims", self._dims())
        put(self, "roles", MappingProxyType(dict(self.roles)))

    def _dims(self) -> tuple[Symbol, ...]:
        """Return the symbols in order of appearance: the given ones first, then those of shapes and of demands."""
        expressions = [size for tensor in self.tensors for size in (*tensor.shape, tensor.times)]
        expressions += [*self.compute.values(), *self.traffic.values(), *self.footprint.values()]
        found = [s for e in dict.fromkeys(expressions) for s in sorted(e.free_symbols, key=lambda s: s.name)]
        used = set(found)
        return tuple(dict.fromkeys([*(s for s in self.dims if s in used), *found]))

    # --- demands ------------------------------------------------------------------------------------

    @property
    def units(self) -> tuple[str, ...]:
        """The compute units that the operation uses."""
        return tuple(name for name, amount in self.compute.items() if _is_some(amount))

    @property
    def flops(self) -> Expr:
        """The FLOPs of the only compute unit. Those of several units are not added, as the units differ in speed.

        >>> one_kernel("softmax", {"fp32-vector": 4, "exp": 1}).flops
        Traceback (most recent call last):
            ...
        roofproof.errors.RoofproofError: softmax has FLOPs of fp32-vector, exp, which are not added; ask for those of \
one unit, as in flops(softmax, fp32-vector)
        """
        first, *more = self.units or ("",)
        if more:
            said = "<op> has FLOPs of <units>, which are not added; ask for those of one unit, as in <one>"
            one = f"flops({self.name}, {first})"
            raise RoofproofError(said, op=self.name, units=", ".join(self.units), one=one)
        return self.compute.get(first, Integer(0))

    def bytes(self, over: str = MEMORY) -> Expr:
        """Return the bytes that cross the main memory (`memory`, `hbm`, `dram`), another memory level, or a link.

        Raises RoofproofError for a memory level or link that the operation does not use.
        """
        over = channel(over)
        direct = self.traffic.get(over)
        if over == MEMORY:
            return Add(*(tensor.traffic for tensor in self.tensors), direct or 0)
        if direct is None:
            used = [*(MAIN_MEMORY if self.tensors or MEMORY in self.traffic else ()), *self.traffic]
            raise unknown("memory level or link", over, dict.fromkeys(used), of=self.name)
        return direct

    @property
    def demands(self) -> dict[str, Expr]:
        """The nonzero demands: compute resources in FLOPs, then `memory` and links in bytes."""
        links = {name: amount for name, amount in self.traffic.items() if name != MEMORY}
        every = {**self.compute, MEMORY: self.bytes(), **links}
        return {name: amount for name, amount in every.items() if _is_some(amount)}

    def refuse_lower_bound(self) -> None:
        """Raise RoofproofError if the bytes are only a lower bound: more bytes would raise a threshold."""
        if self.lower_bound:
            raise RoofproofError(
                "<name>: with <choice> its bytes are a lower bound, on which no threshold rests; leave it out",
                name=self.name, choice=self.lower_bound,
            )  # fmt: skip

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors read, then those written."""
        return (*self.reads, *self.writes)

    @property
    def parts(self) -> tuple[Operation, ...]:
        """Each kernel as an operation, so that times can be added, or nothing for a single kernel."""
        return tuple(map(self._part, self.kernels)) if len(self.kernels) > 1 else ()

    def _part(self, kernel: Kernel) -> Operation:
        name = kernel.name if kernel.times == 1 else f"{kernel.times} x {kernel.name}"
        return Operation(name, (kernel,), source=self.source, convention=self.convention, roles=self.roles)

    @property
    def loops(self) -> tuple[Symbol, ...]:
        """The sizes that can be split, each part with its share of the FLOPs. Known only for a single kernel."""
        return self.kernels[0].loops if len(self.kernels) == 1 else ()

    @property
    def grid(self) -> Expr | None:
        """The number of blocks that can run at the same time. Known only for a single kernel."""
        return self.kernels[0].blocks if len(self.kernels) == 1 and self.kernels[0].times == 1 else None

    @property
    def product(self) -> Einsum | None:
        """The einsum, if the operation is exactly one einsum."""
        return self.kernels[0].product if len(self.kernels) == 1 and self.kernels[0].times == 1 else None

    @property
    def least(self) -> Demand:
        """The bytes that every algorithm moves over each link, if known."""
        return added(_times(k.least, k.times) for k in self.kernels)

    @property
    def exact(self) -> Operation:
        """The operation with every addition counted, instead of 2 FLOPs per multiply-add."""
        if self.exact_compute is None:
            return self
        return self.map_kernels(lambda k: k if k.exact is None else replace(k, work=k.exact, exact=None))

    # --- derived operations -------------------------------------------------------------------------

    def map_kernels(self, change: Callable[[Kernel], Kernel], **others: Any) -> Self:
        """Return the operation with `change` applied to every kernel, and with other fields replaced."""
        return replace(self, kernels=tuple(map(change, self.kernels)), **others)

    def mapped(
        self,
        amount: Callable[[Expr], Expr],
        tensor: Callable[[Tensor], Tensor],
        changed: AbstractSet[Symbol] = frozenset(),
        **others: Any,
    ) -> Self:
        """Return the operation with every demand and every tensor mapped, and with other fields replaced."""
        return self.map_kernels(lambda kernel: kernel.mapped(amount, tensor, changed), **others)

    def as_one_kernel(self, **changes: Any) -> Self:
        """Return the operation as one kernel with the total demands, some of them replaced.

        >>> from roofproof.ops import parse_operation
        >>> whole = parse_operation("ffn").as_one_kernel(work={"bf16": 1})
        >>> whole.flops, whole.parts
        (1, ())
        """
        return replace(self, kernels=(replace(self.kernel, **{"product": None, **changes}),))

    @property
    def kernel(self) -> Kernel:
        """The kernel of the operation, or the sum of its kernels if there are several."""
        if len(self.kernels) == 1 and self.kernels[0].times == 1:
            return self.kernels[0]
        return Kernel(
            self.name, self.compute, self.reads, self.writes, self.traffic, self.hops, self.exact_compute,
            again=_total((k.again, k.times) for k in self.kernels),
            saved=tuple({t.name: t for k in self.kernels for t in k.saved}.values()),
            loops=self.loops, on_chip=self.footprint, least=self.least,
        )  # fmt: skip

    def provenance(self) -> dict[str, Any]:
        """Return the provenance of the demands as a JSON record, empty if only the amounts are known."""
        return {}

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[type[Any], dict[str, Any]]]:
        return _again, (type(self), _given(self))

    def __hash__(self) -> int:
        return hash((self.name, *self.compute.items(), self.reads, self.writes, *self.traffic.items()))

    def __repr__(self) -> str:
        demands = ", ".join(f"{name}: {amount}" for name, amount in self.demands.items())
        return f"Operation({self.name}: {demands})"


def one_kernel(name: str, work: Demand | None = None, **given: Any) -> Operation:
    """Return an operation of one kernel. Keywords that are not fields of `Kernel` are fields of `Operation`.

    >>> one_kernel("add", {"fp32-vector": Integer(8)}, source="counted").flops
    8
    """
    of_kernel = {key: value for key, value in given.items() if key in _KERNEL}
    of_operation = {key: value for key, value in given.items() if key not in _KERNEL}
    return Operation(name, (Kernel(name, work or {}, **of_kernel),), **of_operation)


_KERNEL = frozenset(f.name for f in fields(Kernel))


def added(demands: Iterable[Demand]) -> dict[str, Expr]:
    """Return the sum of several demands, resource by resource."""
    amounts: dict[str, list[Expr]] = {}
    for demand in demands:
        for name, amount in demand.items():
            amounts.setdefault(name, []).append(amount)
    return {name: Add(*every) for name, every in amounts.items()}  # one Add: adding one by one repeats the work


def tensor_names(kernels: Sequence[Kernel]) -> list[dict[str, str]]:
    """Return, for each kernel, the names of its tensors in the operation by their names in the kernel.

    If another tensor of the same name has a different shape or format, the name of the kernel is put in front.
    """
    taken: dict[str, Tensor] = {}
    found: list[dict[str, str]] = [{} for _ in kernels]
    for side in ("reads", "writes"):
        for kernel, names in zip(kernels, found, strict=True):
            for tensor in getattr(kernel, side):
                name, n = tensor.name, 1
                while name in taken and (taken[name].shape, taken[name].dtype) != (tensor.shape, tensor.dtype):
                    name, n = f"{kernel.name}.{tensor.name}" if n == 1 else f"{kernel.name}.{tensor.name}{n}", n + 1
                taken[name] = tensor
                names[tensor.name] = name
    return found


def _merged(groups: Iterable[tuple[dict[str, str], Kernel, tuple[Tensor, ...]]]) -> tuple[Tensor, ...]:
    """Return the tensors of several kernels. Tensors of the same name, shape and format are merged: `times` add."""
    found: dict[str, Tensor] = {}
    times: dict[str, list[Expr]] = {}
    for names, kernel, tensors in groups:
        for tensor in tensors:
            found[names[tensor.name]] = tensor
            times.setdefault(names[tensor.name], []).append(tensor.times * kernel.times)
    return tuple(
        tensor
        if (tensor.name, [tensor.times]) == (name, times[name])
        else replace(tensor, name=name, times=Add(*times[name]))
        for name, tensor in found.items()
    )


def _times(demand: Demand, times: Expr) -> Demand:
    return demand if times == 1 else {name: amount * times for name, amount in demand.items()}


def _total(demands: Iterable[tuple[Demand, Expr]]) -> Demand:
    """Return the summed FLOPs of several kernels, expanded, or the FLOPs of a single kernel unchanged."""
    every = [_times(demand, times) for demand, times in demands]
    if len(every) == 1:
        return MappingProxyType(dict(every[0]))
    return MappingProxyType({name: amount.expand() for name, amount in added(every).items()})


def _given(thing: Any) -> dict[str, Any]:
    put = {f.name: getattr(thing, f.name) for f in fields(thing) if f.init}
    return put | {name: dict(value) for name, value in put.items() if isinstance(value, MappingProxyType)}


def _again(kind: type[Any], given: dict[str, Any]) -> Any:
    return kind(**given)


def _is_some(amount: Expr) -> bool:
    return is_obviously_positive(amount) or not amount.is_zero


def _demand(amounts: Demand, usual: Callable[[str], str]) -> Demand:
    if type(amounts) is MappingProxyType:  # already checked for another kernel
        return amounts
    out: dict[str, Expr] = {}
    for name, amount in amounts.items():
        if isinstance(amount, str | float):
            raise RoofproofError(f"demand of {quoted(name)}: {amount!r} is not an exact number or expression")
        amount = sympify(amount, strict=True)
        if not is_obviously_positive(amount) and amount.is_negative:
            raise RoofproofError(f"demand of {quoted(name)}: {quoted(amount)} is negative")
        key = usual(name)
        out[key] = out[key] + amount if key in out else amount
    return MappingProxyType(out)


def without_factor(condition: Boolean) -> Boolean:
    """Return a divisibility condition without the factor that SymPy pulls out of Mod.

    >>> from sympy import Eq, Mod, Symbol
    >>> X = Symbol("X", positive=True, integer=True)
    >>> Eq(Mod(960, 8*X), 0), without_factor(Eq(Mod(960, 8*X), 0))     # 8 X divides 960 if X divides 120
    (Eq(8*(Mod(120, X)), 0), Eq(Mod(120, X), 0))
    """
    if isinstance(condition, Eq) and condition.rhs == 0 and isinstance(condition.lhs, Mul):
        factor, rest = condition.lhs.as_coeff_Mul()
        if isinstance(rest, Mod):
            return Eq(rest, 0) if factor else condition
    return condition
