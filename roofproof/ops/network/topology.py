"""How chips are joined: each topology says which share of the data its busiest link carries, and in how many steps.

    V   bytes of the array a collective is about          W   bytes/s of a link, per direction
    n   chips                                             t   seconds a hop takes before the first byte arrives

Two questions decide every collective. To *gather*, each chip ends with the V bytes of which it had V/n; the
reduce-scatter is the same run backwards. To *exchange*, each chip sends a different V/n^2 to every other chip.
Data moves in steps, one after another, a hop each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from sympy import Expr, Ge, Integer, Mul, floor, log
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted, unknown
from roofproof.ops.algebra._common import Size, positive
from roofproof.ops.resources import channel

CHAN = "Chan et al., Collective communication: theory, practice, and experience (2007)"
SCALING = "Austin et al., How to Scale Your Model (2025), ch. 3, Sharded Matrices"
THAKUR = "Thakur, Rabenseifner, Gropp, Optimization of Collective Communication Operations in MPICH (2005)"
PATARASUK = "Patarasuk, Yuan, Bandwidth optimal all-reduce algorithms for clusters of workstations (2009)"


@dataclass(frozen=True, slots=True)
class Load:
    """What a collective asks of one link: the share of V in its busiest direction, and the steps it takes.

    >>> Load("ici", Integer(1), Integer(3)).scaled(Integer(2))             # twice the bytes
    Load(link='ici', share=2, steps=3)
    """

    link: str
    share: Expr
    steps: Expr

    def scaled(self, share: Expr, steps: Expr | int = 1) -> Load:
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
    ports: ClassVar[int] = 1  # the links of a chip, where their number does not depend on that of the chips

    def __post_init__(self) -> None:
        object.__setattr__(self, "link", channel(self.link))
        object.__setattr__(self, "lanes", positive(self.lanes, "lanes"))
        if self.chips is not None and (not isinstance(self.chips, int) or self.chips < 1):
            raise RoofproofError(f"{self.kind} over {self.link}: chips {quoted(self.chips)} is no positive integer")

    def gather(self, n: Expr) -> tuple[Load, ...]:
        """Return the loads of an all-gather over n chips."""
        share, steps = self._gather(n)
        return (Load(self.link, share / self.lanes, steps),)

    def exchange(self, n: Expr) -> tuple[Load, ...]:
        """Return the loads of an all-to-all over n chips."""
        share, steps = self._exchange(n)
        return (Load(self.link, share / self.lanes, steps),)

    def links(self, n: Expr) -> Expr:
        """Return the links that a chip has, each with W in and W out at the same time."""
        return self._links(n) * self.lanes

    def diameter(self, n: Expr) -> Expr:
        """Return the hops between the two chips that are farthest apart."""
        raise NotImplementedError

    def conditions(self, n: Expr) -> tuple[Boolean, ...]:
        """Return what the formulas assume about n."""
        return ()

    def _gather(self, n: Expr) -> tuple[Expr, Expr]:
        raise NotImplementedError

    def _exchange(self, n: Expr) -> tuple[Expr, Expr]:
        raise NotImplementedError

    def _links(self, n: Expr) -> Expr:
        return Integer(self.ports)

    def size(self, n: Size | None = None) -> Expr:
        """Return a number of chips that the topology can join, or refuse with both sizes."""
        count = positive("n" if n is None else n, "chips")
        if self.chips is not None and count.is_Integer and count > self.chips:
            raise RoofproofError(f"{count} chips; {self} joins at most {self.chips}")
        return count

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        """Return the topology that each axis of a mesh rides on, or refuse a mesh that does not fit."""
        self._fits(sizes)
        if len(sizes) > 1:
            raise RoofproofError(
                f"mesh {shown(sizes)} has {len(sizes)} axes; {self} carries one (a torus, a full mesh or a switch "
                f"carries more)"
            )
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

    >>> from roofproof.symbols import dimension
    >>> n = dimension("n")
    >>> Ring().gather(n)                                       # n - 1 steps of V/n
    (Load(link='ici', share=(n - 1)/n, steps=n - 1),)
    >>> Ring().exchange(n)[0].share                            # n - s blocks of V/n^2 in step s: n(n-1)/2 of them
    (n - 1)/(2*n)
    """

    kind: ClassVar[str] = "ring"
    source: ClassVar[str] = PATARASUK

    def _gather(self, n: Expr) -> tuple[Expr, Expr]:
        return (n - 1) / n, n - 1

    def _exchange(self, n: Expr) -> tuple[Expr, Expr]:
        return (n - 1) / (2 * n), n - 1

    def diameter(self, n: Expr) -> Expr:
        return n - 1

    def _part(self, name: str, count: Expr) -> Topology:
        if self.chips is not None and count.is_Integer and count != self.chips:
            raise RoofproofError(
                f"mesh {name}={count} is a part of a ring of {self.chips}, and in one direction a part does not "
                f"close; use all {self.chips} chips or a bidirectional ring"
            )
        return self


@dataclass(frozen=True, slots=True)
class BidirectionalRing(Topology):
    """A ring used in both directions at once: a link to each neighbour; of two chips, two links between them.

    >>> from roofproof.symbols import dimension
    >>> n = dimension("n")
    >>> BidirectionalRing().gather(n)                          # half of the ring's bytes, half of its steps
    (Load(link='ici', share=(n - 1)/(2*n), steps=floor(n/2)),)
    >>> BidirectionalRing().exchange(Integer(4))[0].share      # blocks of V/16: 1 + 2/2 in each direction
    1/8
    """

    kind: ClassVar[str] = "bidirectional ring"
    ports: ClassVar[int] = 2

    def _gather(self, n: Expr) -> tuple[Expr, Expr]:
        return (n - 1) / (2 * n), floor(n / 2)

    def _exchange(self, n: Expr) -> tuple[Expr, Expr]:
        return floor(n**2 / 4) / (2 * n**2), floor(n / 2)

    def diameter(self, n: Expr) -> Expr:
        return floor(n / 2)

    def _part(self, name: str, count: Expr) -> Topology:
        if self.chips is not None and count.is_Integer and count != self.chips:
            return Line(self.link, self.chips, self.lanes)
        return self


@dataclass(frozen=True, slots=True)
class Line(Topology):
    """Chips in a row, no way around: the end chip gets everything through its one link.

    >>> from roofproof.symbols import dimension
    >>> n = dimension("n")
    >>> Line().gather(n)                                       # all but its own V/n
    (Load(link='ici', share=(n - 1)/n, steps=n - 1),)
    >>> Line().exchange(Integer(4))[0].share                   # 2 * 2 blocks of V/16 cross the middle
    1/4
    """

    kind: ClassVar[str] = "line"
    ports: ClassVar[int] = 2

    def _gather(self, n: Expr) -> tuple[Expr, Expr]:
        return (n - 1) / n, n - 1

    def _exchange(self, n: Expr) -> tuple[Expr, Expr]:
        return floor(n**2 / 4) / n**2, n - 1

    def diameter(self, n: Expr) -> Expr:
        return n - 1


class _AnyAxes(Topology):
    """Every pair of chips is equally near, so any cut into axes will do."""

    __slots__ = ()

    def axes(self, sizes: Mapping[str, Expr]) -> dict[str, Topology]:
        self._fits(sizes)
        return {name: self for name in sizes}

    def diameter(self, n: Expr) -> Expr:
        return steps_if_any(n)

    def conditions(self, n: Expr) -> tuple[Boolean, ...]:
        return () if n.is_Integer else (Ge(n, 2),)


@dataclass(frozen=True, slots=True)
class FullMesh(_AnyAxes):
    """A link between every two chips, W per direction each; each chip deals with all others at once.

    >>> from roofproof.symbols import dimension
    >>> n = dimension("n")
    >>> FullMesh("xgmi-link").gather(n)[0].share, FullMesh().exchange(n)[0].share   # a chunk, a block, a link
    (1/n, n**(-2))
    """

    kind: ClassVar[str] = "full mesh"
    source: ClassVar[str] = CHAN

    def _gather(self, n: Expr) -> tuple[Expr, Expr]:
        return (1 / n if n != 1 else Integer(0)), steps_if_any(n)

    def _exchange(self, n: Expr) -> tuple[Expr, Expr]:
        return (1 / n**2 if n != 1 else Integer(0)), steps_if_any(n)

    def _links(self, n: Expr) -> Expr:
        return n - 1


@dataclass(frozen=True, slots=True)
class Switch(_AnyAxes):
    """Each chip has one port of W in and W out into a switch that never blocks (an NVLink domain).

    >>> from roofproof.symbols import dimension
    >>> n = dimension("n")
    >>> Switch("nvlink").gather(n)                             # the port lets in all but the chip's own V/n
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

    def __post_init__(self) -> None:
        Topology.__post_init__(self)
        if self.algorithm not in ("direct", "recursive", "ring"):
            raise unknown("algorithm", self.algorithm, ("direct", "recursive", "ring"))

    def size(self, n: Size | None = None) -> Expr:
        count = Topology.size(self, n)
        if self.algorithm == "recursive" and count.is_Integer and int(count) & (int(count) - 1):
            raise RoofproofError(f"{count} chips: recursion needs a power of two; use the direct or ring algorithm")
        return count

    def _gather(self, n: Expr) -> tuple[Expr, Expr]:
        steps = {"direct": steps_if_any(n), "recursive": log(n, 2), "ring": n - 1}[self.algorithm]
        return (n - 1) / n, steps

    def _exchange(self, n: Expr) -> tuple[Expr, Expr]:
        return (n - 1) / n**2, steps_if_any(n) if self.algorithm == "direct" else n - 1


def steps_if_any(n: Expr) -> Expr:
    """Return one step, or none for a single chip; a symbolic n is taken to be 2 or more, and the answer says so.

    >>> steps_if_any(Integer(1)), steps_if_any(Integer(5))
    (0, 1)
    """
    return Integer(0) if n == 1 else Integer(1)


def shown(sizes: Mapping[str, Expr]) -> str:
    """Return the sizes of a mesh as a person writes them."""
    return ", ".join(f"{name}={count}" for name, count in sizes.items())
