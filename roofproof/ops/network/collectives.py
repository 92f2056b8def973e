"""Collectives: what each asks of the links, and its time bound by bandwidth and by latency.

V is the whole array that a collective is about: what every chip holds after an all-gather or before a
reduce-scatter, what every chip holds and wants summed in an all-reduce, and for an all-to-all the array that is
spread over all n chips. W is bytes/s of a link per direction, t the seconds of a hop. The additions of a
reduction are not counted, as in the sources.

    bandwidth   share * V / W       lower   max of the two: hops hidden behind the transfers of others
    latency     steps * t           upper   their sum: exact when chips move step by step together

Sources: Austin et al., How to Scale Your Model (2025), ch. 3, Sharded Matrices (there W counts both directions of
a ring, here one); Thakur, Rabenseifner, Gropp (2005); Patarasuk, Yuan (2009).
"""

from dataclasses import dataclass
from typing import TypeAlias

import sympy
from sympy import Add, Expr, Integer, Max, Symbol
from sympy.logic.boolalg import Boolean

from roofproof.errors import RoofproofError, quoted
from roofproof.ops.combine import Size, positive
from roofproof.ops.network.topology import Load, Ring, Switch, Topology
from roofproof.ops.operation import Operation, one_kernel
from roofproof.sentences import Sentence
from roofproof.symbols import quantity

Amount: TypeAlias = int | str | Expr


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
    """

    name: str
    size: Expr
    chips: Expr
    over: Topology
    loads: tuple[Load, ...]
    counted: str = "bytes per direction of the busiest link"

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
            convention=f"{self.over}; {self.counted}",
            conditions=self.conditions,
            steps=self.hops,
            dims=tuple(s for s in sorted(self.size.free_symbols | self.chips.free_symbols, key=str)),
        )

    def _sum(self, link: str, what: str) -> Expr:
        return Add(*(getattr(load, what) for load in self.loads if load.link == link))


def all_gather(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Every chip starts with V/n bytes and ends with all V.

    >>> all_gather().upper                                     # n - 1 steps, V/n bytes each
    V*(n - 1)/(W*n) + t*(n - 1)
    >>> from roofproof.ops.network import BidirectionalRing
    >>> all_gather(4, "V", BidirectionalRing()).demand         # both ways: half of 3/4
    {'ici': 3*V/8}

    n chips (a number, a symbol or its name), V bytes, `over` a topology (a ring over `ici` if left out). Raises
    RoofproofError for more chips than the topology joins. Source: Thakur et al. (2005), section 4.1.
    """
    chips, network, amount = _read(n, V, over)
    return Collective("all-gather", amount, chips, network, network.gather(chips))


def reduce_scatter(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Every chip starts with V bytes to be summed over chips and ends with V/n of the sums.

    >>> reduce_scatter().demand == all_gather().demand         # an all-gather run backwards, summing on the way
    True

    Arguments and errors as for `all_gather`. Source: Thakur et al. (2005), section 4.3.
    """
    chips, network, amount = _read(n, V, over)
    return Collective("reduce-scatter", amount, chips, network, network.gather(chips))


def all_reduce(n: Size | None = None, V: Amount = "V", over: Topology | None = None) -> Collective:
    """Every chip starts with V bytes to be summed over chips and ends with all the sums.

    >>> all_reduce(2).demand                                   # 2 (2 - 1)/2: one array each way in all
    {'ici': V}

    A reduce-scatter, then an all-gather. Arguments and errors as for `all_gather`. Source: Patarasuk, Yuan
    (2009), theorem 1: no algorithm sends less than 2 (n - 1)/n V.
    """
    chips, network, amount = _read(n, V, over)
    loads = tuple(Load(load.link, 2 * load.share, 2 * load.steps) for load in network.gather(chips))
    return Collective("all-reduce", amount, chips, network, loads)


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
    >>> from roofproof.ops.network import BidirectionalRing
    >>> all_to_all(over=BidirectionalRing()).limit             # a quarter of the all-gather's V/2
    {'ici': V/8}

    Arguments and errors as for `all_gather`. Source: Austin et al. (2025), ch. 3, AllToAll.
    """
    chips, network, amount = _read(n, V, over)
    return Collective("all-to-all", amount, chips, network, network.exchange(chips))


def point_to_point(V: Amount = "V", hops: Amount = 1, over: Topology | None = None) -> Collective:
    """One chip sends V bytes to another, `hops` hops away, each link passing on what has come.

    >>> point_to_point(hops=3).upper
    V/W + 3*t

    Raises RoofproofError for hops that are no positive integer.
    """
    network = Ring() if over is None else over
    load = Load(network.link, 1 / network.lanes, positive(hops, "hops"))
    return Collective("point-to-point", byte_count(V), Integer(2), network, (load,))


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
