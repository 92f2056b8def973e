"""Nodes of chips joined closely inside, and by a fabric among them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sympy import Eq, Expr, Integer, Mod
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError
from roofproof.ops.combine import Size
from roofproof.ops.network.topology import SCALING, Load, Switch, Topology, shown


@dataclass(frozen=True, slots=True)
class Hierarchical(Topology):
    """Nodes of `node` chips over the inner network; chips of the same place in each node over the outer one.

    >>> pods = Hierarchical(inner=Switch("nvlink", 8), outer=Switch("infiniband", 4), node=8)
    >>> for load in pods.gather(Integer(32)):                  # 7/8 V inside; 3/4 of the V/8 of each place outside
    ...     print(load)
    Load(link='nvlink', share=7/8, steps=1)
    Load(link='infiniband', share=3/32, steps=1)

    W of the outer link is per chip. The two phases follow one another; pieces may overlap them, so the larger of
    the two times bounds it from below. Raises RoofproofError for chips that fill no whole number of nodes.

    Source: Austin et al., How to Scale Your Model (2025), ch. 12, "How to think about GPUs", cross-node collectives.
    """

    inner: Topology = field(default_factory=lambda: Switch("nvlink"))
    outer: Topology = field(default_factory=lambda: Switch("dcn"))
    node: Expr = field(default_factory=lambda: Integer(8))

    kind: ClassVar[str] = "hierarchy"
    source: ClassVar[str] = SCALING.replace("ch. 3, Sharded Matrices", "ch. 12")

    def __post_init__(self) -> None:
        object.__setattr__(self, "node", self.inner.size(self.node))
        object.__setattr__(self, "link", self.inner.link)
        if self.inner.link == self.outer.link:
            raise RoofproofError(f"inner and outer network are both {self.inner.link!r}; give each its own link")
        if self.chips is None and self.outer.chips is not None and self.node.is_Integer:
            object.__setattr__(self, "chips", int(self.node) * self.outer.chips)
        Topology.__post_init__(self)

    def size(self, n: Size | None = None) -> Expr:
        count = Topology.size(self, n)
        self._nodes(count)
        return count

    def _nodes(self, n: Expr) -> tuple[Expr, Expr]:
        """Return the chips of a node that take part, and the nodes."""
        if n.is_Integer and self.node.is_Integer:
            if n <= self.node:
                return n, Integer(1)
            if n % self.node:
                raise RoofproofError(f"{n} chips fill no whole number of nodes of {self.node}")
        return self.node, self.outer.size(n / self.node)

    def conditions(self, n: Expr) -> tuple[Boolean, ...]:
        inside, nodes = self._nodes(n)
        divides = () if Eq(Mod(n, inside), 0) == True else (Eq(Mod(n, inside), 0),)  # noqa: E712
        return (*divides, *self.inner.conditions(inside), *self.outer.conditions(nodes))

    def gather(self, n: Expr) -> tuple[Load, ...]:
        inside, nodes = self._nodes(n)
        outside = self.outer.gather(nodes) if nodes != 1 else ()
        return (*self.inner.gather(inside), *(load.scaled(1 / inside) for load in outside))

    def exchange(self, n: Expr) -> tuple[Load, ...]:
        inside, nodes = self._nodes(n)
        outside = self.outer.exchange(nodes) if nodes != 1 else ()
        within = (load.scaled(1 / nodes) for load in self.inner.exchange(inside))
        return (*within, *(load.scaled(1 / inside) for load in outside))

    def diameter(self, n: Expr) -> Expr:
        inside, nodes = self._nodes(n)
        return self.inner.diameter(inside) + (self.outer.diameter(nodes) if nodes != 1 else 0)

    def links(self, n: Expr) -> Expr:
        inside, nodes = self._nodes(n)
        return (self.inner.links(inside) + (self.outer.links(nodes) if nodes != 1 else 0)) * self.lanes

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Put the axes on the two levels: the last ones inside a node, which they must fill before one leaves it."""
        self._fits(sizes)
        inner: dict[str, Expr] = {}
        outer = dict(sizes)
        inside, filled = self.node, Integer(1)
        while outer and filled != inside:
            name, count = outer.popitem()
            filled *= count
            if filled.is_Integer and inside.is_Integer and (filled > inside or (outer and inside % filled)):
                half = f"axis {name}={count} leaves a node of {inside} chips half way"
                raise RoofproofError(f"mesh {shown(sizes)}: {half}; put axes whose product is {inside} last")
            inner = {name: count, **inner}
        if outer and filled != inside:
            raise RoofproofError(f"mesh {shown(sizes)}: the axes inside a node of {inside} chips cannot be told")
        upon = self.inner.axes(inner) | (self.outer.axes(outer) if outer else {})
        return {name: upon[name] for name in sizes}

    def __str__(self) -> str:
        return f"{self.outer} of nodes of {self.node} chips, each a {self.inner}"
