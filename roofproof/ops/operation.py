"""An operation: what it demands of compute, of memory and of links, as exact symbolic expressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sympy import Add, Eq, Expr, Mod, Mul, Symbol, sympify
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.formats import canonical
from roofproof.ops.resources import MAIN_MEMORY, MEMORY, channel, compute_resource
from roofproof.ops.tensor import Tensor, plainly_positive
from roofproof.sentences import Name, Sentence

if TYPE_CHECKING:
    from roofproof.ops.roles import Role

Demand = Mapping[str, Expr]


@dataclass(frozen=True, slots=True, repr=False)
class Operation:
    """FLOPs by compute resource, tensors read and written, and traffic that no tensor explains.

    >>> from roofproof.ops import einsum
    >>> matmul = einsum("x:bf16[B,D], w:bf16[D,F] -> z:bf16[B,F]")
    >>> matmul.flops, matmul.bytes()                           # 2 per multiply-add; 2 bytes an element
    (2*B*D*F, 2*B*D + 2*B*F + 2*D*F)

    `compute` maps a compute resource (`bf16`, `fp32-vector`) to FLOPs; `traffic` maps a channel (`ici`, `memory`)
    to bytes beyond those of the tensors; `exact_compute` is the count without the convention of 2 per multiply-add;
    `recompute` are the FLOPs that a backward pass does again, as their results stayed on chip and were not kept;
    `parts` are the operations of a sequence, so that its time can be a sum of times; `footprint` maps an on-chip
    capacity to the bytes that must fit in it; `conditions` are assumed by the formulas (divisibility by a shard)
    and belong in every answer; `grid` is the number of blocks that can be done at the same time, where it is done
    in blocks; `loops` are the dimensions known to be those of a product, so that each of n parts of one does its share
    of the FLOPs, and a result that lacks it is the sum over the parts; `at_least` is the choice (`touched=least`) by
    which its bytes are a lower bound, on which no threshold rests; `kept` are the tensors, besides the operands, that a
    backward pass reads: an output and the row statistics of a softmax; `roles` say what each size counts (roles.py),
    where that is declared; `hops` are the steps on each link that follow one another, each of which starts anew, of a
    collective by itself. Raises RoofproofError for an unknown format, a
    negative demand, or two different tensors of one name.
    """

    name: str
    compute: Demand = field(default_factory=dict)
    reads: tuple[Tensor, ...] = ()
    writes: tuple[Tensor, ...] = ()
    traffic: Demand = field(default_factory=dict)
    accumulate: str | None = None
    source: str = ""
    convention: str = ""
    exact_compute: Demand | None = None
    recompute: Demand = field(default_factory=dict)
    parts: tuple[Operation, ...] = ()
    footprint: Demand = field(default_factory=dict)
    conditions: tuple[Boolean, ...] = ()
    grid: Expr | None = None
    loops: tuple[Symbol, ...] = ()
    at_least: str = ""
    kept: tuple[Tensor, ...] = ()
    dims: tuple[Symbol, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    hops: Demand = field(default_factory=dict)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", self.name if isinstance(self.name, Sentence) else Name(self.name))
        put(self, "compute", _demand(self.compute, compute_resource))
        put(self, "traffic", _demand(self.traffic, channel))
        put(self, "footprint", _demand(self.footprint, str))
        put(self, "recompute", _demand(self.recompute, compute_resource))
        if self.exact_compute is not None:
            put(self, "exact_compute", _demand(self.exact_compute, compute_resource))
        if self.accumulate is not None:
            put(self, "accumulate", canonical(self.accumulate))
        stored: dict[str, Tensor] = {}
        for tensor in self.tensors:
            known = stored.setdefault(tensor.name, tensor)
            if (known.shape, known.dtype) != (tensor.shape, tensor.dtype):
                raise RoofproofError(f"two tensors of one name in {quoted(self.name)}: {known} and {tensor}")
        put(self, "conditions", tuple(dict.fromkeys(map(without_factor, self.conditions))))
        put(self, "dims", self._dims())
        put(self, "roles", MappingProxyType(dict(self.roles)))

    def _dims(self) -> tuple[Symbol, ...]:
        """Symbols in order of appearance: the given order first, then shapes, then the demands by name."""
        expressions = [size for tensor in self.tensors for size in (*tensor.shape, tensor.times)]
        expressions += [*self.compute.values(), *self.traffic.values(), *self.footprint.values()]
        found = [s for e in dict.fromkeys(expressions) for s in sorted(e.free_symbols, key=lambda s: s.name)]
        used = set(found)
        return tuple(dict.fromkeys([*(s for s in self.dims if s in used), *found]))

    # --- what it demands ----------------------------------------------------------------------------

    @property
    def flops(self) -> Expr:
        """All FLOPs, whatever the format."""
        return Add(*self.compute.values())

    def bytes(self, over: str = MEMORY) -> Expr:
        """The bytes that cross a channel: the main memory (`memory`, `hbm`, `dram`) or a link such as `ici`.

        Raises RoofproofError for a channel that the operation does not use.
        """
        over = channel(over)
        direct = self.traffic.get(over)
        if over == MEMORY:
            return Add(*(tensor.traffic for tensor in self.tensors), direct or 0)
        if direct is None:
            used = [*(MAIN_MEMORY if self.tensors or MEMORY in self.traffic else ()), *self.traffic]
            raise unknown(f"channel of {self.name}", over, dict.fromkeys(used))
        return direct

    @property
    def demands(self) -> dict[str, Expr]:
        """Every demand that is not zero: compute resources in FLOPs, then `memory` and links in bytes."""
        links = {name: amount for name, amount in self.traffic.items() if name != MEMORY}
        every = {**self.compute, MEMORY: self.bytes(), **links}
        return {name: amount for name, amount in every.items() if plainly_positive(amount) or not amount.is_zero}

    def refuse_lower_bound(self) -> None:
        """Refuse a threshold that would rest on bytes that are a lower bound alone: more bytes move it up."""
        if self.at_least:
            raise RoofproofError(
                "<name>: with <choice> its bytes are a lower bound, on which no threshold rests; leave it out",
                name=self.name, choice=self.at_least,
            )  # fmt: skip

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """The tensors read, then those written."""
        return (*self.reads, *self.writes)

    @property
    def exact(self) -> Operation:
        """The operation with every addition counted, where that differs from 2 per multiply-add."""
        if self.exact_compute is None and not self.parts:
            return self
        parts = tuple(part.exact for part in self.parts)
        return replace(self, compute=self.exact_compute or self.compute, exact_compute=None, parts=parts)

    def mapped(self, amount: Callable[[Expr], Expr], tensor: Callable[[Tensor], Tensor], **others: Any) -> Operation:
        """Return the operation with every demand and every tensor changed, and other fields as they are given."""

        def each(demand: Demand) -> Demand:
            return {name: amount(value) for name, value in demand.items()}

        changed: dict[str, Any] = {
            "compute": each(self.compute),
            "exact_compute": None if self.exact_compute is None else each(self.exact_compute),
            "recompute": each(self.recompute),
            "traffic": each(self.traffic),
            "reads": tuple(map(tensor, self.reads)),
            "writes": tuple(map(tensor, self.writes)),
            "kept": tuple(map(tensor, self.kept)),
            "hops": {},  # of what is made of a collective nobody counted them
        }
        return replace(self, **changed | others)

    def provenance(self) -> dict[str, Any]:
        """Return the provenance of the demands as a JSON record; empty where only the amounts are known."""
        return {}

    def __reduce__(self) -> tuple[Callable[..., Operation], tuple[type[Operation], dict[str, Any]]]:
        put = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        views = {name: dict(value) for name, value in put.items() if isinstance(value, MappingProxyType)}
        return _again, (type(self), put | views)

    def __hash__(self) -> int:
        return hash((self.name, *self.compute.items(), self.reads, self.writes, *self.traffic.items()))

    def __repr__(self) -> str:
        demands = ", ".join(f"{name}: {amount}" for name, amount in self.demands.items())
        return f"Operation({self.name}: {demands})"


def _again(kind: type[Operation], given: dict[str, Any]) -> Operation:
    return kind(**given)


def _demand(amounts: Demand, usual: Callable[[str], str]) -> Demand:
    out: dict[str, Expr] = {}
    for name, amount in amounts.items():
        if isinstance(amount, str | float):
            raise RoofproofError(f"demand of {quoted(name)}: {amount!r} is no exact number or expression")
        amount = sympify(amount, strict=True)
        if not plainly_positive(amount) and amount.is_negative:
            raise RoofproofError(f"demand of {quoted(name)}: {quoted(amount)} is negative")
        key = usual(name)
        out[key] = out[key] + amount if key in out else amount
    return MappingProxyType(out)


def without_factor(condition: Boolean) -> Boolean:
    """Return a condition of divisibility without the factor that SymPy takes out of a remainder.

    >>> from sympy import Eq, Mod, Symbol
    >>> X = Symbol("X", positive=True, integer=True)
    >>> Eq(Mod(960, 8*X), 0), without_factor(Eq(Mod(960, 8*X), 0))     # 8 X divides 960 where X divides 120
    (Eq(8*(Mod(120, X)), 0), Eq(Mod(120, X), 0))
    """
    if isinstance(condition, Eq) and condition.rhs == 0 and isinstance(condition.lhs, Mul):
        factor, rest = condition.lhs.as_coeff_Mul()
        if isinstance(rest, Mod):
            return Eq(rest, 0) if factor else condition
    return condition
