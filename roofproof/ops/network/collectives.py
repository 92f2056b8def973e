"""Topologies of chips, and the bytes, steps and times of collectives over their links.

    V   bytes of the array of a collective                W   bytes/s of a link, per direction
    n   chips                                             t   seconds per hop before the first byte arrives

Every collective uses one of two patterns. In a *gather*, each chip starts with V/n bytes and ends with all V. A
reduce-scatter is a gather run backwards. In an *exchange*, each chip sends a different V/n^2 bytes to every other
chip. Data moves in consecutive steps of one hop each. A single chip moves nothing. For more chips, the formulas of a
topology are in n.

V is the array that every chip has after an all-gather, before a reduce-scatter, and before and after an all-reduce.
In an all-to-all, V is the array that is spread over all n chips. As in the sources, the additions of a reduction are
not counted.

    bandwidth   share * V / W       lower   max of the two: hops overlap with other transfers
    latency     steps * t           upper   their sum: exact if all chips move in lockstep

Sources: Austin et al., How to Scale Your Model (2025), ch. 3, Sharded Matrices (there W counts both directions of
a ring, here one); Thakur, Rabenseifner, Gropp (2005); Patarasuk, Yuan (2009).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias

import sympy
from sympy import Add, Eq, Expr, Ge, Integer, Max, Mod, Mul, Symbol, floor, log
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.ops.combine import Size, positive
from roofproof.ops.operation import Operation, one_kernel
from roofproof.ops.resources import channel
from roofproof.sentences import Sentence
from roofproof.symbols import dimension, quantity

CHAN = "Chan et al., Collective communication: theory, practice, and experience (2007)"
SCALING = "Austin et al., How to Scale Your Model (2025), ch. 3, Sharded Matrices"
THAKUR = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH (2005)"
PATARASUK = "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations (2009)"

Amount: TypeAlias = int | str | Expr
_n = dimension("n")


@dataclass(frozen=True, slots=True)
class Load:
    """The load of a collective on one link: the share of V in its busiest direction, and the number of steps.

    >>> Load("ici", Integer(1), Integer(3)).scaled(Integer(2))             # twice the bytes
    Load(link='ici', share=2, steps=3)
    """

    link: str
    share: Expr
    steps: Expr

    def scaled(self, share: Expr | int, steps: Expr | int = 1) -> Load:
        return Load(self.link, self.share * share, self.steps * steps)


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of topology of n chips: the share of V over the busiest link of a gather and of an exchange, and hops.

    `hops` is the distance between the two chips farthest apart, and the number of steps of both patterns. `ports` is
    the number of links of a chip. If `flat`, all pairs of chips are equally near, so that any split into axes works.
    `part` is the kind of a part of the topology, if different, and empty if a part does not close. `all_links_kind` is
    the kind that uses all links in both directions, if different. If `adds`, the topology may sum on the way, so that
    the least traffic of an all-reduce is not known.
    """

    kind: str
    gathered: Expr
    exchanged: Expr
    hops: Expr
    ports: Expr = Integer(1)  # noqa: RUF009  (a SymPy integer never changes)
    flat: bool = False
    part: str | None = None
    source: str = SCALING
    all_links_kind: str = ""
    adds: bool = False


ONE, TWO = Integer(1), Integer(2)
SHAPES = {
    row.kind: row
    for row in (  # kind, share of a gather, of an exchange, hops, ports
        Shape(
            "ring",
            (_n - 1) / _n,
            (_n - 1) / (2 * _n),
            _n - 1,
            part="",
            source=PATARASUK,
            all_links_kind="bidirectional ring",
        ),
        Shape(
            "bidirectional ring", (_n - 1) / (2 * _n), floor(_n**2 / 4) / (2 * _n**2), floor(_n / 2), TWO, part="line"
        ),
        Shape("line", (_n - 1) / _n, floor(_n**2 / 4) / _n**2, _n - 1, TWO),  # all but its own V/n, by one link
        Shape("full mesh", 1 / _n, 1 / _n**2, ONE, _n - 1, flat=True, source=CHAN),  # a link to each other chip
        Shape("switch", (_n - 1) / _n, (_n - 1) / _n**2, ONE, flat=True, source=THAKUR, adds=True),  # W in and W out
    )
}
ALGORITHMS = ("direct", "recursive", "ring")


@dataclass(frozen=True, slots=True)
class Topology:
    """A topology by its kind, with its link, the most chips that it joins, and the number of parallel lanes.

    >>> n = dimension("n")
    >>> Ring().gather(n)                                       # n - 1 steps of V/n
    (Load(link='ici', share=(n - 1)/n, steps=n - 1),)
    >>> Ring().exchange(n)[0].share                            # n - s blocks of V/n^2 in step s: n(n-1)/2 of them
    (n - 1)/(2*n)
    >>> BidirectionalRing().gather(n)                          # half of the ring's bytes, half of its steps
    (Load(link='ici', share=(n - 1)/(2*n), steps=floor(n/2)),)
    >>> Line().exchange(Integer(4))[0].share                   # 2 * 2 blocks of V/16 cross the middle
    1/4
    >>> FullMesh("xgmi-link").gather(n)[0].share, FullMesh().exchange(n)[0].share   # V/n and V/n^2 per link
    (1/n, n**(-2))
    >>> Switch("nvlink", algorithm="recursive").gather(Integer(8))[0].steps         # log2(8)
    3

    `lanes` is the number of such networks that share every load (torus axes under one logical axis, rails). W is the
    bandwidth of one. The `algorithm` of a switch is "direct" (each chip to all others, one hop), "recursive" (halving
    and doubling, for powers of two) or "ring". It changes the steps, not the bytes. An exchange that is not direct
    takes n - 1 steps. Raises RoofproofError for an invalid link name or number of chips, or an unknown algorithm.
    """

    link: str = "ici"
    chips: int | None = None
    lanes: Expr = field(default_factory=lambda: Integer(1))
    kind: str = "ring"
    algorithm: str = "direct"

    def __post_init__(self) -> None:
        object.__setattr__(self, "link", channel(self.link))
        object.__setattr__(self, "lanes", positive(self.lanes, "lanes"))
        if self.chips is not None and (not isinstance(self.chips, int) or self.chips < 1):
            raise RoofproofError(f"{self.kind} over {self.link}: chips {quoted(self.chips)} is not a positive integer")
        refuse_unknown("algorithm", self.algorithm, ALGORITHMS)

    @property
    def shape(self) -> Shape:
        """The row of `SHAPES` for its kind."""
        return SHAPES[self.kind]

    @property
    def source(self) -> str:
        """The source of its formulas."""
        return self.shape.source

    def gather(self, n: Expr) -> tuple[Load, ...]:
        """Return the loads of an all-gather over n chips."""
        steps = {"direct": self.diameter(n), "recursive": log(n, 2), "ring": n - 1}[self.algorithm]
        return (Load(self.link, _over(self.shape.gathered, n) / self.lanes, steps),)

    def exchange(self, n: Expr) -> tuple[Load, ...]:
        """Return the loads of an all-to-all over n chips."""
        steps = self.diameter(n) if self.algorithm == "direct" else n - 1
        return (Load(self.link, _over(self.shape.exchanged, n) / self.lanes, steps),)

    @property
    def with_all_links(self) -> Topology:
        """The same topology with all links used in both directions, as in the best algorithms."""
        return (
            replace(self, kind=self.shape.all_links_kind or self.kind, algorithm="direct")
            if self.kind in SHAPES
            else self
        )

    @property
    def adds(self) -> bool:
        """Whether the topology may sum on the way."""
        return self.kind in SHAPES and self.shape.adds

    def links(self, n: Expr) -> Expr:
        """Return the number of links of a chip, each with W in and W out at the same time."""
        return self.shape.ports.xreplace({_n: n}) * self.lanes

    def diameter(self, n: Expr) -> Expr:
        """Return the number of hops between the two chips that are farthest apart."""
        return _over(self.shape.hops, n)

    def conditions(self, n: Expr) -> tuple[Boolean, ...]:
        """Return the assumptions of the formulas about n."""
        return (Ge(n, 2),) if self.shape.flat and not n.is_Integer else ()

    def size(self, n: Size | None = None) -> Expr:
        """Return a number of chips. Raises RoofproofError, with both numbers, if the topology cannot join so many."""
        count = positive("n" if n is None else n, "chips")
        if self.chips is not None and count.is_Integer and count > self.chips:
            raise RoofproofError(f"{count} chips; {self} joins at most {self.chips}")
        if self.algorithm == "recursive" and count.is_Integer and int(count) & (int(count) - 1):
            raise RoofproofError(f"{count} chips: recursion needs a power of two; use the direct or ring algorithm")
        return count

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Return the topology of each axis of a mesh. Raises RoofproofError for a mesh that does not fit."""
        self._fits(sizes)
        if len(sizes) > 1 and not self.shape.flat:
            carries = f"{self} carries one (a torus, a full mesh or a switch carries more)"
            raise RoofproofError(f"mesh {sizes_text(sizes)} has {len(sizes)} axes; {carries}")
        return {name: self._part(name, count) for name, count in sizes.items()}

    def _fits(self, sizes: Mapping[str, Expr]) -> None:
        total = Mul(*sizes.values())
        if self.chips is not None and total.is_Integer and total > self.chips:
            raise RoofproofError(f"mesh {sizes_text(sizes)} has {total} chips; {self} joins at most {self.chips}")

    def _part(self, name: str, count: Expr) -> Topology:
        """Return the topology of `count` of its chips."""
        if self.shape.part is None or self.chips is None or not count.is_Integer or count == self.chips:
            return self
        if not self.shape.part:
            part = f"a part of a ring of {self.chips}, and in one direction a part does not close"
            cure = f"use all {self.chips} chips or a bidirectional ring"
            raise RoofproofError(f"mesh {name}={count} is {part}; {cure}")
        return Topology(self.link, self.chips, self.lanes, self.shape.part)

    def __str__(self) -> str:
        return f"{self.kind} over {self.link}"


Ring = partial(Topology, kind="ring")
BidirectionalRing = partial(Topology, kind="bidirectional ring")
Line = partial(Topology, kind="line")
FullMesh = partial(Topology, kind="full mesh")
Switch = partial(Topology, kind="switch")


def _over(formula: Expr, n: Expr) -> Expr:
    """Return a formula at n chips, which is zero for a single chip."""
    return Integer(0) if n == 1 else formula.xreplace({_n: n})


def sizes_text(sizes: Mapping[str, Expr]) -> str:
    """Return the sizes of a mesh as text, such as `X=4, Y=2`."""
    return ", ".join(f"{name}={count}" for name, count in sizes.items())


@dataclass(frozen=True, slots=True)
class Torus(Topology):
    """A box of chips with a ring along each axis, or with a line along each if `wrap` is false.

    >>> torus = Torus("ici", sizes=(4, 4))
    >>> torus.gather(torus.size())                             # 15/16 of V over two links each way on two axes
    (Load(link='ici', share=15/64, steps=4),)
    >>> torus.along(0)
    Topology(link='ici', chips=4, lanes=1, kind='bidirectional ring', algorithm='direct')

    A gather over k axes splits the array into k parts that use the axes in turn, so that every link is busy. The
    share is that of one ring, divided by k. For equal axes this is exact. For others it is the bound from the links
    into a chip, which finer parts approach. In an exchange the busiest axis decides. `chips` is the product of the
    sizes. Raises RoofproofError for no axes, or a size that is not a positive integer.

    Source: Austin et al., How to Scale Your Model (2025), ch. 3, "AllGather over multiple axes".
    """

    kind: str = "torus"
    sizes: tuple[Expr, ...] = ()
    wrap: bool = True

    def __post_init__(self) -> None:
        sizes = tuple(positive(size, f"axis {i} of the torus") for i, size in enumerate(self.sizes))
        object.__setattr__(self, "sizes", sizes)
        if not self.sizes:
            raise RoofproofError("a torus needs the sizes of its axes, as in Torus('ici', sizes=(4, 4))")
        total = Mul(*self.sizes)
        if self.chips is not None and self.chips != total:
            raise RoofproofError(f"a torus of {self.box} has {total} chips, not {self.chips}")
        object.__setattr__(self, "chips", int(total) if total.is_Integer else None)
        Topology.__post_init__(self)

    @property
    def source(self) -> str:
        return SCALING

    def conditions(self, n: Expr) -> tuple[Boolean, ...]:
        return ()

    @property
    def box(self) -> str:
        """The sizes as text, such as 4 x 4."""
        return " x ".join(map(str, self.sizes))

    @property
    def busy(self) -> tuple[Expr, ...]:
        """The sizes of the axes with more than one chip. The others have no links."""
        return tuple(s for s in self.sizes if s != 1)

    def along(self, axis: int, count: Size | None = None) -> Topology:
        """Return the ring or line along an axis, or the line of a part of it."""
        full = self.sizes[axis]
        chips = int(full) if full.is_Integer else None
        part = full if count is None else positive(count, "part of an axis")
        if chips is not None and part.is_Integer and part > chips:
            raise RoofproofError(f"{part} chips along an axis of {chips}; {self} is {self.box}")
        whole = part == full or chips is None or not part.is_Integer
        return (BidirectionalRing if self.wrap and whole else Line)(self.link, chips, self.lanes)

    def size(self, n: Size | None = None) -> Expr:
        total = Mul(*self.sizes)
        if n is not None and positive(n, "chips") != total:
            raise RoofproofError(f"a torus of {self.box} has {total} chips, not {n}; use `along` for a part of it")
        return total

    def diameter(self, n: Expr) -> Expr:
        return Add(*(self.along(i).diameter(size) for i, size in enumerate(self.sizes)))

    def gather(self, n: Expr) -> tuple[Load, ...]:
        links = (2 if self.wrap else 1) * max(len(self.busy), 1)
        return (Load(self.link, (n - 1) / (links * n) / self.lanes, self.diameter(n)),)

    def exchange(self, n: Expr) -> tuple[Load, ...]:
        # Each ring along an axis exchanges V own/n, over as many lanes.
        shares = [self.along(i).exchange(own)[0].share * own / n for i, own in enumerate(self.sizes)]
        return (Load(self.link, Max(*shares), self.diameter(n)),)

    def links(self, n: Expr) -> Expr:
        return 2 * len(self.busy) * self.lanes

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Map the axes of a mesh to those of the torus, in order."""
        self._fits(sizes)
        if len(sizes) > len(self.sizes):
            has = f"a torus of {self.box} has {len(self.sizes)}"
            raise RoofproofError(f"mesh {sizes_text(sizes)} has {len(sizes)} axes; {has}")
        for i, (full, (name, count)) in enumerate(zip(self.sizes, sizes.items(), strict=False)):
            if full.is_Integer and count.is_Integer and count > full:
                raise RoofproofError(f"mesh axis {name}={count} exceeds axis {i} of a torus of {self.box}")
        return {name: self.along(i, count) for i, (name, count) in enumerate(sizes.items())}

    def __str__(self) -> str:
        return f"{self.kind if self.wrap else 'grid'} of {self.box} over {self.link}"


@dataclass(frozen=True, slots=True)
class Hierarchical(Topology):
    """Nodes of `node` chips on an inner network. An outer network joins chips of the same position in each node.

    >>> pods = Hierarchical(inner=Switch("nvlink", 8), outer=Switch("infiniband", 4), node=8)
    >>> for load in pods.gather(Integer(32)):                  # 7/8 V inside; 3/4 of the V/8 of each position outside
    ...     print(load)
    Load(link='nvlink', share=7/8, steps=1)
    Load(link='infiniband', share=3/32, steps=1)

    W of the outer link is per chip. The two phases run one after the other. They may overlap if the array is sent in
    pieces, so the longer of the two is a lower bound. Raises RoofproofError for chips that do not fill whole nodes.

    Source: Austin et al., How to Scale Your Model (2025), ch. 12, "How to think about GPUs", cross-node collectives.
    """

    kind: str = "hierarchy"
    inner: Topology = field(default_factory=lambda: Switch("nvlink"))
    outer: Topology = field(default_factory=lambda: Switch("dcn"))
    node: Expr = field(default_factory=lambda: Integer(8))

    def __post_init__(self) -> None:
        object.__setattr__(self, "node", self.inner.size(self.node))
        object.__setattr__(self, "link", self.inner.link)
        if self.inner.link == self.outer.link:
            raise RoofproofError(f"inner and outer network are both {self.inner.link!r}; give each its own link")
        if self.chips is None and self.outer.chips is not None and self.node.is_Integer:
            object.__setattr__(self, "chips", int(self.node) * self.outer.chips)
        Topology.__post_init__(self)

    @property
    def source(self) -> str:
        return SCALING.replace("ch. 3, Sharded Matrices", "ch. 12")

    def size(self, n: Size | None = None) -> Expr:
        count = Topology.size(self, n)
        self._nodes(count)
        return count

    def _nodes(self, n: Expr) -> tuple[Expr, Expr]:
        """Return the number of chips per node that take part, and the number of nodes."""
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
        """Map the axes to the two levels: the last ones to a node, which they must fill, and the others to nodes."""
        self._fits(sizes)
        inner: dict[str, Expr] = {}
        outer = dict(sizes)
        inside, filled = self.node, Integer(1)
        while outer and filled != inside:
            name, count = outer.popitem()
            filled *= count
            if filled.is_Integer and inside.is_Integer and (filled > inside or (outer and inside % filled)):
                half = f"axis {name}={count} leaves a node of {inside} chips half way"
                raise RoofproofError(f"mesh {sizes_text(sizes)}: {half}; put axes whose product is {inside} last")
            inner = {name: count, **inner}
        if outer and filled != inside:
            raise RoofproofError(f"mesh {sizes_text(sizes)}: expected axes that fill a node of {inside} chips")
        upon = self.inner.axes(inner) | (self.outer.axes(outer) if outer else {})
        return {name: upon[name] for name in sizes}

    def __str__(self) -> str:
        return f"{self.outer} of nodes of {self.node} chips, each a {self.inner}"


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective over n chips of a topology, with its load on each link.

    >>> ring = all_reduce()
    >>> ring.demand, ring.latency                              # 2 (n - 1) steps of V/n bytes
    ({'ici': 2*V*(n - 1)/n}, 2*t*(n - 1))
    >>> ring.upper
    2*V*(n - 1)/(W*n) + 2*t*(n - 1)
    >>> ring.limit                                             # of the demand, as n grows
    {'ici': 2*V}
    >>> ring.least                                             # in both directions, by any algorithm
    {'ici': V*(n - 1)/n}
    """

    name: str
    size: Expr
    chips: Expr
    over: Topology
    loads: tuple[Load, ...]
    counted: str = "bytes per direction of the busiest link"
    least: Mapping[str, Expr] = field(default_factory=dict)

    @property
    def links(self) -> tuple[str, ...]:
        """The links used, each once."""
        return tuple(dict.fromkeys(load.link for load in self.loads))

    def bandwidth_of(self, link: str) -> Symbol:
        """Return the symbol for the bytes/s of a link per direction: W, or W_LINK if there are several links."""
        return quantity("W" if len(self.links) < 2 else f"W_{link.replace('-', '_')}")

    def latency_of(self, link: str) -> Symbol:
        """Return the symbol for the seconds per hop: t, or t_LINK if there are several links."""
        return quantity("t" if len(self.links) < 2 else f"t_{link.replace('-', '_')}")

    @property
    def demand(self) -> dict[str, Expr]:
        """The bytes that cross the busiest link of each kind, in one direction."""
        return {link: sympy.factor_terms(self.size * self._sum(link, "share")) for link in self.links}

    @property
    def hops(self) -> dict[str, Expr]:
        """The number of consecutive steps on each kind of link."""
        return {link: self._sum(link, "steps") for link in self.links}

    @property
    def bandwidth(self) -> Expr:
        """The bandwidth time, V share / W, with one phase after the other for several links."""
        return Add(*(moved / self.bandwidth_of(link) for link, moved in self.demand.items()))

    @property
    def latency(self) -> Expr:
        """The time of the hops for an empty array."""
        return Add(*(sympy.factor_terms(steps) * self.latency_of(link) for link, steps in self.hops.items()))

    @property
    def lower(self) -> Expr:
        """The time with full overlap: the maximum of the links' bandwidth times and the latency."""
        return Max(*(moved / self.bandwidth_of(link) for link, moved in self.demand.items()), self.latency)

    @property
    def upper(self) -> Expr:
        """The time without overlap: bandwidth time plus latency."""
        return self.bandwidth + self.latency

    @property
    def limit(self) -> dict[str, Expr]:
        """The demand as the number of chips grows without bound.

        Raises RoofproofError if the number of chips is not a symbol.
        """
        if not isinstance(self.chips, Symbol):
            raise RoofproofError(f"{self.name} over {self.chips} chips has no limit in n; leave n a symbol")
        smooth = {link: moved.replace(sympy.floor, lambda x: x) for link, moved in self.demand.items()}
        return {link: sympy.limit(moved, self.chips, sympy.oo) for link, moved in smooth.items()}

    @property
    def crossover(self) -> Expr:
        """The V at which bandwidth time and latency are equal. Below it the hops dominate.

        Raises RoofproofError for several links, or if nothing moves.
        """
        if len(self.links) != 1 or self.demand[self.links[0]] == 0:
            raise RoofproofError(f"{self.name} over {self.over}: expected one link that moves bytes, for a crossover")
        [link] = self.links
        rate, hop = self.bandwidth_of(link), self.latency_of(link)
        return sympy.factor_terms(self.hops[link] * hop * rate / self._sum(link, "share"))

    @property
    def conditions(self) -> tuple[Boolean, ...]:
        """The assumptions of the formulas about n."""
        return self.over.conditions(self.chips)

    def operation(self) -> Operation:
        """Return the collective as an operation with demands on its links.

        >>> all_gather(4, 8, Ring("nvlink")).operation().demands           # 3/4 of 8 bytes
        {'nvlink': 6}
        """
        return one_kernel(
            Sentence("<name> of <size> bytes over <chips> chips", name=self.name, size=self.size, chips=self.chips),
            links=self.demand,
            source=self.over.source,
            convention="; ".join((str(self.over), self.counted, *MEANT.get(self.name.partition(" ")[0], ()))),
            conditions=self.conditions,
            steps=self.hops,
            least=self.least,
            dims=tuple(s for s in sorted(self.size.free_symbols | self.chips.free_symbols, key=str)),
        )

    def _sum(self, link: str, what: str) -> Expr:
        return Add(*(getattr(load, what) for load in self.loads if load.link == link))


MEANT = {  # the meaning of V, by the first word of the name
    "all-gather": ("V bytes are what every chip has at the end",),
    "reduce-scatter": ("V bytes are what every chip has at the start",),
    "all-reduce": ("V bytes are what every chip has at the start, and at the end",),
    "all-to-all": ("V bytes are what all chips have together",),
    "point-to-point": ("V bytes are what is sent",),
}


def _least(size: Expr, chips: Expr, over: Topology, loads: tuple[Load, ...] = ()) -> dict[str, Expr]:
    """Return the bytes over a link that every algorithm moves: the loads with all links in use.

    The bytes that a chip receives, sends or forwards cross its links, at best all of them. Without loads it is an
    all-reduce: each of n - 1 chips has V bytes to be added and V sums to receive (Patarasuk, Yuan, theorem 1), unless a
    switch adds. For several levels it is not known, as data from outside need not be sent around inside.
    """
    if over.kind == "hierarchy" or (over.adds and not loads):
        return {}
    if chips == 1:
        return {over.link: Integer(0)}
    share = loads[0].share if loads else 2 * (chips - 1) / (chips * over.with_all_links.links(chips))
    return {over.link: sympy.factor_terms(size * share)}


def all_gather(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Return an all-gather: every chip starts with V/n bytes and ends with all V.

    >>> all_gather().upper                                     # n - 1 steps, V/n bytes each
    V*(n - 1)/(W*n) + t*(n - 1)
    >>> all_gather(4, "V", BidirectionalRing()).demand         # both directions: half of 3/4
    {'ici': 3*V/8}

    n is a number, a symbol or its name, and V is in bytes. `over` is a topology (default: a ring over `ici`). Raises
    RoofproofError for more chips than the topology joins. Source: Thakur et al. (2005), section 4.1.
    """
    chips, network, amount = _read(n, V, over)
    least = _least(amount, chips, network, network.with_all_links.gather(chips))
    return Collective("all-gather", amount, chips, network, network.gather(chips), least=least)


def reduce_scatter(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Return a reduce-scatter: every chip starts with V bytes to be summed over chips and ends with V/n of the sums.

    >>> reduce_scatter().demand == all_gather().demand         # an all-gather run backwards, summing on the way
    True

    Arguments and errors as for `all_gather`. Source: Thakur et al. (2005), section 4.3.
    """
    chips, network, amount = _read(n, V, over)
    least = _least(amount, chips, network, network.with_all_links.gather(chips))
    return Collective("reduce-scatter", amount, chips, network, network.gather(chips), least=least)


def all_reduce(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Return an all-reduce: every chip starts with V bytes to be summed over chips and ends with all the sums.

    >>> all_reduce(2).demand                                   # 2 (2 - 1)/2: one array each way in all
    {'ici': V}

    It is a reduce-scatter, then an all-gather. Arguments and errors as for `all_gather`. Source: Patarasuk, Yuan
    (2009), theorem 1: no algorithm sends less than 2 (n - 1)/n V.
    """
    chips, network, amount = _read(n, V, over)
    loads = tuple(Load(load.link, 2 * load.share, 2 * load.steps) for load in network.gather(chips))
    least = _least(amount, chips, network)
    return Collective("all-reduce", amount, chips, network, loads, least=least)


def tree_all_reduce(
    n: Size | None = None, V: Amount = "V", link: str = "nvlink", *, halves: bool = False
) -> Collective:
    """Return an all-reduce of V bytes up a binary tree of n chips and down again: log2(n) steps each way.

    >>> tree_all_reduce(8).upper                               # 2 * 3 steps of V bytes
    6*V/W + 6*t
    >>> tree_all_reduce(8, halves=True).upper                  # two trees, each chip a leaf of one: V in, V out
    2*V/W + 6*t

    Each step moves all of V. With `halves`, each of two trees takes half of V, in pieces, so that no step waits for
    the one before. Arguments and errors as for `all_gather`, over a switch of a power of two. Sources: Thakur et al.
    (2005), section 4; Sanders, Speck, Traeff, Two-tree algorithms for full bandwidth broadcast, reduction and scan
    (2009), which NCCL follows.
    """
    network = Switch(link, algorithm="recursive")
    chips, _, amount = _read(n, V, network)
    steps = Integer(2) * sympy.log(chips, 2)
    if halves:
        return Collective("all-reduce by two trees", amount, chips, network, (Load(link, Integer(2), steps),))
    waited = "bytes of the steps, which wait for each other"
    return Collective("all-reduce by a tree", amount, chips, network, (Load(link, steps, steps),), waited)


def one_shot_all_reduce(n: Size | None = None, V: Amount = "V", link: str = "nvlink") -> Collective:
    """Return an all-reduce in one step: every chip sends its V bytes to every other, and each sums all of them.

    >>> one_shot_all_reduce(8).upper
    7*V/W + t

    Arguments and errors as for `all_gather`, over a switch.
    """
    chips, network, amount = _read(n, V, Switch(link))
    return Collective("all-reduce in one shot", amount, chips, network, (Load(link, chips - 1, Integer(1)),))


def all_to_all(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Return an all-to-all: every chip starts with V/n bytes in n blocks of V/n^2, and sends a block to each chip.

    >>> all_to_all().demand                                    # n (n - 1)/2 blocks cross each link of a ring
    {'ici': V*(n - 1)/(2*n)}
    >>> all_to_all(over=BidirectionalRing()).limit             # a quarter of the all-gather's V/2
    {'ici': V/8}

    Arguments and errors as for `all_gather`. Source: Austin et al. (2025), ch. 3, AllToAll.
    """
    chips, network, amount = _read(n, V, over)
    least = _least(amount, chips, network, network.with_all_links.exchange(chips))
    return Collective("all-to-all", amount, chips, network, network.exchange(chips), least=least)


def point_to_point(V: Amount = "V", hops: Amount = 1, over: Topology | None = None) -> Collective:
    """Return a transfer of V bytes to another chip, `hops` hops away, in which each link forwards bytes as they arrive.

    >>> point_to_point(hops=3).upper
    V/W + 3*t

    Raises RoofproofError if `hops` is not a positive integer.
    """
    network = Ring() if over is None else over
    load, amount = Load(network.link, 1 / network.lanes, positive(hops, "hops")), byte_count(V)
    known = network.kind not in ("full mesh", "hierarchy")  # in these, other chips may forward a part
    least = {network.link: amount / network.with_all_links.links(Integer(2))} if known else {}
    return Collective("point-to-point", amount, Integer(2), network, (load,), least=least)


def _read(n: Size | None, V: Amount, over: Topology | None) -> tuple[Expr, Topology, Expr]:
    network = Ring() if over is None else over
    return network.size(n), network, byte_count(V)


def byte_count(V: Amount) -> Expr:
    """Return an amount of bytes as an expression. A name becomes a symbol."""
    if isinstance(V, str):
        if not V.isidentifier() or not V.isascii():
            raise RoofproofError(f"bytes: expected a name, a number or an expression, got {quoted(V)}")
        return quantity(V)
    exact = sympy.sympify(V, strict=True) if not isinstance(V, float) else None
    if exact is None or exact.is_nonnegative is False:
        raise RoofproofError(f"bytes: expected an exact amount from 0, got {quoted(V)}")
    return exact
