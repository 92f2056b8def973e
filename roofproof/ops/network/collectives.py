"""How chips are joined, and what a collective asks of their links: its bytes, its steps, and its time.

    V   bytes of the array a collective is about          W   bytes/s of a link, per direction
    n   chips                                             t   seconds a hop takes before the first byte arrives

Two questions decide every collective. To *gather*, each chip ends with the V bytes of which it had V/n; the
reduce-scatter is the same run backwards. To *exchange*, each chip sends a different V/n^2 to every other chip.
Data moves in steps, one after another, a hop each. A single chip moves nothing; elsewhere the formulas of a
topology are in n.

V is what every chip holds after an all-gather or before a reduce-scatter, what every chip holds and wants summed in an
all-reduce, and for an all-to-all the array that is spread over all n chips. The additions of a reduction are not
counted, as in the sources.

    bandwidth   share * V / W       lower   max of the two: hops hidden behind the transfers of others
    latency     steps * t           upper   their sum: exact when chips move step by step together

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
    """What a collective asks of one link: the share of V in its busiest direction, and the steps it takes.

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
    """A way to join n chips: the share of V over the busiest link of a gather and of an exchange, and the hops.

    `hops` are those between the two chips that are farthest apart, and the steps of both; `ports` are the links of a
    chip. A `flat` one has every two chips equally near, so that any cut into axes will do. `part` is the kind that a
    part of it is, if that is another, and empty if a part does not close. `wired` is the kind that uses all its links
    in both directions, if that is another, and one that `adds` may sum on the way, so that nothing is known of the
    least that an all-reduce takes.
    """

    kind: str
    gathered: Expr
    exchanged: Expr
    hops: Expr
    ports: Expr = Integer(1)  # noqa: RUF009  (a SymPy integer never changes)
    flat: bool = False
    part: str | None = None
    source: str = SCALING
    wired: str = ""
    adds: bool = False


ONE, TWO = Integer(1), Integer(2)
SHAPES = {
    row.kind: row
    for row in (  # kind, share of a gather, of an exchange, hops, ports
        Shape(
            "ring", (_n - 1) / _n, (_n - 1) / (2 * _n), _n - 1, part="", source=PATARASUK, wired="bidirectional ring"
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
    """Chips joined in the shape of its kind: the link, the most chips it joins, and equal links side by side.

    >>> n = dimension("n")
    >>> Ring().gather(n)                                       # n - 1 steps of V/n
    (Load(link='ici', share=(n - 1)/n, steps=n - 1),)
    >>> Ring().exchange(n)[0].share                            # n - s blocks of V/n^2 in step s: n(n-1)/2 of them
    (n - 1)/(2*n)
    >>> BidirectionalRing().gather(n)                          # half of the ring's bytes, half of its steps
    (Load(link='ici', share=(n - 1)/(2*n), steps=floor(n/2)),)
    >>> Line().exchange(Integer(4))[0].share                   # 2 * 2 blocks of V/16 cross the middle
    1/4
    >>> FullMesh("xgmi-link").gather(n)[0].share, FullMesh().exchange(n)[0].share   # a chunk, a block, a link
    (1/n, n**(-2))
    >>> Switch("nvlink", algorithm="recursive").gather(Integer(8))[0].steps         # log2(8)
    3

    `lanes` is how many such networks share every load (torus axes under one logical axis, rails); W is the
    bandwidth of one. The `algorithm` of a switch is "direct" (each chip to all others, one hop), "recursive" (halving
    and doubling, for powers of two) or "ring"; it changes the steps, not the bytes. An exchange that is not direct
    takes n - 1 steps. Raises RoofproofError for a link name or a count that cannot be, and for another algorithm.
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
        """The row of its kind."""
        return SHAPES[self.kind]

    @property
    def source(self) -> str:
        """Where its formulas are from."""
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
    def wired(self) -> Topology:
        """The same links with all of them used in both directions, as the best of algorithms does."""
        return replace(self, kind=self.shape.wired or self.kind, algorithm="direct") if self.kind in SHAPES else self

    @property
    def adds(self) -> bool:
        """Whether what joins the chips may add on the way."""
        return self.kind in SHAPES and self.shape.adds

    def links(self, n: Expr) -> Expr:
        """Return the links that a chip has, each with W in and W out at the same time."""
        return self.shape.ports.xreplace({_n: n}) * self.lanes

    def diameter(self, n: Expr) -> Expr:
        """Return the hops between the two chips that are farthest apart."""
        return _over(self.shape.hops, n)

    def conditions(self, n: Expr) -> tuple[Boolean, ...]:
        """Return the assumptions of the formulas about n."""
        return (Ge(n, 2),) if self.shape.flat and not n.is_Integer else ()

    def size(self, n: Size | None = None) -> Expr:
        """Return a number of chips that the topology can join, or refuse with both sizes."""
        count = positive("n" if n is None else n, "chips")
        if self.chips is not None and count.is_Integer and count > self.chips:
            raise RoofproofError(f"{count} chips; {self} joins at most {self.chips}")
        if self.algorithm == "recursive" and count.is_Integer and int(count) & (int(count) - 1):
            raise RoofproofError(f"{count} chips: recursion needs a power of two; use the direct or ring algorithm")
        return count

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Return the topology that each axis of a mesh rides on, or refuse a mesh that does not fit."""
        self._fits(sizes)
        if len(sizes) > 1 and not self.shape.flat:
            carries = f"{self} carries one (a torus, a full mesh or a switch carries more)"
            raise RoofproofError(f"mesh {shown(sizes)} has {len(sizes)} axes; {carries}")
        return {name: self._part(name, count) for name, count in sizes.items()}

    def _fits(self, sizes: Mapping[str, Expr]) -> None:
        total = Mul(*sizes.values())
        if self.chips is not None and total.is_Integer and total > self.chips:
            raise RoofproofError(f"mesh {shown(sizes)} has {total} chips; {self} joins at most {self.chips}")

    def _part(self, name: str, count: Expr) -> Topology:
        """Return what so many of its chips are."""
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
    """Return a formula at n chips; of a single chip it is none."""
    return Integer(0) if n == 1 else formula.xreplace({_n: n})


def shown(sizes: Mapping[str, Expr]) -> str:
    """Return the sizes of a mesh as a person writes them."""
    return ", ".join(f"{name}={count}" for name, count in sizes.items())


@dataclass(frozen=True, slots=True)
class Torus(Topology):
    """Chips in a box, with a ring along each axis; without `wrap`, a line along each.

    >>> torus = Torus("ici", sizes=(4, 4))
    >>> torus.gather(torus.size())                             # 15/16 of V over two links each way on two axes
    (Load(link='ici', share=15/64, steps=4),)
    >>> torus.along(0)
    Topology(link='ici', chips=4, lanes=1, kind='bidirectional ring', algorithm='direct')

    A gather over k axes cuts the array in k parts that take the axes in turn, so that every link is busy: the
    share is that of one ring, over k, exactly so for equal axes (for others the links into a chip bound it, and
    finer parts come as near as one likes). In an exchange the busiest axis decides. `chips` is the product of
    the sizes. Raises RoofproofError for no axes, or a size that is not a positive integer.

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
        """The sizes as they are written: 4 x 4."""
        return " x ".join(map(str, self.sizes))

    @property
    def busy(self) -> tuple[Expr, ...]:
        """The axes of more than one chip: the others have no links."""
        return tuple(s for s in self.sizes if s != 1)

    def along(self, axis: int, count: Size | None = None) -> Topology:
        """Return the ring (or line) along an axis, or the line that a part of it is."""
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
        # The rings along an axis exchange V own/n each, over lanes as many.
        shares = [self.along(i).exchange(own)[0].share * own / n for i, own in enumerate(self.sizes)]
        return (Load(self.link, Max(*shares), self.diameter(n)),)

    def links(self, n: Expr) -> Expr:
        return 2 * len(self.busy) * self.lanes

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Put the axes of a mesh on those of the torus, in order."""
        self._fits(sizes)
        if len(sizes) > len(self.sizes):
            has = f"a torus of {self.box} has {len(self.sizes)}"
            raise RoofproofError(f"mesh {shown(sizes)} has {len(sizes)} axes; {has}")
        for i, (full, (name, count)) in enumerate(zip(self.sizes, sizes.items(), strict=False)):
            if full.is_Integer and count.is_Integer and count > full:
                raise RoofproofError(f"mesh axis {name}={count} exceeds axis {i} of a torus of {self.box}")
        return {name: self.along(i, count) for i, (name, count) in enumerate(sizes.items())}

    def __str__(self) -> str:
        return f"{self.kind if self.wrap else 'grid'} of {self.box} over {self.link}"


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
            raise RoofproofError(f"mesh {shown(sizes)}: expected axes that fill a node of {inside} chips")
        upon = self.inner.axes(inner) | (self.outer.axes(outer) if outer else {})
        return {name: upon[name] for name in sizes}

    def __str__(self) -> str:
        return f"{self.outer} of nodes of {self.node} chips, each a {self.inner}"


@dataclass(frozen=True, slots=True)
class Collective:
    """A collective over n chips of a topology, with the load it puts on each link.

    >>> ring = all_reduce()
    >>> ring.demand, ring.latency                              # 2 (n - 1) steps of V/n bytes
    ({'ici': 2*V*(n - 1)/n}, 2*t*(n - 1))
    >>> ring.upper
    2*V*(n - 1)/(W*n) + 2*t*(n - 1)
    >>> ring.limit                                             # of the demand, as n grows
    {'ici': 2*V}
    >>> ring.least                                             # both ways round, by any algorithm
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
        """The symbol for the bytes/s of a link per direction: W, or W_LINK where there are several."""
        return quantity("W" if len(self.links) < 2 else f"W_{link.replace('-', '_')}")

    def latency_of(self, link: str) -> Symbol:
        """The symbol for the seconds of a hop: t, or t_LINK where there are several links."""
        return quantity("t" if len(self.links) < 2 else f"t_{link.replace('-', '_')}")

    @property
    def demand(self) -> dict[str, Expr]:
        """The bytes that cross the busiest link of each kind, in one direction."""
        return {link: sympy.factor_terms(self.size * self._sum(link, "share")) for link in self.links}

    @property
    def hops(self) -> dict[str, Expr]:
        """The steps that follow one another on each kind of link."""
        return {link: self._sum(link, "steps") for link in self.links}

    @property
    def bandwidth(self) -> Expr:
        """The time that bandwidth allows, V share / W; over several links one phase after the other."""
        return Add(*(moved / self.bandwidth_of(link) for link, moved in self.demand.items()))

    @property
    def latency(self) -> Expr:
        """The time that the hops take when the array is empty."""
        return Add(*(sympy.factor_terms(steps) * self.latency_of(link) for link, steps in self.hops.items()))

    @property
    def lower(self) -> Expr:
        """The time with every overlap: the maximum over the links' bandwidth times and the latency."""
        return Max(*(moved / self.bandwidth_of(link) for link, moved in self.demand.items()), self.latency)

    @property
    def upper(self) -> Expr:
        """The time with no overlap: bandwidth time and latency, added."""
        return self.bandwidth + self.latency

    @property
    def limit(self) -> dict[str, Expr]:
        """The demand as the number of chips grows without bound.

        Raises RoofproofError for a number of chips that is not a symbol.
        """
        if not isinstance(self.chips, Symbol):
            raise RoofproofError(f"{self.name} over {self.chips} chips has no limit in n; leave n a symbol")
        smooth = {link: moved.replace(sympy.floor, lambda x: x) for link, moved in self.demand.items()}
        return {link: sympy.limit(moved, self.chips, sympy.oo) for link, moved in smooth.items()}

    @property
    def crossover(self) -> Expr:
        """The V at which bandwidth time and latency are equal: below it the hops decide.

        Raises RoofproofError over several links, or where nothing moves.
        """
        if len(self.links) != 1 or self.demand[self.links[0]] == 0:
            raise RoofproofError(f"{self.name} over {self.over}: expected one link that moves bytes, for a crossover")
        [link] = self.links
        rate, hop = self.bandwidth_of(link), self.latency_of(link)
        return sympy.factor_terms(self.hops[link] * hop * rate / self._sum(link, "share"))

    @property
    def conditions(self) -> tuple[Boolean, ...]:
        """What the formulas assume about n."""
        return self.over.conditions(self.chips)

    def operation(self) -> Operation:
        """Return the collective as an operation that demands bytes of its links.

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


MEANT = {  # what V is, by the first word of the name
    "all-gather": ("V bytes are what every chip has at the end",),
    "reduce-scatter": ("V bytes are what every chip has at the start",),
    "all-reduce": ("V bytes are what every chip has at the start, and at the end",),
    "all-to-all": ("V bytes are what all chips have together",),
    "point-to-point": ("V bytes are what is sent",),
}


def _least(size: Expr, chips: Expr, over: Topology, loads: tuple[Load, ...] = ()) -> dict[str, Expr]:
    """Return the bytes over a link that every algorithm moves: the loads of the same links, all of them in use.

    What a chip takes in, gives off or passes on crosses its links, all of them at best. Without loads it is an
    all-reduce: each of n - 1 chips has V bytes to be added, and V sums to be told (Patarasuk, Yuan, theorem 1), but for
    what a switch adds. Of several levels it is not known, as what comes in from outside need not go round inside.
    """
    if over.kind == "hierarchy" or (over.adds and not loads):
        return {}
    if chips == 1:
        return {over.link: Integer(0)}
    share = loads[0].share if loads else 2 * (chips - 1) / (chips * over.wired.links(chips))
    return {over.link: sympy.factor_terms(size * share)}


def all_gather(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Every chip starts with V/n bytes and ends with all V.

    >>> all_gather().upper                                     # n - 1 steps, V/n bytes each
    V*(n - 1)/(W*n) + t*(n - 1)
    >>> all_gather(4, "V", BidirectionalRing()).demand         # both ways: half of 3/4
    {'ici': 3*V/8}

    n chips (a number, a symbol or its name), V bytes, `over` a topology (a ring over `ici` if left out). Raises
    RoofproofError for more chips than the topology joins. Source: Thakur et al. (2005), section 4.1.
    """
    chips, network, amount = _read(n, V, over)
    least = _least(amount, chips, network, network.wired.gather(chips))
    return Collective("all-gather", amount, chips, network, network.gather(chips), least=least)


def reduce_scatter(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Every chip starts with V bytes to be summed over chips and ends with V/n of the sums.

    >>> reduce_scatter().demand == all_gather().demand         # an all-gather run backwards, summing on the way
    True

    Arguments and errors as for `all_gather`. Source: Thakur et al. (2005), section 4.3.
    """
    chips, network, amount = _read(n, V, over)
    least = _least(amount, chips, network, network.wired.gather(chips))
    return Collective("reduce-scatter", amount, chips, network, network.gather(chips), least=least)


def all_reduce(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Every chip starts with V bytes to be summed over chips and ends with all the sums.

    >>> all_reduce(2).demand                                   # 2 (2 - 1)/2: one array each way in all
    {'ici': V}

    A reduce-scatter, then an all-gather. Arguments and errors as for `all_gather`. Source: Patarasuk, Yuan
    (2009), theorem 1: no algorithm sends less than 2 (n - 1)/n V.
    """
    chips, network, amount = _read(n, V, over)
    loads = tuple(Load(load.link, 2 * load.share, 2 * load.steps) for load in network.gather(chips))
    least = _least(amount, chips, network)
    return Collective("all-reduce", amount, chips, network, loads, least=least)


def tree_all_reduce(
    n: Size | None = None, V: Amount = "V", link: str = "nvlink", *, halves: bool = False
) -> Collective:
    """Sums of V bytes up a binary tree of n chips, and down again: log2(n) steps each way.

    >>> tree_all_reduce(8).upper                               # 2 * 3 steps of V bytes
    6*V/W + 6*t
    >>> tree_all_reduce(8, halves=True).upper                  # two trees, a chip is a leaf of one: V in, V out
    2*V/W + 6*t

    All of V crosses in each step. With `halves` each of two trees takes half of V, piece after piece, so that a step is
    not waited for. Arguments and errors as for `all_gather`, over a switch of a power of two. Sources: Thakur et al.
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
    """Every chip sends all of its V bytes to every other, and each sums what came: one step.

    >>> one_shot_all_reduce(8).upper
    7*V/W + t

    Arguments and errors as for `all_gather`, over a switch.
    """
    chips, network, amount = _read(n, V, Switch(link))
    return Collective("all-reduce in one shot", amount, chips, network, (Load(link, chips - 1, Integer(1)),))


def all_to_all(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Every chip starts with V/n bytes, cut in n blocks of V/n^2, and sends a block to each chip.

    >>> all_to_all().demand                                    # n (n - 1)/2 blocks cross each link of a ring
    {'ici': V*(n - 1)/(2*n)}
    >>> all_to_all(over=BidirectionalRing()).limit             # a quarter of the all-gather's V/2
    {'ici': V/8}

    Arguments and errors as for `all_gather`. Source: Austin et al. (2025), ch. 3, AllToAll.
    """
    chips, network, amount = _read(n, V, over)
    least = _least(amount, chips, network, network.wired.exchange(chips))
    return Collective("all-to-all", amount, chips, network, network.exchange(chips), least=least)


def point_to_point(V: Amount = "V", hops: Amount = 1, over: Topology | None = None) -> Collective:
    """One chip sends V bytes to another, `hops` hops away, each link passing on what has come.

    >>> point_to_point(hops=3).upper
    V/W + 3*t

    Raises RoofproofError for hops that are no positive integer.
    """
    network = Ring() if over is None else over
    load, amount = Load(network.link, 1 / network.lanes, positive(hops, "hops")), byte_count(V)
    known = network.kind not in ("full mesh", "hierarchy")  # in which others pass on as much as they can
    least = {network.link: amount / network.wired.links(Integer(2))} if known else {}
    return Collective("point-to-point", amount, Integer(2), network, (load,), least=least)


def _read(n: Size | None, V: Amount, over: Topology | None) -> tuple[Expr, Topology, Expr]:
    network = Ring() if over is None else over
    return network.size(n), network, byte_count(V)


def byte_count(V: Amount) -> Expr:
    """Return an amount of bytes: a name becomes a symbol, numbers and expressions are taken as they are."""
    if isinstance(V, str):
        if not V.isidentifier() or not V.isascii():
            raise RoofproofError(f"bytes: expected a name, a number or an expression, got {quoted(V)}")
        return quantity(V)
    exact = sympy.sympify(V, strict=True) if not isinstance(V, float) else None
    if exact is None or exact.is_nonnegative is False:
        raise RoofproofError(f"bytes: expected an exact amount from 0, got {quoted(V)}")
    return exact
