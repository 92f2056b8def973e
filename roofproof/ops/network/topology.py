"""How chips are joined: each topology says which share of the data its busiest link carries, and in how many steps.

    V   bytes of the array a collective is about          W   bytes/s of a link, per direction
    n   chips                                             t   seconds a hop takes before the first byte arrives

Two questions decide every collective. To *gather*, each chip ends with the V bytes of which it had V/n; the
reduce-scatter is the same run backwards. To *exchange*, each chip sends a different V/n^2 to every other chip.
Data moves in steps, one after another, a hop each. A single chip moves nothing; elsewhere the formulas of a
topology are in n.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sympy import Expr, Ge, Integer, Mul, floor, log
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, refuse_unknown
from roofproof.ops.combine import Size, positive
from roofproof.ops.resources import channel
from roofproof.symbols import dimension

CHAN = "Chan et al., Collective communication: theory, practice, and experience (2007)"
SCALING = "Austin et al., How to Scale Your Model (2025), ch. 3, Sharded Matrices"
THAKUR = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH (2005)"
PATARASUK = "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations (2009)"


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
class Topology:
    """What all topologies share: the name of the link, the most chips it joins, and equal links side by side.

    `lanes` is how many such networks share every load (torus axes under one logical axis, rails); W is the
    bandwidth of one. Raises RoofproofError for a link name or a count that cannot be.
    """

    link: str = "ici"
    chips: int | None = None
    lanes: Expr = field(default_factory=lambda: Integer(1))

    kind: ClassVar[str] = "topology"
    source: ClassVar[str] = SCALING
    gathered: ClassVar[Expr]  # the share of V over the busiest link, of a gather
    exchanged: ClassVar[Expr]  # and of an exchange
    farthest: ClassVar[Expr]  # hops between the two chips that are farthest apart, and the steps of both
    ports: ClassVar[Expr] = Integer(1)  # the links of a chip
    flat: ClassVar[bool] = False  # whether every two chips are equally near, so that any cut into axes will do

    def __post_init__(self) -> None:
        object.__setattr__(self, "link", channel(self.link))
        object.__setattr__(self, "lanes", positive(self.lanes, "lanes"))
        if self.chips is not None and (not isinstance(self.chips, int) or self.chips < 1):
            raise RoofproofError(f"{self.kind} over {self.link}: chips {quoted(self.chips)} is no positive integer")

    def gather(self, n: Expr) -> tuple[Load, ...]:
        """Return the loads of an all-gather over n chips."""
        return (Load(self.link, _over(self.gathered, n) / self.lanes, self.diameter(n)),)

    def exchange(self, n: Expr) -> tuple[Load, ...]:
        """Return the loads of an all-to-all over n chips."""
        return (Load(self.link, _over(self.exchanged, n) / self.lanes, self.diameter(n)),)

    def links(self, n: Expr) -> Expr:
        """Return the links that a chip has, each with W in and W out at the same time."""
        return self.ports.xreplace({_n: n}) * self.lanes

    def diameter(self, n: Expr) -> Expr:
        """Return the hops between the two chips that are farthest apart."""
        return _over(self.farthest, n)

    def conditions(self, n: Expr) -> tuple[Boolean, ...]:
        """Return the assumptions of the formulas about n."""
        return (Ge(n, 2),) if self.flat and not n.is_Integer else ()

    def size(self, n: Size | None = None) -> Expr:
        """Return a number of chips that the topology can join, or refuse with both sizes."""
        count = positive("n" if n is None else n, "chips")
        if self.chips is not None and count.is_Integer and count > self.chips:
            raise RoofproofError(f"{count} chips; {self} joins at most {self.chips}")
        return count

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Return the topology that each axis of a mesh rides on, or refuse a mesh that does not fit."""
        self._fits(sizes)
        if len(sizes) > 1 and not self.flat:
            carries = f"{self} carries one (a torus, a full mesh or a switch carries more)"
            raise RoofproofError(f"mesh {shown(sizes)} has {len(sizes)} axes; {carries}")
        return {name: self._part(name, count) for name, count in sizes.items()}

    def _fits(self, sizes: Mapping[str, Expr]) -> None:
        total = Mul(*sizes.values())
        if self.chips is not None and total.is_Integer and total > self.chips:
            raise RoofproofError(f"mesh {shown(sizes)} has {total} chips; {self} joins at most {self.chips}")

    def _part(self, name: str, count: Expr) -> Topology:
        return self

    def __str__(self) -> str:
        return f"{self.kind} over {self.link}"


@dataclass(frozen=True, slots=True)
class Ring(Topology):
    """A ring used in one direction: a chip sends to the next over one link.

    >>> n = dimension("n")
    >>> Ring().gather(n)                                       # n - 1 steps of V/n
    (Load(link='ici', share=(n - 1)/n, steps=n - 1),)
    >>> Ring().exchange(n)[0].share                            # n - s blocks of V/n^2 in step s: n(n-1)/2 of them
    (n - 1)/(2*n)
    """

    kind: ClassVar[str] = "ring"
    source: ClassVar[str] = PATARASUK
    gathered: ClassVar[Expr] = (_n - 1) / _n
    exchanged: ClassVar[Expr] = (_n - 1) / (2 * _n)
    farthest: ClassVar[Expr] = _n - 1

    def _part(self, name: str, count: Expr) -> Topology:
        if self.chips is not None and count.is_Integer and count != self.chips:
            part = f"a part of a ring of {self.chips}, and in one direction a part does not close"
            cure = f"use all {self.chips} chips or a bidirectional ring"
            raise RoofproofError(f"mesh {name}={count} is {part}; {cure}")
        return self


@dataclass(frozen=True, slots=True)
class BidirectionalRing(Topology):
    """A ring used in both directions at once: a link to each neighbour; of two chips, two links between them.

    >>> BidirectionalRing().gather(dimension("n"))             # half of the ring's bytes, half of its steps
    (Load(link='ici', share=(n - 1)/(2*n), steps=floor(n/2)),)
    >>> BidirectionalRing().exchange(Integer(4))[0].share      # blocks of V/16: 1 + 2/2 in each direction
    1/8
    """

    kind: ClassVar[str] = "bidirectional ring"
    gathered: ClassVar[Expr] = (_n - 1) / (2 * _n)
    exchanged: ClassVar[Expr] = floor(_n**2 / 4) / (2 * _n**2)
    farthest: ClassVar[Expr] = floor(_n / 2)
    ports: ClassVar[Expr] = Integer(2)

    def _part(self, name: str, count: Expr) -> Topology:
        if self.chips is not None and count.is_Integer and count != self.chips:
            return Line(self.link, self.chips, self.lanes)
        return self


@dataclass(frozen=True, slots=True)
class Line(Topology):
    """Chips in a row, no way around: the end chip gets everything through its one link.

    >>> Line().gather(dimension("n"))                          # all but its own V/n
    (Load(link='ici', share=(n - 1)/n, steps=n - 1),)
    >>> Line().exchange(Integer(4))[0].share                   # 2 * 2 blocks of V/16 cross the middle
    1/4
    """

    kind: ClassVar[str] = "line"
    gathered: ClassVar[Expr] = (_n - 1) / _n
    exchanged: ClassVar[Expr] = floor(_n**2 / 4) / _n**2
    farthest: ClassVar[Expr] = _n - 1
    ports: ClassVar[Expr] = Integer(2)


@dataclass(frozen=True, slots=True)
class FullMesh(Topology):
    """A link between every two chips, W per direction each; each chip deals with all others at once.

    >>> n = dimension("n")
    >>> FullMesh("xgmi-link").gather(n)[0].share, FullMesh().exchange(n)[0].share   # a chunk, a block, a link
    (1/n, n**(-2))
    """

    kind: ClassVar[str] = "full mesh"
    source: ClassVar[str] = CHAN
    gathered: ClassVar[Expr] = 1 / _n
    exchanged: ClassVar[Expr] = 1 / _n**2
    farthest: ClassVar[Expr] = Integer(1)
    ports: ClassVar[Expr] = _n - 1
    flat: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Switch(Topology):
    """Each chip has one port of W in and W out into a switch that never blocks (an NVLink domain).

    >>> Switch("nvlink").gather(dimension("n"))                # the port lets in all but the chip's own V/n
    (Load(link='nvlink', share=(n - 1)/n, steps=1),)
    >>> Switch("nvlink", algorithm="recursive").gather(Integer(8))[0].steps         # log2(8)
    3

    `algorithm` is "direct" (each chip to all others, one hop), "recursive" (halving and doubling, for powers of
    two) or "ring"; it changes the steps, not the bytes. An exchange that is not direct takes n - 1 steps. Raises
    RoofproofError for another algorithm, or recursion over chips that are no power of two.
    """

    algorithm: str = "direct"

    kind: ClassVar[str] = "switch"
    source: ClassVar[str] = THAKUR
    gathered: ClassVar[Expr] = (_n - 1) / _n
    exchanged: ClassVar[Expr] = (_n - 1) / _n**2
    farthest: ClassVar[Expr] = Integer(1)
    flat: ClassVar[bool] = True

    def __post_init__(self) -> None:
        Topology.__post_init__(self)
        refuse_unknown("algorithm", self.algorithm, ("direct", "recursive", "ring"))

    def size(self, n: Size | None = None) -> Expr:
        count = Topology.size(self, n)
        if self.algorithm == "recursive" and count.is_Integer and int(count) & (int(count) - 1):
            raise RoofproofError(f"{count} chips: recursion needs a power of two; use the direct or ring algorithm")
        return count

    def gather(self, n: Expr) -> tuple[Load, ...]:
        [direct] = Topology.gather(self, n)
        steps = {"direct": direct.steps, "recursive": log(n, 2), "ring": n - 1}[self.algorithm]
        return (Load(direct.link, direct.share, steps),)

    def exchange(self, n: Expr) -> tuple[Load, ...]:
        [direct] = Topology.exchange(self, n)
        return (Load(direct.link, direct.share, direct.steps if self.algorithm == "direct" else n - 1),)


def _over(formula: Expr, n: Expr) -> Expr:
    """Return a formula at n chips; of a single chip it is none."""
    return Integer(0) if n == 1 else formula.xreplace({_n: n})


def shown(sizes: Mapping[str, Expr]) -> str:
    """Return the sizes of a mesh as a person writes them."""
    return ", ".join(f"{name}={count}" for name, count in sizes.items())
